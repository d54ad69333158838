"""Published queries, the concepts that they have in common, and the people around each of them.

The weight of a word or phrase follows from the original alone: the binary digits of the number of people who issued it as a query, at least
1 for a word, times the number of words for a phrase; a phrase counts only if two people issued it. Two queries are affine if twice the
weight that they share is at least theta times the sum of both. Then each has at least theta / (2 - theta) of its weight in common with the
other, so the rarest concept that they share is among the first of each, sorted alike, before the rest becomes too light. Only published
queries with such a concept in common are compared, in whole numbers. A pair that is missed can only make a claim fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data import patience
from shoal.data.query_units import WORD
from shoal.data.tables.rows import RowTable

Ints = npt.NDArray[np.int64]
MEETINGS_AT_ONCE = 2_000_000
STEPS_A_MEETING, STEPS_A_CONCEPT, STEPS_A_PERSON = 20, 60, 60
FEWEST_PEOPLE = 2  # who ask a phrase as a query, so that it is a concept


def same_words(texts: pl.Series) -> pl.Series:
    """Return texts with single blanks between words and in small letters, as far as the letters are A to Z."""
    plain = texts.str.extract_all(WORD).list.join(" ")
    return pl.Series([text.encode().lower().decode() for text in plain], dtype=pl.String)


@dataclass(frozen=True, eq=False)
class ShownQueries:
    """The different published texts as typed (`text`), their words (`key`) and rows (`shown`), and the number of rows without a word."""

    texts: pl.DataFrame
    rows: int
    blank: int

    @classmethod
    def of(cls, table: RowTable) -> ShownQueries:
        """Read the queries of published rows."""
        column = table.frame[table.unit]
        texts = pl.DataFrame({"text": column.fill_null("")}).group_by("text").agg(shown=pl.len().cast(pl.Int64))
        texts = texts.with_columns(same_words(texts["text"]).alias("key"))
        return cls(texts, len(column), int(texts.filter(pl.col("key") == "")["shown"].sum()))


@dataclass(frozen=True, eq=False)
class AskedQueries:
    """The different published queries with their concepts, and the people of the original who issued a published text.

    `concepts` has the number of a query (`node`), of a concept (`gram`) and its weight; `people` has different pairs of `node` and `owner`;
    `words` the words of each query. `unexplained` counts published rows beyond those of the original.
    """

    n: int
    concepts: pl.DataFrame
    people: pl.DataFrame
    words: pl.DataFrame
    unexplained: int

    @classmethod
    def of(cls, payload: pl.Series, owner: pl.Series, shown: ShownQueries, longest: int) -> AskedQueries:
        """Compare published queries with the rows of the original."""
        rows = pl.DataFrame({"text": payload.fill_null(""), "owner": owner})
        texts = rows["text"].unique()
        keys = pl.DataFrame({"text": texts, "key": same_words(texts)})
        weights = _weights(rows.unique().join(keys, on="text"), longest)
        nodes = shown.texts.select("key").unique().with_row_index("node").with_columns(pl.col("node").cast(pl.Int64))
        there = rows.join(shown.texts.select("text", "key").join(nodes, on="key"), on="text")
        counted = shown.texts.join(there.group_by("text").agg(there=pl.len().cast(pl.Int64)), on="text", how="left")
        beyond = int((counted["shown"] - counted["there"].fill_null(0)).clip(lower_bound=0).sum())
        spelled = nodes.select("node", word=pl.col("key").str.split(" ")).explode("word").unique()
        return cls(len(nodes), _concepts(nodes, weights, longest), there.select("node", "owner").unique(), spelled, beyond)

    @property
    def fewest_people(self) -> int:
        """The minimum number of people who issued a published query."""
        per_query = self.people.group_by("node").agg(n=pl.len())["n"]
        return int(per_query.to_numpy().min()) if len(per_query) == self.n and self.n else 0

    def people_of_words(self) -> list[int]:
        """Return the number of people with a published query that contains the word, for each published word."""
        found = self.words.join(self.people, on="node", how="left").group_by("word").agg(n=pl.col("owner").drop_nulls().n_unique())
        return found["n"].to_list()


def _weights(queries: pl.DataFrame, longest: int) -> dict[str, int]:
    """Return the weights of the words and phrases that are queries of the original; other words weigh 1."""
    people = queries.select("key", "owner").unique().group_by("key").agg(people=pl.len())
    found = {}
    for key, n in people.iter_rows():
        words = key.count(" ") + 1
        if key and words <= longest and (words == 1 or n >= FEWEST_PEOPLE):
            found[key] = words * int(n).bit_length()
    return found


def _concepts(nodes: pl.DataFrame, weights: dict[str, int], longest: int) -> pl.DataFrame:
    """Return the different concepts of each published query, with their weights."""
    node, gram = [], []
    for number, key in nodes.iter_rows():
        words = key.split(" ")
        runs = {" ".join(words[at : at + m]) for m in range(2, min(longest, len(words)) + 1) for at in range(len(words) - m + 1)}
        mine = set(words) | (runs & weights.keys())
        node += [number] * len(mine)
        gram += list(mine)
    table = pl.DataFrame({"node": node, "name": gram}, schema={"node": pl.Int64, "name": pl.String})
    names = table.select("name").unique().with_row_index("gram")
    heavy = pl.Series([weights.get(name, 1) for name in names["name"]], dtype=pl.Int64)
    return table.join(names.with_columns(weight=heavy), on="name").select("node", "gram", "weight")


def neighbours(queries: AskedQueries, theta: Fraction) -> Ints:
    """Count, for each published query, the people who issued it or a published query that is affine to it."""
    found = np.zeros(queries.n, np.int64)
    weighed = _WeighedQueries.of(queries)
    people, starts = _listed(queries.people.select("node", pl.col("owner").rank("dense").cast(pl.Int64) - 1), queries.n)
    n_people = int(people.max(initial=0)) + 1
    first = _first_concepts(queries.concepts, theta)
    for block in _blocks(first):
        met = block.join(first, on="gram", suffix="_near")
        node, near = weighed.affine(*_different_pairs(met["node"].to_numpy(), met["node_near"].to_numpy(), queries.n), theta)
        around = starts[near + 1] - starts[near]
        patience.spend(int(around.sum()) * STEPS_A_PERSON, "counting the people around published queries")
        met_people = people[_places(starts[near], around)]
        counted, _ = _different_pairs(np.repeat(node, around), met_people, n_people)
        found += np.bincount(counted, minlength=queries.n)
    return found


@dataclass(frozen=True, eq=False)
class _WeighedQueries:
    """The concepts of each query in order: query i has `grams[starts[i]:starts[i + 1]]`; `keys` number pairs of query and concept."""

    grams: Ints
    weights: Ints
    starts: Ints
    keys: Ints
    totals: Ints
    width: int

    @classmethod
    def of(cls, queries: AskedQueries) -> _WeighedQueries:
        ordered = queries.concepts.sort("node", "gram")
        node, gram, weight = (ordered[name].to_numpy().astype(np.int64) for name in ("node", "gram", "weight"))
        width = int(gram.max(initial=0)) + 1
        starts = np.append(0, np.cumsum(np.bincount(node, minlength=queries.n)))
        totals = np.append(0, np.cumsum(weight))
        return cls(gram, weight, starts, node * width + gram, np.diff(totals[starts]), width)

    def affine(self, node: Ints, near: Ints, theta: Fraction) -> tuple[Ints, Ints]:
        """Return those of these pairs of queries that are affine."""
        a, b = theta.numerator, theta.denominator
        both = self.totals[node] + self.totals[near]
        may = 2 * b * np.minimum(self.totals[node], self.totals[near]) >= a * both  # they share at most the lighter of the two
        node, near, both = node[may], near[may], both[may]
        sizes = self.starts[node + 1] - self.starts[node]
        patience.spend(int(sizes.sum()) * STEPS_A_CONCEPT, "comparing published queries concept by concept")
        patience.insist_on_room(int(sizes.sum()), "comparing published queries concept by concept")
        places = _places(self.starts[node], sizes)
        wanted = np.repeat(near * self.width, sizes) + self.grams[places]
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        common = np.append(0, np.cumsum(np.where(self.keys[at] == wanted, self.weights[places], 0)))
        ends = np.cumsum(sizes)
        near_enough = 2 * b * (common[ends] - common[ends - sizes]) >= a * both
        return node[near_enough], near[near_enough]


def _first_concepts(concepts: pl.DataFrame, theta: Fraction) -> pl.DataFrame:
    """Return the concepts of each query, the rarest first, up to where the rest is too light to make it affine to another."""
    a, b = theta.numerator, theta.denominator
    ordered = concepts.with_columns(holders=pl.len().over("gram")).sort("node", "holders", "gram", descending=[False, True, True])
    rest = ordered.with_columns(rest=pl.col("weight").cum_sum().over("node"), total=pl.col("weight").sum().over("node"))
    return rest.filter(pl.col("rest") * (2 * b - a) >= pl.col("total") * a).select("node", "gram")


def _blocks(first: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the first concepts of some queries at a time, so that those that they meet fit into memory."""
    work = first.with_columns(met=pl.len().over("gram").cast(pl.Int64)).group_by("node").agg(pl.col("met").sum()).sort("node")
    patience.spend(int(work["met"].sum()) * STEPS_A_MEETING, "comparing published queries with one another")
    blocks = work.select("node", block=pl.col("met").cum_sum() // MEETINGS_AT_ONCE)
    yield from first.join(blocks, on="node").partition_by("block", include_key=False)


def _listed(pairs: pl.DataFrame, n: int) -> tuple[Ints, Ints]:
    """Return the second numbers of pairs, in the order of the first, and where those of each of n first numbers begin."""
    ordered = pairs.sort(pairs.columns)
    first, second = (column.to_numpy().astype(np.int64) for column in ordered)
    return second, np.append(0, np.cumsum(np.bincount(first, minlength=n)))


def _places(starts: Ints, sizes: Ints) -> Ints:
    """Return the places of runs that begin at these places and have these sizes, one run after the other."""
    ends = np.cumsum(sizes)
    return np.repeat(starts - ends + sizes, sizes) + np.arange(int(sizes.sum()))


def _different_pairs(first: Ints, second: Ints, width: int) -> tuple[Ints, Ints]:
    """Return the different pairs of numbers that are not negative, of which the second are below `width`."""
    keys = np.sort(first.astype(np.int64) * width + second)
    keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]
    return keys // width, keys % width

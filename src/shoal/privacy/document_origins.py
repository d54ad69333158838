"""Whether published vectors represent the documents they were made from. Counted in plain joins, by the graph of senses alone.

A document carries a name if one of its terms is called so, or means something at or below the node of that name. A vector represents a
document that carries all its names, and for a class of documents if none of its weights is above the mean weight that they carry it with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal.data import patience
from shoal.data.bags import Ints
from shoal.data.original import DocumentOriginal
from shoal.data.release import Secret
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.taxonomy.senses import SenseGraph, noun_senses

STEPS_A_PAIR = 100
ROUNDING = 1e-9  # by which a sum of weights may be off


@dataclass(frozen=True)
class Comparison:
    """What is wrong, how many people the rarest vector represents where that is known, and how it was counted."""

    defects: list[str]
    people: int | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Carried:
    """The names that documents carry, of those that are published, and the weight of the terms below each: document, name, weight."""

    original: DocumentOriginal
    published: frozenset[str]
    graph: SenseGraph

    @cached_property
    def names_of_terms(self) -> pl.DataFrame:
        """For each term the published names that represent it."""
        rows = []
        for term, (word, place) in enumerate(zip(self.original.vectors.vocabulary.names, self.original.places.tolist(), strict=True)):
            rows += [(term, name) for name in self._names(word, place) & self.published]
        return pl.DataFrame(rows, schema={"term": pl.Int64, "name": pl.String}, orient="row")

    def _names(self, word: str, place: int) -> set[str]:
        pending = list(self.graph.senses[place]) if place >= 0 else []
        above: set[int] = set()
        while pending:
            node = pending.pop()
            if node not in above:
                above.add(node)
                pending.extend(self.graph.above[node])
        return {word, *(self.graph.names[node] for node in above)}

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row for each document and each name that it carries."""
        vectors = self.original.vectors
        document = np.repeat(np.arange(len(vectors)), np.diff(vectors.indptr))
        entries = pl.DataFrame({"document": document, "term": vectors.items.astype(np.int64), "weight": self.original.weights})
        return entries.join(self.names_of_terms, on="term").group_by("document", "name").agg(pl.col("weight").sum())


def compared(table: WeightedBagTable, label: Ints, original: DocumentOriginal, secret: Secret | None) -> Comparison:
    """Compare what is published with the documents; without knowing which became which, with all documents that it could represent."""
    empty = int((original.vectors.lengths == 0).sum())
    if table.n_rows != len(original.vectors) - empty:
        return Comparison([f"{table.n_rows:,} vectors are published of {len(original.vectors) - empty:,} documents with terms"], None)
    carried = Carried(original, frozenset(table.flat["item"]), noun_senses())
    if secret is None:
        return _standing_alone(table, label, carried)
    rows = secret.rows()
    shown = np.flatnonzero(rows >= 0)
    if not np.array_equal(np.sort(rows[shown]), np.arange(table.n_rows)):
        return Comparison(["documents were lost or added without being accounted for"], None)
    classes = pl.DataFrame({"document": shown, "class": label[rows[shown]], "owner": original.vectors.owners[shown]})
    people = classes.group_by("class").agg(pl.col("owner").n_unique())["owner"]
    return Comparison(list(_defects(_vectors(table, label), classes, carried)), _fewest(people))


def _vectors(table: WeightedBagTable, label: Ints) -> pl.DataFrame:
    """The different vectors, one row for each of their terms: class, name, weight."""
    first = np.unique(label, return_index=True)[1]
    numbered = pl.DataFrame({"record": first.astype(np.uint32), "class": label[first]})
    return table.flat.join(numbered, on="record").select("class", pl.col("item").alias("name"), pl.col("weight").alias("published"))


def _defects(vectors: pl.DataFrame, classes: pl.DataFrame, carried: Carried) -> Iterable[str]:
    sizes = classes.group_by("class").len("members")
    held = carried.table.join(classes, on="document").group_by("class", "name").agg(pl.len().alias("bearers"), pl.col("weight").sum())
    told = vectors.join(sizes, on="class").join(held, on=["class", "name"], how="left")
    foreign = int((told["bearers"].fill_null(0) < told["members"]).sum())
    if foreign:
        yield f"{foreign:,} published terms represent no term of some document in their group"
    heavier = told["published"] > told["weight"].fill_null(0.0) / told["members"] + ROUNDING
    light = told["published"] < 0
    if (heavier | light).any():
        yield f"{int((heavier | light).sum()):,} published weights are not means of weights in their group"


def _standing_alone(table: WeightedBagTable, label: Ints, carried: Carried) -> Comparison:
    """How many people own documents that carry all names of a vector, for the vector with the fewest."""
    vectors = _vectors(table, label)
    wanted = vectors.group_by("class").len("terms")
    met = vectors.group_by("name").len("vectors").join(carried.table.group_by("name").len("documents"), on="name")
    pairs = int(met.select(pl.col("vectors").cast(pl.Int64) * pl.col("documents")).to_series().sum())
    what = "comparing vectors with documents"
    patience.spend(pairs * STEPS_A_PAIR, what)
    patience.insist_on_room(pairs, what)
    bearers = vectors.join(carried.table, on="name").group_by("class", "document").len("terms")
    whole = bearers.join(wanted, on=["class", "terms"])
    owners = pl.DataFrame({"document": np.arange(len(carried.original.vectors)), "owner": carried.original.vectors.owners})
    people = whole.join(owners, on="document").group_by("class").agg(pl.col("owner").n_unique())
    fewest = _fewest(wanted.join(people, on="class", how="left")["owner"].fill_null(0))
    note = "the people of all documents that a vector may represent were counted, because the mapping is not in the files"
    return Comparison(list(_impossible_weights(vectors, label, carried)), fewest, (note,))


def _impossible_weights(vectors: pl.DataFrame, label: Ints, carried: Carried) -> Iterable[str]:
    """Weights above the mean of the largest that as many documents have, or below the smallest of any term that the name represents."""
    members = pl.DataFrame({"class": label}).group_by("class").len("members")
    ranked = carried.table.sort("weight", descending=True).with_columns(place=pl.int_range(pl.len()).over("name"))
    told = vectors.join(members, on="class")
    heaviest = (
        told.join(ranked, on="name").filter(pl.col("place") < pl.col("members")).group_by("class", "name").agg(most=pl.col("weight").mean())
    )
    lightest = float(carried.original.weights.min()) if len(carried.original.weights) else 0.0
    both = told.join(heaviest, on=["class", "name"], how="left").with_columns(pl.col("most").fill_null(0.0))
    wrong = (both["published"] > both["most"] + ROUNDING) | (both["published"] < lightest - ROUNDING)
    if wrong.any():
        yield f"{int(wrong.sum()):,} published weights are not means of weights in the original"


def _fewest(people: pl.Series) -> int | None:
    return int(people.to_numpy().min()) if len(people) else None

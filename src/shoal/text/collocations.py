"""Collocations: adjacent words of a log that belong together by a significance test, such as *real estate*, become one term.

Pairs of words directly next to each other are counted by person: one who repeats a pair counts once. A pair is joined if enough people
have it, if it is more frequent than by chance, and if it makes up at least half of the pairs with this first word or with this second
word. Chance is excluded by Dunning's likelihood ratio (Dunning, Computational Linguistics 19(1), 1993) of the table of pairs with and
without each word: at least `CRITICAL`, which one pair in 10^9 reaches by chance, so a log of a million pairs has a wrong one in one of a
thousand cases.

Of overlapping pairs the one with the larger ratio is joined. Then pairs of the new terms are counted once more, so a term has at most four
words. Logarithms are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.bags import Ints, Small, Vocabulary
from shoal.text.joined_words import Joins, Mask, apply_joins
from shoal.text.terms import TermSplitter, in_one_case
from shoal.util.numbers import Floats, logarithm

FEWEST_PEOPLE = 10  # who have a pair, unless something else is given: twice the usual k
CRITICAL = 37.3249  # of the chi-squared distribution with one degree of freedom, for p = 10^-9
ROUNDS = 2
PAIR = ["left", "right"]
NO_PAIR = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class TextBlock:
    """Texts of a part of a log with the person of each; `follows` says which words stand directly behind the word before them.

    A part has all texts of its people.
    """

    indptr: Ints
    items: Small
    follows: Mask
    owners: Ints

    def pairs(self, folded: Small) -> pl.DataFrame:
        """Return how many people of this part have each pair of adjacent words."""
        right = np.flatnonzero(self.follows)
        owner = np.repeat(self.owners, np.diff(self.indptr))[right]
        table = pl.DataFrame({"left": folded[self.items[right - 1]], "right": folded[self.items[right]], "owner": owner})
        return table.unique().group_by(PAIR).agg(people=pl.len().cast(pl.Int64))


def join_collocations(parts: list[TextBlock], terms: TermSplitter, fewest: int) -> tuple[list[TextBlock], int]:
    """Join the collocations of a log.

    Args:
        parts: The texts of all people.
        terms: The splitter that numbered the words; it numbers the new terms.
        fewest: The number of people who have each pair.

    Returns:
        The texts with collocations as terms, and how many words were joined to the word before them.
    """
    joined = 0
    for _ in range(ROUNDS):
        words = in_one_case(terms.vocabulary.names)
        different = Vocabulary(words.unique(maintain_order=True))
        folded = different.codes(words)
        counted = pl.concat([part.pairs(folded) for part in parts]).group_by(PAIR).agg(pl.col("people").sum())
        chosen = collocations(counted, different, fewest)
        made = [_joined(part, folded, chosen, len(different), terms) for part in parts]
        parts, fresh = [part for part, _ in made], sum(n for _, n in made)
        joined += fresh
        if not fresh:
            break
    return parts, joined


def collocations(pairs: pl.DataFrame, words: Vocabulary, fewest: int) -> pl.DataFrame:
    """Return the pairs that are joined, the strongest first; of equally strong ones those whose words come first.

    Args:
        pairs: All adjacent pairs: the numbers of the words `left` and `right`, and how many `people` have the pair.
        words: The words by number.
        fewest: The number of people who have each pair.
    """
    first = pairs.group_by("left").agg(first=pl.col("people").sum())
    second = pairs.group_by("right").agg(second=pl.col("people").sum())
    table = pairs.filter((pl.col("people") >= fewest) & (pl.col("left") != pl.col("right"))).join(first, on="left").join(second, on="right")
    both, one, other = (table[name].to_numpy() for name in ("people", "first", "second"))
    total = int(pairs["people"].sum())
    ratio = likelihood_ratio(both, one, other, total)
    half = 2 * both >= np.minimum(one, other)
    more = both.astype(np.float64) * total > one.astype(np.float64) * other
    names = {side: words.names.gather(table[column]) for side, column in (("a", "left"), ("b", "right"))}
    found = table.with_columns(ratio=pl.Series(ratio), **names).filter(pl.Series(half & more & (ratio >= CRITICAL)))
    return found.sort("ratio", "a", "b", descending=[True, False, False]).select(PAIR)


def likelihood_ratio(both: Ints, one: Ints, other: Ints, total: int) -> Floats:
    """Return Dunning's likelihood ratio of each pair: `both` of `total` pairs, `one` with its first word, `other` with its second."""
    rows, columns = (one, total - one), (other, total - other)
    cells = ((both, one - both), (other - both, total - one - other + both))
    found = np.zeros(len(both))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            cell = cells[i][j].astype(np.float64)
            share = np.maximum(cell, 1) * total / np.maximum(row.astype(np.float64) * column, 1)
            found = found + np.where(cell > 0, cell * logarithm(share), 0.0)
    return 2 * found


def _joined(part: TextBlock, folded: Small, chosen: pl.DataFrame, n_words: int, terms: TermSplitter) -> tuple[TextBlock, int]:
    """Return the texts with these pairs as terms, and the number of joined words."""
    ends = _ends(part, folded, chosen, n_words)
    if not len(ends):
        return part, 0
    joins = Joins(ends - 1, np.full(len(ends), 2, np.int64))
    indptr, items = apply_joins(part.indptr, part.items, joins, terms.vocabulary.names, terms.numbers)
    left = np.ones(len(part.items), bool)
    left[ends] = False
    return TextBlock(indptr, items, part.follows[left], part.owners), joins.joined


def _ends(part: TextBlock, folded: Small, chosen: pl.DataFrame, n_words: int) -> Ints:
    """Return the second places of the pairs to join: those that are stronger than both pairs that overlap them, again and again."""
    keys = chosen["left"].to_numpy().astype(np.int64) * n_words + chosen["right"].to_numpy()
    order = np.argsort(keys)
    places = np.flatnonzero(part.follows)
    wanted = folded[part.items[places - 1]].astype(np.int64) * n_words + folded[part.items[places]]
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), max(0, len(keys) - 1))
    known = keys[order][at] == wanted if len(keys) else np.zeros(len(places), bool)
    rank = np.full(len(part.items) + 2, NO_PAIR, np.int64)  # of the pair that ends here; nothing overlaps from outside
    rank[places[known] + 1] = order[at[known]]
    ends: list[Ints] = []
    while True:
        inner = rank[1:-1]
        best = np.flatnonzero((inner < rank[:-2]) & (inner < rank[2:]))
        if not len(best):
            return np.sort(np.concatenate([np.zeros(0, np.int64), *ends]))
        ends.append(best)
        rank[np.concatenate([best, best + 1, best + 2])] = NO_PAIR

"""Joins adjacent words of texts into one term: what domains, phrases and collocations have in common.

Texts are rows of word numbers: text i has `items[indptr[i]:indptr[i+1]]`. A join is a place in `items` and the number of words from there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Ints, Small

Mask = npt.NDArray[np.bool_]
Number = Callable[[pl.Series], Small]
"""Returns the numbers of terms, new ones where terms are new."""


class Joins(NamedTuple):
    """Where terms begin, in ascending order, and of how many words each consists."""

    starts: Ints
    lengths: Ints

    @property
    def joined(self) -> int:
        """How many words are joined to the word before them."""
        return int((self.lengths - 1).sum())


def leftmost(starts: Ints, lengths: Ints) -> Joins:
    """Of joins that overlap, those that begin first. The places are in ascending order and differ."""
    kept, end = [], 0
    for i, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        if start >= end:
            kept.append(i)
            end = start + length
    chosen = np.array(kept, np.int64)
    return Joins(starts[chosen], lengths[chosen])


def apply_joins(indptr: Ints, items: Small, joins: Joins, words: pl.Series, number: Number, separator: str = " ") -> tuple[Ints, Small]:
    """Return the texts with each join as one term.

    Args:
        indptr: Where each text begins.
        items: The words of all texts.
        joins: Joins that do not overlap and do not reach beyond their text.
        words: The words by number.
        number: Gives the number of each new term.
        separator: What is written between the words of a term.

    Returns:
        The texts, in the same form.
    """
    if not len(joins.starts):
        return indptr, items
    items, removed = items.copy(), np.zeros(len(items), np.int64)
    for length in np.flatnonzero(np.bincount(joins.lengths)).tolist():
        starts = joins.starts[joins.lengths == length]
        parts = pl.DataFrame({str(i): items[starts + i] for i in range(length)})
        different = parts.unique(maintain_order=True)
        written = pl.concat_str([words.gather(different[name]) for name in different.columns], separator=separator)
        named = different.with_columns(term=number(pl.select(item=written)["item"]))
        found = parts.join(named, on=different.columns, how="left", maintain_order="left")["term"].to_numpy()
        items[starts] = found
        for i in range(1, length):
            removed[starts + i] = 1
    before = np.concatenate([[0], np.cumsum(removed)])
    return indptr - before[indptr], items[removed == 0]


def same_text(indptr: Ints) -> Mask:
    """Return whether each word has a word of the same text before it."""
    follows = np.ones(int(indptr[-1]), bool)
    begins = indptr[:-1]
    follows[begins[begins < len(follows)]] = False
    return follows

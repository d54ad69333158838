"""Texts as sequences of numbered words, for a judge that compares them under a recoding of their words.

Each different word has a number. Two texts are compared by packing the numbers of several words into one whole number: as many as fit at
first, and for longer texts the next ones together with the number of what has been compared. No hash stands for a text, so that equal means
equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import number_strings
from shoal.data.query_units import WORD

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

BITS = 63  # of a whole number that is not negative
STATE_BITS = 31  # of the number of a beginning that several texts share
ODD_BLANKS = r"^\s|\s$|\s\s|[^\S ]"


@dataclass(frozen=True, eq=False)
class Sequences:
    """Sequences of numbers: number i has `numbers[starts[i]:starts[i + 1]]`."""

    starts: Ints
    numbers: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Ints:
        """The length of each sequence."""
        return np.diff(self.starts)

    def taken(self, which: Ints) -> Sequences:
        """Return these sequences, in this order."""
        sizes = self.sizes[which]
        starts = np.append(0, np.cumsum(sizes))
        return Sequences(starts, self.numbers[np.repeat(self.starts[which] - starts[:-1], sizes) + np.arange(starts[-1])])

    def replaced(self, numbers: Ints) -> Sequences:
        """Return the sequences with other numbers in place of theirs, without those that are negative."""
        kept = numbers >= 0
        return Sequences(np.append(0, np.cumsum(kept))[self.starts], numbers[kept])


@dataclass(frozen=True, eq=False)
class Spelling:
    """The words of texts: `words`, each once, and the numbers of the words of each text. `odd` texts have other blanks than single ones."""

    words: pl.Series
    texts: Sequences
    odd: Mask

    def without_odd(self) -> Sequences:
        """Return the texts that are their words with single blanks between them; the others are empty."""
        if not self.odd.any():
            return self.texts
        return self.texts.replaced(np.where(np.repeat(self.odd, self.texts.sizes), -1, self.texts.numbers))


def spelled(texts: pl.Series, *, split: bool) -> Spelling:
    """Return the words of texts without nulls; each text is one word if it is not split."""
    if not split:
        alone = Sequences(np.arange(len(texts) + 1), np.arange(len(texts)))
        return Spelling(texts, alone, np.zeros(len(texts), bool))
    odd = texts.str.contains(ODD_BLANKS)
    if odd.any():
        texts = texts.clone().scatter(odd.arg_true(), texts.filter(odd).str.extract_all(WORD).list.join(" "))
    pieces, sizes = _pieces(texts)
    words, numbers = number_strings(pieces)
    return Spelling(words, Sequences(np.append(0, np.cumsum(sizes)), numbers.astype(np.int64)), odd.to_numpy())


def _pieces(texts: pl.Series) -> tuple[pl.Series, Ints]:
    """Return the words of texts with single blanks between them, and their number in each text. Methods divide texts with a kernel."""
    lists = texts.str.split(" ")
    sizes, pieces = lists.list.len().to_numpy().astype(np.int64), lists.explode()
    empty = (texts == "").to_numpy()
    return (pieces.filter(pieces != ""), np.where(empty, 0, sizes)) if empty.any() else (pieces, sizes)


def places_of_equals(sought: Sequences, shown: Sequences, n_words: int) -> Ints:
    """Return the place of the equal one among the sequences `shown`, which all differ, for each of `sought`; -1 if there is none.

    Numbers are below `n_words`, and no sequence of `sought` that has an equal is empty.
    """
    bits = max(1, n_words.bit_length())
    found = np.full(len(sought), -1, np.int64)
    left, right = (_Reading(them, np.flatnonzero(them.sizes > 0)) for them in (sought, shown))
    at, width = 0, BITS // bits
    while len(left.rows) and len(right.rows):
        for reading in (left, right):
            reading.read(at, width, bits)
        at += width
        ends, others = left.ending(at), right.ending(at)
        both = ends.join(others.rename({"row": "place"}), on="key", how="inner")
        found[both["row"].to_numpy()] = both["place"].to_numpy()
        beginnings = _different(right.continue_after(at))
        left.continue_after(at)
        for reading in (left, right):
            reading.number(beginnings)
        width = (BITS - STATE_BITS) // bits
    return found


class _Reading:
    """Sequences that are read a few numbers at a time; `keys` are the numbers read last, with the number of those before."""

    def __init__(self, sequences: Sequences, rows: Ints) -> None:
        self.sequences, self.rows = sequences, rows
        self.state: Ints = np.zeros(len(rows), np.int64)
        self.keys: Ints = self.state

    def read(self, at: int, width: int, bits: int) -> None:
        """Read this many numbers; where a sequence has ended, 0 is read, and numbers count from 1."""
        starts, ends = self.sequences.starts[self.rows] + at, self.sequences.starts[self.rows + 1]
        self.keys = self.state
        last = len(self.sequences.numbers) - 1
        for i in range(width):
            place = starts + i
            digit = np.where(place < ends, self.sequences.numbers[np.minimum(place, last)] + 1, 0)
            self.keys = (self.keys << bits) | digit

    def ending(self, at: int) -> pl.DataFrame:
        """Return the sequences that end here, with their keys."""
        here = self.sequences.sizes[self.rows] <= at
        return pl.DataFrame({"key": self.keys[here], "row": self.rows[here]})

    def continue_after(self, at: int) -> Ints:
        """Keep the sequences that continue, and return their keys."""
        more = self.sequences.sizes[self.rows] > at
        self.rows, self.keys = self.rows[more], self.keys[more]
        return self.keys

    def number(self, beginnings: Ints) -> None:
        """Keep the sequences that begin in one of these ways, and number them by it."""
        state = np.searchsorted(beginnings, self.keys)
        known = state < len(beginnings)
        known[known] = beginnings[state[known]] == self.keys[known]
        self.rows, self.state = self.rows[known], state[known]


def _different(numbers: Ints) -> Ints:
    """Return the different numbers, in order."""
    ordered = np.sort(numbers)
    return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]])


def different_pairs(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Return the different pairs of two numbers that are not negative, in order."""
    width = int(second.max(initial=0)) + 1
    if (int(first.max(initial=0)) + 1) * width < 2**BITS:
        both = _different(first * width + second)
        return both // width, both % width
    pairs = np.unique(np.stack([first, second]), axis=1)
    return pairs[0], pairs[1]

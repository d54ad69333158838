"""Texts as sequences of numbered words, for a judge that compares them under a recoding of their words.

Each different word has a number, and texts are equal if their sequences of numbers are. The judge's own kernels divide and compare; no hash
stands for a text, so that equal means equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import COLUMN_BYTES
from shoal.data.query_units import WORD

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

BITS = 63  # of a whole number that is not negative
ODD_BLANKS = r"^\s|\s$|\s\s|[^\S ]"


@dataclass(frozen=True, eq=False)
class Sequences:
    """Sequences of numbers: number i has `numbers[starts[i]:starts[i + 1]]`."""

    starts: Ints
    numbers: Small

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

    def replaced(self, numbers: Small) -> Sequences:
        """Return the sequences with other numbers in place of theirs. Negative ones stand for nothing."""
        return Sequences(self.starts, numbers)

    def incomplete(self) -> Mask:
        """Return which sequences have negative numbers."""
        nothing = np.flatnonzero(self.numbers < 0)
        found = np.zeros(len(self), bool)
        found[np.searchsorted(self.starts, nothing, side="right") - 1] = True
        return found


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
        return self.texts.replaced(np.where(np.repeat(self.odd, self.texts.sizes), np.int32(-1), self.texts.numbers))


def spelled(texts: pl.Series, *, split: bool) -> Spelling:
    """Return the words of texts without nulls; each text is one word if it is not split."""
    if not split:
        alone = Sequences(np.arange(len(texts) + 1), np.arange(len(texts), dtype=np.int32))
        return Spelling(texts, alone, np.zeros(len(texts), bool))
    odd = np.zeros(len(texts), bool)
    doubtful: Ints = kernels.run(_kernels.doubtful_blanks, texts.__arrow_c_stream__())
    odd[doubtful] = texts.gather(doubtful).str.contains(ODD_BLANKS).to_numpy()
    if odd.any():
        texts = texts.clone().scatter(np.flatnonzero(odd), texts.filter(pl.Series(odd)).str.extract_all(WORD).list.join(" "))
    starts, numbers, columns = kernels.run(_kernels.text_words, texts.__arrow_c_stream__(), COLUMN_BYTES)
    words = [pl.Series("word", column) for column in columns] or [pl.Series("word", [], dtype=pl.String)]
    return Spelling(pl.concat(words), Sequences(starts, numbers), odd)


def places_of_equals(sought: Sequences, shown: Sequences) -> Ints:
    """Return the place of the equal one among the sequences `shown`, which all differ, for each of `sought`; -1 if there is none.

    Negative numbers stand for nothing, and an empty sequence equals none.
    """
    places: Ints = kernels.run(_kernels.places_of_equals, sought.starts, sought.numbers, shown.starts, shown.numbers)
    return places


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

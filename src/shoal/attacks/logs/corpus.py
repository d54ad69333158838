"""Texts as rows of words or of tokens, and what can be counted of these without knowing what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Ints

if TYPE_CHECKING:
    import scipy.sparse as sp

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Text i has the words `items[indptr[i]:indptr[i+1]]`, numbers below `n_items`; `owners` tells whose it is, where that is known."""

    indptr: Ints
    items: Ints
    n_items: int
    owners: Ints | None = None

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def _text_of(self) -> Ints:
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    @cached_property
    def texts(self) -> sp.csr_matrix:
        """Texts times words: ones where a text has a word."""
        return self._held(self._text_of, len(self))

    @cached_property
    def people(self) -> sp.csr_matrix | None:
        """People times words; None if it is not known whose a text is."""
        if self.owners is None:
            return None
        people, number = np.unique(self.owners, return_inverse=True)
        return self._held(number[self._text_of], len(people))

    def _held(self, rows: Ints, n: int) -> sp.csr_matrix:
        import scipy.sparse as sp

        keys = np.unique(rows * self.n_items + self.items)
        ones = np.ones(len(keys), np.int64)
        return sp.csr_matrix((ones, (keys // max(1, self.n_items), keys % max(1, self.n_items))), shape=(n, self.n_items))

    @cached_property
    def frequencies(self) -> Ints:
        """How many texts have each word."""
        return np.bincount(self.texts.indices, minlength=self.n_items)

    def frequent(self, n: int) -> Ints:
        """The most frequent words, the most frequent first."""
        return np.argsort(-self.frequencies, kind="stable")[:n]

    def statistics(self, words: Ints) -> list[Ints]:
        """How many texts have each of these words; have it alone, first, last, or among many; and how many people have it."""
        sizes = np.diff(self.indptr)[self._text_of]
        first = np.isin(np.arange(len(self.items)), self.indptr[:-1]) & (sizes > 1)
        last = np.isin(np.arange(len(self.items)), self.indptr[1:] - 1) & (sizes > 1)
        places = [np.bincount(self.items[mask], minlength=self.n_items)[words] for mask in (sizes == 1, first, last, sizes == 2, sizes > 3)]
        people = [] if self.people is None else [np.bincount(self.people.indices, minlength=self.n_items)[words]]
        return [self.frequencies[words], *places, *people]

    def together(self, words: Ints) -> list[Floats]:
        """How many texts, and how many people, have each two of these words."""
        units = [self.texts, *([] if self.people is None else [self.people])]
        counts = [(held[:, words].T @ held[:, words]).toarray().astype(np.float64) for held in units]
        for count in counts:
            np.fill_diagonal(count, 0)
        return counts


@dataclass(frozen=True, eq=False)
class Hashed:
    """Texts of tokens; texts that can be read, of other people; and the word of these that each token represents, -1 for none of them."""

    tokens: Corpus
    words: Corpus
    truth: Ints

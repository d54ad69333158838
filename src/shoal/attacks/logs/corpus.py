"""Texts as rows of words or of tokens, and their statistics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Ints
from shoal.util.numbers import distinct

if TYPE_CHECKING:
    import scipy.sparse as sp

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Text i has the words `items[indptr[i]:indptr[i+1]]`, numbers below `n_items`; `owners` are the users of the texts, if known."""

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
        """A binary matrix of texts by words."""
        return self._held(self._text_of, len(self))

    @cached_property
    def people(self) -> sp.csr_matrix | None:
        """A binary matrix of people by words; None if the users of texts are not known."""
        if self.owners is None:
            return None
        people, number = np.unique(self.owners, return_inverse=True)
        return self._held(number[self._text_of], len(people))

    def _held(self, rows: Ints, n: int) -> sp.csr_matrix:
        import scipy.sparse as sp

        keys = distinct(rows * self.n_items + self.items)
        ones = np.ones(len(keys), np.int64)
        return sp.csr_matrix((ones, (keys // max(1, self.n_items), keys % max(1, self.n_items))), shape=(n, self.n_items))

    @cached_property
    def frequencies(self) -> Ints:
        """The number of texts with each word."""
        return np.bincount(self.texts.indices, minlength=self.n_items)

    def frequent(self, n: int) -> Ints:
        """Return the most frequent words, the most frequent first."""
        return np.argsort(-self.frequencies, kind="stable")[:n]

    def statistics(self, words: Ints) -> list[Ints]:
        """Count the texts with each of these words; alone, first, last, or among many; and the people with it."""
        sizes = np.diff(self.indptr)[self._text_of]
        first = np.isin(np.arange(len(self.items)), self.indptr[:-1]) & (sizes > 1)
        last = np.isin(np.arange(len(self.items)), self.indptr[1:] - 1) & (sizes > 1)
        places = [np.bincount(self.items[mask], minlength=self.n_items)[words] for mask in (sizes == 1, first, last, sizes == 2, sizes > 3)]
        people = [] if self.people is None else [np.bincount(self.people.indices, minlength=self.n_items)[words]]
        return [self.frequencies[words], *places, *people]

    def together(self, words: Ints) -> list[Floats]:
        """Count the texts, and the people, with each pair of these words."""
        units = [self.texts, *([] if self.people is None else [self.people])]
        counts = [(held[:, words].T @ held[:, words]).toarray().astype(np.float64) for held in units]
        for count in counts:
            np.fill_diagonal(count, 0)
        return counts


@dataclass(frozen=True, eq=False)
class Hashed:
    """Texts of tokens; plain texts of other people; and the word of these that each token represents, -1 for none."""

    tokens: Corpus
    words: Corpus
    truth: Ints

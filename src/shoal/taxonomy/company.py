"""The company that words keep: how strongly each word is tied to widely held words, in whole numbers.

Two words are tied if they occur together, in a session or a record, more often than by chance. The tie is the pointwise mutual information
with a smoothed frequency of the second word, so that rare pairs are not taken for strong ones; pairs below chance count as none. Numbers
are whole, and logarithms are those of `exact_numbers`, so that the ties are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data.bags import Bags, Ints, Small
from shoal.util.exact_numbers import logarithm

SMOOTHING = 0.75  # power of the second word's frequency
UNITS = 32  # of a tie, for each doubling over chance
MOST_FEATURES = 4096  # widely held words that ties are measured to
FEWEST_HOLDERS = 2  # of such a word: one person's word ties nobody's words together
LONGEST = 200  # words of a context: in a longer one everything occurs with everything
WORDS_AT_ONCE = 1 << 15  # so that the counts of few words are in memory at a time


@dataclass(frozen=True, eq=False)
class Company:
    """Of each word its ties to `features`, as sparse rows; and how many people hold each word."""

    indptr: Ints
    features: Small
    ties: Small
    n_features: int
    people: Ints

    def filled(self, other: Company) -> Company:
        """The same, but words that have no ties here have those that they have there, to the same features."""
        lonely = np.flatnonzero(np.diff(self.indptr) == 0)
        lengths = np.diff(self.indptr)
        lengths[lonely] = np.diff(other.indptr)[lonely]
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        begins = np.where(np.isin(np.arange(len(lengths)), lonely), other.indptr[:-1] + len(self.features), self.indptr[:-1])
        places = np.repeat(begins - indptr[:-1], lengths) + np.arange(indptr[-1])
        features, ties = (np.concatenate([getattr(one, name) for one in (self, other)])[places] for name in ("features", "ties"))
        return Company(indptr, features, ties, self.n_features, self.people)


def company_of(contexts: Bags) -> Company:
    """The ties of all words.

    Args:
        contexts: Sessions, or whole records, with the people they belong to.

    Returns:
        The ties. They depend neither on the order of the contexts nor on that of the words, whose numbers they bear.
    """
    people = contexts.people_per_item
    chosen = _features(people, contexts.vocabulary.names.to_list())
    held = contexts.to_scipy()
    together = held[np.diff(held.indptr) <= LONGEST]
    together.data = np.ones(len(together.data), np.int32)
    with_features = together[:, chosen]
    by_word = together.T.tocsr()
    return _ties(by_word, with_features, chosen, people)


def _features(people: Ints, names: list[str]) -> Ints:
    """The most widely held words, in the order of their names; of equally held ones those whose names come first."""
    enough = np.flatnonzero(people >= FEWEST_HOLDERS)
    by_people = sorted(enough.tolist(), key=lambda word: (-people[word], names[word]))[:MOST_FEATURES]
    return np.array(sorted(by_people, key=names.__getitem__), np.int64)


def _ties(by_word: Any, with_features: Any, chosen: Ints, people: Ints) -> Company:
    """From counts to ties, some words at a time. A feature occurs with all other words of its contexts."""
    parts = [(begin, min(begin + WORDS_AT_ONCE, len(people))) for begin in range(0, len(people), WORDS_AT_ONCE)]
    others = np.bincount(by_word.indices, minlength=by_word.shape[1]) - 1
    frequency = np.asarray(with_features.T @ others, np.int64)
    total = int(frequency.sum())
    lengths, features, ties = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    for begin, end in parts:
        counts = _counts(by_word, with_features, chosen, begin, end)
        row = np.bincount(counts.row, weights=counts.data, minlength=end - begin)
        chance = logarithm(np.maximum(row, 1))[counts.row] + SMOOTHING * logarithm(np.maximum(frequency, 1))[counts.col]
        mean = logarithm(total / max(1, len(chosen))) if total else 0.0
        beyond = logarithm(counts.data) + (logarithm(total) if total else 0.0) - chance - (1 - SMOOTHING) * mean
        tie = np.floor(UNITS * beyond / logarithm(2.0)).astype(np.int32)
        kept = tie > 0
        lengths.append(np.bincount(counts.row[kept], minlength=end - begin))
        features.append(counts.col[kept].astype(np.int32))
        ties.append(tie[kept])
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    return Company(indptr, np.concatenate(features), np.concatenate(ties), len(chosen), people)


def _counts(by_word: Any, with_features: Any, chosen: Ints, begin: int, end: int) -> Any:
    """How often words begin to end occur with each feature, in rows and columns that rise; a word does not keep company with itself."""
    found = (by_word[begin:end] @ with_features).tocsr()
    found.sort_indices()
    found = found.tocoo()
    apart = found.row + begin != chosen[found.col]
    found.row, found.col, found.data = found.row[apart], found.col[apart], found.data[apart].astype(np.int64)
    return found

"""The company that words keep: how strongly each word is tied to widely held words, in whole numbers.

Two words are tied if they occur together, in a session or a record, more often than by chance. The tie is the pointwise mutual information
with a smoothed frequency of the second word, so that rare pairs are not taken for strong ones; pairs below chance count as none. Of a word
in very many contexts about `ENOUGH` are counted, chosen by a hash of the words of the context and of its person, and of its ties the
`STRONGEST` are kept, so that time and memory grow with the vocabulary and not with all pairs. Numbers are whole, and logarithms are those
of `util.numbers`, so that the ties are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small

SMOOTHING = 0.75  # power of the second word's frequency
UNITS = 32  # of a tie, for each doubling over chance
MOST_FEATURES = 4096  # widely held words that ties are measured to
FEWEST_HOLDERS = 2  # of such a word: one person's word ties nobody's words together
LONGEST = 200  # words of a context: in a longer one everything occurs with everything
ENOUGH = 1024  # contexts of a word that are counted
STRONGEST = 128  # ties of a word: those that chance explains least


@dataclass(frozen=True, eq=False)
class Company:
    """Of each word its ties to `features`, as sparse rows; and how many people have each word."""

    indptr: Ints
    features: Small
    ties: Small
    n_features: int
    people: Ints

    @property
    def lonely(self) -> npt.NDArray[np.bool_]:
        """Which words have no ties."""
        return np.asarray(np.diff(self.indptr) == 0)

    def filled(self, other: Company) -> Company:
        """Return the same, but words that have no ties here have those that they have there, to the same features."""
        lonely = self.lonely
        lengths = np.where(lonely, np.diff(other.indptr), np.diff(self.indptr))
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        begins = np.where(lonely, other.indptr[:-1] + len(self.features), self.indptr[:-1])
        places = np.repeat(begins - indptr[:-1], lengths) + np.arange(indptr[-1])
        features, ties = (np.concatenate([getattr(one, name) for one in (self, other)])[places] for name in ("features", "ties"))
        return Company(indptr, features, ties, self.n_features, self.people)


def company_of(contexts: Bags, wanted: npt.NDArray[np.bool_] | None = None) -> Company:
    """Return the ties of words.

    Args:
        contexts: Sessions, or whole records, with the people they belong to.
        wanted: The words whose ties are found. Default: all.

    Returns:
        The ties. They depend neither on the order of the contexts nor on that of the words, whose numbers they bear.
    """
    people, names = contexts.people_per_item, contexts.vocabulary.names.to_list()
    chosen = _features(people, names)
    feature = np.full(len(names), -1, np.int32)
    feature[chosen] = np.arange(len(chosen), dtype=np.int32)
    fingerprints = np.fromiter((crc32(name.encode()) for name in names), np.int64, len(names))
    words = np.ones(len(names), np.uint8) if wanted is None else wanted.astype(np.uint8)
    bounds = _kernels.CompanyBounds(
        features=len(chosen), longest=LONGEST, enough=ENOUGH, strongest=STRONGEST, smoothing=SMOOTHING, units=UNITS
    )
    about = (contexts.view, contexts.owners, fingerprints, feature, words, bounds, kernels.threads())
    indptr, features, ties = kernels.run(_kernels.company, *about, label="comparing words")
    return Company(indptr, features, ties, len(chosen), people)


def _features(people: Ints, names: list[str]) -> Ints:
    """Return the most widely held words, in the order of their names; of equally held ones those whose names come first."""
    enough = np.flatnonzero(people >= FEWEST_HOLDERS)
    by_people = sorted(enough.tolist(), key=lambda word: (-people[word], names[word]))[:MOST_FEATURES]
    return np.array(sorted(by_people, key=names.__getitem__), np.int64)

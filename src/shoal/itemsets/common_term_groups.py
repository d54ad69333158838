"""Groups of vocabularies by distances that count common terms only: Jaccard, Hamming and cosine (Liu and Wang, ICDM'10, section III-B).

Different terms are never alike here, however near they are on the taxonomy. The groups are formed as in SSC: a seed and the vocabularies of
k - 1 other people, each nearest to the centre of the group so far. The centre is what all members have in common, with multiplicity. What
is left when fewer than k people remain joins the nearest centre.

Sums are exact, and quotients are those of whole numbers, so the groups do not depend on the machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints

CommonTerms = Literal["jaccard", "hamming", "cosine"]
COMMON_TERMS: tuple[CommonTerms, ...] = ("jaccard", "hamming", "cosine")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TermGroups:
    """The group of each vocabulary, and what the members of each group have in common, one row for each group."""

    group: Ints
    common: Bags

    @property
    def kept(self) -> int:
        """The number of occurrences that are published as they are."""
        return int((np.bincount(self.group, minlength=len(self.common)) * self.common.lengths).sum())


def common_term_groups(
    bags: Bags, order: Ints, k: int, distance: CommonTerms, promising: int, publishable: npt.NDArray[np.uint8]
) -> TermGroups:
    """Group vocabularies of at least k people.

    Args:
        bags: The vocabularies, none of them empty.
        order: The order in which vocabularies become seeds; of equally near ones the first in this order is taken.
        k: The number of people in a group.
        distance: The distance of a vocabulary to a centre.
        promising: The percentage of its words that a group must keep to be formed at once; other seeds wait.
        publishable: 1 for each item that may be published.

    Returns:
        The groups.
    """
    search = _Search(bags, order, k, distance, publishable)
    for least in sorted({promising, 0}, reverse=True):
        for seed in order.tolist():
            if search.group[seed] < 0 and search.people_left >= k:
                search.try_group(seed, least)
    search.join_nearest([record for record in order.tolist() if search.group[record] < 0])
    return TermGroups(search.group, search.common())


class _Search:
    """The groups so far."""

    def __init__(self, bags: Bags, order: Ints, k: int, distance: CommonTerms, publishable: npt.NDArray[np.uint8]) -> None:
        self._bags, self._k, self._distance = bags, k, distance
        self._publishable = publishable.astype(np.int64)
        self._rank = np.empty(len(bags), np.int64)
        self._rank[order] = np.arange(len(bags))
        self._row = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
        self._counts = bags.counts.astype(np.int64)
        self._totals = self._sums(self._counts)
        self._squares = self._sums(self._counts**2)
        self._left = Counter(bags.owners.tolist())
        self._centres: list[dict[int, int]] = []
        self.group = np.full(len(bags), -1, np.int64)

    @property
    def people_left(self) -> int:
        """The number of people who own a vocabulary without a group."""
        return len(self._left)

    def try_group(self, seed: int, least: int) -> None:
        """Form the group of a seed if it keeps at least this percentage of its words."""
        members, centre, free = [seed], self._vector(seed), self.group < 0
        while len(members) < self._k:
            free &= self._bags.owners != self._bags.owners[members[-1]]
            candidates = np.flatnonzero(free)
            away = self._distances(centre)[candidates]
            nearest = candidates[away == away.min()]
            members.append(int(nearest[self._rank[nearest].argmin()]))
            centre = np.minimum(centre, self._vector(members[-1]))
        kept = self._k * int((centre * self._publishable).sum())
        if 100 * kept >= least * int(self._totals[members].sum()):
            self.group[members] = len(self._centres)
            self._centres.append({item: int(centre[item]) for item in np.flatnonzero(centre).tolist()})
            self._left -= Counter(self._bags.owners[members].tolist())

    def join_nearest(self, records: Sequence[int]) -> None:
        """Put each vocabulary into the group with the nearest centre, the first if several are."""
        centres = NearestCentre(self._centres, self._distance)
        for record in records:
            self.group[record] = centres.join(self._entries(record))

    def common(self) -> Bags:
        """Return what may be published of the centres."""
        rows = [sorted(item for item in centre if self._publishable[item]) for centre in self._centres]
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        items = np.array([item for row in rows for item in row], np.int32)
        counts = np.array([centre[item] for centre, row in zip(self._centres, rows, strict=True) for item in row], np.int32)
        return Bags.from_rows(indptr, items, counts, self._bags.vocabulary, np.arange(len(rows), dtype=np.int64))

    def _entries(self, record: int) -> dict[int, int]:
        begin, end = self._bags.indptr[record : record + 2]
        return dict(zip(self._bags.items[begin:end].tolist(), self._counts[begin:end].tolist(), strict=True))

    def _vector(self, record: int) -> Ints:
        """Return the counts of one vocabulary by item."""
        vector = np.zeros(len(self._bags.vocabulary), np.int64)
        entries = self._entries(record)
        vector[list(entries)] = list(entries.values())
        return vector

    def _sums(self, entries: Ints) -> Ints:
        return np.bincount(self._row, weights=entries, minlength=len(self._bags)).astype(np.int64)

    def _distances(self, centre: Ints) -> Floats:
        """Return a number for every vocabulary that grows with its distance to the centre."""
        there = centre[self._bags.items]
        if self._distance == "cosine":
            product = self._sums(there * self._counts).astype(np.float64)
            return -(product**2) / self._squares  # the length of the centre is the same for all
        common = self._sums(np.minimum(there, self._counts))
        apart = self._totals + int(centre.sum()) - 2 * common
        return apart.astype(np.float64) if self._distance == "hamming" else apart / (apart + common)


class NearestCentre:
    """The centres of groups by their terms, so that a vocabulary is compared with those that have one of its terms."""

    def __init__(self, centres: list[dict[int, int]], distance: CommonTerms) -> None:
        self._centres, self._distance = centres, distance
        self._having: dict[int, set[int]] = {}
        for number, centre in enumerate(centres):
            for item in centre:
                self._having.setdefault(item, set()).add(number)

    def join(self, entries: dict[int, int]) -> int:
        """Return the nearest centre, of which only what this vocabulary has too remains."""
        related = {number for item in entries for number in self._having.get(item, ())}
        others = range(len(self._centres)) if self._distance == "hamming" else [*related, 0]  # without a common term all are equally far
        nearest = min(others, key=lambda number: (self.distance(number, entries), number))
        centre = self._centres[nearest]
        for item in list(centre):
            centre[item] = min(centre[item], entries.get(item, 0))
            if not centre[item]:
                del centre[item]
                self._having[item].discard(nearest)
        return nearest

    def distance(self, number: int, entries: dict[int, int]) -> Fraction:
        """Return the distance to a centre; for the cosine, what is left of 1 after its square."""
        centre = self._centres[number]
        if self._distance == "cosine":
            product = sum(n * entries.get(item, 0) for item, n in centre.items())
            squares = sum(n * n for n in centre.values()) * sum(n * n for n in entries.values())
            return 1 - Fraction(product * product, squares) if squares else Fraction(1)
        common = sum(min(n, entries.get(item, 0)) for item, n in centre.items())
        apart = sum(centre.values()) + sum(entries.values()) - 2 * common
        return Fraction(apart) if self._distance == "hamming" else Fraction(apart, apart + common)

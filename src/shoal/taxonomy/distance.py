"""Semantic distance: how far two terms lie apart on the taxonomy, and how far two vocabularies, matched term by term.

Liu and Wang, ICDM'10, section III. Two terms are *relevant* to one another when their distance is at most `eps`. The distance of two
vocabularies is the least total over all ways to match relevant terms one to one, with `omega` for every term left without a partner.
Which of the three exact algorithms computes it (see cpp/semantic/matching.hpp) is chosen for each pair and never changes the answer.

Everything is computed in whole units, so equal distances compare equal on every machine. A term that the taxonomy does not list is at
distance 0 from itself and related to nothing else: that two words are unknown does not make them alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints
from shoal.data.release import Measure
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.util.wording import did_you_mean

Floats = npt.NDArray[np.float64]
Way = Literal["auto", "level", "slopes", "matching"]
Variant = Literal["nil", "matched"]

MEASURES: tuple[Measure, ...] = ("path", "wu-palmer")
WAYS: tuple[Way, ...] = ("auto", "level", "slopes", "matching")
DEFAULT_EPS = {"path": 4.0, "wu-palmer": 0.4}

PATH_UNITS = 1_000_000
FIXED_POINT = 2**34
LARGEST = {"path": 100_000.0, "wu-palmer": 10.0}


@dataclass(frozen=True, eq=False)
class SemanticDistance:
    """A measure of terms with its threshold `eps` and the price `omega` of a term without a partner (None: as large as eps)."""

    taxonomy: Taxonomy
    measure: Measure = "path"
    eps: float | None = None
    omega: float | None = None

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            what = f"measure must be one of {', '.join(MEASURES)}, not {self.measure!r}"
            raise ParameterError(what, code="unknown-choice", hint=did_you_mean(self.measure, MEASURES), value=self.measure)
        for name, value in (("eps", self.threshold), ("omega", self.nil)):
            limit = LARGEST[self.measure]
            if not 0 <= value <= limit:
                raise ParameterError(f"{name} must be from 0 to {limit:,.0f}, not {value:g}", code="out-of-range", value=value, limit=limit)

    @property
    def threshold(self) -> float:
        """The threshold in force."""
        return DEFAULT_EPS[self.measure] if self.eps is None else self.eps

    @property
    def nil(self) -> float:
        """The price of a term without a partner, in force."""
        return self.threshold if self.omega is None else self.omega

    @cached_property
    def level(self) -> Ints:
        """1 for the root, one more an edge; unlisted terms hang far below everything."""
        level = self.taxonomy.depth.astype(np.int64) + 1
        unlisted = self.taxonomy.unlisted
        if unlisted is not None:
            level[self.taxonomy.parent == unlisted] = level[unlisted] + _kernels.FAR
        return level

    @cached_property
    def units(self) -> int:
        """How many whole units make a distance of one. Wu-Palmer's fractions are exact where one denominator fits them all."""
        if self.measure == "path":
            return PATH_UNITS
        deepest = int(self.level[self.level < _kernels.FAR].max())
        common = math.lcm(*range(2, 2 * deepest + 1))
        return next((common * tens for tens in (10**6, 10**4, 100, 1) if common * tens <= FIXED_POINT), FIXED_POINT)

    def kernel(self, omega: int | None = None) -> Any:
        """Return the measure as the kernels take it."""
        price = round(self.nil * self.units) if omega is None else omega
        shape = self.taxonomy.parent, self.taxonomy.end, self.level
        return _kernels.Measure(*shape, self.measure == "wu-palmer", self.units, round(self.threshold * self.units), price)

    def terms(self, left: npt.ArrayLike, right: npt.ArrayLike) -> Floats:
        """Distances of pairs of nodes; infinite where an unlisted term is compared with another."""
        pairs = np.asarray(left, np.int32), np.asarray(right, np.int32)
        found = kernels.run(_kernels.term_distances, self.kernel(), *pairs)
        return np.where(found == _kernels.UNRELATED, np.inf, found / self.units)

    def between_records(
        self,
        bags: Bags,
        left: npt.ArrayLike,
        right: npt.ArrayLike,
        *,
        others: Bags | None = None,
        way: Way = "auto",
        variant: Variant = "nil",
    ) -> Floats:
        """Distances of pairs of records: `left` of these bags, `right` of the others (by default of these too).

        The variant `matched` is the paper's first model: as many pairs as possible, and only their distances count. Two records without a
        relevant pair are then at distance 0, so it says little about unlikeness.
        """
        theirs = bags if others is None else others
        pairs = np.asarray(left, np.int64), np.asarray(right, np.int64)
        unmatched = self.beyond_any_matching(bags, theirs) if variant == "matched" else None
        arguments = self.kernel(unmatched), bags.view, theirs.view, *pairs, WAYS.index(way), kernels.threads()
        found = kernels.run(_kernels.term_set_distances, *arguments, label="matching")
        return np.asarray((found if unmatched is None else found % unmatched) / self.units)

    def nearest(self, bags: Bags, others: Bags) -> Floats:
        """For each record of these bags the distance to the nearest of the others."""
        if not len(others):
            raise ParameterError("there are no records to compare with", code="no-records")
        arguments = self.kernel(), bags.view, others.view, kernels.threads()
        return np.asarray(kernels.run(_kernels.nearest_distances, *arguments, label="matching") / self.units)

    def beyond_any_matching(self, *bags: Bags) -> int:
        """Return a nil price that no sum of matched distances reaches, so that matching one pair more always pays."""
        longest = max(int(b.lengths.max(initial=0)) for b in bags)
        farthest = 2 * int(self.level[self.level < _kernels.FAR].max()) * self.units
        return (longest + 1) * (min(farthest, round(self.threshold * self.units)) + 1)

    def kernel_of_matched_terms(self, bags: Bags) -> Any:
        """Return the measure for clusters by the paper's first model. Raise if sums of distances might not fit into 64 bits."""
        price = self.beyond_any_matching(bags)
        if 2 * price * int(bags.lengths.max(initial=0)) * len(bags) >= _kernels.UNRELATED:
            what = f"{len(bags):,} vocabularies of up to {int(bags.lengths.max()):,} terms are too many for the matching of most terms"
            raise ParameterError(what, code="too-many-occurrences", hint="leave the option matching out")
        return self.kernel(price)

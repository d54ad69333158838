"""Bins for integers, with the disclosure control that a report needs.

A bar that counts one person's record discloses something about that person. So in a histogram of originals, bins of few people are merged
with their neighbours, a merged last bin is open at the top, and bin edges come from a fixed sequence, not from the largest value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Ints, Small
from shoal.report.formatting import short

MOST_SINGLE = 40
MOST_EVEN = 30
MOST_SPREAD = 8
LADDER = (10, 15, 20, 30, 50, 70)

Seen = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Bin:
    """Values from `low` to `high`, both included; `high` is None if the bin is open at the top."""

    low: int
    high: int | None

    @property
    def label(self) -> str:
        """The values in words."""
        if self.high is None:
            return f"{self.low:,}+"
        return f"{self.low:,}" if self.high == self.low else f"{self.low:,}–{self.high:,}"

    @property
    def tick(self) -> str:
        """A short label for an axis: from a thousand on, 1k–1.5k for 1,000–1,499."""
        if self.low < 1000 or self.high == self.low:
            return self.label
        return f"{short(self.low)}+" if self.high is None else f"{short(self.low)}–{short(self.high + 1)}"


@dataclass(frozen=True)
class Histogram:
    """Counts per bin; `before` has those of the original, if both are compared."""

    bins: tuple[Bin, ...] = ()
    counts: tuple[int, ...] = ()
    before: tuple[int, ...] | None = None

    @property
    def uneven(self) -> bool:
        """Whether the bins differ in width."""
        return len({b.high - b.low for b in self.bins[:-1] if b.high is not None}) > 1

    def bin_of(self, value: int) -> int:
        """Return the index of the bin of this value, or the number of bins if it is above the last."""
        return next((i for i, b in enumerate(self.bins) if b.high is None or b.high >= value), len(self.bins))


def ladder(low: int, high: int) -> Ints:
    """Return lower edges of bins from `low` to `high`, and the end.

    A few values have a bin each; more have even steps, or increasing ones for a wide range.
    """
    if high - low < MOST_SINGLE:
        return np.arange(low, high + 2, dtype=np.int64)
    if high < MOST_SPREAD * max(1, low):
        step = _nice_step((high - low) / MOST_EVEN)
        return np.arange(low // step * step, high + step + 1, step, dtype=np.int64)
    rungs = [*range(10), *(s * 10**e for e in range(len(str(high)) + 1) for s in LADDER)]
    edges = np.array(sorted(rungs), np.int64)
    first = np.searchsorted(edges, low, side="right") - 1
    last = np.searchsorted(edges, high, side="right")
    return edges[first : last + 1]


def tally(values: Ints, cut: int | None = None) -> Histogram:
    """Count published values per bin; no bin has values on both sides of `cut`."""
    if not len(values):
        return Histogram()
    low, high = int(values.min()), int(values.max())
    edges = ladder(low, high)
    extra = [low] + ([cut] if cut is not None and low < cut <= high else [])
    edges = np.union1d(edges[edges > low], extra)
    counts = _fill(values, edges, None)
    return Histogram(tuple(_bins(edges)), tuple(counts.tolist()))


def compare(before: Ints, people: Ints, after: Ints, after_weights: Ints, fewest: int) -> Histogram:
    """Compare original values, with the user number of each, with published ones.

    Their common bins contain no or at least `fewest` people of the original.
    """
    every = np.concatenate([before, after])
    if not len(every):
        return Histogram()
    edges = ladder(int(every.min()), int(every.max()))
    seen = people_seen(np.searchsorted(edges, before, side="right") - 1, people, len(edges) - 1)
    counts = _fill(after, edges, after_weights), _fill(before, edges, None)
    return joined(_bins(edges), counts, seen, fewest)


def compare_shared(before: Ints, held: tuple[Ints, Ints | Small, Ints], after: Ints, fewest: int) -> Histogram:
    """Compare original values that several people share with published ones.

    `held` has the value of each thing, and for everyone who has a thing its number and that of the user. The common bins contain no or at
    least `fewest` people of the original.
    """
    every = np.concatenate([before, after])
    if not len(every):
        return Histogram()
    edges = ladder(int(every.min()), int(every.max()))
    values, things, people = held
    n_bins, n_people = len(edges) - 1, int(people.max(initial=-1)) + 1
    bin_of = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, n_bins - 1).astype(np.uint8)  # only what nobody has is outside
    has = kernels.run(_kernels.owner_classes, things.astype(np.int32, copy=False), people, bin_of, n_bins, n_people)
    seen = has.view(bool).reshape(n_people, n_bins).T
    return joined(_bins(edges), (_fill(after, edges, None), _fill(before, edges, None)), seen, fewest)


def people_seen(bin_of: Ints, people: Ints, n_bins: int) -> Seen:
    """Return which people, numbered from 0, are in which bin."""
    seen = np.zeros((n_bins, int(people.max(initial=-1)) + 1), bool)
    seen[bin_of, people] = True
    return seen


def joined(bins: Sequence[Bin], counts: tuple[Ints, Ints], seen: Seen, fewest: int) -> Histogram:
    """Merge bins with their counts (after, before) until each contains no or at least `fewest` people."""
    spans = _spans(seen, fewest)
    merged = [Bin(bins[a].low, bins[b].high) for a, b in spans]
    if spans and spans[-1][0] < spans[-1][1]:
        merged[-1] = Bin(merged[-1].low, None)
    after, before = ([int(c[a : b + 1].sum()) for a, b in spans] for c in counts)
    return Histogram(tuple(merged), tuple(after), tuple(before))


def _spans(seen: Seen, fewest: int) -> list[tuple[int, int]]:
    """Return the first and last bin of each merged bin, in increasing order."""
    spans: list[tuple[int, int]] = []
    top, here = len(seen) - 1, np.zeros(seen.shape[1], bool)
    for i in range(len(seen) - 1, -1, -1):
        here = here | seen[i]
        heads = int(here.sum())
        if heads == 0 or heads >= fewest:
            spans.append((i, top))
            top, here = i - 1, np.zeros_like(here)
    if top >= 0:  # too few remain at the bottom: they join the first bin above that has people
        while spans:
            a, top = spans.pop()
            if seen[a : top + 1].any():
                break
        spans.append((0, top))
    return spans[::-1]


def _bins(edges: Ints) -> list[Bin]:
    return [Bin(int(a), int(b) - 1) for a, b in pairwise(edges)]


def _fill(values: Ints, edges: Ints, weights: npt.ArrayLike | None) -> Ints:
    at = np.searchsorted(edges, values, side="right") - 1
    # Sums of float weights are exact up to 2**53, far beyond any log.
    return np.bincount(at, weights=weights, minlength=len(edges) - 1).astype(np.int64)


def _nice_step(least: float) -> int:
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= least:
                return factor * power
        power *= 10

"""Records within a distance of each other, recounted pair by pair: in blocks of any size, and rows of which no copy is published."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.release import Release, Secret
from shoal.privacy import KDeltaAnonymity, k_delta
from shoal.taxonomy.place_terms import as_typed

DELTAS = ["0", "0.2", "0.25", "0.333333", "0.4", "0.5", "0.666667", "0.75", "0.9"]


def distance(one: set[str], other: set[str]) -> Fraction:
    return Fraction(len(one ^ other), len(one | other)) if one | other else Fraction(0)


@pytest.mark.parametrize(("meetings", "pairs"), [(1, 1), (3, 2), (10_000_000, 100_000)])
def test_records_near_each_other_in_blocks(meetings: int, pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(k_delta, "MEETINGS_AT_ONCE", meetings)
    monkeypatch.setattr(k_delta, "PAIRS_AT_ONCE", pairs)
    rng = random.Random(meetings)
    for at in range(27):
        written = DELTAS[at % len(DELTAS)]
        sorts = [tuple(rng.sample("abcdefg", rng.randint(0, 6))) for _ in range(rng.randint(1, 7))]
        copies = [rng.choice([0, 1, 1, 2]) for _ in sorts]
        shown = [sort for sort, n in zip(sorts, copies, strict=True) for _ in range(n)]
        if not shown:
            continue
        near = {frozenset(one): sum(distance(set(one), set(other)) <= Fraction(written) for other in shown) for one in shown}
        release = Release.of_bags(Bags.from_lists([list(sort) for sort in sorts]), np.array(copies, np.int64))
        for k in (2, 3):
            verdict = KDeltaAnonymity(k=k, delta=float(written)).check(release)
            assert verdict.achieved == {"records": min(near.values())}
            assert verdict.holds == all(n >= k for n in near.values())
            short = sum(n < k for n in near.values())
            assert (f"{short} different record" in " ".join(verdict.witnesses)) == (short > 0)


def test_nothing_is_published() -> None:
    original = as_typed(Bags.from_lists([["a"], ["a"]]))
    nothing = Bags.from_lists([["a"]])
    for published, copies in ((nothing, [0]), (nothing.select(np.zeros(0, np.int64)), [])):
        release = Release.of_bags(published, np.array(copies, np.int64), secret=Secret(np.array([-1, -1])))
        alone, beside = (KDeltaAnonymity(k=2).check(release, one) for one in (None, original))
        assert (alone.achieved, alone.holds) == ({"records": 0}, True)
        assert (beside.achieved, beside.holds) == ({"records": 0, "people": 0}, True)


@pytest.mark.parametrize("delta", [0.0000008, 0.5000008, 0.1234567])
def test_distances_with_seven_decimals(delta: float) -> None:
    with refuses("too-many-decimals"):
        KDeltaAnonymity(delta=delta)

"""What is left when no further group can be formed: one group, or, where people own several records, groups of different people."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.errors import Infeasible
from shoal.methods.cahd import with_left_over


def completed(formed: list[int], held: list[list[str]], owners: list[int], p: int) -> list[int]:
    return with_left_over(np.array(formed), Bags.from_lists(held, owners), p).tolist()  # type: ignore[no-any-return]


def test_what_one_record_a_person_leaves_is_one_group() -> None:
    assert completed([0, 0, -1, -1], [["s"], [], ["s"], []], [0, 1, 2, 3], 2) == [0, 0, 1, 1]
    assert completed([0, 0], [["s"], []], [0, 1], 2) == [0, 0]


def test_a_sensitive_record_joins_a_group_without_its_item_and_its_owner() -> None:
    """Record 4 holds t, which group 0 lacks: one in five is at most one in four. Record 5 is left over, with nobody to protect."""
    assert completed([0, 0, 0, 0, -1, -1], [["s"], [], [], [], ["t"], []], [0, 1, 2, 3, 4, 4], 4) == [0, 0, 0, 0, 0, 1]


def test_it_does_not_join_where_its_owner_is_and_is_grouped_with_one_record_of_each_other_person() -> None:
    groups = completed([0, 0, -1, -1, -1, -1], [["s"], [], ["t"], [], [], []], [0, 1, 0, 2, 3, 3], 2)
    assert groups[2] != groups[0]
    assert groups[2] == groups[3] == groups[4] != groups[5]


def test_what_cannot_be_is_refused_with_counts_alone() -> None:
    with refuses("groups-not-possible"):
        completed([0, 0, -1, -1], [["s"], [], ["s"], ["s"]], [0, 1, 0, 0], 2)


@pytest.mark.parametrize("seed", range(60))
def test_every_answer_has_its_degree_and_different_people(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(6, 30)), int(rng.integers(2, 4))
    owners = rng.integers(0, max(2, n // 2), n).tolist()
    held = [[f"s{x}" for x in set(rng.integers(0, 3, 1).tolist())] if rng.random() < 0.25 else [] for _ in range(n)]
    formed = [-1] * n
    try:
        groups = completed(formed, held, owners, p)
    except Infeasible:
        return
    assert min(groups) >= 0
    sizes, counts = Counter(groups), Counter((group, item) for group, items in zip(groups, held, strict=True) for item in items)
    for (group, _), count in counts.items():
        assert count * p <= sizes[group]
        people = [owner for owner, other in zip(owners, groups, strict=True) if other == group]
        assert len(people) == len(set(people))

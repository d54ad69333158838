"""The strength of a file against a recount in plain Python: how far each budget reaches, and what follows for a k."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from shoal.data import patience
from shoal.data.bags import Bags
from shoal.data.release import Release
from shoal.privacy.evidence.file_strength import RAREST, HolderLevel, Strength, strength_of

Records = list[frozenset[str]]


def _least(records: Records, owners: list[int], size: int, item: str = "") -> int | None:
    """The fewest people with a set of this size that contains the item, if there is one."""
    sets = {some for record in records for some in combinations(sorted(record), size) if not item or item in some}
    return min((len({o for o, record in zip(owners, records, strict=True) if record.issuperset(some)}) for some in sets), default=None)


def _levels(records: Records, owners: list[int], budget: int) -> list[tuple[int, int, bool]]:
    """The levels as documented: sets with one of the rarest items first, then all sets, each as far as the budget reaches."""
    whole = min(len({o for o, other in zip(owners, records, strict=True) if other == record}) for record in records)
    occurring = Counter(item for record in records for item in record)
    names = Bags.from_lists(map(sorted, records)).vocabulary.names.to_list()
    rarest = sorted(occurring, key=lambda item: (occurring[item], names.index(item)))[:RAREST]
    fewest, found = len(set(owners)), []
    for m in range(1, max(map(len, records)) + 1):
        for item in rarest:
            sets = sum(1 for record in records if item in record for _ in combinations(record - {item}, m - 1))
            if sets <= budget:
                budget -= sets
                least = _least(records, owners, m, item)
                fewest = fewest if least is None else min(fewest, least)
        every, exact = sum(1 for record in records for _ in combinations(record, m)), True
        if fewest > whole and every <= budget:
            budget, fewest = budget - every, min(fewest, _least(records, owners, m) or fewest)
        elif fewest > whole:
            exact = False
        found.append((m, fewest, exact))
        if fewest <= whole or not exact:
            break
    return found


def _found(records: Records, owners: list[int] | None, budget: int) -> Strength:
    bags = Bags.from_lists([sorted(record) for record in records], owners or range(len(records)))
    return strength_of(Release.from_records(bags, owned=owners is not None), 3, budget=budget)


@pytest.mark.parametrize("owned", [False, True])
@pytest.mark.parametrize("letters", ["abcd", "abcdefghijk"])
def test_levels_within_a_budget(letters: str, owned: bool) -> None:
    rng = random.Random(len(letters) + owned)
    seen = Counter[tuple[int, bool]]()
    for _ in range(120):
        kinds = [frozenset(rng.sample(letters, rng.randint(1, 4))) for _ in range(rng.randint(1, 8))]
        records = [kind for kind in kinds for _ in range(rng.choice([1, 2, 3, 4]))]
        owners = [rng.randrange(9) for _ in records] if owned else None
        people = owners or list(range(len(records)))
        budget = rng.choice([0, rng.randint(0, 20), rng.randint(0, 120), rng.randint(0, 600), 10**6])
        found = _found(records, owners, budget)
        expected = _levels(records, people, budget)
        assert [(level.m, level.k, level.exact) for level in found.levels] == expected, (records, owners, budget)
        assert found.every_m_counted == expected[-1][2] and not found.people
        seen[len(expected), expected[-1][2]] += 1
    assert len(seen) >= 4


def _records(**often: int) -> Records:
    return [frozenset(kind) for kind, n in often.items() for _ in range(n)]


def test_budgets_at_their_limit() -> None:
    """12 occurrences in 9 records; the rarest items have all of them, so they take a budget of 12, and all items again 12."""
    records = _records(ab=3, a=3, b=3)
    whole = 3
    for budget, level in ((0, (1, 9, False)), (5, (1, 9, False)), (6, (1, 6, False)), (12, (1, 6, False)), (23, (1, 6, False))):
        assert [(one.m, one.k, one.exact) for one in _found(records, None, budget).levels] == [level], budget
    assert _found(records, None, 24).levels == (HolderLevel(1, 6), HolderLevel(2, 6, exact=False))
    assert _found(records, None, 27).levels == (HolderLevel(1, 6), HolderLevel(2, whole))
    with patience.allowing(2.0):
        assert _found(records, None, 12).levels == (HolderLevel(1, 6), HolderLevel(2, 6, exact=False))
    with patience.allowing(0.5):
        assert _found(records, None, 54).levels == (HolderLevel(1, 6), HolderLevel(2, whole))


def test_a_rare_record_that_nothing_extends() -> None:
    """Single items have at least 5 people, and pairs 6."""
    found = _found(_records(a=5, bcd=3, bce=3, bde=3, cde=3), None, 10**6)
    assert [level.k for level in found.levels] == [5, 5, 3]


def test_a_rare_pair_of_frequent_items() -> None:
    """The eight rarest items are always together; only the count of all pairs finds x with y."""
    found = _found(_records(abcdefgh=4, x=4, y=4, xy=2), None, 10**6)
    assert [level.k for level in found.levels] == [4, 2]


def test_empty_records_have_no_level() -> None:
    found = strength_of(Release.from_records(Bags.from_lists([[], [], []])), 2)
    assert (found.levels, found.whole_record, found.every_m, found.every_m_counted) == ((), 3, True, True)


def _strength(*levels: HolderLevel, whole: int = 1, counted: bool = False, k: int = 3) -> Strength:
    return Strength(k, False, levels, whole, counted)


def test_what_levels_mean_for_a_k() -> None:
    one, two, bound = HolderLevel(1, 5), HolderLevel(2, 3), HolderLevel(3, 2, exact=False)
    high = HolderLevel(3, 3, exact=False)
    cases = {
        _strength(one, two, bound): (2, True, False),
        _strength(one, two, high): (2, False, False),
        _strength(one, two): (2, False, False),
        _strength(one, two, counted=True): (2, True, True),
        _strength(one, two, HolderLevel(3, 2), counted=True): (2, True, False),
        _strength(HolderLevel(1, 2, exact=False)): (0, True, False),
        _strength(HolderLevel(1, 3, exact=False)): (0, False, False),
        _strength(one, two, high, whole=3): (2, False, True),
        _strength(one, HolderLevel(2, 2, exact=False), HolderLevel(4, 2, exact=False)): (1, True, False),
        _strength(one, HolderLevel(3, 2, exact=False)): (1, False, False),
    }
    for found, (largest, exact, every) in cases.items():
        assert (found.largest_m, found.largest_m_exact, found.every_m) == (largest, exact, every), found
        told = found.as_dict()
        assert (told["largest_m"], told["largest_m_exact"], told["every_m"]) == (None if every else largest, exact or every, every)

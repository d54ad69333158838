"""People who own several records: groups count people, whatever their numbers and the order of records."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import numbered, published, tree
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.methods.clump import Clump
from shoal.methods.partition import Partition
from shoal.methods.shoal import Shoal

LETTERS = tree([-1, 0, 1, 1, 0, 4, 4])
LEAVES = [2, 3, 5, 6]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_release_that_exists_is_found(data: st.DataObject) -> None:
    """Four people, one of whom owns nearly everything: all in one group is always a way."""
    n = data.draw(st.integers(4, 12))
    records = data.draw(st.lists(st.lists(st.sampled_from(LEAVES), min_size=1, max_size=3), min_size=n, max_size=n))
    bags = numbered(LETTERS, records, [0] * (n - 3) + [1, 2, 3])
    for k in (2, 3, 4):
        for method in (Clump(k=k), Shoal(k=k)):
            release = method.apply(Original.on(bags, LETTERS))
            assert release.claims[0].check(release).holds
            assert release.n_records == n


@settings(deadline=None, max_examples=60)
@given(st.data())
@pytest.mark.parametrize("method", [Shoal(k=2), Clump(k=2), Partition(k=2), Clump(k=2, order="random")], ids=str)
def test_the_order_of_records_and_the_numbers_of_owners_do_not_matter(method: Clump | Partition, data) -> None:
    n = data.draw(st.integers(4, 10))
    records = data.draw(st.lists(st.lists(st.sampled_from(LEAVES), min_size=1, max_size=2), min_size=n, max_size=n))
    owners = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(lambda o: len(set(o)) > 1))
    shuffle = data.draw(st.permutations(range(n)))
    renumbered = data.draw(st.permutations(range(5)))
    one = method.apply(Original.on(numbered(LETTERS, records, owners), LETTERS))
    shuffled = numbered(LETTERS, [records[i] for i in shuffle], [renumbered[owners[i]] for i in shuffle])
    assert published(method.apply(Original.on(shuffled, LETTERS))) == published(one)


def test_owners_alike_in_everything_are_interchangeable() -> None:
    """Owners with the same records: which record of which of them comes first must not decide the groups."""
    contents = [[2, 3], [2, 3], [5], [5], [6, 6], [2, 6], [2, 6], [3]]
    owners = [0, 1, 0, 1, 2, 0, 1, 3]
    found = set()
    rng = np.random.default_rng(0)
    for _ in range(60):
        p = rng.permutation(len(contents))
        bags = numbered(LETTERS, [contents[i] for i in p], [owners[i] for i in p])
        for method in (Shoal(k=2), Clump(k=3), Clump(k=2, r=1), Partition(k=2)):
            found.add((str(method), frozenset(published(method.apply(Original.on(bags, LETTERS))).items())))
    assert len(found) == 4


@pytest.mark.parametrize("method", [Shoal(k=5), Clump(k=5), Partition(k=5)], ids=lambda method: method.name)
@pytest.mark.timing
def test_one_person_with_most_of_a_log_does_not_stall_a_method(method: Clump | Partition) -> None:
    """The time must grow with the records, not with their square."""

    def seconds(n: int) -> float:
        rng = np.random.default_rng(0)
        items = rng.choice(np.array(LEAVES, np.int32), 3 * n)
        owners = np.where(rng.random(n) < 0.6, 0, np.arange(n))
        bags = Bags.from_rows(np.arange(n + 1) * 3, items, np.ones(3 * n, np.int32), LETTERS.names, owners)
        started = time.perf_counter()
        release = method.apply(Original.on(bags, LETTERS))
        assert release.claims[0].check(release).holds
        return time.perf_counter() - started

    small, large = min(seconds(4_000) for _ in range(3)), min(seconds(40_000) for _ in range(3))
    assert large < 40 * small + 0.5

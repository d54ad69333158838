"""What the grouping methods share: withholding, accounting, and what is said where there is no way."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import food, numbered, numbers_of, on, tree, trees
from helpers.errors import refuses
from shoal import _kernels
from shoal.data.original import Original, shared_occurrences
from shoal.methods.bases.grouping import generalized_or_kept, run_grouping
from shoal.methods.bases.release_builder import account
from shoal.methods.clump import Clump
from shoal.methods.partition import Partition

SOME = settings(deadline=None, max_examples=80)


@SOME
@given(trees(7), st.data())
def test_shared_occurrences(parent: tuple[int, ...], data: st.DataObject) -> None:
    bag = st.lists(st.integers(0, len(parent) - 1), max_size=5)
    records = data.draw(st.lists(bag, max_size=5))
    shown = data.draw(st.lists(bag, max_size=4))
    row = st.integers(-1, len(shown) - 1)
    rows = data.draw(st.lists(row, min_size=len(records), max_size=len(records)))
    taxonomy = tree(parent)
    found = shared_occurrences(numbered(taxonomy, records), numbered(taxonomy, shown), np.array(rows, np.int64))
    pairs = [(records[i], shown[r]) for i, r in enumerate(rows) if r >= 0]
    kept = sum((Counter(a) & Counter(b)).total() for a, b in pairs)
    assert found == kept


def test_the_account_of_a_small_release() -> None:
    taxonomy = food()
    bags = on(taxonomy, [["Apple", "Beef"], ["Orange", "Beef", "Milk"], []])
    published = on(taxonomy, [["Fruit", "Beef"]])
    groups = np.array([0, 0])
    told = generalized_or_kept(bags.select([0, 1]), published, groups)
    found = account(bags, np.array([0, 0, -1]), told)
    assert found.as_dict() == {
        "records": {"in": 3, "published": 2, "withheld: empty": 1},
        "occurrences": {"in": 5, "kept": 2, "generalized": 2, "suppressed": 1},
    }


@pytest.mark.parametrize("method", [Clump(k=3), Partition(k=3)], ids=lambda method: method.name)
def test_people_are_what_counts(method: Clump | Partition) -> None:
    taxonomy = food()
    records = [["Apple"], ["Beef"], ["Milk"], ["Milk"]]
    with refuses("too-few-people", value=2, limit=3) as caught:
        method.apply(Original.on(on(taxonomy, records, owners=[1, 1, 2, 2]), taxonomy))
    assert caught.value.facts == {"value": 2, "limit": 3}
    with refuses("too-few-people", value=2, limit=3):  # the third one's record is empty
        method.apply(Original.on(on(taxonomy, [["Apple"], ["Milk"], []]), taxonomy))


@pytest.mark.parametrize("method", [Clump(k=2), Partition(k=2)], ids=lambda method: method.name)
def test_records_with_the_largest_counts(method: Clump | Partition) -> None:
    """Counts near the limit of 32 bits are neither wrapped nor lost."""
    taxonomy = food()
    bags = on(taxonomy, [["Apple", "Beef"]] * 3)
    heavy = type(bags).from_rows(bags.indptr, bags.items, np.full(6, 2**30 - 1), bags.vocabulary)
    release = method.apply(Original.on(heavy, taxonomy))
    assert release.accounting is not None
    assert release.accounting.occurrences.total == 6 * (2**30 - 1)
    if method.name == "clump":
        assert release.published.counts.tolist() == [2**30 - 1] * 2


def test_a_tree_that_tells_nothing_still_groups() -> None:
    """A chain with a single leaf: no node is worth more than another."""
    taxonomy = tree([-1, 0, 1])
    bags = numbered(taxonomy, [[2], [1], [0], [2, 2], [2]])
    release = Clump(k=2).apply(Original.on(bags, taxonomy))
    assert release.n_records == 5
    assert release.claims[0].check(release).holds
    assert all(len(record) <= 2 for record in numbers_of(release.published))


def test_only_a_lack_of_people_is_told_as_infeasible() -> None:
    """A kernel that is given arrays of wrong shapes shows a bug: it must not read as if the data had too few people."""
    taxonomy = food()
    bags = on(taxonomy, [["Apple"], ["Beef"]])
    order, weights, options = np.arange(2), np.zeros(len(taxonomy), np.int64), _kernels.ClumpOptions(r=1, total=False)

    def clump(owners: list[int], k: int) -> object:
        records = _kernels.Scored(bags.view, bags.lengths, np.array(owners), weights, 1, k, True)
        return run_grouping(_kernels.clump, records, order, options, k=k, label="")

    assert clump([0, 1], 2).tolist() == [0, 0]  # type: ignore[attr-defined]
    with refuses("groups-not-possible"):
        clump([7, 7], 2)
    with pytest.raises(ValueError, match="one length and owner per record"):
        clump([0, 1, 2], 2)
    with pytest.raises(ValueError, match="one or more"):
        clump([0, 1], 0)

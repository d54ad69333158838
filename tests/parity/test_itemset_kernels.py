"""The itemset kernels against their plain twins."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.itemsets import bags_of, breach, brute_greedy, brute_moles, databases, is_mole, least_loss, powers
from shoal import _kernels, kernels
from shoal.itemsets.hitting_set import exact_hitting, greedy, improved
from shoal.itemsets.itemset_support import PRIVATE, PUBLIC, Power, minimal_moles, supports
from shoal.util.numbers import exact


def parts_array(parts):
    return np.array(parts, np.uint8)


@settings(deadline=None, max_examples=300)
@given(databases(), powers, st.booleans(), st.integers(1, 2))
def test_minimal_moles(database, power, achieved, threads):
    rows, owners, parts = database
    with kernels.using(threads=threads):
        found = minimal_moles(bags_of(rows, len(parts), owners), parts_array(parts), power, achieved=achieved)
    expected = brute_moles(rows, owners, parts, power)
    assert sorted(found.sets()) == sorted(expected)
    assert (np.diff(found.sizes) >= 0).all()
    for i, mole in enumerate(found.sets()):
        assert found.people[i] == len({o for row, o in zip(rows, owners, strict=True) if row >= set(mole)})
        if found.hidden[i] >= 0:
            private = [j for j, part in enumerate(parts) if part == PRIVATE]
            assert Fraction(int(found.holders[i]), int(found.cohort[i])) == breach(rows, owners, mole, private)


@settings(deadline=None, max_examples=150)
@given(databases(), powers)
def test_what_a_coherent_database_achieves(database, power):
    rows, owners, parts = database
    public = [i for i, part in enumerate(parts) if part == PUBLIC]
    private = [i for i, part in enumerate(parts) if part == PRIVATE]
    gone = set()
    for mole in brute_moles(rows, owners, parts, power):
        gone |= set(mole) or set(public)
    rows = [row - gone for row in rows]
    found = minimal_moles(bags_of(rows, len(parts), owners), parts_array(parts), power, achieved=True)
    if len(found):
        return
    known = [s for n in range(power.p + 1) for s in combinations(public, n) if any(row >= set(s) for row in rows)]
    people = [len({o for row, o in zip(rows, owners, strict=True) if row >= set(s)}) for s in known]
    assert found.fewest == min(people, default=-1)
    assert found.greatest == pytest.approx(float(max((breach(rows, owners, s, private) for s in known), default=0)))
    assert found.counted == len(known)


@settings(deadline=None, max_examples=100)
@given(databases(most_items=7), st.data())
def test_supports(database, data):
    rows, owners, parts = database
    public = [i for i, part in enumerate(parts) if part == PUBLIC]
    private = [i for i, part in enumerate(parts) if part == PRIVATE]
    subsets = [s for n in range(len(public) + 1) for s in combinations(public, n)]
    asked = data.draw(st.lists(st.sampled_from(subsets), max_size=12))
    power = data.draw(powers)
    counted = supports(bags_of(rows, len(parts), owners), parts_array(parts), asked)
    for i, known in enumerate(asked):
        cohort = [o for row, o in zip(rows, owners, strict=True) if row >= set(known)]
        assert (counted.records[i], counted.people[i]) == (len(cohort), len(set(cohort)))
        if cohort:
            assert Fraction(int(counted.holders[i]), int(counted.cohort[i])) == breach(rows, owners, known, private)
    assert counted.moles(power).tolist() == [is_mole(rows, owners, known, private, power) for known in asked]


@pytest.mark.parametrize(
    ("items", "density", "rate", "k"),
    [(40, 0.5, 0.15, 40), (300, 0.03, 0.15, 4), (12, 0.97, 0.15, 700), (35, 0.5, 0.004, 30)],
)
def test_many_records_on_bitsets_and_on_lists(items: int, density: float, rate: float, k: int):
    """Long columns, where words, projections and buckets all come into play; the twin counts with numpy."""
    rng = np.random.default_rng(items)
    table = rng.random((1500, items)) < density * rng.uniform(0.3, 1.7, items)
    parts = np.full(items, PUBLIC, np.uint8)
    parts[: items - 3 : 5] = PRIVATE
    for e in np.flatnonzero(parts == PRIVATE):
        telling = table[:, e + 1] & table[:, e + 2] & (density < 0.9)
        table[:, e] = rng.random(len(table)) < np.where(telling, 0.8, rate)
    power = Power(h=0.6, k=k, p=4 if items < 100 else 3)
    found = minimal_moles(bags_of([np.flatnonzero(row).tolist() for row in table], items), parts, power)
    assert sorted(found.sets()) == _levelwise(table, parts, power)
    assert len(found) > 10
    assert (found.hidden >= 0).any() or density > 0.9
    with kernels.using(threads=1):
        again = minimal_moles(bags_of([np.flatnonzero(row).tolist() for row in table], items), parts, power)
    assert again.sets() == found.sets()


def _levelwise(table, parts, power):
    """Figure 4 of the paper, with sets of no record left out."""
    public, private = np.flatnonzero(parts == PUBLIC), table[:, parts == PRIVATE]
    moles, level = [], {(): np.ones(len(table), bool)}
    for _ in range(power.p):
        following = {}
        for known, cohort in level.items():
            for item in public[public > (known[-1] if known else -1)]:
                grown = (*known, int(item))
                if any(s not in level for s in combinations(grown, len(known))):
                    continue
                both = cohort & table[:, item]
                n = int(both.sum())
                if n == 0:
                    continue
                over = Fraction(int(private[both].sum(0).max(initial=0)), n) > power.share
                if n < power.k or over:
                    moles.append(grown)
                else:
                    following[grown] = both
        level = following
    return sorted(moles)


moles_and_losses = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.sets(st.sets(st.integers(0, n - 1), min_size=1, max_size=4).map(lambda s: tuple(sorted(s))), max_size=12).map(sorted),
        st.lists(st.integers(1, 9), min_size=n, max_size=n),
    )
)


def _as_moles(sets):
    from shoal.itemsets.itemset_support import Moles

    start = np.cumsum([0, *(len(s) for s in sets)]).astype(np.int64)
    items = np.array([i for s in sets for i in s], np.int32)
    zeros = np.zeros(len(sets), np.int32)
    return Moles(start, items, zeros, zeros, zeros, zeros, 0, 0.0, 0)


@settings(deadline=None, max_examples=200)
@given(moles_and_losses, st.sampled_from(["mm/il", "mm", "1/il"]))
def test_greedy_elimination(case, score):
    sets, loss = case
    chosen = greedy(_as_moles(sets), np.array(loss, np.int64), score)
    assert list(zip(chosen.items.tolist(), chosen.removed.tolist(), strict=True)) == brute_greedy(sets, loss, score)


@settings(deadline=None, max_examples=300)
@given(moles_and_losses)
def test_after_exchanges_every_mole_is_hit_and_no_item_can_be_spared(case):
    sets, loss = case
    found = improved(_as_moles(sets), np.array(loss, np.int64))
    chosen = set(found.items.tolist())
    assert all(chosen & set(mole) for mole in sets)
    for item in chosen:
        assert any(not (chosen - {item}) & set(mole) for mole in sets), "this one could be put back"
    assert found.loss == sum(loss[item] for item in chosen)
    assert least_loss(sets, loss) <= found.loss
    assert found.loss <= min(sum(loss[item] for item, _ in brute_greedy(sets, loss, score)) for score in ("mm/il", "mm", "1/il"))
    assert int(found.removed.sum()) == len(sets)


def test_exchanges_begin_with_items_that_hit_every_mole():
    mole = np.array([0, 2], np.int64), np.array([0, 1], np.int32)
    with pytest.raises(ValueError, match="items that hit every set"):
        kernels.run(_kernels.improve_hitting, *mole, np.ones(3, np.int64), np.array([2], np.int64))


@settings(deadline=None, max_examples=60)
@given(moles_and_losses)
def test_the_exact_search_finds_the_least_loss_and_proves_it(case):
    sets, loss = case
    weights = np.array(loss, np.int64)
    found = exact_hitting(_as_moles(sets), weights, seconds=10)
    assert found.loss == least_loss(sets, loss) == found.bound
    assert found.gap == 0
    assert all(set(s) & set(found.items.tolist()) for s in sets)
    assert sum(found.removed) == len(sets)
    assert greedy(_as_moles(sets), weights).loss >= found.loss


def test_a_share_is_compared_as_it_is_written():
    """0.29 * 100 is 28.999... in binary; 29 of 100 is not more than 0.29 all the same."""
    rows = [{0, 1}] * 29 + [{0}] * 71
    parts = np.array([PUBLIC, PRIVATE], np.uint8)
    assert len(minimal_moles(bags_of(rows, 2), parts, Power(h=0.29, k=2, p=1))) == 0
    assert minimal_moles(bags_of(rows, 2), parts, Power(h=0.28, k=2, p=1)).sets() == [()]
    assert exact(1e-300) == 0
    assert exact(1 / 3) < Fraction(1, 3)


def test_kernels_refuse_what_would_make_them_read_beyond_their_arrays():
    one = np.array([0, 1], np.int64), np.array([5], np.int32), np.array([1], np.int32)
    nobody = np.zeros(0, np.int64)
    question = _kernels.MoleQuestion(k=2, h_numerator=1, h_denominator=2, p=2, achieved=False)
    with pytest.raises(ValueError, match="ids below"):
        kernels.run(_kernels.minimal_moles, _kernels.Rows(*one), np.ones(3, np.uint8), nobody, question, 1)
    with pytest.raises(ValueError, match="sorted by owner"):
        rows = np.array([0, 0, 0], np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32)
        kernels.run(_kernels.minimal_moles, _kernels.Rows(*rows), np.ones(3, np.uint8), np.array([2, 1], np.int64), question, 1)
    with pytest.raises(ValueError, match="values below"):
        kernels.run(_kernels.eliminate_moles, np.array([0, 1], np.int64), np.array([9], np.int32), np.ones(2, np.int64), "mm")

"""k-delta: distances by plain sets, the least cost by trying everything, likeness by a plain search, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import food, on
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.itemsets.similar_groups import like_groups
from shoal.itemsets.within_distance import Mask, by_holders, closed
from shoal.methods.bases.grouping import content_order
from shoal.methods.k_delta import KDelta
from shoal.taxonomy.place_terms import as_typed

DELTAS = st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(4, 5)])
PRICES = st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(3)])


def distance(one: frozenset[int], other: frozenset[int]) -> Fraction:
    union = one | other
    return Fraction(len(one ^ other), len(union)) if union else Fraction(0)


def rows(matrix: Mask) -> list[frozenset[int]]:
    return [frozenset(np.flatnonzero(row).tolist()) for row in matrix]


def cost(held: Mask, shown: Mask, price: Fraction) -> Fraction:
    return int((held & ~shown).sum()) + price * int((shown & ~held).sum())


@st.composite
def matrices(draw: st.DrawFn, members: int, items: int) -> Mask:
    cells = draw(st.lists(st.booleans(), min_size=members * items, max_size=members * items))
    held = np.array(cells).reshape(members, items)
    held = held[:, held.any(axis=0)]
    return held[:, by_holders(held)]


@settings(max_examples=100)
@given(st.integers(2, 6).flatmap(lambda n: matrices(n, 6)), DELTAS, PRICES, st.integers(2, 4), st.booleans())
def test_every_member_is_within_delta_of_as_many_others_as_are_needed(
    held: Mask, delta: Fraction, price: Fraction, k: int, every: bool
) -> None:
    k = min(k, len(held))
    shown = rows(closed(held.copy(), k, delta, price, all_pairs=every))
    needed = len(shown) if every else k
    for one in shown:
        assert sum(distance(one, other) <= delta for other in shown) >= needed


@settings(max_examples=60)
@given(matrices(3, 4), PRICES)
def test_at_distance_0_nothing_costs_less(held: Mask, price: Fraction) -> None:
    """All members publish the same set: every set of items is tried."""
    found = closed(held.copy(), 3, Fraction(0), price, all_pairs=False)
    choices = product([False, True], repeat=held.shape[1])
    least = min(cost(held, np.tile(np.array(choice, bool), (3, 1)), price) for choice in choices)
    assert cost(held, found, price) == least


@settings(max_examples=25)
@given(matrices(2, 4), DELTAS, PRICES)
def test_two_members_cost_no_less_than_the_least_and_no_more_than_alike_ones(held: Mask, delta: Fraction, price: Fraction) -> None:
    cells = held.size
    every = (np.array(bits, bool).reshape(held.shape) for bits in product([False, True], repeat=cells))
    least = min(cost(held, shown, price) for shown in every if distance(*rows(shown)) <= delta)
    found = cost(held, closed(held.copy(), 2, delta, price, all_pairs=False), price)
    alike = cost(held, closed(held.copy(), 2, Fraction(0), price, all_pairs=False), price)
    assert least <= found <= alike


def test_words_that_all_but_one_hold_are_added_and_those_of_one_left_out() -> None:
    """Four people hold 0 and 1, but one of them 0 alone; another holds 2 too. At a price below 3 all publish 0 and 1."""
    held = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1], [1, 0, 0]], bool)
    assert closed(held, 4, Fraction(0), Fraction(2), all_pairs=False).tolist() == [[True, True, False]] * 4
    assert closed(held, 4, Fraction(0), Fraction(4), all_pairs=False).tolist() == [[True, False, False]] * 4
    # One third apart at most: 2 may stay, as {0, 1} and {0, 1, 2} differ in one of three.
    third = closed(held, 4, Fraction(1, 3), Fraction(2), all_pairs=False)
    assert third.tolist() == [[True, True, False], [True, True, False], [True, True, True], [True, True, False]]


def test_a_record_takes_those_most_like_it_of_other_people() -> None:
    bags = Bags.from_lists([list("abcd"), list("abc"), list("abcd"), list("xy"), list("x"), list("zy")], owners=[0, 1, 0, 2, 3, 1])
    groups = like_groups(bags, np.arange(6), 2)
    # The first takes `abc`, as `abcd` is its own person's; that takes the next of all others, equals in their order; then `x` and `zy`.
    assert [sorted(group.tolist()) for group in groups] == [[0, 1], [2, 3], [4, 5]]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sets(st.integers(0, 6), min_size=1, max_size=4), st.integers(0, 5)), min_size=2, max_size=14), st.integers(2, 3)
)
def test_groups_are_those_of_a_plain_search(people: list[tuple[set[int], int]], k: int) -> None:
    owners = [owner for _, owner in people]
    bags = Bags.from_lists([[f"i{item}" for item in sorted(items)] for items, _ in people], owners=owners)
    if bags.n_owners < k:
        return
    order = content_order(bags)
    sets = {int(place): frozenset(people[int(place)][0]) for place in order}
    left, groups = [int(place) for place in order], []
    while len({owners[place] for place in left}) >= k:
        first, group = left[0], [left[0]]
        for place in sorted(left[1:], key=lambda place: (distance(sets[first], sets[place]), left.index(place))):
            if len(group) < k and owners[place] not in {owners[member] for member in group}:
                group.append(place)
        left = [place for place in left if place not in group]
        groups.append(group)
    rank = {int(place): at for at, place in enumerate(order)}
    joined = {
        place: min((distance(sets[place], sets[member]), rank[member], at) for at, group in enumerate(groups) for member in group)[2]
        for place in left
    }
    for place, at in joined.items():
        groups[at].append(place)
    assert [sorted(group.tolist()) for group in like_groups(bags, order, k)] == [sorted(group) for group in groups]


def test_groups_of_many_members_keep_their_core() -> None:
    held = np.zeros((400, 3), bool)
    held[:, 0] = True
    held[0, 1] = held[1, 2] = True
    shown = closed(held, 5, Fraction(0), Fraction(1), all_pairs=True)
    assert shown[:, 0].all()
    assert not shown[:, 1:].any()


def test_where_all_words_would_be_left_out_nothing_is_published() -> None:
    original = as_typed(Bags.from_lists([["a"], ["b"], ["c"], ["d"]]))
    with refuses("nothing-to-publish"):
        KDelta(k=4, delta=0.0).apply(original)
    release = KDelta(k=4, delta=0.0, price=0.2).apply(original)
    assert len(release.published.record(0)) == 4
    assert "12 items were added" in release.notes[0]
    assert "75.0% of all published items" in release.notes[0]


def test_groups_that_share_nothing_are_withheld_and_counted() -> None:
    original = as_typed(Bags.from_lists([["a", "b"], ["a", "b"], ["x"], ["y"]]))
    release = KDelta(k=2, delta=0.0, price=2).apply(original)
    assert release.accounting is not None
    assert release.accounting.records.as_dict() == {"in": 4, "published": 2, "withheld: nothing in common": 2}
    assert release.accounting.occurrences.as_dict() == {"in": 6, "kept": 4, "in withheld records": 2}


def test_numbers_that_cannot_be_compared_exactly_are_refused() -> None:
    with refuses("too-many-decimals", value=0.3333333333333333):
        KDelta(delta=1 / 3)
    with refuses("too-many-decimals", value=0.3333333333333333):
        KDelta(price=1 / 3)


def test_a_taxonomy_is_neither_needed_nor_used() -> None:
    original = Original.on(on(food(), [["Apple"], ["Apple"]]), food())
    assert not KDelta().needs_taxonomy
    assert KDelta(k=2).apply(original).published.record(0) == {"Apple": 1}

"""The plan of a large run: ranges are a function of the records alone, hold enough people, and give the same release whoever owns what."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import forests, numbered, numbers_of, on_nodes, published, tree
from shoal import kernels
from shoal.data.bags import Bags, Vocabulary
from shoal.data.taxonomy import Taxonomy
from shoal.engines import ranges
from shoal.engines.ranges import (
    Cuts,
    RangeCut,
    Size,
    cut_sample,
    drawn_times,
    formed_range,
    hashes_of,
    joined_leaves,
    leaves_of,
    listed_only,
    ranges_of,
)
from shoal.methods import Method
from shoal.methods.clump import Clump
from shoal.methods.shoal import Shoal

SMALLEST = 60
UNLISTED = 121


@pytest.fixture
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges of 60 people, so that small data has several."""
    monkeypatch.setattr(ranges, "SMALLEST_RANGE", SMALLEST)


def topics(n: int, seed: int, owners: int | None = None) -> tuple[Bags, Taxonomy]:
    """Records mostly below one of twenty nodes, some with terms that the taxonomy does not list; some contents are frequent."""
    parents = [-1, *(parent for topic in range(20) for parent in (0, *[1 + 6 * topic] * 5)), 0, *[UNLISTED] * 30]
    whole = tree(parents, "information")
    taxonomy = Taxonomy(whole.names, whole.parent, loss_name="information", unlisted=UNLISTED)
    rng = np.random.default_rng(seed)
    records = []
    for _ in range(n):
        topic = 1 + 6 * int(rng.integers(0, 20))
        mine = (topic + rng.integers(1, 6, rng.integers(1, 4))).tolist()
        strange = (UNLISTED + rng.integers(1, 31, rng.integers(0, 2))).tolist()
        records.append([2, 3] if rng.random() < 0.1 else [*mine, *strange])
    people = None if owners is None else rng.integers(0, owners, n).tolist()
    return numbered(taxonomy, records, people), taxonomy


def size_of(bags: Bags, smallest: int = SMALLEST) -> Size:
    return Size(len(bags), bags.n_owners, smallest)


@pytest.mark.parametrize("owners", [None, 500])
def test_every_range_holds_enough_people_and_identical_records_are_together(owners: int | None) -> None:
    bags, taxonomy = topics(1500, seed=1, owners=owners)
    ranges = ranges_of(bags, taxonomy, size_of(bags))
    people: dict[int, set[int]] = {}
    home: dict[tuple[int, ...], set[int]] = {}
    for record, number, owner in zip(numbers_of(bags), ranges.tolist(), bags.owners.tolist(), strict=True):
        people.setdefault(number, set()).add(owner)
        home.setdefault(record, set()).add(number)
    assert sorted(people) == list(range(len(people)))
    assert len(people) > 3
    assert min(map(len, people.values())) >= SMALLEST
    assert all(len(found) == 1 for found in home.values())


def test_ranges_depend_on_the_content_alone() -> None:
    bags, taxonomy = topics(1200, seed=2)
    ranges = ranges_of(bags, taxonomy, size_of(bags))
    order = np.random.default_rng(5).permutation(len(bags))
    mixed = bags.select(order)
    renamed = Bags(*mixed.rows, np.arange(len(bags))[::-1] * 7, mixed.vocabulary)
    assert np.array_equal(ranges_of(renamed, taxonomy, size_of(bags)), ranges[order])
    assert len(set(ranges.tolist())) > 3


def asked(record: tuple[int, ...], at: RangeCut | int) -> int:
    """The leaf of a record, by walking down one question at a time."""
    while isinstance(at, RangeCut):
        below = sum(at.node <= item < at.end for item in record)
        at = at.having if below >= at.at_least else at.lacking
    return at


@settings(max_examples=60, deadline=None)
@given(forests(nodes=12, records=(2, 40)), st.integers(2, 6))
def test_the_leaf_of_a_record_is_found_by_asking_it_alone(forest: tuple[tuple[int, ...], list[list[int]]], ranges: int) -> None:
    parent, records = forest
    taxonomy = tree(parent, "information")
    bags = numbered(taxonomy, records)
    cuts = cut_sample(bags, np.ones(len(bags), np.int64), taxonomy, ranges)
    found = leaves_of(bags, cuts)
    assert found.tolist() == [asked(record, cuts.root) for record in numbers_of(bags)]
    assert set(found.tolist()) == set(range(cuts.leaves))  # of the sample itself every leaf has records
    assert cuts.leaves <= ranges


def mixed(number: int) -> int:
    """The number that SplitMix64 gives after this one."""
    whole = 2**64 - 1
    x = (number + 0x9E3779B97F4A7C15) & whole
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & whole
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & whole
    return x ^ (x >> 31)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_hash_is_the_sum_over_all_occurrences(threads: int) -> None:
    data, taxonomy = topics(1500, seed=10)
    with kernels.using(threads=threads):
        found = hashes_of(data, taxonomy)
    assert found.tolist() == [sum(mixed(min(item, UNLISTED)) for item in record) % 2**64 for record in numbers_of(data)]


def test_hashes_tell_contents_apart_but_not_unlisted_terms() -> None:
    bags, taxonomy = topics(1500, seed=4)
    coarse = [tuple(min(item, UNLISTED) for item in record) for record in numbers_of(bags)]
    contents: dict[int, set[tuple[int, ...]]] = {}
    for hashed, content in zip(hashes_of(bags, taxonomy).tolist(), coarse, strict=True):
        contents.setdefault(hashed, set()).add(content)
    assert all(len(found) == 1 for found in contents.values())
    assert len(contents) == len(set(coarse))
    assert listed_only(bags, taxonomy).items.max() == UNLISTED


@pytest.mark.parametrize("records", [40_000, 5_000_000])
def test_a_sample_has_the_size_that_is_wanted_and_frequent_contents_their_share(records: int) -> None:
    rng = np.random.default_rng(1)
    times = np.ones(records // 2, np.int64)
    hashes = rng.integers(0, 2**63, len(times) + 1, np.int64).astype(np.uint64)
    drawn = drawn_times(hashes, np.append(times, records - len(times)), Size(records, records, 50_000))
    wanted = Size(records, records, 50_000).sample
    assert abs(int(drawn.sum()) - wanted) < 6 * wanted**0.5
    assert abs(int(drawn[-1]) - wanted / 2) <= 1


def test_a_sample_of_few_records_is_all_of_them() -> None:
    times = np.array([3, 1, 5], np.int64)
    assert drawn_times(np.array([1, 2, 3], np.uint64), times, Size(9, 9, 2)).tolist() == [3, 1, 5]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(1, 40), st.booleans())
def test_leaves_are_joined_until_they_hold_enough(people: list[int], smallest: int, repeat: bool) -> None:
    ranges = joined_leaves(np.array(people), smallest, repeat=repeat).tolist()
    assert ranges == sorted(ranges)
    assert sorted(set(ranges)) == list(range(max(ranges) + 1))
    together = max if repeat else sum
    parts = [[n for n, r in zip(people, ranges, strict=True) if r == number] for number in sorted(set(ranges))]
    assert len(parts) == 1 or all(together(part) >= smallest for part in parts)
    assert all(together(part[:-1]) < smallest for part in parts[:-1] if len(part) > 1)


def test_leaves_that_are_a_little_too_small_are_joined_in_pairs_where_nobody_is_in_two() -> None:
    assert joined_leaves(np.full(40, 49_000), 50_000, repeat=False).max() == 19
    assert joined_leaves(np.full(40, 49_000), 50_000, repeat=True).max() == 0


def test_records_that_cannot_be_told_apart_are_one_range() -> None:
    taxonomy = tree([-1, 0, 1], "information")
    bags = numbered(taxonomy, [[2]] * 1000)
    assert ranges_of(bags, taxonomy, Size(1000, 1000, 50)).tolist() == [0] * 1000
    assert cut_sample(bags, np.ones(1000, np.int64), taxonomy, 8) == Cuts(0, 1)


@given(forests(nodes=12, records=(1, 6), items=(1, 4)))
def test_a_part_of_a_taxonomy_keeps_its_losses(forest: tuple[tuple[int, ...], list[list[int]]]) -> None:
    parent, records = forest
    for loss in ("lm", "information", "height"):
        whole = tree(parent, loss)
        used = np.unique(numbered(whole, records).items).astype(np.int64)
        part, nodes = whole.only(used)
        assert part.units == whole.units
        assert part.names.names.to_list() == [f"n{node}" for node in nodes.tolist()]
        for name in ("unit_losses", "weights", "charges", "loss"):
            assert getattr(part, name).tolist() == getattr(whole, name)[nodes].tolist()
        assert [part.path(at) for at in range(len(part))] == [whole.path(node) for node in nodes.tolist()]
        assert set(nodes.tolist()) == {0} | {int(whole.names.codes([name])[0]) for item in used.tolist() for name in whole.path(item)}


METHODS = [Shoal(k=3, effort="fast"), Clump(k=3), Shoal(k=4)]


@pytest.mark.usefixtures("small_ranges")
@pytest.mark.parametrize("owners", [None, 400])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_releases_made_in_ranges_hold_and_do_not_depend_on_order_or_names(method: Method, owners: int | None) -> None:
    bags, taxonomy = topics(900, seed=6, owners=owners)
    original = on_nodes(bags, taxonomy)
    release = method.apply(original)
    for claim in method.claims():
        assert claim.check(release, original).standing == "verified"
    order = np.random.default_rng(8).permutation(len(bags))
    mixed = bags.select(order)
    other = method.apply(on_nodes(Bags(*mixed.rows, 5_000 - 3 * mixed.owners, mixed.vocabulary), taxonomy))
    assert published(other) == published(release)


@pytest.mark.usefixtures("small_ranges")
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_what_is_made_of_a_range_depends_on_its_records_alone(method: Shoal | Clump) -> None:
    bags, taxonomy = topics(900, seed=7)
    ranges = ranges_of(bags, taxonomy, Size.of(len(bags), bags.n_owners, method.k))
    found: Counter[tuple[int, ...]] = Counter()
    for number in range(int(ranges.max()) + 1):
        groups, rows = formed_range(method.form_groups, bags.select(ranges == number), taxonomy)
        for record, copies in zip(numbers_of(rows), np.bincount(groups).tolist(), strict=True):
            found[record] += copies
    whole = method.apply(on_nodes(bags, taxonomy))
    together: Counter[tuple[int, ...]] = Counter()
    for record, copies in zip(numbers_of(whole.published), whole.copies.tolist(), strict=True):
        together[record] += copies
    assert found == together
    assert ranges.max() > 3


def test_few_people_are_one_range(monkeypatch: pytest.MonkeyPatch) -> None:
    bags, taxonomy = topics(300, seed=8)
    whole = published(Shoal(k=3).apply(on_nodes(bags, taxonomy)))
    assert Size.of(99_999, 99_999, 5).ranges == 1
    assert Size.of(120_000, 120_000, 5).ranges == 2
    assert Size.of(1_000_000, 1_000_000, 60_000).ranges == 1  # 600,000 people are ten groups of these
    monkeypatch.setattr(ranges, "SMALLEST_RANGE", 151)
    assert published(Shoal(k=3).apply(on_nodes(bags, taxonomy))) == whole


def test_a_vocabulary_of_unlisted_terms_changes_no_range() -> None:
    """Terms that the taxonomy does not list may be called anything: ranges see only how many there are."""
    bags, taxonomy = topics(800, seed=9)
    names = taxonomy.names.names.to_list()
    reversed_names = Vocabulary([*names[: UNLISTED + 1], *reversed(names[UNLISTED + 1 :])])
    other = Taxonomy(reversed_names, taxonomy.parent.copy(), loss_name="information", unlisted=UNLISTED)
    turned = bags.relabelled(np.array([*range(UNLISTED + 1), *range(len(names) - 1, UNLISTED, -1)], np.int32), other.names)
    assert np.array_equal(ranges_of(turned, other, size_of(bags)), ranges_of(bags, taxonomy, size_of(bags)))

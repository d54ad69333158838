from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from helpers.errors import refuses
from helpers.report import example, food_tree
from shoal.data.bags import Bags
from shoal.data.release import Release, Secret
from shoal.kinds import facts_of
from shoal.kinds.bags.report import MOST_ITEMS
from shoal.report.facts import PublishedItem
from shoal.taxonomy.place_terms import place_terms


def weighted(values: list[tuple[int, int]]) -> Counter[int]:
    total: Counter[int] = Counter()
    for value, n in values:
        total[value] += n
    return total


@pytest.fixture(scope="module")
def small():
    return example(n=300, k=4, seed=3)


def test_group_sizes_are_those_of_identical_records(small) -> None:
    manifest, release, original = small
    facts = facts_of(manifest, release, original)
    classes: Counter[str] = Counter()
    for i, copies in enumerate(release.copies.tolist()):
        classes[str(sorted(release.published.record(i).items()))] += copies
    sizes = sorted(classes.values())
    assert facts.sizes.groups == len(sizes)
    assert (facts.sizes.smallest, facts.sizes.largest) == (sizes[0], sizes[-1])
    assert facts.sizes.median == np.median(sizes)
    for b, n in zip(facts.group_sizes.bins, facts.group_sizes.counts, strict=True):
        assert n == sum(b.low <= s <= (b.high or s) for s in sizes)
    assert sum(facts.group_sizes.counts) == len(sizes)


def test_lengths_and_levels_agree_with_a_plain_count(small) -> None:
    manifest, release, original = small
    facts = facts_of(manifest, release, original)
    tree = original.taxonomy
    one = [1] * len(original.bags)
    lengths = []
    levels = []
    for bags, copies in ((original.bags, one), (release.published, release.copies.tolist())):
        records = [bags.record(i) for i in range(len(bags))]
        lengths.append(weighted([(sum(r.values()), c) for r, c in zip(records, copies, strict=True)]))
        depth = {tree.names[v]: int(tree.depth[v]) + 1 for v in range(len(tree))}
        found = [(depth[item], n * c) for r, c in zip(records, copies, strict=True) for item, n in r.items()]
        levels.append(weighted(found))
    for histogram, (before, after) in ((facts.lengths, lengths), (facts.levels, levels)):
        assert histogram.before is not None
        for b, now, was in zip(histogram.bins, histogram.counts, histogram.before, strict=True):
            high = b.high or 10**9
            assert was == sum(n for value, n in before.items() if b.low <= value <= high)
            assert now == sum(n for value, n in after.items() if b.low <= value <= high)


def test_items_are_published_names_with_the_records_that_bear_them(small) -> None:
    manifest, release, original = small
    facts = facts_of(manifest, release, original)
    bearers: Counter[str] = Counter()
    for i, copies in enumerate(release.copies.tolist()):
        bearers.update(dict.fromkeys(release.published.record(i), copies))
    assert len(facts.frequent) == min(MOST_ITEMS, len(bearers))
    assert [i.records for i in facts.frequent] == sorted(bearers.values(), reverse=True)[: len(facts.frequent)]
    assert all(bearers[i.name] == i.records for i in facts.frequent + facts.vaguest)
    assert facts.items_after == len(bearers)
    deepest = max(i.level for i in facts.specific)
    assert [i.level for i in facts.vaguest] == sorted(i.level for i in facts.vaguest)
    assert all(i.level < deepest for i in facts.vaguest)
    assert facts.published == 300


def by_hand() -> tuple[Release, object]:
    """Two groups: item 0.0.0 and item 0.0.1 become shelf 0.0; item 1.0.0 twice stays as it is."""
    tree = food_tree(2, 1, 2)
    records = Bags.from_lists([["item 0.0.0"], ["item 0.0.1"], ["item 1.0.0"], ["item 1.0.0"]])
    original = place_terms(records, tree, scope="whole")
    nodes = tree.nodes(["shelf 0.0", "item 1.0.0"])
    published = Bags.from_rows([0, 1, 2], nodes, np.ones(2, np.int32), tree.names)
    rows = np.array([0, 0, 1, 1], np.int64)
    return Release.of_bags(published, np.array([2, 2], np.int64), secret=Secret(rows)), original


def test_a_release_by_hand() -> None:
    release, original = by_hand()
    facts = facts_of({"parameters": {"k": 1}}, release, original)
    assert facts.frequent == (PublishedItem("shelf 0.0", 2, 3), PublishedItem("item 1.0.0", 2, 4))
    assert facts.vaguest == (PublishedItem("shelf 0.0", 2, 3),)
    assert facts.group_sizes.counts == (2,)
    assert (facts.items_before, facts.items_after) == (3, 2)
    assert facts.lengths.before == (4,)
    assert facts.lengths.counts == (4,)


def test_published_items_and_examples_do_not_depend_on_which_items_are_suppressed() -> None:
    """Two originals that differ in suppressed items alone: nothing that the report says of published records may tell them apart."""
    pages = []
    for secret in ("item 0.0.1", "item 1.0.1", "pear"):
        records = Bags.from_lists([["item 0.0.0"], ["item 0.0.2"], ["item 1.0.0"], ["item 1.0.0", secret]])
        original = place_terms(records, food_tree(2, 2, 3))
        published = Bags.from_rows([0, 1, 2], original.tree.nodes(["shelf 0.0", "item 1.0.0"]), np.ones(2, np.int32), original.tree.names)
        release = Release.of_bags(published, np.array([2, 2], np.int64), secret=Secret(np.array([0, 0, 1, 1], np.int64)))
        facts = facts_of({"parameters": {"k": 1}}, release, original)
        pages.append((facts.frequent, facts.specific, facts.vaguest, facts.examples, facts.topics))
    assert pages[0] == pages[1] == pages[2]


def test_four_people_are_too_few_to_tell_their_levels_apart() -> None:
    release, original = by_hand()
    facts = facts_of({}, release, original)
    assert [b.label for b in facts.levels.bins] == ["1+"]


def test_bars_of_originals_count_at_least_k_people(small) -> None:
    manifest, release, original = small
    facts = facts_of({**manifest, "parameters": {"k": 60}}, release, original)
    assert facts.fewest == 60
    assert all(n == 0 or n >= 60 for n in facts.lengths.before or ())


def test_items_are_found_by_name_in_a_release_with_a_vocabulary_of_its_own() -> None:
    release, original = by_hand()
    own = Bags.from_lists([["shelf 0.0"], ["item 1.0.0"]])
    again = Release.of_bags(own, release.copies.copy())
    assert facts_of({}, again, original).frequent == facts_of({}, release, original).frequent


def test_items_that_are_not_in_the_taxonomy_are_refused() -> None:
    release, original = by_hand()
    strange = Release.of_bags(Bags.from_lists([["shelf 0.0"], ["comet"]]), release.copies.copy())
    with refuses("release-not-of-original", foreign=1):
        facts_of({}, strange, original)


def test_nothing_published() -> None:
    _, original = by_hand()
    facts = facts_of({}, Release.of_bags(Bags.from_lists([]), np.zeros(0, np.int64)), original)
    assert facts.sizes.groups == 0
    assert facts.frequent == ()
    assert facts.lengths.counts == (0,)

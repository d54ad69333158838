"""The judge of shared terms on releases made by hand."""

from __future__ import annotations

import numpy as np

from helpers.data import food, on, on_nodes
from shoal.data.release import Release, Secret
from shoal.privacy.shared_terms import SharedTerms

RECORDS = [["Apple", "Beef"], ["Orange", "Beef"], ["Apple"], ["Milk"]]


def released(published, groups, owners=None):
    tree = food()
    rows = np.array(groups)
    release = Release.of_bags(on(tree, published), np.bincount(rows, minlength=len(published)), secret=Secret(rows))
    return release, on_nodes(on(tree, RECORDS, owners), tree)


def test_a_term_must_be_held_by_enough_people_of_its_group():
    release, original = released([["Beef"], ["Apple"]], [0, 0, 1, 1])
    verdict = SharedTerms(owners=2).check(release, original)
    assert (verdict.holds, verdict.achieved) == (False, {"people": 1})
    assert verdict.witnesses == ("1 published term is used by fewer than 2 people",)
    assert SharedTerms(owners=1).check(release, original).holds


def test_an_ancestor_is_held_by_whoever_holds_something_below_it():
    release, original = released([["Beef", "Fruit"], ["Food"]], [0, 0, 1, 1])
    assert SharedTerms(owners=2).check(release, original).holds
    assert not SharedTerms(owners=3).check(release, original).holds


def test_people_are_counted_and_not_records():
    release, original = released([["Beef", "Fruit"], ["Food"]], [0, 0, 1, 1], owners=[7, 7, 8, 9])
    assert SharedTerms(owners=2).check(release, original).achieved == {"people": 1}


def test_identical_published_records_are_one_group():
    release, original = released([["Apple"], ["Apple"]], [0, 0, 1, 1])
    assert SharedTerms(owners=2).check(release, original).holds


def test_without_the_groups_the_whole_original_is_counted_and_without_it_the_records():
    release, original = released([["Beef"], ["Apple"]], [0, 0, 1, 1])
    bare = Release.from_records(release.published.select(release.shuffled_rows()))
    assert SharedTerms(owners=2).check(bare, original).achieved == {"people": 2}
    alone = SharedTerms(owners=2).check(bare)
    assert alone.holds and alone.notes
    assert not SharedTerms(owners=3).check(bare).holds


def test_a_release_of_other_records_is_refused():
    release, _ = released([["Beef"], ["Apple"]], [0, 0, 1, 1])
    other = on_nodes(on(food(), [["Beef"]]), food())
    assert not SharedTerms(owners=1).check(release, other).holds

"""Planted words of fewer than k people: counted in releases that show them all, some, or none."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.attacks import chances, grouped, never, scenario
from shoal.attacks.outcome import outcome
from shoal.attacks.scenarios import Made, Skipped
from shoal.attacks.scenarios.canaries import Canaries
from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.release import Release, Secret
from shoal.privacy.coherence import Coherence
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.km_anonymity import KmAnonymity
from shoal.taxonomy.place_terms import as_typed

MADE = grouped([["Apple", "Milk"], ["Apple", "Cheese"], ["Orange", "Beef"]], [0, 1, 2])
ONE, THREE = "a planted item of 1 person", "a planted item of 3 people"


def of_at_least(people: int):
    """A release of the words that so many records hold; others are left out."""

    def remake(typed: Bags) -> Made:
        original = as_typed(typed, None)
        holders = np.bincount(original.bags.items, minlength=len(original.tree))
        kept = np.where(holders >= people, np.arange(len(original.tree)), -1).astype(np.int32)
        published = original.bags.relabelled(kept, original.bags.vocabulary)
        rows = np.arange(len(published))
        return Made(original, Release.of_bags(published, np.ones(len(rows), np.int64), secret=Secret(rows)))

    return remake


@pytest.mark.parametrize(("people", "one", "three"), [(1, 1.0, 1.0), (3, 0.0, 1.0), (4, 0.0, 0.0)])
def test_words_of_few_people_are_counted(people: int, one: float, three: float):
    found = Canaries(words=6).tried(scenario(MADE, [KAnonymity(4)], remake=of_at_least(people)))
    assert chances(found) == {ONE: [one] * 6, THREE: [three] * 6}
    assert {trial.ceiling for trial in found.trials} == {0.0}
    standing = [outcome("release", Canaries(), trial.trial, trial.lengths, None, trial.ceiling).standing for trial in found.trials]
    assert standing == ["ABOVE THE PROMISE" if rate else "within the promise" for rate in (one, three)]


def test_half_of_them_stand_in_copies_of_records_and_half_alone():
    found = Canaries(words=4).tried(scenario(MADE, [KAnonymity(4)], remake=of_at_least(1)))
    assert [trial.lengths.tolist() for trial in found.trials] == [[3, 1, 3, 1]] * 2


def test_what_is_promised_of_rare_items():
    assert KAnonymity(5).item_holders == KmAnonymity(k=5, m=1).item_holders == Coherence(k=5).item_holders == 5
    assert Coherence(k=5, private=Items.of(["Beef"])).item_holders is None


def test_a_release_without_a_k_or_that_cannot_be_made_is_skipped():
    with pytest.raises(Skipped, match="no claim guarantees groups"):
        Canaries().tried(scenario(MADE, remake=of_at_least(1)))
    with pytest.raises(Skipped, match="with canaries the release cannot be made"):
        Canaries().tried(scenario(MADE, [KAnonymity(4)], remake=never))

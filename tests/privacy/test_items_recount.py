"""Models of items at limits that random releases rarely reach: exact shares, single records, several records of one person, empty sets."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.data import food, on, on_nodes
from helpers.errors import refuses
from helpers.item_tables import FOOD
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.original import LogOriginal, TableOriginal
from shoal.data.personal_items import PersonalItems
from shoal.data.release import Release, Secret
from shoal.data.table import Attribute, Table
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.privacy import Coherence, KKmAnonymity, LDiversity, PublicKAnonymity, RhoUncertainty
from shoal.taxonomy.place_terms import as_typed

# -- coherence


def with_share(holders: int, cohort: int) -> Release:
    """Records with `a`, some of which have the private item too."""
    return Release.from_records(Bags.from_lists([["a", "X"]] * holders + [["a"]] * (cohort - holders)))


@pytest.mark.parametrize("cohort", [103, 303, 701, 810, 811, 907, 997])
def test_a_share_with_many_decimals_is_rounded_down(cohort: int) -> None:
    """A binary number below 0.01 may have 19 decimals; the judge takes 18 of them."""
    limit = Fraction(repr(1 / cohort))
    rounded = limit if limit.denominator <= 10**18 else Fraction(int(limit * 10**18), 10**18)
    claim = Coherence(k=2, p=1, h=1 / cohort, private={"X"})
    assert claim.check(with_share(1, cohort)).holds == (Fraction(1, cohort) <= rounded)
    assert claim.check(with_share(1, cohort + 1)).holds
    assert not claim.check(with_share(1, cohort - 1)).holds


def test_private_items_that_do_not_occur() -> None:
    records = Bags.from_lists([["a"], ["a"]])
    claim = Coherence(k=2, p=1, private={"X"})
    with refuses("items-not-in-data"):
        claim.check(Release.from_records(records), as_typed(records))
    with_y = Coherence(k=2, p=1, private={"X", "Y"})
    both = Bags.from_lists([["a", "Y"], ["a", "Y"]])
    with refuses("items-not-in-data"):
        with_y.check(Release.from_records(both), as_typed(both))
    assert any("do not occur" in note for note in with_y.check(Release.from_records(both)).notes)


def test_who_needs_user_ids() -> None:
    assert not Coherence().needs_user_ids
    assert Coherence(private_of=PersonalItems.made_of({"u0": ["X"]})).needs_user_ids


def test_one_record_of_a_known_person() -> None:
    """Whether people are counted does not depend on how many records there are."""
    one = Release.from_records(Bags.from_lists([["a"], ["a"]], owners=[0, 0]).select(np.array([0])), owned=True)
    two = Release.from_records(Bags.from_lists([["a"], ["a"]], owners=[0, 0]), owned=True)
    claim = Coherence(k=2, p=1, private_of=PersonalItems.made_of({"u0": ["X"]}))
    assert claim.check(two).achieved == {"people": 1, "p": 1}
    assert claim.check(one).achieved == {"records": 1, "p": 1}, "nobody has two records"


def test_sets_of_few_people_are_not_named_in_public() -> None:
    """One person has three records with `a` and the private item: with costs too, the set is among the rare ones."""
    original = as_typed(Bags.from_lists([["a", "X"]] * 3 + [["b"]] * 3, owners=[0, 0, 0, 1, 2, 3]))
    release = Release.of_bags(original.bags, np.ones(6, np.int64), secret=Secret(np.arange(6)))
    for costs in (None, {"a": 1.0, "b": 1.0}):
        verdict = Coherence(k=2, p=1, h=0.9, private={"X"}, costs=costs).check(release, original)
        assert verdict.rare == ("{a} has only 1 match",) and not any("{a}" in one for one in verdict.witnesses)


@pytest.mark.parametrize(("owners", "named"), [([0, 0, 0], False), ([0, 0, 5], True), ([0, 5, 6], True), ([7, 8, 9], True)])
@pytest.mark.parametrize("costs", [None, {"a": 1.0, "b": 1.0}])
def test_private_items_of_few_people_are_not_named_in_public(owners: list[int], named: bool, costs: Any) -> None:
    """Three of seven records have the private item, perhaps all of one person, who alone may have it."""
    original = as_typed(Bags.from_lists([["a", "X"]] * 3 + [["a"]] * 3 + [["b"]], owners=[*owners, 1, 2, 3, 4]))
    release = Release.of_bags(original.bags, np.ones(7, np.int64), secret=Secret(np.arange(7)))
    verdict = Coherence(k=2, p=1, h=0.4, private={"X"}, costs=costs).check(release, original)
    told = "{} reveals 'X' with a confidence of 42.9%"
    assert (told in verdict.witnesses, told in verdict.rare) == (named, not named)
    assert verdict.witnesses[0] == "the empty set reveals too much: 0 shared by too few people, 1 that reveal a private item"
    alone = Coherence(k=2, p=1, h=0.4, private={"X"}, costs=costs).check(Release.from_records(original.bags))
    assert told in alone.witnesses, "without users, records are counted"


TYPED = [["a", "X"], ["a", "b"], ["a", "X", "b"], ["b"], ["a", "Y"], ["c"]]


@pytest.mark.parametrize(
    ("published", "says"),
    [
        (TYPED, ""),
        ([["a", "X"], ["a"], ["a", "X"], [], ["a", "Y"], []], ""),
        ([["X"], [], ["X"], [], ["Y"], []], ""),
        ([["c"], ["a", "X"], ["a", "Y"], ["a", "X", "b"], ["b"], ["a", "b"]], ""),
        ([["a", "X"], ["a"], ["a"], [], ["a", "Y"], []], "1 items that are private were changed"),
        ([["a"], ["a"], ["a"], [], ["a"], []], "2 items that are private were changed"),
        ([["a", "X"], ["a", "X"], ["a", "X"], [], ["a", "Y"], []], "1 published record matches no remaining original record"),
        ([["a", "X"], ["a"], ["a", "Y"], [], ["a", "X"], ["a"]], "1 published record matches no remaining original record"),
        ([["a", "X"], ["a", "c"], ["a", "X"], [], ["a", "Y"], []], "1 published record matches no remaining original record"),
        ([*TYPED, []], "7 records are published of only 6"),
    ],
    ids=range(10),
)
@pytest.mark.parametrize("owners", [[0, 1, 2, 3, 4, 5], [0, 0, 2, 3, 4, 5]])
def test_files_of_coherence_are_compared_with_the_original(published: list[list[str]], says: str, owners: list[int]) -> None:
    """Records may lose public items; private items stay, and nothing else is published."""
    original = as_typed(Bags.from_lists(TYPED, owners), as_sets=True)
    names = Bags.from_lists([["a", "b", "c", "X", "Y"], *published])
    codes = original.tree.nodes(names.vocabulary.names)
    bags = names.relabelled(codes, original.tree.names).select(np.arange(1, len(published) + 1))
    alone = Release.from_records(bags)
    verdict = Coherence(k=2, p=1, h=1.0, private={"X", "Y"}).check(alone, original)
    found = [one for one in verdict.witnesses if "private were changed" in one or "original record" in one or "published of only" in one]
    assert bool(found) == bool(says) and all(says in one for one in found[:1]), verdict
    assert not (says and verdict.holds)
    assert any("people have several records" in note for note in verdict.notes) == (owners[1] == 0)


def test_a_private_item_that_became_rarer_is_noticed() -> None:
    """Of three records with `a` two have the private item, but only one shows it."""
    original = as_typed(Bags.from_lists([["a", "X"], ["a", "X"], ["a"]]), as_sets=True)
    claim = Coherence(k=2, p=1, h=0.5, private={"X"})
    hidden = original.bags.select(np.array([0, 2, 2]))
    assert claim.check(Release.from_records(hidden)).holds
    verdict = claim.check(Release.from_records(hidden), original)
    assert verdict.witnesses == ("1 items that are private were changed",)


# -- rho-uncertainty


def test_sensitive_items_that_were_suppressed() -> None:
    """The method may suppress sensitive items; without the mapping, people with several records are counted as records."""
    original = as_typed(Bags.from_lists([["a", "X"], ["a", "X"], ["a"]], owners=[0, 1, 2]), as_sets=True)
    claim = RhoUncertainty(rho=0.5, sensitive={"X"})
    unknown = RhoUncertainty(rho=0.5, sensitive={"X", "Y"})
    with refuses("items-not-in-data"):
        unknown.check(Release.from_records(original.bags), original)
    assert any("do not occur" in note for note in unknown.check(Release.from_records(original.bags)).notes)
    kept = [code if name == "a" else -1 for code, name in enumerate(original.bags.vocabulary.names)]
    shown = original.bags.relabelled(np.array(kept, np.int32), original.bags.vocabulary)
    release = Release.of_bags(shown, np.ones(3, np.int64), secret=Secret(np.arange(3)))
    verdict = claim.check(release, original)
    assert (verdict.standing, verdict.achieved) == ("verified", {"certainty": 0.0}), verdict


@pytest.mark.parametrize(
    ("published", "says"),
    [
        ([["a", "X"], ["a", "X"], ["a"], ["b", "Y"]], ""),
        ([["a"], ["a"], ["a"], ["b", "Y"]], ""),
        ([["a"], ["a"], ["a"], ["b"]], ""),
        ([["a", "X"], ["a"], ["a"], ["b", "Y"]], "1 items that are private were changed"),
        ([["a", "X"], ["a"], ["a"], ["b"]], "1 items that are private were changed"),
        ([["a", "X"], ["a", "X"], ["a"]], ""),
    ],
    ids=range(6),
)
def test_sensitive_items_are_suppressed_everywhere_or_nowhere(published: list[list[str]], says: str) -> None:
    """In a file too: an item that is missing from some of its records seems less certain than it is."""
    original = as_typed(Bags.from_lists([["a", "X"], ["a", "X"], ["a"], ["b", "Y"]]), as_sets=True)
    names = Bags.from_lists([["a", "b", "X", "Y"], *published])
    bags = names.relabelled(original.tree.nodes(names.vocabulary.names), original.tree.names)
    release = Release.from_records(bags.select(np.arange(1, len(names))))
    verdict = RhoUncertainty(rho=0.99, sensitive={"X", "Y"}).check(release, original)
    assert [one for one in verdict.witnesses if "private" in one] == [says] * bool(says)
    assert not (says and verdict.holds)


# -- anonymity of public parts


def test_private_items_beside_public_parts_are_unchanged() -> None:
    tree = food()
    original = on_nodes(on(tree, [["Apple", "Beef"], ["Apple"], ["Apple"]]), tree)
    claim = PublicKAnonymity(k=3, private={"Beef"})
    for third, secret, holds in (([], None, True), (["Beef"], None, False), ([], Secret(np.arange(3)), True)):
        shown = on(tree, [["Apple", "Beef"], ["Apple"], ["Apple", *third]])
        verdict = claim.check(Release.of_bags(shown, np.ones(3, np.int64), secret=secret), original)
        assert verdict.holds == holds
        assert ("1 items that are private were changed" in verdict.witnesses) == (not holds)
    hidden = Release.from_records(on(tree, [["Apple"]] * 3))
    assert "1 items that are private were changed" in claim.check(hidden, original).witnesses


def test_public_parts_are_true_of_the_original() -> None:
    """Without the mapping too: three records say milk, of which the original has none, or of which it has one."""
    tree = food()
    claim = PublicKAnonymity(k=3, private={"Beef"})
    for records, holds in (
        ([["Apple", "Beef"], ["Orange"], ["Apple"]], False),
        ([["Milk", "Beef"], ["Orange"], ["Apple"]], False),
        ([["Milk", "Beef"], ["Milk"], ["Milk"]], True),
    ):
        original = on_nodes(on(tree, records), tree)
        assert claim.check(Release.from_records(on(tree, [["Milk", "Beef"], ["Milk"], ["Milk"]])), original).holds == holds


# -- (k, k^m)-anonymity


def item_original(baskets: list[str], owners: list[int], ages: list[float] | None = None) -> TableOriginal:
    basket = Attribute("basket", "items", pl.Series(baskets), tree=Taxonomy.from_parents(dict(FOOD)))
    years = Attribute("age", "numeric", pl.Series(ages or [20.0] * len(baskets)))
    return TableOriginal(Table((years, basket), np.array(owners)))


def judged(baskets: list[str], original: Any, ages: list[str] | None = None, k: int = 2, m: int = 1, secret: bool = True) -> Any:
    frame = pl.DataFrame({"age": ages or ["20"] * len(baskets), "basket": baskets})
    release = Release({"microdata": RowTable(frame)}, secret=Secret(np.arange(len(baskets))) if secret else None)
    return KKmAnonymity(k=k, m=m, columns=["age"], item_sets=["basket"]).check(release, original)


@pytest.mark.parametrize("owners", [[1, 2, 3, 4, 5], [1, 2, 3, 4, 4]])
def test_rows_without_items_count_with_their_class(owners: list[int]) -> None:
    """Three rows of one age have milk, two of another age have nothing."""
    baskets, years = ["Milk"] * 3 + [""] * 2, [20.0] * 3 + [30.0] * 2
    original = item_original(baskets, owners, years)
    people = min(3, len(set(owners[3:])))
    for secret in (True, False):
        verdict = judged(baskets, original, ["20"] * 3 + ["30"] * 2, secret=secret)
        known = secret or len(set(owners)) == 5
        assert verdict.achieved == {"records": 2, "m": 1} | ({"people": people} if known else {})
        assert verdict.holds == (people == 2 or not known)
    nothing = item_original([""] * 3, [1, 2, 3])
    assert judged([""] * 3, nothing).achieved == {"records": 3, "people": 3, "m": 1}
    few = judged([""] * 3, nothing, k=4)
    assert (
        len(few.witnesses) == 2 and few.witnesses[1] == "the rows of a class, or those with a set of items in it, belong to only 3 people"
    )


def test_an_item_twice_in_a_row() -> None:
    original = item_original(["Milk", "Milk"], [1, 2])
    verdict = judged(["Milk|Milk", "Milk"], original)
    assert verdict.witnesses == ("1 items are repeated in their row",)


def test_tables_are_compared_with_tables() -> None:
    log = LogOriginal(Log(pl.DataFrame({"owner": [1, 2], "payload": ["a", "a"]})))
    years = Attribute("age", "numeric", pl.Series([20.0, 20.0]))
    for original in (log, TableOriginal(Table((years,), np.array([1, 2])))):
        with refuses("wrong-kind-of-original"):
            judged(["Milk", "Milk"], original)


# -- l-diversity by entropy


@pytest.mark.parametrize(
    ("counts", "l", "holds"),
    [
        ([6600, 6600], 2, True),
        ([6601, 6599], 2, False),
        ([9000, 8999], 2, False),
        ([20_000, 20_000], 2, True),
        ([7001, 7000, 6999], 3, False),
        ([10, 10], 2, True),
        ([52] * 500, 500, True),
        ([53, 51, *[52] * 498], 500, False),
    ],
)
def test_entropies_that_logarithms_cannot_tell_apart(counts: list[int], l: int, holds: bool) -> None:  # noqa: E741
    values = [str(i) for i, n in enumerate(counts) for _ in range(n)]
    frame = pl.DataFrame({"x": [0] * len(values), "s": values})
    verdict = LDiversity(l=l, kind="entropy", sensitive=["s"]).check(Release({"microdata": RowTable(frame)}))
    assert verdict.holds == holds
    assert verdict.achieved["l"] == (l if holds else l - 0.001)

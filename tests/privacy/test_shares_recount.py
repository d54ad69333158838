"""Shares of sensitive items at their limits: names below the root, synonyms, rows that are not published, and groups that lost records."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.data import food, on, on_nodes
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.release import Release, Secret
from shoal.data.tables.groups import GroupTable
from shoal.privacy import MODELS, KAnonymity, PrivacyDegree, SensitiveShare
from shoal.taxonomy.place_terms import as_typed, place_terms
from shoal.taxonomy.wordnet import wordnet

# -- sensitive shares


def named(published: list[str], wanted: set[str], original: Any = None) -> int:
    """How many published items the judge takes for sensitive ones."""
    bags = Bags.from_lists([[name] for name in published]) if original is None else on(original.tree, [[name] for name in published])
    return int(SensitiveShare(items=wanted).check(Release.from_records(bags), original).achieved["named"])


def test_only_the_root_says_nothing() -> None:
    """All other nodes are sensitive, or have nothing but sensitive ones below them."""
    tree = food()
    original = on_nodes(on(tree, [["Apple"], ["Beef"], ["Milk"]]), tree)
    assert [named([name], {"Fruit", "Meat", "Dairy"}, original) for name in ("Food", "Fruit", "Meat", "Apple", "Milk")] == [0, 1, 1, 1, 1]
    assert [named([name], {"Beef", "Chicken"}, original) for name in ("Food", "Meat", "Beef", "Fruit")] == [0, 1, 1, 0]
    assert [named([name], {"Beef"}, original) for name in ("Food", "Meat", "Beef", "Chicken")] == [0, 0, 1, 0]
    assert named(["Food"], {"Food"}, original) == 1


def test_endings_of_short_names() -> None:
    """What is left of a plural has three letters at least."""
    assert [named([name], {"zyx"}) for name in ("zyx", "zyxs", "zyxes", "zy")] == [1, 1, 1, 0]
    assert [named([name], {"zy"}) for name in ("zy", "zys", "zyes")] == [1, 0, 0]


def test_synonyms_are_nodes_of_wordnet_only() -> None:
    """A car is an automobile where terms stand in the tree of WordNet, and not in another tree, nor without the original."""
    claim = SensitiveShare(h=0.5, items={"automobile"})
    placed = place_terms(Bags.from_lists([["automobile"], ["dog"], ["dog"]], owners=[0, 1, 2]), wordnet(), as_sets=True)
    names = {int(node): placed.tree.names[int(node)] for node in placed.bags.items}
    release = Release.of_bags(placed.bags, np.ones(3, np.int64), secret=Secret(np.arange(3)))
    assert "car" in names.values() and claim.check(release, placed).achieved == {"h": 1.0, "named": 1}
    top = on(wordnet(), [["entity"]] * 3)
    hidden = Release.of_bags(top, np.ones(3, np.int64), secret=Secret(np.arange(3)))
    assert claim.check(hidden, placed).achieved == {"h": 0.333334, "named": 0}
    both = SensitiveShare(h=0.5, items={"automobile", "entity"}).check(hidden, placed)
    assert both.achieved == {"h": 1.0, "named": 1}, "the root is a node as well"
    with refuses("items-not-in-data"):
        SensitiveShare(items={"automobile", "zyxw"}).check(release, placed)
    assert named(["car"], {"automobile"}) == 0
    typed = as_typed(Bags.from_lists([["car"], ["dog"]]))
    with refuses("items-not-in-data"):
        claim.check(Release.from_records(typed.bags), typed)


def test_rows_of_which_no_copy_is_published() -> None:
    bags = Bags.from_lists([["Beef"], ["Milk"]])
    verdict = SensitiveShare(items={"Beef"}).check(Release.of_bags(bags, np.array([0, 2])))
    assert verdict.achieved == {"named": 0} and verdict.standing == "not checkable"
    assert not SensitiveShare(items={"Milk"}).check(Release.of_bags(bags, np.array([0, 2]))).holds


@pytest.mark.parametrize(("without", "least"), [(0, 1.0), (1, 0.5), (2, 0.0), (3, 0.0)])
def test_the_fewest_holders_of_a_class(without: int, least: float) -> None:
    """Two records say Dairy; one original record that fits has milk, two or more have cheese."""
    tree = food()
    records = [["Milk"], ["Milk"]] + [["Cheese"]] * without
    original = on_nodes(on(tree, records), tree)
    verdict = SensitiveShare(h=0.5, items={"Milk"}).check(Release.from_records(on(tree, [["Dairy"]] * 2)), original)
    assert verdict.achieved == {"h_at_least": least, "named": 0}
    assert (verdict.standing == "fails") == (least > 0.5)


def test_promises_with_and_without_names() -> None:
    claim = SensitiveShare(h=0.5, items={"Milk"})
    assert claim.keeps(MODELS.make(str(claim))) and claim.keeps(SensitiveShare(h=0.5))
    assert MODELS.make(str(claim)).keeps(claim)
    assert not claim.keeps(SensitiveShare(h=0.4)) and not claim.keeps(SensitiveShare(h=0.5, items={"Beef"}))
    assert not claim.keeps(KAnonymity(k=2)) and not claim.keeps(PrivacyDegree(p=2, items={"Milk"}))


@pytest.mark.parametrize(("rows", "shown"), [([0, 0, 0], 2), ([0, 0], 2), ([0, -1], 2), ([0, -1, 0], 2), ([0, 0, 0], 3)])
def test_records_of_another_original(rows: list[int], shown: int) -> None:
    original = on_nodes(on(food(), [["Apple"]] * 3), food())
    release = Release.of_bags(on(food(), [["Fruit"]]), np.array([shown]), secret=Secret(np.array(rows, np.int64)))
    verdict = SensitiveShare(h=0.5, items={"Apple"}).check(release, original)
    fits = len(rows) == 3 and shown == sum(row >= 0 for row in rows)
    assert (verdict.witnesses == ("records were lost or added without being accounted for",)) == (not fits)
    assert ("h" in verdict.achieved) == fits


# -- degrees of groups


def groups(rows: list[tuple[int, list[str]]], counts: list[tuple[int, str, int]]) -> GroupTable:
    return GroupTable(
        pl.DataFrame(rows, schema={"group": pl.Int64, "items": pl.List(pl.String)}, orient="row"),
        pl.DataFrame(counts, schema={"group": pl.Int64, "item": pl.String, "count": pl.Int64}, orient="row"),
    )


RECORDS = [["a", "S"], ["a"], ["b"], ["b"], ["a", "b"], ["a"]]
ROWS = [(1, ["a"]), (1, ["a"]), (1, ["b"]), (1, ["b"]), (2, ["a", "b"]), (2, ["a"])]


def judged(
    rows: list[tuple[int, list[str]]], secret: list[int] | None, counts: list[tuple[int, str, int]] | None = None, **words: Any
) -> Any:
    table = groups(rows, [(1, "S", 1)] if counts is None else counts)
    release = Release({"records": table}, secret=None if secret is None else Secret(np.array(secret, np.int64)))
    return PrivacyDegree(p=2, **words).check(release, as_typed(Bags.from_lists(RECORDS), as_sets=True))


def test_rows_that_were_only_lost_or_only_added() -> None:
    assert judged(ROWS, None).holds and judged(ROWS, list(range(6))).holds
    told = "{} too many and {} missing, compared with the original without sensitive items"
    for rows, added, lost in (
        (ROWS[:5], "0 rows", "1 record"),
        (ROWS[:4], "0 rows", "2 records"),
        ([*ROWS, (2, ["a"])], "1 row", "0 records"),
        ([*ROWS, (2, ["c"])], "1 row", "0 records"),
        ([*ROWS[:5], (2, [])], "1 row", "1 record"),
        ([*ROWS[:3], *ROWS[4:], (2, ["a", "a"])], "1 row", "1 record"),
    ):
        verdict = judged(rows, None)
        assert verdict.witnesses == (told.format(added, lost),), verdict.witnesses


def test_a_mapping_of_other_records_counts_nobody() -> None:
    for secret in ([0, 1, 2], [0] * 7):
        verdict = judged(ROWS, secret)
        assert verdict.witnesses == ("records were lost or added without being accounted for",)
        assert verdict.achieved == {"p": 4.0, "records": 4, "people": 0}
    elsewhere = judged(ROWS, [4, 5, -1, -1, -1, -1])
    assert elsewhere.achieved == {"p": 4.0, "records": 4, "people": 0}
    beyond = judged(ROWS, [0, 1, 2, 3, 4, 6])
    assert beyond.achieved == {"p": 4.0, "records": 4, "people": 4} and not beyond.holds


def test_records_with_nothing_but_sensitive_items() -> None:
    table = groups([(1, []), (1, ["a"])], [(1, "S", 1)])
    original = as_typed(Bags.from_lists([["S"], ["a"]]), as_sets=True)
    assert PrivacyDegree(p=2).check(Release({"records": table}, secret=Secret(np.arange(2))), original).holds
    swapped = PrivacyDegree(p=2).check(Release({"records": table}, secret=Secret(np.array([1, 0]))), original)
    assert swapped.witnesses == ("2 rows different from the record that they represent",)


def test_histograms_of_the_wrong_groups() -> None:
    """The item is counted in the other group: the totals agree, and both histograms are wrong."""
    verdict = judged(ROWS, list(range(6)), [(2, "S", 1)])
    assert verdict.witnesses == ("2 histograms different from that of the records of the group",)
    assert judged(ROWS, None, [(2, "S", 1)]).holds


def test_groups_without_a_histogram() -> None:
    """Both groups have the sensitive item, and one or no histogram says so."""
    original = as_typed(Bags.from_lists([["a", "S"], ["a"], ["b", "S"], ["b"]]), as_sets=True)
    rows = [(1, ["a"]), (1, ["a"]), (2, ["b"]), (2, ["b"])]
    for counts, wrong in (
        ([(1, "S", 1), (2, "S", 1)], ""),
        ([(1, "S", 1)], "1 histogram"),
        ([], "2 histograms"),
        ([(2, "S", 2)], "2 histograms"),
    ):
        release = Release({"records": groups(rows, counts)}, secret=Secret(np.arange(4)))
        verdict = PrivacyDegree(p=2, items=Items(names=frozenset("S"))).check(release, original)
        assert verdict.holds == (not wrong)
        told = [witness for witness in verdict.witnesses if "different from that of the records" in witness]
        assert told == [f"{wrong} different from that of the records of the group"] * bool(wrong)


def test_items_that_only_one_side_counts() -> None:
    told = "1 item counted more or less often than in the original"
    for secret in (None, list(range(6))):
        assert told in judged(ROWS, secret, [(1, "S", 1), (1, "T", 1)]).witnesses
        assert told in judged(ROWS, secret, [], items=Items(names=frozenset("S"))).witnesses


def test_sensitive_items_that_the_claim_names() -> None:
    assert judged(ROWS, None, items=Items(names=frozenset("S"))).holds
    with refuses("items-not-in-data"):
        judged(ROWS, None, items=Items(names=frozenset("ST")))
    more = judged(ROWS, None, items=Items(names=frozenset("Sb")))
    assert "sensitive items occur in rows 3 times" in more.witnesses

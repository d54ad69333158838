"""Privacy degree judged: what a release in two parts may not do, with and without the original."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.data.tables.groups import GroupTable
from shoal.privacy.privacy_degree import PrivacyDegree
from shoal.taxonomy.place_terms import as_typed

RECORDS = [["a", "s"], ["a"], ["a", "b"], ["b", "t"], ["b"], ["a"], ["c"], []]
ROWS = [(1, ["a"]), (1, ["a"]), (1, ["a", "b"]), (2, ["b"]), (2, ["b"]), (2, ["a"]), (3, ["c"])]
COUNTS = [(1, "s", 1), (2, "t", 1)]
NAMED = Items(names=frozenset({"s", "t"}))


def table(rows: list[tuple[int, list[str]]] = ROWS, counts: list[tuple[int, str, int]] = COUNTS) -> GroupTable:
    return GroupTable(
        pl.DataFrame(rows, schema={"group": pl.Int64, "items": pl.List(pl.String)}, orient="row"),
        pl.DataFrame(counts, schema={"group": pl.Int64, "item": pl.String, "count": pl.Int64}, orient="row"),
    )


def original(owners: list[int] | None = None) -> Original:
    return as_typed(Bags.from_lists(RECORDS, owners), as_sets=True)


def release(made: GroupTable, *, known: bool = True) -> Release:
    return Release({"records": made}, secret=Secret(np.array([0, 1, 2, 3, 4, 5, 6, -1])) if known else None)


@pytest.mark.parametrize("items", [NAMED, None])
def test_a_sound_release_is_verified_from_all_that_may_be_at_hand(items: Items | None) -> None:
    model = PrivacyDegree(p=3, items=items)
    full = model.check(release(table()), original())
    assert (full.standing, full.achieved) == ("verified", {"p": 3.0, "records": 3, "people": 3})
    assert model.check(release(table(), known=False), original()).achieved == {"p": 3.0, "records": 3}
    assert model.check(release(table(), known=False)).standing == "verified"
    assert PrivacyDegree(p=4, items=items).check(release(table())).standing == "fails"


def other_row(at: int, row: tuple[int, list[str]]) -> list[tuple[int, list[str]]]:
    return [*ROWS[:at], row, *ROWS[at + 1 :]]


BROKEN: dict[str, tuple[Callable[[], GroupTable], str, bool]] = {  # how, what is said, whether the files alone show it
    "a group too small": (lambda: table(other_row(5, (3, ["a"]))), "in 1 of 3 groups more than one row in 3 holds", True),
    "an item too frequent": (lambda: table(counts=[(1, "s", 2), (2, "t", 1)]), "in 1 of 3 groups more than one row in 3 holds", True),
    "a sensitive item in a row": (lambda: table(other_row(4, (2, ["b", "t"]))), "sensitive items occur in rows 1 times", True),
    "a count that overflows": (lambda: table(counts=[(1, "s", 2**62), (2, "t", 1)]), "more than one row in 3 holds", True),
    "a row of nobody": (lambda: table([*ROWS, (3, ["c"])]), "1 row too many and 0 records missing", False),
    "a row lost": (lambda: table(ROWS[:-1]), "0 rows too many and 1 record missing", False),
    "a row changed": (lambda: table(other_row(6, (3, ["a"]))), "1 row too many and 1 record missing", False),
    "a foreign name": (lambda: table(other_row(6, (3, ["zebra"]))), "1 row too many and 1 record missing", False),
    "a count lost": (lambda: table(counts=COUNTS[:1]), "1 item counted more or less often than in the original", False),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_seen(name: str) -> None:
    make, says, alone = BROKEN[name]
    model = PrivacyDegree(p=3, items=NAMED)
    for known in (True, False):
        verdict = model.check(release(make(), known=known), original())
        assert verdict.standing == "fails"
        assert any(says in witness for witness in verdict.witnesses), verdict.witnesses
    assert (model.check(release(make(), known=False)).standing == "fails") == alone


def test_the_parts_of_other_groups_are_seen_where_it_is_known_which_record_became_which() -> None:
    model = PrivacyDegree(p=3, items=NAMED)
    swapped = table(counts=[(1, "t", 1), (2, "s", 1)])
    assert model.check(release(swapped, known=False), original()).holds
    assert "2 histograms different from that of the records of the group" in model.check(release(swapped), original()).witnesses
    exchanged = table([ROWS[2], ROWS[1], ROWS[0], *ROWS[3:]])
    assert "2 rows different from the record that they represent" in model.check(release(exchanged), original()).witnesses
    twice = Release({"records": table()}, secret=Secret(np.array([0, 0, 2, 3, 4, 5, 6, -1])))
    assert "records were lost or added without being accounted for" in model.check(twice, original()).witnesses


def test_a_person_with_several_rows_of_a_group_counts_once_for_each() -> None:
    """Rows 0 and 1 are one person's: the chance that one of them holds s is 2/3, so the degree is 3/2."""
    verdict = PrivacyDegree(p=3, items=NAMED).check(release(table()), original([0, 0, 1, 2, 3, 4, 5, 6]))
    assert verdict.achieved == {"p": 1.5, "records": 3, "people": 2}
    assert verdict.witnesses[1] == "in 1 of them a person owns several rows"
    from_file = PrivacyDegree(p=3, items=NAMED).check(release(table(), known=False), original([0, 0, 1, 2, 3, 4, 5, 6]))
    assert from_file.holds
    assert any("rows were counted" in note for note in from_file.notes)


def test_a_person_may_own_several_rows_of_a_group_without_sensitive_items() -> None:
    rows = [*ROWS, (3, ["c"])]
    records = [*RECORDS[:-1], ["c"], []]
    several = as_typed(Bags.from_lists(records, [0, 1, 2, 3, 4, 5, 6, 6, 7]), as_sets=True)
    made = Release({"records": table(rows)}, secret=Secret(np.array([*range(8), -1])))
    assert PrivacyDegree(p=3, items=NAMED).check(made, several).holds


def test_a_column_beside_the_items_is_not_passed_over() -> None:
    made = GroupTable(table().rows.with_columns(name=pl.lit("ann")), table().histogram)
    verdict = PrivacyDegree(p=3).check(release(made, known=False))
    assert verdict.standing == "fails"
    assert "more than groups, items and counts" in verdict.witnesses[0]


def test_items_that_nobody_holds_are_refused() -> None:
    with refuses("items-not-in-data"):
        PrivacyDegree(p=3, items=Items(names=frozenset({"s", "zebra"}))).check(release(table()), original())


def test_an_item_that_is_sensitive_and_not_counted_is_missed() -> None:
    """The claim names c, which stands in a row."""
    model = PrivacyDegree(p=3, items=Items(names=frozenset({"s", "t", "c"})))
    assert "sensitive items occur in rows 1 times" in model.check(release(table(), known=False)).witnesses

"""Upper limits of groups, and rows that must not share one: by brute force, through the command line, and with broken methods."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from helpers.cli import Shell, failed
from helpers.errors import refuses
from shoal.data.original import TableOriginal
from shoal.data.release import Release, Secret
from shoal.data.table import Attribute, Table
from shoal.data.tables.rows import RowTable
from shoal.errors import Infeasible
from shoal.methods import MDAV, Microaggregation
from shoal.microaggregation import constrained_groups as limiting
from shoal.microaggregation.constrained_groups import Limits, constrained_groups
from shoal.microaggregation.mdav import mdav_groups
from shoal.microaggregation.spaces import NumberSpace
from shoal.privacy import MODELS
from shoal.privacy.class_limits import ClassLimits


def table_of(values: list[int], owners: list[int]) -> Table:
    return Table((Attribute("a", "numeric", pl.Series(values, dtype=pl.Float64)),), np.array(owners, np.int64))


def partitions(rows: list[int]) -> Iterator[list[list[int]]]:
    """All ways to divide rows into groups."""
    if not rows:
        yield []
        return
    first, *rest = rows
    for others in partitions(rest):
        yield [[first], *others]
        for place in range(len(others)):
            yield [*others[:place], [first, *others[place]], *others[place + 1 :]]


def fits(groups: list[list[int]], owners: list[int], k: int, most: int | None) -> bool:
    """Whether all groups have k to `most` rows, all of different users."""
    sizes = [len(group) for group in groups]
    return all(k <= size <= (most or size) for size in sizes) and all(len({owners[row] for row in group}) == len(group) for group in groups)


people = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4)), min_size=2, max_size=8)


@settings(deadline=None, max_examples=150)
@given(people, st.integers(2, 3), st.one_of(st.none(), st.integers(2, 5)))
def test_groups_are_found_if_and_only_if_there_are_any(rows: list[tuple[int, int]], k: int, most: int | None) -> None:
    values, owners = [value for value, _ in rows], [owner for _, owner in rows]
    exists = any(fits(groups, owners, k, most) for groups in partitions(list(range(len(rows)))))
    table, limits = table_of(values, owners), Limits(k, most, True)
    if not exists:
        with refuses("limits-impossible"):
            limits.fewest_groups(table.owners)
        return
    assert limits.fewest_groups(table.owners) >= 1
    if len(set(owners)) < k:
        return
    start = mdav_groups(NumberSpace(table.numbers), table.owners, k)
    found = constrained_groups(table, start, limits)
    assert set(found.tolist()) == set(range(int(found.max()) + 1))
    assert fits([np.flatnonzero(found == group).tolist() for group in set(found.tolist())], owners, k, most)


@settings(deadline=None, max_examples=100)
@given(st.integers(4, 60), st.integers(2, 4), st.integers(0, 3), st.integers(1, 4), st.integers(0, 10**6))
def test_larger_tables_stay_within_the_limits(n: int, k: int, more: int, several: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    owners = rng.integers(0, max(k, n // several), n)
    table = table_of(rng.integers(0, 50, n).tolist(), owners.tolist())
    limits = Limits(k, k + more, True)
    try:
        limits.fewest_groups(table.owners)
    except Infeasible:
        return
    start = rng.permutation(np.arange(n) % max(1, len(set(owners.tolist())) // k // 2))  # any groups, not those of MDAV
    rows = [np.flatnonzero(start == group).tolist() for group in set(start.tolist())]
    if any(len({int(owners[row]) for row in group}) < k for group in rows):
        return
    found = constrained_groups(table, start, limits)
    assert fits([np.flatnonzero(found == group).tolist() for group in set(found.tolist())], owners.tolist(), k, k + more)


def test_groups_within_the_limits_stay_as_they_are() -> None:
    rng = np.random.default_rng(3)
    table = table_of(rng.permutation(200).tolist(), list(range(200)))
    plain, limited = (method.apply(TableOriginal(table)) for method in (MDAV(k=3), MDAV(k=3, most=5)))
    assert plain.only(RowTable).frame.equals(limited.only(RowTable).frame)
    assert [str(claim) for claim in limited.claims] == ["microdata-k-anonymity(k=3, columns=a)", "class-limits(most=5, columns=a)"]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=12), st.integers(2, 4))
def test_the_judge_counts_what_the_definition_says(rows: list[tuple[int, int]], most: int) -> None:
    values, owners = [value for value, _ in rows], [owner for _, owner in rows]
    original = TableOriginal(table_of(values, owners))
    frame = pl.DataFrame({"a": pl.Series(values, dtype=pl.Float64)})
    alone, whole = (Release({"microdata": RowTable(frame)}, secret=secret) for secret in (None, Secret(np.arange(len(rows)))))
    largest = max(Counter(values).values())
    sizes = ClassLimits(most=most).check(alone)
    assert (sizes.holds, sizes.achieved) == (largest <= most, {"most": largest})
    assert ClassLimits(apart=True).check(whole, original).holds == (len(set(rows)) == len(rows))
    assert ClassLimits(apart=True).check(alone).standing == "not checkable"
    assert ClassLimits(apart=True).check(alone, original).standing == ("verified" if len(set(owners)) == len(owners) else "not checkable")


def test_a_claim_has_one_limit() -> None:
    assert MODELS.make("class-limits(most=4)") == ClassLimits(most=4)
    assert str(ClassLimits(apart=True)) == "class-limits(apart=yes)"
    assert MODELS.make("class-limits(apart=yes)") == ClassLimits(apart=True)
    for wrong in ({}, {"most": 4, "apart": True}):
        with refuses("options-conflict"):
            ClassLimits(**wrong)  # type: ignore[arg-type]


HOMES = [(n // 2, 20 + (7 * n) % 45, 1000 + 37 * n) for n in range(24)]


@pytest.fixture
def homes(shell: Shell) -> Shell:
    shell.file("homes.csv", "home,age,income\n" + "".join(f"h{home},{age},{income}\n" for home, age, income in HOMES))
    return shell


WORDS = ("anonymize", "homes.csv", "--format", "microdata", "--user", "home", "--k", "3", "--to", "csv")


@pytest.mark.parametrize("method", ["mdav", "microaggregation"])
def test_through_the_command_line_and_python(homes: Shell, method: str) -> None:
    done = homes(*WORDS, "--method", method, "--apart", "--most", "4", "--out", "release")
    assert done.code == 0, done.err
    manifest = json.loads((homes.directory / "release" / "manifest.json").read_text())
    claims = {claim["model"]: claim for claim in manifest["claims"]}
    assert claims['class-limits(apart=yes, columns="age,income")']["verdict"] == "verified"
    assert claims['class-limits(most=4, columns="age,income")']["achieved"]["most"] <= 4
    found = json.loads(homes("audit", "release", "--json").out)
    assert (found["holds"], found["unchecked"]) == (True, 1)
    rows = (homes.directory / "release" / "microdata.csv").read_text().splitlines()[1:]
    assert max(Counter(rows).values()) <= 4
    frame = pl.DataFrame(HOMES, schema=["home", "age", "income"], orient="row")
    same = shoal.anonymize(frame, method=method, k=3, apart=True, most=4, format="microdata", user="home")
    published = same.release.only(RowTable).frame
    assert Counter(f"{age},{income}" for age, income in published.iter_rows()) == Counter(rows)


def test_a_larger_class_is_noticed(homes: Shell) -> None:
    assert homes(*WORDS, "--method", "mdav", "--apart", "--most", "4", "--out", "release").code == 0
    table = homes.directory / "release" / "microdata.csv"
    head, *rows = table.read_text().splitlines()
    table.write_text("\n".join([head, *rows[:6], *[rows[6]] * 18]) + "\n")
    claim = 'class-limits(most=4, columns="age,income")'
    assert homes("audit", "release/microdata.csv", "--claim", claim).code == 3


def test_what_is_refused(homes: Shell) -> None:
    out = ("--method", "mdav", "--out", "release")
    failed(homes(*WORDS, *out, "--most", "2"), "out-of-range")
    failed(homes(*WORDS, *out, "--most", "4"), "options-conflict")
    failed(homes(*WORDS, *out, "--apart", "--l", "2", "--sensitive", "income", "--keep-column", "income"), "options-conflict")
    one = ("anonymize", "one.csv", "--format", "microdata", "--k", "3", *out)
    homes.file("one.csv", "home,age\n" + "".join(f"h{max(0, n - 8)},{20 + n}\n" for n in range(20)))
    failed(homes(*one, "--user", "home", "--apart"), "limits-impossible", value=9, limit=6)
    failed(homes(*one, "--drop-column", "home", "--most", "3"), "limits-impossible", value=7, limit=6)
    homes.file("one.csv", "home,age\n" + "".join(f"h{n},{20 + (n > 9)}\n" for n in range(20)))
    failed(homes(*one, "--user", "home", "--most", "5"), "groups-alike", limit=5)
    assert not (homes.directory / "release").exists()


def repair_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.methods.bases.microdata.constrained_groups", lambda table, group, limits: group)
    monkeypatch.setattr("shoal.methods.bases.microdata.insist_on_different_groups", lambda *facts: None)


def everybody_is_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    true = limiting._Repair.__init__

    def forgetting(self: Any, space: Any, owners: Any, label: Any, limits: Limits) -> None:
        true(self, space, np.arange(len(owners)), label, limits)

    monkeypatch.setattr(limiting._Repair, "__init__", forgetting)
    monkeypatch.setattr("shoal.methods.bases.microdata.insist_on_different_groups", lambda *facts: None)


@pytest.mark.parametrize("breaks", [repair_does_nothing, everybody_is_another_user])
def test_a_broken_method_writes_nothing(homes: Shell, monkeypatch: pytest.MonkeyPatch, breaks: Any) -> None:
    crowded = [(home, 20 + 13 * home + 2 * n * n) for home in range(4) for n in range(3)]
    homes.file("homes.csv", "home,age\n" + "".join(f"h{home},{age}\n" for home, age in crowded))
    assert homes(*WORDS, "--method", "mdav", "--apart", "--out", "honest").code == 0
    breaks(monkeypatch)
    done = homes(*WORDS, "--method", "mdav", "--apart", "--out", "broken")
    assert done.code == 3, done.err
    assert not (homes.directory / "broken").exists()


def test_the_search_keeps_the_limits_too() -> None:
    rng = np.random.default_rng(1)
    table = table_of(rng.permutation(90).tolist(), (np.arange(90) // 3).tolist())
    release = Microaggregation(k=3, most=5, apart=True, effort="fast").apply(TableOriginal(table))
    assert all(claim.check(release, TableOriginal(table)).standing == "verified" for claim in release.claims)

"""What a comparison measures of access logs and of tables of people, by brute force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helpers.accesslog import visits
from helpers.microdata import random_table
from shoal.data.original import AccessOriginal
from shoal.data.release import Secret
from shoal.data.tables.access_log import AccessTable
from shoal.data.tables.rows import RowTable
from shoal.evaluate.compare.compared_data import PEOPLE, PEOPLE_WITH_ITEMS, RECORDS, VISITS, data_of, with_format
from shoal.evaluate.compare.words_kept import coverage, words_of
from shoal.evaluate.compare.worst_attack import AttackEffort, worst_attack
from shoal.io.read.dispatch import read
from shoal.io.read.options import ReadOptions
from shoal.methods.accesslog_mdav import AccessLogMDAV
from shoal.methods.mdav import MDAV


def log_of_visits(place: Path, people: int) -> AccessOriginal:
    (place / "access.log").write_text(visits(people, pages=4, sessions=2))
    reading = read(place / "access.log", ReadOptions(format="accesslog", needs_times=True))
    return AccessOriginal(reading.data)  # type: ignore[arg-type]


@pytest.mark.parametrize("per", ["owner", "session"])
def test_pages_of_visitors_are_counted_from_the_definition(tmp_path: Path, per: str) -> None:
    original = log_of_visits(tmp_path, 14)
    release = AccessLogMDAV(k=3, per=per).apply(original)
    published = release.only(AccessTable).frame.select("address", "request").rows()
    assert release.secret is not None
    rows = zip(original.log.frame["owner"], original.log.frame["payload"], release.secret.rows().tolist(), strict=True)
    typed: dict[int, set[str]] = {}
    shown: dict[int, set[str]] = {}
    for owner, page, row in rows:
        address = published[row][0]
        typed.setdefault(owner, set()).add(page)
        shown.setdefault(owner, set()).update(request.split()[1] for other, request in published if other == address and " " in request)
    words = words_of(release, original)
    assert words is not None
    kept = sum(len(typed[owner] & shown[owner]) for owner in typed)
    assert coverage(words)["kept"] == kept / sum(map(len, typed.values()))
    assert kept > 0


def test_visitors_of_a_published_log_are_found_by_at_most_one_in_k(tmp_path: Path) -> None:
    original = log_of_visits(tmp_path, 24)
    found = worst_attack(AccessLogMDAV(k=4).apply(original), original, AttackEffort(24))
    assert found["attack_rate"] <= 1 / 4 + 1e-9
    assert found["attack_original"] > found["attack_rate"]


def test_every_row_of_its_own_is_found_in_a_table_that_is_published_unchanged() -> None:
    original = random_table(40, 3, 40, 7)
    release = MDAV(k=5).apply(original)
    found = worst_attack(release, original, AttackEffort(40))
    assert found["attack_rate"] <= 1 / 5 + 1e-9
    distinct = len(set(zip(*(a.values.to_list() for a in original.table.attributes), strict=True))) / 40  # of equal rows one is a guess
    assert found["attack_original"] == pytest.approx(distinct)
    numbers = release.only(RowTable).frame.with_columns(a.values.alias(a.name) for a in original.table.attributes)
    same = replace(release, tables={name: RowTable(numbers) for name in release.tables}, secret=Secret(np.arange(40)))
    assert worst_attack(same, original, AttackEffort(40))["attack_rate"] == pytest.approx(distinct)


def test_rates_of_few_people_of_a_table_are_not_reported() -> None:
    original = random_table(9, 2, 9, 1)
    assert "fewer than 10 people" in worst_attack(MDAV(k=3).apply(original), original, AttackEffort(40))["not_attacked"]


def test_the_kind_of_data_follows_from_options_and_lines(tmp_path: Path) -> None:
    log, csv = tmp_path / "access.log", tmp_path / "a.csv"
    log.write_text(visits(12))
    csv.write_text("user,item\n1,a\n2,b\n")
    assert data_of(with_format([log], {})) is VISITS
    assert data_of(with_format([csv], {})) is RECORDS
    assert data_of(with_format([log, csv], {})) is RECORDS
    assert data_of(with_format([log], {"format": "transactions"})) is RECORDS
    assert data_of(with_format([log], {"item": "1"})) is RECORDS
    assert data_of(with_format([csv], {"quasi": "age"})) is PEOPLE
    assert data_of(with_format([csv], {"item_sets": "basket=goods.csv"})) is PEOPLE_WITH_ITEMS
    assert data_of(with_format([tmp_path / "missing"], {})) is RECORDS

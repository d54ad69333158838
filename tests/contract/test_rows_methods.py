"""What every method of the table that takes a log, publishes rows and makes a claim owes, on every small log.

`test_rows_contract` has what all owe, `test_unguaranteed` what is owed by those that make none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.logs import EVENTS, log_of, published_texts
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import Infeasible
from shoal.methods import METHODS, Method
from shoal.pipeline.contract import made_by

ROWS = [name for name, kind in METHODS.items() if "log" in kind.takes and kind.publishes == "rows" and not kind.guarantees_nothing]


def _cases() -> Iterator[Any]:
    for name in ROWS:
        for k in (2, 3):
            for data in EVENTS:
                yield pytest.param(METHODS[name](k=k), data, id=f"{name}(k={k}) on {data}")  # type: ignore[call-arg]


every_method_on_every_log = pytest.mark.parametrize(("method", "name"), list(_cases()))


def run(method: Method, log: Log) -> Release:
    return made_by(method, LogOriginal(log))


def test_there_are_such_methods() -> None:
    assert "infrequent" in ROWS


@every_method_on_every_log
def test_the_claims_hold_for_an_independent_judge(method: Method, name: str) -> None:
    original = LogOriginal(log_of(EVENTS[name]))
    release = made_by(method, original)
    assert release.claims == method.claims() != ()
    for claim in release.claims:
        assert claim.check(release, original).holds
        assert claim.check(Release(release.tables)).holds


@every_method_on_every_log
def test_every_published_row_is_one_of_the_log(method: Method, name: str) -> None:
    release = run(method, log_of(EVENTS[name]))
    given = Counter(text for _, text in EVENTS[name])
    assert published_texts(release) <= given
    assert release.secret is not None
    rows = release.secret.rows()
    table = release.only(RowTable)
    assert isinstance(table, RowTable)
    texts = table.frame[table.unit].to_list()
    assert [texts[row] for row in rows if row >= 0] == [text for (_, text), row in zip(EVENTS[name], rows, strict=True) if row >= 0]
    assert sorted(row for row in rows if row >= 0) == list(range(len(texts)))


@every_method_on_every_log
def test_the_input_is_not_changed(method: Method, name: str) -> None:
    log = log_of(EVENTS[name])
    run(method, log)
    assert log.frame.equals(log_of(EVENTS[name]).frame)


@every_method_on_every_log
def test_the_order_of_rows_and_the_numbers_of_people_do_not_matter(method: Method, name: str) -> None:
    log, rng = log_of(EVENTS[name]), np.random.default_rng(7)
    once = published_texts(run(method, log))
    for _ in range(3):
        numbers = rng.permutation(int(log.frame["owner"].max()) + 1)  # type: ignore[arg-type, operator]
        shuffled = log.frame[rng.permutation(len(log))]
        renumbered = shuffled.with_columns(owner=pl.Series(numbers[shuffled["owner"].to_numpy()]))
        assert published_texts(run(method, Log(renumbered, log.kind))) == once


@every_method_on_every_log
def test_the_accounting_balances(method: Method, name: str) -> None:
    release = run(method, log_of(EVENTS[name]))
    assert release.accounting is not None
    rows = release.accounting["rows"]
    assert rows.total == len(EVENTS[name])
    assert rows.of_fate("kept", "changed") == release.n_rows


@pytest.mark.parametrize("name", ROWS)
def test_more_people_than_there_are_cannot_be_asked_for(name: str) -> None:
    for events in EVENTS.values():
        with pytest.raises(Infeasible):
            run(METHODS[name](k=len({owner for owner, _ in events}) + 1), log_of(events))  # type: ignore[call-arg]


@pytest.mark.parametrize("name", ROWS)
def test_all_the_people_there_are_can_be_asked_for(name: str) -> None:
    release = run(METHODS[name](k=4), log_of(EVENTS["all alike"]))  # type: ignore[call-arg]
    assert published_texts(release) == {"same": 12}


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_written_in_a_fresh_order(name: str) -> None:
    table = run(METHODS[name](k=2), log_of(EVENTS["many people"])).only(RowTable)  # type: ignore[call-arg]
    assert isinstance(table, RowTable)
    assert len({tuple(table.shuffled().rows()) for _ in range(4)}) == 4

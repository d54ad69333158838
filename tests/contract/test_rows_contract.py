"""What every method that takes a log owes. A new method joins by being in the table; two of the tests' own stand for those to come."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.spine import NoisyQueries, OnlyWeather, a_log
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.kinds import rows_differing
from shoal.methods import METHODS, Method
from shoal.pipeline.contract import made_by

OF_LOGS: list[Method] = [OnlyWeather(), OnlyWeather(linked=False), NoisyQueries()]
OF_LOGS += [METHODS[name]() for name in METHODS if "log" in METHODS[name].takes]
# Methods whose parameters change what is counted and published.
TRIED = (
    "query-cores(theta=0.1, longest=1)",
    "query-cores(theta=0.8, word_people=3)",
    "threshold(unit=term)",
    "threshold(unit=term, rare=omit, link=person)",
    "threshold(unit=term, rare=generalize, link=rows:3, times=hour, group=3)",
    "threshold(unit=query+time, times=hour)",
    'threshold(window=hour, times=hour, link=gap:2m, columns="rank=ranges")',
    'threshold(unit=term, rare=generalize, window=hour, times=hour, words=3, link=day, columns="rank=ranges", group=2)',
)
OF_LOGS += [METHODS.make(text) for text in TRIED]

every_method = pytest.mark.parametrize("method", OF_LOGS, ids=str)


def original_of(method: Method, log: Log) -> LogOriginal:
    """The log, with a taxonomy of its words where the method needs one."""
    words = Taxonomy.from_parents({"anything": None, "weather": "anything", "name": "anything"})
    return LogOriginal(log, words if method.needs_taxonomy else None)


def run(method: Method, log: Log | None = None) -> Release:
    return made_by(method, original_of(method, log or a_log()))


@every_method
def test_the_claims_hold_with_the_original_and_without(method: Method) -> None:
    release = run(method)
    assert release.claims == method.claims()
    assert bool(release.claims) != method.guarantees_nothing
    for claim in release.claims:
        for verdict in (claim.check(release, original_of(method, a_log())), claim.check(Release(release.tables))):
            assert verdict.holds, verdict.witnesses


@every_method
def test_every_row_is_accounted_for(method: Method) -> None:
    release = run(method)
    assert release.accounting is not None
    ledger = release.accounting["rows"]
    assert ledger.total == len(a_log())
    if method.publishes == "rows":
        assert ledger.of_fate("kept", "changed") == release.n_rows


@every_method
def test_the_input_is_not_changed(method: Method) -> None:
    log = a_log()
    before = log.frame.clone()
    run(method, log)
    assert log.frame.equals(before)


@every_method
def test_neither_the_order_of_rows_nor_the_numbers_of_people_matter(method: Method) -> None:
    if not method.deterministic:
        assert method.varies in run(method).notes
        return
    log, rng = a_log(), np.random.default_rng(5)
    numbers = pl.Series(rng.permutation(1000))
    mixed = log.frame[rng.permutation(len(log))]
    other = run(method, Log(mixed.with_columns(owner=numbers.gather(mixed["owner"]).cast(pl.Int64)), log.kind))
    assert rows_differing(run(method).tables, other.tables) == 0


@every_method
def test_no_owner_is_published(method: Method) -> None:
    """The numbers of people in the log do not come out as they went in, if people are told apart at all."""
    log = a_log()
    odd = Log(log.frame.with_columns(owner=pl.col("owner") + 1_000_000), log.kind)
    for table in run(method, odd).tables.values():
        if isinstance(table, RowTable):
            shown: Any = table.shuffled()
            assert all((shown[name] < 1_000_000).all() for name, dtype in shown.schema.items() if dtype == pl.Int64)

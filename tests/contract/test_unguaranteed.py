"""What every method that guarantees nothing owes, on every small log: it says so, claims nothing, and accounts for every row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.errors import refuses
from helpers.logs import EVENTS, log_of
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible, ParameterError
from shoal.keyed.keys import SecretKey
from shoal.kinds import rows_differing
from shoal.methods import METHODS, Method
from shoal.methods.infrequent import Infrequent
from shoal.pipeline.contract import insist_on_consent, made_by, stated_lack

KEY = SecretKey.of_bytes(b"a key that only these tests have")
NAMES = [name for name, kind in METHODS.items() if kind.guarantees_nothing and "table" not in kind.takes]
TRIED: dict[str, list[dict[str, Any]]] = {
    "old-remedies": [{}, {"key": KEY}, {"ids": "none"}, {"queries": "hash", "key": KEY}, {"queries": "hash-words"}, {"scrub": True}],
    "secret-sharing": [{"k": 2}, {"k": 2, "key": KEY}],
}


def _cases() -> Iterator[Any]:
    for name in NAMES:
        for parameters in TRIED.get(name, [{}]):
            for data in EVENTS:
                yield pytest.param(METHODS[name](**parameters), data, id=f"{name} {[*parameters]} on {data}")


every_method_on_every_log = pytest.mark.parametrize(("method", "data"), list(_cases()))


def original_of(method: Method, log: Log, names: pl.Series | None = None) -> LogOriginal:
    """The log, with the names of people and a taxonomy of its words where the method asks for them."""
    people = pl.Series([f"person {number}" for number in range(1 + int(log.frame["owner"].max()))])  # type: ignore[arg-type]
    words = Taxonomy.from_parents({"anything": None, "query": "anything", "same": "anything"})
    held = Log(log.frame, log.kind, (people if names is None else names) if method.reads_names else None)
    return LogOriginal(held, words if method.needs_taxonomy else None)


def run(method: Method, original: LogOriginal) -> Release:
    try:
        return made_by(method, original)
    except Infeasible:
        pytest.skip("nothing can be published of this log with these parameters")


def test_there_are_such_methods() -> None:
    assert NAMES == ["old-remedies", "secret-sharing", "split-personality"]


@every_method_on_every_log
def test_nothing_is_claimed_and_every_row_is_accounted_for(method: Method, data: str) -> None:
    log = log_of(EVENTS[data])
    before = log.frame.clone()
    release = run(method, original_of(method, log))
    assert release.claims == method.claims() == ()
    assert release.accounting is not None
    ledger = release.accounting["rows"]
    assert ledger.total == len(log)
    assert ledger.of_fate("kept", "changed") == release.n_rows
    assert log.frame.equals(before)


@every_method_on_every_log
def test_the_order_of_rows_and_the_numbers_of_people_do_not_matter(method: Method, data: str) -> None:
    if not method.deterministic:
        return
    log, rng = log_of(EVENTS[data]), np.random.default_rng(7)
    first = original_of(method, log)
    number = rng.permutation(int(log.frame["owner"].max()) + 1)  # type: ignore[arg-type, operator]
    mixed = log.frame[rng.permutation(len(log))]
    renumbered = Log(mixed.with_columns(owner=pl.Series(number[mixed["owner"].to_numpy()])), log.kind)
    names = first.log.names.gather(np.argsort(number)) if first.log.names is not None else None
    assert rows_differing(run(method, first).tables, run(method, original_of(method, renumbered, names)).tables) == 0


@pytest.mark.parametrize("name", NAMES)
def test_it_is_refused_unless_asked_for_and_says_what_it_leaves_open(name: str) -> None:
    method = METHODS[name]()
    with pytest.raises(ParameterError) as refused:
        insist_on_consent(method, False)
    assert f"the method {name} guarantees nothing. Not protected: {method.not_protected}" in refused.value.message
    insist_on_consent(method, True)
    assert stated_lack(method) == {"no_guarantee": f"Nothing is guaranteed. Not protected: {method.not_protected}."}
    assert METHODS[name].summary().startswith("No guarantee: ")


def test_no_guarantee_is_not_asked_of_a_method_that_makes_a_claim() -> None:
    assert stated_lack(Infrequent()) == {}
    with refuses("option-not-applicable"):
        insist_on_consent(Infrequent(), True)

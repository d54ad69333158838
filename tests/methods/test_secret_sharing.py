"""Secret sharing: the decoder gives back exactly the queries that k people share."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from helpers.errors import refuses
from helpers.logs import EVENTS, log_of, random_events, shared_by_k
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import Infeasible
from shoal.keyed.keys import SecretKey
from shoal.kinds import rows_differing
from shoal.methods.secret_sharing import SecretSharing
from shoal.pipeline.contract import made_by

KEY = SecretKey.of_bytes(b"a key that only these tests have")
ROWS = [
    (0, "weather"),
    (0, "weather"),
    (0, "ann miller"),
    (1, "weather"),
    (1, "cheap flights"),
    (2, "cheap flights"),
    (2, ""),
    (1, "x" * 300),
]


def table_of(release: Release) -> RowTable:
    table = release.only(RowTable)
    assert isinstance(table, RowTable)
    return table


def run(k: int = 2, events: list[tuple[int, str]] = ROWS) -> Release:
    return made_by(SecretSharing(k=k), LogOriginal(log_of(events)))


def only(release: Release, rows: pl.Expr) -> Release:
    """A release of which some rows are at hand."""
    table = table_of(release)
    return Release({"log": RowTable(table.frame.filter(rows), table.pseudonyms)})


def test_the_small_log_by_hand() -> None:
    release = run()
    assert SecretSharing(k=2).decoded(release).rows() == [("weather", 2, 3), ("cheap flights", 2, 2)]
    assert release.accounting is not None
    assert release.accounting["rows"].as_dict() == {
        "in": 8, "readable with k shares": 5, "sealed: fewer than k people": 2, "dropped: no query": 1
    }  # fmt: skip
    assert release.accounting["words"].as_dict() == {"in": 10, "readable with k shares": 7, "sealed: fewer than k people": 3}
    frame = table_of(release).frame
    assert frame.columns == ["user", "query", "x", "y"]
    assert frame["query"].n_unique() == 4
    assert frame["x"].n_unique() == 6, "who repeats a query repeats the share; every other one is different"


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("data", [*EVENTS, "random"])
def test_the_decoder_gives_exactly_the_queries_that_k_people_share(k: int, data: str) -> None:
    events = random_events(k) if data == "random" else EVENTS[data]
    expected = shared_by_k(events, k)
    if not expected:
        with pytest.raises(Infeasible):
            run(k, events)
        return
    found = SecretSharing(k=k).decoded(run(k, events))
    assert dict(found.select("query", "rows").rows()) == expected
    assert dict(found.select("query", "people").rows()) == {
        text: len({owner for owner, other in events if other == text}) for text in expected
    }


def test_with_the_rows_of_k_minus_1_people_nothing_can_be_read() -> None:
    events = [(person, "weather") for person in range(3)]
    release = run(3, events)
    method = SecretSharing(k=3)
    assert method.decoded(release).rows() == [("weather", 3, 3)]
    for person in range(3):
        assert not len(method.decoded(only(release, pl.col("user") != table_of(release).frame["user"][person])))
        assert not len(SecretSharing(k=2).decoded(only(release, pl.col("user") != table_of(release).frame["user"][person])))


def test_changed_shares_open_nothing() -> None:
    release = run(2, [(0, "weather"), (1, "weather")])
    frame = table_of(release).frame
    for column, value in (("y", "0" * 32), ("y", "weather"), ("x", "0" * 32), ("query", "weather")):
        changed = Release({"log": RowTable(frame.with_columns(pl.lit(value).alias(column)))})
        assert not len(SecretSharing(k=2).decoded(changed)), column
    with refuses("missing-column"):
        SecretSharing(k=2).decoded(Release({"log": RowTable(frame.drop("x", "y"))}))


def named(events: list[tuple[int, str]], names: list[str]) -> LogOriginal:
    log = log_of(events)
    return LogOriginal(Log(log.frame, log.kind, pl.Series(names)))


def test_the_same_key_gives_the_same_shares_whatever_the_order_and_the_numbers_of_people() -> None:
    events, rng = random_events(9), np.random.default_rng(3)
    names = [f"person {number}" for number in range(12)]
    number = rng.permutation(12)
    mixed = [(int(number[owner]), text) for owner, text in rng.permutation(np.array(events, object)).tolist()]
    once, again = (
        made_by(SecretSharing(k=3, key=KEY), original)
        for original in (named(events, names), named(mixed, [names[old] for old in np.argsort(number)]))
    )
    assert rows_differing(once.tables, again.tables) == 0
    fresh = made_by(SecretSharing(k=3, key=SecretKey.fresh()), named(events, names))
    assert not set(table_of(once).frame["y"]) & set(table_of(fresh).frame["y"])


def test_without_a_key_all_is_new_every_time() -> None:
    one, other = (table_of(run()).frame for _ in range(2))
    for column in ("query", "x", "y"):
        assert not set(one[column]) & set(other[column])


def test_no_query_is_published() -> None:
    frame = table_of(run()).frame
    assert not {text for _, text in ROWS if text} & {value for row in frame.rows() for value in row}
    assert "weather" not in str(frame.rows())

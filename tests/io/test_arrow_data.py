"""Every object with `__arrow_c_stream__` is data, wherever data is taken; one that is not in memory is read batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import InputError, ParameterError
from shoal.io.read import frames_in_memory
from shoal.io.read.frames_in_memory import in_memory

pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
pd = pytest.importorskip("pandas")

ROWS = {"user": [f"u{n % 9}" for n in range(60)], "item": ["Milk", "Beer", "Eggs"] * 20}
QUERY = "SELECT 'u' || n % 9 AS user, ['Milk', 'Beer', 'Eggs'][1 + n % 3] AS item FROM range(60) AS t(n)"


class Foreign:
    """An object of another library, of which nothing is known but the protocol."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.fixture
def makers() -> dict[str, Callable[[], Any]]:
    """How each kind of data is made, again for each use: a reader can be read once."""
    connection = duckdb.connect()
    table = pa.table(ROWS)
    return {
        "DuckDB relation": lambda: connection.sql(QUERY),
        "Arrow table": lambda: table,
        "Arrow batch": lambda: table.to_batches()[0],
        "Arrow reader": lambda: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7)),
        "pandas frame": lambda: pd.DataFrame(ROWS),
        "Polars frame": lambda: pl.DataFrame(ROWS),
        "another object": lambda: Foreign(table),
    }


def test_every_function_takes_every_kind(makers: dict[str, Callable[[], Any]], tmp_path: Path) -> None:
    manifest = shoal.anonymize(ROWS, "km", k=2, m=1, taxonomy="generated").write(tmp_path / "release")
    assert manifest["claims"][0]["holds"]
    for kind, make in makers.items():
        made = shoal.anonymize(make(), "km", k=2, m=1, taxonomy="generated", memory="600M")
        assert made.to_polars().height == 9, kind
        assert shoal.look(make(), taxonomy="none").people == 9, kind
        assert shoal.audit(tmp_path / "release", original=make()).holds, kind
    for kind in ("DuckDB relation", "another object"):
        assert shoal.attack(makers[kind](), tmp_path / "release", "known-items", targets=3, control=0).holds
        assert shoal.advise(makers[kind](), goal="baskets", seconds=1).goals


def test_rows_that_are_not_in_memory_come_in_batches(makers: dict[str, Callable[[], Any]]) -> None:
    for kind in ("DuckDB relation", "Arrow reader", "another object"):
        source = in_memory(makers[kind]())
        assert source.table is None
        assert source.rows is not None, kind
    source = in_memory(makers["Arrow reader"]())
    assert source.rows is not None
    assert max(len(part) for part in source.rows.parts(["user"])) == 7


def test_without_pyarrow_they_are_read_at_once(makers: dict[str, Callable[[], Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames_in_memory, "stream_of", lambda data: None)
    assert len(shoal.read(makers["another object"]()).data) == 60


def test_a_reader_is_read_once(makers: dict[str, Callable[[], Any]]) -> None:
    reader = makers["Arrow reader"]()
    with pytest.raises(ParameterError) as refused:
        shoal.advise(reader)
    assert refused.value.code == "input-read-once"
    shoal.read(reader)
    with pytest.raises(InputError) as empty:
        shoal.read(reader)
    assert empty.value.code == "empty-input"
    assert "only once" in empty.value.hint


def test_a_failure_of_another_library_shows_no_data() -> None:
    connection = duckdb.connect()
    late = "SELECT n AS user, CASE WHEN n > 300000 THEN error('canary') ELSE 'x' END AS item FROM range(400000) AS t(n)"
    for query in (late, "SELECT CAST('canary' AS INT) AS item, 1 AS user"):
        with pytest.raises(InputError) as refused:
            shoal.read(connection.sql(query))
        assert refused.value.code == "lazy-query-failed"
        assert "canary" not in str(refused.value)
        assert refused.value.__suppress_context__


def test_what_sends_no_rows_is_refused() -> None:
    for data in (Foreign(pa.chunked_array([[1, 2]])), object()):
        with pytest.raises(InputError) as refused:
            shoal.read(data)
        assert refused.value.code in ("unsupported-data", "lazy-query-failed", "missing-column")

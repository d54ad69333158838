"""The share of words that stand in a counted value, on a log whose words can be counted by hand."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.data.log import Kind, Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.counts import CountTable
from shoal.metrics import measure

TEXTS = ["rain today", "rain today", "cheap flights to rome", "rain", ""]  # nine words


def share(payloads: list[str], kind: Kind, **columns: list[str]) -> float:
    log = Log(pl.DataFrame({"owner": range(len(payloads)), "payload": payloads}, schema={"owner": pl.Int64, "payload": pl.String}), kind)
    rows = len(next(iter(columns.values())))
    table = CountTable(pl.DataFrame({**columns, "count": [7] * rows}, schema={**dict.fromkeys(columns, pl.String), "count": pl.Int64}))
    return measure(Release({"counts": table}), LogOriginal(log))["words_counted"]


def test_words_of_published_queries() -> None:
    assert share(TEXTS, "text", query=["rain today"]) == pytest.approx(4 / 9)


def test_published_terms_wherever_they_stand() -> None:
    assert share(TEXTS, "text", term=["rain", "rome"]) == pytest.approx(4 / 9)


def test_words_of_published_pairs() -> None:
    assert share(TEXTS, "text", first=["cheap"], second=["flights"]) == pytest.approx(2 / 9)


def test_published_items() -> None:
    assert share(["milk", "bread", "milk", "my own cheese"], "item", item=["milk"]) == pytest.approx(2 / 4)


def test_nothing_published() -> None:
    assert share(TEXTS, "text", query=[]) == 0

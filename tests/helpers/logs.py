"""Small logs that every method of rows has to cope with, and what is published of them, counted from the definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import polars as pl

from shoal.data.log import Kind, Log
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable

Event = tuple[int, str]


def log_of(events: Iterable[Event], kind: Kind = "text") -> Log:
    rows = list(events)
    columns = {"owner": [owner for owner, _ in rows], "payload": [text for _, text in rows]}
    return Log(pl.DataFrame(columns, schema={"owner": pl.Int64, "payload": pl.String}), kind)


def shared_by_k(events: Iterable[Event], k: int) -> Counter[str]:
    """Every query of at least k people with its rows: the definition, in plain Python."""
    rows = [(owner, text) for owner, text in events if text]
    return Counter(text for _, text in rows if len({owner for owner, other in rows if other == text}) >= k)


def published_texts(release: Release) -> Counter[str]:
    table = release.only(RowTable)
    assert isinstance(table, RowTable)
    return Counter(table.frame[table.unit].to_list())


def random_events(seed: int, n: int = 200, people: int = 12, texts: int = 25) -> list[Event]:
    rng = np.random.default_rng(seed)
    words = rng.zipf(1.5, n) % texts
    return [(int(owner), f"query {word}" if word else "") for owner, word in zip(rng.integers(0, people, n), words, strict=True)]


EVENTS: dict[str, list[Event]] = {
    "one person repeats": [(0, "a")] * 9 + [(1, "b"), (2, "b"), (3, "b")],
    "spellings differ": [(n, text) for n in range(3) for text in ("New York", "new york", "new  york", "née", "ne\u0301e")],
    "odd texts": [
        (n, text) for n in range(3) for text in ('say "x"', "a,b", "null", "*", "-", "NaN", "=1+1", "🐟", "0", "\\N", "line\nend")
    ],
    "empty queries": [(n, text) for n in range(4) for text in ("", "dog")],
    "all alike": [(n % 4, "same") for n in range(12)],
    "random": random_events(1),
    "many people": random_events(2, 400, 60, 40),
}

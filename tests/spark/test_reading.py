"""Text is read by tasks, part by part, or comes line by line from Spark, as its path says: the rows, tallies and errors are the same."""

from __future__ import annotations

import gzip
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from shoal.cluster import spark
from shoal.cluster.input_layout import find_input, tallied
from shoal.cluster.read_events import events_of_lines, events_of_spans
from shoal.cluster.spark import Cluster
from shoal.errors import InputError
from shoal.pipeline.options import Preparation

HEAD = b"AnonID\tQuery\tQueryTime\n"
ROWS = [f"p{n % 7}\tquery {n % 5}\t2006-03-01 10:{n % 60:02}:00".encode() for n in range(90)]
FILES = {
    "a b%.tsv": b"\xef\xbb\xbf" + HEAD + b"\n".join(ROWS[:50]),  # a mark at the head, no end of the last line
    "c.tsv": HEAD.replace(b"\n", b"\r\n") + b"\r\n".join(ROWS[50:]) + b"\r\n\r\n\nbroken\n\xff\tmilk\t2006-03-01 10:00:00\n",
}


def events_in(session: Any, place: Path, files: dict[str, bytes], packed: bool) -> tuple[Any, Any, list[Any]]:
    """The sums, the defects and all events of files, plain or packed."""
    place.mkdir()
    for name, content in files.items():
        (place / f"{name}.gz" if packed else place / name).write_bytes(gzip.compress(content) if packed else content)
    cluster = Cluster(session, place.with_suffix(".work"))
    cluster.place.mkdir()
    found = find_input(cluster, [str(place)], Preparation())
    assert found.work is (events_of_lines if packed else events_of_spans)
    sent = found.sent_to_owners(cluster)
    parts = [sent.table(iter([part])).to_pylist() for part in range(sent.parts)]
    assert all(len({row["key"] for row in rows} & {row["key"] for row in others}) == 0 for rows, others in combinations(parts, 2))
    sums, defects = tallied(sent.words)
    sums["used"] = sum(map(len, parts))
    found.with_totals(sums, defects)
    return sums, defects, sorted(tuple(row.items()) for rows in parts for row in rows)


def test_both_ways_give_the_same_rows(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "LEAST_SPAN", 100)
    monkeypatch.setattr(spark, "PARTITION_BYTES", 333)
    by_tasks = events_in(session, tmp_path / "plain", FILES, packed=False)
    by_spark = events_in(session, tmp_path / "packed", FILES, packed=True)
    assert by_tasks == by_spark
    sums, defects, events = by_tasks
    assert (sums["headers"], len(events), sum(defects.values())) == (2, 90, 2)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"a.tsv": b"", "b.tsv": b""}, "empty"),
        ({"a.tsv": HEAD + ROWS[0], "b.tsv": ROWS[1]}, "a file has none"),
        ({"a.tsv": HEAD}, "no usable row"),
    ],
)
def test_both_ways_refuse_the_same(session: Any, tmp_path: Path, files: dict[str, bytes], told: str) -> None:
    for packed in (False, True):
        with pytest.raises(InputError, match=told):
            events_in(session, tmp_path / str(packed), files, packed=packed)

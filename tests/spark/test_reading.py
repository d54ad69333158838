"""Text is read by tasks, part by part, or comes line by line from Spark, as its path says: the rows, tallies and errors are the same."""

from __future__ import annotations

import gzip
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from shoal.cluster import input_layout, spark
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


def events_in(session: Any, place: Path, files: dict[str, bytes], packed: bool, named: bool = False) -> tuple[Any, Any, list[Any]]:
    """The sums, the defects and all events of files, plain or packed, which are named, or only their directory is."""
    place.mkdir()
    for name, content in files.items():
        (place / f"{name}.gz" if packed else place / name).write_bytes(gzip.compress(content) if packed else content)
    cluster = Cluster(session, place.with_suffix(".work"))
    cluster.place.mkdir()
    found = find_input(cluster, [str(place / name) for name in files] if named else [str(place)], Preparation())
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


def test_plain_files_that_are_named_are_not_looked_for(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found_by_spark = events_in(session, tmp_path / "directory", FILES, packed=False)
    monkeypatch.setattr(Cluster, "paths_are_local", False)
    assert events_in(session, tmp_path / "asked", FILES, packed=False, named=True) == found_by_spark
    monkeypatch.undo()
    monkeypatch.setattr(Cluster, "lines", None)
    assert events_in(session, tmp_path / "named", FILES, packed=False, named=True) == found_by_spark


def test_spark_looks_for_what_it_would_not_read_as_it_is_named(tmp_path: Path) -> None:
    for name in ("a.tsv", "_hidden.tsv", ".hidden.tsv", "[b].tsv", "c*.tsv", "d:e.tsv", "f.tsv.gz"):
        (tmp_path / name).touch()
        assert input_layout._single_files([str(tmp_path / name)]) == ([tmp_path / name] if name == "a.tsv" else [])
    plain = str(tmp_path / "a.tsv")
    for paths in ([plain, plain], [str(tmp_path)], [plain, str(tmp_path / "none.tsv")], [f"file:{plain}"]):
        assert input_layout._single_files(paths) == []

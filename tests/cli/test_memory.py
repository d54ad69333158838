"""--memory: what does not fit is put aside on the disk; the release is the same, nothing is left behind, what cannot be done is refused."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cli import Shell, failed, query_log
from helpers.errors import refuses
from shoal import methods as all_methods
from shoal.data import bags
from shoal.data import column_storage as shelf
from shoal.engines import ranges as by_ranges
from shoal.io import disk_columns as spill
from shoal.io.disk_columns import Spill
from shoal.io.read import parquet
from shoal.io.read import streaming_records as parts
from shoal.kinds import read_tables, rows_differing
from shoal.kinds.bags import write as write_bags
from shoal.methods import ssc
from shoal.pipeline import options as memory
from shoal.pipeline import prepare
from shoal.pipeline import run as pipeline
from shoal.pipeline.manifest import Published

LEAST = "512M"
SAME = ("accounting", "input", "metrics", "claims")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> list[Spill]:
    """Few people in a part and no row that waits, so that a small log is put aside too; the places where that was done."""
    made: list[Spill] = []
    for name, value in {"PEOPLE": 7, "PARCEL": 0, "WAITING": 0}.items():
        monkeypatch.setattr(parts, name, value)
    original = memory.Memory.spill

    def noted(self: memory.Memory) -> Spill:
        made.append(original(self))
        return made[-1]

    monkeypatch.setattr(memory.Memory, "spill", noted)
    return made


def made_with(shell: Shell, out: str, *words: str) -> tuple[dict, dict]:
    answer = shell("anonymize", "log.tsv", "--k", "3", "--out", out, *words)
    assert answer.code == 0, answer.err
    published = Published.at(shell.directory / out)
    return read_tables(shell.directory / out, published.tables), published.manifest


@pytest.mark.parametrize("method", ["shoal", "clump", "coherence"])
def test_the_release_is_the_same_with_any_limit(shell: Shell, small_parts: list[Spill], method: str) -> None:
    shell.file("log.tsv", query_log(users=60, queries=4))
    words = ("--method", method)
    tables, manifest = made_with(shell, "plain", *words)
    for out, limit in (("least", LEAST), ("more", "1G")):
        found, told = made_with(shell, out, *words, "--memory", limit)
        assert rows_differing(tables, found) == 0
        assert (told["accounting"], told["input"], told["metrics"]) == (manifest["accounting"], manifest["input"], manifest["metrics"])
    least, more = small_parts
    assert least.spilled > 0  # no row stays in memory at the least limit,
    assert more.spilled == 0  # and all do where there is room
    assert shell.names() == {"log.tsv", "plain", "least", "more"}


@pytest.mark.parametrize("method", ["shoal", "clump"])
def test_ranges_and_blocks_of_few_records_give_the_same_release(shell: Shell, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """Ranges as in a large log; then everything that is done by blocks is done by a few records, with a person without words among them."""
    monkeypatch.setattr(by_ranges, "SMALLEST_RANGE", 20)
    shell.file("log.tsv", query_log(users=150, queries=3) + "7\tthe\t2006-03-01 10:00:00\t\t\n")
    ranges: list[int] = []
    monkeypatch.setattr(by_ranges, "formed_range", noting(by_ranges.formed_range, ranges))
    tables, manifest = made_with(shell, "plain", "--method", method)
    assert len(ranges) > 1
    for module, name, few in (
        (bags, "AT_ONCE", 5),
        (shelf, "RECORDS_AT_ONCE", 3),
        (write_bags, "ROWS_AT_ONCE", 7),
        (parquet, "LISTS_AT_ONCE", 4),
    ):
        monkeypatch.setattr(module, name, few)
    found, told = made_with(shell, "limited", "--method", method, "--memory", LEAST)
    assert rows_differing(tables, found) == 0
    assert len(ranges) % 2 == 0
    assert sorted(ranges[: len(ranges) // 2]) == sorted(ranges[len(ranges) // 2 :])  # without a limit two are begun at a time
    assert {name: told[name] for name in SAME} == {name: manifest[name] for name in SAME}
    assert shell.names() == {"log.tsv", "plain", "limited"}


def noting(form: Callable, sizes: list[int]) -> Callable:
    def formed(*arguments: Any) -> Any:
        sizes.append(len(arguments[1]))
        return form(*arguments)

    return formed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--memory", "100M"), "--memory 100M is too little: 512M are needed"),
        (("--memory", "much"), "--memory is a size such as 2G or 800M, not 'much'"),
        (("--memory", "1G", "--method", "threshold"), "--memory is for methods that take records"),
        (("--memory", "1G", "--format", "transactions"), "--memory is for query logs and tables, but the format is transactions"),
        (("--memory", "1G", "--attack", "known-items"), "attacks keep the whole log in memory"),
        (("--memory", "1G", "--engine", "spark"), "--memory is for one machine"),
    ],
)
def test_what_cannot_be_bounded_is_refused_in_one_line(shell: Shell, words: tuple[str, ...], said: str) -> None:
    shell.file("log.tsv", query_log(users=20, queries=2))
    answer = shell("anonymize", "log.tsv", "--out", "out", *words)
    assert answer.code in (1, 2)
    assert said in answer.err
    assert shell.names() == {"log.tsv"}


@pytest.mark.parametrize(("method", "why"), [("shoal", ""), ("partition", ", all of which this method keeps in memory")])
def test_a_limit_that_the_records_exceed_says_what_is_needed(shell: Shell, monkeypatch: pytest.MonkeyPatch, method: str, why: str) -> None:
    """The method is not begun. One that works on a range at a time needs less than one that holds all records."""
    shell.file("log.tsv", query_log(users=20, queries=2))
    monkeypatch.setattr(pipeline, "made_by", None)
    monkeypatch.setattr(prepare, "BY_RANGES", memory.Needs(0, (1 << 30) if method == "shoal" else 0))
    monkeypatch.setattr(pipeline, "WHOLE", memory.Needs(0, 1 << 30, memory.WHOLE.why))
    answer = shell("anonymize", "log.tsv", "--method", method, "--out", "out", "--memory", "2G")
    assert answer.code != 0
    assert "--memory 2.0G is too little for 20 records of" in answer.err
    assert f"{why}: about 20.4G are needed" in answer.err
    assert shell.names() == {"log.tsv"}


@pytest.mark.parametrize(
    ("words", "known"),
    [(("coherence", "--p", "3"), 3), (("km", "--m", "2"), 2), (("disassociation", "--m", "2"), 2), (("apriori", "--m", "3"), 3)],
)
def test_what_a_method_needs_includes_the_sets_that_it_counts(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], known: int
) -> None:
    """All records have the same words, so there are as many sets as one of them has. The method is not begun."""
    people, items = 50, [f"w{i}" for i in range(20)]
    shell.file("table.tsv", "user\titem\n" + "".join(f"{who}\t{item}\n" for who in range(people) for item in items))
    monkeypatch.setattr(pipeline, "made_by", None)
    monkeypatch.setattr(all_methods, "PER_SET", 1 << 30)
    tree = ("--taxonomy", "generated") if words[0] in ("km", "apriori") else ()
    answer = shell("anonymize", "table.tsv", "--method", *words, *tree, "--out", "out", "--memory", "2G")
    sets = sum(len(list(combinations(items, size))) for size in range(2, known + 1))
    needed = memory.FIXED + people * memory.WHOLE.record + people * len(items) * memory.WHOLE.entry + (sets << 30)
    line = failed(answer, "memory-too-small", needed=needed)
    assert "with additional memory for its search" in line
    assert shell.names() == {"table.tsv"}


def test_what_ssc_needs_includes_its_index(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.file("table.tsv", "user\titem\n" + "".join(f"{who}\t{item}\n" for who in range(9) for item in ("dog", "cat")))
    monkeypatch.setattr(pipeline, "made_by", None)
    monkeypatch.setattr(ssc, "PER_TERM", 1 << 30)
    answer = shell("anonymize", "table.tsv", "--method", "ssc", "--out", "out", "--memory", "2G")
    needed = memory.FIXED + 9 * memory.WHOLE.record + 18 * memory.WHOLE.entry + (18 << 30)
    failed(answer, "memory-too-small", needed=needed)
    assert shell.names() == {"table.tsv"}


@given(st.lists(st.sets(st.integers(0, 7)), max_size=6), st.integers(1, 4))
def test_sets_of_items_are_counted_in_each_record(records: list[set[int]], size: int) -> None:
    names = [[str(item) for item in record] for record in records]
    found = bags.Bags.from_lists(names)
    every = sorted({name for record in names for name in record})
    expected = sum(len(list(combinations(record, size))) for record in names)
    assert found.n_sets(size) == min(expected, len(list(combinations(every, size))))


@pytest.mark.parametrize(
    ("text", "size"), [("2G", 2 << 30), ("1.5g", 3 << 29), ("800 MB", 800 << 20), (1 << 30, 1 << 30), ("1GiB", 1 << 30)]
)
def test_sizes(text: str | int, size: int) -> None:
    found = memory.Memory.parse(text)
    assert found is not None
    assert found.limit == size


@pytest.mark.parametrize("text", ["", "-1G", "G", "1.G", "1X", True, "1e9"])
def test_what_is_no_size(text: str | int) -> None:
    with refuses("unreadable-value"):
        memory.Memory.parse(text)


def test_what_is_put_aside_has_no_name(tmp_path: Path) -> None:
    """Whatever ends the process, nothing is left; and nobody else can open it."""
    aside, column = Spill(tmp_path, 0), Spill(tmp_path, 0).column("int32")
    first, second = aside.put(b"some"), aside.put(b"thing")
    column.add(np.arange(5, dtype=np.int32))
    assert list(tmp_path.iterdir()) == []
    assert (aside.take(second), aside.take(first)) == (b"thing", b"some")
    assert column.whole().tolist() == [0, 1, 2, 3, 4]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted: that takes root and the right to mount")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_full_disk_is_one_clear_error(shell: Shell, small_parts: list[Spill], small_disk: Path) -> None:
    shell.file("log.tsv", query_log(users=60, queries=40))
    answer = shell("anonymize", "log.tsv", "--out", small_disk / "out", "--memory", LEAST)
    assert answer.code == 1
    assert f"the disk is full: temporary data in {small_disk} was not written" in answer.err
    assert list(small_disk.iterdir()) == []


def test_a_directory_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    with refuses("not-writable"):
        spill.UnnamedFile(tmp_path / "absent")

"""Several files and patterns as one log, and standard input."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable

import polars as pl
import pytest
import zstandard

from helpers.cli import Shell, failed, one_line
from helpers.tampering import manifest_of

PEOPLE = ("ann", "bob", "cid", "dan", "eve", "fay")
ROWS = [f"{who},{item}\n" for n, who in enumerate(PEOPLE) for item in ("milk", "tea", "salt")[: n % 3 + 1]]
HEADER = "user,item\n"
WHOLE = HEADER + "".join(ROWS)
SAID = ("--taxonomy", "generated", "--k", "2", "--to", "csv")


@pytest.fixture
def split(shell: Shell) -> Shell:
    """One log as it is, and in three files that share people."""
    shell.file("whole.csv", WHOLE)
    for n, name in enumerate(("part-1.csv", "part-2.csv.gz", "part-3.csv")):
        content = (HEADER + "".join(ROWS[n::3])).encode()
        shell.file(name, gzip.compress(content) if name.endswith("gz") else content)
    return shell


def published(shell: Shell, name: str) -> list[str]:
    """The published records, without their numbers."""
    lines = (shell.directory / name / "records.csv").read_text().splitlines()[1:]
    return sorted(line.split(",", 1)[1] for line in lines)


def typed_in(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """Let this come through standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))


PARTS = ("part-1.csv", "part-2.csv.gz", "part-3.csv")


@pytest.mark.parametrize("names", [PARTS, PARTS[::-1], ("part-*",), ("part-[13].csv", "part-2.csv.gz")])
def test_several_files_are_one_log(split: Shell, names: tuple[str, ...]):
    assert split("anonymize", "whole.csv", *SAID, "--out", "one").code == 0
    done = split("anonymize", *names, *SAID, "--out", "several")
    assert done.code == 0, done.err
    assert "3 files are read as one log" in done.err
    assert f"{len(PEOPLE)} records of {len(PEOPLE)} people" in done.out
    assert published(split, "several") == published(split, "one")
    told = manifest_of(split.directory / "several")["input"]
    assert told == {**manifest_of(split.directory / "one")["input"], "files": 3}
    assert "part-" not in (split.directory / "several" / "manifest.json").read_text()


def test_every_command_takes_them(split: Shell):
    assert split("anonymize", *PARTS, *SAID, "--out", "release").code == 0
    each = [word for name in PARTS for word in ("--original", name)]
    assert split("audit", "release", *each).code == 0
    assert split("audit", "release", "--original", "part-*").code == 0
    fewer = split("audit", "release", "--original", "part-1.csv")
    assert fewer.code == 3
    measured = json.loads(split("measure", "release", *each, "-m", "loss", "--json").out)["loss"]
    assert measured == pytest.approx(manifest_of(split.directory / "release")["metrics"]["loss"])
    assert json.loads(split("look", *PARTS, "--taxonomy", "none", "--json").out)["people"] == len(PEOPLE)
    assert json.loads(split("taxonomy", "coverage", "generated", *PARTS, "--json").out)["records"] == len(PEOPLE)
    assert split("bound", *PARTS, "--taxonomy", "generated", "--k", "2").code == 0


def test_a_defect_is_told_with_its_file(split: Shell):
    split.file("broken.csv", HEADER + "ann,\n")
    done = split("look", "part-1.csv", "broken.csv", "--taxonomy", "none", "--malformed", "0.5")
    assert "left out: 1 x no item: line broken.csv:2" in done.err
    assert "broken.csv:2" in failed(split("look", "part-1.csv", "broken.csv", "--strict"), "defective-rows")


UNLIKE = {
    "another column": ("user,when,item\nann,2024-01-01,milk\n", "are not one log: their columns differ: 'user', 'item' and 'user', 'when'"),
    "another format": ("user,query\nann,milk\n", "one is of the format table, the other querylog"),
    "another separator": ("user;item\nann;milk\n", "separators, headers or numbers of fields differ"),
    "no owner": ("who,item\nann,milk\nbob,tea\n", "other cannot be read like whole.csv: other has no"),
    "no header": ("ann,milk\nbob,milk\n", "other cannot be read like whole.csv: other has no known header"),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_files_with_other_columns_are_refused_by_both_names(split: Shell, name: str):
    content, said = UNLIKE[name]
    split.file("other", content)
    line = one_line(split("look", "whole.csv", "other"))
    assert said in line
    assert "whole.csv" in line and "other" in line


def test_a_file_that_is_named_twice(split: Shell):
    (split.directory / "link.csv").symlink_to("whole.csv")
    assert "whole.csv" in failed(split("look", "whole.csv", "whole.csv"), "input-named-twice")
    assert "link.csv" in failed(split("look", "whole.csv", "link.csv"), "input-named-twice")
    assert "part-1.csv" in failed(split("look", "part-*", "part-1.csv"), "input-named-twice")


@pytest.mark.parametrize("packed", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_a_file_and_its_compressed_copy_are_not_two_files(shell: Shell, packed: Callable[[bytes], bytes]) -> None:
    """Each line of transactions is a person: each would be two."""
    suffix = ".gz" if packed is gzip.compress else ".zst"
    (shell.directory / "all").mkdir()
    (shell.directory / "all" / "a.txt").write_bytes(b"tea,milk\n")
    (shell.directory / "all" / f"a.txt{suffix}").write_bytes(packed(b"tea,milk\n"))
    assert "seems to be a copy" in failed(shell("look", "all", "--format", "transactions"), "input-named-twice")
    (shell.directory / "all" / f"a.txt{suffix}").write_bytes(packed(b"tea,ham\n"))
    assert shell("look", "all", "--format", "transactions", "--taxonomy", "none").code == 0


def test_a_pattern_without_a_match_and_a_name_with_a_bracket(split: Shell):
    assert "nothing-*" in failed(split("look", "nothing-*"), "file-not-found")
    split.file("a[1].csv", WHOLE)
    assert split("look", "a[1].csv", "--taxonomy", "none").code == 0


def test_transactions_access_logs_microdata_json_and_parquet(shell: Shell):
    shell.file("a", "milk,tea\nmilk\n")
    shell.file("b", "salt,milk,tea\n")
    found = json.loads(shell("look", "a", "b", "--format", "transactions", "--taxonomy", "none", "--json").out)
    assert (found["records"], found["items"], found["occurrences"]) == (3, 3, 6)
    line = '10.0.0.{} - - [17/May/2015:10:05:03 +0000] "GET /tea HTTP/1.1" 200 5 "-" "-"\n'
    shell.file("a", line.format(1) + line.format(2))
    shell.file("b", line.format(2) + line.format(3))
    assert json.loads(shell("look", "a", "b", "--taxonomy", "none", "--json").out)["people"] == 3
    shell.file("a", "who,age\nann,30\nbob,40\n")
    shell.file("b", "who,age\nann,50\n")
    microdata = ("--format", "microdata", "--user", "who")
    table = json.loads(shell("look", "a", "b", *microdata, "--json").out)
    assert (table["people"], table["rows"]) == (2, {"in": 3, "used": 3})
    shell.file("b", "who,age\nann,old\n")
    assert "'age': line b:2" in failed(shell("look", "a", "b", *microdata), "defective-rows")
    shell.file("b", "who,pay\nann,1\n")
    failed(shell("look", "a", "b", *microdata), "files-not-alike")
    for n, name in enumerate("ab"):
        pl.DataFrame({"user": ["ann", f"u{n}"], "item": ["tea", "tea"]}).write_parquet(shell.directory / name)
    assert json.loads(shell("look", "a", "b", "--taxonomy", "none", "--json").out)["people"] == 3
    for n, name in enumerate("ab"):
        shell.file(name, f'{{"user": "ann", "item": "tea"}}\n{{"user": "u{n}", "item": "tea"}}\n')
    assert json.loads(shell("look", "a", "b", "--taxonomy", "none", "--json").out)["people"] == 3


def test_spellings_of_an_owner_in_two_files(shell: Shell):
    shell.file("a", HEADER + "ann,tea\n")
    shell.file("b", HEADER + "Ann,tea\n")
    failed(shell("look", "a", "b"), "user-spelling-unclear", written=2, folded=1)


PACKED = {"plain": lambda raw: raw, "gzip": gzip.compress, "zstd": zstandard.ZstdCompressor().compress}


@pytest.mark.parametrize("packing", PACKED)
def test_standard_input(split: Shell, monkeypatch: pytest.MonkeyPatch, packing: str):
    assert split("anonymize", "whole.csv", *SAID, "--out", "one").code == 0
    content = PACKED[packing](WHOLE.encode())
    typed_in(monkeypatch, content)
    done = split("anonymize", "-", *SAID, "--out", "piped")
    assert done.code == 0, done.err
    assert published(split, "piped") == published(split, "one")
    assert manifest_of(split.directory / "piped")["input"] == manifest_of(split.directory / "one")["input"]
    typed_in(monkeypatch, content)
    assert split("audit", "piped", "--original", "-").code == 0
    typed_in(monkeypatch, content)
    assert "standard input: nothing was written" in split("look", "-", "--taxonomy", "none").out


def test_more_than_a_head_through_a_pipe(shell: Shell):
    rows = "".join(f"u{n % 5000},item{n % 7}\n" for n in range(60_000))
    shell.file("input", HEADER + rows)
    words = [sys.executable, "-m", "shoal", "look", "-", "--taxonomy", "none", "--json"]
    piped = subprocess.run(words, input=("\ufeff" + HEADER + rows).encode(), capture_output=True, check=True, cwd=shell.directory)
    assert json.loads(piped.stdout) == json.loads(shell("look", "input", "--taxonomy", "none", "--json").out)


def test_what_standard_input_cannot_give(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    typed_in(monkeypatch, b"")
    failed(shell("look", "-"), "empty-input")
    typed_in(monkeypatch, gzip.compress(WHOLE.encode())[:-9])
    failed(shell("look", "-"), "truncated-file")
    parquet = io.BytesIO()
    pl.DataFrame({"user": ["ann"], "item": ["tea"]}).write_parquet(parquet)
    typed_in(monkeypatch, parquet.getvalue())
    failed(shell("look", "-"), "parquet-from-standard-input")
    typed_in(monkeypatch, WHOLE.encode())
    failed(shell("look", "-", "-"), "input-named-twice")


def test_reading_reports_how_far_it_is(split: Shell, monkeypatch: pytest.MonkeyPatch):
    from shoal import kernels
    from shoal.io.read.dispatch import read

    monkeypatch.setattr("shoal.io.read.source.CHUNK", 40)
    seen: list[tuple[str, int, int]] = []
    with kernels.using(watch=lambda *told: seen.append(told)):
        read([split.directory / name for name in ("part-1.csv", "part-3.csv")])
    size = sum((split.directory / name).stat().st_size for name in ("part-1.csv", "part-3.csv"))
    reading = [(done, total) for label, done, total in seen if label == "reading"]
    assert {total for _, total in reading} == {size}
    assert reading == sorted(reading)
    assert reading[-1] == (size, size)


def test_no_progress_in_a_pipe(split: Shell):
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "look", "whole.csv", "--taxonomy", "none"], capture_output=True, check=True, cwd=split.directory
    )
    assert b"reading" not in done.stderr

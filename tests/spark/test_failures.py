"""A damaged input and a full disk, on the command line: one line, exit code 1, nothing left in or beside the output, no content told."""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import shoal
from helpers.cli import Shell

pytestmark = pytest.mark.usefixtures("session")
OWNER, QUERY = "88776655443", "zzqa unheardofquery"
SMALL = "64k"  # of a file system on which no step of a run has room


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """A log in which one person asks for something that nobody else does."""
    made = shoal.generate(users=300, seed=3)
    return made.with_columns(pl.lit(OWNER).alias("AnonID"), pl.lit(QUERY).alias("Query"))[:50].vstack(made.cast({"AnonID": pl.String}))


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A directory on a file system with hardly any room."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", place], check=False).returncode:
        pytest.skip("a small file system can be mounted by root alone")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)  # Spark may hold a file open that it could not write


def fails(shell: Shell, log: str, out: str) -> str:
    """What is said of a run that fails as it should."""
    run = shell(
        "anonymize", shell.directory / log, "--k", "5", "--effort", "fast", "--engine", "spark", "--master", "local[2]", "--out", out
    )
    assert run.code == 1, run.err
    told = [line for line in run.err.splitlines() if line.startswith("shoal: ")]
    assert len(told) == 1, run.err
    assert "Traceback" not in run.err
    assert OWNER not in run.everything
    assert QUERY not in run.everything
    return told[0]


def damaged_packed(frame: pl.DataFrame) -> bytes:
    whole = gzip.compress(frame.write_csv(separator="\t").encode())
    return whole[: len(whole) // 2]


def damaged_parquet(frame: pl.DataFrame, place: Path) -> bytes:
    """Its end, which says where its columns are, is whole; a part in the middle is not."""
    frame.write_parquet(place)
    whole = bytearray(place.read_bytes())
    third = len(whole) // 3
    whole[third : 2 * third] = bytes(third)
    return bytes(whole)


@pytest.mark.parametrize("name", ["log.tsv.gz", "log.parquet"])
def test_a_damaged_file(shell: Shell, frame: pl.DataFrame, name: str) -> None:
    log = shell.directory / name
    log.write_bytes(damaged_packed(frame) if name.endswith("gz") else damaged_parquet(frame, log))
    assert "damaged" in fails(shell, name, "release")
    assert [entry.name for entry in shell.directory.iterdir()] == [name]


def test_a_file_that_is_no_parquet(shell: Shell, frame: pl.DataFrame) -> None:
    (shell.directory / "log.parquet").write_bytes(frame.write_csv(separator="\t").encode())
    assert "damaged" in fails(shell, "log.parquet", "release")
    assert [entry.name for entry in shell.directory.iterdir()] == ["log.parquet"]


def test_a_full_disk(shell: Shell, frame: pl.DataFrame, full_disk: Path) -> None:
    frame.write_csv(shell.directory / "log.tsv", separator="\t")
    assert "full" in fails(shell, "log.tsv", str(full_disk / "release"))
    assert not list(full_disk.iterdir())

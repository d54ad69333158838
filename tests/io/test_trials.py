"""The process that reads files on trial: it stays for the next file, and whatever ends it, only a damaged file is called so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from shoal.io.read import parquet as trials
from shoal.io.read.parquet import PROGRAM, Trials


@pytest.fixture
def readers() -> Iterator[Trials]:
    found = Trials()
    yield found
    found.end()


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    pl.DataFrame({"user": ["a", "b"], "item": ["milk", "tea"]}).write_parquet(tmp_path / "sound")
    return tmp_path / "sound"


def reads(readers: Trials, path: Path, names: list[str] | None = None) -> bool:
    return readers.can_read(path, 100, most_rows=None, names=names)


def process_of(readers: Trials) -> int:
    assert readers._process is not None
    return readers._process.pid


def test_one_process_reads_several_files(readers: Trials, sound: Path) -> None:
    assert reads(readers, sound)
    first = process_of(readers)
    assert reads(readers, sound, ["item"])
    assert reads(readers, sound, [])
    assert process_of(readers) == first


def test_damaged_files_and_columns_that_are_not_there_are_told_and_nothing_after_them(readers: Trials, sound: Path, tmp_path: Path) -> None:
    whole = sound.read_bytes()
    (tmp_path / "damaged").write_bytes(whole[:20] + bytes(len(whole) - 40) + whole[-20:])
    for _ in range(2):
        assert not reads(readers, tmp_path / "damaged")
        assert not reads(readers, sound, ["colour"])
        assert reads(readers, sound)


@pytest.mark.parametrize("wait", [True, False])
def test_a_process_that_was_ended_by_somebody_says_nothing_of_the_next_file(readers: Trials, sound: Path, wait: bool) -> None:
    assert reads(readers, sound)
    os.kill(process_of(readers), signal.SIGKILL)
    if wait:
        time.sleep(0.2)
    assert reads(readers, sound)


def test_an_interrupt_ends_the_process(readers: Trials, sound: Path) -> None:
    """Otherwise its answer would be taken for that of the next file."""
    assert reads(readers, sound)
    before = process_of(readers)
    real = readers._answers
    assert real is not None

    class Interrupted:
        def read(self, size: int) -> bytes:
            raise KeyboardInterrupt

        def close(self) -> None:
            real.close()

    readers._answers = Interrupted()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        reads(readers, sound)
    with pytest.raises(ProcessLookupError):
        os.kill(before, 0)
    assert reads(readers, sound)


def test_a_fork_begins_a_process_of_its_own(readers: Trials, sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reads(readers, sound)
    before = readers._process
    assert before is not None
    here = os.getpid()
    monkeypatch.setattr(trials.os, "getpid", lambda: here + 1)
    assert reads(readers, sound)
    assert process_of(readers) != before.pid
    assert before.poll() is None
    readers.end()
    before.kill()
    before.communicate()


def test_after_a_large_file_memory_is_given_back(readers: Trials, sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "LARGE", 1)
    assert reads(readers, sound)
    assert readers._process is None


def test_what_is_printed_there_is_no_answer(readers: Trials, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what some environments load into every program."""
    (tmp_path / "sitecustomize.py").write_text("print('welcome')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONIOENCODING", "utf-16")
    assert reads(readers, sound)
    assert not reads(readers, tmp_path / "sitecustomize.py")


def test_the_program_ends_with_whoever_asks() -> None:
    with subprocess.Popen([sys.executable, str(PROGRAM), "1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(20) == 0

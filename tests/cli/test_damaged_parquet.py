"""Damaged Parquet gets one clear line, whatever it does to the library that reads it: no traceback, no abort, nothing left behind."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import polars as pl
import pytest

from helpers.cli import Answer, Shell, one_line, typed
from shoal.io.read import parquet
from shoal.io.read import parquet as trials

ROWS = 300
READABLE, BROKEN = "verified and written", "is damaged, or not the Parquet it seems to be"


def content(directory: Path, seed: int = 1) -> bytes:
    """A sound table of users and items."""
    rng = random.Random(seed)
    users = [f"u{n % 30}" for n in range(ROWS)]
    frame = pl.DataFrame({"user": users, "item": [rng.choice(["milk", "bread", "tea", "salt"]) for _ in users]})
    frame.write_parquet(directory / "sound", compression=rng.choice(["uncompressed", "zstd", "snappy"]))
    return (directory / "sound").read_bytes()


def outcome(shell: Shell, answer: Answer, out: str = "release") -> None:
    """Either a release, or one line and nothing."""
    if answer.code == 0:
        assert READABLE in answer.out
        return
    line = one_line(answer)
    assert out not in shell.names(), line


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9, 0.99])
def test_a_truncated_file(shell: Shell, share: float):
    raw = content(shell.directory)
    shell.file("input", raw[: int(len(raw) * share)] + b"PAR1")
    assert BROKEN in one_line(shell("anonymize", "input", "--taxonomy", "generated", "--k", "2", "--out", "release"))
    assert "release" not in shell.names()


def test_flipped_bits(shell: Shell):
    """Through the command in this process: a panic of a reader in it would end the test."""
    rng = random.Random(5)
    for seed in range(12):
        raw = bytearray(content(shell.directory, seed))
        for _ in range(rng.choice([1, 3])):
            raw[rng.randrange(4, len(raw) - 4)] ^= 1 << rng.randrange(8)
        shell.file("input", bytes(raw))
        outcome(shell, shell("anonymize", "input", "--taxonomy", "generated", "--k", "2", "--out", f"release{seed}"), f"release{seed}")


@pytest.mark.parametrize("command", ["anonymize", "audit"])
def test_a_file_that_ends_its_reader(shell: Shell, monkeypatch: pytest.MonkeyPatch, command: str):
    """As an abort inside the library would: the trial's process dies by a signal."""
    shell.file("abort.py", "import os\nos.abort()\n")
    trials.TRIALS.end()
    monkeypatch.setattr(trials, "PROGRAM", shell.directory / "abort.py")
    shell.file("input", content(shell.directory))
    words = ["--out", "release"] if command == "anonymize" else ["--claim", "k-anonymity(k=2)"]
    assert BROKEN in one_line(shell(command, "input", *words))


def test_a_panic_behind_the_trial(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    def panic(*_: object, **__: object) -> pl.LazyFrame:
        raise pl.exceptions.PanicException("index out of bounds")

    monkeypatch.setattr(parquet.pl, "scan_parquet", panic)
    shell.file("input", content(shell.directory))
    assert BROKEN in one_line(shell("anonymize", "input", "--taxonomy", "generated", "--out", "release"))


def test_a_damaged_file_in_a_process_of_its_own(shell: Shell):
    raw = content(shell.directory)
    shell.file("input", raw[: len(raw) // 2] + bytes(50) + raw[len(raw) // 2 + 50 :])
    out = shell.directory / "release"
    answer = typed("anonymize", shell.directory / "input", "--taxonomy", "generated", "--k", "2", "--out", out, stdout=subprocess.PIPE)
    outcome(shell, answer)
    assert "panicked" not in answer.everything
    assert "Traceback" not in answer.everything

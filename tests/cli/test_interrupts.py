"""An interrupt in the middle of any stage: answered soon, in one line, with nothing left behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from helpers.cli import Shell, clean_environment, last_line, query_log

# How long the answer may take. Half a second is the promise; machines that run tests are busy.
SOON = 3.0

NOTHING_LEFT = "shoal: interrupted; all partial output was removed"

# The command as `shoal` runs it, except that it says when a stage begins, and that the stage is then so long that it cannot be missed.
PROGRAM = textwrap.dedent(
    """
    import os, signal, sys, time

    stage, words = sys.argv[1].removeprefix("ranges: "), sys.argv[2:]
    if stage != "nothing":  # tests that run in the background inherit ignored signals
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    from shoal import _kernels, kernels
    from shoal.cli import main, start

    if sys.argv[1] != stage:
        from shoal.engines import ranges
        ranges.SMALLEST_RANGE = 1

    def endless(*arguments):
        os.write(1, b"begun\\n")
        task = arguments[-1]
        while not task.cancelled:
            time.sleep(0.005)

    class Running(kernels.Running):
        def __init__(self, kernel, *more):
            super().__init__(endless if getattr(kernel, "__name__", "") == stage else kernel, *more)
    kernels.Running = Running

    def slow(*arguments, **named):
        os.write(1, b"begun\\n")
        for _ in range(6000):  # a signal just before one long sleep would be noticed after it
            time.sleep(0.01)

    if stage == "writing":
        from shoal.pipeline import run as pipeline
        pipeline.write_release = slow
    if stage == "reporting":
        from shoal.pipeline import run as pipeline
        pipeline.render_report = slow
    if stage == "loading":
        sys.meta_path.insert(0, type("Slow", (), {"find_spec": staticmethod(lambda name, *_: slow() if name == "polars" else None)}))

    if stage == "nothing":
        os.write(1, b"begun\\n")
    sys.argv = ["shoal", *words]
    start.main()
    """
)


def begin(directory: Path, stage: str, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, stage, *words]
    process = subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], 60)
    assert ready, f"{stage} did not begin"
    assert os.read(process.stdout.fileno(), 6) == b"begun\n", process.communicate()
    return process


@pytest.fixture
def log(shell: Shell) -> Shell:
    shell.file("log.tsv", query_log())
    return shell


STAGES = ["loading", "cut", "tree_counts", "clump", "partition", "meet_groups", "generalizes", "writing", "reporting"]
METHOD = {"clump": "clump", "partition": "partition"}


@pytest.mark.parametrize("stage", STAGES)
def test_an_interrupt_in_every_stage(log: Shell, stage: str):
    process = begin(log.directory, stage, "anonymize", "log.tsv", "--method", METHOD.get(stage, "clump"), "--k", "2", "--out", "release")
    if stage in {"writing", "reporting"}:
        assert any(name.endswith(".partial") for name in log.names()), "the stage has not begun to write"
    assert interrupted(process) == b""
    assert log.names() == {"log.tsv"}


@pytest.mark.parametrize("stage", ["tree_counts", "_in_threads", "meet_groups"])
def test_an_interrupt_while_ranges_are_formed_side_by_side(shell: Shell, stage: str):
    shell.file("log.tsv", query_log(users=150))
    interrupted(begin(shell.directory, f"ranges: {stage}", "anonymize", "log.tsv", "--k", "2", "--out", "release"))
    assert shell.names() == {"log.tsv"}


def interrupted(process: subprocess.Popen[bytes]) -> bytes:
    """What a command wrote to the output stream that was interrupted, and said so soon."""
    pressed = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - pressed < SOON
    assert process.returncode == 1, err
    assert last_line(err.decode()) == NOTHING_LEFT
    return out


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_other_ways_of_being_ended(log: Shell, ending: signal.Signals):
    process = begin(log.directory, "writing", "anonymize", "log.tsv", "--k", "2", "--out", "release")
    process.send_signal(ending)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, last_line(err.decode())) == (1, NOTHING_LEFT)
    assert log.names() == {"log.tsv"}


@pytest.mark.parametrize("stage", ["meet_groups", "generalizes", "writing"])
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_nothing_that_was_put_aside_is_left(log: Shell, stage: str, ending: signal.Signals):
    """With a limit of memory records lie in files without a name in the directory of the release: they are there, and then they are not."""
    process = begin(log.directory, stage, "anonymize", "log.tsv", "--k", "2", "--memory", "600M", "--out", "release")
    held = [str(handle.readlink()) for handle in Path(f"/proc/{process.pid}/fd").iterdir()]
    assert [name for name in held if name.startswith(str(log.directory)) and name.endswith("(deleted)")]
    process.send_signal(ending)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, last_line(err.decode())) == (1, NOTHING_LEFT)
    assert log.names() == {"log.tsv"}


def test_impatience(log: Shell):
    process = begin(log.directory, "clump", "anonymize", "log.tsv", "--method", "clump", "--k", "2", "--out", "release")
    for _ in range(5):
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, last_line(err.decode())) == (1, NOTHING_LEFT)
    assert log.names() == {"log.tsv"}


def test_an_interrupted_replacement_leaves_the_old_release(kitchen: Shell):
    before = (kitchen.directory / "release" / "records.csv").read_bytes()
    words = ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "2", "--out", "release", "--force"]
    process = begin(kitchen.directory, "reporting", *words)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 1
    assert (kitchen.directory / "release" / "records.csv").read_bytes() == before
    assert kitchen.names() == {"baskets.txt", "food.csv", "release"}


def test_an_interrupt_of_an_audit(kitchen: Shell):
    process = begin(kitchen.directory, "row_classes", "audit", "release")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, b"")
    assert last_line(err.decode()) == NOTHING_LEFT


def test_an_ignored_hangup_stays_ignored(log: Shell):
    """As under nohup: the run goes on when its terminal goes."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = begin(log.directory, "nothing", "anonymize", "log.tsv", "--k", "2", "--out", "release")
    finally:
        signal.signal(signal.SIGHUP, before)
    while process.poll() is None:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.02)
    process.communicate()
    assert process.returncode == 0
    assert "release" in log.names()

"""Signals at any moment of the writing: an interrupt leaves nothing, and what a killed run left is gone after the next.

A few moments are tried each time, other ones at each commit; `--all-signals` tries 80 interrupts and 40 kills.
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from helpers.cli import FOOD, Shell, baskets, clean_environment, last_line
from helpers.rotation import current_turn

WRITING_SECONDS = 0.5
INPUTS = {"baskets.txt", "food.csv"}
COMMAND = ["anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--to", "csv", "--out", "release"]

# The command as `shoal` runs it, except that it says when it begins to write, and that each step of the writing takes a while. Half of that
# while is spent inside Polars, which catches an interrupt itself and raises it beside Python's own.
PROGRAM = textwrap.dedent(
    f"""
    import os, signal, sys, time
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)

    import polars as pl
    from shoal.io import partial_outputs as unfinished
    from shoal.pipeline import run as pipeline
    from shoal.cli import start
    from shoal.io import release_directory as directory

    STEPS = 8
    table = pl.DataFrame({{"a": range(200_000)}}).lazy()

    def slowly(step):
        def slow(*arguments, **named):
            end = time.monotonic() + {WRITING_SECONDS} / STEPS
            while time.monotonic() < end:
                table.select(pl.col("a").shuffle().sort()).collect()
                for _ in range(1000):
                    pass
            return step(*arguments, **named)
        return slow

    begin = unfinished.begin
    def begun(*arguments, **named):
        os.write(1, b"begun\\n")
        return begin(*arguments, **named)
    unfinished.begin = begun
    for name in ("write_release", "read_tables", "manifest_of", "render_report"):
        setattr(pipeline, name, slowly(getattr(pipeline, name)))
    directory._sync = slowly(directory._sync)

    sys.argv = ["shoal", *sys.argv[1:]]
    start.main()
    """
)


@pytest.fixture
def food(shell: Shell) -> Shell:
    shell.file("baskets.txt", baskets())
    shell.file("food.csv", FOOD)
    return shell


def moments(config: pytest.Config, few: int, many: int, seed: int) -> list[float]:
    """Seconds after the beginning of the writing; the same ones each time at one commit."""
    rng = random.Random(f"{seed} {current_turn()}")
    return [rng.uniform(0, WRITING_SECONDS) for _ in range(many if config.getoption("all_signals") else few)]


def begin_writing(directory: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, *COMMAND, *words]
    process = subprocess.Popen(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 60)[0]
    assert os.read(process.stdout.fileno(), 6) == b"begun\n", process.communicate()
    return process


SIGNALS = [[signal.SIGINT], [signal.SIGINT, signal.SIGINT], [signal.SIGTERM], [signal.SIGINT, signal.SIGTERM]]


def test_interrupts_while_writing(food: Shell, pytestconfig: pytest.Config):
    answered = 0
    for n, moment in enumerate(moments(pytestconfig, few=4, many=80, seed=1)):
        process = begin_writing(food.directory)
        time.sleep(moment)
        for number in SIGNALS[n % len(SIGNALS)]:
            process.send_signal(number)
            time.sleep(0.02 * (n % 3))
        _, err = process.communicate(timeout=60)
        case = f"{n}: {SIGNALS[n % len(SIGNALS)]} after {moment:.3f} s: {err.decode()}"
        if process.returncode == 0:
            assert food.names() == INPUTS | {"release"}, case
        else:
            answered += 1
            assert process.returncode == 1, case
            assert last_line(err.decode()) == "shoal: interrupted; all partial output was removed", case
        assert food.names() <= INPUTS | {"release"}, case
        if "release" in food.names():  # complete before the interrupt came
            assert food("audit", "release").code == 0, case
            for file in (food.directory / "release").iterdir():
                file.unlink()
            (food.directory / "release").rmdir()
    assert answered, "no interrupt came while it was being written"


def test_kills_while_writing(food: Shell, pytestconfig: pytest.Config):
    remains = 0
    for n, moment in enumerate(moments(pytestconfig, few=2, many=40, seed=2)):
        replacing = n % 2 == 1
        process = begin_writing(food.directory, "--force")
        time.sleep(moment)
        process.kill()
        process.communicate(timeout=60)
        left = food.names() - INPUTS - {"release"}
        remains += bool(left)
        again = food(*COMMAND, "--force")
        assert again.code == 0, again.err
        assert food.names() == INPUTS | {"release"}, f"{n}: killed after {moment:.3f} s, {'replacing' if replacing else 'writing'}: {left}"
        for name in left:
            assert f"{name}, left by a killed run, was " in again.err
        assert food("audit", "release").code == 0
        if not replacing:
            for file in (food.directory / "release").iterdir():
                file.unlink()
            (food.directory / "release").rmdir()
    assert remains, "no run was killed while it was writing"


def test_what_a_living_run_writes_is_left_alone(food: Shell):
    process = begin_writing(food.directory)
    time.sleep(0.1)
    partial = {name for name in food.names() if name.endswith(".partial")}
    assert partial
    other = food(*COMMAND[:-1], "other")
    assert other.code == 0
    assert "was killed" not in other.err
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert food.names() == INPUTS | {"release", "other"}
    assert food("audit", "release").code == 0


def test_what_cannot_be_removed_is_said(food: Shell, monkeypatch: pytest.MonkeyPatch):
    from shoal.io import partial_outputs as unfinished
    from shoal.pipeline import run as pipeline

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "render_report", interrupt)
    monkeypatch.setattr(unfinished, "_remove", lambda path, directory: None)
    answer = food(*COMMAND)
    partial = next(name for name in food.names() if name.endswith(".partial"))
    assert answer.code == 1
    assert "nothing" not in last_line(answer.err)
    assert f"{partial} could not be removed" in last_line(answer.err)
    monkeypatch.undo()
    unfinished.settle()

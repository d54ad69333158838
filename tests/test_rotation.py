"""A usual run takes a part of large families of cases: no test is lost, and all parts together are everything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.rotation import (
    EXAMPLES,
    FEWEST,
    IN_TURN,
    ROOT,
    ROTATING,
    TOGETHER,
    TURNS,
    VARIABLE,
    WHOLE,
    chosen,
    current_turn,
    draw_examples_of_the_turn,
    fewer_examples,
    waiting,
)

FILE, PARTS = next(iter(ROTATING.items()))


@dataclass(frozen=True)
class Case:
    nodeid: str


@dataclass(frozen=True)
class RandomCase(Case):
    obj: Callable[[], None]


CASES = [Case(f"{FILE}::test_{name}[{n}]") for name, size in (("many", 41), ("few", 2), ("two", PARTS)) for n in range(size)]
ALONE = [Case(f"{FILE}::test_alone"), Case("tests/test_other.py::test_one[1]"), Case("tests/test_other.py::test_one[2]")]


@pytest.mark.parametrize("turn", range(2 * PARTS))
def test_every_test_runs_at_least_one_case_in_every_run(turn: int):
    kept = chosen([*CASES, *ALONE], turn)
    assert {case.nodeid.split("[")[0] for case in kept} == {case.nodeid.split("[")[0] for case in [*CASES, *ALONE]}
    assert set(ALONE) <= set(kept)
    assert len(kept) < len(CASES)


def test_all_parts_together_are_all_cases():
    assert {case for turn in range(2 * PARTS) for case in chosen([*CASES, *ALONE], turn)} == {*CASES, *ALONE}


def test_the_order_is_kept():
    kept = chosen([*ALONE, *CASES], 1)
    assert kept == [case for case in [*ALONE, *CASES] if case in set(kept)]


def test_tests_that_take_turns_are_all_taken():
    file, parts = next(iter(IN_TURN.items()))
    cases = [Case(f"{file}::test_{n}") for n in range(2 * parts + 1)]
    taken = [chosen(cases, turn) for turn in range(parts)]
    assert all(len(part) in {2, 3} for part in taken)
    assert {case for part in taken for case in part} == {*cases}


def test_files_take_their_turns_together():
    files, parts = next(iter(TOGETHER.items()))
    cases = [Case(f"{file}::test_{n}") for file in files for n in range(parts)]
    taken = [chosen([*cases, *ALONE], turn) for turn in range(parts)]
    assert all(len(part) == len(files) + len(ALONE) for part in taken)
    assert {case for part in taken for case in part} == {*cases, *ALONE}


def test_files_that_run_in_full_have_their_turn_at_one_of_some_commits():
    file, parts = next(iter(WHOLE.items()))
    cases = [Case(f"{file}::test_{n}") for n in range(5)]
    assert [waiting([*cases, *ALONE], turn) for turn in range(2 * parts)] == [cases if turn % parts else [] for turn in range(2 * parts)]
    assert chosen(cases, 1) == cases


def test_rotating_files_exist_and_are_named_once():
    files = [*ROTATING, *(file for together in TURNS for file in together), *WHOLE]
    assert not [file for file in files if not (ROOT / file).is_file()]
    assert len(set(files)) == len(files)


@pytest.mark.parametrize(("all_of_them", "usual"), [(20 * EXAMPLES, 20), (FEWEST + 1, FEWEST), (FEWEST - 1, FEWEST - 1)])
def test_a_usual_run_draws_fewer_examples(all_of_them: int, usual: int):
    drawn = []

    @settings(max_examples=all_of_them, database=None)
    @given(st.integers())
    def draw(number: int) -> None:
        drawn.append(number)

    draw()
    assert len(drawn) == all_of_them
    drawn.clear()
    fewer_examples([draw, draw, None])
    draw()
    assert len(drawn) == usual


def test_a_turn_repeats_its_random_examples_and_another_draws_others():
    drawn: list[int] = []

    @settings(max_examples=20, database=None)
    @given(st.integers())
    def draw(number: int) -> None:
        drawn.append(number)

    def examples(nodeid: str, turn: int) -> list[int]:
        drawn.clear()
        draw_examples_of_the_turn(RandomCase(nodeid, draw), turn)
        draw()
        return [*drawn]

    first = examples("tests/test_some.py::test_one[1]", 17)
    assert examples("tests/test_some.py::test_one[1]", 17) == first
    assert examples("tests/test_some.py::test_one[2]", 17) != first
    assert examples("tests/test_some.py::test_one[1]", 18) != first
    draw_examples_of_the_turn(Case("tests/test_some.py::test_without_examples"), 17)


def test_the_turn_can_be_repeated(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, "17")
    assert current_turn() == 17


def collected(*options: str, turn: int) -> set[str]:
    """The cases that pytest would run of one rotating file."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        *options,
        "tests/leaks/test_pairs.py",
    ]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, VARIABLE: str(turn)}, capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_pytest_collects_a_part_and_with_everything_all():
    everything = collected("--everything", turn=0)
    turn = next(turn for turn in range(1, 9) if chosen(map(Case, everything), turn) != chosen(map(Case, everything), 0))
    assert collected(turn=turn) == {case.nodeid for case in chosen(map(Case, everything), turn)} < everything


def test_all_tests_run_nightly():
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"^test-all:.*\n\t.*run_tests\.sh --everything --all-signals$", makefile, re.MULTILINE)
    assert "SHOAL_TESTS=test-all" in (ROOT / ".ci" / "nightly").read_text()
    assert 'make "${SHOAL_TESTS:-test}"' in (ROOT / ".ci" / "run").read_text()


def test_every_part_of_the_runner_keeps_results(tmp_path: Path):
    fake = tmp_path / "python"
    fake.write_text('#!/bin/sh\ncase "$*" in *sched_getaffinity*) echo 2;; *) echo "$*";; esac\n')
    fake.chmod(0o755)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text("@pytest.mark.timing\n")
    copy = tmp_path / "scripts"
    copy.mkdir()
    (copy / "run_tests.sh").write_text((ROOT / "scripts" / "run_tests.sh").read_text())
    done = subprocess.run(
        ["bash", copy / "run_tests.sh", "--everything"], env={**os.environ, "PYTHON": str(fake)}, capture_output=True, text=True, check=True
    )
    for part in ("main", "spark", "timing"):
        words = (tmp_path / "build" / "test-results" / f"{part}.log").read_text()
        assert "--durations=100" in words
        assert f"--junitxml=build/test-results/{part}.xml" in words
        assert "--everything" in words
        assert words in done.stdout
    assert "tests/test_it.py" in words

"""Random small data through the whole program, all methods with random options; every claim recounted from the written files.

`--fuzz-runs N` makes N runs instead of the default, `--fuzz-methods a,b` those of some methods, `--fuzz-seed S` others. Each run is known
by its number, which a failure tells: `python tests/fuzz/run.py --only NUMBER` makes it again. `tests/fuzz/run.py` makes long campaigns.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from fuzz.check.release import MODELS
from fuzz.make.every import FAMILIES, METHODS, made, method_of, numbers_from
from fuzz.run import OF_A_SEED
from fuzz.running import fresh, run_number
from helpers.cli import Shell
from shoal.methods import METHODS as KNOWN_METHODS
from shoal.privacy import MODELS as KNOWN_MODELS

PARTS = 20


def numbers_of(config: pytest.Config, part: int) -> list[int]:
    methods = [name for name in config.getoption("--fuzz-methods").split(",") if name]
    runs = numbers_from(config.getoption("--fuzz-seed") * OF_A_SEED, config.getoption("--fuzz-runs"), methods)
    return list(islice(runs, part, None, PARTS))


@pytest.mark.parametrize("part", range(PARTS))
def test_claims_hold_in_the_written_files(part: int, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    done = Counter[int]()
    for number in numbers_of(pytestconfig, part):
        with fresh(tmp_path / str(number)) as directory:
            outcome = run_number(number, directory)
        done[outcome.code] += 1
        assert not outcome.wrong, f"run {number}: {outcome.command}: {outcome.wrong} {outcome.refusal}"
    assert done[0] or done.total() < 10, "no run ends with a release"


def test_every_method_and_every_model_is_covered() -> None:
    assert set(FAMILIES) == set(METHODS) == set(KNOWN_METHODS)
    assert set(MODELS) == set(KNOWN_MODELS)


def test_a_number_says_what_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    number = 2 * OF_A_SEED + 17
    one, other = made(number, tmp_path / "one"), made(number, tmp_path / "other")
    assert one == other
    assert one.method == method_of(number)
    files = [{place.name: place.read_bytes() for place in (tmp_path / name).iterdir()} for name in ("one", "other")]
    assert files[0] == files[1]


def test_some_methods_alone() -> None:
    assert {method_of(number) for number in numbers_from(0, 20, ["cahd", "km"])} == {"cahd", "km"}


def test_too_few_people_are_always_refused(shell: Shell) -> None:
    """With k beyond the people of the data no method may publish anything."""
    for method in ("shoal", "clump", "partition", "coherence", "tds", "ssc", "km", "hghs", "disassociation", "k-delta"):
        shell.file("input.txt", "a,b\na\n")
        words = ["input.txt", "--format", "transactions", "--sep", ",", "--taxonomy", "generated", "--method", method, "--k", "3"]
        answer = shell("anonymize", *words, "--out", "release")
        assert answer.code == 1, answer
        assert not (shell.directory / "release").exists()

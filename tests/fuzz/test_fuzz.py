"""Random small data through the whole program, all methods with random options; every claim recounted from the written files.

A usual run makes a third of 300 runs, another third at each commit; `--everything` makes all. `--fuzz-runs N` makes the first N runs
instead, `--fuzz-methods a,b` those of some methods, `--fuzz-seed S` others. A failure prints the number of its run, and
`python -m tests.campaign --only NUMBER` repeats it. `python -m tests.campaign` makes long campaigns.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from campaign.figures import OF_A_SEED
from fuzz import after
from fuzz.case import Case
from fuzz.check.release import MODELS
from fuzz.make.every import FAMILIES, METHODS, made, method_of, numbers_from
from fuzz.running import fresh, run_number
from helpers.cli import Answer, Shell
from helpers.rotation import VARIABLE
from shoal.methods import METHODS as KNOWN_METHODS
from shoal.privacy import MODELS as KNOWN_MODELS

PARTS = 20
RUNS, THIRDS = 300, 3


def numbers_of(config: pytest.Config, part: int) -> list[int]:
    methods = [name for name in config.getoption("--fuzz-methods").split(",") if name]
    wanted = config.getoption("--fuzz-runs")
    runs = numbers_from(config.getoption("--fuzz-seed") * OF_A_SEED, RUNS if wanted is None else wanted, methods)
    if wanted is None and not config.getoption("--everything"):
        runs = islice(runs, int(os.environ[VARIABLE]) % THIRDS, None, THIRDS)
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


def test_each_third_of_the_runs_has_all_methods() -> None:
    for third in range(THIRDS):
        assert {method_of(number) for number in islice(numbers_from(0, RUNS), third, None, THIRDS)} == set(METHODS)


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


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match="no methods called typo"):
        numbers_from(0, 1, ["km", "typo"])


OPENED = [{"query": "flu", "people": 2, "rows": 3}]
MISREAD = {
    "too little": [],
    "too much": [*OPENED, {"query": "secret cure", "people": 1, "rows": 1}],
    "wrong people": [{**OPENED[0], "people": 3}],
    "wrong rows": [{**OPENED[0], "rows": 2}],
    "twice": OPENED * 2,
}


@pytest.mark.parametrize("opened", [OPENED, *MISREAD.values()], ids=["right", *MISREAD])
def test_what_shares_open_is_compared_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[dict[str, object]]) -> None:
    (tmp_path / "log.csv").write_text("user,item\nann,flu\nann,flu\nbob,flu\nbob,secret cure\n")
    case = Case(0, "secret-sharing", "table", ["log.csv"], {"k": "2"})
    answer = Answer(0, json.dumps({"queries": opened, "sealed": 1}), "")
    monkeypatch.setattr(after, "typed", lambda words: answer)
    assert bool(after._decode(case, tmp_path)) == (opened != OPENED)


def test_too_few_people_are_always_refused(shell: Shell) -> None:
    """With k beyond the people of the data no method may publish anything."""
    for method in ("shoal", "clump", "partition", "coherence", "tds", "ssc", "km", "hghs", "disassociation", "k-delta"):
        shell.file("input.txt", "a,b\na\n")
        words = ["input.txt", "--format", "transactions", "--sep", ",", "--taxonomy", "generated", "--method", method, "--k", "3"]
        answer = shell("anonymize", *words, "--out", "release")
        assert answer.code == 1, answer
        assert not (shell.directory / "release").exists()

"""How long attacks and comparisons take is said before they begin, and a quick answer is marked as such."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

import shoal
from helpers.cli import FOOD, Shell, baskets
from shoal.util.wording import duration


@pytest.fixture
def shop(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.delenv("SHOAL_PROGRESS", raising=False)
    shell.file("baskets.txt", baskets())
    shell.file("food.csv", FOOD)
    assert shell("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--out", "release").code == 0
    return shell


ATTACK = ("attack", "baskets.txt", "release", "--taxonomy", "food.csv")


def test_the_time_of_attacks_is_measured_before_they_are_made(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = shop(*ATTACK, "--attack", "known-items", "--targets", "30")
    told = re.search(r"the attacks take about \d+ seconds? \(estimated on a few people\); --quick", " ".join(answer.err.split()))
    assert told and told.start() < answer.err.index("control group"), "before the work"
    monkeypatch.setenv("SHOAL_PROGRESS", "off")
    assert "the attacks take" not in shop(*ATTACK, "--attack", "known-items").err


def test_every_run_of_the_method_counts(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run is said to take an hour: the time that is told is as many hours as there are runs."""
    from shoal.evaluate.attack import run_attacks

    times: list[float] = []
    real = run_attacks.expected_seconds
    monkeypatch.setattr(run_attacks, "expected_seconds", lambda *words: times.append(real(*words[:3], 3600.0)) or times[-1])
    for words in (["differencing", "--remakes", "2"], ["differencing", "--remakes", "0"], ["known-items", "--control", "0"]):
        assert shop(*ATTACK, "--attack", *words).code == 0
    hours = [round(seconds / 3600) for seconds in times]
    assert hours == [3, 1, 0], "a run for the control group, and one for each of two people"


def test_attacks_that_cannot_be_made_take_no_time(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attacks on logs do not apply to records without times; attacks on a log with times make a release of the later period."""
    from shoal.evaluate.attack import run_attacks

    times: list[float] = []
    real = run_attacks.expected_seconds
    monkeypatch.setattr(run_attacks, "expected_seconds", lambda *words: times.append(real(*words[:3], 3600.0)) or times[-1])
    words = ("--attack", "personas", "--attack", "profile-over-time", "--control", "0")
    assert shop(*ATTACK, *words).code == 0
    rows = [f"{user}\tnews {word}\t2006-03-0{day} 10:00:00\n" for user in range(30) for word in ("cat", "dog") for day in (1, 2)]
    shop.file("log.tsv", "user\tquery\ttime\n" + "".join(rows))
    assert shop("anonymize", "log.tsv", "--method", "threshold", "--k", "3", "--out", "rows").code == 0
    assert shop("attack", "log.tsv", "rows", *words).code == 0
    assert [round(seconds / 3600) for seconds in times] == [0, 1]


def test_a_quick_attack_is_smaller_and_marked(shop: Shell) -> None:
    found = json.loads(shop(*ATTACK, "--quick", "--json").out)
    assert found["quick"] is True
    assert found["targets"] == 100
    assert shop(*ATTACK, "--quick", "--targets", "7", "--attack", "known-items").out.startswith("quick: a sample of at most 7 people")
    assert "quick" not in json.loads(shop(*ATTACK, "--attack", "known-items", "--json").out)
    assert shoal.attack("baskets.txt", "release", "known-items", quick=True, taxonomy="food.csv", control=0).quick


def test_a_quick_comparison_is_smaller_and_marked(shop: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.evaluate.compare.comparison.QUICK_PEOPLE", 30)
    words = ("compare", "baskets.txt", "--out", "found", "--taxonomy", "food.csv", "--methods", "km")
    answer = shop(*words, "--quick", "--json")
    assert answer.code == 0, answer.err
    assert re.search(r"the comparison takes about \d+ seconds? \(estimated on a few people\)", " ".join(answer.err.split()))
    rows = json.loads(answer.out)
    assert [(row["method"], row["k"], row.get("m")) for row in rows] == [("km", 5, 2)]
    assert all(row["quick"] for row in rows)
    assert pl.read_parquet(shop.directory / "found" / "comparison.parquet")["quick"].all()
    page = (shop.directory / "found" / "comparison.html").read_text()
    assert "Quick comparison of baskets.txt" in page
    assert "quick: a sample of at most 30 people" in page


def test_durations_in_words() -> None:
    assert [duration(seconds) for seconds in (0.2, 1.4, 89, 100, 7200)] == ["1 second", "1 second", "89 seconds", "2 minutes", "2 hours"]

"""Runs of rows under differential privacy: which runs there are by brute force, what one person adds, accounting, and the judge."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

from helpers.cli import Shell
from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.data.noise_record import SELECTION, NoisyStep
from shoal.data.original import LogOriginal
from shoal.data.tables.counts import CountTable
from shoal.evaluate import epsilon_audit
from shoal.evaluate.epsilon_audit import audit_epsilon, audited_method
from shoal.evaluate.option_defaults import CanaryDraw
from shoal.methods import dp_ngrams
from shoal.methods.dp_ngrams import DPNGrams, in_order, runs_of
from shoal.privacy.differential_privacy import DifferentialPrivacy, spent_budget

BEGIN = datetime(2024, 1, 1)


def random_log(rng: random.Random, people: int = 6, timed: bool = True) -> Log:
    rows = [(rng.randrange(people), BEGIN + timedelta(minutes=rng.randrange(9)), rng.choice(["a", "b", "c", " "])) for _ in range(40)]
    frame = pl.DataFrame(rows, schema={"owner": pl.Int64, "time": pl.Datetime("us"), "payload": pl.String}, orient="row")
    return Log(frame if timed else frame.drop("time"), "item")


def runs_by_hand(log: Log, length: int) -> list[tuple[int, ...]]:
    """All runs of all people, by lists."""
    found = []
    for owner in sorted(set(log.frame["owner"])):
        rows = [row for row in log.frame.iter_rows(named=True) if row["owner"] == owner and row["payload"].strip()]
        if log.timed:
            rows = [row for i, row in enumerate(rows) if row not in rows[:i]]
            rows.sort(key=lambda row: row["time"])
        texts = [row["payload"] for row in rows]
        found += [(owner, *texts[i : i + length]) for i in range(len(texts) - length + 1)]
    return sorted(found)


@pytest.mark.parametrize("seed", range(6))
def test_runs_are_those_of_brute_force(seed: int) -> None:
    for timed in (True, False):
        log = random_log(random.Random(seed), timed=timed)
        for length in (1, 2, 4):
            assert sorted(runs_of(in_order(log), length).rows()) == runs_by_hand(log, length)


class Recorder:
    """Keeps the squared norm of the numbers to which noise is added, and adds none."""

    def __init__(self) -> None:
        self.calls: list[tuple[NoisyStep, int]] = []

    def __call__(self, numbers: Ints, step: NoisyStep) -> Ints:
        self.calls.append((step, int((numbers.astype(float) ** 2).sum())))
        return numbers


@pytest.mark.parametrize("seed", range(6))
def test_one_person_contributes_a_norm_of_one_to_each_selection(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Recorder()
    monkeypatch.setattr(dp_ngrams, "with_noise", seen)
    monkeypatch.setattr(dp_ngrams, "limit_of", lambda step: -math.inf)
    log = random_log(random.Random(seed), people=1)
    DPNGrams(longest=3, cap=4, count_cap=2).apply(LogOriginal(log))
    assert len(seen.calls) == 6
    for step, squares in seen.calls:
        assert step.sensitivity is not None
        assert math.sqrt(squares) / 2.0**step.grid <= step.sensitivity * (1 + 1e-12)


def test_longer_runs_grow_from_selected_ones_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dp_ngrams, "with_noise", lambda numbers, step: numbers)
    monkeypatch.setattr(dp_ngrams, "limit_of", lambda step: 2**step.grid if step.purpose == SELECTION else -math.inf)
    rows = [(owner, text) for owner in range(12) for text in ("a", "b", "a")] + [(20, "a"), (20, "z"), (20, "a"), (20, "a")]
    log = Log(pl.DataFrame(rows, schema=["owner", "payload"], orient="row"), "item")
    release = DPNGrams(longest=3).apply(LogOriginal(log))
    tables = {name: sorted(table.frame.rows()) for name, table in release.tables.items() if isinstance(table, CountTable)}
    assert tables == {
        "length1": [("a", 13), ("b", 12)],
        "length2": [("a", "b", 12), ("b", "a", 12)],  # nobody's z, and a after a is one person's
        "length3": [("a", "b", "a", 12)],
    }


@pytest.mark.parametrize("longest", [1, 2, 5])
def test_the_recorded_noise_gives_what_is_claimed_and_nothing_less(longest: int) -> None:
    steps = DPNGrams(epsilon=2.0, delta=1e-5, longest=longest).noisy_steps()
    epsilon, delta = spent_budget(steps, 2.0)
    assert epsilon == 2.0
    assert 0.5e-5 < delta <= 1e-5
    assert spent_budget(tuple(replace(step, scale=step.scale / 4) for step in steps), 2.0)[1] > 1e-5
    squares = sum((step.sensitivity / step.scale) ** 2 for step in steps if step.sensitivity)
    shares = [(step.sensitivity / step.scale) ** 2 / squares for step in steps if step.sensitivity]
    assert shares == pytest.approx([share for _ in range(longest) for share in (0.8 / longest, 0.2 / longest)])


def test_runs_that_nobody_has_are_objected_to() -> None:
    log = Log(pl.DataFrame({"owner": [1, 1, 2, 2], "payload": ["a", "b", "b", "c"]}), "item")
    method = DPNGrams(longest=2)

    def witnesses(pair: tuple[str, str]) -> tuple[str, ...]:
        tables = {
            "length1": CountTable(pl.DataFrame({"step1": ["a"], "count": [3]})),
            "length2": CountTable(pl.DataFrame({"step1": [pair[0]], "step2": [pair[1]], "count": [3]})),
        }
        release = replace(method.apply(LogOriginal(log)), tables=tables)
        return DifferentialPrivacy().check(release, LogOriginal(log)).witnesses

    pytest.importorskip("opendp")
    assert witnesses(("a", "b")) == ()
    assert witnesses(("b", "c")) == ()
    assert witnesses(("b", "a"))  # in the other order
    assert witnesses(("a", "c"))  # not next to each other
    assert witnesses(("b", "b"))  # of two people


AUDITED = {"epsilon": 1.0, "longest": 1, "counts": 0.01}


def test_right_code_never_exceeds_its_claim() -> None:
    pytest.importorskip("opendp")
    for seed in range(6):
        assert audit_epsilon(audited_method("dp-ngrams", AUDITED), CanaryDraw(runs=1, canaries=400, seed=seed)).holds


def test_noise_is_drawn_with_the_recorded_scale() -> None:
    pytest.importorskip("opendp")
    names = np.repeat([f"v{i:03d}" for i in range(300)], 60)
    log = Log(pl.DataFrame({"owner": np.arange(len(names)), "payload": names}), "item")
    method = DPNGrams(epsilon=2.0, longest=1, counts=0.5)
    table = method.apply(LogOriginal(log)).tables["length1"]
    assert isinstance(table, CountTable)
    step = method.noisy_steps()[1]
    assert len(table.frame) == 300
    assert (table.frame["count"] - 60).std() == pytest.approx(math.hypot(step.scale, 1 / math.sqrt(12)), rel=0.2)


def test_the_command_and_its_audit(shell: Shell) -> None:
    pytest.importorskip("opendp")
    rows = [f"{i},2024-01-01 10:0{n}:00,{page}" for i in range(300) for n, page in enumerate(["start", "news" if i % 2 else "shop"])]
    shell.file("visits.csv", "user,time,page\n" + "\n".join(rows) + "\n")
    words = ("--format", "table", "--user", "user", "--item", "page", "--time", "time", "--method", "dp-ngrams", "--longest", "2")
    answer = shell("anonymize", "visits.csv", *words, "--epsilon", "8", "--delta", "0.001", "--to", "csv", "--out", "release")
    assert answer.code == 0, answer.everything
    found = {line.rsplit(",", 1)[0] for line in (shell.directory / "release" / "length2.csv").read_text().splitlines()[1:]}
    assert found == {"start,news", "start,shop"}
    assert shell("audit", "release", "--original", "visits.csv").code == 0


@pytest.mark.slow
def test_a_quarter_of_the_scale_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opendp")
    monkeypatch.setattr(epsilon_audit, "OFTEN", 0.1)  # canaries of smaller crowds vary more, but show less noise sooner
    true = dp_ngrams.with_noise
    monkeypatch.setattr(dp_ngrams, "with_noise", lambda numbers, step: true(numbers, replace(step, scale=step.scale / 4)))
    found = audit_epsilon(audited_method("dp-ngrams", AUDITED), CanaryDraw(runs=12, canaries=1500, named=0.2))
    assert found.gaussian is not None
    assert found.gaussian > 1

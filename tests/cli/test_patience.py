"""Claims that take too long to verify are not verified: the judge stops, says how far it got, and nothing is written."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import shoal
from helpers.cli import FOOD, Shell, baskets, clean_environment, one_line, typed
from helpers.errors import refuses
from shoal.data.noise_record import EQUAL, GAUSSIAN, SELECTION, NoisyStep
from shoal.privacy.differential_privacy import spent_budget

START = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); from shoal.cli import start; start.main()"
LITTLE = ("--patience", "0.000001")


def dense(records: int, items: int, length: int, seed: int = 1) -> str:
    """Records that hold most of a few items."""
    drawn, names = random.Random(seed), [f"i{item}" for item in range(items)]
    return "".join(",".join(drawn.sample(names, length)) + "\n" for _ in range(records))


def test_an_audit_ends_though_a_claim_has_more_sets_than_can_be_counted(tmp_path: Path) -> None:
    file = tmp_path / "dense.txt"
    file.write_text(dense(400, 45, 40))
    answer = typed("audit", file, "--claim", "km-anonymity(k=2, m=40)")
    assert answer.code == 3, answer
    told = " ".join(answer.out.split())
    assert "1 OF 1 CLAIMS NOT VERIFIED" in told
    assert "km-anonymity(k=2, m=40) NOT JUDGED took too long: all" in told
    assert "to 40 items, 1.1 x 10^12 in the longest record alone, were not" in told
    assert "a larger patience than 1 allows more" in told


def test_a_claim_that_was_not_judged_does_not_hold_for_programs(shell: Shell) -> None:
    shell.file("dense.txt", dense(2000, 16, 12))
    words = ("audit", "dense.txt", "--claim", "km-anonymity(k=2, m=6)", "--json")
    answer = shell(*words, *LITTLE)
    assert answer.code == 3, answer
    found = json.loads(answer.out)
    assert (found["holds"], found["unchecked"]) == (False, 0)
    claim = found["claims"][0]
    assert (claim["verdict"], claim["holds"], claim["achieved"]) == ("not judged", False, {})
    assert re.match(r"all [\d,]+ sets of up to \d items were counted and are safe; the sets of", claim["unchecked"])
    enough = shell(*words)
    assert enough.code == 0, enough
    assert json.loads(enough.out)["claims"][0]["verdict"] == "verified"


def test_what_small_sets_break_is_found_though_large_ones_are_too_many(shell: Shell) -> None:
    shell.file("dense.txt", dense(50, 45, 40) + "alone," + ",".join(f"i{item}" for item in range(39)) + "\n")
    answer = shell("audit", "dense.txt", "--claim", "km-anonymity(k=2, m=40)", "--patience", "0.01")
    assert answer.code == 3, answer
    assert "A CLAIM DOES NOT HOLD" in answer.out and "FAILS" in answer.out


def test_the_verdict_does_not_depend_on_threads(shell: Shell) -> None:
    shell.file("dense.txt", dense(200, 20, 14))
    for patience in ("0.00001", "0.0001", "0.001", "0.01"):
        told = [
            shell("audit", "dense.txt", "--claim", "km-anonymity(k=2, m=7)", *more).out
            for more in (("--patience", patience, "--threads", "1"), ("--patience", patience, "--threads", "3"))
        ]
        assert told[0] == told[1]


def judged(shell: Shell, *words: str | Path) -> str:
    """The verdict on the only claim."""
    answer = shell("audit", *words, "--json")
    found = json.loads(answer.out)
    assert answer.code == (0 if found["holds"] else 3), answer
    return str(found["claims"][0]["verdict"])


@pytest.mark.parametrize(
    "claim",
    [
        "km-anonymity(k=2, m=5)",
        "coherence(h=1, k=2, p=5)",
        "coherence(h=0.9, k=2, p=4, private=items:i0)",
        "rho-uncertainty(rho=0.99, sensitive=items:i0)",
        "rho-uncertainty(rho=0.99, sensitive=items:i0, antecedent=5)",
        "k-delta-anonymity(k=2, delta=0.9)",
    ],
)
def test_every_model_of_records_gives_up(shell: Shell, claim: str) -> None:
    shell.file("dense.txt", dense(1500, 18, 9))
    assert judged(shell, "dense.txt", "--claim", claim, *LITTLE) == "not judged"
    assert judged(shell, "dense.txt", "--claim", claim, "--patience", "0.5") in {"verified", "fails"}


def test_the_search_for_originals_gives_up(shell: Shell) -> None:
    shell.file("baskets.txt", baskets(300))
    shell.file("food.csv", FOOD)
    made = ("anonymize", "baskets.txt", "--format", "transactions", "--taxonomy", "food.csv", "--k", "2", "--out", "release")
    assert shell(*made).code == 0
    words = ("release", "--original", "baskets.txt", "--taxonomy", "food.csv")
    assert judged(shell, *words) == "verified"
    assert judged(shell, *words, *LITTLE) == "not judged"


def test_records_taken_apart_are_not_judged_nor_drawn_from(shell: Shell) -> None:
    shell.file("dense.txt", dense(300, 12, 8))
    made = ("anonymize", "dense.txt", "--format", "transactions", "--method", "disassociation", "--k", "3", "--m", "4")
    assert shell(*made, "--out", "release").code == 0
    assert judged(shell, "release") == "verified"
    assert judged(shell, "release", *LITTLE) == "not judged"
    line = one_line(shell("reconstruct", "release", "--out", "drawn", *LITTLE), code=3)
    assert "takes too long to verify" in line and "drawn" not in shell.names()


def test_noise_that_counts_for_more_numbers_than_there_can_be() -> None:
    """A cap is read from the manifest, and whoever writes that may write any number."""
    step = NoisyStep(SELECTION, "queries", GAUSSIAN, EQUAL, 2.0**40, 40, cap=10**13, sensitivity=1.0, threshold=5.0)
    with refuses("too-much-memory"):
        spent_budget([step], 1.0)


def test_a_release_that_takes_too_long_to_judge_is_not_written(shell: Shell) -> None:
    shell.file("dense.txt", dense(200, 20, 14))
    shell.file("options.toml", 'patience = 0.000001\nclaim = ["km-anonymity(k=2, m=9)"]\n')
    made = ("anonymize", "dense.txt", "--format", "transactions", "--taxonomy", "none", "--method", "coherence", "--p", "1", "--k", "2")
    line = one_line(shell(*made, "--config", "options.toml", "--out", "release"), code=3)
    assert "takes too long to verify" in line and "nothing was written" in line
    assert "release" not in shell.names()


def test_a_comparison_passes_the_patience_on(shell: Shell) -> None:
    shell.file("dense.txt", dense(1500, 14, 9))
    words = ("compare", "dense.txt", "--format", "transactions", "--taxonomy", "none", "--methods", "coherence", "--k", "2", "--m", "5")
    told = [shell(*words, "--out", "found", *more, "--json") for more in (LITTLE, ())]
    assert [answer.code for answer in told] == [0, 0], told
    refused, made = (json.loads(answer.out)[0] for answer in told)
    assert "takes too long to verify" in refused["refused"]
    assert "refused" not in made


def test_patience_in_python(tmp_path: Path) -> None:
    file = tmp_path / "dense.txt"
    file.write_text(dense(200, 20, 14))
    found = shoal.audit(file, ["km-anonymity(k=2, m=6)"], patience=1e-6)
    assert not found.holds and found.claims[0].standing == "not judged"
    lists = [line.split(",") for line in file.read_text().splitlines()]
    with refuses("claim-not-verified"):
        shoal.anonymize(lists, "coherence", p=1, k=2, claim="km-anonymity(k=2, m=9)", format="transactions", patience=1e-6)
    for wrong in (0, -1, float("nan"), float("inf"), "much", True):
        with refuses("out-of-range"):
            shoal.audit(file, ["km-anonymity(k=2, m=6)"], patience=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("patience", ["0", "-1", "nan", "inf", "1e9"])
def test_a_patience_that_is_none_is_refused(shell: Shell, patience: str) -> None:
    shell.file("dense.txt", dense(5, 5, 3))
    assert "--patience is a number from" in one_line(shell("audit", "dense.txt", "--claim", "k-anonymity(k=2)", "--patience", patience))


def peak_of(process: subprocess.Popen[bytes]) -> int:
    """The most memory that a process took so far, in megabytes."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return max((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), default=0)


@pytest.mark.parametrize(("method", "option"), [("coherence", "--p"), ("km", "--m")])
def test_any_number_of_known_items_takes_no_more_memory_than_there_is(tmp_path: Path, method: str, option: str) -> None:
    """Three people share 300 items, of which there are more sets than fit into any memory."""
    lines = [",".join(f"long{item}" for item in range(300))] * 3 + ["a,b", "a,b"]
    (tmp_path / "baskets.txt").write_text("\n".join(lines) + "\n")
    words = ["anonymize", "baskets.txt", "--format", "transactions", "--method", method, option, "10000", "--k", "2", "--out", "release"]
    words += ["--taxonomy", "none"] if method == "coherence" else ["--taxonomy", "generated"]
    process = subprocess.Popen(
        [sys.executable, "-m", "shoal", *words], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=clean_environment()
    )
    peak, until = 0, time.monotonic() + 110
    try:
        while process.poll() is None and time.monotonic() < until and peak < 3000:
            with suppress(OSError):
                peak = max(peak, peak_of(process))
            time.sleep(0.1)
    finally:
        process.kill()
    _, err = process.communicate()
    assert peak < 3000, err
    assert process.returncode == 1, err
    assert b"more sets than fit into memory (lower the number of items" in err
    assert not (tmp_path / "release").exists()


def test_an_interrupt_ends_the_judge(tmp_path: Path) -> None:
    """While it counts sets that would take hours."""
    file = tmp_path / "dense.txt"
    file.write_text(dense(2000, 60, 50))
    process = subprocess.Popen(
        [sys.executable, "-c", START, "audit", str(file), "--claim", "km-anonymity(k=2, m=9)", "--patience", "1000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment(),
    )
    try:
        time.sleep(12)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=15)
    finally:
        process.kill()
    assert process.returncode == 1, err
    assert b"interrupted" in err

"""Sensitive items under a floor: groups that differ only above the floor are published alike, and count as one class."""

from __future__ import annotations

import json
import random

import pytest

from helpers.cli import Shell

PLAIN = [f"c{category}{leaf}" for category in range(7) for leaf in "ab"]
TAXONOMY = "child,parent\nSpice,Food\nSalt,Spice\nPepper,Spice\n" + "".join(
    f"C{category},Food\nc{category}a,C{category}\nc{category}b,C{category}\n" for category in range(7)
)


def visits(seed: int) -> str:
    """30 records of 15 people, a fifth of them with Salt."""
    drawn, lines = random.Random(seed), ["user,visit,item"]
    for number in range(30):
        items = {*drawn.sample(PLAIN, drawn.randint(1, 4)), "c0a"}
        items |= {"Salt"} if drawn.random() < 0.2 else set()
        lines += [f"p{number // 2},{number + 1},{item}" for item in sorted(items)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", [11, 13, 178])
def test_a_release_is_found_where_merging_finds_one(shell: Shell, seed: int) -> None:
    """A person in two groups made each of them right, and their union wrong, once both were published alike under the floor."""
    shell.file("visits.csv", visits(seed))
    shell.file("food.csv", TAXONOMY)
    read = ("--user", "user", "--record", "visit", "--item", "item", "--taxonomy", "food.csv")
    said = ("--k", "2", "--sensitive", "items:Salt", "--h", "0.5", "--floor", "2", "--effort", "fast")
    answer = shell("anonymize", "visits.csv", *read, *said, "--out", "release", "--json")
    assert answer.code == 0, answer
    claims = {claim["model"].split("(")[0]: claim for claim in json.loads(answer.out)["claims"]}
    assert claims["sensitive-share"]["verdict"] == "verified"
    assert claims["sensitive-share"]["achieved"]["h"] <= 0.5
    assert claims["k-anonymity"]["achieved"]["people"] >= 2

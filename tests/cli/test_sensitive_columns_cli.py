"""Sensitive columns of any table, audited as they are typed: the achieved level, and files that are tampered with."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helpers.cli import Shell, failed

ROWS = [("20-29", "flu"), ("20-29", "cold"), ("20-29", "ulcer"), ("30-39", "flu"), ("30-39", "cold"), ("30-39", "ulcer")]
TREE = "flu:lung,cold:lung,ulcer:stomach,lung:any,stomach:any"
CLAIMS: dict[str, tuple[str, dict[str, Any]]] = {
    "distinct": ("l-diversity(l=3, sensitive=illness)", {"l": 3}),
    "entropy": ("l-diversity(l=3, kind=entropy, sensitive=illness, columns=age)", {"l": 3.0}),
    "recursive": ("l-diversity(l=3, kind=recursive, c=1.5, sensitive=illness)", {"l": 3}),
    "equal": ("t-closeness(t=0, sensitive=illness)", {"t": 0.0}),
    "ordered": ('t-closeness(t=0, distance=ordered, order="flu,cold,ulcer", sensitive=illness)', {"t": 0.0}),
    "tree": (f't-closeness(t=0, distance=tree, tree="{TREE}", sensitive=illness)', {"t": 0.0}),
    "alpha": ("alpha-k-anonymity(alpha=0.34, k=3, sensitive=illness)", {"records": 3, "alpha": 0.333334}),
    "confidence": ("alpha-k-anonymity(alpha=0.34, k=1, only=flu, sensitive=illness)", {"records": 3, "alpha": 0.333334}),
    "beliefs": ("rho1-rho2-privacy(rho1=0.5, rho2=0.6, sensitive=illness)", {"rho2": 0.333334}),
    "templates": ('confidence-bounding(templates="age>illness=flu:0.4;age>illness:0.5")', {"h": 0.333334, "templates": 2}),
    "presence": ("delta-presence(delta_max=0.75, public=public.csv, columns=age)", {"delta_min": 0.75, "delta_max": 0.75}),
    "x and y": ("xy-anonymity(k=3, x=age, y=illness)", {"values": 3}),
}


def table(rows: list[tuple[str, str]]) -> str:
    return "age,illness\n" + "".join(f"{age},{illness}\n" for age, illness in rows)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_table_of_others_is_audited_and_one_changed_cell_is_seen(shell: Shell, name: str) -> None:
    claim, achieved = CLAIMS[name]
    shell.file("table.csv", table(ROWS))
    shell.file("public.csv", "age,name\n" + "".join(f"{age},p{age}\n" for age in (21, 22, 23, 24, 31, 32, 33, 34)))
    sound = shell("audit", "table.csv", "-c", claim, "--json")
    assert sound.code == 0, sound.everything
    (told,) = json.loads(sound.out)["claims"]
    assert told["achieved"] == achieved
    changed = [("20-29", "flu"), ("20-29", "flu"), *ROWS[2:]] if name != "presence" else [*ROWS, ("20-29", "flu")]
    shell.file("table.csv", table(changed))
    broken = shell("audit", "table.csv", "-c", claim, "--json")
    assert broken.code == 3
    (told,) = json.loads(broken.out)["claims"]
    assert told["verdict"] == "fails"
    assert told["achieved"] != achieved
    assert "flu" not in " ".join(told["witnesses"])


def test_a_column_that_no_claim_covers_fails_the_audit(shell: Shell) -> None:
    shell.file("table.csv", "age,town,illness\n20,x,flu\n20,x,cold\n20,y,flu\n20,y,cold\n")
    assert shell("audit", "table.csv", "-c", "l-diversity(l=2, sensitive=illness)").code == 0
    beside = shell("audit", "table.csv", "-c", "l-diversity(l=2, sensitive=illness, columns=age)")
    assert beside.code == 3
    assert "'town'" in beside.everything


def test_a_release_that_would_miss_a_further_claim_is_not_written(shell: Shell) -> None:
    """Groups of three similar ages; in the second table one of them has a single illness."""
    words = [
        "--format",
        "microdata",
        "--method",
        "mdav",
        "--k",
        "3",
        "--keep-column",
        "illness",
        "--claim",
        "l-diversity(l=3, sensitive=illness)",
    ]
    ages = [(str(10 * decade + year), ("flu", "cold", "ulcer")[year]) for decade in (1, 5, 9) for year in range(3)]
    shell.file("ages.csv", table(ages))
    made = shell("anonymize", "ages.csv", *words, "--out", "release")
    assert made.code == 0, made.everything
    assert shell("audit", "release", "--original", "ages.csv").code == 0
    shell.file("alike.csv", table([*ages[:-3], *((age, "flu") for age, _ in ages[-3:])]))
    failed(shell("anonymize", "alike.csv", *words, "--out", "none"), "claim-fails", exit_code=3)
    assert "none" not in shell.names()


def test_claims_that_cannot_be_read(shell: Shell) -> None:
    shell.file("table.csv", table(ROWS))
    failed(shell("audit", "table.csv", "-c", "l-diversity(l=2)"), "missing-column")
    failed(shell("audit", "table.csv", "-c", "l-diversity(l=1, sensitive=illness)"), "out-of-range", limit=2)
    failed(shell("audit", "table.csv", "-c", "t-closeness(distance=ordered, sensitive=illness)"), "order-not-named")
    failed(shell("audit", "table.csv", "-c", "t-closeness(distance=tree, sensitive=illness)"), "options-conflict")


@pytest.mark.parametrize(
    ("claim", "achieved"),
    [
        ("l-diversity(l=2, items=hidden.txt)", {"l": 2}),
        ("t-closeness(t=0, items=hidden.txt)", {"t": 0.0}),
        ("alpha-k-anonymity(alpha=0.5, k=2, items=hidden.txt)", {"records": 2, "alpha": 0.5}),
        ("rho1-rho2-privacy(rho1=0.75, rho2=0.8, items=hidden.txt)", {"rho2": 0.5}),
    ],
)
def test_records_of_others_are_audited_and_one_more_item_is_seen(shell: Shell, claim: str, achieved: dict[str, Any]) -> None:
    shell.file("hidden.txt", "test\n")
    shell.file("baskets.txt", "wine milk\nwine milk test\nbeef cream test\nbeef cream\n")
    sound = shell("audit", "baskets.txt", "--release-sep", " ", "-c", claim, "--json")
    assert sound.code == 0, sound.everything
    assert json.loads(sound.out)["claims"][0]["achieved"] == achieved
    assert "test" not in json.loads(sound.out)["claims"][0]["model"]
    shell.file("baskets.txt", "wine milk test\nwine milk test\nbeef cream test\nbeef cream\n")
    broken = shell("audit", "baskets.txt", "--release-sep", " ", "-c", claim, "--json")
    assert broken.code == 3
    assert json.loads(broken.out)["claims"][0]["verdict"] == "fails"

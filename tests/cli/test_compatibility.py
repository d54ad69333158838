"""Releases written by earlier versions are still audited, with their original and without."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from helpers.cli import Shell

KEPT = Path(__file__).parents[1] / "releases"
# What an audit with the original is told of each release.
ORIGINALS = {
    "0.1.0.dev601/records": ("baskets.txt", "--format", "transactions", "--taxonomy", "food.csv"),
    "0.1.0.dev679/rows": ("log.csv",),
    "0.1.0.dev736/microdata": ("people.csv",),
}


@pytest.fixture(params=ORIGINALS)
def earlier(request: pytest.FixtureRequest, shell: Shell) -> str:
    """The name of a release of an earlier version, copied into the directory of the shell with its original."""
    version, _, name = request.param.partition("/")
    shutil.copytree(KEPT / version, shell.directory, dirs_exist_ok=True)
    assert json.loads((shell.directory / name / "manifest.json").read_text("utf-8"))["shoal"] == version
    return str(name)


def original_of(name: str) -> tuple[str, ...]:
    return next(words for place, words in ORIGINALS.items() if place.endswith(f"/{name}"))


def test_every_kept_release_is_audited():
    assert {place.partition("/")[0] for place in ORIGINALS} == {entry.name for entry in KEPT.iterdir() if entry.is_dir()}


def test_its_claims_are_verified(shell: Shell, earlier: str):
    alone = shell("audit", earlier)
    assert alone.code == 0, alone.everything
    audited = shell("audit", earlier, "--original", *original_of(earlier), "--json")
    assert audited.code == 0, audited.everything
    claims = json.loads(audited.out)["claims"]
    assert claims
    assert {claim["verdict"] for claim in claims} == {"verified"}


def test_a_changed_row_is_detected(shell: Shell, earlier: str):
    (table,) = (shell.directory / earlier).glob("*.csv")
    header, first, *rest = table.read_text("utf-8").splitlines()
    other = next(row for row in rest if row != first)
    table.write_text("\n".join([header, other, *rest]) + "\n", encoding="utf-8")
    assert shell("audit", earlier, "--original", *original_of(earlier)).code == 3


def test_the_report_of_another_version_is_not_compared_but_said_to_be_unverified(shell: Shell, earlier: str):
    audited = shell("audit", earlier, "--original", *original_of(earlier), "-v")
    assert "not verifiable" in audited.out
    assert "report.html" in audited.out

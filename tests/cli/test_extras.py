"""Packages that a plain install lacks: what needs one says so before it reads anything; everything else works without them."""

from __future__ import annotations

import json
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path

import pytest

from helpers.cli import FOOD, Shell, baskets, one_line, query_log
from shoal.packages import EXTRAS, insist_on_extra

ABSENT = "absent"  # an input that does not exist: whatever opens it first says so
NEEDING = [
    ("dp", ["anonymize", f"{ABSENT}.tsv", "--method", "dp-queries", "--out", "release"]),
    ("dp", ["compare", f"{ABSENT}.tsv", "--methods", "dp-queries", "--out", "found"]),
    ("dp", ["advise", f"{ABSENT}.tsv", "--for", "counts"]),
    ("excel", ["anonymize", f"{ABSENT}.xlsx", "--out", "release"]),
    ("excel", ["anonymize", f"{ABSENT}.tsv", "--to", "xlsx", "--out", "release"]),
    ("excel", ["look", f"{ABSENT}.XLSX"]),
    ("excel", ["advise", f"{ABSENT}.xlsx"]),
    ("excel", ["compare", f"{ABSENT}.xlsx", "--out", "found"]),
    ("excel", ["audit", f"{ABSENT}.xlsx"]),
    ("excel", ["taxonomy", "build", f"{ABSENT}.xlsx", "--levels", "a,b"]),
    ("pdf", ["look", f"{ABSENT}.pdf", "--format", "documents"]),
    ("sql", ["anonymize", "--sql", "select 1", "--from", f"duckdb:{ABSENT}.db", "--out", "release"]),
    ("spark", ["anonymize", f"{ABSENT}.tsv", "--engine", "spark", "--out", "release"]),
    ("studio", ["studio", "--root", ABSENT]),
    ("reproduce", ["reproduce", "thesis", "--out", "paper"]),
]


@pytest.fixture
def plain(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A shell in which no extra is installed."""
    for extra in EXTRAS.values():
        for module in extra.modules:
            monkeypatch.setitem(sys.modules, module, None)
    return shell


@pytest.mark.parametrize(("extra", "words"), NEEDING, ids=lambda value: value if isinstance(value, str) else " ".join(value[:4]))
def test_a_missing_package_is_named_before_anything_is_read(plain: Shell, extra: str, words: list[str]) -> None:
    line = one_line(plain(*words))
    assert f"pip install 'shoal-privacy[{extra}]'" in line
    assert not any((plain.directory / name).exists() for name in ("release", "found", "paper"))


def test_a_plain_install_compares_and_draws_the_page(plain: Shell) -> None:
    plain.file("baskets.txt", baskets())
    plain.file("food.csv", FOOD)
    words = ["--methods", "clump,dp-queries", "--k", "3", "--targets", "20", "--taxonomy", "food.csv", "--out", "found", "--json"]
    answer = plain("compare", "baskets.txt", *words)
    assert answer.code == 0, answer.err
    done, left = json.loads(answer.out)
    assert 0 <= done["kept"] <= 1
    assert "pip install 'shoal-privacy[dp]'" in left["refused"]
    assert 'class="dot' in (plain.directory / "found" / "comparison.html").read_text()


def test_advice_on_a_plain_install_leaves_out_what_cannot_run(plain: Shell) -> None:
    plain.file("log.tsv", query_log(users=40))
    answer = plain("advise", "log.tsv", "--seconds", "4", "--json")
    assert answer.code == 0, answer.err
    counts = next(goal for goal in json.loads(answer.out)["goals"] if goal["goal"] == "counts")
    assert not counts["routes"]
    assert all("pip install 'shoal-privacy[dp]'" in route["why_not"] for route in counts["not_offered"])


def test_every_extra_is_declared_and_every_declared_one_is_known() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert set(project["optional-dependencies"]) == {*EXTRAS, "bench"}
    assert any(one.startswith("ua-parser") for one in project["dependencies"]), "accesslog-mdav is part of a plain install"
    assert requires("shoal-privacy")


def test_an_installed_extra_is_no_error() -> None:
    insist_on_extra("excel")

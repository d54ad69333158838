"""What a user asks for is checked when it is said."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from helpers.errors import refuses
from shoal.data.bags import Vocabulary
from shoal.data.durations import parse_gap
from shoal.pipeline.options import Preparation, Target, is_file, is_generated, load_taxonomy, taxonomy_label


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("30m", 1800), ("2h", 7200), ("1d", 86400), (" 1.5 h ", 5400), ("0.5s", 0.5)])
def test_gaps(text: str, seconds: float):
    assert parse_gap(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "30", "m", "-5m", "0s", "1w", "5 minutes", "nan s", "1e9s", "9" * 400 + "d"])
def test_gaps_that_are_none(text: str):
    with refuses("unreadable-value"):
        parse_gap(text)


@pytest.mark.parametrize(
    ("spec", "label"),
    [
        ("wordnet", "wordnet"),
        ("generated:7", "generated:7"),
        ("/home/me/secret plans/food.csv", "a file"),
        ("/home/me/generated-food.csv", "a file"),
    ],
)
def test_taxonomies_from_files_are_not_named(spec: str, label: str):
    assert taxonomy_label(spec) == label


def test_kinds_of_taxonomies():
    assert [is_file(spec) for spec in ("wordnet", "generated", "generated:3", "generated.csv")] == [False, False, False, True]
    assert not is_generated("generated.csv")


def test_loading():
    tree, notes = load_taxonomy("generated:2", "lm", Vocabulary("abcd"))
    assert (tree.n_leaves, tree.height) == (4, 2)
    assert notes == ("taxonomy generated with a fan-out of 2",)
    with refuses("file-not-found"):
        load_taxonomy("nowhere.csv", "lm")


@pytest.mark.parametrize("fanout", ["1", "0", "-2", "x", "", "2.5", "٣", "9" * 30])
def test_fan_outs_that_are_none(fanout: str):
    with refuses("out-of-range"):
        Preparation(taxonomy=f"generated:{fanout}")


def test_targets_that_are_none():
    with refuses("unknown-choice", value="excel"):
        Target(Path("x"), "excel")
    with refuses("invalid-separator", value="::"):
        Target(Path("x"), "transactions", "::")

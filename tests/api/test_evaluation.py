"""Comparing, reconstructing and listing from Python: the same results as the commands, and the same refusals."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from helpers.cli import FOOD, Shell, baskets
from helpers.errors import refuses
from shoal.cli.compare import command as compare_command
from shoal.errors import Cancelled, GuaranteeNotMet, ParameterError

TIMED = ["seconds", "peak_mb"]


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.file("baskets.txt", baskets())
    shell.file("food.csv", FOOD)
    return shell


# -- compare


def test_a_comparison_is_that_of_the_command(shop: Shell) -> None:
    """The rows are equal, and either finds the finished cells of the other."""
    typed = ("--methods", "clump,km(m=1)", "--k", "2", "--taxonomy", "food.csv", "--targets", "30", "--jobs", "2")
    answer = shop("compare", "baskets.txt", "--out", "typed", *typed, "--json")
    assert answer.code == 0, answer.err
    table = shoal.compare("baskets.txt", "called", ["clump", "km(m=1)"], k=[2], taxonomy="food.csv", targets=30, jobs=2)
    assert table.drop(TIMED).equals(pl.read_parquet("typed/comparison.parquet").drop(TIMED))
    assert table.equals(pl.read_parquet("called/comparison.parquet"))
    pages = [Path(place, "comparison.html").read_text("utf-8") for place in ("typed", "called")]
    assert all("shoal anonymize baskets.txt --method clump --k 2" in page for page in pages)
    again = shop("compare", "baskets.txt", "--out", "called", *typed, "--json")
    assert "2 runs, 2 of them from an earlier comparison" in again.err


def test_methods_that_cannot_be_compared_are_rows_and_notes(shop: Shell, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "shoal"):
        table = shoal.compare("baskets.txt", "found", ["clump", "mdav"], k=2, m=1, taxonomy="food.csv", targets=20)
    assert table["method"].to_list() == ["clump", "mdav"]
    assert "it takes a table" in table["refused"][1]
    assert any("mdav is not compared" in line for line in caplog.messages)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"data": pl.DataFrame({"user": ["a"], "item": ["b"]})}, "compare takes one or more files"),
        ({"data": []}, "compare takes one or more files"),
        ({"k": 1}, "k must be at least 2, not 1"),
        ({"k": []}, "k is empty"),
        ({"k": "2,5"}, "k must be a whole number"),
        ({"m": [0]}, "m must be at least 1, not 0"),
        ({"per": "week"}, "per must be one of user, session, event, not 'week'"),
        ({"jobs": 0}, "jobs must be at least 1, not 0"),
        ({"targets": 0}, "targets must be at least 1, not 0"),
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"methods": "clamp"}, "no method is called 'clamp'"),
        ({"methods": [3]}, "methods must be names"),
        ({"taxonomy": {"Food": ["Apple"]}}, "the taxonomy of a comparison must be a name or a file"),
        ({"taxnomy": "food.csv"}, "there is no option 'taxnomy'"),
    ],
)
def test_wrong_arguments_of_a_comparison_are_refused(shop: Shell, wrong: dict[str, Any], message: str) -> None:
    arguments = {"data": "baskets.txt", "out": "found", "methods": "clump", "taxonomy": "food.csv"} | wrong
    if "taxnomy" in wrong:
        del arguments["taxonomy"]
    with pytest.raises(ParameterError) as error:
        shoal.compare(**arguments)
    assert message in error.value.message
    assert not Path("found").exists()


def test_a_comparison_is_cancelled_and_leaves_no_prepared_data(shop: Shell) -> None:
    cancel, seen = shoal.Cancel(), []

    class Stop(shoal.Events):
        def progress(self, label: str, done: int, total: int, remark: str = "") -> None:
            seen.append(label)
            if label == "comparing":
                threading.Thread(target=cancel.cancel).start()

    with pytest.raises(Cancelled):
        shoal.compare("baskets.txt", "found", "shoal", k=range(2, 12), taxonomy="food.csv", jobs=1, events=Stop(), cancel=cancel)
    assert "comparing" in seen
    assert {path.name for path in Path("found").iterdir()} == {"cells", "comparison.html"}  # the page of what was finished


def test_the_command_and_the_function_have_the_same_defaults() -> None:
    """What the command has as text, the function has as values."""
    import inspect

    signature = inspect.signature(shoal.compare).parameters
    typed = {parameter.name: parameter.default for parameter in compare_command.params}
    assert signature["targets"].default is None
    assert signature["seed"].default == typed["seed"]


# -- reconstruct


@pytest.fixture
def chunks(shop: Shell) -> Shell:
    shoal.anonymize("baskets.txt", "disassociation", k=2, m=2).write("chunks", to="csv")
    return shop


def test_reconstructions_are_those_of_the_command(chunks: Shell) -> None:
    answer = chunks("reconstruct", "chunks", "--out", "typed", "--number", "2", "--seed", "7")
    assert answer.code == 0, answer.err
    drawn = shoal.reconstruct("chunks", "called", 2, seed=7)
    assert drawn.files == ("reconstruction_1.csv", "reconstruction_2.csv")
    assert all(verdict.holds for verdict in drawn.claims)
    for name in drawn.files:  # in random order, so compared as sets of lines
        typed, called = (sorted(line.partition(",")[2] for line in Path(at, name).read_text().splitlines()) for at in ("typed", "called"))
        assert typed == called
        assert len(called) == drawn.records + 1


def test_wrong_arguments_of_a_reconstruction_are_refused(chunks: Shell) -> None:
    with refuses("unknown-output-format", value="pdf"):
        shoal.reconstruct("chunks", "plain", to="pdf")
    with refuses("out-of-range", value=0, limit=1):
        shoal.reconstruct("chunks", "plain", 0)
    with refuses("release-exists"):
        shoal.reconstruct("chunks", "chunks")
    shoal.anonymize("baskets.txt", "clump", k=2, taxonomy="food.csv").write("records")
    with refuses("wrong-kind-of-table"):
        shoal.reconstruct("records", "plain")
    assert not Path("plain").exists()


def test_nothing_is_reconstructed_from_a_release_that_fails(chunks: Shell) -> None:
    place = next(Path("chunks").glob("chunks_terms*.csv"), None) or next(Path("chunks").glob("*.csv"))
    lines = place.read_text().splitlines()
    place.write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(GuaranteeNotMet):
        shoal.reconstruct("chunks", "plain")
    assert not Path("plain").exists()


# -- lists


@pytest.mark.parametrize(
    ("command", "function"), [("methods", shoal.list_methods), ("models", shoal.models), ("metrics", shoal.list_metrics)]
)
def test_lists_are_those_of_the_commands(shell: Shell, command: str, function: Any) -> None:
    listed = function()
    assert json.loads(shell(command, "--json").out) == json.loads(json.dumps(listed))
    name = next(iter(listed))
    assert function(name) == listed[name]
    with refuses(f"unknown-{command.removesuffix('s')}", value="nothing"):
        function("nothing")


def test_models_has_a_name_like_the_other_lists() -> None:
    assert shoal.models is shoal.list_models

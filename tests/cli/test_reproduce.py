"""shoal reproduce, as it is typed: what it says, what it writes, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import shoal
from helpers.cli import Shell
from helpers.errors import refuses
from shoal.evaluate.reproduce import PAPERS
from shoal.io.experiment_files import ExperimentFiles

TINY = {"thesis": 150, "coherence": 300, "ssc": 100, "ares": 40}


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_is_repeated_and_its_statements_are_judged(shell: Shell, paper: str) -> None:
    answer = shell("reproduce", paper, "--size", str(TINY[paper]), "--out", "found", "--json")
    assert answer.code == 0, answer.err
    found, place = json.loads(answer.out), shell.directory / "found"
    assert {one["verdict"] for one in found["findings"]} <= {"agrees", "differs", "not comparable"}
    assert sum(one["agrees"] is not None for one in found["findings"]) >= 3
    page = (place / "experiment.md").read_text("utf-8")
    for name, rows in found["figures"].items():
        assert pl.read_csv(place / f"{name}.csv").height == len(rows) > 0
        if f"({name}.svg)" in page:
            assert (place / f"{name}.svg").read_bytes().startswith(b"<svg")
    assert len(list(place.glob("*.svg"))) >= 1
    assert pl.read_csv(place / "findings.csv").height == len(found["findings"])


def test_a_log_of_ones_own(shell: Shell) -> None:
    shell("generate", "log.tsv", "--users", "200", "--seed", "3", "--like", "thesis")
    terminal = shell("reproduce", "thesis", "--size", "150", "--data", "log.tsv")
    assert "statements of the paper agree" in terminal.out
    assert [path.name for path in shell.directory.iterdir()] == ["log.tsv"]
    own = json.loads(shell("reproduce", "thesis", "--size", "150", "--data", "log.tsv", "--json").out)
    same = json.loads(shell("reproduce", "thesis", "--size", "150", "--seed", "3", "--json").out)
    assert "the first 150 people of log.tsv" in own["data"]
    assert own["figures"]["loss"] == same["figures"]["loss"]


def test_in_python_as_on_the_command_line() -> None:
    with refuses("unknown-paper", value="thesiss"):
        shoal.reproduce("thesiss")
    with refuses("out-of-range", value=7):
        shoal.reproduce("ssc", size=7)
    found = shoal.reproduce("thesis", size=120)
    assert [figure.name for figure in found.figures] == ["loss", "length", "level", "r", "runtime", "density"]
    assert found.agreeing == sum(one.agrees is True for one in found.findings)


def test_data_sets_of_a_directory_are_told_from_those_made_up(shell: Shell) -> None:
    (shell.directory / "fimi").mkdir()
    shell.file("fimi/retail.dat", "".join(f"{i % 7} {7 + i % 5} {12 + i % 3}\n" for i in range(250)))
    found = json.loads(shell("reproduce", "coherence", "--size", "200", "--data", "fimi", "--json").out)
    assert found["data"] == "like Connect: 200 transactions; Retail: 200 transactions; like T40I10D100K: 200 transactions"
    told = {(one["place"], one["says"]): one["agrees"] for one in found["findings"]}
    assert told["Figure 8, Connect", "RmAll distorts 41.94%"] is None
    assert told["Figure 9, Retail", "MM/IL and 1/IL are about 8% lower than RmAll"] is not None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("thesiss",), "did you mean thesis"),
        (("thesis", "--size", "5"), "at least 120, not 5"),
        (("thesis", "--data", "missing"), "does not exist"),
        (("thesis", "--data", "baskets.txt"), "needs a query log"),
        (("thesis", "--data", "few.tsv"), "there are 3 people in the data, but the experiment needs at least 120"),
        (("coherence", "--data", "full"), "full has none of the data sets of this experiment"),
        (("thesis", "--out", "missing/there"), "there is no directory"),
        (("thesis", "--out", "full"), "is not empty"),
    ],
)
def test_what_is_refused_before_the_work(shell: Shell, words: tuple[str, ...], told: str) -> None:
    shell.file("baskets.txt", "milk,bread\nmilk,beer,eggs\nmilk\n")
    (shell.directory / "full").mkdir()
    shell.file("full/other.txt", "kept")
    shell.file("few.tsv", "AnonID\tQuery\tQueryTime\n" + "".join(f"{n}\tdog cat\t2006-03-01 10:00:00\n" for n in range(3)))
    answer = shell("reproduce", *words)
    assert (answer.code, answer.out) == (1, "")
    assert told in answer.err


def test_files_are_written_over_only_with_force(tmp_path: Path) -> None:
    place = tmp_path / "found"
    ExperimentFiles(place).check()
    ExperimentFiles(place).write("a.csv", b"1")
    with refuses("directory-not-empty"):
        ExperimentFiles(place).check()
    again = ExperimentFiles(place, force=True)
    again.check()
    again.write("a.csv", b"2")
    assert (place / "a.csv").read_bytes() == b"2"
    with refuses("output-is-a-file"):
        ExperimentFiles(place / "a.csv").check()

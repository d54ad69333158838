"""The manifest: its keys are a promise, and it balances."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from helpers.cli import Shell, query_log
from shoal import __version__
from shoal.kinds.bags.read import read_records
from shoal.pipeline.manifest import preparation_of, read_manifest


def made(shell: Shell, *words: str) -> dict[str, Any]:
    shell.file("log.tsv", query_log() + "\t\t\n77\tlost dog\tyesterday\t\t\n1000\tdog cat\t2006-03-09 10:00:00\t1\thttp://a\n")
    answer = shell("anonymize", "log.tsv", "--k", "3", "--out", "release", "--json", *words)
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def test_the_keys(shell: Shell):
    told = made(shell)
    assert list(told) == ["shoal", "method", "parameters", "input", "claims", "accounting", "notes", "metrics", "files", "sha256"]
    assert told["shoal"] == __version__
    assert told["method"] == "shoal"
    assert told["parameters"]["k"] == 3
    assert {"format", "rows", "records", "owners", "items"} <= set(told["input"])
    assert {"ggd", "loss", "ncp", "mean_length", "mean_level"} <= set(told["metrics"])
    for claim in told["claims"]:
        assert {"model", "holds", "achieved", "achieved_from_file"} <= set(claim)
        assert claim["holds"] is True
    records, report = told["files"]
    assert set(records) == {"name", "rows", "occurrences", "items", "different", "sha256", "format", "table", "kind", "layout"}
    assert set(report) == {"name", "sha256"}


def test_the_digest_is_that_of_all_the_rest(shell: Shell):
    told = made(shell)
    digest = told.pop("sha256")
    assert digest == hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def test_the_files_are_as_it_says(shell: Shell):
    told = made(shell)
    directory = shell.directory / "release"
    assert {file.name for file in directory.iterdir()} == {"manifest.json", *(file["name"] for file in told["files"])}
    for file in told["files"]:
        assert hashlib.sha256((directory / file["name"]).read_bytes()).hexdigest() == file["sha256"]
    assert len(read_records(directory / "records.parquet")[0]) == told["files"][0]["rows"]
    assert json.loads((directory / "manifest.json").read_text()) == told


@pytest.mark.parametrize("words", [[], ["--unknown", "drop"], ["--bag"], ["--per", "event"], ["--per", "session"]], ids=str)
def test_every_ledger_balances(shell: Shell, words: list[str]):
    told = made(shell, *words)
    account = told["accounting"]
    for ledger in account.values():
        parts = {name: n for name, n in ledger.items() if name != "in"}
        assert sum(parts.values()) == ledger["in"]
        assert min(parts.values()) > 0
    assert account["rows"]["in"] == told["input"]["rows"]
    assert account["records"]["in"] == told["input"]["records"]
    assert account["occurrences"]["in"] == told["input"]["occurrences"]
    assert account["records"]["published"] == told["files"][0]["rows"]
    # Only sessions need times, so only for them is a row left out because of one.
    assert any("unreadable time" in name for name in account["rows"]) == ("session" in words)


def test_loss_is_ggd_per_occurrence_that_the_method_saw(shell: Shell):
    told = made(shell, "--bag")
    account = told["accounting"]["occurrences"]
    seen = account["in"] - account.get("dropped: not in the taxonomy", 0)
    assert told["metrics"]["loss"] == pytest.approx(told["metrics"]["ggd"] / seen)


def test_a_preparation_comes_back_from_the_manifest(shell: Shell):
    told = made(shell, "--per", "session", "--gap", "45m", "--bag", "--unknown", "drop", "--tree", "whole", "--node-loss", "height")
    how = preparation_of(read_manifest(shell.directory / "release"))
    assert (how.per, how.gap, how.as_sets, how.unknown, how.scope, how.loss) == ("session", "45m", False, "drop", "whole", "height")
    assert (how.taxonomy, how.read.format) == ("wordnet", "querylog")
    assert told["input"]["gap"] == "45m"


def test_a_taxonomys_file_is_not_named(kitchen: Shell):
    (kitchen.directory / "private notes").mkdir()
    (kitchen.directory / "food.csv").rename(kitchen.directory / "private notes" / "food.csv")
    words = ["anonymize", "baskets.txt", "--taxonomy", "private notes/food.csv", "--out", "new", "--json"]
    answer = kitchen(*words)
    assert json.loads(answer.out)["input"]["taxonomy"] == "a file"
    for file in (kitchen.directory / "new").iterdir():
        assert b"private notes" not in file.read_bytes()
        assert b"food.csv" not in file.read_bytes()
        assert str(kitchen.directory).encode() not in file.read_bytes()

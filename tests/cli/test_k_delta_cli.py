"""k-delta as typed: what it says of added words, audits with and without the original, files in another order, what fails."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

import shoal
from helpers.cli import Shell, failed, one_line

WORDS = ("tea", "milk", "rain", "snow", "news", "maps", "jazz", "rock")


def searches(seed: int = 3) -> list[str]:
    """Thirty people of three tastes, each with a word of their own."""
    rng = random.Random(seed)
    rows = []
    for user in range(30):
        taste = WORDS[user % 3 : user % 3 + 5]
        rows += [f"p{user},{word}" for word in rng.sample(taste, 4)] + [f"p{user},own{user}"]
    return rows


@pytest.fixture
def log(shell: Shell) -> Path:
    return shell.file("log.csv", "user,query\n" + "\n".join(searches()) + "\n")


def records(place: Path) -> list[list[str]]:
    with (place / "records.csv").open() as file:
        return sorted(sorted(row["items"].split(";")) for row in csv.DictReader(file))


def test_a_release_is_verified_told_and_audited(shell: Shell, log: Path) -> None:
    out = shell.directory / "out"
    made = shell("anonymize", log, "--method", "k-delta", "--k", "3", "--delta", "0.4", "--to", "csv", "--out", out)
    assert made.code == 0, made.err
    assert "k-delta-anonymity(k=3, delta=0.4) verified" in made.out
    assert "of the published items were not in the original record" in made.out
    manifest = json.loads((out / "manifest.json").read_text())
    assert 0 < manifest["metrics"]["added"] < 0.5
    assert not {"loss", "ggd"} & manifest["metrics"].keys()
    assert "Added" in (out / "report.html").read_text()
    assert shell("audit", out).code == 0
    assert shell("audit", out, "--original", log).code == 0
    measured = shell("measure", out, "--json")
    assert json.loads(measured.out)["added"] == manifest["metrics"]["added"]


def test_a_loss_that_additions_would_hide_is_not_measured(shell: Shell, log: Path) -> None:
    out = shell.directory / "out"
    shell("anonymize", log, "--method", "k-delta", "--k", "3", "--out", out)
    assert "loss is not for releases that may add items" in one_line(shell("measure", out, "--original", log, "--metric", "loss"))


def test_the_order_of_the_file_and_the_names_of_people_do_not_matter(shell: Shell, log: Path) -> None:
    rows = searches()
    random.Random(5).shuffle(rows)
    other = shell.file("other.csv", "user,query\n" + "\n".join(f"x{hash(row.split(',')[0])},{row.split(',')[1]}" for row in rows) + "\n")
    found = []
    for place, out in ((log, "one"), (other, "two")):
        done = shell("anonymize", place, "--method", "k-delta", "--k", "3", "--to", "csv", "--out", shell.directory / out)
        assert done.code == 0, done.err
        found.append(records(shell.directory / out))
    assert found[0] == found[1]


def test_a_record_that_stands_alone_fails_an_audit(shell: Shell, log: Path) -> None:
    place = shell.file("records.csv", "record,items\n1,tea;milk\n2,tea;milk\n3,tea;milk;rain\n4,jazz\n")
    claim = "k-delta-anonymity(k=3, delta=0.4)"
    failed = shell("audit", place, "--claim", claim)
    assert failed.code == 3
    assert "1 different record with fewer than 3 records within 0.4 of it" in failed.out
    near = shell.file("near.csv", "record,items\n1,tea;milk\n2,tea;milk\n3,tea;milk;rain\n")
    assert shell("audit", near, "--claim", claim).code == 0
    assert shell("audit", near, "--claim", "k-delta-anonymity(k=3, delta=0.3)").code == 3


def test_python_and_a_file_of_options_give_the_same(shell: Shell, log: Path) -> None:
    result = shoal.anonymize(log, "k-delta", k=3, delta=0.4)
    options = shell.file("o.toml", 'method = "k-delta"\nk = 3\ndelta = 0.4\nto = "csv"\n')
    assert shell("anonymize", log, "--config", options, "--out", shell.directory / "out").code == 0
    assert sorted(sorted(items) for items in result.to_polars()["items"].to_list()) == records(shell.directory / "out")
    assert result.headline.warning == ""


def test_repeated_items_are_refused_with_what_to_leave_out(shell: Shell, log: Path) -> None:
    place = shell.file("bag.csv", "user,item\na,tea\na,tea\nb,tea\n")
    failed(shell("anonymize", place, "--method", "k-delta", "--k", "2", "--bag", "--out", shell.directory / "x"), "repeated-items")

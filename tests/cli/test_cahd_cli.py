"""The method cahd as a user types it: two files, judged, measured, audited, and refused where they were changed."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import shoal
from helpers.cli import Shell, one_line
from shoal.data.bags import Bags
from shoal.methods.cahd import CAHD
from shoal.privacy.privacy_degree import PrivacyDegree

CAHD_WORDS = ("--method", "cahd", "--p", "4", "--sensitive", "sensitive.txt")


@pytest.fixture
def shop(shell: Shell) -> Shell:
    rng = np.random.default_rng(3)
    lines = [
        {f"i{x}" for x in rng.integers(0, 12, 4)} | ({"flu", "cold"} if n % 20 == 0 else {"flu"} if n % 15 == 0 else set())
        for n in range(80)
    ]
    shell.file("baskets.txt", "".join(" ".join(sorted(line)) + "\n" for line in lines))
    visits = [f"{n % 30},{n},{item}" for n, line in enumerate(lines) for item in sorted(line)]
    shell.file("visits.csv", "user,basket,item\n" + "\n".join(visits) + "\n")
    shell.file("sensitive.txt", "flu\ncold\n")
    assert shell("anonymize", "baskets.txt", "--format", "transactions", *CAHD_WORDS, "--to", "csv", "--out", "release").code == 0
    return shell


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_files_hold_the_records_and_the_counts_and_no_more(shop: Shell) -> None:
    rows, counts = (rows_of(shop.directory / "release" / f"records_{part}.csv") for part in ("rows", "histogram"))
    typed = [set(line.split()) for line in (shop.directory / "baskets.txt").read_text().splitlines()]
    assert {frozenset(row) for row in (*rows, *counts)} == {frozenset({"group", "items"}), frozenset({"group", "item", "count"})}
    assert Counter(row["items"] for row in rows) == Counter(";".join(sorted(line - {"flu", "cold"})) for line in typed)
    sizes = Counter(row["group"] for row in rows)
    assert all(int(row["count"]) * 4 <= sizes[row["group"]] for row in counts)
    for item in ("flu", "cold"):
        assert sum(int(row["count"]) for row in counts if row["item"] == item) == sum(item in line for line in typed)


def test_an_audit_verifies_it_with_and_without_the_original(shop: Shell) -> None:
    for words in ((), ("--original", "baskets.txt")):
        told = json.loads(shop("audit", "release", *words, "--json").out)
        assert told["holds"], told
        assert told["claims"][0]["verdict"] == "verified"
        assert told["claims"][0]["achieved"]["p"] >= 4


def test_numbers_are_measured_anew_and_are_those_of_the_manifest(shop: Shell) -> None:
    manifest = json.loads((shop.directory / "release" / "manifest.json").read_text())
    told = json.loads(shop("measure", "release", "--original", "baskets.txt", "--json").out)
    assert told["reconstruction_kl"] == pytest.approx(manifest["metrics"]["reconstruction_kl"])
    assert manifest["metrics"]["kept"] == 1 - manifest["metrics"]["counted_per_group"]


def test_the_report_draws_the_groups(shop: Shell) -> None:
    page = (shop.directory / "release" / "report.html").read_text()
    assert "without linking them to a record of the group" in page
    assert PrivacyDegree.does_not_protect in page


def rewritten(shop: Shell, part: str, change: dict[str, str]) -> None:
    """One cell of a file changed, with the digests made to fit."""
    path = shop.directory / "release" / f"records_{part}.csv"
    before = path.read_text()
    after = before
    for old, new in change.items():
        after = after.replace(old, new, 1)
    assert after != before
    path.write_text(after)
    manifest = json.loads((shop.directory / "release" / "manifest.json").read_text())
    for file in manifest["files"]:
        if file["name"] == path.name:
            file["sha256"] = hashlib.sha256(after.encode()).hexdigest()
    (shop.directory / "release" / "manifest.json").write_text(json.dumps(manifest))


TAMPERED = {
    "a count raised": ("histogram", {",flu,1": ",flu,2"}),
    "a sensitive item in a row": ("rows", {";i": ";flu;i"}),
    "an item renamed": ("rows", {"i1;": "i11;"}),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_changed_fails(shop: Shell, name: str) -> None:
    rewritten(shop, *TAMPERED[name])
    assert shop("audit", "release", "--original", "baskets.txt").code == 3


def test_a_column_of_names_is_refused(shop: Shell) -> None:
    path = shop.directory / "release" / "records_rows.csv"
    head, *lines = path.read_text().splitlines()
    path.write_text("\n".join([f"{head},name", *(f"{line},n{i}" for i, line in enumerate(lines))]) + "\n")
    answer = shop("audit", "release")
    assert answer.code in {1, 3}
    assert "other columns than those declared" in answer.everything


def test_a_part_that_is_missing_is_said(shop: Shell) -> None:
    (shop.directory / "release" / "records_histogram.csv").unlink()
    assert shop("audit", "release").code in {1, 3}


def test_records_of_one_person_are_kept_apart(shop: Shell) -> None:
    words = ("visits.csv", "--user", "user", "--item", "item", "--record", "basket", *CAHD_WORDS)
    assert shop("anonymize", *words, "--out", "several").code == 0
    manifest = json.loads((shop.directory / "several" / "manifest.json").read_text())
    assert manifest["claims"][0]["achieved"] == {"p": 4.0, "records": 4, "people": 4}
    assert manifest["input"]["owners"] == 30
    told = json.loads(shop("audit", "several", "--original", "visits.csv", "--json").out)
    assert told["holds"]
    assert any("rows were counted" in note for note in told["claims"][0]["notes"])


def test_a_person_with_too_many_sensitive_records_is_an_error_without_a_name(shell: Shell) -> None:
    rows = [f"ann,{n},flu" for n in range(6)] + [f"u{n},{n + 10},bread" for n in range(8)] + [f"ann,{n},bread" for n in range(30, 50)]
    shell.file("visits.csv", "user,basket,item\n" + "\n".join(rows) + "\n")
    line = one_line(
        shell("anonymize", "visits.csv", "--user", "user", "--item", "item", "--record", "basket", "--out", "x",
              "--method", "cahd", "--p", "4", "--sensitive", "items:flu")
    )  # fmt: skip
    assert "1 person owns too many of the records with sensitive items" in line
    assert "ann" not in line


ERRORS = {
    "sensitive items are not named": ((), "no sensitive items are named"),
    "an item that is not there": (("--sensitive", "items:flu|zebra"), "sensitive items: 'zebra' is not in the data"),
    "too large a p": (("--sensitive", "items:i1", "--p", "20"), "records, more than one in 20"),
    "more people than there are": (("--sensitive", "items:flu", "--p", "81"), "a group needs 81 people, but the data has only 80"),
    "the long layout": (("--sensitive", "items:flu", "--layout", "long"), "the layout long is for records of items"),
    "transactions as output": (("--sensitive", "items:flu", "--to", "transactions"), "transactions cannot represent a table of groups"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_cannot_be_is_said_in_one_line(shop: Shell, name: str) -> None:
    words, says = ERRORS[name]
    line = one_line(shop("anonymize", "baskets.txt", "--format", "transactions", "--method", "cahd", *words, "--out", "other"))
    assert says in line
    assert "other" not in shop.names()


def test_a_window_wider_than_all_records_is_all_records(shop: Shell) -> None:
    words = ("baskets.txt", "--format", "transactions", *CAHD_WORDS, "--search", "band")
    for alpha, out in (("80", "wide"), (str(10**17), "wider")):
        assert shop("anonymize", *words, "--alpha", alpha, "--out", out).code == 0
    wide, wider = (json.loads((shop.directory / out / "manifest.json").read_text()) for out in ("wide", "wider"))
    assert wide["metrics"] == wider["metrics"]


def test_a_config_file_and_python_give_the_same_groups(shop: Shell) -> None:
    shop.file("settings.toml", 'method = "cahd"\np = 4\nsensitive = "sensitive.txt"\nformat = "transactions"\n')
    assert shop("anonymize", "baskets.txt", "--config", "settings.toml", "--out", "again").code == 0
    ours = json.loads((shop.directory / "again" / "manifest.json").read_text())
    theirs = json.loads((shop.directory / "release" / "manifest.json").read_text())
    assert ours["metrics"] == theirs["metrics"]
    bags = Bags.from_lists([line.split() for line in (shop.directory / "baskets.txt").read_text().splitlines()])
    result = shoal.anonymize(bags, CAHD(p=4, sensitive=["flu", "cold"]))  # type: ignore[arg-type]
    assert result.metrics["reconstruction_kl"] == pytest.approx(ours["metrics"]["reconstruction_kl"])
    assert [verdict.standing for verdict in result.verdicts] == ["verified"]

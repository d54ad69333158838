"""Deleting infrequent queries from the command line: formats, refusals, and audits of honest and of tampered releases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from helpers.cli import Shell, one_line
from helpers.tampering import edit, put, renew, together

K = 3
ODD = ['say "hi", all', "=sum(a)", "null", "née 🐟", "12", "-", "*"]
SHARED = ["weather", *ODD]


def searches() -> str:
    """Five people ask every shared query, the first of them twice; each has a query of their own, and asks it four times."""
    rows = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user in range(5):
        asked = [*SHARED, *(SHARED if not user else []), *[f"name of {user}"] * 4]
        rows += [f"{user}\t{text}\t2006-03-01 10:{minute:02}:00\t\t" for minute, text in enumerate(asked)]
    rows += ["7\tno time\tnever\t\t", "8\t\t2006-03-01 11:00:00\t\t"]
    return "\n".join(rows) + "\n"


EXPECTED = Counter(dict.fromkeys(SHARED, 6))  # the question of the definition, answered by hand


@pytest.fixture
def desk(shell: Shell) -> Shell:
    shell.file("log.tsv", searches())
    return shell


def release(desk: Shell, form: str = "csv") -> Path:
    made = desk("anonymize", "log.tsv", "--method", "infrequent", "--k", str(K), "--to", form, "--out", "release")
    assert made.code == 0, made.err
    return desk.directory / "release"


def texts(place: Path) -> list[str]:
    file = next(place.glob("log.*"))
    if file.suffix == ".parquet":
        return pl.read_parquet(file)["query"].to_list()
    if file.suffix == ".jsonl":
        return [json.loads(line)["query"] for line in file.read_text().splitlines()]
    return pl.read_csv(file, infer_schema=False)["query"].to_list()


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_a_release_and_its_audits(desk: Shell, form: str) -> None:
    place = release(desk, form)
    assert Counter(texts(place)) == EXPECTED
    alone = desk("audit", "release")
    assert alone.code == 0, alone.everything
    assert "1 NOT CHECKABLE" in alone.out
    assert "at least 6 times" in alone.out
    beside = desk("audit", "release", "--original", "log.tsv")
    assert beside.code == 0, beside.everything
    assert "all claims hold" in beside.out
    assert "at least 5 people" in beside.out


def test_the_manifest_accounts_for_every_row(desk: Shell) -> None:
    told = json.loads((release(desk) / "manifest.json").read_text())
    given = searches().splitlines()[1:]
    assert told["accounting"] == {
        "rows": {
            "in": len(given),
            "published": EXPECTED.total(),
            "dropped: fewer than k people": 21,
            "dropped: no query": 1,
        }
    }
    assert told["input"] == {"format": "querylog", "rows": len(given), "owners": 7, "read_as": "log"}
    assert told["files"][0]["columns"] == {"query": "text"}
    assert any("all other columns are dropped" in note for note in told["notes"])
    kept = EXPECTED.total() / len(given)
    assert told["metrics"] == pytest.approx({"rows_kept": kept, "queries_kept": len(SHARED) / (len(SHARED) + 6), "people_kept": 5 / 7})
    measured = json.loads(desk("measure", "release", "--original", "log.tsv", "--json").out)
    assert measured == pytest.approx(told["metrics"])


def test_neither_people_nor_rare_queries_nor_times_get_out(desk: Shell) -> None:
    place = release(desk)
    for file in place.iterdir():
        written = file.read_text()
        assert "name of" not in written
        assert "2006" not in written


def test_the_report_tells_of_queries(desk: Shell) -> None:
    page = (release(desk) / "report.html").read_text()
    assert "Published queries" in page
    assert f"Of {len(SHARED) + 6} distinct queries in the input, {len(SHARED)} are published" in page
    assert "say &#34;hi&#34;, all" in page
    assert "Record lengths" not in page


@pytest.mark.parametrize(
    "words",
    [("--per", "user"), ("--taxonomy", "wordnet"), ("--bag",), ("--unknown", "keep"), ("--gap", "5m"), ("--tree", "whole")],
    ids=str,
)
def test_options_of_records_are_refused(desk: Shell, words: tuple[str, ...]) -> None:
    line = one_line(desk("anonymize", "log.tsv", "--method", "infrequent", *words, "--out", "x"))
    assert words[0] in line
    assert "this method publishes the rows of a log" in line
    assert "x" not in desk.names()


def test_other_input_and_other_output_is_refused(desk: Shell) -> None:
    desk.file("baskets.txt", "a b\nb c\n")
    line = one_line(desk("anonymize", "baskets.txt", "--format", "transactions", "--method", "infrequent", "--out", "x"))
    assert "takes a log of events" in line
    line = one_line(desk("anonymize", "log.tsv", "--method", "infrequent", "--to", "transactions", "--out", "x"))
    assert "transactions cannot represent a table of rows" in line
    line = one_line(desk("anonymize", "log.tsv", "--method", "infrequent", "--k", "6", "--out", "x"))
    assert "no query was used by 6 people or more" in line


# -- tampering


def lines(change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    """Other lines in log.csv, with the digests and the number of rows renewed as anybody can."""

    def tamper(place: Path) -> None:
        file = place / "log.csv"
        written = change(file.read_text().splitlines())
        file.write_text("\n".join(written) + "\n")
        renew(place)
        put("files[0].rows", len(written) - 1)(place)

    return tamper


def account(by: int) -> Callable[[Path], None]:
    """So many more rows said to be published, and fewer to be dropped; the share of rows fits."""

    def change(told: dict) -> None:
        rows = told["accounting"]["rows"]
        rows["published"] += by
        rows["dropped: fewer than k people"] -= by
        told["metrics"]["rows_kept"] = rows["published"] / rows["in"]

    return edit(change)


def with_owners(rows: list[str]) -> list[str]:
    return [f"{'user' if not n else n % 5},{row}" for n, row in enumerate(rows)]


def without(text: str, n: int) -> Callable[[list[str]], list[str]]:
    def change(rows: list[str]) -> list[str]:
        left = list(rows)
        for _ in range(n):
            left.remove(text)
        return left

    return change


# What was done, whether the file alone shows it, and what the audit says; with the original it is always seen.
TAMPERED = {
    "a rare query is added": (lines(lambda rows: [*rows, "name of 1"]), True, "1 query was published in fewer than 3 rows"),
    "and the account is made to fit": (
        together(lines(lambda rows: [*rows, *["name of 1"] * 6]), account(6)),
        False,
        "1 query was used by fewer than 3 people",
    ),
    "a row is duplicated": (lines(lambda rows: [*rows, "weather"]), True, "accounting.rows has 48 published, but there are 49 rows"),
    "a row is duplicated and counted": (
        together(lines(lambda rows: [*rows, "weather"]), account(1)),
        False,
        "1 published row has no row of the original",
    ),
    "rows are deleted": (lines(without("weather", 4)), True, "1 query was published in fewer than 3 rows"),
    "a row is deleted": (lines(without("weather", 1)), True, "accounting.rows has 48 published, but there are 47 rows"),
    "a text is changed": (
        lines(lambda rows: [*without("weather", 1)(rows), "weather in Ghent"]),
        True,
        "1 query was published in fewer than 3 rows",
    ),
    "all rows of a text are changed": (
        lines(lambda rows: ["storms" if row == "weather" else row for row in rows]),
        False,
        "6 published rows have no row of the original",
    ),
    "an owner column is added and told": (
        together(lines(with_owners), put("files[0].columns", {"user": "text", "query": "text"})),
        True,
        "'user' is not covered by any claim",
    ),
    "the claim is weakened": (put("claims[0].model", "support(k=2)"), True, "which is not claimed"),
    "more people are claimed": (put("claims[0].achieved.people", 7), True, "counts more people than records"),
    "the account is changed": (account(2), True, "accounting.rows has 50 published, but there are 48 rows"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_release_fails_its_audit(desk: Shell, name: str) -> None:
    tamper, alone, says = TAMPERED[name]
    tamper(release(desk))
    found = desk("audit", "release", "--original", "log.tsv")
    assert found.code == 3, found.everything
    seen = desk("audit", "release")
    assert (seen.code == 3) == alone, seen.everything
    shown = " ".join((seen if alone else found).out.split())
    assert says in shown
    assert alone or "NOT CHECKABLE" in seen.out


def test_an_owner_column_that_the_manifest_does_not_tell_is_refused(desk: Shell) -> None:
    lines(with_owners)(release(desk))
    assert "has other columns than those declared" in one_line(desk("audit", "release"))


def test_a_file_of_another_tool(desk: Shell) -> None:
    """A single file is judged by a claim; a column beside the query fails until it is allowed, a number of the row does not."""
    desk.file("theirs.csv", "row,query\n" + "".join(f"{n},weather\n" for n in range(1, 5)))
    claim = ("--claim", f"support(k={K})")
    assert desk("audit", "theirs.csv", *claim).code == 0
    held = desk("audit", "theirs.csv", *claim, "--original", "log.tsv")
    assert held.code == 0, held.everything
    assert "at least 5 people" in held.out
    desk.file("worse.csv", "who,query\n" + "ann,weather\n" * 3)
    assert desk("audit", "worse.csv", *claim).code == 3
    assert desk("audit", "worse.csv", *claim, "--allow-column", "who").code == 0
    desk.file("rare.csv", "query\n" + "name of 1\n" * 4)
    assert desk("audit", "rare.csv", *claim).code == 0
    broken = desk("audit", "rare.csv", *claim, "--original", "log.tsv")
    assert broken.code == 3
    assert "name of" not in broken.everything

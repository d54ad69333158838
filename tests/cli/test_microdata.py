"""Microdata through the command line: columns and their roles, what is written, what an audit sees of a table that was tampered with."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from helpers.cli import Shell, failed, one_line
from helpers.microdata import numbers_csv, people_csv
from helpers.tampering import edit, manifest_of, put, renew, together

READ = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}
MDAV = ("--format", "microdata", "--method", "mdav", "--k", "3", "--out", "release")
ROLES = ("--user", "who", "--keep-column", "town")


def release_of(shell: Shell, content: str, *words: str) -> Path:
    shell.file("table.csv", content)
    answer = shell("anonymize", "table.csv", *MDAV, "--to", "csv", *words)
    assert answer.code == 0, answer
    return shell.directory / "release"


def rows_in(release: Path) -> list[dict[str, str]]:
    with (release / "microdata.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("form", READ)
def test_every_form_is_written_judged_and_read_back(shell: Shell, form: str) -> None:
    shell.file("table.csv", numbers_csv())
    assert shell("anonymize", "table.csv", *MDAV, "--to", form).code == 0
    frame = READ[form](shell.directory / "release" / f"microdata.{form}")
    assert frame.columns == ["c0", "c1", "c2"]
    assert min(Counter(frame.rows()).values()) >= 3
    assert frame.mean().row(0) == pytest.approx(pl.read_csv(shell.directory / "table.csv").mean().row(0))
    for words in ((), ("--original", "table.csv")):
        answer = shell("audit", "release", *words)
        assert answer.code == 0, answer
    told = manifest_of(shell.directory / "release")
    measured = json.loads(shell("measure", "release", "--original", "table.csv", "--json").out)
    assert measured == {"information_loss": pytest.approx(told["metrics"]["information_loss"])}
    assert told["input"]["quasi_identifiers"] == ["c0", "c1", "c2"]
    assert told["claims"][0]["model"] == 'microdata-k-anonymity(k=3, columns="c0,c1,c2")'
    assert told["accounting"] == {"rows": {"in": 30, "microaggregated": 30}}


@pytest.mark.parametrize("method", ["mdav", "microaggregation"])
def test_the_mean_of_five_rows_is_close_enough_for_the_judge(shell: Shell, method: str) -> None:
    """The sum of these is rounded, and a fifth of it would be more than the last digit away from the mean."""
    shell.file("table.csv", "a\n" + "-0.2\n" * 3 + "-0.4\n-0.2\n")
    answer = shell("anonymize", "table.csv", *MDAV, "--method", method)
    assert answer.code == 0, answer


def test_transactions_cannot_hold_a_table(shell: Shell) -> None:
    shell.file("table.csv", numbers_csv())
    failed(shell("anonymize", "table.csv", *MDAV, "--to", "transactions"), "output-format-not-applicable", value="transactions")


def test_rows_of_a_group_are_byte_for_byte_alike(shell: Shell) -> None:
    """Means such as 1/3 are written with all their digits, the same in every row."""
    release = release_of(shell, "a\n" + "\n".join(["0", "0", "1", "10", "10", "11", "20", "21", "21"]) + "\n")
    assert Counter(row["a"] for row in rows_in(release)) == {repr(1 / 3): 3, repr(31 / 3): 3, repr(62 / 3): 3}


def test_roles_of_columns(shell: Shell) -> None:
    shell.file("table.csv", people_csv())
    answer = shell("anonymize", "table.csv", *MDAV, *ROLES, "--to", "csv")
    assert answer.code == 0, answer
    warning = next(line for line in answer.err.splitlines() if line.startswith("warning"))
    assert "'town'" in warning
    assert "not covered by the claim" in warning
    release = shell.directory / "release"
    given = list(csv.DictReader(people_csv().splitlines()))
    assert Counter(row["town"] for row in rows_in(release)) == Counter(row["town"] for row in given)
    told = manifest_of(release)
    assert set(rows_in(release)[0]) == {"age", "income", "town"}
    assert told["input"] | {"left_as_they_are": ["town"], "quasi_identifiers": ["age", "income"], "owner_column": "who"} == told["input"]
    assert told["input"]["owners"] == len({row["who"] for row in given}) == 20
    people = told["claims"][0]["achieved"]["people"]
    assert people >= 3
    for file in release.iterdir():
        assert not [row["who"] for row in given if f"{row['who']}," in file.read_text()]
    for words in ((), ("--original", "table.csv")):
        audit = shell("audit", "release", *words)
        assert audit.code == 0, audit
        assert "not covered by the claim: 'town'" in audit.everything


def test_dropped_columns_are_counted_and_not_named(shell: Shell) -> None:
    release = release_of(shell, people_csv(), "--user", "who", "--drop-column", "town", "--quasi", "age,3")
    assert set(rows_in(release)[0]) == {"age", "income"}
    assert manifest_of(release)["input"]["dropped"] == 1
    assert not [place for place in release.iterdir() if b"town" in place.read_bytes()]
    assert shell("audit", "release", "--original", "table.csv").code == 0


def test_the_order_of_rows_and_the_number_of_threads_change_nothing(shell: Shell) -> None:
    header, *rows = people_csv(60).splitlines()
    found = []
    for n, threads in enumerate(("1", "2", "2")):
        random.Random(n).shuffle(rows)
        release = release_of(shell, "\n".join([header, *rows]) + "\n", *ROLES, "--threads", threads, "--force")
        found.append(Counter((row["age"], row["income"]) for row in rows_in(release)))
    assert found[0] == found[1] == found[2]


def test_mdav_reads_microdata_unless_told_otherwise(shell: Shell) -> None:
    shell.file("table.csv", numbers_csv())
    assert shell("anonymize", "table.csv", "--method", "mdav", "--out", "release").code == 0
    failed(shell("anonymize", "table.csv", "--method", "mdav", "--format", "table", "--out", "other"), "wrong-kind-of-input")


def test_other_methods_refuse_microdata(shell: Shell) -> None:
    shell.file("table.csv", numbers_csv())
    answer = shell("anonymize", "table.csv", "--format", "microdata", "--method", "clump", "--out", "release")
    failed(answer, "wrong-kind-of-input")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--taxonomy", "wordnet"), "--taxonomy"),
        (("--per", "session"), "--per"),
        (("--gap", "5m"), "--gap"),
        (("--bag",), "--bag"),
        (("--unknown", "drop"), "--unknown"),
        (("--tree", "whole"), "--tree"),
        (("--node-loss", "lm"), "--node-loss"),
        (("--time", "c0"), "--time"),
        (("--text", "c0"), "--text"),
        (("--item", "c0"), "--item"),
        (("--owners", "folded"), "--owners"),
        (("--malformed", "0.5"), "--malformed"),
        (("--quasi", "c0,c9"), "'c9'"),
        (("--quasi", "c0"), "columns 2, 3"),
        (("--quasi", "c0,c0"), "named twice"),
        (("--bound",), "bound"),
    ],
)
def test_what_is_not_for_microdata_is_refused(shell: Shell, words: tuple[str, ...], says: str) -> None:
    shell.file("table.csv", numbers_csv())
    assert says in one_line(shell("anonymize", "table.csv", *MDAV, *words))
    assert shell.names() == {"table.csv"}


def test_columns_of_microdata_are_for_microdata(shell: Shell) -> None:
    shell.file("log.csv", "user,item\na,b\n")
    assert "--quasi" in one_line(shell("anonymize", "log.csv", "--quasi", "item", "--out", "release"))


def test_too_few_people(shell: Shell) -> None:
    shell.file("table.csv", "who,a\nx,1\ny,2\nx,3\n")
    failed(shell("anonymize", "table.csv", *MDAV, "--user", "who"), "too-few-people", k=3, owners=2)


@pytest.mark.parametrize("dtype", [pl.Boolean, pl.Date])
def test_a_kept_column_that_cannot_be_published_as_it_is(shell: Shell, dtype: pl.DataType) -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": pl.Series([0, 1, 1]).cast(dtype)})
    frame.write_parquet(shell.directory / "table.parquet")
    failed(shell("anonymize", "table.parquet", *MDAV, "--keep-column", "b"), "unpublishable-column")


def test_kept_columns_of_parquet_and_odd_text_come_back_as_they_were(shell: Shell) -> None:
    kept = {
        "n": pl.Series([1, None, 3, 4], dtype=pl.Int32),
        "t": ['a"b', "c,d", None, "e\nf"],
        "f": pl.Series([0.1, None, 2, 3], dtype=pl.Float32),
    }
    pl.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], **kept}).write_parquet(shell.directory / "table.parquet")
    for form in READ:
        words = ("--keep-column", "n,t,f", "--to", form, "--force")
        assert shell("anonymize", "table.parquet", *MDAV, *words).code == 0
        assert shell("audit", "release", "--original", "table.parquet").code == 0


# -- tampering


def table(change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    """Other lines in microdata.csv, with all digests renewed."""

    def tamper(release: Path) -> None:
        file = release / "microdata.csv"
        file.write_text("\n".join(change(file.read_text().splitlines())) + "\n")
        renew(release)

    return tamper


def with_column(lines: list[str]) -> list[str]:
    return [f"{line},{'name' if n == 0 else f'person{n % 5}'}" for n, line in enumerate(lines)]


def without_a_class(lines: list[str]) -> list[str]:
    cells = Counter(line.rsplit(",", 1)[0] for line in lines[1:])
    return [line for line in lines if line.rsplit(",", 1)[0] != next(iter(cells))]


def other_class(lines: list[str]) -> list[str]:
    """All rows of one class moved alike, so that they stay alike."""
    first = lines[1].rsplit(",", 1)[0]
    return [line.replace(first, "1.0,2.0") for line in lines]


def other_town(lines: list[str]) -> list[str]:
    return [*lines[:-1], lines[-1].rsplit(",", 1)[0] + ",elsewhere"]


def a_column_less(told: dict) -> None:
    told["claims"][0]["model"] = "microdata-k-anonymity(k=3, columns=age)"


def fewer_rows(told: dict) -> None:
    n = told["files"][0]["rows"] - 1
    told["files"][0]["rows"], told["input"]["rows"] = n, n
    told["accounting"]["rows"] = {"in": n, "microaggregated": n}


TAMPERED = {
    "a value": (table(lambda lines: [*lines[:-1], "1.0,2.0,town1"]), (), "classes of fewer than 3"),
    "a row removed": (table(lambda lines: lines[:-1]), (), "files[0].rows"),
    "a row removed and told so": (
        together(table(lambda lines: lines[:-1]), edit(fewer_rows)),
        ("--original",),
        "29 rows are published of 30",
    ),
    "an extra column": (table(with_column), (), "has other columns than those"),
    "an extra column that is told": (together(put("files[0].columns.name", "text"), table(with_column)), (), "'name'"),
    "an extra column that is told to be kept": (
        together(put("files[0].columns.name", "text"), put("input.left_as_they_are[1]", "name"), table(with_column)),
        ("--original",),
        "name",
    ),
    "a class moved": (table(other_class), ("--original",), "the mean of 2 columns"),
    "a kept value": (table(other_town), ("--original",), "1 rows have other values"),
    "a class removed": (table(without_a_class), (), "files[0].rows"),
    "a claim about fewer columns": (edit(a_column_less), (), "is about other columns than input.quasi_identifiers"),
    "a quasi-identifier called kept": (
        together(put("input.quasi_identifiers", ["age"]), put("input.left_as_they_are", ["income", "town"]), edit(a_column_less)),
        ("--original",),
        "does not match this manifest",
    ),
    "another loss": (put("metrics.information_loss", 0.001), ("--original",), "metrics.information_loss"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_an_audit_sees_what_was_tampered_with(shell: Shell, what: str) -> None:
    tamper, words, says = TAMPERED[what]
    release = release_of(shell, people_csv(), *ROLES)
    assert shell("audit", "release", "--original", "table.csv").code == 0
    tamper(release)
    answer = shell("audit", "release", *words, *(["table.csv"] if words else []))
    assert answer.code in {1, 3}, answer
    assert says in " ".join(answer.everything.split()), answer


def test_a_foreign_file_is_judged_by_a_claim(shell: Shell) -> None:
    shell.file("other.csv", "age,town\n30.5,x\n30.5,y\n41,z\n41,z\n")
    assert shell("audit", "other.csv", "-c", 'microdata-k-anonymity(k=2, columns="age,town")').code == 3
    beside = shell("audit", "other.csv", "-c", "microdata-k-anonymity(k=2, columns=age)")
    assert beside.code == 3
    assert "'town'" in beside.everything
    assert shell("audit", "other.csv", "-c", "microdata-k-anonymity(k=2, columns=age)", "--allow-column", "town").code == 0
    shell.file("original.csv", "age,town\n30,x\n31,y\n40,z\n42,z\n")
    words = ("--allow-column", "town", "--original", "original.csv", "--format", "microdata", "--keep-column", "town")
    answer = shell("audit", "other.csv", "-c", "microdata-k-anonymity(k=2, columns=age)", *words)
    assert answer.code == 0, answer
    assert "at least 2 people" in " ".join(answer.out.split())

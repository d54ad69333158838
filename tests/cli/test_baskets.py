"""--record and --count: a basket's number beside its owner, and quantities; what is protected is said in words."""

from __future__ import annotations

import json
from html import unescape

import pytest

from helpers.cli import Shell, failed, one_line
from helpers.tampering import manifest_of, put

# Three shoppers with two baskets each; the shop numbers baskets per shopper, so that each number is used three times.
ROWS = [
    *(("ann", "1", "milk", "2"), ("ann", "1", "tea", "1"), ("ann", "2", "milk", "1")),
    *(("bob", "1", "tea", "3"), ("bob", "2", "milk", "1"), ("bob", "2", "tea", "1")),
    *(("cid", "1", "milk", "1"), ("cid", "1", "milk", "4"), ("cid", "2", "tea", "1")),
]
HEADER = "customer,basket,product,quantity\n"
SAID = ("--record", "basket", "--taxonomy", "generated")
HISTORY = "each record among at least 2 people, but not a person's whole history of several records"


def table(rows: list[tuple[str, ...]] = ROWS) -> str:
    return HEADER + "".join(",".join(row) + "\n" for row in rows)


def seen(shell: Shell, *words: str) -> dict[str, object]:
    done = shell("look", "input", "--json", "--show-rare", *words)
    assert done.code == 0, done.err
    return json.loads(done.out)


def records(shell: Shell, *words: str) -> list[list[list[str]]]:
    """The first three records, as sorted pairs."""
    return [sorted(record) for record in seen(shell, *words)["examples"]]


def test_a_record_is_one_value_of_one_owner(shell: Shell):
    shell.file("input", table())
    found = seen(shell, *SAID)
    assert (found["people"], found["records"], found["columns"]["record"]) == (3, 6, "basket")
    assert found["protects"]["record"] == f"6 records; hides {HISTORY.replace('2', 'k')}"
    assert any("2 record IDs are used by several people; each person has a separate record" in note for note in found["notes"])


def test_numbers_that_are_used_once_need_no_note(shell: Shell):
    shell.file("input", table([(who, who + basket, *rest) for who, basket, *rest in ROWS]))
    assert not [note for note in seen(shell, *SAID)["notes"] if "several people" in note]


def test_the_order_of_rows_does_not_matter(shell: Shell):
    shell.file("input", table())
    assert shell("anonymize", "input", *SAID, "--count", "quantity", "--k", "2", "--to", "csv", "--out", "one").code == 0
    shell.file("input", table(ROWS[::-1]))
    assert shell("anonymize", "input", *SAID, "--count", "quantity", "--k", "2", "--to", "csv", "--out", "two").code == 0

    def published(name: str) -> list[str]:
        lines = (shell.directory / name / "records.csv").read_text().splitlines()[1:]
        return sorted(line.split(",", 1)[1] for line in lines)

    assert published("one") == published("two")


def test_the_output_says_what_is_protected(shell: Shell):
    shell.file("input", table())
    done = shell("anonymize", "input", *SAID, "--k", "2", "--out", "release")
    assert done.code == 0, done.err
    assert "6 records of 3 people" in done.out
    assert " ".join(done.out.split()).count(HISTORY) == 1
    told = manifest_of(shell.directory / "release")["input"]
    assert (told["per"], told["protects"], told["reading"]) == ("record", HISTORY, {"columns": {"record": "basket"}})
    report = (shell.directory / "release" / "report.html").read_text()
    assert f"Protected: {HISTORY}." in unescape(report[: report.index("What it protects")])
    assert shell("audit", "release", "--original", "input").code == 0


def test_a_claim_that_does_not_count_people_is_not_said_to(shell: Shell):
    shell.file("input", table())
    words = ("--record", "basket", "--method", "ssc", "--k", "2", "--taxonomy", "generated", "--out", "release")
    assert shell("anonymize", "input", *words).code == 0
    assert manifest_of(shell.directory / "release")["input"]["protects"].startswith("each record, but not a person's whole history")


def test_where_each_person_has_one_record_nothing_is_said(shell: Shell):
    shell.file("input", table())
    assert shell("anonymize", "input", "--taxonomy", "generated", "--k", "2", "--out", "release").code == 0
    assert "protects" not in manifest_of(shell.directory / "release")["input"]


def test_sessions_and_events_say_it_too(shell: Shell):
    shell.file("input", table())
    done = shell("anonymize", "input", "--per", "event", "--taxonomy", "generated", "--k", "2", "--out", "release")
    assert "each event among at least 2 people, but not a person's whole history of several events" in " ".join(done.out.split())


def test_quantities_are_counted(shell: Shell):
    shell.file("input", table())
    found = seen(shell, *SAID, "--count", "quantity")
    assert found["occurrences"] == sum(int(row[3]) for row in ROWS)
    assert records(shell, *SAID, "--count", "quantity") == [[["milk", "2"], ["tea", "1"]], [["tea", "3"]], [["milk", "5"]]]


def test_an_audit_needs_nothing_typed_again(shell: Shell):
    shell.file("input", table())
    made = shell("anonymize", "input", *SAID, "--count", "quantity", "--k", "2", "--out", "release")
    assert made.code == 0, made.err
    told = manifest_of(shell.directory / "release")["input"]
    assert told["reading"] == {"columns": {"record": "basket", "count": "quantity"}}
    assert (told["records_as"], told["occurrences"]) == ("bags", sum(int(row[3]) for row in ROWS))
    assert shell("audit", "release", "--original", "input").code == 0
    loss = json.loads(shell("measure", "release", "--original", "input", "-m", "loss", "--json").out)["loss"]
    assert loss == pytest.approx(manifest_of(shell.directory / "release")["metrics"]["loss"])
    known = shell("taxonomy", "coverage", "generated", "input", *SAID[:2], "--count", "quantity", "--json")
    assert json.loads(known.out)["occurrences"] == sum(int(row[3]) for row in ROWS)


@pytest.mark.parametrize("written", ["0", "-1", "1.5", "two", "1e3", "99999999999", "2147483648", "٣x", "1,000", "0x10", "+"])
def test_a_count_that_is_none_is_malformed_and_counted(shell: Shell, written: str):
    shell.file("input", table([*ROWS, ("dan", "1", "milk", f'"{written}"')]))
    found = seen(shell, *SAID, "--count", "quantity")
    assert found["rows"] == {"in": 10, "used": 9, "malformed: count is not a whole number of 1 or more": 1}
    assert written not in str(found["defects"])


@pytest.mark.parametrize(("written", "n"), [("7", 7), ("07", 7), ("7.0", 7), ("+7", 7), (" 7 ", 7), ("2147483647", 2147483647)])
def test_ways_to_write_a_count(shell: Shell, written: str, n: int):
    shell.file("input", table([("ann", "1", "milk", written), ("bob", "1", "tea", "1")]))
    assert seen(shell, *SAID, "--count", "quantity")["examples"][0] == [["milk", f"{n:,}"]]


def test_missing_counts_and_records_are_counted_apart(shell: Shell):
    shell.file("input", table([*ROWS, ("dan", "1", "milk", ""), ("dan", "", "milk", "1")]))
    found = seen(shell, *SAID, "--count", "quantity", "--malformed", "0.5")
    assert found["rows"] == {"in": 11, "used": 9, "malformed: no count": 1, "malformed: no record": 1}
    assert "line 12" in failed(shell("look", "input", *SAID, "--strict"), "defective-rows")


def test_json_lines_and_parquet(shell: Shell):
    import polars as pl

    frame = pl.DataFrame(ROWS, schema=HEADER.strip().split(","), orient="row").with_columns(pl.col("quantity").cast(pl.Int64))
    expected = [[["milk", "2"], ["tea", "1"]], [["tea", "3"]], [["milk", "5"]]]
    frame.write_parquet(shell.directory / "input")
    assert records(shell, *SAID, "--count", "quantity") == expected
    frame.write_ndjson(shell.directory / "input")
    assert records(shell, *SAID, "--count", "quantity") == expected


REFUSED = {
    "two ways to make records": ((*SAID, "--per", "session"), "--record defines a record, and so does --per session"),
    "counts in sets": ((*SAID, "--count", "quantity", "--set"), "records are sets, which do not count items"),
    "counts of texts": (("--user", "customer", "--text", "product", "--count", "quantity"), "a column of texts has no items"),
    "records in transactions": (("--format", "transactions", "--record", "basket"), "a whole record"),
    "records of microdata": (("--format", "microdata", "--record", "basket"), "--record is not for microdata"),
    "no such column": (("--record", "cart"), "no column 'cart'"),
    "one column twice": (("--record", "customer", "--taxonomy", "none"), "a column cannot have two roles"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(shell: Shell, name: str):
    shell.file("input", table())
    words, said = REFUSED[name]
    assert said in one_line(shell("look", "input", *words))


def test_rows_as_they_are_have_no_records(shell: Shell):
    shell.file("input", table().replace("product", "query"))
    line = one_line(shell("anonymize", "input", "--record", "basket", "--method", "infrequent", "--k", "2", "--out", "release"))
    assert "--record and --count define records" in line


def test_a_manifest_that_contradicts_itself_fails(shell: Shell):
    shell.file("input", table())
    assert shell("anonymize", "input", *SAID, "--k", "2", "--out", "release").code == 0
    put("input.per", "event")(shell.directory / "release")
    done = shell("audit", "release")
    assert done.code == 3
    assert "input.per is not record" in done.out


def test_the_words_on_what_is_protected_are_recomputed(shell: Shell):
    shell.file("input", table())
    assert shell("anonymize", "input", *SAID, "--k", "2", "--out", "release").code == 0
    put("input.protects", "everything")(shell.directory / "release")
    done = shell("audit", "release", "--original", "input")
    assert done.code == 3
    assert "input.protects" in done.out


def test_numbered_fields(shell: Shell):
    shell.file("input", table()[len(HEADER) :])
    words = ("--user", "1", "--record", "2", "--item", "3", "--count", "4", "--no-header", "--taxonomy", "none")
    assert seen(shell, *words)["records"] == 6

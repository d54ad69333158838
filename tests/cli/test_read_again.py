"""An original is read as when the release was made: the manifest tells what was said of it, and typed options go before."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest

from helpers.cli import Shell, failed, one_line
from helpers.tampering import manifest_of, put

ROWS = "".join(f"{who};2006-03-01 10:00:00;{what}\n" for who in ("Ann", "ann", "Bob", "Cid") for what in ("milk", "beer"))
SAID = ["--user", "whose", "--item", "bought", "--sep", ";", "--owners", "folded", "--malformed", "0.4"]


@pytest.fixture
def made(shell: Shell) -> Shell:
    """A release of a file that cannot be read without a number of options."""
    shell.file("in.txt", "whose;when;bought\n" + ROWS + "broken\nbroken;too\n")
    answer = shell("anonymize", "in.txt", *SAID, "--taxonomy", "generated", "--k", "3", "--out", "release")
    assert answer.code == 0, answer.everything
    return shell


def test_the_manifest_tells_what_was_said(made: Shell):
    assert manifest_of(made.directory / "release")["input"]["reading"] == {
        "columns": {"user": "whose", "item": "bought"},
        "separator": ";",
        "owners": "folded",
        "malformed": 0.4,
    }
    assert "ann" not in (made.directory / "release" / "manifest.json").read_text().lower().replace("cannot", "")


def test_audit_and_measure_need_nothing_typed_again(made: Shell):
    answer = made("audit", "release", "--original", "in.txt")
    assert answer.code == 0, answer.everything
    assert "all claims hold" in answer.out
    loss = json.loads(made("measure", "release", "--original", "in.txt", "-m", "loss", "--json").out)["loss"]
    assert loss == pytest.approx(manifest_of(made.directory / "release")["metrics"]["loss"])


def test_what_is_typed_goes_before(made: Shell):
    exact = made("audit", "release", "--original", "in.txt", "--owners", "exact")
    assert exact.code == 3
    assert "input.owners: the manifest says 3, recomputed 4" in exact.out
    failed(made("audit", "release", "--original", "in.txt", "--malformed", "0"), "too-many-malformed-rows")
    assert "'nobody'" in failed(
        made("measure", "release", "--original", "in.txt", "--user", "nobody", "--item", "bought"), "missing-column"
    )


def test_a_file_without_a_header(shell: Shell):
    shell.file("in.txt", ROWS.replace("ann", "Eve"))
    said = ["--user", "1", "--item", "3", "--sep", ";", "--no-header"]
    assert shell("anonymize", "in.txt", *said, "--taxonomy", "generated", "--k", "2", "--out", "release").code == 0
    told = manifest_of(shell.directory / "release")["input"]["reading"]
    assert told == {"columns": {"user": "1", "item": "3"}, "separator": ";", "header": False}
    assert shell("audit", "release", "--original", "in.txt").code == 0


def test_nothing_said_is_nothing_told(shell: Shell):
    shell.file("in.txt", "a\tb\na\tb\n")
    assert shell("anonymize", "in.txt", "--format", "transactions", "--taxonomy", "generated", "--k", "2", "--out", "release").code == 0
    assert "reading" not in manifest_of(shell.directory / "release")["input"]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("columns", {"password": "x"}, "input.reading.columns.'password' is not a key"),
        ("columns", "whose", "input.reading.columns must be an object"),
        ("owners", "all", "input.reading.owners must be one of exact, folded"),
        ("malformed", 2, "input.reading.malformed must be a share from 0 to 1"),
        ("path", "/etc/passwd", "input.reading.'path' is not a key"),
        ("separator", ";;", "separator"),
        ("columns", {"text": "a", "item": "b"}, "not both"),
    ],
)
def test_a_forged_reading_is_refused(made: Shell, key: str, value: object, words: str):
    put(f"input.reading.{key}", value)(made.directory / "release")
    assert words in one_line(made("audit", "release", "--original", "in.txt"))


# -- every format

EVENTS = pl.DataFrame({"p": [n % 9 for n in range(36)], "t": ["2006-03-01 10:00:00"] * 36, "q": ["dog cat", "tree", "dog", "car"] * 9})
BASKETS = [["milk", "beer"], ["milk"], ["beer", "salt"], ["milk", "salt"], ["beer"], ["salt"]]
NUMBERS = "id;age;income;note\n" + "".join(f"{n};{20 + n};{1000 * n};x\n" for n in range(9))


def parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def excel(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_excel(buffer)
    return buffer.getvalue()


GENERATED = ["--taxonomy", "generated", "--k", "2"]
FORMATS: dict[str, tuple[str | bytes, list[str]]] = {
    "log.csv": (EVENTS.write_csv(), ["--user", "p", "--text", "q", "--time", "t", "--per", "session", "--gap", "5m", *GENERATED]),
    "log.jsonl": (EVENTS.write_ndjson(), ["--user", "p", "--text", "q", "--bag", *GENERATED]),
    "log.parquet": (parquet(EVENTS), ["--user", "p", "--item", "q", "--per", "event", *GENERATED]),
    "log.xlsx": (excel(EVENTS), ["--user", "p", "--item", "q", *GENERATED]),
    "baskets.txt": ("\n".join("|".join(basket) for basket in BASKETS), ["--format", "transactions", "--sep", "|", *GENERATED]),
    "baskets.parquet": (
        parquet(pl.DataFrame({"user": list(range(6)), "b": BASKETS})),
        ["--format", "transactions", "--item", "b", *GENERATED],
    ),
    "numbers.csv": (
        NUMBERS,
        ["--method", "mdav", "--k", "3", "--user", "id", "--quasi", "age", "--keep-column", "note", "--drop-column", "income"],
    ),
    "rows.csv": (EVENTS.write_csv(), ["--method", "infrequent", "--k", "2", "--user", "p", "--text", "q"]),
}


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_needs_anything_typed_again(shell: Shell, name: str):
    content, said = FORMATS[name]
    place = shell.file(name, content)
    made = shell("anonymize", place, *said, "--out", shell.directory / "release")
    assert made.code == 0, made.everything
    audited = shell("audit", shell.directory / "release", "--original", place)
    assert audited.code == 0, audited.everything
    measured = shell("measure", shell.directory / "release", "--original", place, "--json")
    assert measured.code == 0, measured.everything
    told = manifest_of(shell.directory / "release")["metrics"]
    assert all(value == pytest.approx(told[metric]) for metric, value in json.loads(measured.out).items())

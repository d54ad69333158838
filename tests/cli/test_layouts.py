"""Lists and long tables, text and Excel, as a user asks for them: the audit reads all of them back and sees what was changed."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import polars as pl
import pytest

from helpers.cli import FOOD, Shell, baskets, one_line
from helpers.errors import refuses
from shoal.kinds.bags.read import read_records

LONG = ("--layout", "long")
LEVEL = {"Food": 1, "Fruit": 2, "Meat": 2, "Dairy": 2}  # all other names of FOOD are leaves, at 3


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    made = Shell(tmp_path, capsys)
    made.file("food.csv", FOOD)
    made.file("baskets.txt", baskets())
    return made


def anonymized(shell: Shell, *words: str, out: str = "release") -> Path:
    answer = shell("anonymize", "baskets.txt", "--taxonomy", "food.csv", "--k", "3", "--bag", "--out", out, *words)
    assert answer.code == 0, answer
    return Path(out)


def table_of(release: Path, format: str) -> pl.DataFrame:
    file = next(release.glob("records.*"))
    readers = {
        "csv": lambda: pl.read_csv(file),
        "parquet": lambda: pl.read_parquet(file),
        "jsonl": lambda: pl.read_ndjson(file),
        "xlsx": lambda: pl.read_excel(file),
    }
    return readers[format]()


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl", "xlsx"])
def test_a_long_table_has_record_item_count_and_level(shell: Shell, format: str):
    release = anonymized(shell, "--to", format, *LONG)
    table = table_of(release, format)
    assert table.columns == ["record", "item", "count", "level"]
    assert table["record"].unique().sort().to_list() == list(range(1, 41))
    assert all(level == LEVEL.get(item, 3) for item, level in table.select("item", "level").iter_rows())
    manifest = json.loads((release / "manifest.json").read_text())
    assert manifest["files"][0]["layout"] == "long"
    assert manifest["files"][0]["rows"] == 40
    assert manifest["files"][0]["occurrences"] == table["count"].sum()
    for words in ([], ["--original", "baskets.txt", "--taxonomy", "food.csv"]):
        answer = shell("audit", "release", *words)
        assert answer.code == 0, answer
        assert "all claims hold" in answer.out


def test_both_layouts_hold_the_same_records(shell: Shell):
    lists, long = (anonymized(shell, "--to", "csv", "--layout", layout, out=layout) for layout in ("lists", "long"))
    held = [sorted(map(sorted, read_records(place / "records.csv")[0].to_polars().to_list())) for place in (lists, long)]
    assert held[0] == held[1]


def test_without_a_taxonomy_there_is_no_level(shell: Shell):
    shell("anonymize", "baskets.txt", "--method", "coherence", "--k", "3", "--out", "release", "--to", "csv", *LONG)
    assert pl.read_csv("release/records.csv").columns == ["record", "item", "count"]
    assert shell("audit", "release").code == 0


@pytest.mark.parametrize("format", ["csv", "xlsx", "jsonl", "parquet"])
def test_a_single_long_file_is_recognised(shell: Shell, format: str):
    release = anonymized(shell, "--to", format, *LONG)
    file = next(release.glob("records.*"))
    answer = shell("audit", file, "--claim", "k-anonymity(k=3)")
    assert answer.code == 0, answer
    assert "one row per record and item" in answer.err


def test_a_level_that_differs_for_one_item_stands_beside(shell: Shell):
    release = anonymized(shell, "--to", "csv", *LONG)
    lines = (release / "records.csv").read_text().splitlines()
    lines[1] = lines[1].rsplit(",", 1)[0] + ",7"
    file = shell.file("odd.csv", "\n".join(lines) + "\n")
    answer = shell("audit", file, "--claim", "k-anonymity(k=3)")
    assert answer.code == 3, answer
    assert "'level' is not covered by any claim" in answer.out


def test_a_manifest_that_names_the_other_layout_is_refused(shell: Shell):
    from shoal.pipeline.manifest_schema import digest_of

    release = anonymized(shell, "--to", "csv", *LONG)
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["files"][0]["layout"] = "lists"
    manifest["sha256"] = digest_of(manifest)
    (release / "manifest.json").write_text(json.dumps(manifest))
    assert "declared in the layout lists, but is not" in one_line(shell("audit", "release"))


def test_items_that_hold_the_separator_are_quoted_and_read_back(shell: Shell):
    names = ["a;b", 'say "hi"', '"', "tea, green", " padded ", "two\nlines", "=1+1", ";", "007"]
    shell.file("odd.jsonl", "".join(json.dumps({"items": names}) + "\n" for _ in range(4)))
    for format in ("csv", "xlsx"):
        for layout in ("lists", "long"):
            out = f"{format}-{layout}"
            words = ["--taxonomy", "none", "--method", "coherence", "--k", "2", "--to", format, "--layout", layout, "--out", out]
            answer = shell("anonymize", "odd.jsonl", "--format", "transactions", *words)
            assert answer.code == 0, answer
            assert shell("audit", out, "--original", "odd.jsonl").code == 0
            assert [sorted(r) for r in read_records(next(Path(out).glob("records.*")))[0].to_polars().to_list()] == [sorted(names)] * 4
    with Path("csv-lists/records.csv").open(newline="", encoding="utf-8") as file:
        first = next(iter(csv.DictReader(file)))["items"]
    assert sorted(next(csv.reader(io.StringIO(first, newline=""), delimiter=";"))) == sorted(names)


def test_what_does_not_fit_together_is_refused_before_the_work(shell: Shell):
    refused = one_line(shell("anonymize", "baskets.txt", "--out", "r", "--to", "transactions", *LONG))
    assert "a line of transactions is a whole record" in refused
    shell.file("log.tsv", "user\tquery\n1\tdog\n")
    assert "is for records of items" in one_line(shell("anonymize", "log.tsv", "--method", "infrequent", "--out", "r", *LONG))
    assert not Path("r").exists()


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["--out", "x.csv"], "--out x --to csv"),
        (["-o", "x.csv"], "--out x --to csv"),
        (["--out=some dir/x.xlsx"], "--out 'some dir/x' --to xlsx"),
        (["-ox.JSONL", "--to", "parquet"], "--out x --to jsonl"),
        (["--to=csv", "--out", "x.txt"], "--out x --to transactions"),
    ],
)
def test_a_file_as_out_is_refused_with_the_command_that_is_meant(shell: Shell, words: list[str], meant: str):
    line = one_line(shell("anonymize", "baskets.txt", *words, "--taxonomy", "food.csv", "--k", "3"))
    assert line.endswith(f"(type: shoal anonymize baskets.txt --taxonomy food.csv --k 3 {meant})")
    assert shell.names() == {"food.csv", "baskets.txt"}


def test_the_command_that_is_meant_works(shell: Shell):
    line = one_line(shell("anonymize", "baskets.txt", "--out", "x.csv", "--taxonomy", "food.csv", "--k", "3"))
    words = line.split("type: shoal ")[1].rstrip(")").split()
    assert shell(*words).code == 0
    assert Path("x/records.csv").exists()


def test_python_refuses_a_file_too():
    from shoal.pipeline.options import Target

    with refuses("output-not-a-directory"):
        Target(Path("x.csv"))


def test_excel_without_the_extra(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    assert "pip install 'shoal-privacy[excel]'" in one_line(shell("anonymize", "baskets.txt", "--out", "r", "--to", "xlsx"))


def test_what_else_a_workbook_holds_is_named(shell: Shell):
    import openpyxl
    from openpyxl.comments import Comment

    release = anonymized(shell, "--to", "xlsx")
    assert shell("audit", release / "records.xlsx", "--claim", "k-anonymity(k=3)").code == 0
    book = openpyxl.load_workbook(release / "records.xlsx")
    book.properties.creator = "ann@example.org"
    book.active["A2"].comment = Comment("bought by Ann", "Ann")
    book.save("told.xlsx")
    answer = shell("audit", "told.xlsx", "--claim", "k-anonymity(k=3)")
    assert answer.code == 3, answer
    assert "'property:creator' is not covered by any claim" in answer.out
    assert "comments" in answer.out
    assert "ann@example.org" not in answer.everything

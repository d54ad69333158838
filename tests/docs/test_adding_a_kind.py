"""The page on adding a kind, followed in a copy of the sources: six source files are all it takes, without the method."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

from helpers.docs import ROOT, blocks
from helpers.source_copy import Copy, file_blocks, fresh_copy

PAGE = (ROOT / "docs" / "adding-a-kind.md").read_text("utf-8")
NEW = {
    "totals_table.py": "src/shoal/data/tables/totals.py",
    "totals_kind.py": "src/shoal/kinds/totals.py",
    "total_support.py": "src/shoal/privacy/total_support.py",
    "totals_method.py": "src/shoal/methods/totals.py",
}
OF_THE_METHOD = {"src/shoal/methods/totals.py", "src/shoal/methods/__init__.py"}
LINES = {place: line for line, place in re.findall(r'^("[\w-]+": "[\w.]+:\w+",)  # (\S+)$', PAGE, re.MULTILINE)}


@pytest.fixture(scope="module")
def before_and_after(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], Copy]:
    """The files as they were, and the copy with the kind added as the page says."""
    copy, shown = Copy(tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("home")), file_blocks(PAGE)
    fresh_copy(copy.root)
    before = copy.files()
    for block, place in NEW.items():
        assert f"`{place}`" in PAGE
        (copy.root / place).write_text(shown[block], "utf-8")
    for place, line in LINES.items():
        table = (copy.root / place).read_text("utf-8")
        end = table.index("    },\n)\n", re.search(r"^(KINDS|MODELS|METHODS): ", table, re.MULTILINE).start())  # type: ignore[union-attr]
        (copy.root / place).write_text(f"{table[:end]}        {line}\n{table[end:]}", "utf-8")
    (copy.home / "baskets.txt").write_text(shown["baskets.txt"], "utf-8")
    return before, copy


@pytest.fixture(scope="module")
def printed(before_and_after: tuple[dict[str, bytes], Copy]) -> dict[str, str]:
    """What the commands of the page print; each must succeed."""
    (commands,) = [block.lines for block in blocks(PAGE) if block.kind == "sh"]
    return {line: before_and_after[1].type(line) for line in commands}


@pytest.fixture
def copy(before_and_after: tuple[dict[str, bytes], Copy]) -> Copy:
    return before_and_after[1]


def test_at_most_six_source_files_are_touched(before_and_after: tuple[dict[str, bytes], Copy]) -> None:
    before, copy = before_and_after
    after = copy.files()
    touched = {name for name in after if after[name] != before.get(name)}
    assert touched == {*NEW.values(), *LINES}
    assert len(touched - OF_THE_METHOD) == 6
    named = re.findall(r"^\| `(src/shoal/\S+)` \|", PAGE, re.MULTILINE)
    assert len(named) == 6
    for name in LINES:  # one line more each
        assert len(after[name].splitlines()) == len(before[name].splitlines()) + 1


def test_tables_are_written_read_back_and_reported(copy: Copy, printed: dict[str, str]) -> None:
    totals = {"beer": 3, "bread": 3, "milk": 4}
    readers = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}
    for format, read in readers.items():
        place = copy.home / f"totals-{format}"
        assert dict(read(place / f"totals.{format}").rows()) == totals
        manifest = json.loads((place / "manifest.json").read_text("utf-8"))
        assert {name: manifest["files"][0][name] for name in ("table", "kind", "rows", "people")} == {
            "table": "totals", "kind": "totals", "rows": 3, "people": 10,
        }  # fmt: skip
        assert manifest["claims"][0]["verdict"] == "verified"
        page = (place / "report.html").read_text("utf-8")
        assert "total-support(k=3)" in page
        assert "champagne" not in page


def test_the_audit_judges_every_part(printed: dict[str, str]) -> None:
    audits = {line: text for line, text in printed.items() if line.startswith("shoal audit")}
    assert len(audits) == 3
    for line, text in audits.items():
        assert "all claims hold" in text
        assert re.search(r"files in canonical form\s+verified", text)
        assert ("not checked in the tables: item; people" in text) == ("--original" not in line)


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ("item,people\nbeer,3\nbread,2\nmilk,4\n", "1 totals count fewer than 3 people"),
        ("item,people\nbeer,3\nbread,3\nmilk,5\n", "1 totals are not those of the original"),
        ("item,people\nbeer,3\nbeer,3\nmilk,4\n", "the file has no totals"),
        ("item,people,who\nbeer,3,ann\nbread,3,ben\nmilk,4,cy\n", "totals.csv has other columns"),
        ("item,people\nbeer,03\nbread,3\nmilk,4\n", "files in canonical form FAILS"),
    ],
    ids=["few people", "false total", "item twice", "column", "spelling"],
)
def test_a_changed_table_fails_its_audit(copy: Copy, printed: dict[str, str], changed: str, found: str) -> None:
    place = copy.home / "totals-csv" / "totals.csv"
    content = place.read_bytes()
    try:
        place.write_text(changed, "utf-8")
        done = copy.run("shoal", "audit", "totals-csv", "--original", "baskets.txt")
    finally:
        place.write_bytes(content)
    assert done.returncode in {1, 3}
    assert found in " ".join((done.stdout + done.stderr).split())


def test_a_release_of_the_kind_is_replaced_and_protected(copy: Copy, printed: dict[str, str]) -> None:
    """Also with a broken manifest its directory is known as a release, by the name of the table."""
    copy.type("shoal anonymize baskets.txt --method totals --k 3 --to csv --out again")
    copy.type("shoal anonymize baskets.txt --method totals --k 3 --to csv --out again --force")
    (copy.home / "again" / "manifest.json").write_text("{", "utf-8")
    (copy.home / "again" / "report.html").unlink()
    done = copy.run("shoal", "anonymize", "baskets.txt", "--method", "totals", "--k", "3", "--out", "again/inside")
    assert done.returncode == 1
    assert "is in the release" in done.stderr


def test_layouts_and_attacks_that_do_not_fit_are_refused(copy: Copy, printed: dict[str, str]) -> None:
    refused = copy.run("shoal", "anonymize", "baskets.txt", "--method", "totals", "--k", "3", "--layout", "long", "--out", "long")
    assert refused.returncode == 1
    assert "table of totals" in refused.stderr
    attacked = copy.run("shoal", "attack", "baskets.txt", "totals-csv")
    assert attacked.returncode == 1
    assert "this release has totals" in attacked.stderr


def test_the_tests_on_sources_pass(copy: Copy) -> None:
    files = ("tests/test_registry.py", "tests/test_house.py", "tests/test_judge_apart.py")
    copy.test(*files, "-k", "total or cycle or its_own_name")

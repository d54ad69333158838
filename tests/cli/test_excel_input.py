"""Excel workbooks as input: the same records as from the same table in CSV, and the same refusals."""

from __future__ import annotations

import errno
import io
import json
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
import xlsxwriter

from helpers.cli import FOOD, ITEMS, Shell, failed, one_line
from shoal.io.read.excel import sheet_of

DAY = datetime(2024, 5, 1, 9)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    made = Shell(tmp_path, capsys)
    made.file("food.csv", FOOD)
    return made


def workbook(rows: list[list[Any]]) -> bytes:
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer) as book:
        sheet, time = book.add_worksheet("sales"), book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                if isinstance(cell, datetime):
                    sheet.write_datetime(at, column, cell, time)
                else:
                    sheet.write(at, column, cell)
    return buffer.getvalue()


SALES = [["customer", "when", "item"], *([n % 12, DAY.replace(hour=n % 24), ITEMS[n % 8]] for n in range(48))]
WORDS = ("--taxonomy", "food.csv", "--k", "3")


def facts(release: str) -> dict[str, Any]:
    told = json.loads(Path(release, "manifest.json").read_text())
    return {"input": told["input"], "accounting": told["accounting"], "metrics": told["metrics"]}


def test_a_workbook_is_read_as_the_same_table_in_csv(shell: Shell):
    shell.file("sales.xlsx", workbook(SALES))
    shell.file("sales.csv", "\n".join(",".join(map(str, row)) for row in SALES) + "\n")
    for name in ("xlsx", "csv"):
        answer = shell("anonymize", f"sales.{name}", *WORDS, "--per", "session", "--out", name)
        assert answer.code == 0, answer
    assert facts("xlsx") == facts("csv")
    assert facts("xlsx")["input"]["owners"] == 12
    assert shell("audit", "xlsx", "--original", "sales.xlsx", "--taxonomy", "food.csv").code == 0
    assert shell("measure", "xlsx", "--original", "sales.xlsx", "--taxonomy", "food.csv").code == 0


def test_what_is_not_known_is_refused_as_in_csv(shell: Shell):
    shell.file("odd.xlsx", workbook([["who", "thing"], *([n, "x"] for n in range(20))]))
    assert "--format transactions" in one_line(shell("anonymize", "odd.xlsx", "--out", "r"))
    shell.file("sales.xlsx", workbook(SALES))
    assert "has no separators" in one_line(shell("anonymize", "sales.xlsx", "--sep", ";", "--out", "r"))
    shell.file("empty.xlsx", workbook([]))
    failed(shell("anonymize", "empty.xlsx", "--out", "r"), "several-sheets")
    shell.file("cut.xlsx", workbook(SALES)[:500])
    assert one_line(shell("anonymize", "cut.xlsx", "--out", "r"))
    assert not Path("r").exists()


def test_microdata_from_a_workbook(shell: Shell):
    shell.file("people.xlsx", workbook([["age", "income"], *([20 + n, 1000 * n + 500] for n in range(12))]))
    answer = shell("anonymize", "people.xlsx", "--format", "microdata", "--method", "mdav", "--k", "3", "--out", "r", "--to", "xlsx")
    assert answer.code == 0, answer
    assert shell("audit", "r", "--original", "people.xlsx").code == 0


def test_numbers_keep_all_their_digits():
    """And texts that look like numbers stay as they were typed."""
    random = Random(5)
    numbers = [
        1e-12,
        -2.5e-9,
        5.00000000000001,
        1 / 3,
        7.0,
        0.1,
        *(random.uniform(-1, 1) * 10 ** random.randint(-15, 9) for _ in range(200)),
    ]
    typed = ["007", "1e5", "0.12345678901234567890", "nan", "-0.0"]
    cells = sheet_of(workbook([[cell] for cell in (*numbers, *typed)]), "numbers.xlsx")["1"].to_list()
    assert [float(cell) for cell in cells[: len(numbers)]] == [float(f"{number:.16G}") for number in numbers]  # as a workbook stores them
    assert cells[len(numbers) :] == typed


def test_an_error_of_the_disk_is_named_as_such(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    """The library that writes workbooks has an error of its own for it."""

    def broken(book: xlsxwriter.Workbook) -> None:
        for sheet in book.worksheets():
            sheet.row_data_fh.close()
        raise OSError(errno.EIO, "Input/output error")

    shell.file("a.csv", "user,item\n" + "".join(f"{user},milk\n" for user in range(9)))
    monkeypatch.setattr(xlsxwriter.Workbook, "_store_workbook", broken)
    answer = shell("anonymize", "a.csv", "--method", "coherence", "--k", "2", "--to", "xlsx", "--out", "r")
    assert "Input/output error" in one_line(answer)
    assert shell.names() == {"a.csv", "food.csv"}

"""Excel workbooks as input: the same records as from the same table in CSV, and the same refusals."""

from __future__ import annotations

import errno
import io
import json
import zipfile
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from helpers.cli import FOOD, ITEMS, Shell, failed, one_line
from shoal.io.read import excel
from shoal.io.read.excel import first_rows, may_have_many_decimals, sheet_of

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
    failed(shell("anonymize", "empty.xlsx", "--out", "r"), "empty-input")
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


# -- the XML of sheets


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MEMBERS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{DOCUMENT}"><sheets>'
    '<sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>',
    "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}"><si><t>0.1234567890123</t></si><si><t>milk</t></si><si><t></t></si></sst>',
}
SHEET = "xl/worksheets/sheet1.xml"


def sheet_xml(rows: list[list[str]], prefix: str = "") -> str:
    p = f"{prefix}:" if prefix else ""
    space = f"xmlns:{prefix}" if prefix else "xmlns"
    inside = "".join(f"<{p}row>{''.join(row)}</{p}row>" for row in rows)
    return f'<{p}worksheet {space}="{MAIN}"><{p}sheetData>{inside}</{p}sheetData></{p}worksheet>'


def raw_workbook(xml: str | bytes, members: dict[str, str] = MEMBERS) -> bytes:
    """A workbook with a sheet of this XML, which no library would write."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (members | {SHEET: xml}).items():
            archive.writestr(name, text)
    return buffer.getvalue()


def read_twice(content: bytes) -> pl.DataFrame:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(excel, "may_have_many_decimals", lambda content: True)
        return sheet_of(content, "a.xlsx")


DIGITS = st.text("0123456789", min_size=1, max_size=14)
NUMBERS = st.one_of(
    st.builds(lambda sign, whole, part: f"{sign}{whole}.{part}", st.sampled_from(["", "-"]), DIGITS, DIGITS),
    st.builds(lambda sign, whole, part: f"{sign}0.000{whole}{part}", st.sampled_from(["", "-"]), DIGITS, DIGITS),
    DIGITS,
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.builds(lambda whole, power: f"{whole}E{power:+}", DIGITS, st.integers(-30, 30)),
)
CELLS = st.one_of(
    NUMBERS.map(lambda number: f"<c><v>{number}</v></c>"),
    NUMBERS.map(lambda number: f'<c t="n"><v>{number}</v></c>'),
    NUMBERS.map(lambda number: f'<c t="str"><v>{number}</v></c>'),
    NUMBERS.map(lambda number: f'<c t="inlineStr"><is><t>{number}</t></is></c>'),
    NUMBERS.map(lambda number: f"<c><f>A1/3</f><v>{number}</v></c>"),
    st.integers(0, 2).map(lambda place: f'<c t="s"><v>{place}</v></c>'),
    st.integers(0, 1).map(lambda truth: f'<c t="b"><v>{truth}</v></c>'),
    st.floats(1, 60_000).map(lambda day: f'<c s="1"><v>{day!r}</v></c>'),
    st.sampled_from(['<c t="e"><v>#N/A</v></c>', '<c t="d"><v>2024-05-01T09:00:00</v></c>', "<c/>", "<c><v></v></c>"]),
)


@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=6))
def test_a_sheet_that_is_parsed_once_has_the_same_cells(rows: list[list[str]]):
    """It is parsed a second time only for numbers of many decimals; whether it is changes no cell."""
    content = raw_workbook(sheet_xml([["<c><v>1</v></c>"], *rows]))
    assert sheet_of(content, "a.xlsx").equals(read_twice(content))


@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_every_number_is_the_number_of_the_file(numbers: list[str]):
    content = raw_workbook(sheet_xml([[f"<c><v>{number}</v></c>"] for number in numbers]))
    cells = sheet_of(content, "a.xlsx")["1"].to_list()
    assert [float(cell) for cell in cells] == [float(number) for number in numbers]


@pytest.mark.parametrize("value", ["5", "-0.5", "0.123456789", "123456.123456789", "1e", ""])
def test_sheets_of_few_decimals_are_parsed_once(value: str):
    """But for letters, which may be those of an exponent."""
    xml = sheet_xml([[f"<c><v>{value}</v></c>", '<c t="s"><v>0</v></c>', "<c><is><t>1.0000000000001</t></is></c>"]])
    assert may_have_many_decimals(raw_workbook(xml)) == ("e" in value)


ONCE = [[f"<c><v>{n}.5</v></c>"] for n in range(9)]


@pytest.mark.parametrize(
    "xml",
    [
        sheet_xml([*ONCE, ["<c><v>0.1234567891</v></c>"]]),
        sheet_xml([*ONCE, ["<x:c><x:v>0.1234567891</x:v></x:c>"]], "x"),
        sheet_xml([*ONCE, ["<c><v>1E-12</v></c>"]]),
        sheet_xml([*ONCE, ['<c><v xml:space="preserve">0.1234567891</v></c>']]),
        sheet_xml([*ONCE, ["<c><v>0&#46;1234567891</v></c>"]]),
        sheet_xml([*ONCE, ["<c><v>0.1234567891</v></c>"]]).encode("utf-16"),
    ],
)
def test_decimals_are_found_however_a_sheet_is_written(monkeypatch: pytest.MonkeyPatch, xml: str | bytes):
    for piece in (1, 7, 64, 1 << 20):  # where the XML is divided makes no difference
        monkeypatch.setattr(excel, "PIECE", piece)
        assert may_have_many_decimals(raw_workbook(xml))
        assert not may_have_many_decimals(raw_workbook(sheet_xml(ONCE)))
    assert may_have_many_decimals(b"no zip archive")


@given(st.lists(st.lists(CELLS, min_size=1, max_size=3), min_size=1, max_size=30), st.integers(100, 3_000), st.sampled_from(["", "x"]))
def test_the_first_rows_are_those_of_the_whole_sheet(rows: list[list[str]], most: int, prefix: str):
    begun = [["<c><v>1</v></c>"], *rows]
    xml = sheet_xml(begun)
    if prefix:
        xml = sheet_xml([[cell.replace("<", "<x:").replace("<x:/", "</x:") for cell in row] for row in begun], prefix)
    pictures = {"xl/media/image1.png": "x" * 5_000}
    content = raw_workbook(xml, MEMBERS | pictures)
    whole, (head, part) = sheet_of(content, "a.xlsx"), first_rows(content, most)
    found = sheet_of(head, "a.xlsx")
    assert found.select(pl.all().fill_null("")).rows() == [row[: found.width] for row in whole.fill_null("").head(len(found)).rows()]
    if head == content:
        first_row = xml.index(f"</{prefix}:row>" if prefix else "</row>") + len(f"</{prefix}:row>" if prefix else "</row>")
        assert part == 1 and (len(xml) <= most or first_row > most)
        return
    with zipfile.ZipFile(io.BytesIO(head)) as archive:
        assert len(archive.read(SHEET)) <= most + 40 and part == len(archive.read(SHEET)) / len(xml)
        assert "xl/media/image1.png" not in archive.namelist()


def test_a_large_workbook_is_looked_at_in_part(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    from shoal.io.read.source import Portion
    from shoal.pipeline import look as looking

    monkeypatch.setattr(looking, "FIRST_PART", Portion(20_000, 10_000))
    shell.file("sales.xlsx", workbook([["customer", "item"], *([f"c{n}", ITEMS[n % 8]] for n in range(2_000))]))
    found = json.loads(shell("look", "sales.xlsx", "--taxonomy", "none", "--json").out)
    assert 100 < found["rows"]["in"] < 1_000 and found["people"] == found["rows"]["in"]
    assert abs(found["part"] - found["rows"]["in"] / 2_000) < 0.02
    assert json.loads(shell("look", "sales.xlsx", "--taxonomy", "none", "--all", "--json").out)["people"] == 2_000


def test_the_text_of_a_workbook_may_be_what_is_too_long(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    """Its XML names each text once, and refers to it in every row."""
    from shoal.io.read.source import Portion
    from shoal.pipeline import look as looking

    monkeypatch.setattr(looking, "FIRST_PART", Portion(200_000, 10_000))
    monkeypatch.setattr("shoal.io.read.source.PIECE", 10_000)
    shell.file("sales.xlsx", workbook([["customer", "item"], *([f"c{n}", "long" * 500] for n in range(1_000))]))
    found = json.loads(shell("look", "sales.xlsx", "--taxonomy", "none", "--json").out)
    assert 50 < found["rows"]["in"] < 150 and abs(found["part"] - found["rows"]["in"] / 1_000) < 0.05


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

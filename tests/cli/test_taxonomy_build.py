"""shoal taxonomy build, from a table of levels to a release on the tree."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest

from helpers.cli import Shell, failed, one_line
from helpers.errors import refuses
from shoal.io.read.taxonomy_levels import levels_of_frame

PRODUCTS = """sku,Department,category,type,product
1,Food,Dairy,Milk,whole milk
2,Food,Dairy,Milk,skimmed milk
3,Food,Dairy,Other,quark
4,Food,Meat,Other,tripe
5,Food,Fruit,,apple
6,Food,Fruit,,tomato
7,Food,Vegetables,,tomato
8,Home,Paper,Towels,"towel, large"
9,Home,Paper,Towels,
"""
LEVELS = "department,category,type,product"
EDGES = {
    "Food": "(root)", "Dairy": "Food", "Milk": "Dairy", "whole milk": "Milk", "skimmed milk": "Milk", "Other (Dairy)": "Dairy",
    "quark": "Other (Dairy)", "Fruit": "Food", "apple": "Fruit", "Meat": "Food", "Other (Meat)": "Meat", "tripe": "Other (Meat)",
    "tomato": "Food", "Home": "(root)", "Paper": "Home", "Towels": "Paper", "towel, large": "Towels",
}  # fmt: skip


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


def edges(text: str) -> dict[str, str]:
    header, *rows = text.splitlines()
    assert header == "child\tparent"
    return dict(row.split("\t") for row in rows)


def as_excel(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_excel(buffer, "products")
    return buffer.getvalue()


def as_parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


TABLE = pl.read_csv(io.StringIO(PRODUCTS))
FILES = {
    "products.csv": PRODUCTS.encode(),
    "bom.csv": b"\xef\xbb\xbf" + PRODUCTS.encode(),
    "products.tsv": TABLE.write_csv(separator="\t").encode(),
    "products.parquet": as_parquet(TABLE),
    "products.xlsx": as_excel(TABLE),
}


@pytest.mark.parametrize("name", FILES)
def test_all_kinds_of_tables_give_the_same_tree(shell: Shell, name: str):
    shell.file(name, FILES[name])
    answer = shell("taxonomy", "build", name, "--levels", LEVELS)
    assert answer.code == 0, answer
    assert edges(answer.out) == EDGES
    assert "'Other' has the parents 'Dairy', 'Meat': group 'Other (Dairy)', group 'Other (Meat)'" in answer.err
    assert "'tomato' has the parents 'Food > Fruit', 'Food > Vegetables': placed below 'Food'" in answer.err
    assert "1 row of 9 skipped: no product" in answer.err
    assert answer.err.count("conflict:") == 2


def test_the_file_passes_the_check_and_carries_a_release(shell: Shell):
    shell.file("products.csv", PRODUCTS)
    built = shell("taxonomy", "build", "products.csv", "--levels", LEVELS, "--out", "tax.tsv")
    assert built.code == 0, built
    assert "conflicts  2 names" in built.out
    assert edges(Path("tax.tsv").read_text()) == EDGES
    assert shell("taxonomy", "check", "tax.tsv").code == 0
    sales = "customer,item\n" + "".join(f"{n},{item}\n" for n in range(8) for item in ("tomato", "apple" if n % 2 else "quark"))
    shell.file("sales.csv", sales)
    made = shell("anonymize", "sales.csv", "--taxonomy", "tax.tsv", "--k", "2", "--unknown", "refuse", "--out", "release")
    assert made.code == 0, made


def test_a_frame_gives_the_same_tree():
    found = levels_of_frame(TABLE, LEVELS.split(","))
    tree = found.taxonomy
    assert {tree.names[i]: tree.names[int(up)] for i, up in enumerate(tree.parent) if up >= 0} == EDGES
    pairs = pl.DataFrame({"Parent": list(EDGES.values()), "Child": list(EDGES)})
    assert levels_of_frame(pairs).taxonomy.n_leaves == tree.n_leaves
    with refuses("levels-not-named"):
        levels_of_frame(TABLE)


@pytest.mark.parametrize("name", ["edges.xlsx", "edges.parquet"])
def test_taxonomies_are_read_from_excel_and_parquet(shell: Shell, name: str):
    pairs = pl.DataFrame({"child": list(EDGES), "parent": list(EDGES.values())})
    shell.file(name, as_excel(pairs) if name.endswith("xlsx") else as_parquet(pairs))
    answer = shell("taxonomy", "check", name)
    assert answer.code == 0, answer
    assert "nodes   18" in answer.out
    assert ("the first line is a header" in answer.err) == name.endswith("xlsx")


def test_numbered_columns_need_to_know_of_a_header(shell: Shell):
    shell.file("products.csv", PRODUCTS)
    failed(shell("taxonomy", "build", "products.csv", "--levels", "2,3,4,5"), "header-unclear")
    assert edges(shell("taxonomy", "build", "products.csv", "--levels", "2,3,4,5", "--header").out) == EDGES
    shell.file("bare.csv", PRODUCTS.split("\n", 1)[1])
    assert edges(shell("taxonomy", "build", "bare.csv", "--levels", "2,3,4,5", "--no-header").out) == EDGES


def test_what_cannot_be_built_is_refused(shell: Shell):
    shell.file("products.csv", PRODUCTS)
    assert "did you mean Department?" in one_line(shell("taxonomy", "build", "products.csv", "--levels", "departmant,product"))
    failed(shell("taxonomy", "build", "products.csv", "--levels", "product"), "invalid-levels")
    shell.file("twice.csv", "a,a,b\n1,2,3\n")
    assert "'a'" in failed(shell("taxonomy", "build", "twice.csv", "--levels", "a,b"), "duplicate-column")
    shell.file("products.parquet", FILES["products.parquet"])
    assert "--sep" in failed(shell("taxonomy", "build", "products.parquet", "--levels", LEVELS, "--sep", ";"), "option-not-applicable")
    shell.file("tax.tsv", "mine")
    failed(shell("taxonomy", "build", "products.csv", "--levels", LEVELS, "--out", "tax.tsv"), "output-exists")
    assert Path("tax.tsv").read_text() == "mine"
    shell.file("damaged.xlsx", FILES["products.xlsx"][:900])
    assert one_line(shell("taxonomy", "build", "damaged.xlsx", "--levels", LEVELS))


def test_a_workbook_with_two_sheets_is_refused(shell: Shell):
    import xlsxwriter

    with xlsxwriter.Workbook("two.xlsx") as book:
        for name in ("one", "two"):
            book.add_worksheet(name).write_row(0, 0, ["child", "parent"])
    failed(shell("taxonomy", "check", "two.xlsx"), "several-sheets")


def test_without_the_extra_the_line_to_type_is_said(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    import sys

    shell.file("products.xlsx", FILES["products.xlsx"])
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    assert "pip install 'shoal-privacy[excel]'" in one_line(shell("taxonomy", "build", "products.xlsx", "--levels", LEVELS))


def test_thousands_of_conflicts_are_summarised_in_a_few_lines(shell: Shell):
    rows = [f"{shop},other,{shop} {n}" for shop in ("a", "b", "c") for n in range(2)]
    rows += [f"{shop},shelf {shop},thing {n}" for n in range(1000) for shop in ("a", "b")]
    shell.file("goods.csv", "\n".join(["shop,shelf,item", *rows]) + "\n")
    done = shell("taxonomy", "build", "goods.csv", "--levels", "shop,shelf,item", "--out", "goods.tsv")
    assert done.code == 0, done.err
    assert len(done.everything.splitlines()) < 15
    assert "1,000 items below several groups" in done.err and "'thing 0' (a > shelf a, b > shelf b)" in done.err
    assert "1 name of several groups, such as 'other' (a, b, c)" in done.err
    assert "thing 999" not in done.everything
    whole = shell("taxonomy", "build", "goods.csv", "--levels", "shop,shelf,item", "--out", "goods.tsv", "--force", "-v")
    assert "thing 999" in whole.out

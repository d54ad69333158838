"""A product table joined to the items of a log: names, levels, what is counted, and what is refused."""

from __future__ import annotations

import json

import polars as pl
import pytest

import shoal
from helpers.cli import Shell, failed, one_line
from shoal.errors import InputError, ParameterError
from shoal.io.read.options import ItemsFrame, ItemsTable

# Two items are called "cola"; the type "other" is in two categories; item 9 has no type; item 77 is sold and not listed.
PRODUCTS = """sku,label,type,category,price
1,whole milk,milk,dairy,1.10
2,skimmed milk,milk,dairy,1.20
3,gouda,cheese,dairy,4.05
4,cola,soft drink,drinks,0.99
5,cola,soft drink,drinks,1.99
6,syrup,other,drinks,2.50
7,yeast,other,dairy,0.50
8,brie,cheese,dairy,3.75
9,eggs,,dairy,2.20
10,rye bread,bread,bakery,3.10
11,white bread,bread,bakery,2.10
12,butter,butter,dairy,2.80
13,salted butter,butter,dairy,2.90
"""
BASKETS = {"ann": (1, 3, 4), "ben": (2, 8, 5), "cid": (1, 3, 5), "dan": (2, 8, 4), "eve": (1, 8, 77), "fay": (2, 3, 9)}
TABLE = "customer,item\n" + "".join(f"{who},{sku}\n" for who, skus in BASKETS.items() for sku in skus)
NAMES = ("--items-name", "label")
OCCURRENCES = 18


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.file("sales.csv", TABLE)
    shell.file("products.csv", PRODUCTS)
    return shell


def released(shop: Shell, *words: str) -> dict:
    done = shop("anonymize", "sales.csv", "--items-table", "products.csv", *words, "--out", "release", "--force")
    assert done.code == 0, done.err
    return json.loads((shop.directory / "release" / "manifest.json").read_text())


def published(shop: Shell) -> list[list[str]]:
    return [sorted(row) for row in pl.read_parquet(shop.directory / "release" / "records.parquet")["items"].to_list()]


def audited(shop: Shell, *words: str) -> dict:
    done = shop("audit", "release", "--original", "sales.csv", *words, "--json")
    return json.loads(done.out) | {"code": done.code}


def test_items_are_published_at_a_level_and_audited_with_the_original(shop: Shell):
    manifest = released(shop, "--item-level", "type", "--k", "2", "--method", "km", "--m", "1")
    assert manifest["input"]["taxonomy"] == "items table"
    assert manifest["input"]["reading"]["items_table"] == {"key": "sku", "levels": ["type", "category"], "level": "type"}
    assert manifest["accounting"]["items"] == {
        "in": OCCURRENCES,
        "replaced by the item level": OCCURRENCES - 1,
        "not in the items table": 1,
    }
    assert (manifest["input"]["unknown_items"], manifest["input"]["unknown_occurrences"]) == (1, 1)
    assert "of the items are published by type" in (shop.directory / "release" / "report.html").read_text()
    everything = {item for record in published(shop) for item in record}
    assert {"milk", "cheese", "soft drink"} <= everything
    assert not everything & {"whole milk", "gouda", "77", "1"}
    found = audited(shop, "--items-table", "products.csv")
    assert found["code"] == 0 and found["holds"]
    failed(shop("audit", "release", "--original", "sales.csv"), "items-table-not-located")


def test_an_audit_with_another_table_finds_the_difference(shop: Shell):
    released(shop, "--item-level", "type", "--k", "2", "--method", "km", "--m", "1")
    shop.file("other.csv", PRODUCTS.replace("gouda,cheese", "gouda,milk").replace("brie,cheese", "brie,milk"))
    done = shop("audit", "release", "--original", "sales.csv", "--items-table", "other.csv")
    assert done.code != 0


def test_names_replace_numbers_and_stay_apart(shop: Shell):
    manifest = released(shop, *NAMES, "--k", "2", "--method", "coherence", "--p", "1", "--h", "1.0")
    everything = {item for record in published(shop) for item in record}
    assert {"whole milk", "gouda", "cola (4)", "cola (5)"} <= everything
    assert manifest["accounting"]["items"]["named by the items table"] == OCCURRENCES - 1
    assert audited(shop, "--items-table", "products.csv")["holds"]


def test_items_without_a_group_take_the_next_level(shop: Shell):
    items = ItemsTable(str(shop.directory / "products.csv"), level="type")
    found = set(shoal.read(shop.directory / "sales.csv", items=items).data.frame["payload"])
    assert found == {"milk", "cheese", "soft drink", "dairy", "77"}  # item 9 has no type: its category is used
    dropped = released(shop, "--item-level", "type", "--k", "2", "--unknown", "drop", "--method", "km", "--m", "1")
    assert dropped["accounting"]["occurrences"]["dropped: not in the taxonomy"] == 1


def test_an_unlisted_item_is_never_taken_for_a_group(shop: Shell):
    table = pl.read_csv(PRODUCTS.encode()).with_columns(pl.col("category").replace({"drinks": "77"}))
    found = shoal.read(shop.directory / "sales.csv", items=ItemsTable(ItemsFrame(table), level="category")).data
    assert set(found.frame["payload"]) == {"77", "77 (unlisted)", "dairy"}


def test_look_shows_what_each_level_gives(shop: Shell):
    done = shop("look", "sales.csv", "--items-table", "products.csv", *NAMES, "--json")
    levels = {one["level"]: one for one in json.loads(done.out)["levels"]}
    assert list(levels) == [None, "type", "category"]
    assert [levels[name]["items"] for name in levels] == [8, 5, 3]  # by hand; item 77 stays itself
    assert levels["type"]["shared"] == pytest.approx(12 / OCCURRENCES)  # milk and cheese, six people each; cola four
    assert levels["category"]["people"] == 4  # dairy 6, drinks 4, item 77 one
    printed = shop("look", "sales.csv", "--items-table", "products.csv", *NAMES).out
    assert "--item-level type" in printed and "whole milk" not in printed  # three people have it


def refused(problem: type[Exception], code: str, table: pl.DataFrame, **options: object) -> None:
    with pytest.raises(problem) as found:
        shoal.look(pl.read_csv(TABLE.encode()), items_table=table, **options)
    assert found.value.code == code


def test_no_column_is_guessed_that_could_be_another(shop: Shell):
    table = pl.read_csv(PRODUCTS.encode(), schema_overrides={"sku": pl.String})
    refused(InputError, "items-key-unclear", table.with_columns(old=pl.col("sku").reverse()))
    refused(InputError, "items-not-found", table.with_columns(sku="x" + pl.col("sku")))
    refused(InputError, "items-name-unclear", table.rename({"label": "says"}).with_columns(supplier="by " + pl.col("sku")))
    brands = table.with_columns(brand=pl.Series(list("abaabbabaabba")), pack=pl.Series(list("xyzxyzxyzxyzx")))
    refused(InputError, "items-levels-unclear", brands.drop("type", "category"))
    refused(InputError, "levels-not-ordered", table, items_levels=["category", "type"])
    refused(ParameterError, "unknown-level", table, items_levels=["category"], item_level="type")
    refused(InputError, "missing-column", table, item_level="aisle")
    refused(ParameterError, "options-conflict", table, taxonomy="wordnet")
    named = shoal.look(
        pl.read_csv(TABLE.encode()), items_table=table.with_columns(old=pl.col("sku").reverse()), items_key="sku", items_name="label"
    )
    assert [one.items for one in named.levels] == [8, 5, 3]


def test_the_table_may_be_of_any_format(shop: Shell):
    table = pl.read_csv(PRODUCTS.encode())
    table.write_parquet(shop.directory / "products.parquet")
    table.write_ndjson(shop.directory / "products.jsonl")
    shop.file("products.tsv", PRODUCTS.replace(",", "\t"))
    words = [
        shop("look", "sales.csv", "--items-table", f"products.{form}", *NAMES, "--json") for form in ("csv", "parquet", "jsonl", "tsv")
    ]
    assert len({word.out for word in words}) == 1 and not any(word.code for word in words)


def test_options_about_a_table_need_one(shop: Shell):
    assert "--items-table" in one_line(shop("look", "sales.csv", "--item-level", "type"))
    log = shop.file("log.tsv", "AnonID\tQuery\tQueryTime\n1\tmilk\t2006-03-01 00:00:00\n2\tmilk\t2006-03-01 00:00:01\n")
    assert "--items-table" in one_line(shop("look", log, "--items-table", "products.csv"))


def test_methods_on_rows_and_attacks_take_the_table(shop: Shell):
    released(shop, "--item-level", "category", "--k", "2")
    options = ("--items-table", "products.csv", "--item-level", "category")
    done = shop("attack", "sales.csv", "release", *options, "--json")
    assert done.code == 0, done.err
    sales = pl.read_csv(TABLE.encode())
    rows = shoal.anonymize(
        sales, "dp-queries", unit="item", items_table=shop.directory / "products.csv", item_level="category", epsilon=20.0
    )
    assert set(rows.to_polars()["item"]) <= {"dairy", "drinks"}
    assert "items" not in rows.manifest["accounting"]  # counts are withheld next to differential privacy


def test_a_poor_release_leads_to_a_coarser_level(shell: Shell, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHOAL_ADVICE", "60")
    people = range(40)
    shell.file("sales.csv", "customer,item\n" + "".join(f"{who},{100 + who}\n{who},{200 + who}\n" for who in people))
    goods = [f"{first + n},{kind},{'x' if n % 2 else 'y'}" for first, kind in ((100, "bread"), (200, "milk")) for n in people]
    shell.file("goods.csv", "item,type,shelf\n" + "\n".join(goods) + "\n")
    words = ("--items-table", "goods.csv", "--items-levels", "type", "--floor", "1", "--k", "5")
    done = shell("anonymize", "sales.csv", *words, "--out", "release")
    assert done.code == 0, done.err
    proposed = next(line for line in done.err.splitlines() if "--item-level type" in line)
    assert "items are published by their type; keeps 100%" in proposed and "--out release-by-type" in proposed

"""A taxonomy as a program has it: however it is given, the tree is that of the file."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from helpers.cli import Shell
from helpers.data import published
from helpers.errors import error, refuses

NESTED = {"Goods": {"Fruit": ["Apple", "Pear"], "Drinks": {"Cold": ["Beer"], "Hot": ["Tea", "Coffee"]}}}
EDGES = {
    "child": ["Goods", "Fruit", "Apple", "Pear", "Drinks", "Cold", "Beer", "Hot", "Tea", "Coffee"],
    "parent": [None, "Goods", "Fruit", "Fruit", "Goods", "Drinks", "Cold", "Drinks", "Hot", "Hot"],
}
LEVELS = {
    "sku": [1, 2, 3, 4, 5],
    "all": ["Goods"] * 5,
    "department": ["Fruit", "Fruit", "Drinks", "Drinks", "Drinks"],
    "category": [None, None, "Cold", "Hot", "Hot"],
    "product": ["Apple", "Pear", "Beer", "Tea", "Coffee"],
}
RECORDS = [["Apple", "Beer"], ["Pear", "Beer"], ["Tea"], ["Coffee"], ["Tea", "Apple"], ["Coffee", "Pear"]]

GIVEN: dict[str, dict[str, Any]] = {
    "nested names": {"taxonomy": NESTED},
    "name and children": {"taxonomy": {"name": "Goods", "children": [{"name": n, "children": c} for n, c in NESTED["Goods"].items()]}},
    "edges": {"taxonomy": pl.DataFrame(EDGES)},
    "edges of pandas": {"taxonomy": pd.DataFrame(EDGES)},
    "levels": {"taxonomy": pl.DataFrame(LEVELS), "levels": ["all", "department", "category", "product"]},
    "levels of arrow": {"taxonomy": pa.table(LEVELS), "levels": ["all", "department", "category", "product"]},
    "levels of a lazy frame": {"taxonomy": pl.LazyFrame(LEVELS), "levels": ("all", "department", "category", "product")},
    "the tree": {"taxonomy": shoal.Taxonomy.from_parents(dict(zip(*EDGES.values(), strict=True)))},
}


@pytest.mark.parametrize("kind", GIVEN)
def test_every_form_gives_the_release_of_the_file(shell: Shell, kind: str):
    edges = zip(*EDGES.values(), strict=True)
    shell.file("goods.csv", "child,parent\n" + "".join(f"{child},{above or ''}\n" for child, above in edges))
    by_file = shoal.anonymize(RECORDS, k=2, taxonomy="goods.csv")
    by_value = shoal.anonymize(RECORDS, k=2, **GIVEN[kind])
    assert published(by_value.release) == published(by_file.release)
    assert by_value.input["taxonomy"] == "given"
    assert by_value.metrics == by_file.metrics
    by_value.write("release")
    assert shoal.audit("release", original=RECORDS, **GIVEN[kind]).holds
    with refuses("taxonomy-not-located"):
        shoal.audit("release", original=RECORDS)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"taxonomy": pl.DataFrame(LEVELS)}, "levels-not-named"),
        (
            {"taxonomy": pl.DataFrame(LEVELS), "levels": ["department", "produkt"]},
            error("missing-column", value="produkt"),
        ),
        ({"taxonomy": {"a": {"b": 1.5}}}, "taxonomy-label-invalid"),
        ({"taxonomy": {"a": ["x"], "b": ["y"]}}, "taxonomy-several-roots"),
        ({"taxonomy": {"a": {"b": object()}}}, "taxonomy-not-nested"),
        ({"taxonomy": 7}, "unsupported-data"),
        ({"taxonomy": "nowhere.csv"}, "file-not-found"),
    ],
)
def test_what_is_no_taxonomy_is_refused(given: dict[str, Any], said: str):
    with refuses(said):
        shoal.anonymize(RECORDS, k=2, **given)


def test_the_node_loss_is_that_of_the_tree_or_the_one_that_was_said():
    tree = shoal.Taxonomy.from_parents(dict(zip(*EDGES.values(), strict=True)), "information")
    assert shoal.anonymize(RECORDS, k=2, taxonomy=tree).input["node_loss"] == "information"
    assert shoal.anonymize(RECORDS, k=2, taxonomy=tree, node_loss="height").input["node_loss"] == "height"
    by_dictionary = shoal.anonymize(RECORDS, k=2, taxonomy=NESTED, node_loss="information")
    assert by_dictionary.metrics["loss"] == shoal.anonymize(RECORDS, k=2, taxonomy=tree).metrics["loss"]

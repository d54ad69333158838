"""The report of a table of microdata: columns before and after, sizes of groups, the loss; and nothing of small tables."""

from __future__ import annotations

import statistics

import polars as pl
import pytest

import shoal
from helpers.cli import Shell
from helpers.microdata import numbers_csv
from shoal.data.original import TableOriginal
from shoal.data.table import Table
from shoal.data.tables.rows import RowTable
from shoal.methods.mdav import MDAV
from shoal.report.facts import spreads_of


def test_mean_and_spread_are_those_of_the_columns() -> None:
    original = TableOriginal(Table.from_numbers([[float(n % 7), n * 1e300] for n in range(20)], names=("a", "b")))
    table = MDAV(k=3).apply(original).tables["microdata"]
    assert isinstance(table, RowTable)
    first, second = spreads_of(table, original.table, 10)
    values, published = original.table.numbers[:, 0].tolist(), table.frame["a"].to_list()
    assert (first.mean_before, first.deviation_before) == pytest.approx((statistics.fmean(values), statistics.pstdev(values)))
    assert (first.mean, first.deviation) == pytest.approx((statistics.fmean(published), statistics.pstdev(published)))
    assert second.deviation_before == pytest.approx(1e300 * statistics.pstdev(range(20)))


def test_the_spread_of_few_people_is_not_told() -> None:
    original = TableOriginal(Table.from_numbers([[1.0], [5.0]], names=("a",)))
    (found,) = spreads_of(RowTable(pl.DataFrame({"a": [3.0, 3.0]})), original.table, 10)
    assert (found.mean_before, found.deviation_before, found.deviation) == (3.0, None, 0.0)


def test_the_page_tells_of_columns_groups_and_loss(shell: Shell) -> None:
    shell.file("table.csv", numbers_csv(40))
    assert shell("anonymize", "table.csv", "--method", "mdav", "--k", "3", "--out", "release").code == 0
    page = (shell.directory / "release" / "report.html").read_text()
    assert all(f"<bdi>c{n}</bdi>" in page for n in range(3))
    for words in ("Std. dev. before", "Information loss", "Group sizes", "quasi-identifiers", "microaggregated"):
        assert words in page
    assert "Record lengths" not in page


def test_a_frame_is_read_as_microdata_in_python() -> None:
    frame = pl.DataFrame({"who": [1, 2, 3, 3], "a": [1.0, 2.0, 3.0, 4.0]})
    result = shoal.anonymize(shoal.read(frame, format="microdata", user="who"), "mdav(k=3)")
    assert result.input["quasi_identifiers"] == ["a"]
    assert result.input["owner_column"] == "who"
    assert [verdict.standing for verdict in result.verdicts] == ["verified"]

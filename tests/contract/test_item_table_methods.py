"""What every method that takes a table with item sets owes. A new one joins by being in the table of methods."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.item_tables import content, fewest, item_table
from shoal import kernels
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import Infeasible
from shoal.methods import METHODS, Method
from shoal.metrics import measure
from shoal.pipeline.contract import made_by

TABLES = {
    "all kinds": item_table(36, 1),
    "owners repeat": item_table(40, 2, people=14),
    "one attribute": item_table(30, 3, kinds="numeric"),
    "items alone": item_table(20, 4, kinds=""),
    "as many as asked for": item_table(3, 5),
}
NAMES = [name for name, kind in METHODS.items() if "table with items" in kind.takes]
CASES = [
    pytest.param(METHODS[name](k=k, m=m), table, id=f"{name}(k={k}, m={m}) on {table}")  # type: ignore[call-arg]
    for name in NAMES
    for k, m in ((2, 1), (3, 2))
    for table in TABLES
]
every_method_on_every_table = pytest.mark.parametrize(("method", "name"), CASES)


@every_method_on_every_table
def test_claims_hold_for_the_judge_and_for_a_plain_recount(method: Method, name: str) -> None:
    original = TABLES[name]
    release = made_by(method, original)
    (claim,) = release.claims
    for verdict in (claim.check(release, original), claim.check(Release(release.tables))):
        assert verdict.holds, verdict.witnesses
    rows = release.only(RowTable).frame.to_dicts()
    names = [attribute.name for attribute in original.table.quasi]
    people = original.table.owners[np.argsort(release.secret.rows())].tolist()  # type: ignore[union-attr]
    achieved = claim.check(release, original).achieved
    values = claim.values()
    assert achieved["people"] == fewest(rows, names, "basket", values["m"], people) >= values["k"]
    assert achieved["records"] == fewest(rows, names, "basket", values["m"])


@every_method_on_every_table
def test_every_row_and_item_is_accounted_for(method: Method, name: str) -> None:
    release = made_by(method, TABLES[name])
    assert release.accounting is not None
    assert release.accounting["rows"].of_fate("kept", "changed") == release.n_rows == len(TABLES[name].table)
    items = release.accounting["occurrences"]
    assert items.total == TABLES[name].item_sets[0].occurrences
    published = [item for cell in release.only(RowTable).frame["basket"] for item in cell.split("|") if item]
    assert items.of_fate("kept", "changed") == len(published)
    assert "Food" not in published  # the root is true of everybody


@every_method_on_every_table
def test_neither_threads_nor_the_order_of_rows_matter(method: Method, name: str) -> None:
    table = TABLES[name].table
    with kernels.using(threads=1):
        one = content(made_by(method, TABLES[name]).only(RowTable).frame)
    rng = np.random.default_rng(7)
    for threads in (1, 2):
        order, numbers = rng.permutation(len(table)), rng.permutation(int(table.owners.max()) + 1)
        chosen = table.select(order)
        shuffled = type(table)(chosen.attributes, numbers[chosen.owners])
        with kernels.using(threads=threads):
            assert content(made_by(method, TableOriginal(shuffled)).only(RowTable).frame) == one


@every_method_on_every_table
def test_metrics_are_shares_and_agree_with_the_account(method: Method, name: str) -> None:
    release = made_by(method, TABLES[name])
    found = measure(release, TABLES[name])
    assert set(found) == {"attribute_detail", "items_kept", "item_loss"}
    assert all(0 <= value <= 1 for value in found.values())
    assert release.accounting is not None
    items = release.accounting["occurrences"]
    assert found["items_kept"] == pytest.approx(items.parts["kept"].n / max(1, items.total))


@pytest.mark.parametrize("name", NAMES)
def test_more_people_than_there_are_cannot_be_asked_for(name: str) -> None:
    for table in ("owners repeat", "all kinds"):
        with pytest.raises(Infeasible):
            made_by(METHODS[name](k=TABLES[table].n_owners + 1), TABLES[table])  # type: ignore[call-arg]

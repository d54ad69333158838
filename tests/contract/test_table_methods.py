"""What every method that takes a table of microdata owes. A new one joins by being in the table of methods."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from helpers.microdata import random_table
from shoal import kernels
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Table
from shoal.errors import Infeasible
from shoal.methods import METHODS, Method
from shoal.metrics import measure
from shoal.pipeline.contract import made_by

TABLES = {
    "one user per row": random_table(40, 3, 40, seed=1),
    "owners repeat": random_table(40, 2, 15, seed=2),
    "one column": random_table(25, 1, 25, seed=3),
    "constant": TableOriginal(Table.from_numbers(np.ones((12, 2)))),
    "as many as asked for": random_table(3, 2, 3, seed=4),
}
CASES = [
    pytest.param(kind(k=k), table, id=f"{name}(k={k}) on {table}")  # type: ignore[call-arg]
    for name, kind in METHODS.items()
    if "table" in kind.takes and not kind.guarantees_nothing
    for k in (2, 3)
    for table in TABLES
]
every_method_on_every_table = pytest.mark.parametrize(("method", "name"), CASES)


def rows_of(release: Release) -> Counter[tuple[object, ...]]:
    (table,) = release.tables.values()
    return Counter(table.frame.rows())  # type: ignore[attr-defined]


@every_method_on_every_table
def test_claims_hold_with_and_without_the_original(method: Method, name: str) -> None:
    release = made_by(method, TABLES[name])
    assert release.claims
    for claim in release.claims:
        for verdict in (claim.check(release, TABLES[name]), claim.check(Release(release.tables))):
            assert verdict.holds, verdict.witnesses


@every_method_on_every_table
def test_every_row_is_accounted_for(method: Method, name: str) -> None:
    release = made_by(method, TABLES[name])
    assert release.accounting is not None
    assert release.accounting["rows"].total == len(TABLES[name].table)
    assert release.accounting["rows"].of_fate("kept", "changed") == release.n_rows


@every_method_on_every_table
def test_neither_threads_nor_the_order_of_rows_matter(method: Method, name: str) -> None:
    table = TABLES[name].table
    with kernels.using(threads=1):
        one = rows_of(made_by(method, TABLES[name]))
    rng = np.random.default_rng(7)
    for threads in (1, 2, 2):
        order, numbers = rng.permutation(len(table)), rng.permutation(int(table.owners.max()) + 1)
        shuffled = Table.from_numbers(table.numbers[order], owners=numbers[table.owners[order]])
        with kernels.using(threads=threads):
            assert rows_of(made_by(method, TableOriginal(shuffled))) == one


@every_method_on_every_table
def test_metrics_are_the_same_with_and_without_the_groups(method: Method, name: str) -> None:
    release = made_by(method, TABLES[name])
    assert measure(Release(release.tables), TABLES[name]) == pytest.approx(measure(release, TABLES[name]), abs=1e-9)


@pytest.mark.parametrize("name", [name for name, kind in METHODS.items() if "table" in kind.takes and not kind.guarantees_nothing])
def test_more_people_than_there_are_cannot_be_asked_for(name: str) -> None:
    for table in ("owners repeat", "one user per row"):
        with pytest.raises(Infeasible):
            made_by(METHODS[name](k=TABLES[table].n_owners + 1), TABLES[table])  # type: ignore[call-arg]

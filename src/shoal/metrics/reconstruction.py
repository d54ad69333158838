"""How well groups in two parts disclose which records hold a sensitive item (Ghinita, Tao and Kalnis, section VI).

A query takes a sensitive item s and r other items. These divide the records into cells, by which of the r items they hold. `act` is the
share of s's occurrences in a cell, `est` the same as the release tells it: an occurrence of s in a group is as likely in any of its rows.
The error of a query is the Kullback-Leibler divergence, the sum of act * ln(act / est) over cells with act > 0. There est > 0 too, because
the row of an occurrence is one of its group. The metric is the mean over queries that are drawn by a seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Ints
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.counts import COUNT
from shoal.data.tables.groups import GROUP, ITEM, GroupTable
from shoal.errors import ParameterError
from shoal.metrics import Metric
from shoal.util.numbers import distinct

QUERIES, CHOSEN, SEED = 100, 4, 0

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ItemHolders:
    """Which records hold which item."""

    records: Ints
    start: Ints

    @classmethod
    def of(cls, records: Ints, items: Ints, n: int) -> ItemHolders:
        """From pairs of a record and the number of an item."""
        order = np.argsort(items, kind="stable")
        return cls(records[order], np.searchsorted(items[order], np.arange(n + 1)))

    def __getitem__(self, item: int) -> Ints:
        return self.records[self.start[item] : self.start[item + 1]]


def reconstruction_error(release: Release, original: Original, r: int = CHOSEN, queries: int = QUERIES, seed: int = SEED) -> float:
    """Return the mean error of random queries with r items each, or with all where there are fewer."""
    table = release.only(GroupTable)
    if not table.of_items:
        raise ParameterError("the reconstruction error is one of groups of records of items", code="metric-not-applicable")
    compared = ComparedRows.of(table, original)
    if not len(compared.sensitive):
        return 0.0
    rng = np.random.default_rng(seed)
    errors = [compared.error(int(rng.choice(compared.sensitive)), _drawn(rng, compared.known, r)) for _ in range(queries)]
    return float(np.mean(errors))


def _drawn(rng: np.random.Generator, items: Ints, r: int) -> list[int]:
    return rng.choice(items, min(r, len(items)), replace=False).tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """The original and the published rows by items, which are numbered by their names; `weights` are a sensitive item's per row."""

    sensitive: Ints
    known: Ints
    before: ItemHolders
    n_before: int
    after: ItemHolders
    row_group: Ints
    counts: ItemHolders
    n_counts: Ints
    group_sizes: Ints

    @classmethod
    def of(cls, table: GroupTable, original: Original) -> ComparedRows:
        """Items that the histograms count are sensitive, all others of the rows may be chosen in queries."""
        bags = original.typed
        flat = table.rows.select(ITEMS).with_row_index("row").filter(pl.col(ITEMS).list.len() > 0).explode(ITEMS)
        names = pl.concat([bags.vocabulary.names, flat[ITEMS], table.histogram[ITEM]]).unique().sort()
        code = pl.Enum(names)
        numbered = {name: series.cast(code).to_physical().to_numpy().astype(np.int64) for name, series in
                    (("shown", flat[ITEMS]), ("counted", table.histogram[ITEM]), ("typed", bags.vocabulary.names))}  # fmt: skip
        groups = pl.concat([table.rows[GROUP], table.histogram[GROUP]]).rank("dense").to_numpy().astype(np.int64) - 1
        row_group, counted_group = groups[: table.n_rows], groups[table.n_rows :]
        n = len(names)
        record = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
        place = np.arange(len(table.histogram))
        return cls(
            sensitive=distinct(numbered["counted"]),
            known=np.setdiff1d(distinct(numbered["shown"]), numbered["counted"]),
            before=ItemHolders.of(record, numbered["typed"][bags.items], n),
            n_before=len(bags),
            after=ItemHolders.of(flat["row"].to_numpy().astype(np.int64), numbered["shown"], n),
            row_group=row_group,
            counts=ItemHolders.of(place, numbered["counted"], n),
            n_counts=np.column_stack([counted_group, table.histogram[COUNT].to_numpy()]),
            group_sizes=np.bincount(row_group),
        )

    def error(self, sensitive: int, chosen: list[int]) -> float:
        """Return the divergence of the estimate of the groups from the original, over the cells of the chosen items."""
        cells = 1 << len(chosen)
        holders = self.before[sensitive]
        actual = np.bincount(_cells(self.before, chosen, self.n_before)[holders], minlength=cells) / max(1, len(holders))
        group_counts = self.n_counts[self.counts[sensitive]]
        chance = np.bincount(group_counts[:, 0], weights=group_counts[:, 1], minlength=len(self.group_sizes)) / self.group_sizes
        weights = chance[self.row_group]
        estimate = np.bincount(_cells(self.after, chosen, len(self.row_group)), weights=weights, minlength=cells) / group_counts[:, 1].sum()
        return divergence(actual, estimate)


def divergence(actual: Floats, estimate: Floats) -> float:
    """Return the Kullback-Leibler divergence over cells in which something is; infinite where the estimate rules one of them out."""
    there = actual > 0
    if (estimate[there] <= 0).any():
        return float("inf")
    return max(0.0, float((actual[there] * np.log(actual[there] / estimate[there])).sum()))


def _cells(holders: ItemHolders, chosen: list[int], n: int) -> Ints:
    """Return the cell of each record: a bit for each of the chosen items."""
    cell = np.zeros(n, np.int64)
    for bit, item in enumerate(chosen):
        cell[holders[item]] |= 1 << bit
    return cell


RECONSTRUCTION_ERROR = Metric(
    "reconstruction_kl",
    f"mean KL divergence between actual and reconstructed distributions of sensitive items ({QUERIES} queries with {CHOSEN} items)",
    "lower",
    reconstruction_error,
    kinds=frozenset({"groups"}),
)

"""Perturbation of tables as statistical agencies practised it: noise, swapping, permutation within groups, and condensation.

Baselines to compare guarantees with, as the survey in Milani Fard's thesis lists them; none of them promises anything about a person.

- `noise`: correlated noise with a linear transformation (Kim, ASA 1986; Brand 2002). The noise has `amount` times the standard deviations
  and the correlations of the columns; then all values move towards the mean so that means and covariances are kept in expectation.
- `swap`: rank swapping (Moore, US Census 1996). Each value of a column changes places with another one that is at most a share `amount` of
  all ranks away, column by column. Each column keeps its values exactly.
- `permute`: Zhang, Koudas, Srivastava and Yu (ICDE 2007). Rows are grouped by MDAV; the sensitive columns are shuffled within each group.
- `condense`: Aggarwal and Yu (EDBT 2004). Rows are grouped by MDAV; of each group as many rows are drawn, uniformly along the principal
  axes, with the mean and covariance of the group in expectation.

Random numbers come from the operating system: with a known seed, noise could be taken away again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data import fresh
from shoal.data.accounting import changed
from shoal.data.claims import Model
from shoal.data.column_list import ColumnNames
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Floats, Table
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError, option
from shoal.methods import Method
from shoal.methods.bases.microdata import unchanged_columns
from shoal.methods.bases.release_builder import build_row_release
from shoal.microaggregation.spaces import groups_of_table
from shoal.parameters import param
from shoal.util.numbers import members_of

PERTURBED = "perturbed"


@dataclass(frozen=True)
class Perturbation(Method):
    """Perturbs a table by correlated noise, swapped ranks, values permuted within groups, or rows drawn like those of a group."""

    name = "perturbation"
    paper = "Kim 1986 (noise); Moore 1996 (swap); Zhang and others, ICDE 2007 (permute); Aggarwal and Yu, EDBT 2004 (condense)"
    takes = frozenset({"table"})
    publishes = "rows"
    guarantees_nothing = True
    required_texts = ("name", "paper", "does_not_protect")
    fates = {PERTURBED: "changed"}  # noqa: RUF012 (never changed)
    varies = "random numbers come from the operating system: another run gives another release"
    does_not_protect = (
        "people whose values are far from those of others, because a perturbed row is still near to the original one; columns that are "
        "published unchanged; values that are known to be exact in one column, because the others of the row belong to the same person"
    )

    technique: str = param("noise", choices=("noise", "swap", "permute", "condense"), help="how rows are perturbed")
    amount: float = param(
        0.1, minimum=0.001, maximum=10, help="noise: in standard deviations; swap: largest difference of ranks, as a share of all rows"
    )
    k: int = param(3, minimum=2, help="minimum number of people per group, for permute and condense")
    sensitive: ColumnNames | None = param(None, help="columns to permute within groups")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.technique == "permute") != (self.sensitive is not None):
            raise ParameterError(
                "permute needs sensitive columns, and no other technique takes them",
                code="options-conflict",
                hint=f"give {option('sensitive')} with technique=permute",
            )

    @property
    def needs_taxonomy(self) -> bool:
        """False: a table has no taxonomy common to its columns."""
        return False

    @property
    def deterministic(self) -> bool:
        """False: noise that could be made again could be taken away."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """Claim nothing."""
        return ()

    def apply(self, original: TableOriginal) -> Release:
        """Publish every row, perturbed."""
        table, rng = original.table, np.random.default_rng(int.from_bytes(fresh.entropy(32), "little"))
        frame = pl.DataFrame({attribute.name: attribute.values for attribute in table.attributes})
        if self.technique == "permute":
            frame = self._permuted(table, frame, rng)
        else:
            values = _numbers(table, self.technique)
            made = {"noise": self._noisy, "swap": self._swapped, "condense": self._condensed}[self.technique](table, values, rng)
            frame = frame.with_columns(pl.Series(a.name, made[:, j]) for j, a in enumerate(table.quasi))
        outcomes = {PERTURBED: changed(len(table))}
        return build_row_release(self, len(table), {"microdata": RowTable(frame)}, outcomes, np.arange(len(table)))

    def _noisy(self, table: Table, values: Floats, rng: np.random.Generator) -> Floats:
        """Add correlated noise, and move towards the mean such that covariances are kept in expectation."""
        mean = values.mean(axis=0)
        noise = rng.standard_normal(values.shape) @ _root_of_covariance(values).T * self.amount
        return np.asarray(mean + (values - mean + noise) / np.sqrt(1 + self.amount**2))

    def _swapped(self, table: Table, values: Floats, rng: np.random.Generator) -> Floats:
        """Swap ranks, column by column."""
        reach = max(1, int(self.amount * len(values)))
        return np.column_stack([_swapped_column(column, reach, rng) for column in values.T]) if values.shape[1] else values

    def _condensed(self, table: Table, values: Floats, rng: np.random.Generator) -> Floats:
        """Draw as many rows as each group has, uniformly along its principal axes."""
        found = values.copy()
        for rows in members_of(groups_of_table(table, self.k)):
            some = values[rows]
            uniform = rng.uniform(-np.sqrt(3), np.sqrt(3), some.shape)  # a variance of 1
            found[rows] = some.mean(axis=0) + uniform @ _root_of_covariance(some).T
        return found

    def _permuted(self, table: Table, frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
        """Shuffle the sensitive columns together within each group."""
        assert self.sensitive is not None
        unchanged_columns(table, self.sensitive)
        source = np.arange(len(table))
        for rows in members_of(groups_of_table(table, self.k)):
            source[rows] = rng.permutation(rows)
        return frame.with_columns(frame[name].gather(source) for name in self.sensitive.names)


def _numbers(table: Table, technique: str) -> Floats:
    if not table.all_numeric:
        raise ParameterError(
            f"the technique {technique} is for numbers, but a quasi-identifier is of another kind",
            code="not-numeric",
            hint="use technique=permute, or the method mdav",
        )
    return table.numbers


def _root_of_covariance(values: Floats) -> Floats:
    """Return a matrix whose product with its transpose is the covariance; variances that rounding makes negative are 0."""
    if not values.shape[1]:
        return np.zeros((0, 0))
    variances, axes = np.linalg.eigh(np.atleast_2d(np.cov(values, rowvar=False, bias=True)))
    return np.asarray(axes * np.sqrt(np.clip(variances, 0, None)))


def _swapped_column(column: Floats, reach: int, rng: np.random.Generator) -> Floats:
    """Return the column after each value, from the least, has changed places with one of the next values that has not moved yet."""
    order = np.argsort(column, kind="stable")
    ranked, moved = column[order].copy(), np.zeros(len(column), bool)
    for at in range(len(column)):
        if moved[at]:
            continue
        free = at + 1 + np.flatnonzero(~moved[at + 1 : at + 1 + reach])
        if len(free):
            other = int(rng.choice(free))
            ranked[[at, other]] = ranked[[other, at]]
            moved[other] = True
        moved[at] = True
    found = np.empty_like(column)
    found[order] = ranked
    return found

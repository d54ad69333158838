"""(X, Y)-anonymity of a table: every combination of values in the columns X occurs with k different combinations in the columns Y.

Wang and Fung, KDD 2006. With Y a key of people it is k-anonymity that counts people, whoever owns how many rows; with Y a sensitive column
it bounds how many values a combination leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.column_list import ColumnNames
from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.evidence.sensitive_columns import faults_of_columns, values_of_classes
from shoal.util.wording import counted


@dataclass(frozen=True)
class XYAnonymity(Model):
    """Every combination of values in the columns x occurs with at least k different combinations in the columns y."""

    name = "xy-anonymity"
    protects = (
        "An attacker who knows the values of a person in the columns x cannot tell which of at least k combinations in the columns y are "
        "those of the person. If y identifies people, these are k people."
    )
    does_not_protect = (
        "Columns outside of x and y. One combination of y may be far more frequent than the others. If y is a key that is published, it "
        "may identify people by itself."
    )
    limits = "It does not consider how frequent each combination of y is, nor what other columns reveal."
    judges = frozenset({"rows"})
    level_words = {"values": "different combinations of y with the rarest combination of x"}  # noqa: RUF012 (never changed)
    level_sentences = {  # noqa: RUF012 (never changed)
        "values": "{every} combination of x occurs with {least} {n} different combinations of y",
    }
    promised_by = {"values": "k"}  # noqa: RUF012 (never changed)

    k: int = param(2, minimum=2, help="minimum number of different combinations of y for each combination of x")
    x: ColumnNames | None = param(None, help="columns that an attacker may know")
    y: ColumnNames | None = param(None, help="columns that are counted")

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """Return the columns x and y."""
        x, y = self._sides()
        return frozenset((*x, *y))

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return all columns: this model counts published values, and does not compare them with the original."""
        return dict.fromkeys(table.columns, "whether they are values of the original")

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count the different combinations of y for each combination of x."""
        table = release.only(RowTable)
        x, y = self._sides()
        faults = faults_of_columns(table, x, y)
        if faults:
            return Verdict(str(self), "fails", {}, faults)
        values, _ = values_of_classes(table.frame.with_columns(pl.col(y).cast(pl.String)), x, y, (None, ""))
        found = [len(counts) for counts in values.counts]
        few = sum(n < self.k for n in found)
        broken = (f"{counted(few, 'combination of x occurs', 'combinations of x occur')} with fewer than {self.k:,} of y",) if few else ()
        left = [repr(name) for name in table.frame.columns if name not in {*x, *y}]
        notes = (f"not covered by the claim: {', '.join(left)}",) if left else ()
        return Verdict(str(self), verified_if(not broken), {"values": min(found)}, broken, notes)

    def _sides(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if self.x is None or self.y is None:
            raise ParameterError(
                f"{self.name} must name the columns x and y", code="missing-column", hint=f"{self.name}(k={self.k}, x=COLUMN, y=COLUMN)"
            )
        return self.x.names, self.y.names

"""Limits of the classes of a table: at most a number of rows, or no two rows of the same person or household.

Constrained microaggregation. Classes are rows that are published alike. Their sizes are counted in the published table. Whose rows they are
is known only while a release is made, with the original and the row that each of its rows became.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.column_list import ColumnNames
from shoal.data.original import AnyOriginal, TableOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.parameters import Declared, param
from shoal.privacy.evidence.microdata_evidence import RowClasses, classes_of_rows
from shoal.util.wording import counted

NOT_SEEN = "whose rows share a combination of values is known only while the release is made"


@dataclass(frozen=True)
class ClassLimits(Model):
    """At most a given number of rows have the same published combination of values, or no two rows of one user have it."""

    name = "class-limits"
    protects = (
        "With apart, rows of one user ID, such as a household or a company, are never published with the same combination of values, so "
        "that a class does not consist of people who belong together. With most, no class is larger than needed."
    )
    does_not_protect = "People from being found: the minimum number of people who share a combination of values is another claim."
    limits = "It does not bound the number of people who share a combination of values from below; microdata-k-anonymity does."
    judges = frozenset({"rows"})
    level_words = {"most": "rows in the largest equivalence class"}  # noqa: RUF012 (never changed)
    level_sentences = {"most": "a combination of values is shared by up to {rows}"}  # noqa: RUF012 (never changed)

    most: int | None = param(None, minimum=2, help="largest number of rows per published combination of values")
    apart: bool = param(False, help="whether no two rows of one user share a combination of values")
    columns: ColumnNames | None = param(None, help="columns covered by the claim (default: all)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.most is None) == (not self.apart):
            raise ParameterError("a claim of limits has either most or apart", code="options-conflict", hint="make two claims")

    def disclosable_values(self) -> dict[str, Any]:
        """Return the parameters, `apart` only if it is claimed."""
        return self.values() | {"apart": self.apart or None}

    @property
    def columns_named(self) -> tuple[str, ...] | None:
        """Return the columns that the claim names."""
        return None if self.columns is None else self.columns.names

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """Return the columns that the claim names, or else all."""
        return frozenset(self.columns_named or table.columns)

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return all columns: rows are counted, and not compared with the original."""
        return dict.fromkeys(table.columns, "whether they are values of the original")

    def keeps(self, promise: Declared) -> bool:
        """Whether the promise is kept; one without columns is kept by a claim that names columns."""
        same = isinstance(promise, ClassLimits) and (promise.most, promise.apart) == (self.most, self.apart)
        return same and promise.values()["columns"] in {None, self.columns}

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count the rows of each class, or the rows of each user in it."""
        frame = release.only(RowTable).frame
        names = self.columns_named or tuple(frame.columns)
        missing = [name for name in names if name not in frame.columns]
        if missing:
            return Verdict(str(self), "fails", {}, (f"the column {missing[0]!r}, which the claim is about, is not in the table",))
        classes = classes_of_rows(frame, names)
        return self._judge_sizes(classes) if self.most is not None else self._judge_users(classes, release, original)

    def _judge_sizes(self, classes: RowClasses) -> Verdict:
        assert self.most is not None
        over = int((classes.sizes > self.most).sum())
        broken = [f"{counted(over, 'class has', 'classes have')} more than {self.most:,} rows"] if over else []
        return Verdict(str(self), verified_if(not broken), {"most": int(classes.sizes.max(initial=0))}, tuple(broken))

    def _judge_users(self, classes: RowClasses, release: Release, original: AnyOriginal | None) -> Verdict:
        if not isinstance(original, TableOriginal):
            return Verdict(str(self), "not checkable", {}, unchecked=NOT_SEEN)
        owners = original.table.owners
        if len(owners) != len(classes.label):
            return Verdict(str(self), "fails", {}, (f"{len(classes.label):,} rows are published of {len(owners):,}",))
        if len(set(owners.tolist())) == len(owners):
            return Verdict(str(self), "verified", {}, notes=("every row has a user of its own",))
        if release.secret is None:
            return Verdict(str(self), "not checkable", {}, unchecked=NOT_SEEN)
        rows = release.secret.rows()
        if not np.array_equal(np.sort(rows), np.arange(len(owners))):
            return Verdict(str(self), "fails", {}, ("rows were lost or added without being accounted for",))
        seen = list(zip(classes.label[rows].tolist(), owners.tolist(), strict=True))
        twice = len(seen) - len(set(seen))
        broken = [f"{counted(twice, 'row')} of users who have another row in the same class"] if twice else []
        return Verdict(str(self), verified_if(not broken), {}, tuple(broken))

"""k-anonymity of a table of microdata over named columns, its quasi-identifiers.

The classes are counted from what is published. With the original, people are counted, and every published number is compared with the exact
mean of those it represents: it may differ by the spacing of floating-point numbers at its size, to allow for rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.column_list import ColumnNames
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Table
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.parameters import Declared, param
from shoal.privacy.evidence.microdata_evidence import classes_of_rows, defects_against_original, people_of_classes
from shoal.util.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import AnyOriginal


@dataclass(frozen=True)
class MicrodataKAnonymity(Model):
    """At least k people share each published combination of values in the quasi-identifiers."""

    name = "microdata-k-anonymity"
    protects = (
        "An attacker who knows a person's exact values in these columns links the person to a published row with probability at most "
        "1/k. The columns are protected jointly."
    )
    does_not_protect = (
        "Columns that the claim does not list are published unchanged and may identify a person. A published value is the mean of its "
        "group: if the members have similar values, it discloses the value of each."
    )
    limits = "It does not protect columns that the claim does not list, nor a value that all members of a group share."
    judges = frozenset({"rows"})
    level_words = {  # noqa: RUF012 (never changed)
        "records": "rows in the smallest equivalence class",
        "people": "different people behind the rarest combination of values",
    }
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} published combination of values belongs to {least} {people}",
        "records": "{every} published combination of values occurs {least} {times}",
    }

    k: int = param(3, minimum=2, help="minimum number of people per published combination of values")
    columns: ColumnNames | None = param(None, help="columns covered by the claim (default: all)")

    @property
    def group_size(self) -> int:
        """The size of groups: k."""
        return self.k

    @property
    def columns_named(self) -> tuple[str, ...] | None:
        """Return the quasi-identifiers."""
        return None if self.columns is None else self.columns.names

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return 1/k for an attacker who knows the columns of the claim; inference is not bounded."""
        return 1 / self.k if test in {"singling out", "linking"} else None

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """Return the columns that the claim names, or else all."""
        return frozenset(self.columns_named or table.columns)

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return what remains open: columns that the claim does not name are kept; neither files nor the original show which rows form a
        group.
        """
        judged = self.judged_columns(table)
        kept = [name for name in table.columns if name not in judged]
        if not with_original:
            means = "whether they are means of the original's values"
            return dict.fromkeys(kept, "kept as they are") | {name: means for name in table.columns if name in judged}
        totals = "only their totals, or that they occur in the original"
        return dict.fromkeys(kept, "which row they belong to") | {name: totals for name in table.columns if name in judged}

    def keeps(self, promise: Declared) -> bool:
        """Whether the promise is kept; one without columns is kept by a claim that names columns, which are verified elsewhere."""
        same = isinstance(promise, MicrodataKAnonymity) and promise.k == self.k
        return same and (promise.values()["columns"] in {None, self.columns})

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count rows with equal values in the columns; with the original, count people and compare values with what they represent."""
        table = release.only(RowTable)
        names = self.columns_named or tuple(table.frame.columns)
        missing = [name for name in names if name not in table.frame.columns]
        if missing:
            return Verdict(str(self), "fails", {}, (f"the column {missing[0]!r}, which the claim is about, is not in the table",))
        classes = classes_of_rows(table.frame, names)
        achieved = {"records": classes.smallest}
        broken = classes.shorter_than(self.k)
        left = [repr(name) for name in table.frame.columns if name not in names]
        notes = [f"not covered by the claim: {', '.join(left)}"] if left else []
        if original is not None:
            rows = _rows_of(original)
            defects = defects_against_original(release, table.frame, names, classes, rows)
            if defects:  # whose rows the published ones are is then not known
                return Verdict(str(self), "fails", achieved, (*broken, *defects), tuple(notes))
            people, note = people_of_classes(classes, rows.owners, release.secret)
            achieved |= {} if people is None else {"people": people}
            notes += [note] if note else []
            if people is not None and people < self.k:
                broken.append(f"the rows of a class belong to only {counted(people, 'person', 'people')}")
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken), tuple(notes))


def _rows_of(original: AnyOriginal) -> Table:
    if not isinstance(original, TableOriginal):
        raise ParameterError(
            f"a table of microdata is compared with such a table, but the original was read as {original.shape}",
            code="wrong-kind-of-original",
        )
    return original.table

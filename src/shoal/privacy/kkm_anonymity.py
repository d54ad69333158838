"""(k, k^m)-anonymity (Poulis, Loukides, Gkoulalas-Divanis and Skiadopoulos, ECML PKDD 2013): attributes and items together.

Rows that are alike in all attributes form a class. Every set of up to m published items that occurs in a class, the empty one among them,
must be shared by at least k people of the class. An attacker who knows all attributes of a person and up to m items then finds k people:
the argument is that of k^m-anonymity (`km_anonymity.py`), for the rows of one class.

Everything is counted from the published rows, by a kernel that no method calls: an item of a class counts as an item of its own, so that
all classes are counted at once. With the original people are counted, not rows, and published values must be true of the rows they
represent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.column_list import ColumnNames
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import ITEM_SEPARATOR
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.parameters import Declared, param
from shoal.privacy.evidence.equivalence_classes import untruthful_message, untruthful_records
from shoal.privacy.evidence.generalized_columns import classes_without_rows, untrue_by_row
from shoal.privacy.evidence.known_sets import MOST_KNOWN, AttackerKnowledge, CountedSets, Holders, all_public, count_sets, items
from shoal.privacy.evidence.microdata_evidence import RowClasses, changed_kept_columns, classes_of_rows, people_of_classes
from shoal.util.wording import counted

if TYPE_CHECKING:
    from shoal.data.original import AnyOriginal

BETWEEN = "\0"  # between the number of a class and an item, in the name of the item of the class


@dataclass(frozen=True)
class KKmAnonymity(Model):
    """At least k people match what an attacker knows: all attributes of a person and up to m items."""

    name = "kkm-anonymity"
    protects = (
        "An attacker who knows a person's exact attributes and at most m items of the person's set links the person to a published row "
        "with probability at most 1/k."
    )
    does_not_protect = (
        "An attacker who also knows more than m items, or which items are absent, may find a single row. What all k people share is "
        "disclosed about each of them. Columns that the claim does not list are published unchanged and may identify a person."
    )
    limits = "It does not protect against an attacker who knows more than m items or which items are absent, nor columns it does not list."
    judges = frozenset({"rows"})
    level_words = {  # noqa: RUF012 (never changed)
        "records": "rows with the rarest combination of attributes and known items",
        "people": "different people with the rarest combination of attributes and known items",
    }
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} combination of attributes and up to {m} items belongs to {least} {people}",
        "records": "{every} combination of attributes and up to {m} items occurs {least} {times}",
    }

    k: int = param(5, minimum=2, help="minimum number of people per combination of attributes and known items")
    m: int = param(2, minimum=1, maximum=MOST_KNOWN, help="number of items known to an attacker")
    columns: ColumnNames | None = param(None, help="attributes that the attacker knows (default: all other columns)")
    item_sets: ColumnNames | None = param(None, help="column with the item sets (default: the only one with such sets)")

    @property
    def group_size(self) -> int:
        """The size of classes: k."""
        return self.k

    @property
    def columns_named(self) -> tuple[str, ...] | None:
        """Return the attributes and the column of item sets."""
        named = [*(self.columns.names if self.columns else ()), *(self.item_sets.names if self.item_sets else ())]
        return tuple(named) or None

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return 1/k for an attacker who knows the attributes and at most m items; without a number, for the attributes alone."""
        return 1 / self.k if test in {"singling out", "linking"} and (known is None or known <= self.m) else None

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """Return the columns that the claim names, or else all."""
        return frozenset(table.columns) if self.columns is None else frozenset(self.columns_named or ())

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return what remains open: files do not show which published row belongs to which original row."""
        judged = self.judged_columns(table)
        kept = dict.fromkeys((name for name in table.columns if name not in judged), "kept as they are")
        if not with_original:
            return kept | {name: "whether they are true of the original's values" for name in table.columns if name in judged}
        some = "only that enough rows of the original match"
        return dict.fromkeys(kept, "which row they belong to") | {name: some for name in table.columns if name in judged}

    def keeps(self, promise: Declared) -> bool:
        """Whether the promise is kept; one without columns is kept by a claim that names columns, which are verified elsewhere."""
        if not isinstance(promise, KKmAnonymity) or (promise.k, promise.m) != (self.k, self.m):
            return False
        return promise.columns in {None, self.columns} and promise.item_sets in {None, self.item_sets}

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count every set of up to m items in each class of rows; with the original, count people and compare values."""
        table = release.only(RowTable)
        column, names = self._columns_in(table)
        missing = [name for name in (*names, column) if name not in table.columns]
        if missing:
            return Verdict(str(self), "fails", {}, (f"the column {missing[0]!r}, which the claim is about, is not in the table",))
        classes = classes_of_rows(table.frame, names) if names else one_class(table.n_rows)
        sets, broken = sets_of_classes(table.frame[column].cast(pl.String).fill_null(""), classes.label)
        found = self._count(sets, np.zeros(0, np.int64))
        level = {"records": min(classes.smallest, found.fewest)}
        broken += [*classes.shorter_than(self.k), *_rare_sets(found, self.k, "rows")]
        notes = [f"{found.sets:,} sets of items were counted in {len(classes.sizes):,} classes"]
        left = [repr(name) for name in table.columns if name not in (*names, column)]
        notes += [f"not covered by the claim: {', '.join(left)}"] if left else []
        if original is not None:
            rows = _table_of(original)
            defects = _defects(release, table, names, column, classes, rows)
            if defects:  # whose rows the published ones are is then not known
                return Verdict(str(self), "fails", level | {"m": self.m}, (*broken, *defects), tuple(notes))
            people, note = self._people(release, classes, sets, rows)
            level |= {} if people is None else {"people": people}
            notes += [note] if note else []
            if people is not None and people < self.k:
                broken.append(
                    f"the rows of a class, or those with a set of items in it, belong to only {counted(people, 'person', 'people')}"
                )
        return Verdict(str(self), verified_if(not broken), level | {"m": self.m}, tuple(broken), tuple(notes), rare=_witnesses(found, sets))

    def _count(self, sets: Bags, owners: Ints) -> CountedSets:
        """Count all sets of up to m items, by the users of the rows or, without users, by rows."""
        order = np.argsort(owners, kind="stable") if len(owners) else np.arange(len(sets), dtype=np.int64)
        holders = Holders(sets, order, owners[order] if len(owners) else owners)
        return count_sets(holders, all_public(len(sets.vocabulary)), AttackerKnowledge(self.k, self.m))

    def _people(self, release: Release, classes: RowClasses, sets: Bags, original: TableOriginal) -> tuple[int | None, str]:
        """Return the number of people with the rarest combination, and a note if it is not known."""
        owners = original.table.owners
        people, note = people_of_classes(classes, owners, release.secret)
        if people is None:
            return None, note
        of_published = np.empty(len(owners), np.int64)
        of_published[slice(None) if release.secret is None else release.secret.rows()] = owners  # without the mapping, rows are people
        return min(people, self._count(sets, of_published).fewest), ""

    def _columns_in(self, table: RowTable) -> tuple[str, tuple[str, ...]]:
        """Return the column of item sets and the attributes. Raise if the claim names no column of item sets and it is not obvious."""
        if self.item_sets is not None and len(self.item_sets.names) == 1:
            (column,) = self.item_sets.names
        elif self.item_sets is None and len(with_sets := [name for name, kind in table.columns.items() if kind == "text"]) == 1:
            (column,) = with_sets
        else:
            raise ParameterError("the claim must name one column of item sets, as item_sets=COLUMN", code="missing-column")
        others = tuple(name for name in table.columns if name != column)
        return column, self.columns.names if self.columns is not None else others


def one_class(rows: int) -> RowClasses:
    """Return all rows as one class."""
    return RowClasses(np.zeros(rows, np.int64), np.array([rows] if rows else [], np.int64))


def sets_of_classes(cells: pl.Series, label: Ints) -> tuple[Bags, list[str]]:
    """Return the item sets of all rows, where an item of one class is another than that of any other class; and faults of the sets."""
    frame = pl.DataFrame({"row": np.arange(len(cells)), "class": label, "item": cells.str.split(ITEM_SEPARATOR)})
    held = frame.explode("item").filter(pl.col("item") != "")
    repeated = len(held) - held.select(pl.struct("row", "item").n_unique()).item() if len(held) else 0
    names = held.select(pl.concat_str(pl.col("class").cast(pl.String), pl.lit(BETWEEN), pl.col("item"))).to_series()
    vocabulary = Vocabulary(names.unique().sort())
    starts = np.concatenate([[0], np.cumsum(np.bincount(held["row"].to_numpy(), minlength=len(cells)))]).astype(np.int64)
    codes = vocabulary.codes(names)
    owners = np.arange(len(cells), dtype=np.int64)
    sets = Bags.from_rows(starts, codes, np.ones(len(codes), np.int32), vocabulary, owners, as_sets=True)
    return sets, [f"{repeated:,} items are repeated in their row"] if repeated else []


def _rare_sets(found: CountedSets, k: int, what: str) -> list[str]:
    if not found.unsafe or not found.size:
        return []
    name = f"of {found.size:,} published {items(found.size)}"
    sets = counted(found.unsafe, f"set {name} is", f"sets {name} are")
    return [f"{sets} shared by fewer than {k:,} {what} of their class"]


def _witnesses(found: CountedSets, sets: Bags) -> tuple[str, ...]:
    """Return examples of rare sets by name; not for publication."""
    examples = []
    for held, rows, *_ in found.examples:
        names = ", ".join(sets.vocabulary[int(item)].partition(BETWEEN)[2] for item in held)
        examples.append(f"{{{names}}} has only {counted(rows, 'match', 'matches')} in a class")
    return tuple(examples)


# -- with the original


def _defects(
    release: Release, table: RowTable, names: tuple[str, ...], column: str, classes: RowClasses, original: TableOriginal
) -> list[str]:
    """Return what is not true of the original: other columns or rows, changed kept columns, untrue values, untrue items."""
    before = original.table
    if column not in [attribute.name for attribute in before.item_sets]:
        return [f"the column {column!r} is not one of item sets of the original"]
    uncovered = [attribute.name for attribute in (*before.quasi, *before.item_sets) if attribute.name not in (*names, column)]
    if uncovered:
        return [f"the claim leaves out {len(uncovered):,} quasi-identifiers of the original, the first of them {uncovered[0]!r}"]
    if sorted(table.columns) != sorted(attribute.name for attribute in before.attributes):
        return ["the published columns are not those of the original"]
    if table.n_rows != len(before):
        return [f"{table.n_rows:,} rows are published of {len(before):,}"]
    rows = None if release.secret is None else release.secret.rows()
    if rows is not None and not np.array_equal(np.sort(rows), np.arange(table.n_rows)):
        return ["rows were lost or added without being accounted for"]
    broken = changed_kept_columns(table.frame, before, rows)
    if rows is not None:
        untrue = untrue_by_row(before, table.frame, rows)
        broken += [f"{untrue:,} rows have published values that are not true of them"] if untrue else []
    else:
        short, _ = classes_without_rows(before, table.frame, classes.label)
        broken += [f"{short:,} classes match fewer rows of the original than they have"] if short else []
    return broken + _untrue_items(table.frame[column], column, rows, original)


def _untrue_items(cells: pl.Series, column: str, rows: Ints | None, original: TableOriginal) -> list[str]:
    """Compare published items with the original ones: row by row, or else how many rows have something below each node."""
    at = [attribute.name for attribute in original.table.item_sets].index(column)
    before, tree = original.item_sets[at], original.table.item_sets[at].tree
    assert tree is not None
    held = cells.cast(pl.String).fill_null("").str.split(ITEM_SEPARATOR).list.eval(pl.element().filter(pl.element() != ""))
    codes = tree.names.codes(held.explode(empty_as_null=False))
    if (codes < 0).any():
        return [f"{int((codes < 0).sum()):,} published items are not in the taxonomy"]
    starts = np.concatenate([[0], np.cumsum(held.list.len().to_numpy())]).astype(np.int64)
    owners = np.arange(len(cells), dtype=np.int64)
    published = Bags.from_rows(starts, codes, np.ones(len(codes), np.int32), tree.names, owners, as_sets=True)
    if rows is not None:
        return untruthful_message(untruthful_records(before, published, rows, tree))
    more = int((_rows_below(published, tree.parent) > _rows_below(before, tree.parent)).sum())
    return [f"{more:,} nodes of the taxonomy are published for more rows than have an item below them"] if more else []


def _rows_below(sets: Bags, parent: Small) -> Ints:
    """Count the rows with an item at or below each node."""
    found = np.zeros(len(parent), np.int64)
    for row in range(len(sets)):
        nodes: set[int] = set()
        for item in sets.items[sets.indptr[row] : sets.indptr[row + 1]].tolist():
            node = item
            while node >= 0 and node not in nodes:
                nodes.add(node)
                node = int(parent[node])
        found[list(nodes)] += 1
    return found


def _table_of(original: AnyOriginal) -> TableOriginal:
    if not isinstance(original, TableOriginal) or not original.table.item_sets:
        raise ParameterError(
            f"a table with item sets is compared with such a table, but the original was read as {original.shape}",
            code="wrong-kind-of-original",
        )
    return original

"""Checks whether a published table of microdata is made of its original: the same rows, unchanged kept columns, centroids elsewhere."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.release import Release, Secret
from shoal.data.table import Attribute, Table
from shoal.privacy.evidence.equivalence_classes import people_not_counted

# Published rows that are equal in some columns, and the number of people behind each class of such rows.


@dataclass(frozen=True, eq=False)
class RowClasses:
    """The class of each published row, and the number of rows in each class."""

    label: Ints
    sizes: Ints

    @property
    def smallest(self) -> int:
        """The number of rows in the smallest class; 0 if nothing is published."""
        return int(self.sizes.min()) if len(self.sizes) else 0

    def shorter_than(self, k: int) -> list[str]:
        """Return the message about classes of fewer than k rows."""
        short = self.sizes[self.sizes < k]
        if not len(short):
            return []
        return [f"{int(short.sum()):,} rows are in {len(short):,} classes of fewer than {k:,}; the smallest has {self.smallest:,}"]


def classes_of_rows(frame: pl.DataFrame, names: Sequence[str]) -> RowClasses:
    """Return classes of rows that are written identically, digit by digit: 0.0 and -0.0 differ."""
    if not len(frame):
        return RowClasses(np.zeros(0, np.int64), np.zeros(0, np.int64))
    written = frame.select(pl.struct(pl.col(name).cast(pl.String) for name in names).rank("dense").alias("class"))
    label = written["class"].to_numpy().astype(np.int64) - 1
    return RowClasses(label, np.bincount(label))


def people_of_classes(classes: RowClasses, owners: Ints, secret: Secret | None) -> tuple[int | None, str]:
    """Return the minimum number of distinct people behind a class, and a note if that is unknown.

    If each row has its own user, rows are people. Otherwise the published row of each original row must be known.
    """
    if len(classes.label) != len(owners):
        return None, ""
    if len(np.unique(owners)) == len(owners):
        return classes.smallest, ""
    if secret is None:
        return None, people_not_counted("rows")
    seen = pl.DataFrame({"class": classes.label[secret.rows()], "owner": owners})
    people = seen.group_by("class").agg(pl.col("owner").n_unique())["owner"].to_list()
    return min(people), ""


# Whether a published value is what a class of rows may publish: their mean, median, most frequent value or lowest common ancestor.
#
# Judged from the original's values as they were read, and by definition: exact fractions, sorting, counting, and chains of ancestors.


def typed_values(attribute: Attribute, published: pl.Series) -> pl.Series | None:
    """Convert the published column to the type of the attribute; None if a value is missing or not finite."""
    found = published.cast(attribute.values.dtype, strict=False)
    if found.null_count() or (found.dtype.is_float() and not found.is_finite().all()):
        return None
    return found


def is_centroid(attribute: Attribute, published: Any, values: Sequence[Any]) -> bool:
    """Whether this value is a valid centroid of these values of a class."""
    if attribute.kind == "numeric":
        return _is_mean(published, values)
    if attribute.kind == "ordinal":
        ranked = sorted(values, key=attribute.levels.index if attribute.levels else None)
        return bool(published == ranked[(len(ranked) - 1) // 2])
    if attribute.kind == "nominal":
        counts = Counter(values)
        return counts[published] == max(counts.values())
    return _is_lowest_ancestor(attribute, published, values)


def may_be_published(attribute: Attribute, values: pl.Series) -> bool:
    """Whether every value is one that some class could publish, without knowing the classes."""
    if attribute.kind == "numeric":
        typed, found = attribute.values.to_numpy(), values.to_numpy()
        rounding = np.spacing(np.abs(found))  # a mean is between the lowest and the highest value, except for its last digit
        return bool(((found >= typed.min(initial=np.inf) - rounding) & (found <= typed.max(initial=-np.inf) + rounding)).all())
    hierarchy = attribute.hierarchy
    known = attribute.values if hierarchy is None else hierarchy.names.names
    return bool(values.is_in(known.unique().implode()).all())


def _is_mean(published: float, values: Sequence[float]) -> bool:
    exact = sum(map(Fraction, values), Fraction()) / len(values)
    return abs(Fraction(published) - exact) <= Fraction(math.ulp(published))


def _is_lowest_ancestor(attribute: Attribute, published: str, values: Sequence[str]) -> bool:
    """Whether the value is the lowest common ancestor of the values of a class."""
    assert attribute.hierarchy is not None
    names, parent = attribute.hierarchy.names, attribute.hierarchy.parent

    def upwards(name: str) -> set[int]:
        node, found = int(names.codes([name])[0]), set[int]()
        while node >= 0:
            found.add(node)
            node = int(parent[node])
        return found

    common = set.intersection(*(upwards(value) for value in set(values)))
    return upwards(published) == common


def defects_against_original(
    release: Release, frame: pl.DataFrame, names: Sequence[str], classes: RowClasses, original: Table
) -> list[str]:
    """Return the faults of a table, given its original. Fewer can be found without the row-to-group mapping."""
    uncovered = [attribute.name for attribute in original.quasi if attribute.name not in names]
    if uncovered:
        return [f"the claim leaves out {len(uncovered):,} quasi-identifiers of the original, the first of them {uncovered[0]!r}"]
    if sorted(frame.columns) != sorted(attribute.name for attribute in original.attributes):
        return ["the published columns are not those of the original"]
    if len(frame) != len(original):
        return [f"{len(frame):,} rows are published of {len(original):,}"]
    kept = _typed(frame, {a.name: a.values for a in original.attributes if not a.quasi})
    published = {a.name: typed_values(a, frame[a.name]) for a in original.quasi}
    if any(values is None for values in published.values()):
        return ["a quasi-identifier is published that is missing or not a finite number"]
    found = pl.DataFrame(published)
    if release.secret is None:
        return [*_kept_of_all(kept, original), *_foreign_values(found, original), *_means_of_all(found, original)]
    rows = release.secret.rows()
    if not np.array_equal(np.sort(rows), np.arange(len(frame))):
        return ["rows were lost or added without being accounted for"]
    return [*_kept_by_row(kept, original, rows), *_centroids_by_class(found[rows], original, classes.label[rows])]


def changed_kept_columns(frame: pl.DataFrame, original: Table, rows: Ints | None) -> list[str]:
    """Return a fault if columns that must stay unchanged were changed; `rows` has the published row of each original row, if known."""
    kept = _typed(frame, {a.name: a.values for a in original.attributes if not a.quasi})
    return _kept_of_all(kept, original) if rows is None else _kept_by_row(kept, original, rows)


def _typed(frame: pl.DataFrame, originals: dict[str, pl.Series]) -> pl.DataFrame:
    """Convert the kept columns to the types of the original; a text file has no other types."""
    return frame.select(frame[name].cast(values.dtype, strict=False) for name, values in originals.items())


# -- with the row-to-group mapping


def _kept_by_row(kept: pl.DataFrame, original: Table, rows: Ints) -> list[str]:
    wrong = np.zeros(len(rows), bool)
    for attribute in original.attributes:
        if not attribute.quasi:
            wrong |= kept[attribute.name].gather(rows).ne_missing(attribute.values).to_numpy()
    return _changed(int(wrong.sum()))


def _centroids_by_class(published: pl.DataFrame, original: Table, label: Ints) -> list[str]:
    """Compare every published value with those of its class; both in the order of the original's rows."""
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(label[order]) > 0]) if len(order) else order
    wrong = np.zeros(len(starts), bool)
    for attribute in original.quasi:
        centroids = published[attribute.name].gather(order[starts]).to_list()
        values = np.split(np.array(attribute.values.gather(order).to_list(), object), starts[1:])
        wrong |= [not is_centroid(attribute, one, some.tolist()) for one, some in zip(centroids, values, strict=True)]
    what = "means" if original.all_numeric else "centroids"
    return [f"{int(wrong.sum()):,} classes do not have the {what} of their rows"] if wrong.any() else []


# -- without it


def _kept_of_all(kept: pl.DataFrame, original: Table) -> list[str]:
    """Return a fault unless the combinations of kept values are those of the original, with multiplicities."""
    if not kept.width:
        return []
    before = pl.DataFrame({a.name: a.values for a in original.attributes if not a.quasi})
    sides = [kept.with_columns(pl.lit(1).alias("\0side")), before.select(kept.columns).with_columns(pl.lit(-1).alias("\0side"))]
    surplus = pl.concat(sides).group_by(kept.columns).agg(pl.col("\0side").sum())["\0side"]
    return _changed(int(surplus.abs().sum()) // 2)


def _foreign_values(published: pl.DataFrame, original: Table) -> list[str]:
    """Return a fault unless every value is one that some class of the original could publish."""
    wrong = [a.name for a in original.quasi if not may_be_published(a, published[a.name])]
    return [f"{len(wrong):,} columns contain values that no rows of the original yield, the first of them {wrong[0]!r}"] if wrong else []


def _means_of_all(published: pl.DataFrame, original: Table) -> list[str]:
    """Return a fault unless every numeric column has its original total: group means preserve it, up to rounding."""
    wrong = []
    for attribute in original.quasi:
        if attribute.kind != "numeric":
            continue
        before, after = attribute.values.to_numpy(), published[attribute.name].to_numpy()
        exponent = int(np.frexp(np.abs(before).max(initial=0.0))[1])
        apart = abs(math.fsum(np.ldexp(after, -exponent)) - math.fsum(np.ldexp(before, -exponent)))
        if apart > len(before) * np.finfo(np.float64).eps:
            wrong.append(repr(attribute.name))
    return [f"the mean of {len(wrong):,} columns is not that of the original: {', '.join(wrong[:3])}"] if wrong else []


def _changed(rows: int) -> list[str]:
    return [f"{rows:,} rows have other values in the columns that must stay unchanged"] if rows else []

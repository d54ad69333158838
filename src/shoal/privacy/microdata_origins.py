"""Whether a published table of microdata is made of its original: the same rows, kept columns untouched, means for other values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Ints
from shoal.data.release import Release
from shoal.data.table import Table
from shoal.privacy.microdata_rows import RowClasses

Floats = npt.NDArray[np.float64]


def defects_beside_original(release: Release, frame: pl.DataFrame, names: Sequence[str], classes: RowClasses, original: Table) -> list[str]:
    """What is wrong with a table, given what it was made from. Without knowing which row became which it can say less."""
    uncovered = [attribute.name for attribute in original.quasi if attribute.name not in names]
    if uncovered:
        return [f"the claim leaves out {len(uncovered):,} quasi-identifiers of the original, the first of them {uncovered[0]!r}"]
    if sorted(frame.columns) != sorted(attribute.name for attribute in original.attributes):
        return ["the published columns are not those of the original"]
    if len(frame) != len(original):
        return [f"{len(frame):,} rows are published of {len(original):,}"]
    kept = _typed(frame, {a.name: a.values for a in original.attributes if not a.quasi})
    published = _numbers(frame, [attribute.name for attribute in original.quasi])
    if published is None:
        return ["a quasi-identifier is published that is not a finite number"]
    if release.secret is None:
        return [*_kept_of_all(kept, original), *_means_of_all(published, original)]
    rows = release.secret.rows()
    if not np.array_equal(np.sort(rows), np.arange(len(frame))):
        return ["rows were lost or added unaccounted"]
    return [*_kept_by_row(kept, original, rows), *_means_by_class(published[rows], original.numbers, classes.label[rows])]


def _typed(frame: pl.DataFrame, originals: dict[str, pl.Series]) -> pl.DataFrame:
    """The kept columns as the original has them; a file of text has no other types."""
    return frame.select(frame[name].cast(values.dtype, strict=False) for name, values in originals.items())


def _numbers(frame: pl.DataFrame, names: Sequence[str]) -> Floats | None:
    columns = [frame[name].cast(pl.Float64, strict=False) for name in names]
    if any(column.null_count() or not column.is_finite().all() for column in columns):
        return None
    return np.column_stack([column.to_numpy() for column in columns])


# -- where it is known which row became which


def _kept_by_row(kept: pl.DataFrame, original: Table, rows: Ints) -> list[str]:
    wrong = np.zeros(len(rows), bool)
    for attribute in original.attributes:
        if not attribute.quasi:
            wrong |= kept[attribute.name].gather(rows).ne_missing(attribute.values).to_numpy()
    return _changed(int(wrong.sum()))


def _means_by_class(published: Floats, before: Floats, label: Ints) -> list[str]:
    """Every published number beside the exact mean of its class; both in the order of the original's rows."""
    order = np.argsort(label, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(label[order]) > 0]) if len(order) else order
    wrong = 0
    for members in np.split(order, starts[1:]):
        alike = zip(published[members[0]].tolist(), before[members].T.tolist(), strict=True)
        wrong += 0 if all(_is_mean(told, values) for told, values in alike) else 1
    return [f"{wrong:,} classes do not have the means of their rows"] if wrong else []


def _is_mean(told: float, values: Sequence[float]) -> bool:
    exact = sum(map(Fraction, values), Fraction()) / len(values)
    return abs(Fraction(told) - exact) <= Fraction(math.ulp(told))


# -- where it is not


def _kept_of_all(kept: pl.DataFrame, original: Table) -> list[str]:
    """That the combinations of kept values are those of the original, each as often."""
    if not kept.width:
        return []
    before = pl.DataFrame({a.name: a.values for a in original.attributes if not a.quasi})
    sides = [kept.with_columns(pl.lit(1).alias("\0side")), before.select(kept.columns).with_columns(pl.lit(-1).alias("\0side"))]
    surplus = pl.concat(sides).group_by(kept.columns).agg(pl.col("\0side").sum())["\0side"]
    return _changed(int(surplus.abs().sum()) // 2)


def _means_of_all(published: Floats, original: Table) -> list[str]:
    """That every column has the total it had: means of groups keep it, up to the rounding of each."""
    wrong = []
    for j, attribute in enumerate(original.quasi):
        before, after = original.numbers[:, j], published[:, j]
        largest = max(np.abs(before).max(initial=0.0), np.abs(after).max(initial=0.0))
        exponent = int(np.frexp(largest)[1])
        apart = abs(math.fsum(np.ldexp(after, -exponent)) - math.fsum(np.ldexp(before, -exponent)))
        if apart > len(before) * np.finfo(np.float64).eps:
            wrong.append(repr(attribute.name))
    return [f"the mean of {len(wrong):,} columns is not that of the original: {', '.join(wrong[:3])}"] if wrong else []


def _changed(rows: int) -> list[str]:
    return [f"{rows:,} rows have other values in the columns that were to be left as they are"] if rows else []

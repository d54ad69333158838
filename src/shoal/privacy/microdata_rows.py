"""Which published rows are alike in some columns, and how many people stand behind each class of such rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.release import Secret


@dataclass(frozen=True, eq=False)
class RowClasses:
    """The class of each published row, and how many rows each class holds."""

    label: Ints
    sizes: Ints

    @property
    def smallest(self) -> int:
        """Rows in the smallest class; 0 where nothing is published."""
        return int(self.sizes.min()) if len(self.sizes) else 0

    def shorter_than(self, k: int) -> list[str]:
        """What there is to say of classes of fewer than k rows."""
        short = self.sizes[self.sizes < k]
        if not len(short):
            return []
        return [f"{int(short.sum()):,} rows stand in {len(short):,} classes of fewer than {k:,}; the smallest holds {self.smallest:,}"]


def classes_of_rows(frame: pl.DataFrame, names: Sequence[str]) -> RowClasses:
    """Rows that are written alike, digit by digit: 0.0 and -0.0 are not."""
    if not len(frame):
        return RowClasses(np.zeros(0, np.int64), np.zeros(0, np.int64))
    written = frame.select(pl.struct(pl.col(name).cast(pl.String) for name in names).rank("dense").alias("class"))
    label = written["class"].to_numpy().astype(np.int64) - 1
    return RowClasses(label, np.bincount(label))


def people_of_classes(classes: RowClasses, owners: Ints, secret: Secret | None) -> tuple[int | None, str]:
    """The fewest different people behind a class, and what is to be said where that cannot be told.

    Where each row has an owner of its own, rows are people. Otherwise it takes the published row of each original one.
    """
    if len(classes.label) != len(owners):
        return None, ""
    if len(np.unique(owners)) == len(owners):
        return classes.smallest, ""
    if secret is None:
        return None, "people own several rows; which of them share a class cannot be told from the file alone"
    seen = pl.DataFrame({"class": classes.label[secret.rows()], "owner": owners})
    people = seen.group_by("class").agg(pl.col("owner").n_unique())["owner"].to_list()
    return min(people, default=0), ""

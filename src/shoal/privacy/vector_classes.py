"""Published vectors that are identical: the same terms with the same weights."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.tables.weighted_bags import WeightedBagTable


def classes_of_vectors(table: WeightedBagTable) -> tuple[Ints, Ints]:
    """A number for each record that identical ones share, and how many records each class has."""
    records = pl.DataFrame({"record": np.arange(table.n_rows, dtype=np.uint32)})
    sorted_lists = table.flat.group_by("record", maintain_order=True).agg("item", "weight")
    whole = records.join(sorted_lists, on="record", how="left", maintain_order="left")
    label = whole.select(pl.struct("item", "weight").rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    return label, np.bincount(label)

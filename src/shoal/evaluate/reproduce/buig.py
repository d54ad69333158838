"""BUIG as it is printed (thesis, Algorithm 5.6): the generalization of a cluster that Milani Fard and Wang published.

It is no least common generalization: what one record has more of than another is thrown away once a node is common, instead of counting
for the parent (see docs/errata.md). No method of shoal uses it; it is here to show what the printed numbers were made with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class Printed:
    """Clusters, published by BUIG: rows of cluster, node and copies."""

    rows: pl.DataFrame
    sizes: Ints
    bags: Bags
    taxonomy: Taxonomy

    def distinct(self) -> Printed:
        """Without duplicate items (Clump2)."""
        return Printed(self.rows.with_columns(copies=pl.lit(1, pl.Int64)), self.sizes, self.bags, self.taxonomy)

    @property
    def _published(self) -> tuple[Ints, Ints]:
        """How many occurrences each row is in all published records, and its node."""
        node = self.rows["node"].to_numpy()
        return self.sizes[self.rows["cluster"].to_numpy()] * self.rows["copies"].to_numpy(), node

    def numbers(self) -> dict[str, float]:
        """Loss for each item occurrence, and the mean length and level of what is published, as the metrics of these names."""
        times, node = self._published
        total, shown = self.bags.occurrences, int(times.sum())
        loss = (float((times * self.taxonomy.loss[node]).sum()) + total - shown) / max(1, total)
        level = float((times * (self.taxonomy.depth[node] + 1)).sum()) / max(1, shown)
        return {"loss": loss, "mean_length": shown / max(1, len(self.bags)), "mean_level": level}


def printed(bags: Bags, taxonomy: Taxonomy, cluster: Ints) -> Printed:
    """BUIG on every cluster: from the leaves up, a node that all records have is published, one that some lack counts for its parent."""
    sizes = np.bincount(cluster)
    record = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    # Line 4 sets 1 where a record holds an item, however often.
    rest = pl.DataFrame({"cluster": cluster[record], "record": record, "node": bags.items.astype(np.int64)}).with_columns(copies=pl.lit(1))
    found = []
    for depth in range(int(taxonomy.depth.max(initial=0)), 0, -1):
        here = pl.Series(taxonomy.depth[rest["node"].to_numpy()] == depth)
        common = _common(rest.filter(here), sizes)
        passed = _to_parents(rest.filter(here).join(common, on=["cluster", "node"], how="anti"), taxonomy)
        rest = pl.concat([rest.filter(~here), passed]).group_by("cluster", "record", "node").agg(pl.col("copies").sum())
        found.append(common)
    return Printed(_padded(pl.concat(found), bags, cluster), sizes, bags, taxonomy)


def _common(level: pl.DataFrame, sizes: Ints) -> pl.DataFrame:
    """The nodes that all records of a cluster have, as often as the record that has fewest."""
    counted = level.group_by("cluster", "node").agg(pl.col("copies").min().cast(pl.Int64), held=pl.len())
    return counted.filter(pl.Series(counted["held"].to_numpy() == sizes[counted["cluster"].to_numpy()])).drop("held")


def _to_parents(level: pl.DataFrame, taxonomy: Taxonomy) -> pl.DataFrame:
    return level.with_columns(node=pl.Series(taxonomy.parent[level["node"].to_numpy()].astype(np.int64)))


def _padded(rows: pl.DataFrame, bags: Bags, cluster: Ints) -> pl.DataFrame:
    """Filled up with the root to the length of the shortest record."""
    shortest = pl.DataFrame({"cluster": cluster, "length": bags.lengths.astype(np.int64)}).group_by("cluster").agg(pl.col("length").min())
    has = rows.group_by("cluster").agg(has=pl.col("copies").sum())
    lacking = shortest.join(has, on="cluster", how="left").with_columns(copies=pl.col("length") - pl.col("has").fill_null(0))
    roots = lacking.filter(pl.col("copies") > 0).select("cluster", "copies", node=pl.lit(0, pl.Int64))
    return pl.concat([rows, roots.select(rows.columns)])

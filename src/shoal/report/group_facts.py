"""Facts about groups in two parts: how large they are, and how often sensitive items occur in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.groups import GROUP, GroupTable
from shoal.report.facts import Facts, sizes_of
from shoal.report.histograms import tally


def facts_of_groups(manifest: Mapping[str, Any], release: Release, original: Original) -> Facts:
    """The sizes of the groups that hold what the histograms count; the others are not cut into groups of any size."""
    table = release.only(GroupTable.kind)
    assert isinstance(table, GroupTable)
    holding = table.rows.join(table.histogram.select(GROUP).unique(), on=GROUP, how="semi")
    sizes = holding.group_by(GROUP).len()["len"].to_numpy().astype("int64")
    return Facts(manifest=manifest, published=table.n_rows, parts=("counted_groups",), sizes=sizes_of(sizes), group_sizes=tally(sizes))

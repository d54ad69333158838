"""Facts about published microdata: groups of rows alike in their quasi-identifiers, and each column's mean and spread before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.data.original_rows import TableOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.privacy.microdata_rows import classes_of_rows
from shoal.report.attribute_spread import spreads_of
from shoal.report.facts import Facts, fewest_people, sizes_of
from shoal.report.histograms import tally
from shoal.report.verdict_text import promised_group


def facts_of_microdata(manifest: Mapping[str, Any], release: Release, original: TableOriginal) -> Facts:
    """The facts of rows that were published for this table."""
    table = release.only(RowTable.kind)
    assert isinstance(table, RowTable)
    names = [attribute.name for attribute in original.table.quasi]
    numeric = [attribute.name for attribute in original.table.quasi if attribute.kind == "numeric"]
    if not table.holds_numbers(numeric) or not set(names) <= set(table.columns):  # an audit may be given any table
        return Facts(manifest=manifest, published=table.n_rows)
    sizes = classes_of_rows(table.frame, names).sizes
    return Facts(
        manifest=manifest,
        published=table.n_rows,
        parts=("groups", "columns"),
        sizes=sizes_of(sizes),
        group_sizes=tally(sizes, cut=promised_group(manifest.get("claims", []))),
        spreads=spreads_of(table, original.table, fewest_people(manifest)),
    )

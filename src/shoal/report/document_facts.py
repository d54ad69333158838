"""Facts about published vectors of documents: groups of identical ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.data.original_documents import DocumentOriginal
from shoal.data.release import Release
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.privacy.vector_classes import classes_of_vectors
from shoal.report.facts import Facts, sizes_of
from shoal.report.histograms import tally
from shoal.report.verdict_text import promised_group


def facts_of_documents(manifest: Mapping[str, Any], release: Release, original: DocumentOriginal) -> Facts:
    """The facts of vectors that were published for these documents."""
    table = release.only(WeightedBagTable.kind)
    assert isinstance(table, WeightedBagTable)
    sizes = classes_of_vectors(table)[1]
    return Facts(
        manifest=manifest,
        published=table.n_rows,
        parts=("groups",),
        sizes=sizes_of(sizes),
        group_sizes=tally(sizes, cut=promised_group(manifest.get("claims", []))),
    )

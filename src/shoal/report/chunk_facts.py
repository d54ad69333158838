"""Facts about records that were taken apart: how long the parts are that are published of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.chunks import CHUNK, CLUSTER, JOINT, SUBRECORD, ChunkTable
from shoal.report.facts import Facts, fewest_people
from shoal.report.histograms import compare


def facts_of_chunks(manifest: Mapping[str, Any], release: Release, original: Original) -> Facts:
    """The facts of chunks that were published for these records."""
    table = release.only(ChunkTable.kind)
    assert isinstance(table, ChunkTable)
    parts = ((table.subrecords, CLUSTER), (table.shared, JOINT))
    lengths = pl.concat([frame.group_by(whole, CHUNK, SUBRECORD).len()["len"] for frame, whole in parts]).to_numpy().astype(np.int64)
    people, fewest = np.unique(original.bags.owners, return_inverse=True)[1], fewest_people(manifest)
    return Facts(
        manifest=manifest,
        published=table.n_records,
        parts=("chunks",),
        lengths=compare(original.bags.lengths, people, np.sort(lengths), np.ones(len(lengths), np.int64), fewest),
        fewest=fewest,
    )

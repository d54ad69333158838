"""Reading chunks back, and comparing them whatever their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal.data.tables.chunks import CHUNK, CLUSTER, ITEM, JOINT, PARTS, RECORDS, SUBRECORD, ChunkTable
from shoal.errors import InputError, ShoalError
from shoal.io.published import Facts, Reader
from shoal.io.published.frames import read_frame


def read(directory: Path, files: Sequence[Facts], own: bool) -> ChunkTable:
    """All parts, each from its file."""
    found = {str(file.get("part")): read_frame(directory, file, own) for file in files}
    if found.keys() != set(PARTS):
        raise InputError(f"chunks are written as {', '.join(PARTS)}, and one of them is missing")
    try:
        return ChunkTable(**found)
    except ShoalError as error:
        raise InputError(f"the files hold no chunks: {error.message}") from None


def compare(made: ChunkTable, seen: ChunkTable) -> int:
    """Rows of joint clusters that have no counterpart with the same clusters and chunks."""
    left, right = _joints(made), _joints(seen)
    content = {**left[1], **right[1]}
    surplus = {joint: abs(left[0][joint] - right[0][joint]) for joint in content}
    return sum(n * content[joint] for joint, n in surplus.items())


def _joints(table: ChunkTable) -> tuple[Counter[Hashable], dict[Hashable, int]]:
    """How often each joint cluster is there, known by its content, and how many rows it has."""
    chunks, shared = _chunks(table.subrecords, CLUSTER), _chunks(table.shared, JOINT)
    terms = dict(table.terms.group_by(CLUSTER).agg(pl.col(ITEM).sort()).iter_rows())
    members: dict[int, list[tuple[Any, ...]]] = {}
    rows: Counter[int] = Counter(table.shared[JOINT].to_list())
    of_cluster = Counter(table.subrecords[CLUSTER].to_list()) + Counter(table.terms[CLUSTER].to_list())
    for cluster, joint, records in table.clusters.select(CLUSTER, JOINT, RECORDS).iter_rows():
        members.setdefault(joint, []).append((records, tuple(chunks.get(cluster, ())), tuple(terms.get(cluster, ()))))
        rows[joint] += 1 + of_cluster[cluster]
    named = {joint: (tuple(sorted(held)), tuple(shared.get(joint, ()))) for joint, held in members.items()}
    return Counter(named.values()), {content: rows[joint] for joint, content in named.items()}


def _chunks(frame: pl.DataFrame, whole: str) -> dict[int, list[tuple[tuple[str, ...], ...]]]:
    """The chunks of each cluster, each as its sorted sub-records."""
    subrecords = frame.group_by(whole, CHUNK, SUBRECORD).agg(pl.col(ITEM).sort())
    found: dict[int, dict[int, list[tuple[str, ...]]]] = {}
    for number, chunk, _, items in subrecords.iter_rows():
        found.setdefault(number, {}).setdefault(chunk, []).append(tuple(items))
    return {number: sorted(tuple(sorted(held)) for held in chunks.values()) for number, chunks in found.items()}


READER = Reader(read, compare)

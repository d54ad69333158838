"""Chunks of disassociated records: NAME_subrecords, NAME_shared, NAME_terms and NAME_clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data.occurrence_forms import ALONE, TERM_CHUNK, TOGETHER
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.chunks import CHUNK, CLUSTER, ITEM, JOINT, PARTS, RECORDS, SUBRECORD, ChunkTable
from shoal.errors import InputError, ShoalError
from shoal.io.published_frames import read_frame
from shoal.io.write.frame_files import write_frame
from shoal.io.write.output_format import FileFact, OutputForm
from shoal.kinds import FileFacts, Kind
from shoal.kinds.bags.report import BEFORE
from shoal.report.facts import Facts, fewest_people
from shoal.report.histograms import compare
from shoal.report.summary import Summary, SummaryShare
from shoal.report.verdict_text import Tile
from shoal.util.wording import counted, percent


def write(table: ChunkTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """Write one file per part; separator and layout do not apply."""
    form.refuse_layout(table.kind)
    return tuple(
        write_frame(frame, directory, f"{name}_{part}", form.format, table=name, kind=table.kind, part=part)
        for part, frame in zip(PARTS, table.shuffled(), strict=True)
    )


# Read chunks back, and compare them ignoring their numbers.


def read(directory: Path, files: Sequence[FileFacts], own: bool) -> ChunkTable:
    """Read all parts, each from its file."""
    found = {str(file.get("part")): read_frame(directory, file, own) for file in files}
    if found.keys() != set(PARTS):
        raise InputError(f"chunks are written as {', '.join(PARTS)}, but one of them is missing", code="missing-part")
    try:
        return ChunkTable(**found)
    except ShoalError as error:
        raise InputError(f"the files contain no chunks: {error.marked_message}", code=error.code) from None


def count_differing(released: ChunkTable, read_back: ChunkTable) -> int:
    """Count the rows of joint clusters without a counterpart with the same clusters and chunks."""
    left, right = _joints(released), _joints(read_back)
    content = {**left[1], **right[1]}
    surplus = {joint: abs(left[0][joint] - right[0][joint]) for joint in content}
    return sum(n * content[joint] for joint, n in surplus.items())


def _joints(table: ChunkTable) -> tuple[Counter[Hashable], dict[Hashable, int]]:
    """Count the joint clusters with the same content, and their rows."""
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
    """Return the chunks of each cluster as sorted sub-records."""
    subrecords = frame.group_by(whole, CHUNK, SUBRECORD).agg(pl.col(ITEM).sort())
    found: dict[int, dict[int, list[tuple[str, ...]]]] = {}
    for number, chunk, _, items in subrecords.iter_rows():
        found.setdefault(number, {}).setdefault(chunk, []).append(tuple(items))
    return {number: sorted(tuple(sorted(held)) for held in chunks.values()) for number, chunks in found.items()}


# Facts about disassociated records: the lengths of the published sub-records.


def facts_of_chunks(manifest: Mapping[str, Any], release: Release, original: Original) -> Facts:
    """Return the facts of chunks published for these records."""
    table = release.only(ChunkTable)
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


# Summary of disassociated records: all items are published as typed; how many pairs still occur together.


TONES = {TOGETHER: "same", ALONE: "near", TERM_CHUNK: "changed"}


def summary_of_chunks(manifest: Mapping[str, Any]) -> Summary:
    """Summarize chunks from a manifest."""
    ledger = manifest.get("accounting", {}).get("occurrences", {})
    counts = {part: n for part, n in ledger.items() if part != "in" and part not in BEFORE}
    whole = sum(counts.values())
    suppressed = whole - sum(counts.get(part, 0) for part in TONES)
    forms = {**{part: (counts.get(part, 0), tone) for part, tone in TONES.items()}, "suppressed": (suppressed, "gone0")}
    shares = tuple(SummaryShare(part, n, whole, tone) for part, (n, tone) in forms.items()) if whole else ()
    as_typed = (whole - suppressed) / whole if whole else None
    lines = () if as_typed is None else (("as typed", f"{percent(as_typed)} of the items, each within its cluster"),)
    return Summary(shares, (*lines, *_published(manifest)), _tile(shares), as_typed)


def _published(manifest: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    facts = next((file for file in manifest.get("files", []) if "clusters" in file), None)
    if facts is None:
        return ()
    parts = f"{counted(facts['subrecords'], 'part')} of {counted(facts['records'], 'record')}"
    return (("published", f"{parts} in {counted(facts['clusters'], 'cluster')}; {counted(facts['items'], 'distinct item')}"),)


def _tile(shares: tuple[SummaryShare, ...]) -> Tile:
    share = shares[0].text if shares else "not known"
    return Tile("Together", share, "of the items are published together with another item of their record")


KIND = Kind(ChunkTable, write, read, count_differing, {"sets": facts_of_chunks}, {"sets": summary_of_chunks})

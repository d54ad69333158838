"""Reconstructions of a release of chunks: complete records for tools that do not support chunks.

The claims about the chunks are verified first, from their files, and nothing is written unless all hold. Records are then drawn from the
chunks alone: the original is not read, so they are as safe as the chunks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from shoal.auditing.audit import gather_material
from shoal.data.bags import Bags
from shoal.data.claims import Verdict
from shoal.data.items import without_names
from shoal.data.release import Release
from shoal.data.tables.chunks import CHUNK, CLUSTER, ITEM, JOINT, RECORDS, SUBRECORD, ChunkTable
from shoal.errors import GuaranteeNotMet, ParameterError
from shoal.evaluate.option_defaults import Draws
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.write.output_format import OutputForm
from shoal.kinds import write_table

# -- random records consistent with published chunks


Slots = list[dict[int, list[str]]]
"""For every record the items that it has from each chunk."""
SHARED, TERMS = -1, -2  # represent the chunks of a joint cluster, and the term chunk


def reconstructed(table: ChunkTable, rng: np.random.Generator) -> Bags:
    """Draw non-empty records consistent with these chunks: the sub-records of each chunk are assigned at random.

    A term of a term chunk is assigned to one record, and to as many more as would be empty without it.
    """
    listed = table.clusters.sort(CLUSTER)
    own, shared = _chunks(table.subrecords, CLUSTER), _chunks(table.shared, JOINT)
    terms: dict[int, list[str]] = dict(table.terms.group_by(CLUSTER).agg(pl.col(ITEM).sort()).iter_rows())
    records: dict[int, Slots] = {}
    for cluster, n in listed.select(CLUSTER, RECORDS).iter_rows():
        slots: Slots = [{} for _ in range(n)]
        for number, chunk in enumerate(own.get(cluster, [])):
            _deal(chunk, slots, number, rng)
        for i, term in enumerate(terms.get(cluster, [])):
            slots[int(rng.integers(n))].setdefault(TERMS - i, []).append(term)
        _fill(slots, terms.get(cluster, []), rng)
        records[cluster] = slots
    for joint, members in listed.group_by(JOINT, maintain_order=True).agg(CLUSTER).iter_rows():
        together = [slot for cluster in members for slot in records[cluster]]
        for chunk in shared.get(joint, []):
            _deal(chunk, together, SHARED, rng)
    return Bags.from_lists([[item for part in slot.values() for item in part] for slots in records.values() for slot in slots])


def _chunks(frame: pl.DataFrame, whole: str) -> dict[int, list[list[list[str]]]]:
    """Return the chunks of each cluster as lists of sub-records, in an order independent of their numbers."""
    found: dict[int, dict[int, list[list[str]]]] = {}
    for number, chunk, _, items in frame.group_by(whole, CHUNK, SUBRECORD).agg(pl.col(ITEM).sort()).iter_rows():
        found.setdefault(number, {}).setdefault(chunk, []).append(items)
    return {number: sorted(sorted(chunk) for chunk in chunks.values()) for number, chunks in found.items()}


def _deal(chunk: list[list[str]], slots: Slots, number: int, rng: np.random.Generator) -> None:
    for place, items in zip(rng.permutation(len(slots)).tolist(), chunk, strict=False):
        slots[place].setdefault(number, []).extend(items)


def _fill(slots: Slots, terms: list[str], rng: np.random.Generator) -> None:
    """Fill empty records: with a term of the term chunk, or with a sub-record of another record."""
    rich = [i for i in rng.permutation(len(slots)).tolist() if len(slots[i]) > 1]
    for slot in slots:
        if slot:
            continue
        if terms:
            slot[TERMS] = [terms[int(rng.integers(len(terms)))]]
            continue
        while len(slots[rich[-1]]) < 2:
            rich.pop()
        number = int(rng.choice(sorted(slots[rich[-1]])))
        slot[number] = slots[rich[-1]].pop(number)


# -- the release


@dataclass(frozen=True)
class Reconstructions:
    """The written files, the number of records of each, and the verified claims."""

    files: tuple[str, ...]
    records: int
    claims: tuple[Verdict, ...]


def reconstruct(release: str | Path, out: str | Path, draws: Draws, format: str = "csv") -> Reconstructions:
    """Write reconstructions of a release of chunks to a new directory, one file each, after verifying the release."""
    material = gather_material(release)
    table = next(iter(material.found.release.tables_of(ChunkTable)), None)
    if table is None:
        held = ", ".join(sorted(material.found.release.kinds))
        raise ParameterError(f"reconstructions are drawn from chunks, but this release has {held}", code="wrong-kind-of-table")
    judged = material.judged()
    for verdict in (*judged.checks, *judged.claims):
        if verdict.standing == "not judged":
            what = f"{without_names(verdict.claim)} takes too long to verify: {verdict.unchecked}"
            raise GuaranteeNotMet(what, code="claim-not-verified", hint="nothing was written")
        if not verdict.holds:
            raise GuaranteeNotMet(f"the release fails {without_names(verdict.claim)}", code="claim-fails", hint="nothing was written")
    if not judged.claims:
        raise GuaranteeNotMet("the release claims nothing", code="no-claims", hint="nothing was written")
    return Reconstructions(_written(table, Path(out), draws, format), table.n_records, judged.claims)


def _written(table: ChunkTable, out: Path, draws: Draws, format: str) -> tuple[str, ...]:
    rng = np.random.default_rng(draws.seed)
    with ReleaseDirectory(out, force=None) as directory:
        releases = (Release.from_records(reconstructed(table, rng)).bag_table for _ in range(draws.number))
        files = [write_table(one, directory.path, f"reconstruction_{i}", OutputForm(format)) for i, one in enumerate(releases, 1)]
    return tuple(file.name for several in files for file in several)

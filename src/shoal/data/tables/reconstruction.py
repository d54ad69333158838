"""Reconstructions: records that could have given published chunks, drawn at random from the chunks alone.

Whoever has the chunks can draw them, so a reconstruction tells nothing that the chunks do not tell.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Bags
from shoal.data.tables.chunks import CHUNK, CLUSTER, ITEM, JOINT, RECORDS, SUBRECORD, ChunkTable

Slots = list[dict[int, list[str]]]
"""For every record the items that it has from each chunk."""
SHARED, TERMS = -1, -2  # stand for the chunks of a joint cluster, and for the term chunk


def reconstructed(table: ChunkTable, rng: np.random.Generator) -> Bags:
    """Records that give these chunks, none of them empty: the sub-records of each chunk are dealt out at random.

    A term of a term chunk is given to one record, and to as many more as would be empty without it.
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
    """The chunks of each cluster as lists of sub-records, in an order that does not depend on their numbers."""
    found: dict[int, dict[int, list[list[str]]]] = {}
    for number, chunk, _, items in frame.group_by(whole, CHUNK, SUBRECORD).agg(pl.col(ITEM).sort()).iter_rows():
        found.setdefault(number, {}).setdefault(chunk, []).append(items)
    return {number: sorted(sorted(chunk) for chunk in chunks.values()) for number, chunks in found.items()}


def _deal(chunk: list[list[str]], slots: Slots, number: int, rng: np.random.Generator) -> None:
    for place, items in zip(rng.permutation(len(slots)).tolist(), chunk, strict=False):
        slots[place].setdefault(number, []).extend(items)


def _fill(slots: Slots, terms: list[str], rng: np.random.Generator) -> None:
    """Gives something to records that would be empty: a term of the term chunk, or what another record has from one of its chunks."""
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

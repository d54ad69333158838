"""Tiny releases of chunks, and all records that could have given them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, permutations, product

import polars as pl

from shoal.data.release import Release
from shoal.data.tables.chunks import PARTS, SCHEMAS, ChunkTable

Record = frozenset[str]
Cluster = tuple[int, Sequence[Sequence[str]], str]
"""How many records, the sub-records of each record chunk as words of letters, and the terms of the term chunk as letters."""


def chunk_table(*clusters: Cluster, shared: Sequence[Sequence[str]] = ()) -> ChunkTable:
    """A table of these clusters; if there are shared chunks, all clusters are one joint cluster."""
    rows: dict[str, list[tuple[object, ...]]] = {part: [] for part in PARTS}
    for c, (n, chunks, terms) in enumerate(clusters):
        rows["clusters"].append((c, 0 if shared else c, n))
        rows["terms"] += [(c, term) for term in terms]
        rows["subrecords"] += [(c, *row) for row in _rows(chunks)]
    rows["shared"] += [(0, *row) for row in _rows(shared)]
    return ChunkTable(**{part: pl.DataFrame(rows[part], schema=dict(SCHEMAS[part]), orient="row") for part in PARTS})


def _rows(chunks: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, str]]:
    return ((i, j, item) for i, chunk in enumerate(chunks) for j, subrecord in enumerate(chunk) for item in subrecord)


def chunk_release(*clusters: Cluster, shared: Sequence[Sequence[str]] = ()) -> Release:
    """A release of these clusters."""
    return Release({"chunks": chunk_table(*clusters, shared=shared)})


def reconstructions(*clusters: Cluster, shared: Sequence[Sequence[str]] = ()) -> Iterator[list[list[Record]]]:
    """All lists of clusters of records, none of them empty, that give these chunks."""
    sizes = [n for n, _, _ in clusters]
    ways = []
    for first, (n, chunks, terms) in zip(_starts(sizes), clusters, strict=True):
        slots = range(first, first + n)
        ways += [list(_placed(chunk, slots)) for chunk in chunks]
        ways += [[dict.fromkeys(held, term) for size in range(1, n + 1) for held in combinations(slots, size)] for term in terms]
    ways += [list(_placed(chunk, range(sum(sizes)))) for chunk in shared]
    for choice in product(*ways):
        records = [frozenset(chain.from_iterable(part.get(slot, "") for part in choice)) for slot in range(sum(sizes))]
        if all(records):
            yield [records[first : first + n] for first, n in zip(_starts(sizes), sizes, strict=True)]


def _starts(sizes: Sequence[int]) -> list[int]:
    return [sum(sizes[:i]) for i in range(len(sizes))]


def _placed(chunk: Sequence[str], slots: Iterable[int]) -> Iterator[dict[int, str]]:
    """All ways to give sub-records to records, at most one to each."""
    seen = set()
    for held in permutations(slots, len(chunk)):
        way = tuple(sorted(zip(held, chunk, strict=True)))
        if way not in seen:
            seen.add(way)
            yield dict(way)


def keeps_promise(k: int, m: int, *clusters: Cluster, shared: Sequence[Sequence[str]] = (), support: int = 1) -> bool:
    """The promise by the letter: no set of up to m terms is possible in few records of a cluster, and none of several chunks is certain
    in few; terms of the term chunk stand alone. Only reconstructions count in which at least `support` records hold every term.
    """
    counts: dict[tuple[int, Record], list[int]] = {}
    every = [found for found in reconstructions(*clusters, shared=shared) if _supported(found, support)]
    if not every:
        return False
    for c in range(len(clusters)):
        known = {set_ for records in every for record in records[c] for set_ in _subsets(record, m)}
        for held in known:
            counts[c, held] = [sum(held <= record for record in records[c]) for records in every]
    return all(
        max(found) >= k and (not _across(held, clusters[c], shared, apart=support > 1) or min(found) == 0 or min(found) >= k)
        for (c, held), found in counts.items()
    )


def _subsets(record: Record, m: int) -> Iterator[Record]:
    return (frozenset(held) for size in range(1, m + 1) for held in combinations(sorted(record), size))


def _supported(clusters: Sequence[Sequence[Record]], support: int) -> bool:
    """Whether at least so many records hold every term that occurs."""
    held = Counter(term for records in clusters for record in records for term in record)
    return all(n >= support for n in held.values())


def _across(held: Record, cluster: Cluster, shared: Sequence[Sequence[str]], *, apart: bool) -> bool:
    """Whether these terms are of several chunks; `apart`: each term of the term chunk counts as a chunk of its own."""
    homes = [set(chain.from_iterable(chunk)) for chunk in (*cluster[1], *shared)]
    homes += [{term} for term in cluster[2]] if apart else [set(cluster[2])]
    return sum(bool(held & home) for home in homes) > 1

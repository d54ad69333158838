"""Facts: everything a report shows, as plain numbers, before any word or picture is made of them.

What is told of the groups are their sizes; what is told of originals are counts of many people (see `bins`).
No owner, no record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data.bags import Bags, Ints, Small
from shoal.data.original import AnyOriginal, Original
from shoal.data.original_rows import LogOriginal, TableOriginal
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.data.tables.rows import RowTable
from shoal.privacy.classes import classes_of
from shoal.privacy.microdata_rows import classes_of_rows
from shoal.report.bins import Bin, Histogram, compare, joined, people_seen, tally
from shoal.report.row_facts import QueryFacts, query_facts
from shoal.report.spreads import Spread, spreads_of
from shoal.report.verdicts import promised_group
from shoal.taxonomy.tree import Taxonomy

FEWEST_PEOPLE = 10
MOST_ITEMS = 10


@dataclass(frozen=True)
class PublishedItem:
    """A published name: how many records bear it, its level (the root's is 1), how many terms it may mean."""

    name: str
    records: int
    level: int
    terms: int


@dataclass(frozen=True)
class Sizes:
    """The groups of identical published records, by their sizes alone."""

    groups: int = 0
    smallest: int = 0
    median: float = 0.0
    largest: int = 0


NOTHING, NO_SIZES = Histogram(), Sizes()


@dataclass(frozen=True)
class Facts:
    """A release's manifest and the distributions that its report draws."""

    manifest: Mapping[str, Any]
    published: int = 0
    sizes: Sizes = NO_SIZES
    group_sizes: Histogram = NOTHING
    lengths: Histogram = NOTHING
    levels: Histogram = NOTHING
    height: int = 1
    frequent: tuple[PublishedItem, ...] = ()
    vaguest: tuple[PublishedItem, ...] = ()
    items_before: int = 0
    items_after: int = 0
    fewest: int = FEWEST_PEOPLE
    on_taxonomy: bool = True
    of_records: bool = True
    queries: QueryFacts | None = None
    spreads: tuple[Spread, ...] = ()


def facts_of(manifest: Mapping[str, Any], release: Release, original: AnyOriginal) -> Facts:
    """The facts of a release that was made from this original."""
    if isinstance(original, Original) and release.kinds == {BagTable.kind}:
        return _facts_of_records(manifest, release, original)
    rows = release.only(RowTable.kind) if release.kinds == {RowTable.kind} and len(release.tables) == 1 else None
    queries = None
    if isinstance(rows, RowTable) and isinstance(original, LogOriginal):
        queries = query_facts(rows, original, promised_group(manifest.get("claims", [])))
    if isinstance(rows, RowTable) and isinstance(original, TableOriginal):
        return _facts_of_microdata(manifest, rows, original)
    return Facts(manifest=manifest, published=release.n_rows, on_taxonomy=original.on_taxonomy, of_records=False, queries=queries)


def _facts_of_microdata(manifest: Mapping[str, Any], table: RowTable, original: TableOriginal) -> Facts:
    names = [attribute.name for attribute in original.table.quasi]
    if not table.holds_numbers(names):  # an audit may be given any table
        return Facts(manifest=manifest, published=table.n_rows, on_taxonomy=False, of_records=False)
    sizes = classes_of_rows(table.frame, names).sizes
    return Facts(
        manifest=manifest,
        published=table.n_rows,
        sizes=_sizes(sizes),
        group_sizes=tally(sizes, cut=promised_group(manifest.get("claims", []))),
        on_taxonomy=False,
        of_records=False,
        spreads=spreads_of(table, original.table, _fewest(manifest)),
    )


def _facts_of_records(manifest: Mapping[str, Any], release: Release, original: Original) -> Facts:
    tree, before = original.tree, original.bags
    published = original.aligned(release).published
    sizes = classes_of(release).sizes
    people = np.unique(before.owners, return_inverse=True)[1]
    fewest = _fewest(manifest)
    items = _published_items(published, release.copies, tree)
    return Facts(
        manifest=manifest,
        published=release.n_records,
        sizes=_sizes(sizes),
        group_sizes=tally(sizes, cut=promised_group(manifest.get("claims", []))),
        lengths=compare(before.lengths, people, published.lengths, release.copies, fewest),
        levels=_levels(original, people, published, release.copies, fewest),
        height=tree.height + 1,
        frequent=_ranked(items, tree, by="records"),
        vaguest=_ranked(np.where(tree.leaves > 1, items, 0), tree, by="terms"),
        items_before=int(np.count_nonzero(np.bincount(before.items))),
        items_after=int((items > 0).sum()),
        fewest=fewest,
        on_taxonomy=original.on_taxonomy,
    )


def _fewest(manifest: Mapping[str, Any]) -> int:
    """How many people a bar of originals must count at least: k, and never a handful."""
    k = manifest.get("parameters", {}).get("k")
    return max(FEWEST_PEOPLE, k) if isinstance(k, int) else FEWEST_PEOPLE


def _sizes(sizes: Ints) -> Sizes:
    if not len(sizes):
        return Sizes()
    return Sizes(len(sizes), int(sizes.min()), float(np.median(sizes)), int(sizes.max()))


def _levels(original: Original, people: Ints, published: Bags, copies: Ints, fewest: int) -> Histogram:
    """Item occurrences on each level of the taxonomy, before and after."""
    tree, before = original.tree, original.bags
    entries = np.repeat(people, np.diff(before.indptr))
    seen = people_seen(tree.depth[before.items].astype(np.int64), entries, tree.height + 1)
    now = published.counts * np.repeat(copies, np.diff(published.indptr))
    counts = _per_level(published.items, now, tree), _per_level(before.items, before.counts, tree)
    return joined([Bin(level, level) for level in range(1, tree.height + 2)], counts, seen, fewest)


def _per_level(items: Small, weights: Ints | Small, tree: Taxonomy) -> Ints:
    return np.bincount(tree.depth[items], weights=weights, minlength=tree.height + 1).astype(np.int64)


def _published_items(published: Bags, copies: Ints, tree: Taxonomy) -> Ints:
    """In how many published records each node stands."""
    bearers = np.repeat(copies, np.diff(published.indptr))
    return np.bincount(published.items, weights=bearers, minlength=len(tree)).astype(np.int64)


def _ranked(records: Ints, tree: Taxonomy, by: str) -> tuple[PublishedItem, ...]:
    """The first published items by frequency, or by how little they say; the other one breaks ties."""
    shown = np.flatnonzero(records)
    keys = (records, tree.leaves) if by == "records" else (tree.leaves, records)
    order = shown[np.lexsort((shown, -keys[1][shown], -keys[0][shown]))][:MOST_ITEMS]
    return tuple(PublishedItem(tree.names[n], int(records[n]), int(tree.depth[n]) + 1, int(tree.leaves[n])) for n in order.tolist())

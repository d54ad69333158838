"""Facts about published records: groups, lengths, levels of the taxonomy, and the most and least specific names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints
from shoal.data.original import NOT_IN_TAXONOMY, REPEATED, Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.io.read.options import ITEMS_TABLE
from shoal.methods import fate_of
from shoal.privacy.evidence.equivalence_classes import classes_of
from shoal.report.facts import Facts, PublishedItem, examples_of, fewest_named, fewest_people, sizes_of
from shoal.report.histograms import Bin, Histogram, compare, joined, tally
from shoal.report.summary import AS_TYPED, FORMS, NOT_MEASURED, Summary, SummaryShare, share_in
from shoal.report.topic_cells import topic_cells
from shoal.report.verdict_text import Tile, promised_group
from shoal.taxonomy.topic_names import RARE_ROOT, ROOT
from shoal.taxonomy.tree_counts import published_items
from shoal.util.wording import counted, percent

MOST_ITEMS = 10
LOSS_SCALE = "0% is the original, 100% no information"


def facts_of_records(manifest: Mapping[str, Any], release: Release, original: Original) -> Facts:
    """Return the facts of records published for this original."""
    tree, before = original.tree, original.bags
    published = original.aligned(release).published
    sizes = classes_of(release).sizes
    people = np.unique(before.owners, return_inverse=True)[1]
    fewest = fewest_people(manifest)
    items, times = published_items(published, release.copies, tree)
    common = np.where(items >= fewest_named(manifest), items, 0)
    topics = topic_cells(published, release.copies, tree, common > 0) if tree.names[0] in (ROOT, RARE_ROOT) else ()
    return Facts(
        manifest=manifest,
        published=release.n_records,
        parts=("examples", *(("topics",) if topics else ()), "terms", "groups", "lengths", *(("levels",) if original.on_taxonomy else ())),
        examples=examples_of(published, release.copies, tree, common > 0),
        sizes=sizes_of(sizes),
        group_sizes=tally(sizes, cut=promised_group(manifest.get("claims", []))),
        lengths=compare(before.lengths, people, published.lengths, release.copies, fewest),
        levels=_levels(original, people, times, fewest),
        frequent=_ranked(common, tree, items),
        specific=_ranked(common, tree, tree.depth),
        vaguest=_ranked(_less_than_deepest(common, tree), tree, -tree.depth),
        items_before=_items_before(manifest, before),
        items_after=int((items > 0).sum()),
        fewest=fewest,
        topics=topics,
    )


def _items_before(manifest: Mapping[str, Any], before: Bags) -> int:
    """Return the number of distinct items in the original."""
    items = manifest.get("input", {}).get("items")
    return int(np.count_nonzero(before.item_counts()) if items is None else items)


def _levels(original: Original, people: Ints, published: Ints, fewest: int) -> Histogram:
    """Count item occurrences per level of the taxonomy before and after; `published` has the number of each published node."""
    tree, before = original.tree, original.bags
    seen = np.zeros((tree.height + 1, int(people.max(initial=-1)) + 1), bool)
    for begin, end in before.blocks():
        rows = before.indptr[begin : end + 1]
        seen[tree.depth[before.items[rows[0] : rows[-1]]], np.repeat(people[begin:end], np.diff(rows))] = True
    counts = _per_level(published, tree), _per_level(before.item_counts(), tree)
    return joined([Bin(level, level) for level in range(1, tree.height + 2)], counts, seen, fewest)


def _per_level(times: Ints, tree: Taxonomy) -> Ints:
    return np.bincount(tree.depth, weights=times, minlength=tree.height + 1).astype(np.int64)


def _less_than_deepest(records: Ints, tree: Taxonomy) -> Ints:
    """Return the records of published items, 0 for those of the deepest published level: they are not general."""
    deepest = tree.depth[records > 0].max(initial=0)
    return np.where(tree.depth < deepest, records, 0)


def _ranked(records: Ints, tree: Taxonomy, first: npt.NDArray[np.signedinteger[Any]]) -> tuple[PublishedItem, ...]:
    """Return the published items with the largest first number; of equal ones those of the most records."""
    shown = np.flatnonzero(records)
    order = shown[np.lexsort((shown, -records[shown], -first[shown]))][:MOST_ITEMS]
    return tuple(PublishedItem(tree.names[n], int(records[n]), int(tree.depth[n]) + 1) for n in order.tolist())


# Summary of published records: the forms in which words are published, the number of distinct terms, and the loss.


BEFORE = (NOT_IN_TAXONOMY, REPEATED)  # left out before the method saw the records


def summary_of_records(manifest: Mapping[str, Any]) -> Summary:
    """Summarize records from a manifest."""
    shares = forms(manifest.get("accounting", {}).get("occurrences", {"in": 0}), str(manifest.get("method")))
    metrics = manifest.get("metrics", {})
    as_typed = next((share.value for share in shares if share.name == AS_TYPED), None)
    lines = (*_items(manifest), *_lost(metrics), *_added(metrics), *_published(manifest))
    level = manifest.get("input", {}).get("reading", {}).get(ITEMS_TABLE, {}).get("level")
    if level is None:
        return Summary(shares, lines, _tile(metrics), as_typed)
    # Items were replaced by a level of a product table before, so an item that is kept is published by this level.
    shares = tuple(replace(share, name=f"by {level}") if share.name == AS_TYPED else share for share in shares)
    return Summary(shares, lines, _tile(metrics), as_typed)


def forms(ledger: Mapping[str, int], method: str) -> tuple[SummaryShare, ...]:
    """Return the occurrences in the method's input by the form in which they are published; empty if there were none."""
    counts = {part: n for part, n in ledger.items() if part != "in" and part not in BEFORE}
    whole = sum(counts.values())
    if not whole:
        return ()
    forms_of_words = {name: (sum(counts.get(part, 0) for part in parts), tone) for name, (parts, tone) in FORMS.items()}
    named = {part for parts, _ in FORMS.values() for part in parts}
    own = {part: (n, "changed") for part, n in counts.items() if part not in named and fate_of(part, method) != "gone"}
    suppressed = whole - sum(n for n, _ in (*forms_of_words.values(), *own.values()))
    return tuple(
        SummaryShare(name, n, whole, tone) for name, (n, tone) in {**forms_of_words, **own, "suppressed": (suppressed, "gone0")}.items()
    )


def _items(manifest: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    before, after = manifest.get("input", {}).get("items"), file_facts(manifest).get("items")
    return () if before is None or after is None else (("distinct items", f"{after:,} published, {before:,} in the original"),)


def _lost(metrics: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    if "loss" not in metrics:
        return ()
    floor = f"; lower bound for this k: {percent(metrics['bound'])}" if "bound" in metrics else ""
    return (("loss", f"{percent(metrics['loss'])} ({LOSS_SCALE}{floor})"),)


def _added(metrics: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return (("added", f"{percent(metrics['added'])} of the published items were not in the original record"),) if "added" in metrics else ()


def _published(manifest: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the number of records and the number of groups of identical ones."""
    facts = file_facts(manifest)
    if "different" not in facts:
        return ()
    each = f", {facts['occurrences'] / facts['rows']:.1f} items per record" if facts["rows"] else ""
    return (("published", f"{counted(facts['rows'], 'record')} in {counted(facts['different'], 'group')} of identical records{each}"),)


def file_facts(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the manifest entry of the records file."""
    return next((file for file in manifest.get("files", []) if "table" in file), {})


def _tile(metrics: Mapping[str, Any]) -> Tile:
    loss, bound, added = (share_in(metrics, name) for name in ("loss", "bound", "added"))
    if added is not None:
        return Tile("Added", percent(added), "of the published items were not in the original record")
    if loss is None:
        return NOT_MEASURED
    floor = "" if bound is None else f"; lower bound for this guarantee: {percent(bound)}"
    return Tile("Loss", percent(loss), f"{LOSS_SCALE}{floor}")

"""Global recoding: each item is kept everywhere, replaced everywhere by one ancestor, or suppressed everywhere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints, Small
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.privacy.evidence.claimed_item_roles import Roles

Mask = npt.NDArray[np.bool_]


def recoding_defects(original: Original, release: Release, roles: Roles, *, private_may_go: bool = False) -> list[str]:
    """Return the faults that keep the published records from being the originals under one global recoding.

    Private items must be unchanged or, if `private_may_go`, be suppressed everywhere; none may be replaced. The recoding is derived from
    the records alone. An item that is missing from one record must be missing from all. A published item that is not in the original record
    must be public and explained by an item of that record below it, which is published nowhere itself, and always replaced by this same
    ancestor.
    """
    changeable = ~roles.private
    assert release.secret is not None
    rows = release.secret.rows()
    if len(rows) != len(original.bags):
        return [f"the release refers to {len(rows):,} records, but the original has {len(original.bags):,}"]
    shown = np.flatnonzero(rows >= 0)
    withheld = int((original.bags.lengths[rows < 0] > 0).sum())
    if withheld:
        return [f"{withheld:,} non-empty records were suppressed"]
    if not np.array_equal(np.bincount(rows[shown], minlength=len(release.copies)), release.copies):
        return ["records were lost or added without being accounted for"]
    before, items = _keys(original.bags, shown)
    after, published = _keys(release.published, rows[shown])
    defects = _untyped(original, after, published, shown)
    kept = _among(before, after)
    n = len(original.tree)
    total, left = np.bincount(items, minlength=n), np.bincount(items[kept], minlength=n)
    untouchable = int(((left < total) & ~changeable & ~((left == 0) & private_may_go)).sum())
    partly = int(((left < total) & (left > 0) & changeable).sum())
    if untouchable:
        defects.append(f"{untouchable:,} items that are private were changed")
    if partly:
        defects.append(f"{partly:,} items were changed in some records but not in all")
    strange = ~_among(after, before)
    if strange.any():
        allowed = _explained(before, items, original.tree, after, (left == 0) & changeable)
        foreign = int((~_among(after[strange], allowed) | ~roles.public[published[strange]]).sum())
        if foreign:
            defects.append(f"{foreign:,} published items match nothing in their record")
    return defects


def changed_private_items(release: Release, original: Original, private: Mask, *, may_go: bool = False) -> list[str]:
    """Return a fault unless each private item occurs as often as in the original or, if it `may_go`, nowhere. This needs no mapping."""
    copies = np.repeat(release.copies, np.diff(release.published.indptr))
    shown = np.bincount(release.published.items, weights=copies, minlength=len(private))
    typed = np.bincount(original.bags.items, minlength=len(private))
    changed = int((private & (shown != typed) & ~(may_go & (shown == 0))).sum())
    return [f"{changed:,} items that are private were changed"] if changed else []


def _untyped(original: Original, after: Ints, published: Small, shown: Ints) -> list[str]:
    """Return a fault unless every published name was typed exactly so in its record. With a taxonomy, nodes have their own names."""
    if original.on_taxonomy:
        return []
    names, typed = original.bags.vocabulary, original.typed
    named = typed.vocabulary.codes(names.names)[published].astype(np.int64)
    keys = after // len(names) * len(typed.vocabulary) + named
    untyped = int(((named < 0) | ~_among(keys, _keys(typed, shown)[0])).sum())
    return [f"{untyped:,} published items were not typed in their record"] if untyped else []


def _keys(bags: Bags, rows: Ints) -> tuple[Ints, Small]:
    """Return an increasing number for each item of each of these rows, and the items."""
    lengths = np.diff(bags.indptr)[rows]
    record = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
    within = np.arange(len(record)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    items = bags.items[bags.indptr[rows][record] + within]
    return record * len(bags.vocabulary) + items, items


def _among(keys: Ints, others: Ints) -> Mask:
    """Return which keys are among the others, which are sorted."""
    if not len(others):
        return np.zeros(len(keys), bool)
    at = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    return np.asarray(others[at] == keys)


def _explained(before: Ints, items: Small, tree: Taxonomy, published: Ints, removed: Mask) -> Ints:
    """Return the published items explained by items that are published nowhere, as sorted keys."""
    parent = tree.parent
    at = np.flatnonzero(removed[items])
    item = items[at]
    record = (before[at] - item) // len(tree)
    needed = np.bincount(item, minlength=len(parent))
    found, above = [], parent[item]
    while (rising := above >= 0).any():
        keys = record * len(tree) + above
        shown = rising & _among(keys, published)
        everywhere = np.bincount(item[shown], minlength=len(parent)) == needed
        found.append(keys[shown & everywhere[item]])
        above = np.where(rising, parent[above], -1)
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)

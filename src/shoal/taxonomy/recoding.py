"""Global recoding: each item is kept everywhere, replaced everywhere by one ancestor, or suppressed everywhere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints
from shoal.data.itemsets import PRIVATE, PUBLIC, Parts
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.taxonomy.tree import Taxonomy

Mask = npt.NDArray[np.bool_]


def recoding_defects(original: Original, release: Release, parts: Parts) -> list[str]:
    """What keeps the published records from being the originals under one global recoding of items that are not private.

    Found from the records alone. An item that is missing from one record must be missing from all. A published item that is not in the
    original record must be a public one, and explained by an item of that record below it, which is nowhere published
    and wherever it occurs is published as this same ancestor.
    """
    changeable = parts != PRIVATE
    assert release.secret is not None
    rows = release.secret.rows()
    if len(rows) != len(original.bags):
        return [f"the release speaks of {len(rows):,} records, the original has {len(original.bags):,}"]
    shown = np.flatnonzero(rows >= 0)
    withheld = int((original.bags.lengths[rows < 0] > 0).sum())
    if withheld:
        return [f"{withheld:,} records that hold something were withheld"]
    if not np.array_equal(np.bincount(rows[shown], minlength=len(release.copies)), release.copies):
        return ["records were lost or added unaccounted"]
    published, given = release.published.select(rows[shown]), original.bags.select(shown)
    before, after = _keys(given), _keys(published)
    items = given.items
    kept = _among(before, after)
    n = len(original.tree)
    total, left = np.bincount(items, minlength=n), np.bincount(items[kept], minlength=n)
    untouchable = int(((left < total) & ~changeable).sum())
    partly = int(((left < total) & (left > 0) & changeable).sum())
    defects = [f"{untouchable:,} items that are private were changed"] if untouchable else []
    if partly:
        defects.append(f"{partly:,} items were changed in some records but not in all")
    strange = ~_among(after, before)
    if strange.any():
        allowed = _explained(given, original.tree, after, (total > 0) & (left == 0) & changeable)
        foreign = int((~_among(after[strange], allowed) | (parts[published.items[strange]] != PUBLIC)).sum())
        if foreign:
            defects.append(f"{foreign:,} published items stand for nothing in their record")
    return defects


def _keys(bags: Bags) -> Ints:
    """One rising number for each item of each record."""
    record = np.repeat(np.arange(len(bags), dtype=np.int64), np.diff(bags.indptr))
    return record * len(bags.vocabulary) + bags.items


def _among(keys: Ints, others: Ints) -> Mask:
    """Which keys are found among the others, which are sorted."""
    if not len(others):
        return np.zeros(len(keys), bool)
    at = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    return np.asarray(others[at] == keys)


def _explained(bags: Bags, taxonomy: Taxonomy, published: Ints, gone: Mask) -> Ints:
    """The published items that items which are nowhere published account for, as sorted keys."""
    parent = taxonomy.parent
    at = np.flatnonzero(gone[bags.items])
    record = np.repeat(np.arange(len(bags), dtype=np.int64), np.diff(bags.indptr))[at]
    item = bags.items[at]
    needed = np.bincount(item, minlength=len(parent))
    found, above = [], parent[item]
    while (rising := above >= 0).any():
        keys = record * len(bags.vocabulary) + above
        shown = rising & _among(keys, published)
        everywhere = np.bincount(item[shown], minlength=len(parent)) == needed
        found.append(keys[shown & everywhere[item]])
        above = np.where(rising, parent[above], -1)
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)

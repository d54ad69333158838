"""Warnings about a release that need its original: it discloses more than expected, or keeps hardly any information.

The descriptor of a kind lists the checks that apply to it (`Kind.warnings`). They are for the person who makes the release and are not
published. Warnings that follow from the published tables alone are in `report/alarms.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import polars as pl

from shoal.data.original import AnyOriginal, Original
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.groups import GroupTable
from shoal.errors import ReleaseWarning
from shoal.taxonomy.tree_counts import published_items
from shoal.util.numbers import distinct
from shoal.util.wording import counted, percent

GENERAL = 0.05  # share of the items of a taxonomy that are below a very general node
FEWEST_BELOW = 20  # items below such a node: in a small taxonomy, every node has a large share
MANY = 0.25  # share of the published items from which on general ones are warned of


def general_items(release: Release, original: AnyOriginal) -> Iterator[ReleaseWarning]:
    """Return a warning if many of the published items are nodes near the root."""
    if not isinstance(original, Original) or not original.on_taxonomy:
        return
    tree, aligned = original.tree, original.aligned(release)
    times = published_items(aligned.published, aligned.copies, tree)[1]
    general = (tree.leaves >= max(FEWEST_BELOW, GENERAL * tree.leaves[0])) & (times > 0)
    part, whole = int(times[general].sum()), int(times.sum())
    if whole and part >= MANY * whole:
        categories = counted(int(general.sum()), "category that covers", "categories (one may contain another) that each cover")
        text = f"{percent(part / whole)} of the published items are very general: {categories} at least"
        yield ReleaseWarning("general-items", f"{text} {percent(GENERAL, 0)} of the taxonomy")


def single_person_words(release: Release, original: AnyOriginal) -> Iterator[ReleaseWarning]:
    """Return a warning if items of a single person are published and no claim bounds the number of people per item."""
    if not isinstance(original, Original) or any(claim.item_holders or claim.generalized_groups for claim in release.claims):
        return
    names = pl.concat([pl.Series(dtype=pl.String), *_names(release)]).unique()
    codes = original.bags.vocabulary.codes(names)
    rare = int((original.bags.people_per_item[codes[codes >= 0]] == 1).sum())
    if rare:
        predicate = "belongs to a single person" if rare == 1 else "belong to a single person each"
        yield ReleaseWarning("single-person-words", f"{counted(rare, 'published item')} {predicate}")


def _names(release: Release) -> Iterable[pl.Series]:
    """Return the names in tables of records and of groups."""
    bags = (table.records.vocabulary.names.gather(distinct(table.records.items)) for table in release.tables_of(BagTable))
    groups = (table.rows[ITEMS].explode().drop_nulls() for table in release.tables_of(GroupTable) if table.of_items)
    return chain(bags, groups)

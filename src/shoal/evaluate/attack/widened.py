"""An original whose tree also has the items of people who are not in it, so that all that is known of them can be told.

A tree is often cut down to the items that records hold. An item that only people outside hold would be missing there, and leaving it out of
what is known of them would make them look easier to guess than they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy


def widened(original: Original, others: Original) -> Original:
    """The same records, on a tree that also has every item that others hold."""
    tree = _joined(original.tree, others)
    if tree is original.tree:
        return original
    codes = tree.names.codes(original.tree.names.names)
    items = np.where(original.items >= 0, codes[original.items], -1).astype(np.int32)
    taxonomy = tree if original.on_taxonomy else original.taxonomy
    return replace(original, bags=original.bags.relabelled(codes, tree.names), tree=tree, items=items, taxonomy=taxonomy)


def _joined(tree: Taxonomy, others: Original) -> Taxonomy:
    """The tree with the items that it lacks, each below the lowest node above it that both trees have, or else below the root."""
    held = np.unique(others.bags.items)
    strange = held[tree.names.codes(others.tree.names.names.gather(held)) < 0]
    if not len(strange):
        return tree
    names = tree.names.names.to_list()
    parents = {name: names[above] if above >= 0 else None for name, above in zip(names, tree.parent.tolist(), strict=True)}
    own = set(names)
    for node in strange.tolist():
        name, *above = others.tree.path(node)
        parents[name] = next((one for one in above if one in own), names[0])
    wider = Taxonomy.from_parents(parents, tree.loss_name)
    codes = wider.names.codes(tree.names.names)
    barred = None if tree.barred is None else np.zeros(len(wider), bool)
    if barred is not None:
        barred[codes] = tree.barred
    unlisted = None if tree.unlisted is None else int(codes[tree.unlisted])
    return replace(wider, parent=wider.parent.copy(), unlisted=unlisted, barred=barred)

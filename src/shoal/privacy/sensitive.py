"""Sensitive items: what k people share is known of each of them, so a group must not share a sensitive item.

A record that is published for a group is a statement about all of its members. It discloses a sensitive item if it names the
item, something below it, or a node all of whose leaves are sensitive: then every member has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Small
from shoal.data.choice import Items
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy import Model, Verdict
from shoal.taxonomy.tree import Taxonomy
from shoal.taxonomy.wordnet import wordnet

if TYPE_CHECKING:
    from shoal.data.original import Original

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SensitiveShare(Model):
    """In no group are more than a share h of the people known to have a sensitive item."""

    name = "sensitive-share"
    protects = (
        "Whoever knows which published record is a person's does not learn from it that the person has one of the "
        "sensitive items, unless h allows it."
    )
    does_not_protect = (
        "Terms that were not named as sensitive; what can be guessed from other items of the record; and a more general "
        "item may still make a sensitive one likely."
    )

    h: float = param(0.5, minimum=0, maximum=1, help="share of a group that may be known to have a sensitive item")
    items: Items | None = param(None, help="the sensitive items")

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """All members of a group are known to have what their record names: is a sensitive item among it?

        With the original at hand its taxonomy says what stands for a sensitive item; without it names are compared.
        """
        if self.items is None:
            raise ParameterError("which items are sensitive is not said", hint="write sensitive-share(h=0.5, items=FILE)")
        names = release.published.vocabulary.names
        if original is None:
            telling = names.is_in(pl.Series(sorted(_named(self.items)), dtype=pl.String).implode()).to_numpy()
        else:
            told = original.tree.names.codes(names)
            telling = (told >= 0) & disclosing(original.tree, self.items)[told]
        entries = telling[release.published.items] & np.repeat(release.copies > 0, np.diff(release.published.indptr))
        shown = names.gather(np.unique(release.published.items[entries])).to_list()
        share = 1.0 if shown else 0.0
        holds = share <= self.h
        witnesses = () if holds else (f"published for whole groups: {', '.join(repr(name) for name in shown[:5])}",)
        return Verdict(str(self), holds, {"h": share}, witnesses, (_note(self.items, original),))

    def __str__(self) -> str:
        # The items themselves are not for the manifest: a list of sensitive terms may tell what somebody searched for.
        return f"{self.name}(h={self.h:g}, items={self.items.described if self.items else ''})"


def disclosing(taxonomy: Taxonomy, items: Items) -> Mask:
    """Which nodes say of whoever has them that they have a sensitive item."""
    named = sensitive_nodes(taxonomy, items)
    below = np.zeros(len(taxonomy) + 1, np.int64)
    np.add.at(below, named, 1)
    np.add.at(below, taxonomy.end[named], -1)
    sensitive = np.cumsum(below[:-1]) > 0
    leaf = taxonomy.end == np.arange(len(taxonomy)) + 1
    so_far = np.concatenate([[0], np.cumsum(leaf & sensitive)])
    inside = so_far[taxonomy.end] - so_far[:-1]
    return np.asarray(sensitive | (inside == taxonomy.leaves), dtype=np.bool_)


def sensitive_nodes(taxonomy: Taxonomy, items: Items) -> Small:
    """The nodes that the items mean: those of that name, and for WordNet's nouns those whose synonym or plural an item is."""
    if items.under is not None:
        node = taxonomy.names.codes([items.under])
        if node[0] < 0:
            raise ParameterError(f"the taxonomy has no node {items.under!r} for sensitive items to lie under")
        return node
    series = pl.Series(sorted(_named(items)), dtype=pl.String)
    nodes = taxonomy.names.codes(series)
    nouns = wordnet()
    if taxonomy.names[0] == nouns.names[0]:
        meant = nouns.nodes(series)
        synsets = nouns.names.names.gather(meant[meant >= 0])
        nodes = np.concatenate([nodes, taxonomy.names.codes(synsets)])
    return np.unique(nodes[nodes >= 0])


def harmless_ancestors(taxonomy: Taxonomy, telling: Mask) -> Small:
    """For each node itself or, where it tells too much, its nearest ancestor that does not; at worst the root."""
    nearest = np.arange(len(taxonomy), dtype=np.int32)
    while len(rising := np.flatnonzero(telling[nearest] & (nearest > 0))):
        nearest[rising] = taxonomy.parent[nearest[rising]]
    return nearest


def _named(items: Items) -> frozenset[str]:
    if items.under is not None:
        raise ParameterError(f"items under {items.under!r} can only be told with the taxonomy at hand", hint="name them in a file")
    if items.names is None:
        raise ParameterError("the file of sensitive items was not read", hint="shoal.io.items.with_files_read reads it")
    return items.names


def _note(items: Items, original: Original | None) -> str:
    if original is None:
        return f"{len(_named(items)):,} sensitive items, compared by name"
    return f"what is sensitive stands for {len(sensitive_nodes(original.tree, items)):,} nodes of the data's taxonomy"

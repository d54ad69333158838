"""Sensitive items for methods: the nodes that a name means, the records with them, and what may be published instead.

A name means every node with the same spelling except for case, accents, blanks, hyphens, full stops and a plural; in WordNet, also the node
of its synonyms. Several matching nodes are one sensitive item; a record has it if it has one of them or anything below: a list of sensitive
words is interpreted as broadly as possible.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints, Small
from shoal.data.items import Items
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.taxonomy.place_terms import UNLISTED
from shoal.taxonomy.wordnet import base_nouns, wordnet
from shoal.util.numbers import distinct
from shoal.util.wording import listed

Mask = npt.NDArray[np.bool_]

SILENT = frozenset({"Mn", "Cc", "Cf", "Zs", "Zl", "Zp"})  # accents, blanks, soft hyphens and the like
GAPS = frozenset("_-.'’")
PLURALS = (("s", ""), ("es", ""), ("ies", "y"))
SHORTEST_STEM = 3


@dataclass(frozen=True, eq=False)
class SensitiveHoldings:
    """Which record has which sensitive item: distinct pairs of numbers. `names` are the items by number."""

    names: tuple[str, ...]
    records: Ints
    items: Ints


@dataclass(frozen=True, eq=False)
class SensitiveNodes:
    """The nodes of each sensitive item in a taxonomy."""

    taxonomy: Taxonomy
    names: tuple[str, ...]
    nodes: tuple[Small, ...]

    @classmethod
    def of(cls, taxonomy: Taxonomy, items: Items) -> SensitiveNodes:
        """Find the nodes. Raise for names without a node."""
        names = tuple(sorted(items.listed("sensitive") if items.under is None else {items.under}))
        found = _nodes_meant(taxonomy, names)
        _refuse([name for name, nodes in zip(names, found, strict=True) if not len(nodes)])
        return cls(taxonomy, names, tuple(found))

    def held(self, bags: Bags) -> SensitiveHoldings:
        """Return which of these records have which sensitive item. Raise for items that no record has."""
        record = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
        pairs = []
        for number, nodes in enumerate(self.nodes):
            inside = np.zeros(len(self.taxonomy), bool)
            for node in nodes:
                inside[node : self.taxonomy.end[node]] = True
            holders = distinct(record[inside[bags.items]])
            pairs.append(np.column_stack([holders, np.full(len(holders), number)]))
        _refuse([name for name, held in zip(self.names, pairs, strict=True) if not len(held)])
        joined = np.concatenate(pairs).astype(np.int64)
        return SensitiveHoldings(self.names, joined[:, 0], joined[:, 1])

    @cached_property
    def telling(self) -> Mask:
        """Nodes that name a sensitive item, lie below one, or represent nothing else. The root represents anything and is never one."""
        tree = self.taxonomy
        inside = np.zeros(len(tree), bool)
        for node in np.concatenate(self.nodes):
            inside[node : tree.end[node]] = True
        leaf = tree.end == np.arange(len(tree)) + 1
        so_far = np.concatenate([[0], np.cumsum(leaf & inside)])
        only = so_far[tree.end] - so_far[:-1] == tree.leaves
        only[0] = False
        return np.asarray(inside | only, dtype=np.bool_)

    def harmless(self) -> Small:
        """For each node, itself or, if it is disclosing, its nearest ancestor that is not; at worst the root."""
        nearest = np.arange(len(self.taxonomy), dtype=np.int32)
        while len(rising := np.flatnonzero(self.telling[nearest] & (nearest > 0))):
            nearest[rising] = self.taxonomy.parent[nearest[rising]]
        return nearest


def spellings(name: str) -> set[str]:
    """Return the keys of a name for comparison: its letters without case, accents and gaps, and those of its singular."""
    plain = name
    while plain.endswith(UNLISTED):
        plain = plain.removesuffix(UNLISTED).rstrip()
    letters = [c for c in unicodedata.normalize("NFKD", plain) if unicodedata.category(c) not in SILENT]
    whole = "".join(c for c in letters if c not in GAPS).upper().lower()
    stems = {whole.removesuffix(end) + instead for end, instead in PLURALS if whole.endswith(end)}
    return {whole} | {stem for stem in stems if len(stem) >= SHORTEST_STEM}


def _nodes_meant(taxonomy: Taxonomy, names: tuple[str, ...]) -> list[Small]:
    by_key: dict[str, list[int]] = {}
    for node, keys in enumerate(_keys(taxonomy.names.names)):
        for key in keys:
            by_key.setdefault(key, []).append(node)
    spelled = [{node for key in keys for node in by_key.get(key, ())} for keys in _keys(pl.Series(names, dtype=pl.String))]
    meant = zip(spelled, wordnet_synonyms(taxonomy, names), strict=True)
    return [np.array(sorted((nodes | {synonym}) - {-1}), np.int32) for nodes, synonym in meant]


def _keys(names: pl.Series) -> list[set[str]]:
    """Return the keys of each name, and its base noun: mice and mouse are equal."""
    nouns = base_nouns(names)
    return [spellings(name) | ({f"noun {noun}"} if noun is not None else set()) for name, noun in zip(names, nouns, strict=True)]


def wordnet_synonyms(taxonomy: Taxonomy, names: Sequence[str]) -> list[int]:
    """Return the nodes of a taxonomy of WordNet that have another name for these nouns, -1 for none."""
    nouns = wordnet()
    if taxonomy.names[0] != nouns.names[0]:
        return [-1] * len(names)
    synset = nouns.nodes(names)
    written = pl.Series([nouns.names[int(node)] if node >= 0 else None for node in synset], dtype=pl.String)
    return taxonomy.names.codes(written).tolist()  # type: ignore[no-any-return]


def _refuse(strange: list[str]) -> None:
    if strange:
        raise ParameterError(
            f"sensitive items: {listed(strange)} {'is' if len(strange) == 1 else 'are'} not in the data",
            code="items-not-in-data",
            hint="check the spelling, and leave out items that are not in the data",
            items=strange,
        )

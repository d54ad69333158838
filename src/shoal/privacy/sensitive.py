"""Sensitive items: what k people share is known of each of them, so a group must not share a sensitive item.

A record that is published for a group is a statement about all of its members. It discloses a sensitive item if it names the item, something
below it, or a node all of whose leaves are sensitive: then every member has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Small
from shoal.data.release import Release
from shoal.errors import InputError
from shoal.parameters import param
from shoal.privacy import Model, Verdict
from shoal.taxonomy.tree import Taxonomy
from shoal.taxonomy.wordnet import wordnet

if TYPE_CHECKING:
    from shoal.taxonomy.ground import Grounding

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
    items: str = param("", help="file of sensitive terms, one a line")

    def check(self, release: Release, original: Grounding | None = None) -> Verdict:
        """All members of a group are known to have what their record names: is a sensitive item among it?

        With the original at hand its taxonomy says what stands for a sensitive item; without it names are compared.
        """
        terms = read_terms(self.items) if self.items else []
        names = release.published.vocabulary.names
        if original is None:
            telling = names.is_in(pl.Series(terms, dtype=pl.String).implode()).to_numpy()
        else:
            told = original.taxonomy.names.codes(names)
            telling = (told >= 0) & disclosing(original.taxonomy, terms)[told]
        entries = telling[release.published.items] & np.repeat(release.copies > 0, np.diff(release.published.indptr))
        shown = names.gather(np.unique(release.published.items[entries])).to_list()
        share = 1.0 if shown else 0.0
        holds = share <= self.h
        witnesses = () if holds else (f"published for whole groups: {', '.join(repr(name) for name in shown[:5])}",)
        return Verdict(str(self), holds, {"h": share}, witnesses, (_note(terms, original),))


def read_terms(path: str) -> list[str]:
    """The terms of a file, one a line; blank lines and lines that begin with # are passed over."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the sensitive terms in {path} cannot be read: {type(error).__name__}") from None
    terms = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not terms:
        raise InputError(f"{path} names no sensitive term", hint="write one term a line")
    return terms


def disclosing(taxonomy: Taxonomy, terms: Sequence[str]) -> Mask:
    """Which nodes say of whoever has them that they have a sensitive item."""
    named = sensitive_nodes(taxonomy, terms)
    below = np.zeros(len(taxonomy) + 1, np.int64)
    np.add.at(below, named, 1)
    np.add.at(below, taxonomy.end[named], -1)
    sensitive = np.cumsum(below[:-1]) > 0
    leaf = taxonomy.end == np.arange(len(taxonomy)) + 1
    so_far = np.concatenate([[0], np.cumsum(leaf & sensitive)])
    inside = so_far[taxonomy.end] - so_far[:-1]
    return np.asarray(sensitive | (inside == taxonomy.leaves), dtype=np.bool_)


def sensitive_nodes(taxonomy: Taxonomy, terms: Sequence[str]) -> Small:
    """The nodes that the terms mean: those of that name, and for WordNet's nouns those whose synonym or plural a term is."""
    series = pl.Series(terms, dtype=pl.String)
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


def _note(terms: Sequence[str], original: Grounding | None) -> str:
    if not terms:
        return "no sensitive term was named"
    if original is None:
        return f"{len(terms):,} sensitive terms, compared by name"
    known = len(sensitive_nodes(original.taxonomy, terms))
    return f"{len(terms):,} sensitive terms stand for {known:,} items of the data"

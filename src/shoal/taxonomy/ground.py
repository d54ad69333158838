"""Grounding: putting records of terms on a taxonomy, and saying what happened to the terms it does not know.

Unknown terms (brands, names: half of a real log) are kept under one extra child of the root, so that a term shared by a whole group
survives; or dropped, as the papers do; or refused. The tree may be cut down to what the data uses, as in the papers, or stay whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.errors import InputError
from shoal.taxonomy.tree import Taxonomy

Unknown = Literal["keep", "drop", "refuse"]
Scope = Literal["used", "whole"]

UNLISTED = "(unlisted)"


@dataclass(frozen=True, eq=False)
class Grounding:
    """Records over the nodes of a taxonomy, and the account of how they came there (in item occurrences)."""

    bags: Bags
    taxonomy: Taxonomy
    occurrences_in: int
    unknown_kept: int
    unknown_dropped: int
    repeats_dropped: int
    unknown_terms: int


def ground(
    bags: Bags,
    taxonomy: Taxonomy,
    *,
    unknown: Unknown = "keep",
    scope: Scope = "used",
    as_sets: bool = False,
) -> Grounding:
    """Records of terms become records of taxonomy nodes. With `as_sets` a node counts once a record."""
    nodes = taxonomy.nodes(bags.vocabulary.names)
    strange = np.flatnonzero(nodes < 0)
    frequency = np.bincount(bags.items, weights=bags.counts, minlength=len(bags.vocabulary)).astype(np.int64)
    strange = strange[frequency[strange] > 0]
    outside = int(frequency[strange].sum())
    if unknown == "refuse" and len(strange):
        raise InputError(
            f"{len(strange):,} terms ({outside:,} occurrences) are not in the taxonomy",
            hint="keep them with --unknown keep, drop them with --unknown drop",
        )
    used = nodes[(nodes >= 0) & (frequency > 0)]
    fitted, renumbered = (taxonomy, None) if scope == "whole" else restricted(taxonomy, used)
    if renumbered is not None:
        nodes = np.where(nodes >= 0, renumbered[nodes], -1).astype(np.int32)
    if unknown == "keep" and len(strange):
        fitted, nodes = _hang_unlisted(fitted, nodes, strange, bags.vocabulary)
    grounded = bags.relabelled(nodes, fitted.names)
    counted = grounded.as_sets() if as_sets else grounded
    return Grounding(
        bags=counted,
        taxonomy=fitted,
        occurrences_in=bags.occurrences,
        unknown_kept=outside if unknown == "keep" else 0,
        unknown_dropped=outside if unknown == "drop" else 0,
        repeats_dropped=grounded.occurrences - counted.occurrences,
        unknown_terms=len(strange),
    )


def restricted(taxonomy: Taxonomy, used: Small) -> tuple[Taxonomy, Small]:
    """The tree of the used nodes and their ancestors, and the new number of each old node (-1 for those left out)."""
    keep = np.zeros(len(taxonomy), bool)
    keep[0] = True
    rising = np.unique(used)
    while len(rising):
        keep[rising] = True
        above = np.unique(taxonomy.parent[rising])
        rising = above[(above >= 0) & ~keep[above]]
    renumbered = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int32)
    parent = taxonomy.parent[keep]
    parent = np.where(parent >= 0, renumbered[parent], -1).astype(np.int32)
    names = Vocabulary(taxonomy.names.names.filter(pl.Series(keep)))
    shelf = None if taxonomy.unlisted is None or not keep[taxonomy.unlisted] else int(renumbered[taxonomy.unlisted])
    return Taxonomy(names, parent, loss_name=taxonomy.loss_name, unlisted=shelf), renumbered


def _hang_unlisted(taxonomy: Taxonomy, nodes: Small, strange: Ints, vocabulary: Vocabulary) -> tuple[Taxonomy, Small]:
    if taxonomy.unlisted is not None:
        raise InputError("this taxonomy holds unlisted terms already", hint="ground records on the taxonomy as it was read")
    # In the order of their names, so that the tree does not depend on the order of the records.
    terms = vocabulary.names.gather(strange)
    by_name = terms.arg_sort().to_numpy()
    shelf = len(taxonomy)
    nodes = nodes.copy()
    nodes[strange[by_name]] = shelf + 1 + np.arange(len(strange), dtype=np.int32)
    fresh = pl.concat([pl.Series([UNLISTED]), terms.gather(by_name).rename("")])
    names = pl.concat([taxonomy.names.names, _distinct_from(taxonomy, fresh).rename("item")])
    parent = np.concatenate([taxonomy.parent, [0], np.full(len(strange), shelf)]).astype(np.int32)
    return Taxonomy(Vocabulary(names), parent, loss_name=taxonomy.loss_name, unlisted=shelf), nodes


def _distinct_from(taxonomy: Taxonomy, terms: pl.Series) -> pl.Series:
    """The terms, marked where another node already bears that name."""
    clashing = (terms.is_in(taxonomy.names.names.implode()) | ~terms.is_first_distinct()).arg_true()
    if clashing.is_empty():
        return terms
    names, taken = terms.to_list(), {*taxonomy.names.names, *terms}
    for i in clashing:
        while names[i] in taken:
            names[i] = f"{names[i]} {UNLISTED}"
        taken.add(names[i])
    return pl.Series(names, dtype=pl.String)


def frequent_strangers(bags: Bags, taxonomy: Taxonomy, limit: int) -> Sequence[tuple[str, int]]:
    """The most frequent terms that the taxonomy misses, with their occurrences."""
    nodes = taxonomy.nodes(bags.vocabulary.names)
    frequency = np.bincount(bags.items, weights=bags.counts, minlength=len(bags.vocabulary)).astype(np.int64)
    table = pl.DataFrame({"term": bags.vocabulary.names, "n": frequency, "node": nodes})
    missing = table.filter((pl.col("node") < 0) & (pl.col("n") > 0)).sort("n", "term", descending=[True, False])
    return [(row[0], row[1]) for row in missing.head(limit).iter_rows()]

"""Topics: the node of a taxonomy, on a given level, that a text is mostly about."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Ints, Small
from shoal.data.log import Kind, Log
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.place_terms import place_terms
from shoal.text.terms import terms_of

NO_TOPIC = -1


def topics_of(texts: pl.Series, kind: Kind, taxonomy: Taxonomy, level: int) -> Ints:
    """Return the topic of each text, `NO_TOPIC` where no word of it is in the taxonomy.

    It is the node on this level, the root's being 1, above most of its words; of several the first in the order of the tree. A word above
    that level is its own topic.
    """
    different = texts.unique(maintain_order=True)
    one_each = Log(pl.DataFrame({"owner": np.arange(len(different)), "payload": different}), kind)
    typed = one_each.bags("event", split=lambda one: terms_of(one, as_typed=True))
    placed = place_terms(typed, taxonomy, unknown="drop", scope="whole", fold=kind == "text")
    topics = _most_frequent(placed.bags.indptr, lifted(placed.tree, level)[placed.bags.items], placed.bags.counts)
    found: Ints = texts.replace_strict(different, topics, return_dtype=pl.Int64).to_numpy()
    return found


def lifted(taxonomy: Taxonomy, level: int) -> Small:
    """For every node the one on this level above it, or itself where it is no deeper; parents come before their children."""
    node = np.arange(len(taxonomy), dtype=np.int32)
    for deeper in range(level, taxonomy.height + 1):
        here = np.flatnonzero(taxonomy.depth == deeper)
        node[here] = node[taxonomy.parent[here]]
    return node


def _most_frequent(indptr: Ints, topics: Small, counts: Small) -> Ints:
    """For every row the value with the largest sum of counts, the smallest of several; `NO_TOPIC` for an empty row."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    held = pl.DataFrame({"row": rows, "topic": topics.astype(np.int64), "n": counts.astype(np.int64)})
    sums = held.group_by("row", "topic").agg(pl.col("n").sum()).sort("row", "n", "topic", descending=[False, True, False])
    first = sums.unique("row", keep="first", maintain_order=True)
    found = np.full(len(indptr) - 1, NO_TOPIC, np.int64)
    found[first["row"].to_numpy()] = first["topic"].to_numpy()
    return found

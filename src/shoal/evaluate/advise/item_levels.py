"""Finds the finest level of a product table at which publishing items is worth a trial.

A method that protects people whose attacker knows two items can keep an item where k people share its pairs with other items; one that
protects against a single known item where k people share the item. So levels are left out whose items, or pairs of items, are mostly
shared by fewer people. This is counted on all that was read, because a small sample makes every level look worse than it is.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Vocabulary
from shoal.taxonomy.item_catalogue import Catalogue, names_by

MOST_PAIRS = 1_000_000  # that are counted
PLAUSIBLE = 0.5  # share of the items, or of the pairs, that k people must share at a level
SEED = 0


def first_rung(bags: Bags, catalogue: Catalogue, k: int, together: int) -> int:
    """Return the number of the finest level at which at least half of the items, or pairs of items, are shared by k people.

    Args:
        bags: Records of the items as the data has them.
        catalogue: The product table.
        k: The number of people.
        together: 1 for items, 2 for pairs of items.
    """
    for at, level in enumerate(catalogue.rungs):
        names, _ = names_by(catalogue, bags.vocabulary.names, level)
        vocabulary = Vocabulary(names.unique(maintain_order=True))
        some = bags.relabelled(vocabulary.codes(names), vocabulary, as_sets=True)
        if (shared_items(some, k) if together == 1 else shared_pairs(some, k)) >= PLAUSIBLE:
            return at
    return len(catalogue.rungs) - 1


def shared_items(bags: Bags, k: int) -> float:
    """Return the share of the occurrences whose item at least k people have."""
    often = bags.item_counts()
    return float(often[bags.people_per_item >= k].sum() / max(1, often.sum()))


def shared_pairs(bags: Bags, k: int) -> float:
    """Return the share of the pairs of items in records that at least k people have; for very many pairs, from a sample."""
    lengths = bags.lengths
    pairs = int((lengths * (lengths - 1) // 2).sum())
    if not pairs:
        return 1.0  # nobody has two items
    part = min(1.0, MOST_PAIRS / pairs)
    sampled = np.arange(len(bags)) if part == 1 else np.random.default_rng(SEED).permutation(len(bags))[: max(1, int(part * len(bags)))]
    some = bags.select(np.sort(sampled))
    rows = pl.DataFrame({"record": np.repeat(np.arange(len(some)), some.lengths), "item": some.items})
    both = rows.join(rows, on="record", suffix="_too").filter(pl.col("item") < pl.col("item_too"))
    owners = pl.Series("owner", np.asarray(some.owners)[both["record"].to_numpy()])
    held = both.with_columns(owners).group_by("item", "item_too").agg(people=pl.col("owner").n_unique(), n=pl.len())
    least = max(2, math.ceil(k * part))
    return int(held.filter(pl.col("people") >= least)["n"].sum()) / int(held["n"].sum())

"""Which items records give up so that they hold no rare set any more: greedily, each record by itself, all records at once.

A record gives up the item that hits most of its rare sets that are left, of equals the one that is in more rare sets of all records, then
the one of the lower number; again and again. It is the choice that the kernel of one machine makes (`cpp/cuts/cover.hpp`).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.itemsets.itemset_counts import among_keys


def given_up(record: Ints, sets: Ints, fresh: Ints, everywhere: Ints) -> Ints:
    """What is given up, as keys of record and item: record times the number of items, plus the item.

    Each rare `set`, a row of items (below 0 if it has fewer), is held by its `record`; `fresh` are the keys, rising, of what may be
    given up, of which each set has one; `everywhere` has for each item how many rare sets of all records hold it.
    """
    n = len(everywhere)
    keys = record[:, None] * n + sets
    may = (sets.ravel() >= 0) & among_keys(fresh, keys.ravel())
    held = np.repeat(np.arange(len(sets)), sets.shape[1])[may]
    open_sets = pl.DataFrame({"held": held, "key": keys.ravel()[may]})
    chosen = [np.zeros(0, np.int64)]
    while len(open_sets):
        best = _best(open_sets, everywhere)
        chosen.append(best["key"].to_numpy())
        hit = open_sets.join(best, on="key", how="semi").select("held").unique()
        open_sets = open_sets.join(hit, on="held", how="anti")
    return np.sort(np.concatenate(chosen))


def _best(open_sets: pl.DataFrame, everywhere: Ints) -> pl.DataFrame:
    """Of each record the item that it gives up next."""
    n = len(everywhere)
    counted = open_sets.group_by("key").len()
    keys = counted["key"].to_numpy()
    ranked = counted.with_columns(record=pl.Series(keys // n), elsewhere=pl.Series(everywhere[keys % n]))
    ordered = ranked.sort(["record", "len", "elsewhere", "key"], descending=[False, True, True, False])
    return ordered.unique("record", keep="first", maintain_order=True).select("key")

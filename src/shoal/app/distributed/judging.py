"""The judge on a cluster: published records are counted there by their content, and compared there with the records they stand for.

Nothing of the method's bookkeeping is believed: classes are formed from the published items, people are the owners of the original records,
and every pair is compared with the kernel that judges on one machine. What comes to the driver are sums.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal import _kernels, kernels
from shoal.app.distributed.tables import SUMS, Fitted, bags_of, lists_of, words_in
from shoal.data.bags import Bags
from shoal.data.forms import top_nodes
from shoal.data.original import shared_occurrences
from shoal.errors import GuaranteeNotMet
from shoal.privacy.classes import ClassCounts, untruthful_records


def compared(fitted: Fitted, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Sums over some records and what is published for them (null where nothing is): forms, losses, records not generalized."""
    tree = fitted.with_words(words_in(table))
    bags = bags_of(table, fitted, tree)
    spelled = bags_of(table, fitted, tree, "spelled")
    shown = table.column("items").is_valid().to_numpy()
    published = _published(table.filter(pa.array(shown)), tree.names)
    rows = np.full(len(bags), -1, np.int64)
    rows[shown] = np.arange(len(published))
    own, parent, higher, top = kernels.run(
        _kernels.published_forms, bags.view, published.view, rows, tree.view, top_nodes(tree), kernels.threads()
    )
    renamed = own - shared_occurrences(spelled, published, rows)
    cover = kernels.run(_kernels.covering_nodes, bags.view, published.view, rows, tree.view, kernels.threads())
    told: dict[str, Any] = {
        "records": len(bags),
        "published": len(published),
        "occurrences": bags.occurrences,
        "withheld": int(bags.lengths[~shown].sum()),
        "empty": int((bags.lengths == 0).sum()),
        "empty_published": int((published.lengths == 0).sum()),
        "out": published.occurrences,
        "levels": int(((tree.depth[published.items] + 1).astype(np.int64) * published.counts).sum()),
        "units": int((tree.unit_losses[published.items] * published.counts).sum()),
        "units_before": int((tree.unit_losses[bags.items] * bags.counts).sum()),
        "penalty": float((np.where(cover >= 0, tree.ncp[cover], 1.0) * bags.counts).sum()),
        "untrue": untruthful_records(bags, published, rows, tree),
        "typed": own - renamed,
        "renamed": renamed,
        "parent": parent,
        "category": higher,
        "top": top,
    }
    yield pa.table({"sums": [json.dumps({name: value if isinstance(value, float) else int(value) for name, value in told.items()})]}, SUMS)


def _published(table: pa.Table, names: Any) -> Bags:
    starts, items = lists_of(table, "items")
    named = pl.from_arrow(items)
    assert isinstance(named, pl.Series)
    codes = names.codes(named.cast(pl.String))
    if (codes < 0).any():
        raise GuaranteeNotMet("published items are not among the names of their originals", hint="nothing was written")
    return Bags.from_rows(starts, codes, np.ones(len(codes), np.int32), names)


def summed(rows: list[Any]) -> Counter[str]:
    """The sums of all parts together."""
    total: Counter[str] = Counter()
    for row in rows:
        total.update(json.loads(row[0]))
    return total


def counts_of(classes: Any, empty: int, untrue: int = 0, *, people: bool = True) -> ClassCounts:
    """The classes as models judge them, from what `class_sums` asked for."""
    fewest = int(classes["fewest"] or 0) if people else None
    return ClassCounts(int(classes["smallest"] or 0), fewest, int(classes["short"]), int(classes["short_records"]), empty, untrue)


def class_sums(k: int) -> list[str]:
    """What is asked of the classes, each with its number of records `n` and of `people`."""
    return [
        "min(n) as smallest",
        "min(people) as fewest",
        f"count_if(n < {k}) as short",
        f"coalesce(sum(case when n < {k} then n end), 0) as short_records",
        "count(1) as different",
    ]

"""Records on a cluster with their items as typed: the input of methods that suppress items.

Each different name of a partition is stored once, and items are numbers of names there, in the order of the names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.cluster.arrow_schemas import NAMED, NUMBERED_NAMES, TYPED, Fitted, numbered_names, numbers_and_names, typed_tree
from shoal.cluster.equivalence_classes import different_names
from shoal.cluster.input_layout import stored_by_user
from shoal.cluster.prepare import ClusterRecords
from shoal.cluster.read_events import EventGrouping, log_of, sums_of
from shoal.cluster.spark import Cluster
from shoal.data.bags import Bags, Vocabulary
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import records_of
from shoal.taxonomy.place_terms import as_typed

TYPED_RECORDS = pa.schema([("owner", pa.int64()), ("items", NUMBERED_NAMES)])


def bags_in(table: pa.Table) -> Bags:
    """Return stored records."""
    starts, items, names = numbers_and_names(table)
    return Bags(
        starts, items.copy(), np.ones(len(items), np.int32), table.column("owner").to_numpy().copy(), Vocabulary.of_different(names)
    )


def typed_records(grouping: EventGrouping, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return the records of all people whose events are here, and their sums."""
    if not len(table):
        yield TYPED_RECORDS.empty_table()
        return
    log, sums = log_of(grouping, table)
    records = records_of(log, grouping.preparation)
    original = as_typed(records.bags, as_sets=grouping.preparation.as_sets, stop_words=records.stop_words)
    yield json.dumps(sums | sums_of(original))
    bags, names = original.bags, original.tree.names.names[1:]  # without the root
    yield pa.table([bags.owners, numbered_names(bags.indptr, bags.items - 1, names)], schema=TYPED_RECORDS)


def names_of_records(nothing: None, part: int, table: pa.Table) -> Iterator[pa.Table]:
    """Return the names in a stored partition."""
    names = numbers_and_names(table)[2]
    yield pa.table({"kind": np.full(len(names), TYPED, np.int32), "name": names.to_arrow()}).cast(NAMED)


def keep_typed_records(cluster: Cluster, data: Any, preparation: Preparation) -> ClusterRecords:
    """Store the records of paths or of a Spark data frame as typed."""
    records, sums, found = stored_by_user(cluster, data, preparation, typed_records, "records")
    parts = len(records.files)
    items = sum(different_names(cluster, records, names_of_records, None, parts).get(TYPED, []))
    fitted = Fitted.of(tree := typed_tree(items), np.zeros(0, np.int32))
    return ClusterRecords(records, sums, tree, fitted, found, items, (), parts, on_taxonomy=False)

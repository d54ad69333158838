"""The prepared input of a cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.cluster.arrow_schemas import Fitted
from shoal.cluster.input_layout import ClusterInput
from shoal.data.taxonomy import Taxonomy


@dataclass(frozen=True)
class ClusterRecords:
    """Records on the cluster, and their number of partitions; their sums, their tree, and how the input was read.

    Without a taxonomy the tree is a root, with all names as typed below it.
    """

    records: Any
    sums: Counter[str]
    tree: Taxonomy
    fitted: Fitted
    found: ClusterInput
    items: int
    notes: tuple[str, ...]
    partitions: int
    on_taxonomy: bool = True
    learned: Mapping[str, Any] = field(default_factory=dict)  # what topics are learned from

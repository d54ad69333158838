"""From the paths of the input to records on the taxonomy, which tasks store by partition: the input of methods that form groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.cluster import read_events as reading
from shoal.cluster.arrow_schemas import NODE, TYPED, UNKNOWN, Fitted
from shoal.cluster.equivalence_classes import different_names, names_in
from shoal.cluster.exchange import Sent, Step, stored
from shoal.cluster.input_layout import ClusterInput, find_input, tallied
from shoal.cluster.learn_topics import learned
from shoal.cluster.spark import Cluster
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible, InputError, ParameterError, option
from shoal.pipeline.events import PREPARING, stage
from shoal.pipeline.options import Preparation, is_file, is_topics, load_taxonomy
from shoal.pipeline.prepare import refuse_foreign_taxonomy
from shoal.taxonomy.place_terms import fitted_tree
from shoal.util.wording import counted


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


def keep_records(cluster: Cluster, data: Any, preparation: Preparation) -> ClusterRecords:
    """Store the records of paths or of a Spark data frame on the taxonomy."""
    found = find_input(cluster, data, preparation)
    insist_on_chosen_taxonomy(found, preparation)
    topics, facts = is_topics(preparation.taxonomy), dict[str, Any]()
    taxonomy, notes = (None, ()) if topics else load_taxonomy(preparation.taxonomy, preparation.loss)
    events = found.sent_to_owners(cluster)
    source: Sent | Step = events
    stage(PREPARING)
    if taxonomy is None:
        taxonomy, notes, facts, source = learned(cluster, events, found.gathering(reading.EventGrouping))
    placing = found.gathering(reading.Placing, taxonomy if topics or is_file(preparation.taxonomy) else None)
    records, words = stored(cluster, source, reading.kept_records, placing, "records")
    sums, defects = tallied([*events.words, *words])
    found = found.with_totals(sums, defects)
    names = different_names(cluster, records, names_in, None, events.parts)
    sums["unknown_terms"] = sum(names.get(UNKNOWN, []))
    insist_on_known(preparation, sums, sums["unknown_terms"])
    used = np.sort(np.array([node for nodes in names.get(NODE, []) for node in nodes], np.int64))
    tree, renumbered = fitted_tree(
        taxonomy, used, 0 if preparation.unknown == "drop" else sums["unknown_terms"], preparation.floor_in_force
    )
    fitted, items = Fitted.of(tree, renumbered), sum(names.get(TYPED, []))
    return ClusterRecords(records, sums, tree, fitted, found, items, notes, events.parts, learned=facts)


def insist_on_known(preparation: Preparation, sums: Counter[str], strange: int) -> None:
    """Raise if unknown terms are rejected, or if nearly all are unknown and their treatment was not chosen."""
    if preparation.unknown == "refuse" and strange:
        what = f"{counted(strange, 'term')} ({counted(sums['unknown_kept'], 'occurrence')}) not in the taxonomy"
        raise InputError(
            what,
            code="terms-not-in-taxonomy",
            hint=f"keep them with {option('unknown', 'keep')}, drop them with {option('unknown', 'drop')}",
        )
    if preparation.unknown is None:
        refuse_foreign_taxonomy(sums["typed"], sums["unknown_kept"])


def insist_on_chosen_taxonomy(found: ClusterInput, preparation: Preparation) -> None:
    """Raise if rows contain items and no taxonomy was chosen: one machine derives it from the paths of URLs; a cluster does not."""
    if "taxonomy" in preparation.follows and not found.text:
        raise ParameterError(
            "a cluster does not choose the taxonomy of items",
            code="not-on-a-cluster",
            hint=f"give {option('taxonomy', placeholder='FILE')}, or {option('taxonomy', 'wordnet')} for words",
        )


def insist_on_people(prepared: ClusterRecords, k: int) -> None:
    """Raise if fewer than k people have non-empty records."""
    people = prepared.sums["people"]
    if people < k:
        raise Infeasible(
            f"a group needs {k:,} people, but the data has only {people:,}",
            code="too-few-people",
            hint="lower k or use more data",
            value=people,
            limit=k,
        )

"""From the paths of the input to records on the taxonomy, which tasks store by partition: the input of methods that form groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.cluster import read_events as reading
from shoal.cluster import run_output as outcome
from shoal.cluster.arrow_schemas import NODE, RECORD, RECORDS, TALLY, TYPED, UNKNOWN, Fitted, typed_tree
from shoal.cluster.equivalence_classes import different_names, names_in
from shoal.cluster.exchange import Sent, Step, stored, stored_frame
from shoal.cluster.input_layout import ClusterInput, find_input, tallied
from shoal.cluster.learn_topics import learned
from shoal.cluster.prepared import ClusterRecords
from shoal.cluster.spark import Cluster
from shoal.data.bags import Small
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible, ParameterError, option
from shoal.pipeline.events import PREPARING, stage
from shoal.pipeline.options import NO_TAXONOMY, Preparation, is_file, is_topics, load_taxonomy
from shoal.taxonomy.place_terms import fitted_tree


def keep_records(cluster: Cluster, data: Any, how: Preparation) -> ClusterRecords:
    """Store the records of paths or of a Spark data frame on the taxonomy."""
    found = find_input(cluster, data, how)
    insist_on_chosen_taxonomy(found, how)
    topics, facts = is_topics(how.taxonomy), dict[str, Any]()
    given, notes = (None, ()) if topics else load_taxonomy(how.taxonomy, how.loss)
    events = found.sent_to_owners(cluster)
    source: Sent | Step = events
    stage(PREPARING)
    if given is None:
        given, notes, facts, source = learned(cluster, events, found.gathering(reading.EventGrouping))
    placing = found.gathering(reading.Placing, given if topics or is_file(how.taxonomy) else None)
    records, words = stored(cluster, source, reading.kept_records, placing, "records")
    sums, defects = tallied([*events.words, *words])
    found = found.with_totals(sums, defects)
    names = different_names(cluster, records, names_in, None, events.parts)
    sums["unknown_terms"] = sum(names.get(UNKNOWN, []))
    outcome.insist_on_known(how, sums, sums["unknown_terms"])
    used = np.sort(np.array([node for nodes in names.get(NODE, []) for node in nodes], np.int64))
    tree, renumbered = fitted_tree(given, used, 0 if how.unknown == "drop" else sums["unknown_terms"], how.floor_in_force)
    fitted, items = Fitted.of(tree, renumbered), sum(names.get(TYPED, []))
    return ClusterRecords(records, sums, tree, fitted, found, items, notes, events.parts, learned=facts)


# From the paths of the input to records on the cluster: the steps of the driver.


def prepare_records(cluster: Cluster, data: Any, how: Preparation) -> ClusterRecords:
    """Store the records of paths or of a Spark data frame on the cluster, on the taxonomy or with names as typed."""
    found = find_input(cluster, data, how)
    insist_on_chosen_taxonomy(found, how)
    given, notes = load_taxonomy(how.taxonomy, how.loss) if how.taxonomy != NO_TAXONOMY else (None, ())
    events = found.sent_to_owners(cluster)
    placing = found.gathering(reading.Placing, given if is_file(how.taxonomy) else None)
    stage(PREPARING)
    stored = stored_frame(cluster, events, reading.placed_records, placing, RECORDS, "records")
    told = (row[0] for row in cluster.collect(stored.where(f"kind = {TALLY}").selectExpr("words[0]")))
    sums, defects = tallied([*events.words, *told])
    items = different_in(cluster, stored.where(f"kind = {TYPED}"), "words")
    records = stored.where(f"kind = {RECORD}")
    found = found.with_totals(sums, defects)
    if given is None:
        tree, renumbered = typed_tree(items), np.zeros(0, np.int32)
    else:
        sums["unknown_terms"] = different_in(cluster, stored.where(f"kind = {UNKNOWN}"), "words")
        outcome.insist_on_known(how, sums, sums["unknown_terms"])
        tree, renumbered = _tree_of(cluster, records, given, how, sums["unknown_terms"])
    return ClusterRecords(records, sums, tree, Fitted.of(tree, renumbered), found, items, notes, events.parts, given is not None)


def insist_on_chosen_taxonomy(found: ClusterInput, how: Preparation) -> None:
    """Raise if rows contain items and no taxonomy was chosen: one machine derives it from the paths of URLs; a cluster does not."""
    if "taxonomy" in how.follows and not found.text:
        raise ParameterError(
            "a cluster does not choose the taxonomy of items",
            code="not-on-a-cluster",
            hint=f"give {option('taxonomy', placeholder='FILE')}, or {option('taxonomy', 'wordnet')} for words",
        )


def _tree_of(cluster: Cluster, records: Any, given: Taxonomy, how: Preparation, strange: int) -> tuple[Taxonomy, Small]:
    """Return the tree that the records use, and the numbers there of the nodes of the whole taxonomy."""
    used = np.array([row[0] for row in cluster.collect(records.selectExpr("explode(nodes) as node").distinct())], np.int64)
    return fitted_tree(given, np.sort(used), 0 if how.unknown == "drop" else strange, how.floor_in_force)


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


def different_in(cluster: Cluster, frame: Any, column: str) -> int:
    """Count the distinct values in the lists of a column."""
    return int(cluster.collect(frame.selectExpr(f"explode({column}) as name").distinct().selectExpr("count(1)"))[0][0])

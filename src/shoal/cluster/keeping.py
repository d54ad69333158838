"""From the paths of the input to records on the taxonomy, which tasks store part by part: what methods that form groups start from."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.cluster import manifest as outcome
from shoal.cluster import read_events as reading
from shoal.cluster.arrow_schemas import NODE, TYPED, UNKNOWN, Fitted
from shoal.cluster.equivalence_classes import different_names, names_in
from shoal.cluster.exchange import stored
from shoal.cluster.input_layout import find_input, tallied
from shoal.cluster.prepared import Prepared
from shoal.cluster.spark import Cluster
from shoal.pipeline.options import Preparation, is_file, load_taxonomy
from shoal.taxonomy.place_terms import fitted_tree


def keep_records(cluster: Cluster, data: Any, how: Preparation) -> Prepared:
    """The records of paths or of a frame of Spark on the taxonomy, as a stored step."""
    found = find_input(cluster, data, how)
    given, notes = load_taxonomy(how.taxonomy, how.loss)
    events = found.sent_to_owners(cluster)
    placing = found.gathering(reading.Placing, given if is_file(how.taxonomy) else None)
    records, words = stored(cluster, events, reading.kept_records, placing, "records")
    sums, defects = tallied([*events.words, *words])
    found = found.told(sums, defects)
    names = different_names(cluster, records, names_in, None, events.parts)
    sums["unknown_terms"] = sum(names.get(UNKNOWN, []))
    outcome.insist_on_known(how, sums, sums["unknown_terms"])
    used = np.sort(np.array([node for nodes in names.get(NODE, []) for node in nodes], np.int64))
    tree, renumbered = fitted_tree(given, used, 0 if how.unknown == "drop" else sums["unknown_terms"], how.floor_in_force)
    return Prepared(records, sums, tree, Fitted.of(tree, renumbered), found, sum(names.get(TYPED, [])), notes, events.parts)

"""What records tell about their people, in bits: a yardstick for releases on different taxonomies, or on none.

A node that is true of a share p of the people, who hold something below it, tells -log2(p) bits: nothing if it is true of everybody. A
record tells what its nodes tell, and what lies above two of them is counted once: knowing a node tells -log2(p / p of its parent) more than
knowing the parent. Repeated items count once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import Metric
from shoal.taxonomy.people_below import meets, people_below
from shoal.util.exact_numbers import logarithm

Floats = npt.NDArray[np.float64]


def bits(release: Release, original: Original) -> float:
    """The mean over the original's records; one that is not published tells nothing."""
    told = record_bits(release.published, original.tree, node_bits(original.bags, original.tree))
    return float((told * release.copies).sum() / max(1, len(original.bags)))


def record_bits(records: Bags, tree: Taxonomy, of_node: Floats) -> Floats:
    """What each record tells, where `of_node` is what a node tells."""
    first, shared = meets(records.indptr, records.items, tree)
    gained = of_node[records.items] - np.where(first, 0.0, of_node[shared])
    rows = np.repeat(np.arange(len(records)), np.diff(records.indptr))
    return np.bincount(rows, weights=gained, minlength=len(records)).astype(np.float64)


def node_bits(bags: Bags, tree: Taxonomy) -> Floats:
    """What each node tells about a person, of all people behind these records; a node that is true of nobody tells 0."""
    people = people_below(bags, tree)
    told: Floats = (logarithm(max(1, bags.n_owners)) - logarithm(np.maximum(people, 1))) / logarithm(2.0)
    return np.where(people > 0, np.maximum(told, 0.0), 0.0)


BITS = Metric(
    "bits",
    "information of a record about its person, beyond what is true of everybody, in bits",
    "higher",
    bits,
    routine=False,
    with_additions=False,
)

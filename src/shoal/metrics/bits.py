"""What records tell about their people, in bits: a yardstick for releases on different taxonomies, or on none.

A node that is true of a share p of the people, who hold something below it, tells -log2(p) bits: nothing if it is true of everybody. A
record tells what its nodes tell, and what lies above two of them counts once: a node tells -log2(p / p of its parent) beyond its parent
(`bits`). Repeated items count once.

Words that always occur together count as independent there, if the taxonomy separates them. `joint_bits` also subtracts what nodes tell in
common because of that, pair by pair along the heaviest tree that joins them all (as in Chow and Liu's approximation of a joint
distribution): log2 of how much more often than by chance two nodes are true together. This is counted on other people than those of the
record, who were put together because they are alike, and pairs of few people count for little.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints, Small
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.metrics import Metric
from shoal.taxonomy.people_below import meets, people_below
from shoal.util.numbers import distinct, logarithm

Floats = npt.NDArray[np.float64]

MOST_RECORDS = 1_000  # different published records that are measured, evenly chosen
MOST_PEOPLE = 8_192  # people on whom pairs are counted, evenly chosen
SEEN_BEFORE = 1.0  # pseudocounts of every pair: together, and by chance


def bits(release: Release, original: Original) -> float:
    """Return what records tell where nodes are independent; the mean over the original's records, an unpublished one of which tells
    nothing.
    """
    records, tree = release.published, original.tree
    of_node = node_bits(original.bags, tree)
    first, shared = meets(records.indptr, records.items, tree)
    gained = of_node[records.items] - np.where(first, 0.0, of_node[shared])
    rows = np.repeat(np.arange(len(records)), np.diff(records.indptr))
    gained_bits = np.bincount(rows, weights=gained, minlength=len(records))
    return float((gained_bits * release.copies).sum()) / max(1, len(original.bags))


def joint_bits(release: Release, original: Original) -> float:
    """Return the same without the information that nodes of a record have in common."""
    records, copies, tree = release.published, release.copies, original.tree
    chosen = np.unique(np.linspace(0, max(0, len(records) - 1), min(len(records), MOST_RECORDS)).astype(np.int64))
    of_node, pairs = node_bits(original.bags, tree), Pairs(original.bags, tree)
    bits_of_records = [
        record_bits(records.items[records.indptr[row] : records.indptr[row + 1]], int(copies[row]), of_node, pairs) for row in chosen
    ]
    share = float((np.array(bits_of_records) * copies[chosen]).sum() / max(1, copies[chosen].sum()))
    return share * float(copies.sum()) / max(1, len(original.bags))


def node_bits(bags: Bags, tree: Taxonomy) -> Floats:
    """Return the information in bits that each node gives about a person among all people of these records; 0 if it is true of nobody."""
    people = people_below(bags, tree)
    node_information: Floats = (logarithm(max(1, bags.n_owners)) - logarithm(np.maximum(people, 1))) / logarithm(2.0)
    return np.where(people > 0, np.maximum(node_information, 0.0), 0.0)


class Pairs:
    """Counts of the people for whom two nodes are true."""

    def __init__(self, bags: Bags, tree: Taxonomy) -> None:
        owners = distinct(bags.owners)
        chosen = owners[np.unique(np.linspace(0, max(0, len(owners) - 1), min(len(owners), MOST_PEOPLE)).astype(np.int64))]
        owner = np.repeat(bags.owners, np.diff(bags.indptr))
        here = np.isin(owner, chosen)
        order = np.argsort(bags.items[here], kind="stable")
        self._person = np.searchsorted(chosen, owner[here])[order]
        self._begin = np.searchsorted(bags.items[here][order], np.arange(len(tree) + 1))
        self._share = len(chosen) / max(1, len(owners))
        self._people, self._tree = len(chosen), tree
        self._holders: dict[int, Ints] = {}

    def in_common(self, items: Small, copies: int, of_node: Floats) -> Floats:
        """Return the information shared by each two of these sorted nodes, for a record with this many copies."""
        true = np.zeros((len(items), self._people), np.float32)
        for row, node in enumerate(items.tolist()):
            true[row, self._holders_of(node)] = 1
        own = copies * self._share
        together = np.maximum(0.0, (true @ true.T).astype(np.float64) - own)
        alone = np.diag(together)
        chance = alone[:, None] * alone[None, :] / max(1.0, self._people - own)
        lift = np.log2((together + SEEN_BEFORE) / (chance + SEEN_BEFORE))
        most = np.minimum(of_node[items][:, None], of_node[items][None, :])
        return np.asarray(np.minimum(np.maximum(lift, of_node[self._above(items)]), most))

    def _holders_of(self, node: int) -> Ints:
        if node not in self._holders:
            self._holders[node] = distinct(self._person[self._begin[node] : self._begin[self._tree.end[node]]])
        return self._holders[node]

    def _above(self, items: Small) -> Ints:
        """Return the lowest node above each two items: of the nodes where neighbours between them meet the first."""
        meeting = meets(np.array([0, len(items)]), items, self._tree)[1]
        found = np.empty((len(items), len(items)), np.int64)
        for row in range(len(items)):
            found[row, row] = items[row]
            found[row, row + 1 :] = found[row + 1 :, row] = np.minimum.accumulate(meeting[row + 1 :])
        return found


def record_bits(items: Small, copies: int, of_node: Floats, pairs: Pairs) -> float:
    """Return the bits of a record: the sum over its nodes, minus what they have in common along the heaviest tree joining them."""
    if len(items) < 2:
        return float(of_node[items].sum())
    common = pairs.in_common(items, copies, of_node)
    joined, best, total = np.zeros(len(items), bool), common[0].copy(), 0.0
    joined[0] = True
    for _ in range(len(items) - 1):
        nearest = int(np.argmax(np.where(joined, -1.0, best)))
        total += best[nearest]
        joined[nearest] = True
        best = np.maximum(best, common[nearest])
    return float(of_node[items].sum() - total)


BITS = Metric(
    "bits",
    "information of a record about its person, beyond what is true of everybody, in bits",
    "higher",
    bits,
    routine=False,
    with_additions=False,
)

JOINT_BITS = Metric(
    "joint_bits",
    "bits, without the information that the nodes of a record share because they mostly occur together",
    "higher",
    joint_bits,
    routine=False,
    with_additions=False,
)

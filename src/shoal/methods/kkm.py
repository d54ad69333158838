"""(k, k^m)-anonymity for tables with item sets: attributes and items are generalized together (Poulis et al., ECML PKDD 2013).

Guarantee: whoever knows all attributes of a person and up to m items finds at least k people. Rows are clustered by their attributes, at
least k people each (MDAV). Clusters are then merged as long as the attributes lose at most `delta`: larger clusters keep more items,
because more of their people share each. The next merge is the one with the largest gain in items per loss in attributes. Every cluster
publishes the ranges of its attributes, and its items by local recoding as the method km.

Differences from the paper: MDAV instead of its greedy clusters, the gain is estimated from how many rows share each node of the taxonomy,
and items are recoded locally. Time: O(rows^2 / k) for the clusters and O((rows / k)^2) for the merges.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.data.accounting import Accounting, Ledger, Part, changed, gone, kept
from shoal.data.bags import Bags, Ints, Small
from shoal.data.claims import Model
from shoal.data.column_list import ColumnNames
from shoal.data.original import TableOriginal, shared_occurrences
from shoal.data.release import Release
from shoal.data.table import ITEM_SEPARATOR, Attribute, Floats, Table
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible, ParameterError, option
from shoal.itemsets.local_recoding import LOSS, WORDS, recoding_in_groups
from shoal.methods import Method
from shoal.methods.bases.microdata import MICRODATA
from shoal.methods.bases.release_builder import build_row_release
from shoal.microaggregation.spaces import groups_of_table
from shoal.microaggregation.value_ranges import GroupValues, group_values
from shoal.parameters import param
from shoal.privacy.evidence.known_sets import MOST_KNOWN
from shoal.privacy.kkm_anonymity import KKmAnonymity
from shoal.util.numbers import distinct, members_of

NEAREST = 10  # clusters that a cluster may be merged with next: those that cost the attributes least
FINENESS = 1_000  # of the weights of nodes, which are whole numbers so that sums depend on no order
LITTLE = 1e-9  # loss of attributes that counts as none


@dataclass(frozen=True)
class KKm(Method):
    """Generalizes the attributes and the items of a table together: at least k people match all attributes and any m items."""

    name = "kkm"
    paper = "Poulis, Loukides, Gkoulalas-Divanis and Skiadopoulos, ECML PKDD 2013, with local recoding"
    takes = frozenset({"table with items"})
    publishes = "rows"
    known_items = "m"
    worth_comparing = True

    k: int = param(5, minimum=2, help="minimum number of people per combination of attributes and known items")
    m: int = param(2, minimum=1, maximum=MOST_KNOWN, help="number of items known to an attacker")
    delta: float = param(
        0.2, minimum=0.0, maximum=1.0, help="largest loss of attribute detail up to which clusters are merged, from 0 to 1"
    )
    aim: str = param(WORDS, choices=(LOSS, WORDS), help="what to optimize for items: least loss, or most original items")

    @property
    def needs_taxonomy(self) -> bool:
        """False: the taxonomy of the items comes with their column."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """Claim (k, k^m)-anonymity; the columns depend on the table."""
        return (KKmAnonymity(k=self.k, m=self.m),)

    def apply(self, original: TableOriginal) -> Release:
        """Publish every row with the ranges of its cluster and its recoded items."""
        table = original.table
        if len(table.item_sets) != 1:
            raise ParameterError(
                f"the method {self.name} takes one column of item sets, not {len(table.item_sets):,}",
                code="wrong-kind-of-input",
                hint=f"name one with {option('item-sets')}",
            )
        (attribute,), (sets,) = table.item_sets, original.item_sets
        assert attribute.tree is not None
        tree = attribute.tree.barring(np.arange(len(attribute.tree)) == 0)  # the root is true of everything
        clusters = merged_clusters(table, sets, tree, self._clusters(table), self.k, self.delta)
        places = recoding_in_groups(sets, tree, clusters.group, self.k, self.m, self.aim)
        published = Bags.from_rows(sets.indptr, places, sets.counts, sets.vocabulary, sets.owners, as_sets=True)
        frame = _published_frame(table, clusters, published)
        release = build_row_release(
            self, len(table), {MICRODATA: RowTable(frame)}, {"generalized": changed(len(table))}, np.arange(len(table))
        )
        assert release.accounting is not None
        account = Accounting(
            {"rows": release.accounting["rows"], "occurrences": Ledger(sets.occurrences, _item_outcomes(sets, places, published))}
        )
        return replace(release, claims=(self._claim(table, attribute),), accounting=account)

    def _clusters(self, table: Table) -> Ints:
        """Return clusters of at least k people with similar attributes."""
        if table.n_owners < self.k:
            raise Infeasible(
                f"a group needs {self.k:,} people, but the data has only {table.n_owners:,}",
                code="too-few-people",
                hint="lower k or use more data",
                value=table.n_owners,
                limit=self.k,
            )
        return groups_of_table(table, self.k) if table.quasi else np.zeros(len(table), np.int64)

    def _claim(self, table: Table, attribute: Attribute) -> KKmAnonymity:
        names = tuple(one.name for one in table.quasi)
        return KKmAnonymity(k=self.k, m=self.m, columns=ColumnNames(names) if names else None, item_sets=ColumnNames((attribute.name,)))


# -- merging clusters


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each row, from 0 without gaps, and for each column the published text of each cluster."""

    group: Ints
    texts: dict[str, list[str]]


def merged_clusters(table: Table, sets: Bags, tree: Taxonomy, group: Ints, k: int, delta: float) -> Clusters:
    """Merge clusters while the mean loss of the attributes stays within delta."""
    values = [group_values(attribute, group) for attribute in table.quasi]
    merging = _Merging(values, np.bincount(group), [shared_nodes(sets, tree, rows) for rows in members_of(group)], tree.weights, k)
    owner = merging.run(delta * len(table))
    left = distinct(owner)
    texts = {attribute.name: one.texts(left) for attribute, one in zip(table.quasi, values, strict=True)}
    return Clusters(np.searchsorted(left, owner[group]), texts)


@dataclass(frozen=True, eq=False)
class SharedNodes:
    """The nodes with an item below them in some row of a cluster, and the number of such rows."""

    nodes: Ints
    rows: Ints


def shared_nodes(sets: Bags, tree: Taxonomy, rows: Ints) -> SharedNodes:
    """Count the rows with an item at or below each node."""
    nodes = [np.array(sorted(_upwards(sets, tree, int(row))), np.int64) for row in rows]
    found, counts = np.unique(np.concatenate([*nodes, np.zeros(0, np.int64)]), return_counts=True)
    return SharedNodes(found, counts.astype(np.int64))


def _upwards(sets: Bags, tree: Taxonomy, row: int) -> set[int]:
    """Return the items of a row and all nodes above them except the root."""
    found: set[int] = set()
    for item in sets.items[sets.indptr[row] : sets.indptr[row + 1]].tolist():
        node = item
        while node > 0 and node not in found:
            found.add(node)
            node = int(tree.parent[node])
    return found


class _Merging:
    """Clusters that absorb each other, and the gain and loss of doing so.

    The worth of a node that s rows of a cluster share is its weight times s if s >= k, because it can then be published, and times s^2 / k
    otherwise, because the cluster is that near to it. So a merge of clusters that share nodes always gains.
    """

    def __init__(self, values: list[GroupValues], sizes: Ints, shared: list[SharedNodes], weights: Ints, k: int) -> None:
        self._values, self._sizes, self._shared, self._k = values, sizes.astype(np.int64), shared, k
        self._weights = weights.astype(np.int64) * FINENESS // max(1, int(weights.max(initial=1)))
        self._owner = np.arange(len(sizes))
        self._version = np.zeros(len(sizes), np.int64)

    def run(self, budget: float) -> Ints:
        """Merge while the total loss is at most the budget. Returns the cluster that each one became part of."""
        spent = math.fsum(self._sizes * self._cost())
        waiting = [entry for cluster in range(len(self._sizes)) for entry in self._candidates(cluster)]
        heapq.heapify(waiting)
        while waiting:
            _, cluster, other, loss, versions = heapq.heappop(waiting)
            if versions != (self._version[cluster], self._version[other]):
                if versions[0] == self._version[cluster] and self._is_left(cluster):
                    self._renew(waiting, cluster)
                continue
            if spent + loss > budget:
                continue
            spent += loss
            self._merge(cluster, other)
            self._renew(waiting, cluster)
        while (self._owner != self._owner[self._owner]).any():
            self._owner = self._owner[self._owner]
        return self._owner

    def _renew(self, waiting: list[tuple[float, int, int, float, tuple[int, int]]], cluster: int) -> None:
        for entry in self._candidates(cluster):
            heapq.heappush(waiting, entry)

    def _is_left(self, cluster: int) -> bool:
        return bool(self._owner[cluster] == cluster)

    def _cost(self) -> Floats:
        """Return the mean cost of each cluster over the attributes."""
        return sum((one.cost() for one in self._values), np.zeros(len(self._sizes))) / max(1, len(self._values))

    def _candidates(self, cluster: int) -> Iterator[tuple[float, int, int, float, tuple[int, int]]]:
        """Yield the best merge of a cluster with one that is near to it, if any: less is better, then the cluster's number."""
        others = np.flatnonzero((self._owner == np.arange(len(self._owner))) & (np.arange(len(self._owner)) != cluster))
        if not len(others):
            return
        together = sum((one.cost_with(cluster, others) for one in self._values), np.zeros(len(others))) / max(1, len(self._values))
        alone = self._sizes * self._cost()
        losses = np.maximum(0.0, (self._sizes[others] + self._sizes[cluster]) * together - alone[others] - alone[cluster])
        best: tuple[float, int, float] | None = None
        for at in np.argsort(losses, kind="stable")[:NEAREST].tolist():
            other, gain = int(others[at]), self._gain(cluster, int(others[at]))
            ratio = gain / (float(losses[at]) + LITTLE)
            if gain > 0 and (best is None or ratio > best[0]):
                best = ratio, other, float(losses[at])
        if best is not None:
            yield -best[0], cluster, best[1], best[2], (int(self._version[cluster]), int(self._version[best[1]]))

    def _gain(self, cluster: int, other: int) -> float:
        mine, theirs = self._shared[cluster], self._shared[other]
        nodes, here, there = np.intersect1d(mine.nodes, theirs.nodes, assume_unique=True, return_indices=True)
        a, b = mine.rows[here], theirs.rows[there]
        more = self._worth(a + b) - self._worth(a) - self._worth(b)
        return float((more * self._weights[nodes]).sum())

    def _worth(self, rows: Ints) -> Ints:
        return np.where(rows >= self._k, rows * self._k, rows * rows)

    def _merge(self, cluster: int, other: int) -> None:
        for one in self._values:
            one.absorb(cluster, other)
        self._sizes[cluster] += self._sizes[other]
        mine, theirs = self._shared[cluster], self._shared[other]
        nodes, place = np.unique(np.concatenate([mine.nodes, theirs.nodes]), return_inverse=True)
        rows = np.bincount(place, weights=np.concatenate([mine.rows, theirs.rows])).astype(np.int64)
        self._shared[cluster], self._shared[other] = SharedNodes(nodes, rows), SharedNodes(nodes[:0], rows[:0])
        self._owner[other] = cluster
        self._version[[cluster, other]] += 1


# -- what is published


def _published_frame(table: Table, clusters: Clusters, published: Bags) -> pl.DataFrame:
    """Return the table's columns in order: ranges of clusters, recoded items, and kept columns unchanged."""
    columns = {}
    for attribute in table.attributes:
        if attribute.kind == "items":
            columns[attribute.name] = published.to_polars().list.sort().list.join(ITEM_SEPARATOR)
        elif attribute.quasi:
            columns[attribute.name] = pl.Series(clusters.texts[attribute.name], dtype=pl.String).gather(clusters.group)
        else:
            columns[attribute.name] = attribute.values
    return pl.DataFrame(columns)


def _item_outcomes(sets: Bags, places: Small, published: Bags) -> dict[str, Part]:
    """Return the outcome of the items; items of a row with the same published node are merged."""
    same, shown = shared_occurrences(sets, published, np.arange(len(sets))), int((places >= 0).sum())
    merged = shown - published.occurrences
    return {
        "kept": kept(same),
        "generalized": changed(published.occurrences - same),
        "merged": gone(merged),
        "suppressed": gone(sets.occurrences - shown),
    }

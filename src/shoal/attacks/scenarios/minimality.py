"""Minimality: a published record is the least common generalization of its group, so no finer one was possible; what does this disclose?

Two people are published as {Fruit}, and there are two kinds of fruit, apples and oranges. If neither of them had an apple, both would have
an orange, and Orange would have been published. So somebody has an apple, and by the same reasoning somebody has an orange: each has one.
With a third kind of fruit nothing is certain: they may have an orange and a banana. If both have two of the three, {Fruit, Fruit}, it is
certain again: without apples both would have an orange and a banana.

Let n(v) be the number of existing items at or below a node v, and m(v) the number of items of the published record there. Every member has
at least m(v) items there, and for every v some member has no more: otherwise more would have been published. Suppose that nobody has item
i, and consider the member with only m(u) items below a node u that is not above i. Below a node x above both of them this member has at
most n(x) - 1 - n(u) + m(u) items, if each occurs once. If that is less than m(x), the assumption is wrong: somebody has i. In all other
cases there are records without i that together are published as the same record. In bags items may be repeated, and the only bound is that
all items below x except i lie below u.

The attacker knows which items exist. The number of people in the group is not used: in a small group more may be certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shoal.attacks import Trial
from shoal.attacks.scenarios import Made, Scenario, ScenarioAttack, ScenarioTrial, Skipped, Tried
from shoal.attacks.scenarios.changed_records import classes_of
from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.tree_counts import meet
from shoal.util.numbers import distinct, distinct_pairs

SAMPLE = 20  # items that somebody who does not reason so tries in each group


@dataclass(frozen=True)
class Minimality(ScenarioAttack):
    """An attacker who knows that no finer record could be published infers items that somebody of the group must hold."""

    name = "minimality"
    test = "inference"
    story = (
        "An attacker knows that every record is published as specifically as its group allows: if all members had the same more specific "
        "item, it would have been published. This rules out some originals, so someone in the group must have certain unpublished items."
    )

    def tried(self, scenario: Scenario) -> Tried:
        """Attack: an item is certain for somebody of the group; and only one record has that item."""
        if not _is_least(scenario.made):
            raise Skipped("the records are not the least common generalizations of their groups")
        groups = ReleasedGroups(scenario)
        found = [groups.read(int(label)) for label in groups.classes[scenario.targets]]
        certain = np.array([reading.certain for reading in found], np.float64)
        lengths, sure = scenario.lengths(scenario.targets), certain > 0
        guessed = float(np.mean([reading.guessed for reading in found])) if found else 0.0
        alone = np.array([reading.alone for reading in found], np.float64)
        drawn = float(np.mean([reading.drawn for reading in found])) if found else 0.0
        return Tried(
            (
                ScenarioTrial(Trial("an item of somebody in the group, for certain", None, certain, guessed, sure), lengths),
                ScenarioTrial(Trial("that item singles a record out", None, alone, drawn, sure), lengths, test="singling out"),
            )
        )


@dataclass(frozen=True)
class GroupReading:
    """What is inferred from a group.

    `certain`: somebody certainly has some item that is not published. `alone`: the share of such items for which a single original record
    matches the published record and has the item. `guessed` and `drawn`: the same for random items, by an attacker who only knows that they
    lie below what is published: the share that anybody of the group has, and the share for which a record is alone.
    """

    certain: bool
    alone: float
    guessed: float
    drawn: float


class Nature:
    """The existing items on their tree: the number at or below each node, once each in sets and any number in bags."""

    def __init__(self, tree: Taxonomy, exist: npt.NDArray[np.bool_], *, sets: bool) -> None:
        self.tree, self.exist, self.sets = tree, exist, sets
        self.n = tree.sum_up(exist.astype(np.int64))
        self.withheld = np.zeros(len(tree), bool) if tree.barred is None else tree.barred

    @cached_property
    def _largest_child(self) -> Ints:
        found = np.zeros(len(self.tree), np.int64)
        np.maximum.at(found, self.tree.parent[1:], self.n[1:])
        return found

    def above(self, nodes: Ints, counts: Ints) -> dict[int, int]:
        """Return m: the number of these published items at or below each node with any."""
        found: dict[int, int] = {}
        for node, count in zip(nodes.tolist(), counts.tolist(), strict=True):
            v = node
            while v >= 0:
                found[v] = found.get(v, 0) + count
                v = int(self.tree.parent[v])
        return found

    def certain(self, nodes: Ints, counts: Ints) -> Ints:
        """Return the items that somebody in a group published like this must have, except the published ones.

        Items suppressed as too general make m a lower bound above them, and imply nothing below them.
        """
        published, proven = self.above(nodes, counts), np.zeros(len(self.tree), bool)
        for x, m in published.items():
            if self.n[x] - m <= self._largest_child[x]:
                self._prove(x, m, published, proven)
        proven &= self.exist
        proven[nodes] = False
        return np.flatnonzero(proven)

    def _prove(self, x: int, m: int, published: dict[int, int], proven: npt.NDArray[np.bool_]) -> None:
        """Mark the items that somebody must have below x: everything outside of a node below which a member with few items has too much
        room.
        """
        first, end = x + 1, int(self.tree.end[x])
        below = np.zeros(end - first, np.int64)
        for node, count in published.items():
            if first <= node < end:
                below[node - first] = count
        n = self.n[first:end]
        tight = n - below >= self.n[x] - m if self.sets else (n == self.n[x] - 1) & (below < m)
        for u in first + np.flatnonzero(tight & (n < self.n[x]) & ~self.withheld[first:end]):
            outside = np.ones(end - x, bool)
            outside[u - x : int(self.tree.end[u]) - x] = False
            proven[x:end] |= outside


class ReleasedGroups:
    """The groups of a release, each analysed once."""

    def __init__(self, scenario: Scenario) -> None:
        made = scenario.made
        self.original: Original = made.original
        self.published = made.original.aligned(made.release).published
        self.classes = classes_of(made)
        self._row = made.rows
        self._read: dict[int, GroupReading] = {}
        self._chance = np.random.default_rng(scenario.seed)
        exist = np.bincount(self.original.bags.items, minlength=len(self.original.tree)) > 0
        self.nature = Nature(self.original.tree, exist, sets=self.original.as_sets)
        self._holders = self.original.bags.to_scipy().tocsc()
        self._marked = np.zeros(len(self.original.bags), bool)  # scratch of `_counted`

    def read(self, label: int) -> GroupReading:
        """Return what is inferred from the group of this number."""
        if label not in self._read:
            members = np.flatnonzero(self.classes == label)
            self._read[label] = self._reading(members, int(self._row[members[0]]))
        return self._read[label]

    def _reading(self, members: Ints, row: int) -> GroupReading:
        span = slice(self.published.indptr[row], self.published.indptr[row + 1])
        nodes, counts = self.published.items[span].astype(np.int64), self.published.counts[span].astype(np.int64)
        certain, tried, above = self.nature.certain(nodes, counts), self._below(nodes), self.nature.above(nodes, counts)
        published = {int(node): above[int(node)] for node in nodes}
        held = self._counted([self._holding(int(item)) for item in tried], members) > 0
        return GroupReading(
            certain=bool(len(certain)),
            alone=self._alone(certain, published),
            guessed=float(held.mean()) if len(tried) else 0.0,
            drawn=self._alone(tried, published),
        )

    def _below(self, nodes: Ints) -> Ints:
        """Draw some existing, unpublished items below published nodes."""
        inside = np.zeros(len(self.original.tree), bool)
        for node in nodes:
            inside[node : self.original.tree.end[node]] = True
        inside[nodes] = False
        return self._chance.permutation(np.flatnonzero(inside & self.nature.exist))[:SAMPLE]

    def _alone(self, items: Ints, published: dict[int, int]) -> float:
        """Return the share of these items for which a single original record matches the published one and has the item."""
        if not len(items):
            return 0.0
        holders = [self._holding(int(item)) for item in items]
        fitting = self._fitting(distinct(np.concatenate(holders)), published)
        return float(np.mean(self._counted(holders, fitting) == 1))

    def _fitting(self, records: Ints, published: dict[int, int]) -> Ints:
        """Return the records with at least as many items at or below every published node, and so below all others."""
        end = self.original.tree.end
        for node in sorted(published, key=lambda node: int(end[node]) - node):  # what few records have leaves few to look at
            some = self.original.bags.select(records)
            inside = (some.items >= node) & (some.items < end[node])
            below = np.concatenate([[0], np.cumsum(np.where(inside, some.counts, 0))])
            records = records[below[some.indptr[1:]] - below[some.indptr[:-1]] >= published[node]]
        return records

    def _counted(self, several: Sequence[Ints], among: Ints) -> Ints:
        """Return how many records of each list are among these."""
        self._marked[among] = True
        found = np.array([np.count_nonzero(self._marked[one]) for one in several], np.int64)
        self._marked[among] = False
        return found

    def _holding(self, item: int) -> Ints:
        """Return the records with an item."""
        return self._holders.indices[self._holders.indptr[item] : self._holders.indptr[item + 1]].astype(np.int64)


def _is_least(made: Made) -> bool:
    """Whether every class is published as the least common generalization of its records, except for nodes suppressed as too general."""
    tree, classes = made.original.tree, classes_of(made)
    if not len(classes) or classes.max() < 0:
        return False
    least = meet(made.original.bags, tree, classes)
    kept = np.arange(len(tree)) if tree.barred is None else np.where(tree.barred, -1, np.arange(len(tree)))
    finest = least.relabelled(kept.astype(np.int32), tree.names)
    there = np.flatnonzero(classes >= 0)
    published = made.original.aligned(made.release).published
    return _same(finest, classes[there], published, made.rows[there])


def _same(one: Bags, rows: Ints, other: Bags, others: Ints) -> bool:
    """Whether these rows of both are equal."""
    first, second, _ = distinct_pairs(rows, others)
    difference = one.to_scipy()[first] - other.to_scipy()[second]
    return int(np.count_nonzero(difference.data)) == 0

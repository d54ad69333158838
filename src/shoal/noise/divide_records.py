"""DiffPart: divide sets of items along a public tree, and count the parts with noise.

Chen, Mohammed, Fung, Desai and Xiong, "Publishing set-valued data via differential privacy", PVLDB 4(11), 2011. A part is a cut of the tree
with the people whose items are below all of its nodes and below no others. Expanding a node of the cut divides a part by the non-empty set
of children that a person's items are below; noise is added to the number of people of every such set, also of those that nobody has, and
the sets whose noisy number reaches a threshold are divided further. Every person is in one part of each division, so the budgets of the
divisions on the way to a part add up to what the part costs, and no way costs more than the whole budget.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from shoal import kernels
from shoal.data.bags import Ints
from shoal.noise.bounded_tree import BoundedTree, Cut

Noise = Callable[[Ints, float], Ints]  # adds integer Laplace noise of this scale

LESS = 1 - 1e-12  # of a budget, so that rounding cannot decide whether a judge agrees


@dataclass(frozen=True)
class PathBudget:
    """The budget of every path from the root to a published part.

    `dividing` is for the divisions, `counting` for the count at the end, which also gets what the divisions left. A person has at most
    `cap` items. `spurious` is the expected number of parts without anybody that are kept at each division.
    """

    dividing: float
    counting: float
    cap: int
    spurious: float


@dataclass(frozen=True, eq=False)
class LeafEntries:
    """Entries of people: `people[i]` has an item at the leaf `leaves[i]`. Every person has at least one, and none twice."""

    people: Ints
    leaves: Ints

    def of(self, people: Ints) -> LeafEntries:
        """Return the entries of these people."""
        inside = np.isin(self.people, people)
        return LeafEntries(self.people[inside], self.leaves[inside])


NOBODY = LeafEntries(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True, eq=False)
class NoisyPart:
    """A cut, the people in it, what is left for dividing it, its noisy number and the threshold that this reached."""

    cut: Cut
    records: LeafEntries
    left: float
    noisy: int = 0
    limit: int = 0


@dataclass(frozen=True)
class Division:
    """The children of a part: those that are complete get all that is left of the budget, the others a share of it."""

    place: int
    choices: tuple[Cut, ...]
    complete: tuple[bool, ...]
    scale: float
    last_scale: float
    left: float

    def limit(self, complete: bool, spurious: float) -> int:
        """Return the smallest noisy number with which such a child is kept: at least 1.

        Noise of this scale is n or more with probability e^(-n / scale) / (1 + e^(-1 / scale)).
        """
        scale = self.last_scale if complete else self.scale
        return max(1, math.ceil(scale * math.log(len(self.choices) / (spurious * (1 + math.exp(-1 / scale))))))


def planned(tree: BoundedTree, cut: Cut, left: float, budget: PathBudget) -> Division:
    """Return how a part with this cut is divided. It depends on the tree and the budget alone, never on data."""
    place = tree.next_node(cut)
    children = tree.children[cut[place]]
    chosen = _subsets(len(children), min(len(children), budget.cap - len(cut) + 1))
    choices = tuple(tuple(children[i] for i in subset) for subset in chosen)
    others = tree.is_complete((*cut[:place], *cut[place + 1 :]))
    complete = tuple(others and tree.is_complete(choice) for choice in choices)
    share = left / tree.most_steps(cut, budget.cap)
    return Division(place, choices, complete, 1 / (share * LESS), 1 / ((budget.counting + left) * LESS), max(0.0, left - share))


@cache
def _subsets(children: int, largest: int) -> tuple[Cut, ...]:
    """Return all non-empty sets of at most so many of the children, by their numbers."""
    return tuple(subset for size in range(1, largest + 1) for subset in combinations(range(children), size))


@cache
def _codes(children: int, largest: int) -> Ints:
    """Return the sets of children as bits, in the same order."""
    return np.array([sum(1 << i for i in subset) for subset in _subsets(children, largest)], np.int64)


def divide(tree: BoundedTree, records: LeafEntries, budget: PathBudget, noise: Noise, *, rest: bool = False) -> dict[Cut, int]:
    """Return the cuts to publish with their noisy numbers of people.

    Args:
        tree: The public tree.
        records: The items of people, at most `budget.cap` of each.
        budget: The budget of each path.
        noise: Draws the noise.
        rest: Whether a part that was divided is published too, with what its noisy number exceeds those of its kept children by.

    Returns:
        Complete cuts and, with `rest`, others.
    """
    found: dict[Cut, int] = {}
    pending = [NoisyPart((0,), records, budget.dividing)] if tree.children[0] else []
    divided = 0
    while pending:
        part = pending.pop()
        divided += 1
        if divided % 64 == 0:
            kernels.report("dividing", divided, 0)
        ready, further = _children(tree, part, budget, noise)
        for child in ready:
            found[child.cut] = child.noisy
        pending += further
        over = part.noisy - sum(child.noisy for child in (*ready, *further))
        if rest and part.noisy and over >= part.limit:
            found[part.cut] = over
    return found


def _children(tree: BoundedTree, part: NoisyPart, budget: PathBudget, noise: Noise) -> tuple[list[NoisyPart], list[NoisyPart]]:
    """Divide a part. Return the children that are published, and those that are divided further."""
    plan = planned(tree, part.cut, part.left, budget)
    node = part.cut[plan.place]
    people, which = _chosen(tree, part.records, node, plan)
    numbers = np.bincount(which, minlength=len(plan.choices)).astype(np.int64)
    complete = np.array(plan.complete, bool)
    noisy = np.empty(len(numbers), np.int64)
    for kind, scale in ((True, plan.last_scale), (False, plan.scale)):
        if (complete == kind).any():
            noisy[complete == kind] = noise(numbers[complete == kind], scale)
    limits = np.where(complete, plan.limit(True, budget.spurious), plan.limit(False, budget.spurious))
    ready: list[NoisyPart] = []
    further: list[NoisyPart] = []
    for choice in np.flatnonzero(noisy >= limits).tolist():
        cut = tuple(sorted((*part.cut[: plan.place], *plan.choices[choice], *part.cut[plan.place + 1 :])))
        inside = NOBODY if complete[choice] else part.records.of(people[which == choice])
        child = NoisyPart(cut, inside, plan.left, int(noisy[choice]), int(limits[choice]))
        (ready if complete[choice] else further).append(child)
    return ready, further


def _chosen(tree: BoundedTree, records: LeafEntries, node: int, plan: Division) -> tuple[Ints, Ints]:
    """Return the people of a part, sorted, and for each of them which of the choices their items below the node are."""
    inside = (records.leaves >= tree.first[node]) & (records.leaves < tree.end[node])
    children = np.array(tree.children[node])
    child = np.searchsorted(tree.first[children], records.leaves[inside], side="right") - 1
    people, number = np.unique(records.people[inside], return_inverse=True)
    bits = np.zeros(len(people), np.int64)
    np.bitwise_or.at(bits, number, np.int64(1) << child)
    codes = _codes(len(children), max(len(choice) for choice in plan.choices))
    order = np.argsort(codes)
    return people, order[np.searchsorted(codes[order], bits)]

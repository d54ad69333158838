"""Removes moles by generalization where that loses less than suppression.

One step replaces all published public items below a node by that node, everywhere, or suppresses one item everywhere; the step that removes
most moles per loss is taken. An item published as a node loses the node's loss, a suppressed one loses everything, each weighted by the
cost of its suppression.

Generalization never makes a set rarer, but it may raise the confidence for a private item, so the moles are found again after every such
step. The cheaper of this result and plain suppression is used, so generalization never makes it worse.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.hitting_set import improved
from shoal.itemsets.itemset_support import PUBLIC, Moles, Parts, Power, minimal_moles, supports
from shoal.util.numbers import distinct
from shoal.util.wording import percent

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Recoding:
    """The published node of each item; negative if suppressed."""

    code: Small

    @classmethod
    def identity(cls, n: int) -> Recoding:
        """Return the recoding without changes."""
        return cls(np.arange(n, dtype=np.int32))

    def suppressing(self, items: Ints) -> Recoding:
        """Return the recoding with these published items suppressed."""
        code = self.code.copy()
        code[np.isin(code, items)] = SUPPRESSED
        return replace(self, code=code)

    def generalizing(self, nodes: Ints, to: int) -> Recoding:
        """Return the recoding with these published nodes replaced by another."""
        code = self.code.copy()
        code[np.isin(code, nodes)] = to
        return replace(self, code=code)

    @cached_property
    def targets(self) -> Ints:
        """Return the nodes that represent other items."""
        return distinct(self.code[(self.code >= 0) & (self.code != np.arange(len(self.code)))]).astype(np.int64)

    def applied(self, records: Bags) -> Bags:
        """Return the recoded records as sets."""
        return records.relabelled(self.code, records.vocabulary, as_sets=True)


@dataclass(frozen=True)
class _Step:
    """Suppress an item (`to` is -1), or publish everything below a node as that node."""

    removed: int
    cost: int
    to: int
    nodes: tuple[int, ...]

    def better_than(self, other: _Step | None) -> bool:
        """Whether this removes more moles per loss; then more moles, then the lower number, suppression first."""
        if other is None:
            return True
        mine, theirs = self.removed * other.cost, other.removed * self.cost
        return mine > theirs or (mine == theirs and (-self.removed, self.to, self.nodes) < (-other.removed, other.to, other.nodes))


class _Lifting:
    """The state between two steps."""

    def __init__(self, records: Bags, taxonomy: Taxonomy, parts: Parts, loss: Ints, power: Power) -> None:
        self.records, self.taxonomy, self.power = records, taxonomy, power
        self.parts, self.loss = parts, loss
        self.node_loss, self.units = taxonomy.unit_losses, taxonomy.units
        self.occurring = np.bincount(records.items, minlength=len(taxonomy)) > 0
        self.recoding = Recoding.identity(len(taxonomy))

    def total(self, recoding: Recoding) -> int:
        """Return the total loss of a recoding, in units."""
        changed = np.flatnonzero(self.occurring & (recoding.code != np.arange(len(recoding.code))))
        after = np.where(recoding.code[changed] < 0, self.units, self.node_loss[recoding.code[changed]])
        return sum(int(w) * int(d) for w, d in zip(self.loss[changed], after - self.node_loss[changed], strict=True))

    def recoded(self) -> tuple[Bags, Parts]:
        """Return records and roles under the current recoding."""
        parts = self.parts.copy()
        parts[self.recoding.targets] = PUBLIC
        return self.recoding.applied(self.records), parts

    def moles(self) -> Moles:
        """Return the minimal moles under the current recoding."""
        return minimal_moles(*self.recoded(), self.power)

    def best_step(self, moles: Moles) -> _Step:
        """Return the step that removes most moles per loss. Suppressing an item of a mole always removes one."""
        now = self.total(self.recoding)
        counts = np.bincount(moles.items, minlength=len(self.parts))
        best: _Step | None = None
        for item in np.flatnonzero(counts):
            cost = self.total(self.recoding.suppressing(np.array([item]))) - now
            step = _Step(int(counts[item]), cost, SUPPRESSED, (int(item),))
            best = step if step.better_than(best) else best
        assert best is not None
        sets = moles.sets()
        # A lift removes at most the moles it touches. Counting is dear, so the most promising lifts are counted first, and those that
        # could not be better even if they removed all of them not at all.
        hopes = [hope for node in distinct(self.taxonomy.parent[np.flatnonzero(counts)]) if (hope := self._hope(int(node), moles, now))]
        for hope in sorted(hopes, key=lambda h: (-Fraction(h.removed, max(1, h.cost)), h.to)):
            if hope.better_than(best):
                lifted = self._counted(hope, sets)
                best = lifted if lifted.removed and lifted.better_than(best) else best
        return best

    def _hope(self, node: int, moles: Moles, now: int) -> _Step | None:
        """Return the generalization to a node, assuming that it removes every mole it touches; None if it is not allowed."""
        kept = self.recoding.code[node] == node and self.parts[node] == PUBLIC
        if node <= 0 or self._above_floor(node) or (self.occurring[node] and not kept):
            return None
        live = distinct(self.recoding.code[self.occurring & (self.parts == PUBLIC) & (self.recoding.code >= 0)])
        below = live[(live > node) & (live < self.taxonomy.end[node])].astype(np.int64)
        touched = len(moles) - len(moles.without(np.isin(np.arange(len(self.parts)), below)))
        return _Step(touched, self.total(self.recoding.generalizing(below, node)) - now, node, tuple(below.tolist()))

    def _above_floor(self, node: int) -> bool:
        return self.taxonomy.barred is not None and bool(self.taxonomy.barred[node])

    def _counted(self, hope: _Step, sets: list[tuple[int, ...]]) -> _Step:
        """Return the step with the number of moles that it actually removes."""
        below = set(hope.nodes)
        images = [tuple(sorted({hope.to if i in below else i for i in s})) for s in sets if not below.isdisjoint(s)]
        forms = sorted(set(images))
        lifted = self.recoding.generalizing(np.array(hope.nodes, np.int64), hope.to)
        parts = self.parts.copy()
        parts[lifted.targets] = PUBLIC
        mole = supports(lifted.applied(self.records), parts, forms).moles(self.power).tolist()
        still = dict(zip(forms, mole, strict=True))
        return replace(hope, removed=sum(not still[image] for image in images))

    def take(self, step: _Step) -> None:
        """Apply a step."""
        nodes = np.array(step.nodes, np.int64)
        self.recoding = self.recoding.suppressing(nodes) if step.to < 0 else self.recoding.generalizing(nodes, step.to)


def lift(records: Bags, taxonomy: Taxonomy, parts: Parts, loss: Ints, power: Power, moles: Moles) -> tuple[Recoding, list[str]]:
    """Return a recoding without moles, and notes about it."""
    work = _Lifting(records, taxonomy, parts, loss, power)
    plain = Recoding.identity(len(taxonomy)).suppressing(improved(moles, loss).items)
    while len(moles):
        step = work.best_step(moles)
        work.take(step)
        moles = moles.without(np.isin(np.arange(len(parts)), step.nodes)) if step.to < 0 else work.moles()
    lifted, suppressed = work.total(work.recoding), work.total(plain)
    if lifted >= suppressed:
        return plain, ["generalizing loses no less than suppressing alone, so items were suppressed"]
    changed = work.recoding.code[work.occurring & (parts == PUBLIC)]
    n_suppressed = int((changed < 0).sum())
    notes = [
        f"{n_suppressed:,} public items were suppressed and {len(work.recoding.targets):,} groups of items were published as their parent"
    ]
    return work.recoding, [*notes, f"that loses {percent(lifted / suppressed)} of what suppressing alone would"]

"""Hitting sets: which items to suppress so that no mole is left: greedily as in the paper, improved by exchanges, or exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints
from shoal.itemsets.itemset_support import Moles, too_many_sets
from shoal.util.numbers import distinct

SCORES = ("mm/il", "mm", "1/il")
PAIRS = 2  # largest size of sets that need no list


@dataclass(frozen=True, eq=False)
class Hitting:
    """Items in the order of their suppression, the number of moles that each removed, their total loss, and a lower bound of it.

    `timed_out`: the search for the optimum was stopped before its result was proven.
    """

    items: Ints
    removed: Ints
    loss: int
    bound: int | None = None
    timed_out: bool = False

    @property
    def gap(self) -> float | None:
        """The proven maximum share by which the loss may exceed the optimum."""
        if self.bound is None:
            return None
        return (self.loss - self.bound) / self.loss if self.loss else 0.0


def greedy(moles: Moles, loss: Ints, score: str = "mm/il") -> Hitting:
    """Suppress the item with the best score until every mole is hit; ties: more moles, then less loss, then the lower number."""
    items, removed = kernels.run(_kernels.eliminate_moles, moles.start, moles.items, loss, score, label="eliminating moles")
    return Hitting(items, removed, int(loss[items].sum()))


def improved(moles: Moles, loss: Ints) -> Hitting:
    """Return the better of two results after items were restored and exchanged; no greedy one is better, and no item is redundant.

    One search begins with the best greedy result, one with all items of moles suppressed. If they are equal, the first is used.
    """
    every = distinct(moles.items).astype(np.int64)
    starts = [min((greedy(moles, loss, score) for score in SCORES), key=lambda answer: answer.loss).items, every]
    found = [kernels.run(_kernels.improve_hitting, moles.start, moles.items, loss, start, label="putting items back") for start in starts]
    items: Ints = min(found, key=lambda answer: int(loss[answer].sum()))
    return Hitting(items, _removed_in_turn(moles, items), int(loss[items].sum()))


def hit_rare_pairs(records: Bags, k: int, most: int, loss: Ints) -> Ints:
    """Return the items of `improved`, in rising order, for all sets of at most `most` (one or two) items that fewer than k people have.

    The sets are a graph, which takes a quarter of the memory of a list of them. All items are public, and there must be k people.
    """
    ordered = records.select(np.argsort(records.owners, kind="stable")) if records.owners_repeat else records
    owners = ordered.owners if records.owners_repeat else np.zeros(0, np.int64)
    arguments = ordered.view, owners, k, most, loss, kernels.threads()
    try:
        found: Ints = kernels.run(_kernels.hit_rare_pairs, *arguments, label="hitting rare sets")
    except kernels.Exceeded:
        raise too_many_sets(most) from None
    return found


def exact_hitting(moles: Moles, loss: Ints, seconds: float) -> Hitting:
    """Return the least loss that hits every mole, within a time limit; never worse than the result without it."""
    first = improved(moles, loss)
    forced = np.zeros(len(loss), bool)
    forced[moles.items[moles.start[:-1][moles.sizes == 1]]] = True
    rest = moles.without(forced)
    unavoidable = int(loss[forced].sum())
    nothing: Ints = np.zeros(0, np.int64)
    chosen, bound, timed_out = _solve(rest, loss, seconds) if len(rest) else (nothing, 0, False)
    bound += unavoidable
    if chosen is None or int(loss[chosen].sum()) + unavoidable >= first.loss:
        return Hitting(first.items, first.removed, first.loss, min(bound, first.loss), timed_out)
    items = np.sort(np.concatenate([np.flatnonzero(forced), chosen]))
    return Hitting(items, _removed_in_turn(moles, items), int(loss[items].sum()), bound, timed_out)


def _solve(moles: Moles, loss: Ints, seconds: float) -> tuple[Ints | None, int, bool]:
    """Return the items that HiGHS chooses (None if it found none in time), a lower bound of the loss, and whether time ran out."""
    import scipy.sparse as sp
    from scipy.optimize import Bounds, LinearConstraint, milp

    used, column = np.unique(moles.items, return_inverse=True)
    ones = np.ones(len(column))
    holds = sp.csr_matrix((ones, column.astype(np.int64), moles.start), shape=(len(moles), len(used)))
    answer = milp(
        loss[used].astype(np.float64),
        integrality=np.ones(len(used), np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(holds, lb=1),
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    chosen = None if answer.x is None else used[np.flatnonzero(answer.x > 0.5)].astype(np.int64)
    if chosen is not None and len(moles.without(_mask(chosen, len(loss)))):
        chosen = None
    # Losses are whole numbers, so a bound may be rounded up; the solver's own tolerance must not push it over a whole number.
    dual = answer.mip_dual_bound
    bound = 0 if dual is None or not np.isfinite(dual) else max(0, int(np.ceil(dual - 1e-6 * max(1.0, abs(dual)))))
    return chosen, bound, answer.status != 0


def _removed_in_turn(moles: Moles, items: Ints) -> Ints:
    """Return how many moles each item removes that no earlier one did."""
    if not len(moles):
        return np.zeros(len(items), np.int64)
    turn = np.full(int(max(moles.items.max(), items.max(initial=0))) + 1, len(items), np.int64)
    turn[items] = np.arange(len(items))
    first = np.minimum.reduceat(turn[moles.items], moles.start[:-1])
    return np.bincount(first, minlength=len(items)).astype(np.int64)


def _mask(items: Ints | int, n: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    mask = np.zeros(n, bool)
    mask[items] = True
    return mask

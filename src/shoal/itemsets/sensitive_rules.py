"""Rules that disclose a sensitive item, and what to suppress so that none is left (Cao, Karras, Raissi and Tan, VLDB'10).

A rule X -> a states that a record with the items X also has the sensitive item a, with a confidence: the share of records with a among
those with X. Suppressing an item everywhere does not change the support of sets without it. So it creates no rule and changes no
confidence: whatever exceeds the limit afterwards did so before, and a rule is removed once one of its items is. Two things follow. One
sweep over the sizes of X, the smallest first, is enough. And what to suppress is a hitting set of the rules found, each a set of items.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.errors import ParameterError, option
from shoal.itemsets.hitting_set import greedy, improved
from shoal.itemsets.itemset_support import Moles
from shoal.util.numbers import exact

Mask = npt.NDArray[np.bool_]

MOST_RULES = 20_000  # for each first item of a rule, in one search
MOST_WORK = 1 << 29  # records looked at in one search, over all sets: about ten seconds
LONGEST = 1 << 40  # more items than any record has
MOST_ROUNDS = 10  # of choosing again among all rules found


@dataclass(frozen=True)
class Certainty:
    """No rule may have a confidence above `rho`; rules with more than `antecedent` items do not count, if that is a number."""

    rho: float
    antecedent: int | None = None

    @property
    def share(self) -> Fraction:
        """rho as a decimal fraction: 0.29 is 29/100, not the nearest binary number."""
        return exact(self.rho)


@dataclass(frozen=True, eq=False)
class FoundRules:
    """Rules as sets of items, from sets of one size; whether none was left out, and whether longer rules may exceed the limit if no
    shorter one does.
    """

    rules: Moles
    size: int
    complete: bool
    may_be_longer: bool


def breaching(
    records: Bags, sensitive: Mask, limit: Certainty, size: int, among: Mask | None = None, *, or_longer: bool = False
) -> FoundRules:
    """Return the rules from sets of this size that exceed the limit; only of sets with one of the items `among`, if given.

    With `or_longer`, the first larger size with such rules is taken if there are none of this size.
    """
    share = limit.share
    largest = size if not or_longer else LONGEST if limit.antecedent is None else limit.antecedent
    question = _kernels.RuleQuestion(
        size=size, largest=largest, numerator=share.numerator, denominator=share.denominator, most=MOST_RULES, work=MOST_WORK
    )
    marks = np.zeros(0, np.uint8) if among is None else among.astype(np.uint8)
    ordered, owners = _by_owner(records)
    arguments = ordered.view, owners, sensitive.astype(np.uint8), marks, question, kernels.threads()
    try:
        found = kernels.run(_kernels.breaching_rules, *arguments, label="finding rules")
    except kernels.Exceeded:
        raise _too_many_sets(limit) from None
    return FoundRules(_as_sets(found["start"], found["items"]), found["size"], found["complete"], found["may_be_longer"])


@dataclass(eq=False)
class Sweep:
    """Items that are suppressed everywhere, and all rules found, as sets of items."""

    removed: Mask
    pool: list[Moles] = field(default_factory=list)

    @property
    def rules(self) -> Moles:
        """Return all rules found."""
        sizes = np.concatenate([np.zeros(0, np.int64), *(rules.sizes for rules in self.pool)])
        items = np.concatenate([np.zeros(0, np.int32), *(rules.items for rules in self.pool)])
        return _as_sets(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), items.astype(np.int32))


def sweep(
    records: Bags, sensitive: Mask, loss: Ints, limit: Certainty, removed: Mask, among: Mask | None = None, *, plain: bool = False
) -> Sweep:
    """Suppress items, in addition to those in `removed`, until no rule exceeds the limit, the rules from the fewest items first.

    `plain` repeatedly takes the item that removes most rules for its loss, as printed; otherwise exchanges follow.
    """
    state = Sweep(removed.copy())
    remaining = without(records, state.removed)
    size = 0 if among is None else 1
    while limit.antecedent is None or size <= limit.antecedent:
        found = breaching(remaining, sensitive, limit, size, among, or_longer=True)
        size = found.size
        if len(found.rules):
            state.pool.append(found.rules)
            state.removed[(greedy if plain else improved)(found.rules, loss).items] = True
            remaining = without(records, state.removed)
        if found.complete:
            if not found.may_be_longer:
                break
            size += 1
    return state


def suppressed(records: Bags, sensitive: Mask, loss: Ints, limit: Certainty) -> Mask:
    """Return what to suppress so that no rule exceeds the limit, with the least loss found.

    After the sweep the choice is repeated among all rules found, and swept again, while that loses less. Suppressing every sensitive item
    is always a solution.
    """
    nothing = np.zeros(len(sensitive), bool)
    first = sweep(records, sensitive, loss, limit, nothing)
    held = np.bincount(records.items, minlength=len(sensitive)) > 0
    best = min(first.removed, sensitive & held, key=lambda removed: int(loss[removed].sum()))
    pool = first.pool
    for _ in range(MOST_ROUNDS):
        rules = Sweep(nothing, pool).rules
        renewed = nothing.copy()
        renewed[improved(rules, loss).items] = True
        if loss[renewed].sum() >= loss[best].sum():
            break
        more = sweep(records, sensitive, loss, limit, renewed)
        best = min(best, more.removed, key=lambda removed: int(loss[removed].sum()))
        if not more.pool:
            break
        pool = pool + more.pool
    return best


def without(records: Bags, removed: Mask) -> Bags:
    """Return the records without these items."""
    code = np.where(removed, -1, np.arange(len(removed))).astype(np.int32)
    return records.relabelled(code, records.vocabulary) if removed.any() else records


def _too_many_sets(limit: Certainty) -> ParameterError:
    """Return the error if an attacker may know more sets of items than can be looked at, as in long records that are alike."""
    known = "any number of items" if limit.antecedent is None else f"up to {limit.antecedent:,} items"
    return ParameterError(
        f"the records are too long and too similar: an attacker who knows {known} can know more sets of them than can be looked at",
        code="too-many-itemsets",
        hint=f"limit what an attacker may know with {option('antecedent', '3')}",
        value=limit.antecedent,
    )


def _by_owner(records: Bags) -> tuple[Bags, Ints]:
    """Return the records sorted by user if some own several, and then the users."""
    if not records.owners_repeat:
        return records, np.zeros(0, np.int64)
    ordered = records.select(np.argsort(records.owners, kind="stable"))
    return ordered, ordered.owners


def _as_sets(start: Ints, items: Small) -> Moles:
    nothing = np.zeros(len(start) - 1, np.int32)
    return Moles(start, items, nothing, nothing, nothing, nothing, fewest=0, greatest=0.0, counted=0)

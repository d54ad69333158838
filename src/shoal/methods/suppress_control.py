"""SuppressControl: rho-uncertainty by global suppression of items (Cao, Karras, Raissi and Tan, VLDB'10).

Guarantee: an attacker who knows any items of a record infers no further sensitive item of it with a confidence above rho. No item is added
or replaced, and every remaining itemset keeps its support.

Rules with too much confidence are found by the size of their antecedent, the smallest first; items, including sensitive ones, are
suppressed until no such rule of that size is left. Suppression creates no rule, so one sweep is enough. A set is not extended if what its
records share with records without the sensitive item shows that no larger set has too much confidence. Beyond the paper: the empty set
counts, so that a sensitive item above the base rate is suppressed; exchanges after the greedy choice; then the choice is repeated among all
rules found, while that loses less; and the result is never worse than suppressing every sensitive item. `choice=printed` omits these steps.

Time: that of counting itemsets up to the size at which no rule is left, in practice three or four.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.accounting import kept
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.itemsets.sensitive_rules import suppressed, sweep, without
from shoal.methods.bases.recoding import Recoded
from shoal.methods.bases.rho_uncertainty import InferenceMethod
from shoal.parameters import param

BEST, PRINTED = "best", "printed"


@dataclass(frozen=True)
class SuppressControl(InferenceMethod):
    """Suppresses items globally until no items of a record reveal a sensitive one."""

    name = "suppress-control"
    paper = "Cao, Karras, Raissi and Tan, VLDB 2010"

    choice: str = param(
        BEST, choices=(BEST, PRINTED), help="choice of items to suppress: best found, or as in the paper (rules removed per loss)"
    )

    def recode(self, records: Bags, original: Original) -> Recoded:
        """Return every record without the chosen items, and without items above the floor."""
        sensitive = self.sensitive_items(records, original)
        tree = original.tree
        removed = np.zeros(len(tree), bool) if tree.barred is None else tree.barred.copy()
        below = without(records, removed)
        loss = self.worth(sensitive) * np.bincount(below.items, minlength=len(tree)).astype(np.int64)
        if self.choice == PRINTED:
            removed |= sweep(below, sensitive.mask, loss, self.limit, removed, plain=True).removed
        else:
            removed |= suppressed(below, sensitive.mask, loss, self.limit)
        published = without(records, removed)
        self.refuse_nothing(published)
        others = sensitive.held & ~sensitive.mask
        notes = (
            self.suppression_note(records, sensitive, removed),
            f"{int((removed & others).sum()):,} of {int(others.sum()):,} other items were suppressed",
        )
        return Recoded(published, self.claims_of(sensitive, ~removed), {"kept": kept(published.occurrences)}, private_notes=notes)

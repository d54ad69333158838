"""TDControl: rho-uncertainty by generalization and suppression (Cao, Karras, Raissi and Tan, VLDB'10).

Guarantee: an attacker who knows any items of a record, as published, infers no further sensitive item of it with a confidence above rho.
One recoding for all records: a non-sensitive item is published as one node at or above it everywhere, or suppressed everywhere; sensitive
items are unchanged or suppressed everywhere.

The search goes from the root down and repeatedly makes the split of a node that reduces the loss most, counting the suppression that it
requires. After every split all rules that may now have too much confidence are searched for, because generalization may raise or lower
confidence. Beyond the paper: gains are estimates, and are computed again before a split is made; splits that did not pay are tried again
after the others; suppressed nodes are published again at the end if that gives no rule too much confidence; and if suppression alone loses
no more, its result is used. So the loss is never above that of suppress-control.

Time: that of suppress-control on the records below each node, for each node that is tried.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.accounting import Part, changed, gone, kept
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.itemsets.top_down_cut import Cut, specialized
from shoal.methods.bases.recoding import Recoded
from shoal.methods.bases.rho_uncertainty import InferenceMethod, Sensitive


@dataclass(frozen=True)
class TDControl(InferenceMethod):
    """Generalizes non-sensitive items and suppresses a few so that no items of a record reveal a sensitive one."""

    name = "td-control"
    paper = "Cao, Karras, Raissi and Tan, VLDB 2010"

    @property
    def needs_taxonomy(self) -> bool:
        """True: items are generalized."""
        return True

    def recode(self, records: Bags, original: Original) -> Recoded:
        """Return every record under the cut that was found."""
        sensitive = self.sensitive_items(records, original)
        cut = specialized(records, original.tree, sensitive.mask, self.worth(sensitive), self.limit)
        published = records.relabelled(cut.published, records.vocabulary, as_sets=True)
        self.refuse_nothing(published)
        shown = cut.published >= 0
        notes = (self.suppression_note(records, sensitive, ~shown), _items_note(sensitive, cut))
        return Recoded(published, self.claims_of(sensitive, shown), _account(records, cut, published), private_notes=notes)


def _account(records: Bags, cut: Cut, published: Bags) -> dict[str, Part]:
    """Return the outcome of the occurrences; items of a record with the same published node are merged."""
    code = cut.published[records.items]
    same = int((code == records.items).sum())
    merged = int((code >= 0).sum()) - published.occurrences
    return {"kept": kept(same), "generalized": changed(published.occurrences - same), "merged": gone(merged)}


def _items_note(sensitive: Sensitive, cut: Cut) -> str:
    others = np.flatnonzero(sensitive.held & ~sensitive.mask)
    code = cut.published[others]
    return (
        f"of {len(others):,} other items {int((code == others).sum()):,} were published as they are, {int((code < 0).sum()):,} suppressed"
    )

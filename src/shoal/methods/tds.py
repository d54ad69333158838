"""k-anonymity of the public items by top-down specialization (Fung, Wang and Yu, ICDE'05), the baseline of the coherence paper.

Every public item is a binary column. At first all are suppressed; then the column with the best score is published, as long as at least k
people have every combination of published columns. Suppression is global, so the support of published items is exact.

Guarantee: an attacker who knows all public items of a person, present and absent, finds at least k people. Time: O(published items *
occurrences).

The paper's score weighs information about a class label, which transactions lack: here an item's gain is its number of occurrences, divided
by the loss of anonymity (the decrease of the smallest class) plus one. An item that cannot be published now never can later, and is not
tried again.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.data.accounting import kept
from shoal.data.bags import Bags, Ints, Small
from shoal.data.claims import Model
from shoal.data.items import Items
from shoal.data.original import Original
from shoal.itemsets.item_roles import parts_of, published_parts
from shoal.itemsets.itemset_support import PUBLIC, Parts
from shoal.methods.bases.recoding import Recoded, RecodingMethod
from shoal.parameters import param
from shoal.privacy.public_k_anonymity import PublicKAnonymity
from shoal.util.numbers import distinct_pairs


@dataclass(frozen=True)
class TopDownSpecialization(RecodingMethod):
    """Publishes as many public items as k-anonymity over all of them allows, and suppresses the others."""

    name = "tds"
    paper = "Fung, Wang and Yu, ICDE 2005"

    k: int = param(5, minimum=2, help="minimum number of people per published record")
    private: Items | None = param(None, help="private items, which must not be inferred")
    public: Items | None = param(None, help="items an attacker may know (default: all that are not private)")

    def claims(self) -> tuple[Model, ...]:
        """Claim k-anonymity of the public items."""
        return (PublicKAnonymity(k=self.k, private=self.private, public=self.public),)

    def recode(self, records: Bags, original: Original) -> Recoded:
        """Publish items one by one, and return every record without the suppressed public items."""
        names = original.tree.names
        parts = parts_of(names, self.private, self.public, original.taxonomy)
        chosen, suppressed = specialize(records, parts, self.k)
        shown = (parts != PUBLIC) | np.isin(np.arange(len(parts)), chosen)
        code = np.where(shown, np.arange(len(parts)), -1).astype(np.int32)
        published = records.relabelled(code, names)
        note = f"{suppressed:,} of {len(chosen) + suppressed:,} public items were suppressed"
        return Recoded(published, self.claims_on(published, code, original), {"kept": kept(published.occurrences)}, (note,), code)

    def claims_on(self, published: Bags, code: Small, original: Original) -> tuple[Model, ...]:
        """Claim k-anonymity of the public items as published."""
        parts = parts_of(original.tree.names, self.private, self.public, original.taxonomy)
        return (PublicKAnonymity(k=self.k, **published_parts(published, parts)),)


def specialize(records: Bags, parts: Parts, k: int) -> tuple[list[int], int]:
    """Return the published items in the order of their choice, and the number of suppressed ones."""
    holders = _holders(records, parts)
    classes = _Classes(records, k)
    chosen: list[int] = []
    open_items = sorted(holders)
    while open_items:
        scores = {item: loss for item in open_items if (loss := classes.loss(holders[item])) is not None}
        open_items = list(scores)
        if scores:
            best = max(scores, key=lambda item: (Fraction(len(holders[item]), scores[item] + 1), len(holders[item]), -item))
            classes.split(holders[best])
            open_items.remove(best)
            chosen.append(best)
    return chosen, len(holders) - len(chosen)


class _Classes:
    """Records in classes with equal published items, refined by one item after the other."""

    def __init__(self, records: Bags, k: int) -> None:
        self.k, self.owners, self.repeat = k, records.owners, records.owners_repeat
        self.label = np.zeros(len(records), np.int64)
        self.sizes = self._people(self.label, 1)

    def loss(self, tids: Ints) -> int | None:
        """Return the decrease of the smallest class if the item of these records is published; None if a class falls below k."""
        having, lacking = self._halves(tids)
        halves = np.concatenate([having[having > 0], lacking[lacking > 0]])
        smallest = int(halves.min())
        return int(self.sizes.min()) - smallest if smallest >= self.k else None

    def split(self, tids: Ints) -> None:
        """Refine the classes by the item of these records."""
        split = self.label * 2
        split[tids] += 1
        self.label = np.unique(split, return_inverse=True)[1].astype(np.int64)
        self.sizes = self._people(self.label, int(self.label.max()) + 1)

    def _halves(self, tids: Ints) -> tuple[Ints, Ints]:
        n = len(self.sizes)
        if not self.repeat:
            having = np.bincount(self.label[tids], minlength=n)
            return having, self.sizes - having
        rest = np.ones(len(self.label), bool)
        rest[tids] = False
        return self._people(self.label[tids], n, self.owners[tids]), self._people(self.label[rest], n, self.owners[rest])

    def _people(self, label: Ints, n: int, owners: Ints | None = None) -> Ints:
        """Count the distinct people in each class."""
        if not self.repeat:
            return np.bincount(label, minlength=n)
        return np.bincount(distinct_pairs(label, self.owners if owners is None else owners)[0], minlength=n)


def _holders(records: Bags, parts: Parts) -> dict[int, Ints]:
    """Return the records with each public item."""
    by_item = np.argsort(records.items, kind="stable")
    record = np.repeat(np.arange(len(records)), np.diff(records.indptr))[by_item]
    ends = np.cumsum(np.bincount(records.items, minlength=len(parts)))
    pieces = np.split(record, ends[:-1])
    return {item: pieces[item] for item in np.flatnonzero(parts == PUBLIC).tolist() if len(pieces[item])}

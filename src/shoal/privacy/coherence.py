"""(h,k,p)-coherence (Xu, Wang, Fu and Yu, KDD'08): what an attacker who knows a few public items can find out.

A set of at most p public items that occurs is a *mole* if fewer than k people hold it, or if more than the share h of its holders hold
one and the same private item. A release is coherent if it has no mole; the empty set counts as a set.

Everything is counted anew from the published records. With the original at hand support counts people, not records, and every
published record must be its original under one global recoding: an item is suppressed everywhere, replaced everywhere by one ancestor, or
left as it was everywhere; private items must be untouched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.bags import Bags
from shoal.data.choice import Items
from shoal.data.itemsets import PRIVATE, Moles, Parts, Power, minimal_moles
from shoal.data.release import Release
from shoal.parameters import param
from shoal.privacy import Model, Verdict
from shoal.taxonomy.parts import absent, parts_of
from shoal.taxonomy.recoding import recoding_defects

if TYPE_CHECKING:
    from shoal.data.original import Original

MOST_WITNESSES = 5


@dataclass(frozen=True)
class Coherence(Model):
    """Nobody who knows up to p public items of a person finds fewer than k people, or a private item with certainty above h."""

    name = "coherence"
    protects = (
        "Whoever knows at most p public items of a person's record links the person to a record with a chance of at most 1/k, "
        "and to any one private item with a chance of at most h."
    )
    does_not_protect = (
        "Somebody who knows more than p items, who knows what is not in the record, or who knows a private item already; "
        "and two private items may together be more certain than h."
    )

    h: float = param(0.4, minimum=0, maximum=1, help="largest share of those who hold a known set and one same private item")
    k: int = param(5, minimum=2, help="people behind every set of known items")
    p: int = param(2, minimum=1, help="public items that an attacker may know")
    private: Items | None = param(None, help="items that must not be inferred")
    public: Items | None = param(None, help="items that may be known; by default all that are not private")

    @property
    def power(self) -> Power:
        """The attacker that this promise holds against."""
        return Power(self.h, self.k, self.p)

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count every set of up to p public items; with the original, count people and check what was changed."""
        records = published_records(release, original)
        names, taxonomy = records.vocabulary, original.taxonomy if original else None
        parts = parts_of(names, self.private, self.public, taxonomy, strict=original is not None)
        moles = minimal_moles(records, parts, self.power, achieved=True)
        broken = _told(moles, records) + _repeats(records)
        if original is not None and release.secret is not None:
            broken += recoding_defects(original, release, parts)
        achieved = {"k": max(0, moles.fewest), "breach": round(moles.greatest, 6), "p": self.p}
        notes = [*_notes(moles, records, parts), *absent(names, self.private, "private"), *absent(names, self.public, "public")]
        return Verdict(str(self), not broken, achieved, tuple(broken), tuple(notes))


def published_records(release: Release, original: Original | None) -> Bags:
    """Every published record in full, with its owner where the original tells it."""
    if original is None or release.secret is None:
        records = release.published.select(np.repeat(np.arange(len(release.published)), release.copies))
        return Bags(records.indptr, records.items, records.counts, np.arange(len(records), dtype=np.int64), records.vocabulary)
    rows = release.secret.rows()
    shown = np.flatnonzero(rows >= 0)
    records = release.published.select(rows[shown])
    return Bags(records.indptr, records.items, records.counts, original.bags.owners[shown], records.vocabulary)


def _told(moles: Moles, records: Bags) -> list[str]:
    if not len(moles):
        return []
    few = int((moles.hidden < 0).sum())
    lines = [f"{len(moles):,} minimal moles: {few:,} held by too few people, {len(moles) - few:,} that give a private item away"]
    return lines + [_witness(moles, i, records) for i in range(min(len(moles), MOST_WITNESSES))]


def _witness(moles: Moles, i: int, records: Bags) -> str:
    known = "{" + ", ".join(records.vocabulary[item] for item in moles[i]) + "}"
    if moles.hidden[i] < 0:
        return f"{known} is held by {moles.people[i]:,} only"
    share = moles.holders[i] / moles.cohort[i]
    return f"{known} gives {records.vocabulary[int(moles.hidden[i])]!r} away with a certainty of {share:.1%}"


def _repeats(records: Bags) -> list[str]:
    repeated = int((records.counts > 1).sum())
    return [f"{repeated:,} items are repeated in their record, and how often is knowledge too"] if repeated else []


def _notes(moles: Moles, records: Bags, parts: Parts) -> list[str]:
    notes = [f"{moles.counted:,} sets of public items were counted, by {'people' if records.owners_repeat else 'records'}"]
    if not (parts == PRIVATE).any():
        notes.append("no private item was named: only the link to a record was judged")
    if len(moles):
        notes.append("sets that contain a mole were not counted, so k may be lower and the breach higher than achieved")
    return notes

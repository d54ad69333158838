"""(h,k,p)-coherence (Xu, Wang, Fu and Yu, KDD'08): what an attacker who knows a few public items can find out.

A set of at most p public items that occurs is a *mole* if fewer than k people hold it, or if more than the share h of its holders hold
one and the same private item. A release is coherent if it has no mole; the empty set counts as a set.

Everything is counted from the published records, by kernels that no method calls. With the original at hand support counts people, not
records, and every published record must be its original under one global recoding: an item is suppressed everywhere, replaced everywhere
by one ancestor, or left as it was everywhere; private items must be untouched.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import _kernels, kernels
from shoal.counting import percent
from shoal.data.bags import Ints, Vocabulary
from shoal.data.release import Release
from shoal.itemsets.choice import Items
from shoal.parameters import param
from shoal.privacy import Model, Verdict, verified_if
from shoal.privacy.recoding import recoding_defects
from shoal.privacy.roles import Roles, roles_of

if TYPE_CHECKING:
    from shoal.data.original import Original

MOST_WITNESSES = 5
FINEST = 10**18  # the largest denominator of h
MOST_KNOWN = 10_000  # items that an attacker may know: kernels reserve room for so many


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
    k: int = param(5, minimum=2, help="distinct people per set of known items")
    p: int = param(2, minimum=1, maximum=MOST_KNOWN, help="public items that an attacker may know")
    private: Items | None = param(None, help="items that must not be inferred")
    public: Items | None = param(None, help="items that may be known; by default all that are not private")

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count every set of up to p public items; with the original, count people and check what was changed."""
        names, taxonomy = release.published.vocabulary, original.taxonomy if original else None
        roles = roles_of(names, self.private, self.public, taxonomy, strict=original is not None)
        found = self._count(release, original, roles)
        shared, rare = _witnesses(found, names, self.k)
        broken = [*_told(found), *shared, *_repeats(release)]
        if original is not None and release.secret is not None:
            broken += recoding_defects(original, release, roles)
        achieved = {"people" if found.people else "records": found.fewest, "breach": round(float(found.breach), 6), "p": self.p}
        notes = (*_notes(found, roles), *roles.notes)
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken), notes, rare=tuple(rare))

    def _count(self, release: Release, original: Original | None, roles: Roles) -> Counted:
        """Sets of no item, of one, of two, and so on up to p. Where some of a size are unsafe the claim is broken, and the count ends."""
        row, owners = _shown(release, original)
        share, masks = _fraction(self.h), (roles.public.astype(np.uint8), roles.private.astype(np.uint8))
        counted = Counted(people=len(owners) > 0)
        for size in range(min(self.p, len(roles.public)) + 1):
            question = _kernels.SetQuestion(
                size=size, k=self.k, h_numerator=share.numerator, h_denominator=share.denominator, most_examples=MOST_WITNESSES
            )
            arguments = release.published.view, row, owners, *masks, question, kernels.threads()
            level = kernels.run(_kernels.known_sets, *arguments, label="counting known sets")
            counted = counted.with_level(size, level)
            if counted.unsafe or not level["counted"]:
                break
        return counted


@dataclass(frozen=True)
class Counted:
    """What was found of all sets of up to `size` public items."""

    people: bool
    size: int = 0
    sets: int = 0
    fewest: int = 0
    breach: Fraction = Fraction(0)
    few: int = 0
    telling: int = 0
    examples: tuple[Any, ...] = ()

    @property
    def unsafe(self) -> int:
        """Sets that tell too much, all of the largest size that was counted."""
        return self.few + self.telling

    def with_level(self, size: int, level: dict[str, Any]) -> Counted:
        """With the sets of this size too."""
        if not level["counted"]:
            return self
        return Counted(
            people=self.people,
            size=size,
            sets=self.sets + level["counted"],
            fewest=min(self.fewest, level["fewest"]) if self.sets else level["fewest"],
            breach=max(self.breach, Fraction(level["holders"], level["cohort"])),
            few=level["few"],
            telling=level["telling"],
            examples=tuple(level["examples"]),
        )


def _shown(release: Release, original: Original | None) -> tuple[Ints, Ints]:
    """The published row of every record, and the records' owners, by which they are sorted; no owners where none has two records."""
    nobody = np.zeros(0, np.int64)
    if original is None or release.secret is None:
        return np.repeat(np.arange(len(release.published), dtype=np.int64), release.copies), nobody
    rows = release.secret.rows()
    shown = np.flatnonzero(rows >= 0)
    owners = original.bags.owners[shown]
    order = np.argsort(owners, kind="stable")
    owners = owners[order]
    return rows[shown][order], owners if (owners[1:] == owners[:-1]).any() else nobody


def _fraction(h: float) -> Fraction:
    """h as it is written: 0.29 is 29/100, not the nearest binary number. What does not fit the kernel is rounded down."""
    written = Fraction(str(float(h)))
    return written if written.denominator <= FINEST else Fraction(written.numerator * FINEST // written.denominator, FINEST)


def _told(found: Counted) -> list[str]:
    if not found.unsafe:
        return []
    few, telling = f"{found.few:,} held by too few people", f"{found.telling:,} that give a private item away"
    sets = f"{found.unsafe:,} sets of {found.size:,} public {_items(found.size)} tell" if found.size else "the empty set tells"
    return [f"{sets} too much: {few}, {telling}"]


def _witnesses(found: Counted, names: Vocabulary, k: int) -> tuple[list[str], list[str]]:
    """Some unsafe sets by name: those that give away what at least k people hold, and apart from them those of fewer people."""
    texts = [(_witness(example, names), example[2] >= 0 and example[3] >= k) for example in found.examples]
    return [text for text, shared in texts if shared], [text for text, shared in texts if not shared]


def _witness(example: Any, names: Vocabulary) -> str:
    items, people, hidden, holders, cohort = example
    known = "{" + ", ".join(names[int(item)] for item in items) + "}"
    if hidden < 0:
        return f"{known} is held by {people:,} only"
    return f"{known} gives {names[hidden]!r} away with a certainty of {percent(holders / cohort)}"


def _repeats(release: Release) -> list[str]:
    repeated = int(((release.published.counts > 1) * np.repeat(release.copies, np.diff(release.published.indptr))).sum())
    return [f"{repeated:,} items are repeated in their record, and how often is knowledge too"] if repeated else []


def _notes(found: Counted, roles: Roles) -> list[str]:
    notes = [f"{found.sets:,} sets of public items were counted, by {'people' if found.people else 'records'}"]
    if not roles.private.any():
        notes.append("no private item was named: only the link to a record was judged")
    if found.unsafe:
        more = f"sets of more than {found.size:,} {_items(found.size)}"
        notes.append(f"{more} were not counted, so k may be lower and the breach higher than achieved")
    return notes


def _items(n: int) -> str:
    return "item" if n == 1 else "items"

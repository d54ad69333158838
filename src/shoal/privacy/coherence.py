"""(h,k,p)-coherence (Xu, Wang, Fu and Yu, KDD'08): what an attacker who knows a few public items can find out.

A set of at most p public items that occurs is a *mole* if fewer than k people hold it, or if more than the share h of its holders hold
one and the same private item. A release is coherent if it has no mole; the empty set counts as a set.

Everything is counted from the published records, by kernels that no method calls. With the original at hand support counts people, not
records, and every published record must be its original under one global recoding: an item is suppressed everywhere, replaced everywhere
by one ancestor, or left as it was everywhere; private items must be untouched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.counting import percent
from shoal.data.bags import Vocabulary
from shoal.data.items import Items
from shoal.data.release import Release
from shoal.parameters import param
from shoal.privacy import Model, Verdict, verified_if
from shoal.privacy.claimed_item_roles import roles_of
from shoal.privacy.known_sets import MOST_KNOWN, Counted, Knowledge, count_known_sets, items, repeated_items
from shoal.privacy.recoding import recoding_defects

if TYPE_CHECKING:
    from shoal.data.original import Original

FINEST = 10**18  # the largest denominator of h


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
    limits = "It does not protect against somebody who knows more than p items, what is not in the record, or a private item already."

    h: float = param(0.4, minimum=0, maximum=1, help="largest share of those who hold a known set and one same private item")
    k: int = param(5, minimum=2, help="distinct people per set of known items")
    p: int = param(2, minimum=1, maximum=MOST_KNOWN, help="public items that an attacker may know")
    private: Items | None = param(None, help="items that must not be inferred")
    public: Items | None = param(None, help="items that may be known; by default all that are not private")

    reads_items_widely = False

    @property
    def sensitive_items(self) -> Items | None:
        """The private items."""
        return self.private

    @property
    def item_holders(self) -> int | None:
        """A single public item is a set that k people hold; of private items nothing is promised."""
        return self.k if self.private is None and self.public is None else None

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Whoever knows at most p items finds no record with a chance above 1/k, where all are public, and no private item above h."""
        if test == "sensitive inference" and self.private is not None and self.public is None:
            return self.h if known is not None and known <= self.p else None
        beyond = known is None or known > self.p or self.private is not None or self.public is not None
        return None if test not in {"singling out", "linking"} or beyond else 1 / self.k

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count every set of up to p public items; with the original, count people and check what was changed."""
        names, taxonomy = release.published.vocabulary, original.taxonomy if original else None
        roles = roles_of(names, self.private, self.public, taxonomy, strict=original is not None)
        found = count_known_sets(release, original, roles, Knowledge(self.k, self.p, _fraction(self.h)))
        shared, rare = _witnesses(found, names, self.k)
        broken = [*_told(found), *shared, *repeated_items(release)]
        if original is not None and release.secret is not None:
            broken += recoding_defects(original, release, roles)
        notes = (*_notes(found, any_private=bool(roles.private.any())), *roles.notes)
        return Verdict(str(self), verified_if(not broken), self._achieved(found), tuple(broken), notes, rare=tuple(rare))

    def _achieved(self, found: Counted) -> dict[str, Any]:
        return found.level | {"breach": round(float(found.breach), 6), "p": self.p}

    @property
    def sets_to_count(self) -> Knowledge | None:
        """All sets of up to p items, where no item is named private or public."""
        return Knowledge(self.k, self.p) if self.private is None and self.public is None else None

    def judge_sets(self, counted: Counted, defects: Sequence[str]) -> Verdict:
        """The judgement of `judge` where all items are public."""
        if self.sets_to_count is None:
            return super().judge_sets(counted, defects)
        broken = (*_told(counted), *defects)
        return Verdict(str(self), verified_if(not broken), self._achieved(counted), broken, tuple(_notes(counted, any_private=False)))


def _fraction(h: float) -> Fraction:
    """h as it is written: 0.29 is 29/100, not the nearest binary number. What does not fit the kernel is rounded down."""
    written = Fraction(str(float(h)))
    return written if written.denominator <= FINEST else Fraction(written.numerator * FINEST // written.denominator, FINEST)


def _told(found: Counted) -> list[str]:
    if not found.unsafe:
        return []
    few, telling = f"{found.few:,} held by too few people", f"{found.telling:,} that give a private item away"
    sets = f"{found.unsafe:,} sets of {found.size:,} public {items(found.size)} tell" if found.size else "the empty set tells"
    return [f"{sets} too much: {few}, {telling}"]


def _witnesses(found: Counted, names: Vocabulary, k: int) -> tuple[list[str], list[str]]:
    """Some unsafe sets by name: those that give away what at least k people hold, and apart from them those of fewer people."""
    texts = [(_witness(example, names), example[2] >= 0 and example[3] >= k) for example in found.examples]
    return [text for text, shared in texts if shared], [text for text, shared in texts if not shared]


def _witness(example: Any, names: Vocabulary) -> str:
    chosen, people, hidden, holders, cohort = example
    known = "{" + ", ".join(names[int(item)] for item in chosen) + "}"
    if hidden < 0:
        return f"{known} is held by {people:,} only"
    return f"{known} gives {names[hidden]!r} away with a certainty of {percent(holders / cohort)}"


def _notes(found: Counted, *, any_private: bool) -> list[str]:
    notes = [f"{found.sets:,} sets of public items were counted, by {'people' if found.people else 'records'}"]
    if not any_private:
        notes.append("no private item was named: only the link to a record was judged")
    if found.unsafe:
        more = f"sets of more than {found.size:,} {items(found.size)}"
        notes.append(f"{more} were not counted, so k may be lower and the breach higher than achieved")
    return notes

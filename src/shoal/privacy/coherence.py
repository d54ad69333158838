"""(h,k,p)-coherence (Xu, Wang, Fu and Yu, KDD'08): what an attacker who knows a few public items can find out.

A set of at most p public items that occurs is a *mole* if fewer than k people hold it, or if more than the share h of its holders hold
one and the same private item. A release is coherent if it has no mole; the empty set counts as a set.

Everything is counted from the published records, by kernels that no method calls. With the original support counts people, not
records, and every published record must be its original under one global recoding: an item is suppressed everywhere, replaced everywhere
by one ancestor, or left as it was everywhere; private items must be untouched.

With `costs`, items have different identifying weight: p is the attacker's budget, and a set is known if its items cost at most p
together. This is what the paper leaves to future work (section 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.data.bags import Vocabulary
from shoal.data.claims import Verdict, verified_if
from shoal.data.item_costs import ItemCosts
from shoal.data.items import Items
from shoal.data.release import Release
from shoal.errors import ParameterError, option
from shoal.parameters import param
from shoal.privacy.evidence.affordable_sets import costs_of, count_affordable_sets
from shoal.privacy.evidence.claimed_item_roles import roles_of
from shoal.privacy.evidence.cluster_judging import JudgesSets
from shoal.privacy.evidence.global_recoding import recoding_defects
from shoal.privacy.evidence.known_sets import (
    MOST_KNOWN,
    AttackerKnowledge,
    CountedSets,
    count_known_sets,
    holders_in,
    items,
    repeated_items,
)
from shoal.util.wording import percent

if TYPE_CHECKING:
    from shoal.data.original import Original

FINEST = 10**18  # the largest denominator of h


@dataclass(frozen=True)
class Coherence(JudgesSets):
    """An attacker who knows up to p public items of a person finds at least k people, and no private item with confidence above h."""

    name = "coherence"
    protects = (
        "An attacker who knows at most p public items of a person's record links the person to a record with probability at most 1/k, "
        "and to any one private item with probability at most h."
    )
    does_not_protect = (
        "An attacker who knows more than p items, knows which items are absent, or already knows a private item. A combination of two "
        "private items may have a confidence above h."
    )
    limits = "It does not protect against an attacker who knows more than p items, which items are absent, or already a private item."

    h: float = param(0.4, minimum=0, maximum=1, help="largest share of people with a known set of items who have the same private item")
    k: int = param(5, minimum=2, help="minimum number of people per set of known items")
    p: int = param(2, minimum=1, maximum=MOST_KNOWN, help="number of public items known to an attacker")
    private: Items | None = param(None, help="private items, which must not be inferred")
    public: Items | None = param(None, help="items an attacker may know (default: all that are not private)")
    costs: ItemCosts | None = param(None, help="cost of getting to know each item, where p is the budget (default: 1 each)")

    reads_items_widely = False

    @property
    def sensitive_items(self) -> Items | None:
        """The private items."""
        return self.private

    @property
    def item_holders(self) -> int | None:
        """The guaranteed number of people per item: k for public items, none for private ones."""
        return self.k if self.private is None and self.public is None and self.costs is None else None

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return 1/k for an attacker who knows at most p public items, and h for a private item; nothing if items have costs."""
        if self.costs is not None:
            return None
        if test == "sensitive inference" and self.private is not None and self.public is None:
            return self.h if known is not None and known <= self.p else None
        beyond = known is None or known > self.p or self.private is not None or self.public is not None
        return None if test not in {"singling out", "linking"} or beyond else 1 / self.k

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count every set of up to p public items; with the original, count people and verify the recoding."""
        names, taxonomy = release.published.vocabulary, original.taxonomy if original else None
        roles = roles_of(names, self.private, self.public, taxonomy, strict=original is not None)
        knowledge = AttackerKnowledge(self.k, self.p, _fraction(self.h))
        if self.costs is None:
            found = count_known_sets(release, original, roles, knowledge)
        else:
            found = count_affordable_sets(holders_in(release, original), roles, knowledge, costs_of(names, self.costs.exact))
        shared, rare = _witnesses(found, names, self.k)
        broken = [*_violations(found), *shared, *repeated_items(release)]
        if original is not None and release.secret is not None:
            broken += recoding_defects(original, release, roles)
        notes = (*_notes(found, any_private=bool(roles.private.any())), *roles.notes)
        return Verdict(str(self), verified_if(not broken), self._achieved(found), tuple(broken), notes, rare=tuple(rare))

    def _achieved(self, found: CountedSets) -> dict[str, Any]:
        return found.level | {"breach": round(float(found.breach), 6), "p": self.p}

    @property
    def sets_to_count(self) -> AttackerKnowledge | None:
        """Return all sets of up to p items, if no item is named private or public."""
        named = self.private is not None or self.public is not None or self.costs is not None
        return None if named else AttackerKnowledge(self.k, self.p)

    def judge_sets(self, counted: CountedSets, defects: Sequence[str]) -> Verdict:
        """Verify counted sets as `judge` does if all items are public."""
        if self.sets_to_count is None:
            raise ParameterError(f"{self} is judged on one machine", code="not-on-a-cluster", hint=f"leave {option('engine')} out")
        broken = (*_violations(counted), *defects)
        return Verdict(str(self), verified_if(not broken), self._achieved(counted), broken, tuple(_notes(counted, any_private=False)))


def _fraction(h: float) -> Fraction:
    """Return h as its decimal fraction: 0.29 is 29/100, not the nearest binary number. It is rounded down if it does not fit the kernel."""
    written = Fraction(str(float(h)))
    return written if written.denominator <= FINEST else Fraction(written.numerator * FINEST // written.denominator, FINEST)


def _violations(found: CountedSets) -> list[str]:
    if not found.unsafe:
        return []
    few, telling = f"{found.few:,} held by too few people", f"{found.telling:,} that reveal a private item"
    sets = f"{found.unsafe:,} sets of {found.size:,} public {items(found.size)} reveal" if found.size else "the empty set reveals"
    return [f"{sets} too much: {few}, {telling}"]


def _witnesses(found: CountedSets, names: Vocabulary, k: int) -> tuple[list[str], list[str]]:
    """Return examples of unsafe sets by name: those of at least k people, and separately those of fewer people."""
    texts = [(_witness(example, names), example[2] >= 0 and example[3] >= k) for example in found.examples]
    return [text for text, shared in texts if shared], [text for text, shared in texts if not shared]


def _witness(example: Any, names: Vocabulary) -> str:
    chosen, people, hidden, holders, cohort = example
    known = "{" + ", ".join(names[int(item)] for item in chosen) + "}"
    if hidden < 0:
        return f"{known} is held by {people:,} only"
    return f"{known} reveals {names[hidden]!r} with a confidence of {percent(holders / cohort)}"


def _notes(found: CountedSets, *, any_private: bool) -> list[str]:
    notes = [f"{found.sets:,} sets of public items were counted, by {'people' if found.people else 'records'}"]
    if not any_private:
        notes.append("no private item was listed: only linkage to a record was verified")
    if found.unsafe:
        more = f"sets of more than {found.size:,} {items(found.size)}"
        notes.append(f"{more} were not counted, so k may be lower and the breach higher than achieved")
    return notes

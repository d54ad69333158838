"""(h,k,p)-coherence (Xu, Wang, Fu and Yu, KDD'08): what an attacker who knows a few public items can find out.

A set of at most p public items that occurs is a *mole* if fewer than k people have it, or if more than the share h of its holders hold
one and the same private item. A release is coherent if it has no mole; the empty set counts as a set.

Everything is counted from the published records, by kernels that no method calls. With the original support counts people, not
records, and every published record must be its original under one global recoding: an item is suppressed everywhere, replaced everywhere
by one ancestor, or left as it was everywhere; private items must be untouched.

With `costs`, items have different identifying weight: p is the attacker's budget, and a set is known if its items cost at most p
together. With `private_of`, private items differ by person: a set is known if its items are public for somebody who has them, and none of
the items that are private for one of these people may be too frequent among all who have the set. Both are what the paper leaves to future
work (section 5). Who keeps what private is secret, so the second is verified with the original only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.bags import Vocabulary
from shoal.data.claims import Verdict, verified_if
from shoal.data.item_costs import ItemCosts
from shoal.data.items import Items
from shoal.data.personal_items import PersonalItems
from shoal.data.release import Release
from shoal.errors import ParameterError, option
from shoal.parameters import param
from shoal.privacy.evidence.affordable_sets import costs_of, count_affordable_sets
from shoal.privacy.evidence.claimed_item_roles import Roles, roles_of
from shoal.privacy.evidence.cluster_judging import JudgesSets
from shoal.privacy.evidence.equivalence_classes import truthful_or_not
from shoal.privacy.evidence.global_recoding import changed_private_items, recoding_defects
from shoal.privacy.evidence.known_sets import (
    MOST_KNOWN,
    PEOPLE_NOT_COUNTED,
    AttackerKnowledge,
    CountedSets,
    Holders,
    count_sets,
    holders_in,
    items,
    repeated_items,
)
from shoal.privacy.evidence.personal_sets import (
    Found,
    any_roles,
    certainly_unsafe,
    count_personal_sets,
    names_of,
    not_recoded,
    personal_roles,
    wishes_of,
)
from shoal.privacy.evidence.sensitive_columns import upwards
from shoal.util.wording import counted, percent

if TYPE_CHECKING:
    from shoal.data.original import Original

FINEST = 10**18  # the largest denominator of h
BY_PERSON = "what is private for whom is secret: an audit with the original, and with a claim that names the file of it, counts"


@dataclass(frozen=True)
class Coherence(JudgesSets):
    """At least k people match up to p known public items, and no private item can be inferred with confidence above h."""

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
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} {known} occurs in the records of {least} {people}",
        "records": "{every} {known} occurs in {least} {records}",
        "breach": "a private item can be inferred with a confidence of up to {n}",
    }

    h: float = param(0.4, minimum=0, maximum=1, help="largest share of people with a known set of items who have the same private item")
    k: int = param(5, minimum=2, help="minimum number of people per set of known items")
    p: int = param(2, minimum=1, maximum=MOST_KNOWN, help="number of public items known to an attacker")
    private: Items | None = param(None, help="private items, which must not be inferred")
    public: Items | None = param(None, help="items an attacker may know (default: all that are not private)")
    costs: ItemCosts | None = param(None, help="cost of getting to know each item, where p is the budget (default: 1 each)")

    private_of: PersonalItems | None = param(
        None, help="file with a person and an item per line: items that are private for this person only"
    )

    reads_items_widely = False

    @property
    def in_sentences(self) -> Mapping[str, Any]:
        """Return the name of what an attacker knows."""
        if self.costs is not None:
            return {"known": f"set of public items with a total cost of up to {self.p:,}"}
        return {"known": "public item" if self.p == 1 else f"set of up to {self.p:,} public items"}

    @property
    def needs_user_ids(self) -> bool:
        """Whether private items differ by person and are given."""
        return self.private_of is not None and self.private_of.pairs is not None

    @property
    def sensitive_items(self) -> Items | None:
        """The private items."""
        return self.private

    @property
    def item_holders(self) -> int | None:
        """The guaranteed number of people per item: k for public items, none for private ones."""
        return None if self._names_items else self.k

    @property
    def _names_items(self) -> bool:
        """Whether items differ in their role or cost."""
        return any(one is not None for one in (self.private, self.public, self.costs, self.private_of))

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return 1/k for an attacker who knows at most p public items, and h for a private item; nothing if items have costs or their
        role differs by person.
        """
        if self.costs is not None or self.private_of is not None:
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
        if self.private_of is not None:
            return self._judge_by_person(release, original, roles, knowledge)
        holders = holders_in(release, original)
        if self.costs is None:
            found = count_sets(holders, roles, knowledge)
        else:
            found = count_affordable_sets(holders, roles, knowledge, costs_of(names, self.costs.exact))
        shared, rare = _witnesses(found, names, holders, self.k)
        broken = [*_violations(found), *shared, *repeated_items(release)]
        notes = _notes(found, any_private=bool(roles.private.any()))
        if original is not None:
            untrue, undecided = _changes(release, original, roles)
            broken, notes = broken + untrue, notes + undecided
        achieved = self._achieved(found)
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken), (*notes, *roles.notes), rare=tuple(rare))

    def _judge_by_person(self, release: Release, original: Original | None, roles: Roles, knowledge: AttackerKnowledge) -> Verdict:
        """Count every set that is public for somebody; without the original, every set of public items, which is more than is needed."""
        assert self.private_of is not None
        names = release.published.vocabulary
        costs = costs_of(names, {} if self.costs is None else self.costs.exact)
        if original is None or not self.needs_user_ids:
            anybody = any_roles(release, roles)
            found, broken = count_personal_sets(anybody, knowledge, costs), certainly_unsafe(anybody, roles, knowledge)
            broken += repeated_items(release)
            if found.unsafe and not broken:
                return Verdict(str(self), "not checkable", {}, notes=roles.notes, unchecked=BY_PERSON)
            notes = ("every set of public items is safe, whoever keeps what private",) if not found.unsafe else ()
            return self._verdict_by_person(found, broken, (*notes, *roles.notes), people=len(anybody.owners) > 0)
        shown = set(release.published.items.tolist())
        records, closed = personal_roles(original, shown, roles, wishes_of(self.private_of, original))
        found = count_personal_sets(records, knowledge, costs)
        broken = [*_unsafe_sets(found), *not_recoded(original, release, shown), *repeated_items(release)]
        broken += recoding_defects(original, release, roles) if release.secret is not None else []
        lost = sum(closed[item] for item in set(original.bags.items.tolist()) - shown)
        broken += [f"{lost:,} items that are private for all who have them were changed"] if lost else []
        rare = tuple(names_of(*example, names) for example in found.examples)
        return self._verdict_by_person(found, broken, roles.notes, people=True, rare=rare)

    def _verdict_by_person(
        self, found: Found, broken: Sequence[str], notes: Sequence[str], *, people: bool, rare: tuple[str, ...] = ()
    ) -> Verdict:
        """Return the verdict. Its level has no share of a private item, which would reveal what somebody keeps private."""
        level = {"people" if people else "records": found.fewest, "p": self.p}
        return Verdict(str(self), verified_if(not broken), level, tuple(broken), tuple(notes), rare=rare)

    def _achieved(self, found: CountedSets) -> dict[str, Any]:
        return found.level | {"breach": upwards(found.breach), "p": self.p}

    @property
    def sets_to_count(self) -> AttackerKnowledge | None:
        """Return all sets of up to p items, if no item is named private or public."""
        return None if self._names_items else AttackerKnowledge(self.k, self.p)

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


def _changes(release: Release, original: Original, roles: Roles) -> tuple[list[str], list[str]]:
    """Return faults of the recoding; without the record-to-group mapping, of records that match no original, and of private items."""
    if release.secret is not None:
        return recoding_defects(original, release, roles), []
    untrue, undecided = truthful_or_not(release, original)
    untrue += changed_private_items(release, original, roles.private)
    return untrue, undecided + ([PEOPLE_NOT_COUNTED] if original.bags.owners_repeat else [])


def _unsafe_sets(found: Found) -> list[str]:
    few, telling = f"{found.few:,} shared by too few people", f"{found.telling:,} that reveal what is private for somebody"
    name = "of items that are public for somebody"
    sets = counted(found.unsafe, f"set {name} reveals", f"sets {name} reveal")
    return [f"{sets} too much: {few}, {telling}"] if found.unsafe else []


def _violations(found: CountedSets) -> list[str]:
    if not found.unsafe:
        return []
    few, telling = f"{found.few:,} shared by too few people", f"{found.telling:,} that reveal a private item"
    name = f"of {found.size:,} public {items(found.size)}"
    sets = counted(found.unsafe, f"set {name} reveals", f"sets {name} reveal") if found.size else "the empty set reveals"
    return [f"{sets} too much: {few}, {telling}"]


def _witnesses(found: CountedSets, names: Vocabulary, holders: Holders, k: int) -> tuple[list[str], list[str]]:
    """Return examples of unsafe sets by name: those that at least k people have with the private item, and separately all others."""
    shared: list[str] = []
    rare: list[str] = []
    for example in found.examples:
        chosen, _, hidden, *_ = example
        common = hidden >= 0 and _people_with([*chosen, hidden], holders) >= k
        (shared if common else rare).append(_witness(example, names))
    return shared, rare


def _people_with(wanted: Sequence[int], holders: Holders) -> int:
    """Return the number of people with a record that has all of these items; of records if nobody owns two."""
    published = holders.published
    row = np.repeat(np.arange(len(published)), np.diff(published.indptr))
    whole = np.bincount(row[np.isin(published.items, wanted)], minlength=len(published)) == len(wanted)
    having = whole[holders.row]
    return len(np.unique(holders.owners[having])) if len(holders.owners) else int(having.sum())


def _witness(example: Any, names: Vocabulary) -> str:
    chosen, people, hidden, holders, cohort = example
    known = "{" + ", ".join(names[int(item)] for item in chosen) + "}"
    if hidden < 0:
        return f"{known} has only {counted(people, 'match', 'matches')}"
    return f"{known} reveals {names[hidden]!r} with a confidence of {percent(holders / cohort)}"


def _notes(found: CountedSets, *, any_private: bool) -> list[str]:
    notes = [f"{found.sets:,} sets of public items were counted, by {'people' if found.people else 'records'}"]
    if not any_private:
        notes.append("no private item was listed: only linkage to a record was verified")
    if found.unsafe:
        more = f"sets of more than {found.size:,} {items(found.size)}"
        notes.append(f"{more} were not counted, so the true k may be lower and the true confidence higher")
    return notes

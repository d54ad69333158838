"""k^m-anonymity (Terrovitis, Mamoulis and Kalnis, VLDB'08): an attacker who knows up to m items of a person finds at least k people.

Every set of up to m published items that occurs, the empty one among them, must be shared by at least k people. That is enough also where
an item is published differently from record to record. Let an attacker know a set B of at most m items of a person, and let T be what
they are published as in the person's record; what is suppressed there has no part in T. T has at most as many items as B, and occurs, so
at least k people have it. Each of their records may be the person's for all the attacker can tell: every item of B is there under
a node of T, or was suppressed.

Everything is counted from the published records, by kernels that no method calls. With the original people are counted, not
records, and every published record must generalize the record that it represents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.data.bags import Vocabulary
from shoal.data.claims import Verdict, verified_if
from shoal.data.release import Release
from shoal.parameters import param
from shoal.privacy.evidence.cluster_judging import JudgesSets
from shoal.privacy.evidence.equivalence_classes import truthful_or_not
from shoal.privacy.evidence.known_sets import (
    MOST_KNOWN,
    PEOPLE_NOT_COUNTED,
    AttackerKnowledge,
    CountedSets,
    all_public,
    count_known_sets,
    items,
    repeated_items,
)
from shoal.util.wording import counted

if TYPE_CHECKING:
    from shoal.data.original import Original


@dataclass(frozen=True)
class KmAnonymity(JudgesSets):
    """At least k people match what an attacker knows: up to m items of a person."""

    name = "km-anonymity"
    protects = (
        "An attacker who knows at most m items of a person's record links the person to a published record with probability at most 1/k."
    )
    does_not_protect = (
        "An attacker who knows more than m items, or which items are absent, may find a single record. What all k people share is "
        "disclosed about each of them. No item is treated as more sensitive than another."
    )
    limits = "It does not protect against an attacker who knows more than m items, or which items are absent."

    holds_of_unions = True
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} {known} occurs in the records of {least} {people}",
        "records": "{every} {known} occurs in {least} {records}",
    }

    k: int = param(5, minimum=2, help="minimum number of people per set of known items")
    m: int = param(2, minimum=1, maximum=MOST_KNOWN, help="number of items known to an attacker")

    @property
    def in_sentences(self) -> Mapping[str, Any]:
        """Return the name of what an attacker knows."""
        return {"known": "published item" if self.m == 1 else f"set of up to {self.m:,} published items"}

    @property
    def item_holders(self) -> int:
        """The number of people per item: k, because a single item is a set."""
        return self.k

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return 1/k for an attacker who knows at most m items."""
        return None if test not in {"singling out", "linking"} or known is None or known > self.m else 1 / self.k

    @property
    def sets_to_count(self) -> AttackerKnowledge:
        """Return all sets of up to m items."""
        return AttackerKnowledge(self.k, self.m)

    def judge_sets(self, counted: CountedSets, defects: Sequence[str]) -> Verdict:
        """Verify sets counted elsewhere as `judge` does."""
        broken = (*_violations(counted, self.k), *defects)
        return Verdict(str(self), verified_if(not broken), counted.level | {"m": self.m}, broken, tuple(_notes(counted)))

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count every set of up to m published items; with the original, count people and verify the generalization."""
        names = release.published.vocabulary
        found = count_known_sets(release, original, all_public(len(names)), AttackerKnowledge(self.k, self.m))
        broken, notes = [*_violations(found, self.k), *repeated_items(release)], _notes(found)
        if original is not None:
            untrue, undecided = truthful_or_not(release, original)
            broken, notes = broken + untrue, notes + undecided
            notes += [PEOPLE_NOT_COUNTED] if release.secret is None and original.bags.owners_repeat else []
        return Verdict(
            str(self), verified_if(not broken), found.level | {"m": self.m}, tuple(broken), tuple(notes), rare=_witnesses(found, names)
        )


def _violations(found: CountedSets, k: int) -> list[str]:
    if not found.unsafe:
        return []
    name = f"of {found.size:,} published {items(found.size)}"
    sets = counted(found.unsafe, f"set {name} is", f"sets {name} are") if found.size else "the empty set is"
    return [f"{sets} shared by fewer than {k:,} people"]


def _witnesses(found: CountedSets, names: Vocabulary) -> tuple[str, ...]:
    """Return examples of rare sets by name; not for publication."""
    return tuple(
        f"{{{', '.join(names[int(item)] for item in held)}}} has only {counted(people, 'match', 'matches')}"
        for held, people, *_ in found.examples
    )


def _notes(found: CountedSets) -> list[str]:
    notes = [f"{found.sets:,} sets of published items (including the empty one) were counted, by {'people' if found.people else 'records'}"]
    if found.unsafe:
        notes.append(f"sets of more than {found.size:,} {items(found.size)} were not counted, so the true k may be lower")
    return notes

"""Transactional k-anonymity (He and Naughton, VLDB'09; thesis 2.6): every published record is shared by at least k people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.data.claims import Verdict
from shoal.data.release import Release
from shoal.parameters import param
from shoal.privacy.evidence.cluster_judging import JudgesClasses
from shoal.privacy.evidence.equivalence_classes import GROUP_SENTENCES, GROUP_WORDS, ClassCounts, judge_classes, judge_counts

if TYPE_CHECKING:
    from shoal.data.original import Original


@dataclass(frozen=True)
class KAnonymity(JudgesClasses):
    """Every published record is shared by at least k people."""

    name = "k-anonymity"
    protects = (
        "An attacker who knows a person's complete record (its items, their counts, and which items are absent) links the person to a "
        "published record with probability at most 1/k."
    )
    does_not_protect = (
        "What all k members of a group share is disclosed about each of them. An attacker who planted records, or who compares two "
        "releases, may exceed 1/k."
    )
    limits = (
        "It does not hide what all k members of a group have in common, nor does it protect against an attacker who planted records or has "
        "another release of the same people."
    )

    holds_of_unions = True
    level_words = GROUP_WORDS
    level_sentences = GROUP_SENTENCES

    k: int = param(5, minimum=2, help="minimum number of people per published record")

    @property
    def group_size(self) -> int:
        """The size of groups: k."""
        return self.k

    @property
    def generalized_groups(self) -> int:
        """The number of people whose records a published record generalizes: k."""
        return self.k

    @property
    def item_holders(self) -> int:
        """The number of people per item: every published record generalizes those of k people, who therefore have its items."""
        return self.k

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return 1/k, whatever the attacker knows."""
        return 1 / self.k if test in {"singling out", "linking"} else None

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count identical published records; with the original, count people and verify the generalization."""
        return judge_classes(str(self), self.k, release, original, people=True, truthful=True)

    def judge_counted(self, counted: ClassCounts) -> Verdict:
        """Verify classes counted on a cluster."""
        return judge_counts(str(self), self.k, counted)

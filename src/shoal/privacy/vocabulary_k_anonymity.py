"""Vocabulary k-anonymity (Liu and Wang, ICDM'10): every published vocabulary, as a bag of terms, occurs at least k times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.data.claims import Model, Verdict
from shoal.data.release import Release
from shoal.parameters import param
from shoal.privacy.evidence.equivalence_classes import GROUP_WORDS, judge_classes

if TYPE_CHECKING:
    from shoal.data.original import Original


@dataclass(frozen=True)
class VocabularyKAnonymity(Model):
    """Every published vocabulary (a bag of terms, per user, session or query) occurs at least k times."""

    name = "vocabulary-k-anonymity"
    protects = "A person's vocabulary is indistinguishable from at least k-1 other published vocabularies."
    does_not_protect = (
        "Unless people are counted, one person may have several identical vocabularies, one per session. A published term may come "
        "from a single member of the group."
    )
    limits = (
        "It does not guarantee k different people unless people are counted, and a published term may come from a single member of "
        "the group."
    )

    level_words = GROUP_WORDS
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} published vocabulary belongs to {least} {people}",
        "records": "{every} published vocabulary occurs {least} {times}",
    }

    k: int = param(5, minimum=2, help="minimum number of identical vocabularies")
    people: bool = param(False, help="count people instead of vocabularies, if the original is available")

    @property
    def group_size(self) -> int:
        """The size of groups: k."""
        return self.k

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return 1/k, whatever the attacker knows."""
        return 1 / self.k if test in {"singling out", "linking"} else None

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count identical published vocabularies. Terms may represent similar ones, so generalization is not required."""
        return judge_classes(str(self), self.k, release, original, people=self.people, truthful=False)

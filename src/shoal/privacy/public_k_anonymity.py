"""k-anonymity of the public items alone: relational k-anonymity of transactions with every public item as a column (TDS)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.bags import Bags
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.items import Items
from shoal.data.release import Release
from shoal.parameters import param
from shoal.privacy.evidence.claimed_item_roles import Mask, roles_of
from shoal.privacy.evidence.equivalence_classes import judge_classes
from shoal.privacy.evidence.global_recoding import changed_private_items, recoding_defects

if TYPE_CHECKING:
    from shoal.data.original import Original


@dataclass(frozen=True)
class PublicKAnonymity(Model):
    """At least k people share the complete set of public items of each published record."""

    name = "public-k-anonymity"
    protects = (
        "An attacker who knows which public items a person's record contains, and which it does not, links the person to a published "
        "record with probability at most 1/k."
    )
    does_not_protect = "All k people may have the same private item, which is then disclosed about each of them."
    limits = "It does not protect private items: all k people may have the same one."
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} combination of public items belongs to {least} {people}",
        "records": "{every} combination of public items occurs {least} {times}",
    }

    k: int = param(5, minimum=2, help="minimum number of people per combination of public items")
    private: Items | None = param(None, help="private items, which are published unchanged")
    public: Items | None = param(None, help="items an attacker may know (default: all that are not private)")

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count identical public parts; with the original, count people and verify the recoding."""
        names, taxonomy = release.published.vocabulary, original.taxonomy if original else None
        roles = roles_of(names, self.private, self.public, taxonomy, strict=original is not None)
        public = release.republished(_only(release.published, roles.public))
        verdict = judge_classes(str(self), self.k, public, original, people=True, truthful=True)
        verdict = replace(verdict, notes=(*verdict.notes, *roles.notes))
        if original is None:
            return verdict
        if release.secret is None:
            changed = changed_private_items(release, original, roles.private)
        else:
            changed = recoding_defects(original, release, roles)
        broken = (*verdict.witnesses, *changed)
        return replace(verdict, standing=verified_if(not broken), witnesses=broken)


def _only(bags: Bags, public: Mask) -> Bags:
    """Return the records with their public items only."""
    kept = public[bags.items]
    indptr = np.concatenate([[0], np.cumsum(kept)])[bags.indptr].astype(np.int64)
    return replace(bags, indptr=indptr, items=bags.items[kept], counts=bags.counts[kept])

"""k-anonymity of weighted bags: published vectors of terms and weights that are alike, term by term and weight by weight.

The classes are counted from what is published. With the original people are counted, and every published term is compared with
the documents it is published for: it must be a term of each of them, or lie above a sense of one, and weigh no more than these do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.original import DocumentOriginal
from shoal.data.release import Release
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.document_origins import Comparison, compared
from shoal.privacy.equivalence_classes import classes_of_vectors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import AnyOriginal
    from shoal.data.tables import PublishedTable


@dataclass(frozen=True)
class WeightedKAnonymity(Model):
    """At least k people share each published vector of terms and weights."""

    name = "weighted-k-anonymity"
    protects = (
        "An attacker who knows the terms of a document links it to a published vector with probability at most 1/k. A published term "
        "represents terms of all documents in its group: no term of only some of them is published."
    )
    does_not_protect = (
        "What all documents of a group have in common is published, even a rare word if all of them use it. Weights are means: with k "
        "= 2 the author of one document can compute the weights of the other."
    )
    limits = "It does not hide what all documents of a group have in common, including a rare word that all of them use."
    judges = frozenset({"weighted bags"})
    level_words = {  # noqa: RUF012 (never changed)
        "records": "vectors in the smallest equivalence class",
        "people": "different people behind the rarest vector",
    }

    k: int = param(3, minimum=2, help="minimum number of people per published vector")

    @property
    def group_size(self) -> int:
        """Groups of k."""
        return self.k

    @property
    def generalized_groups(self) -> int:
        """A vector generalizes those of k people."""
        return self.k

    def not_checked(self, table: PublishedTable, *, beside_original: bool) -> Mapping[str, str]:
        """The file shows that k vectors are alike; which documents a vector represents it does not show, nor does the original."""
        if beside_original:
            return {"weights": "only that documents which carry the terms have weights as small and as large"}
        return {"items": "whether documents hold them", "weights": ""}

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count identical vectors; with the original, count people and compare terms and weights with what they represent."""
        table = release.only(WeightedBagTable)
        label, sizes = classes_of_vectors(table)
        achieved = {"records": int(sizes.min(initial=len(label)))}
        rare = int((sizes < self.k).sum())
        broken = [f"{rare:,} vectors are shared by fewer than {self.k:,} records"] if rare else []
        if original is None:
            return Verdict(str(self), verified_if(not broken), achieved, tuple(broken))
        if not isinstance(original, DocumentOriginal):
            raise ParameterError(
                f"vectors are compared with documents, but the original was read as {original.shape}", code="wrong-kind-of-original"
            )
        found: Comparison = compared(table, label, original, release.secret)
        broken += found.defects
        if found.people is not None:
            achieved["people"] = found.people
            if found.people < self.k:
                broken.append(f"a vector represents documents of only {found.people:,} people")
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken), found.notes)

"""Semantic microaggregation of document vectors (Abril, Navarro-Arribas and Torra, MDAI 2010; chapter 2 of the ARES report).

Documents are grouped by MDAV on the similarity of their terms in WordNet or another taxonomy, over all senses. Each is published as the
vector of its group: terms that generalize those of all members, with mean weights. Guarantee: every published vector is shared by at least
k people, and each of its terms is a term of every member, or lies above one. O(n^2) matchings of terms, O(terms^3) each.

Deviations from the paper: the papers' distance could not be determined; here it is 1 - (best one-to-one matching) / (terms of the longer
vector), which reproduces the report's Table 2.1. MDAV starts from a medoid. Nodes have unique names: `bank#2` differs from `bank`. Terms
with the same node are published once, with the sum of their weights. A group takes one document per user.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.accounting import Accounting, Ledger, Part, changed, gone, kept
from shoal.data.bags import Ints
from shoal.data.claims import Model
from shoal.data.items import plain_values
from shoal.data.original import DocumentOriginal
from shoal.data.release import Release, Secret
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.methods import Method
from shoal.methods.bases.release_builder import present_records
from shoal.microaggregation.document_space import DocumentSpace, TermSlot, space_of
from shoal.microaggregation.mdav import mdav_groups
from shoal.parameters import param
from shoal.privacy.weighted_k_anonymity import WeightedKAnonymity

VECTORS = "vectors"  # the name of the published table


@dataclass(frozen=True)
class DocumentVectors(Method):
    """Groups documents with semantically similar terms; publishes weighted terms that generalize those of the members."""

    name = "document-vectors"
    paper = "Abril, Navarro-Arribas and Torra, MDAI 2010; Torra et al., ARES report, chapter 2"
    takes = frozenset({"documents"})
    publishes = "weighted bags"

    k: int = param(3, minimum=2, help="minimum number of people per published vector")

    @property
    def needs_taxonomy(self) -> bool:
        """False: documents are compared in all of WordNet unless the user names another taxonomy."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """Claim k-anonymity of vectors."""
        return (WeightedKAnonymity(k=self.k),)

    def apply(self, original: DocumentOriginal) -> Release:
        """Suppress documents without terms, group the others, and publish the vector of its group for each."""
        present_records(original.vectors, self.k)  # refuses too few people
        space = space_of(original)
        groups = mdav_groups(space, original.vectors.owners[space.documents], self.k)
        members = [np.flatnonzero(groups == number) for number in range(int(groups.max()) + 1)]
        vectors = [space.generalized(rows) for rows in members]
        rows = np.full(len(original.vectors), -1, np.int64)
        rows[space.documents] = np.arange(len(space))
        return Release(
            tables={VECTORS: _table(vectors, groups)},
            claims=self.claims(),
            accounting=_account(original, space, members, vectors),
            method=self.name,
            parameters=plain_values(self.values()),
            secret=Secret(rows),
        )


def _table(vectors: list[tuple[TermSlot, ...]], groups: Ints) -> WeightedBagTable:
    """Return the vector of its group for every document."""
    items = pl.Series("items", [[slot.name for slot in vector] for vector in vectors], dtype=pl.List(pl.String))
    weights = pl.Series("weights", [[slot.weight for slot in vector] for vector in vectors], dtype=pl.List(pl.Float64))
    return WeightedBagTable(pl.DataFrame([items, weights])[groups])


def _account(original: DocumentOriginal, space: DocumentSpace, members: list[Ints], vectors: list[tuple[TermSlot, ...]]) -> Accounting:
    """Return the ledgers of documents and of term occurrences: published, generalized, or without a counterpart in the group."""
    same = general = 0
    for rows, vector in zip(members, vectors, strict=True):
        own, above = _count_published(space, rows, vector)
        same, general = same + own, general + above
    n, shown, occurrences = len(original.vectors), len(space), original.vectors.occurrences
    parts: dict[str, Part] = {"kept": kept(same), "generalized": changed(general), "suppressed": gone(occurrences - same - general)}
    withheld = {"published": kept(shown), "withheld: empty": gone(n - shown)}
    return Accounting({"records": Ledger(n, withheld), "terms": Ledger(occurrences, parts)})


def _count_published(space: DocumentSpace, rows: Ints, vector: tuple[TermSlot, ...]) -> tuple[int, int]:
    """Count the occurrences in these documents that are published under their own name, and under another."""
    own = above = 0
    for at, row in enumerate(rows.tolist()):
        counts = space.counts(row)
        for slot in vector:
            for term in slot.represented[at]:
                if space.terms[term] == slot.name:
                    own += counts[term]
                else:
                    above += counts[term]
    return own, above

"""Base of methods that protect against an attacker who knows up to m items of a person (k^m-anonymity).

A subclass determines what is published for every occurrence: a node at or above its item, or nothing. Records are published as the sets of
these nodes; accounting and claims are implemented here.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from shoal.data.accounting import Part, changed, gone, kept
from shoal.data.bags import Bags, Small
from shoal.data.claims import Model
from shoal.data.original import Original, shared_occurrences
from shoal.data.recoding_rules import SUPPRESSED
from shoal.data.taxonomy import Taxonomy
from shoal.methods.bases.recoding import Recoded, RecodingMethod
from shoal.parameters import param
from shoal.privacy.evidence.known_sets import MOST_KNOWN
from shoal.privacy.km_anonymity import KmAnonymity


@dataclass(frozen=True)
class KnownItemsMethod(RecodingMethod):
    """A method after which at least k people have every set of up to m published items."""

    known_items = "m"

    k: int = param(5, minimum=2, help="minimum number of people per set of known items")
    m: int = param(2, minimum=1, maximum=MOST_KNOWN, help="number of items known to an attacker")

    @property
    def needs_taxonomy(self) -> bool:
        """True: items are generalized."""
        return True

    def claims(self) -> tuple[Model, ...]:
        """Claim k^m-anonymity."""
        return (KmAnonymity(k=self.k, m=self.m),)

    @abstractmethod
    def places(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Return the published node of each occurrence of these records, which are non-empty sets; negative if suppressed."""

    def recode(self, records: Bags, original: Original) -> Recoded:
        """Return every record as the set of its published nodes."""
        places = self.places(records, original.tree)
        published = published_sets(records, places)
        return Recoded(published, self.claims(), _account(records, places, published), code=_code(records, places))


def published_sets(records: Bags, places: Small) -> Bags:
    """Return the records with another node, or nothing, for each occurrence."""
    return Bags.from_rows(records.indptr, places, records.counts, records.vocabulary, records.owners, as_sets=True)


def _code(records: Bags, places: Small) -> Small | None:
    """Return the published node of each item; None if it differs between occurrences."""
    code = np.full(len(records.vocabulary), SUPPRESSED, np.int32)
    code[records.items] = places
    return code if np.array_equal(code[records.items], places) else None


def _account(records: Bags, places: Small, published: Bags) -> dict[str, Part]:
    """Return the outcome of the occurrences; items of a record with the same published node are merged."""
    same = shared_occurrences(records, published, np.arange(len(records), dtype=np.int64))
    merged = int((places >= 0).sum()) - published.occurrences
    return {"kept": kept(same), "generalized": changed(published.occurrences - same), "merged": gone(merged)}

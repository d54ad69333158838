"""The base of all methods that change items everywhere: every record is published, under one recoding of items for all records.

A subclass says what the records become; withholding, accounting and the order of records are done here once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.data.accounting import Part
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.methods import Method
from shoal.methods.building import Outcome, build_release, present_records
from shoal.privacy import Model


@dataclass(frozen=True, eq=False)
class Recoded:
    """The records after recoding, in their order; the promise about them; what became of their occurrences (the rest was suppressed)."""

    records: Bags
    claims: tuple[Model, ...]
    told: Mapping[str, Part]
    notes: tuple[str, ...] = ()


class RecodingMethod(Method):
    """A method that publishes every record that holds something, with items suppressed or replaced everywhere. Names stay as typed."""

    takes = frozenset({"sets"})
    publishes = "sets"

    k: int

    @property
    def needs_taxonomy(self) -> bool:
        """Suppression needs none."""
        return False

    @abstractmethod
    def recode(self, records: Bags, original: Original) -> Recoded:
        """What these records, none of which is empty, become."""

    def apply(self, original: Original) -> Release:
        """Withhold empty records, recode the others, and account for all."""
        present = present_records(original.bags, self.k)
        found = self.recode(present.records, original)
        every = np.arange(len(found.records), dtype=np.int64)
        outcome = Outcome(found.records, every, found.told, found.claims, found.notes, keeps_empty=True)
        return build_release(self, original, present, outcome)

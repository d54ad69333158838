"""Base of methods with global recoding: every record is published, under one recoding of items for all records.

A subclass determines the recoding; suppression, accounting and record order are implemented here. The recoding can be written as rules and
applied to other records: `reapply` publishes these under the same recoding, with the claims of the method, which are verified again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.data.accounting import Part, changed, gone, kept
from shoal.data.bags import Bags, Ints, Small
from shoal.data.claims import Model
from shoal.data.original import Original
from shoal.data.recoding_rules import SUPPRESSED, Rules
from shoal.data.release import Release
from shoal.itemsets.itemset_support import Moles
from shoal.methods import Method
from shoal.methods.bases.release_builder import Present, RecordOutcomes, build_release, present_records
from shoal.util.numbers import distinct
from shoal.util.wording import counted

NO_RULES = "no rules are written: below one published node some items were suppressed, and rules would have to name them"


@dataclass(frozen=True, eq=False)
class Recoded:
    """The records after recoding, in order; their claim; the outcome of their occurrences (the rest was suppressed).

    `code` has the published node of each item, negative if suppressed; None if it differs between records. `private_notes` are for the
    person who makes the release, and are not written.
    """

    records: Bags
    claims: tuple[Model, ...]
    outcomes: Mapping[str, Part]
    notes: tuple[str, ...] = ()
    code: Small | None = None
    private_notes: tuple[str, ...] = ()


class RecodingMethod(Method):
    """A method that publishes every non-empty record, with items suppressed or replaced everywhere. Names stay as typed.

    `one_recoding`: an item is published the same way in all records, so that the recoding can be written as rules.
    """

    takes = frozenset({"sets"})
    publishes = "sets"
    one_recoding: ClassVar[bool] = True

    k: int

    @property
    def needs_taxonomy(self) -> bool:
        """False: suppression needs no taxonomy."""
        return False

    @abstractmethod
    def recode(self, records: Bags, original: Original) -> Recoded:
        """Recode these records, none of which is empty."""

    @property
    def counts_decide(self) -> int | None:
        """The maximum size of the itemsets whose supports alone determine what is suppressed; None if more must be known."""
        return None

    @property
    def published_from_below(self) -> int | None:
        """The maximum size of the itemsets whose supports determine what each record publishes, from the items upwards; None if more is
        needed.
        """
        return None

    def suppressed_by_counts(self, moles: Moles, records: Ints, rare: int) -> tuple[Ints, list[str]]:
        """Return the items to suppress, and notes about them, from the minimal itemsets of too few people, if supports decide.

        `records` has the number of records with each known item; it is followed by this many `rare` items, each too rare by itself.
        """
        raise NotImplementedError(f"{self.name} needs more than counts")

    def claims_on(self, published: Bags, code: Small, original: Original) -> tuple[Model, ...]:
        """Return the claims about records with this recoding: by default those of the method."""
        return self.claims()

    def apply(self, original: Original) -> Release:
        """Suppress empty records, recode the others, and account for everything."""
        present = present_records(original.bags, self.k)
        found = self.recode(present.records, original)
        release = self._built(original, present, found)
        if not self.one_recoding or found.code is None:
            return release
        rules = Rules.of(present.records, found.code, original.tree)
        return replace(release, rules=rules) if rules else replace(release, notes=(*release.notes, NO_RULES))

    def reapply(self, original: Original, rules: Rules) -> Release:
        """Apply existing rules. Items that they do not name are suppressed and counted."""
        present = present_records(original.bags, self.k)
        code = rules.code(original.tree)
        published = present.records.relabelled(code, present.records.vocabulary, as_sets=True)
        outcomes = recoded_account(present.records, published, code[present.records.items])
        unnamed = distinct(present.records.items[code[present.records.items] < 0])
        note = f"{counted(len(unnamed), 'item')} that the rules do not name {'was' if len(unnamed) == 1 else 'were'} suppressed"
        return self._built(original, present, Recoded(published, self.claims_on(published, code, original), outcomes, (note,)))

    def _built(self, original: Original, present: Present, found: Recoded) -> Release:
        every = np.arange(len(found.records), dtype=np.int64)
        outcome = RecordOutcomes(
            found.records, every, found.outcomes, found.claims, found.notes, keeps_empty=True, private_notes=found.private_notes
        )
        return build_release(self, original, present, outcome)


def recoded_account(records: Bags, published: Bags, places: Small) -> dict[str, Part]:
    """Return the outcome of the occurrences, from the published node of each; equal nodes within a record are merged."""
    same = int((places == records.items).sum())
    merged = int((places != SUPPRESSED).sum()) - published.occurrences
    return {"kept": kept(same), "generalized": changed(published.occurrences - same), "merged": gone(merged)}

"""The base of all methods that change items everywhere: every record is published, under one recoding of items for all records.

A subclass says what the records become; withholding, accounting and the order of records are done here once. What was found can be told as
rules and applied to other records: `reapply` publishes these under the same recoding, with the claims of the method, which are judged
again.
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
from shoal.methods.bases.release_builder import Outcome, Present, build_release, present_records
from shoal.util.wording import counted

NO_RULES = "no rules are written: below one published node some items were suppressed, and rules would have to name them"


@dataclass(frozen=True, eq=False)
class Recoded:
    """The records after recoding, in their order; the promise about them; the outcome of their occurrences (the rest was suppressed).

    `code` has what each item of the vocabulary is published as, below 0 if nothing; None if that differs from record to record.
    `private_notes` are for the person who makes the release, and are not written.
    """

    records: Bags
    claims: tuple[Model, ...]
    told: Mapping[str, Part]
    notes: tuple[str, ...] = ()
    code: Small | None = None
    private_notes: tuple[str, ...] = ()


class RecodingMethod(Method):
    """A method that publishes every record that holds something, with items suppressed or replaced everywhere. Names stay as typed.

    `one_recoding` says that an item is published the same way in all records, so that the recoding can be told as rules.
    """

    takes = frozenset({"sets"})
    publishes = "sets"
    one_recoding: ClassVar[bool] = True

    k: int

    @property
    def needs_taxonomy(self) -> bool:
        """Suppression needs none."""
        return False

    @abstractmethod
    def recode(self, records: Bags, original: Original) -> Recoded:
        """What these records, none of which is empty, become."""

    @property
    def counts_decide(self) -> int | None:
        """Of how many items the sets are, at most, whose supports alone decide what is suppressed; None if more must be known."""
        return None

    @property
    def published_from_below(self) -> int | None:
        """Of how many items the sets are, at most, whose supports decide what each record publishes, from the items upwards; None: more."""
        return None

    def suppressed_by_counts(self, moles: Moles, records: Ints, rare: int) -> tuple[Ints, list[str]]:
        """The items to suppress, and what is told about them, from the minimal sets that too few people hold, where counts decide.

        `records` says how many records hold each item that is known; behind these are this many `rare` ones, each too rare by itself.
        """
        raise NotImplementedError(f"{self.name} needs more than counts")

    def claims_on(self, published: Bags, code: Small, original: Original) -> tuple[Model, ...]:
        """The promise about records that were recoded so; that of the method, unless it names items by what is published of them."""
        return self.claims()

    def apply(self, original: Original) -> Release:
        """Withhold empty records, recode the others, and account for all."""
        present = present_records(original.bags, self.k)
        found = self.recode(present.records, original)
        release = self._built(original, present, found)
        if not self.one_recoding or found.code is None:
            return release
        rules = Rules.of(present.records, found.code, original.tree)
        return replace(release, rules=rules) if rules else replace(release, notes=(*release.notes, NO_RULES))

    def reapply(self, original: Original, rules: Rules) -> Release:
        """The same under rules that were found before. What they do not name is suppressed, and counted."""
        present = present_records(original.bags, self.k)
        code = rules.code(original.tree)
        published = present.records.relabelled(code, present.records.vocabulary, as_sets=True)
        told = recoded_account(present.records, published, code[present.records.items])
        unnamed = np.unique(present.records.items[code[present.records.items] < 0])
        note = f"{counted(len(unnamed), 'item')} that the rules do not name {'was' if len(unnamed) == 1 else 'were'} suppressed"
        return self._built(original, present, Recoded(published, self.claims_on(published, code, original), told, (note,)))

    def _built(self, original: Original, present: Present, found: Recoded) -> Release:
        every = np.arange(len(found.records), dtype=np.int64)
        outcome = Outcome(found.records, every, found.told, found.claims, found.notes, keeps_empty=True, private_notes=found.private_notes)
        return build_release(self, original, present, outcome)


def recoded_account(records: Bags, published: Bags, places: Small) -> dict[str, Part]:
    """The outcome of the occurrences, from what is published at each; items of a record that became one and the same are merged."""
    same = int((places == records.items).sum())
    merged = int((places != SUPPRESSED).sum()) - published.occurrences
    return {"kept": kept(same), "generalized": changed(published.occurrences - same), "merged": gone(merged)}

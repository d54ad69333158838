"""What all methods share that publish one record per group.

A subclass says how to group and what to publish for a group; withholding, accounting and claims are done here once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from shoal import _kernels, kernels
from shoal.data.accounting import Part, changed, kept
from shoal.data.bags import Bags, Ints
from shoal.data.original import Original, shared_occurrences
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.engines.ranges import formed_in_ranges
from shoal.errors import Infeasible
from shoal.methods import Method
from shoal.methods.bases.outliers import Grouped, grouped
from shoal.methods.bases.release_builder import Outcome, build_release, present_records, within_floor
from shoal.util.wording import counted


class GroupingMethod(Method):
    """A method that puts every record in a group of at least k people and publishes one record for all of them."""

    k: int
    outliers: float = 0.0

    @property
    def works_in_ranges(self) -> bool:
        """Whether records of many people may be grouped range by range (`shoal.engines.ranges`), given that its claims hold of unions."""
        return False

    @property
    def _in_ranges(self) -> bool:
        return self.works_in_ranges and all(claim.holds_of_unions for claim in self.claims())

    @property
    def holds_one_range(self) -> bool:
        """Where groups are formed range by range, unless outliers are then looked for among all."""
        return self._in_ranges and not self.outliers

    @abstractmethod
    def form_groups(self, bags: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
        """A group label from 0 for every record, none of which is empty, and the published record of each group."""

    def apply(self, original: Original) -> Release:
        """Withhold empty records, group the others, publish one record a group, and account for all."""
        present = present_records(original.bags, self.k)
        found = grouped(self._formed, present.records, original.tree, self.outliers)
        told = generalized_or_kept(present.records, found.published, found.groups)
        outcome = Outcome(found.published, found.groups, told, self.claims(), _told_of(found, present.records), outliers=found.outliers)
        return build_release(self, original, present, outcome)

    def _formed(self, bags: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
        if self._in_ranges:
            groups, published = formed_in_ranges(self.form_groups, bags, taxonomy, self.k)
        else:
            groups, published = self.form_groups(bags, taxonomy)
        return groups, within_floor(published, taxonomy)


def _told_of(found: Grouped, records: Bags) -> tuple[str, ...]:
    """How many records of how many people were withheld as outliers."""
    if not len(found.outliers):
        return ()
    people = len(np.unique(records.owners[found.outliers]))
    return (f"{counted(len(found.outliers), 'record')} of {counted(people, 'person', 'people')} withheld as outliers",)


def generalized_or_kept(records: Bags, published: Bags, groups: Ints) -> dict[str, Part]:
    """What became of the records' occurrences where each published item stands for one of every member."""
    same = shared_occurrences(records, published, groups)
    return {"kept": kept(same), "generalized": changed(int(published.lengths[groups[groups >= 0]].sum()) - same)}


def content_order(bags: Bags) -> Ints:
    """Records by falling length, equals by content: an order that does not depend on how the records arrived."""
    return bags.content_order(bags.owner_ranks())


def run_grouping(kernel: Callable[..., Any], *arguments: Any, k: int, label: str) -> Any:
    """A grouping kernel's answer; that no k people can be brought together becomes an error for users. Any other error is a bug's."""
    try:
        return kernels.run(kernel, *arguments, label=label)
    except _kernels.Infeasible as error:
        raise Infeasible(
            f"groups of {k:,} people cannot be formed from these records", code="groups-not-possible", hint=str(error)
        ) from None

"""Base of methods that publish one record per group.

A subclass forms the groups and their published records; suppression, accounting and claims are implemented here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
from shoal.methods.bases.release_builder import RecordOutcomes, build_release, present_records, within_floor
from shoal.util.numbers import distinct, exact
from shoal.util.wording import counted

# -- withholding a few records that spoil their groups, up to a share of all: the suppression limit of ARX
#
# A group's published record tells only what all its members share, so one member may cost the others much. The members whose leaving lets
# the rest of their group keep most are withheld, and groups are formed again without them. This is kept only if everything together then
# keeps more, withheld records counting as fully suppressed; otherwise half as many are tried, and so on, at last none.


TRIES = 3  # numbers of outliers that are tried, each half of the one before
LARGEST = 256  # members of a group, beyond which one of them hardly spoils it

Form = Callable[[Bags, Taxonomy], tuple[Ints, Bags]]


@dataclass(frozen=True, eq=False)
class Grouped:
    """The group of each record, -1 if it is suppressed, and the published record of each group."""

    groups: Ints
    published: Bags

    @property
    def outliers(self) -> Ints:
        """The suppressed records."""
        return np.flatnonzero(self.groups < 0)

    def kept(self, taxonomy: Taxonomy) -> int:
        """Return what all published records together keep, in units of the node loss."""
        rows = self.published
        worth = (taxonomy.units - taxonomy.unit_losses[rows.items]) * rows.counts
        copies = np.bincount(self.groups[self.groups >= 0], minlength=len(rows))
        return int((worth * np.repeat(copies, np.diff(rows.indptr))).sum())


def grouped(form: Form, records: Bags, taxonomy: Taxonomy, share: float) -> Grouped:
    """Group the records, suppressing at most this share of records and users; never worse than with all of them."""
    best = Grouped(*form(records, taxonomy))
    allowed = int(exact(share) * len(records)), int(exact(share) * records.n_owners)
    if min(allowed) == 0:
        return best
    spoilers = _spoilers(best.groups, records, taxonomy)
    spoilers = spoilers[_first_owners(records.owners[spoilers], allowed[1])][: allowed[0]]
    for without in _halves(spoilers):
        found = _formed_without(without, form, records, taxonomy)
        if found is not None and found.kept(taxonomy) > best.kept(taxonomy):
            best = found
    return best


def _halves(spoilers: Ints) -> Iterator[Ints]:
    for _ in range(TRIES):
        if len(spoilers):
            yield spoilers
        spoilers = spoilers[: len(spoilers) // 2]


def _formed_without(outliers: Ints, form: Form, records: Bags, taxonomy: Taxonomy) -> Grouped | None:
    """Group all other records; None if that is impossible."""
    rest = np.setdiff1d(np.arange(len(records)), outliers)
    try:
        labels, published = form(records.select(rest), taxonomy)
    except Infeasible:
        return None
    groups = np.full(len(records), -1, np.int64)
    groups[rest] = labels
    return Grouped(groups, published)


def _spoilers(groups: Ints, records: Bags, taxonomy: Taxonomy) -> Ints:
    """Return the records whose removal lets the rest of their group keep more, the most expensive first."""
    order = records.content_order(records.owner_ranks())
    members = order[np.argsort(groups[order], kind="stable")]
    sizes = np.bincount(groups)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    few = np.flatnonzero((sizes > 1) & (sizes <= LARGEST))
    with_all = _values([members[starts[g] : starts[g + 1]] for g in few], records, taxonomy)
    candidates = [members[starts[g] : starts[g + 1]] for g in few]
    without = _values([np.delete(group, i) for group in candidates for i in range(len(group))], records, taxonomy)
    size, together = np.repeat(sizes[few], sizes[few]), np.repeat(with_all, sizes[few])
    gain = (size - 1) * without - size * together
    record = np.concatenate([np.zeros(0, np.int64), *candidates])
    worth = np.lexsort((np.argsort(order)[record], -gain))
    return np.asarray(record[worth[gain[worth] > 0]], np.int64)


def _values(groups: list[Ints], records: Bags, taxonomy: Taxonomy) -> Ints:
    """Return what the least common generalization of each group keeps, in units."""
    starts = np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64)
    members = np.concatenate([np.zeros(0, np.int64), *groups])
    rows = kernels.run(_kernels.meet_groups, records.view, taxonomy.view, starts, members, kernels.threads())
    worth = (taxonomy.units - taxonomy.unit_losses[rows[1]]) * rows[2]
    sums = np.concatenate([[0], np.cumsum(worth)])
    return np.asarray(sums[rows[0][1:]] - sums[rows[0][:-1]], np.int64)


def _first_owners(owners: Ints, most: int) -> Ints:
    """Return the records of the first n users."""
    _, first = np.unique(owners, return_index=True)
    allowed = owners[np.sort(first)[:most]]
    return np.flatnonzero(np.isin(owners, allowed))


# -- methods that form groups


class GroupingMethod(Method):
    """A method that puts every record in a group of at least k people and publishes one record for all of them."""

    k: int
    outliers: float = 0.0

    @property
    def works_in_ranges(self) -> bool:
        """Whether records of many people may be grouped range by range (`shoal.engines.ranges`), because the claims hold for unions."""
        return False

    @property
    def _in_ranges(self) -> bool:
        return self.works_in_ranges and all(claim.holds_of_unions for claim in self.claims())

    @property
    def holds_one_range(self) -> bool:
        """Whether only one range is in memory at a time: not if outliers are searched for among all records."""
        return self._in_ranges and not self.outliers

    @abstractmethod
    def form_groups(self, bags: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
        """Return a group label from 0 for every record (none is empty), and the published record of each group."""

    def apply(self, original: Original) -> Release:
        """Suppress empty records, group the others, publish one record per group, and account for everything."""
        present = present_records(original.bags, self.k)
        found = grouped(self._formed, present.records, original.tree, self.outliers)
        outcomes = generalized_or_kept(present.records, found.published, found.groups)
        outcome = RecordOutcomes(
            found.published, found.groups, outcomes, self.claims(), _notes_on_outliers(found, present.records), outliers=found.outliers
        )
        return build_release(self, original, present, outcome)

    def _formed(self, bags: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
        if self._in_ranges:
            groups, published = formed_in_ranges(self.form_groups, bags, taxonomy, self.k)
        else:
            groups, published = self.form_groups(bags, taxonomy)
        return groups, within_floor(published, taxonomy)


def _notes_on_outliers(found: Grouped, records: Bags) -> tuple[str, ...]:
    """Return a note on how many records of how many people were suppressed as outliers."""
    if not len(found.outliers):
        return ()
    people = len(distinct(records.owners[found.outliers]))
    return (f"{counted(len(found.outliers), 'record')} of {counted(people, 'person', 'people')} withheld as outliers",)


def generalized_or_kept(records: Bags, published: Bags, groups: Ints) -> dict[str, Part]:
    """Return the outcome of occurrences if each published item represents one occurrence of every member."""
    same = shared_occurrences(records, published, groups)
    return {"kept": kept(same), "generalized": changed(int(published.lengths[groups[groups >= 0]].sum()) - same)}


def content_order(bags: Bags) -> Ints:
    """Return the records by decreasing length, then by content: an order that does not depend on the input order."""
    return bags.content_order(bags.owner_ranks())


def run_grouping(kernel: Callable[..., Any], *arguments: Any, k: int, label: str) -> Any:
    """Run a grouping kernel. If no k people can be grouped, raise an error for users."""
    try:
        return kernels.run(kernel, *arguments, label=label)
    except _kernels.Infeasible as error:
        raise Infeasible(
            f"groups of {k:,} people cannot be formed from these records", code="groups-not-possible", hint=str(error)
        ) from None

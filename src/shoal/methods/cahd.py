"""CAHD: groups of similar records, with the sensitive items of each group separate (Ghinita, Tao and Kalnis, ICDE 2008; TKDE 2011).

Records are put into band order (reverse Cuthill-McKee on shared non-sensitive items), so that neighbours are similar. Around every record
with a sensitive item a group of p is formed in which no sensitive item and no person occurs twice. For each group, the records without
their sensitive items and the number of occurrences of each sensitive item are published. Guarantee: privacy degree p: in every group at
most one record in p has the same sensitive item. Time: O(occurrences + records * log records) for the order, O(candidates * length) for
each group.

Deviations from the paper: a group is accepted only if the rest *without it* can be one group (line 8 of the paper's Figure 8 compares with
the rest before, and then releases groups below p). The graph of shared items is searched through the items and never built. `search` =
content, the default, looks for the least different records among those that share an item, not in a window of the order alone, and puts
records with scarce items into a group before they are too many for the rest; `band` is the paper's choice. No group with a sensitive item
has two records of a person, which the paper does not consider.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.accounting import Accounting, Ledger, changed, gone, kept
from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model
from shoal.data.items import Items, plain_values
from shoal.data.original import Original
from shoal.data.release import RECORDS, Release, Secret
from shoal.data.tables.column_types import ITEMS
from shoal.data.tables.counts import COUNT
from shoal.data.tables.groups import GROUP, ITEM, PER_GROUP, GroupTable
from shoal.errors import Infeasible, ParameterError, option
from shoal.itemsets.item_roles import Mask, chosen
from shoal.methods import Method
from shoal.methods.bases.release_builder import EMPTY, Present, present_records
from shoal.parameters import param
from shoal.privacy.privacy_degree import PrivacyDegree
from shoal.util.numbers import distinct
from shoal.util.wording import counted

# What is left when no further group of p can be formed around a sensitive record: it must be published too, at the same privacy degree.
#
# Where everybody owns one record, what is left is one group, which the condition of the search keeps right. Where people own several, a
# group with sensitive items may hold one record of a person only: sensitive records that are left join groups that lack their items and
# their owner, and those that cannot form one group with one further record of every other person.


def with_left_over(formed: Ints, sensitive: Bags, p: int) -> Ints:
    """Return groups for all records; `formed` has the groups found, -1 for leftover records; `sensitive` has the sensitive items of
    records.
    """
    groups, left = formed.copy(), formed < 0
    if not left.any():
        return groups
    holding = left & (np.diff(sensitive.indptr) > 0)
    if sensitive.owners_repeat and holding.any():
        for record in np.flatnonzero(holding).tolist():
            groups[record] = _joined(record, groups, sensitive, p)
        holding &= groups < 0
        together = _one_of_each_person(groups < 0, holding, sensitive.owners)
        _insist(together, sensitive, p)
        groups[together] = groups.max() + 1
    groups[groups < 0] = groups.max() + 1
    return groups


def _joined(record: int, groups: Ints, sensitive: Bags, p: int) -> int:
    """Return the first group that can take this record: of other people, and large enough for one more of its items; -1 if there is
    none.
    """
    n, owners = int(groups.max()) + 1, sensitive.owners
    sizes = np.bincount(groups[groups >= 0], minlength=n) + 1
    able = np.ones(n, bool)
    able[groups[(owners == owners[record]) & (groups >= 0)]] = False
    of_entry = np.repeat(groups, np.diff(sensitive.indptr))
    for item in sensitive.items[sensitive.indptr[record] : sensitive.indptr[record + 1]]:
        held = np.bincount(of_entry[(sensitive.items == item) & (of_entry >= 0)], minlength=n)
        able &= (held + 1) * p <= sizes
    return int(np.argmax(able)) if able.any() else -1


def _one_of_each_person(left: Mask, holding: Mask, owners: Ints) -> Ints:
    """Return all leftover sensitive records, and the first record of every other person."""
    if not holding.any():
        return np.zeros(0, np.int64)
    others = np.flatnonzero(left & ~np.isin(owners, owners[holding]))
    first = others[np.unique(owners[others], return_index=True)[1]]
    return np.concatenate([np.flatnonzero(holding), first])


def _insist(together: Ints, sensitive: Bags, p: int) -> None:
    """Raise unless these records belong to different people and together have privacy degree p."""
    if not len(together):
        return
    held = sensitive.select(together)
    most = int(np.bincount(held.items).max())
    if held.owners_repeat or most * p > len(together):
        people = int(pl.Series(held.owners[np.diff(held.indptr) > 0]).n_unique())
        raise Infeasible(
            f"no groups of privacy degree {p:,} were found: {counted(people, 'person owns', 'people own')} too many of the "
            "records with sensitive items",
            code="groups-not-possible",
            hint=f"lower p, or make one record of each person ({option('per', 'user')})",
        )


CANDIDATES = 1024  # records that are compared with the start of a group, where content decides
RARE = 20  # an item of fewer records is not named in a message


@dataclass(frozen=True)
class CAHD(Method):
    """Publishes records without their sensitive items, and the counts of sensitive items per group of similar records."""

    name = "cahd"
    paper = "Ghinita, Tao and Kalnis, ICDE 2008; TKDE 2011"
    takes = frozenset({"sets"})
    publishes = "groups"
    fates = {PER_GROUP: "changed"}  # noqa: RUF012 (never changed)

    p: int = param(10, minimum=2, help="privacy degree: at most one in p records of a group has the same sensitive item")
    sensitive: Items | None = param(None, help="sensitive items, published as counts per group only")
    alpha: int = param(
        3, minimum=1, help="number of candidates on each side of a record in the band order, as a multiple of p (search=band)"
    )
    search: str = param(
        "content", choices=("content", "band"), help="how to find similar records: by their items, or by their position in the band order"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sensitive is None or self.sensitive.names == frozenset():
            raise ParameterError(
                "no sensitive items are named",
                code="items-not-named",
                hint=f"give {option('sensitive')} a file, under:NODE or items:a|b",
            )

    @property
    def needs_taxonomy(self) -> bool:
        """False: names stay as typed."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """Claim the privacy degree for the items as named here."""
        return (PrivacyDegree(p=self.p, items=self.sensitive),)

    def apply(self, original: Original) -> Release:
        """Order the records, form groups, and publish their two parts."""
        present = present_records(original.bags, self.p)
        hidden = chosen(original.tree.names, self.sensitive, "sensitive", original.taxonomy)
        assert hidden is not None
        order = present.records.content_order(present.records.owner_ranks())
        split = Split.of(present.records.select(order), hidden)
        self._refuse_frequent(split.sensitive)
        groups = np.empty(len(order), np.int64)
        groups[order] = self.groups(split)
        return self._release(original, present, Split.of(present.records, hidden), groups)

    def groups(self, split: Split) -> Ints:
        """Return the group of each record; the records are in an order independent of the input order."""
        order = self.order(split.known)
        sensitive = split.sensitive.select(order)
        groups = np.empty(len(order), np.int64)
        groups[order] = with_left_over(self.formed(split.known.select(order), sensitive), sensitive, self.p)
        return groups

    def order(self, known: Bags) -> Ints:
        """Return the records in band order."""
        order: Ints = kernels.run(_kernels.band_order, known.view, len(known.vocabulary), label="ordering records")
        return order

    def formed(self, known: Bags, sensitive: Bags) -> Ints:
        """Return the groups around sensitive records, of records in band order; -1 for leftover records."""
        owners = np.unique(known.owners, return_inverse=True)[1].astype(np.int64)
        parts = known.view, sensitive.view, len(known.vocabulary)
        reach = min(self.alpha * self.p, len(known)), CANDIDATES if self.search == "content" else 0
        formed: Ints = kernels.run(_kernels.private_groups, *parts, owners, self.p, *reach, label="forming groups")
        return formed

    def _refuse_frequent(self, sensitive: Bags) -> None:
        """Raise if an item is so frequent that not even all records together have privacy degree p."""
        holders = np.bincount(sensitive.items, minlength=len(sensitive.vocabulary))
        worst = int(np.argmax(holders))
        if not holders[worst]:
            raise ParameterError("no record contains a sensitive item", code="items-not-in-data", hint="name items that occur")
        if holders[worst] * self.p <= len(sensitive):
            return
        name, shared = repr(sensitive.vocabulary[worst]), bool(holders[worst] >= RARE)
        others = int((holders * self.p > len(sensitive)).sum()) - 1
        more = f"; {counted(others, 'more sensitive item is', 'more sensitive items are')} too frequent" if others else ""
        raise Infeasible(
            f"no groups have privacy degree {self.p:,}: {f'the sensitive item {name}' if shared else 'a sensitive item'} is in "
            f"{holders[worst]:,} of {len(sensitive):,} records, more than one in {self.p:,}{more}",
            code="sensitive-item-too-frequent",
            hint=f"with these sensitive items p can be at most {len(sensitive) // int(holders[worst]):,}",
            value=int(holders[worst]),
            limit=len(sensitive) // self.p,
            rare=() if shared else (name,),
        )

    def _release(self, original: Original, present: Present, split: Split, groups: Ints) -> Release:
        rows = np.full(len(original.bags), -1, np.int64)
        rows[present.numbers] = np.arange(len(present.numbers))
        table = GroupTable(pl.DataFrame({GROUP: groups, ITEMS: split.known.to_polars()}), _histogram(split.sensitive, groups))
        names = split.sensitive.vocabulary.names.gather(distinct(split.sensitive.items))
        return Release(
            {RECORDS: table},
            (PrivacyDegree(p=self.p, items=Items(names=frozenset(names))),),
            _account(original.bags, split),
            self.name,
            plain_values(self.values()),
            Secret(rows),
            _notes(groups, split.sensitive),
        )


@dataclass(frozen=True, eq=False)
class Split:
    """The records in two parts: published items and sensitive items."""

    known: Bags
    sensitive: Bags

    @classmethod
    def of(cls, records: Bags, hidden: Mask) -> Split:
        """Split by a mask of the sensitive items."""
        own = np.arange(len(hidden), dtype=np.int32)
        parts = (records.relabelled(np.where(side, own, -1).astype(np.int32), records.vocabulary) for side in (~hidden, hidden))
        return cls(*parts)


def _histogram(sensitive: Bags, groups: Ints) -> pl.DataFrame:
    """Count the occurrences of each sensitive item in each group with it."""
    held = pl.DataFrame({GROUP: np.repeat(groups, np.diff(sensitive.indptr)), ITEM: sensitive.vocabulary.names.gather(sensitive.items)})
    return held.group_by(GROUP, ITEM).agg(pl.len().cast(pl.Int64).alias(COUNT)).sort(GROUP, ITEM)


def _account(bags: Bags, split: Split) -> Accounting:
    shown = len(split.known)
    records = Ledger(len(bags), {"published": kept(shown), EMPTY: gone(len(bags) - shown)})
    parts = {"kept": kept(split.known.occurrences), PER_GROUP: changed(split.sensitive.occurrences)}
    return Accounting({"records": records, "occurrences": Ledger(bags.occurrences, parts)})


def _notes(groups: Ints, sensitive: Bags) -> tuple[str, ...]:
    """Return notes on the number of groups with sensitive items, and on the largest one."""
    holding = distinct(groups[np.diff(sensitive.indptr) > 0])
    sizes = np.bincount(groups)
    without = int(sizes.sum() - sizes[holding].sum())
    least, most = int(sizes[holding].min()), int(sizes[holding].max())
    notes = [f"{counted(len(holding), 'group')} with sensitive items, of {least:,}{f' to {most:,}' if most > least else ''} records"]
    return (*notes, *([f"{counted(without, 'record')} in a group without sensitive items"] if without else []))

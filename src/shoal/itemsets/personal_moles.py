"""Minimal sets of items of which one must be suppressed if private items differ by person.

An attacker may know items that are public for the target. A set of items is *known* if it is public for somebody. It is unsafe if too few
people have it, or if an item that is private for one of the people for whom the set is public is too frequent among all who have the set.
Suppressing an item everywhere changes no number of the other sets, so the release of least loss is a hitting set, as in the paper. An item
that is public for some may be suppressed too: then nothing is inferred about it.

Sets are searched by size. All counts of the items beside a set come from one pass over the records that have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.data.personal_items import PersonalItems
from shoal.errors import ParameterError
from shoal.itemsets.itemset_support import PRIVATE, PUBLIC, Moles, Parts, Power, too_many_sets

Mask = npt.NDArray[np.bool_]
Known = tuple[int, ...]

MOST_SETS = 5_000_000  # that are kept in memory


@dataclass(frozen=True, eq=False)
class Wishes:
    """Items that people named as private: the number of the person and of the item of each pair, sorted and without repeats."""

    people: Ints
    items: Ints

    @classmethod
    def of(cls, wishes: PersonalItems, names: pl.Series | None, records: Bags) -> Wishes:
        """Look the pairs up among the user IDs and the items. Raise if one of them is not there."""
        if wishes.pairs is None:
            raise ParameterError(
                "the file of private items by person was not read",
                code="file-not-read",
                hint="shoal.io.read.parameter_files.with_files_read reads it",
            )
        if names is None:
            raise ParameterError("private items that differ by person need user IDs", code="no-user-ids")
        pairs = sorted(wishes.pairs)
        numbers = {name: number for number, name in enumerate(names.to_list())}
        present = set(records.owners.tolist())
        owners = [numbers.get(person, -1) for person, _ in pairs]
        strangers = len({person for (person, _), number in zip(pairs, owners, strict=True) if number not in present})
        if strangers:
            raise ParameterError(
                f"{strangers:,} of the people with private items of their own are not in the data",
                code="people-not-in-data",
                hint="write user IDs as in the input",
                value=strangers,
            )
        items = records.vocabulary.codes([item for _, item in pairs]).astype(np.int64)
        if (items < 0).any():
            strange = sorted({item for (_, item), code in zip(pairs, items.tolist(), strict=True) if code < 0})
            raise ParameterError(
                f"{len(strange):,} items that are private for some people are not in the data",
                code="items-not-in-data",
                hint="check the spelling",
                rare=[repr(item) for item in strange],
            )
        people = np.array(owners, np.int64)
        order = np.lexsort((items, people))
        return cls(people[order], items[order])


@dataclass(frozen=True, eq=False)
class PersonalRecords:
    """Records in which the role of an item depends on the person: `shown` says which entries are public for their person.

    `wished` has a row for each record with the items that its person named, whether the record has them or not.
    """

    bags: Bags
    parts: Parts
    shown: Mask
    wish_start: Ints
    wished: Ints

    @classmethod
    def of(cls, bags: Bags, parts: Parts, wishes: Wishes) -> PersonalRecords:
        """Mark the entries of records."""
        first = np.searchsorted(wishes.people, bags.owners, "left")
        sizes = np.searchsorted(wishes.people, bags.owners, "right") - first
        start = np.append(0, np.cumsum(sizes))
        wished = wishes.items[np.repeat(first - start[:-1], sizes) + np.arange(start[-1])]
        record = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
        n = len(parts)
        private = np.repeat(np.arange(len(bags)), sizes) * n + wished
        shown = (parts[bags.items] == PUBLIC) & ~np.isin(record * n + bags.items, private)
        return cls(bags, parts, shown, start, wished)

    @cached_property
    def may_go(self) -> Mask:
        """Which items may be suppressed: those that are public for somebody."""
        found = np.zeros(len(self.parts), bool)
        found[self.bags.items[self.shown]] = True
        return found

    @cached_property
    def roles(self) -> Parts:
        """The roles of items, where one that is public for nobody is private."""
        roles = self.parts.copy()
        roles[(roles == PUBLIC) & ~self.may_go & (np.bincount(self.bags.items, minlength=len(roles)) > 0)] = PRIVATE
        return roles

    @cached_property
    def everybodys(self) -> Ints:
        """The items that are private for everybody."""
        return np.flatnonzero(self.parts == PRIVATE)

    @cached_property
    def having(self) -> list[Ints]:
        """The records that have each item."""
        return _lists(self.bags, np.ones(len(self.shown), bool))

    @cached_property
    def showing(self) -> list[Ints]:
        """The records in which each item is public."""
        return _lists(self.bags, self.shown)

    def wished_by(self, records: Ints) -> Ints:
        """Return the items that are private for somebody who has one of these records."""
        named = self.wished[_places(self.wish_start, records)]
        return np.unique(np.concatenate([named, self.everybodys]))

    def too_certain(self, records: Ints, items: Ints, limit: Fraction) -> tuple[int, dict[int, Fraction]]:
        """Return the number of people with these records, and the items whose share among the records or people is above the limit."""
        bags, n = self.bags, len(self.parts)
        held = bags.items[_places(bags.indptr, records)]
        owners = np.unique(bags.owners[records]) if bags.owners_repeat else records
        counts = [(np.bincount(held, minlength=n)[items], len(records))]
        if bags.owners_repeat:
            pairs = np.unique(np.repeat(bags.owners[records], np.diff(bags.indptr)[records]) * n + held) % n
            counts.append((np.bincount(pairs, minlength=n)[items], len(owners)))
        found: dict[int, Fraction] = {}
        for numbers, cohort in counts:
            for at in np.flatnonzero(numbers > int(limit * cohort)).tolist():
                item, share = int(items[at]), Fraction(int(numbers[at]), cohort)
                found[item] = max(found.get(item, share), share)
        return len(owners), found


@dataclass(frozen=True)
class Threat:
    """Items of which one must be suppressed, none if nothing helps; for a private item that is too certain, its share."""

    items: Known
    share: Fraction | None = None


class MoleSearch:
    """Searches known sets by size; `costs` has the cost of each item, and the budget of the attacker is `power.p`."""

    def __init__(self, records: PersonalRecords, power: Power, costs: list[Fraction]) -> None:
        self._records, self._power, self._costs = records, power, costs
        public = np.flatnonzero(records.may_go).tolist()
        self._items = [item for item in public if costs[item] <= power.p]
        self.threats: dict[Known, Threat] = {}

    def found(self) -> dict[Known, Threat]:
        """Return all threats; those that contain another one may be among them."""
        every = np.arange(len(self._records.bags))
        level: list[Known] = [()] if self._stays((), every, every) else []
        while level:
            alive = set(level)
            following = [larger for known in level for larger in self._extended(known, alive)]
            if len(following) > MOST_SETS:
                raise too_many_sets(self._power.p)
            level = following
        return self.threats

    def _extended(self, known: Known, alive: set[Known]) -> Iterator[Known]:
        """Return the known sets with one more item of a higher number that are no threats themselves."""
        having, showing = self._holders(known)
        spent = sum((self._costs[item] for item in known), Fraction(0))
        items = self._records.bags.items[_places(self._records.bags.indptr, showing)]
        present = np.zeros(len(self._costs), bool)
        present[items] = True
        for item in self._items:
            if (known and item <= known[-1]) or not present[item] or spent + self._costs[item] > self._power.p:
                continue
            larger = (*known, item)
            if not all(part in alive for part in combinations(larger, len(known))):
                continue
            shown = _common(showing, self._records.showing[item])
            if len(shown) and self._stays(larger, _common(having, self._records.having[item]), shown):
                yield larger

    def _holders(self, known: Known) -> tuple[Ints, Ints]:
        """Return the records that have all of these items, and those in which all of them are public."""
        having = showing = np.arange(len(self._records.bags))
        for item in known:
            having, showing = _common(having, self._records.having[item]), _common(showing, self._records.showing[item])
        return having, showing

    def _stays(self, known: Known, having: Ints, showing: Ints) -> bool:
        """Note the threats of a known set. Return whether larger sets must be searched, because none of its own items must go."""
        if known in self.threats:
            return False
        people, certain = self._records.too_certain(having, self._records.wished_by(showing), self._power.share)
        if people < self._power.k:
            self.threats[known] = Threat(known)
            return False
        for item, share in certain.items():
            together = tuple(sorted({*known, item})) if self._records.may_go[item] else known
            self.threats.setdefault(together, Threat(together, share))
        return known not in self.threats


def minimal_threats(found: dict[Known, Threat]) -> list[Threat]:
    """Return the threats that contain no other, by size."""
    kept: dict[Known, Threat] = {}
    for items in sorted(found, key=lambda items: (len(items), items)):
        if not any(part in kept for size in range(len(items)) for part in combinations(items, size)):
            kept[items] = found[items]
    return list(kept.values())


def as_moles(threats: list[Threat]) -> Moles:
    """Return threats as sets for the search of items to suppress."""
    longest = max((len(threat.items) for threat in threats), default=1)
    levels = [[threat.items for threat in threats if len(threat.items) == size] for size in range(1, longest + 1)]
    return Moles.of_levels([np.array(level, np.int32).reshape(len(level), size) for size, level in enumerate(levels, 1)])


def _lists(bags: Bags, entries: Mask) -> list[Ints]:
    """Return the records of each item, in rising order, among these entries."""
    record = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))[entries]
    items = bags.items[entries]
    order = np.argsort(items, kind="stable")
    return np.split(record[order], np.cumsum(np.bincount(items, minlength=len(bags.vocabulary)))[:-1])


def _places(start: Ints, rows: Ints) -> Ints:
    """Return the positions of all entries of these rows."""
    sizes = np.diff(start)[rows]
    ends = np.cumsum(sizes)
    return np.repeat(start[rows] - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)


def _common(one: Ints, other: Ints) -> Ints:
    """Return the numbers that are in both of two lists without repeats."""
    return np.intersect1d(one, other, assume_unique=True)

"""Number of people with the itemsets that an attacker with a budget may know, each item at its cost; counted without any kernel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.data import patience
from shoal.data.bags import Ints, Vocabulary
from shoal.privacy.evidence.claimed_item_roles import Mask, Roles
from shoal.privacy.evidence.known_sets import MOST_WITNESSES, AttackerKnowledge, CountedSets, Holders

WHAT = "counting the sets that an attacker can afford"


@dataclass(frozen=True, eq=False)
class _KnownSet:
    """A set of items: the positions of its items among those ordered by cost, their total cost, and the records that have them all."""

    at: tuple[int, ...]
    cost: Fraction
    records: Ints


def costs_of(names: Vocabulary, costs: Mapping[str, Fraction]) -> list[Fraction]:
    """Return the cost of every item, 1 if it is not listed."""
    return [costs.get(name, Fraction(1)) for name in names.names.to_list()]


def count_affordable_sets(holders: Holders, roles: Roles, knowledge: AttackerKnowledge, costs: list[Fraction]) -> CountedSets:
    """Count all sets of public items whose costs are at most `knowledge.most` together, by size.

    Counting stops at the first size with unsafe sets, because the claim fails.
    """
    search = _Search(holders, roles, knowledge, costs)
    counted, size = CountedSets(people=len(holders.owners) > 0), 0
    level = [_KnownSet((), Fraction(0), np.arange(len(holders.row)))]
    while level:
        counted = counted.with_level(size, search.judged(level))
        if counted.unsafe:
            break
        level, size = [further for known in level for further in search.extended(known)], size + 1
    return counted


class _Search:
    """The records by item, the items in the order of their costs."""

    def __init__(self, holders: Holders, roles: Roles, knowledge: AttackerKnowledge, costs: list[Fraction]) -> None:
        self._knowledge, self._budget = knowledge, Fraction(knowledge.most)
        self._people = holders.owners if len(holders.owners) else np.arange(len(holders.row))
        self._records = _records_by_item(holders)
        public = [item for item in self._records if roles.public[item] and costs[item] <= self._budget]
        self._items = sorted(public, key=lambda item: (costs[item], item))
        self._costs = [costs[item] for item in self._items]
        self._private = [item for item in self._records if roles.private[item]]

    def extended(self, known: _KnownSet) -> Iterator[_KnownSet]:
        """Return the occurring sets with one more item, which costs at least as much as the others, within the budget."""
        there: Mask = np.zeros(len(self._people), bool)
        there[known.records] = True
        for at in range(known.at[-1] + 1 if known.at else 0, len(self._items)):
            cost = known.cost + self._costs[at]
            if cost > self._budget:
                return
            having = self._records[self._items[at]]
            patience.spend(len(having) + 1, WHAT)
            records = having[there[having]]
            if len(records):
                yield _KnownSet((*known.at, at), cost, records)

    def judged(self, level: list[_KnownSet]) -> dict[str, Any]:
        """Count the people with each of these sets, and the greatest share of a private item."""
        few = telling = fewest = 0
        greatest = (0, 1)
        examples: list[tuple[tuple[int, ...], int, int, int, int]] = []
        for number, known in enumerate(level):
            people = len(set(self._people[known.records].tolist()))
            fewest = people if not number else min(fewest, people)
            hidden, holders, cohort = self._most_certain(known.records)
            greatest = max(greatest, (holders, cohort), key=lambda pair: Fraction(*pair))
            rare, certain = people < self._knowledge.k, Fraction(holders, cohort) > self._knowledge.share
            few, telling = few + rare, telling + (certain and not rare)
            if (rare or certain) and len(examples) < MOST_WITNESSES:
                chosen = tuple(self._items[at] for at in known.at)
                examples.append((chosen, people, -1 if rare else hidden, holders, cohort))
        shares = dict(zip(("holders", "cohort"), greatest, strict=True))
        return {"counted": len(level), "fewest": fewest, **shares, "few": few, "telling": telling, "examples": examples}

    def _most_certain(self, records: Ints) -> tuple[int, int, int]:
        """Return the private item with the greatest share among these records or their people, with both numbers of the share."""
        best = (-1, 0, 1)
        there: Mask = np.zeros(len(self._people), bool)
        there[records] = True
        people = len(set(self._people[records].tolist()))
        for item in self._private:
            having = self._records[item][there[self._records[item]]]
            if len(having):
                among = len(set(self._people[having].tolist()))
                by_record, by_person = (item, len(having), len(records)), (item, among, people)
                best = max(best, by_record, by_person, key=lambda found: Fraction(found[1], found[2]))
        return best


def _records_by_item(holders: Holders) -> dict[int, Ints]:
    """Return the numbers of the records that have each item, in rising order."""
    lengths = np.diff(holders.published.indptr)[holders.row]
    record = np.repeat(np.arange(len(holders.row)), lengths)
    within = np.arange(len(record)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    items = holders.published.items[np.repeat(holders.published.indptr[:-1][holders.row], lengths) + within]
    order = np.argsort(items, kind="stable")
    present, first = np.unique(items[order], return_index=True)
    return dict(zip(present.tolist(), np.split(record[order], first[1:]), strict=True)) if len(present) else {}

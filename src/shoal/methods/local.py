"""LRA, local recoding anonymization (Terrovitis, Mamoulis and Kalnis, VLDB Journal 2011): AA on parts of similar records.

Guarantee: at least k people have every set of up to m published items, because this holds in each part where it occurs. An item may be
published differently in different parts.

Records are sorted in the Gray-code order of their items, in which neighbours differ in few items, and split into parts; AA runs on each.
Items are in the order of the taxonomy, so that neighbours also have items of the same categories. Time: that of AA on the parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.data.bags import Bags, Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.km_recoding import RecodingSteps, recoded_places
from shoal.methods.bases.km import KnownItemsMethod
from shoal.parameters import param


@dataclass(frozen=True)
class Local(KnownItemsMethod):
    """Generalizes items in each part of similar records until every set of up to m of them is shared by at least k people of the part."""

    name = "local"
    paper = "Terrovitis, Mamoulis and Kalnis, VLDB Journal 2011"
    one_recoding = False

    part: int = param(10_000, minimum=1, help="minimum number of records per part")

    def places(self, records: Bags, taxonomy: Taxonomy) -> Small:
        """Run AA on each part."""
        out = np.empty(len(records.items), np.int32)
        for part in parts_of(records, gray_order(records), self.part, self.k):
            chosen = records.select(part)
            out[_places_of(records, part)] = recoded_places(chosen, taxonomy, self.k, self.m, RecodingSteps("by size"))
        return out


def gray_order(records: Bags) -> Ints:
    """Return the record numbers in the order of the Gray code whose bits are the items, the first item being the highest bit.

    Two records first differ at a bit that one of them has. This one comes later if the number of items before that bit is even, and earlier
    if it is odd: the code runs backwards below every other item. Equal records are in an order that does not depend on the input order.
    """
    order = records.content_order(records.owner_ranks())
    return np.array(sorted(order.tolist(), key=lambda record: _gray_key(records, record)), np.int64)


def _gray_key(records: Bags, record: int) -> tuple[float, ...]:
    items = records.items[records.indptr[record] : records.indptr[record + 1]].tolist()
    signed = [item if place % 2 else -item for place, item in enumerate(items)]
    return (*signed, np.inf if len(items) % 2 else -np.inf)


def parts_of(records: Bags, order: Ints, least: int, k: int) -> Iterator[Ints]:
    """Split the order into runs of at least this many records of at least k people; the rest joins the last one."""
    ends, people, begin = [0], set[int](), 0
    for place, owner in enumerate(records.owners[order].tolist(), 1):
        people.add(owner)
        if place - begin >= least and len(people) >= k:
            ends.append(place)
            people, begin = set(), place
    ends = [*ends[: max(1, len(ends) - 1)], len(order)]
    for first, last in pairwise(ends):
        yield order[first:last]


def _places_of(records: Bags, chosen: Ints) -> Ints:
    """Return the occurrences of these records, record by record."""
    lengths = np.diff(records.indptr)[chosen]
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.asarray(np.repeat(records.indptr[chosen], lengths) + within)

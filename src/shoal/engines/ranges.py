"""Groups formed range by range, as the plan of a large run has it: what is made of a range depends on the records of that range alone."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing

import numpy as np

from shoal import kernels
from shoal.data.bags import Bags, Ints
from shoal.data.column_storage import IN_MEMORY, RowStack, in_use, selected
from shoal.data.taxonomy import Taxonomy
from shoal.engines.local import ProgressOfParts
from shoal.engines.plan import Size, ranges_of

Form = Callable[[Bags, Taxonomy], tuple[Ints, Bags]]
"""Gives the group of each record, from 0, and the published record of each group."""

LANES = 2  # ranges at a time: while one waits for its last block, or works outside kernels, the other has the cores


def formed_in_ranges(form: Form, bags: Bags, taxonomy: Taxonomy, k: int) -> tuple[Ints, Bags]:
    """The groups of all records, those of the first range first; small data is one range, and formed as it is.

    What is published goes to the shelf that is in use.
    """
    size = Size.of(len(bags), bags.n_owners, k)
    if size.ranges == 1:
        return form(bags, taxonomy)
    ranges = _Ranges(*_brought_together(bags, ranges_of(bags, taxonomy, size)))
    groups = np.empty(len(bags), np.int64)
    published = RowStack(in_use())
    before = 0
    with closing(_formed_in_turn(form, ranges, taxonomy)) as formed:
        for numbers, labels, rows in formed:
            groups[numbers] = labels + before
            published.add(*rows.rows, np.arange(before, before + len(rows)))
            before += len(rows)
    return groups, published.bags(taxonomy.names)


def _formed_in_turn(form: Form, ranges: _Ranges, taxonomy: Taxonomy) -> Generator[tuple[Ints, Ints, Bags], None, None]:
    """The numbers of the records of each range, their groups, and what is published for these."""
    together = ProgressOfParts(len(ranges.records))

    def formed(number: int) -> tuple[Ints, Ints, Bags]:
        numbers, records = ranges[number]
        with kernels.using(watch=together.part(number, len(records))):
            labels, rows = formed_range(form, records, taxonomy)
        together.end(number, len(records))
        return numbers, labels, rows

    lanes = _lanes()
    dealt = [(formed(number) for number in range(lane, len(ranges), lanes)) for lane in range(lanes)]
    return dealt[0] if lanes == 1 else kernels.ahead(*dealt)


def _lanes() -> int:
    """How many ranges are formed at a time, each on all threads; one where memory is limited."""
    return min(LANES, kernels.threads()) if in_use() is IN_MEMORY else 1


def formed_range(form: Form, records: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
    """The groups of one range, formed on the part of the taxonomy that its records use; published records are over the whole one."""
    used = np.zeros(len(taxonomy), np.bool_)
    used[records.items] = True
    part, nodes = taxonomy.only(np.flatnonzero(used))
    number = np.full(len(taxonomy), -1, np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    groups, published = form(records.renumbered(number, part.names), part)
    return groups, published.renumbered(nodes.astype(np.int32), taxonomy.names)


def _brought_together(bags: Bags, ranges: Ints) -> tuple[Bags, Ints, Ints]:
    """The records, their ranges, and their numbers, in an order in which a range is found without reading all of them.

    In memory the order is as it is. On a disk records of one range that are near each other are brought together, block by block: then
    every part of the disk is read for one range only, and not for each.
    """
    if in_use() is IN_MEMORY:
        return bags, ranges, np.arange(len(bags))
    order = np.concatenate([begin + np.argsort(ranges[begin:end], kind="stable") for begin, end in bags.blocks()])
    return selected(bags, order, in_use()), ranges[order], order


class _Ranges:
    """The records of each range and their numbers, in the order in which they arrived."""

    def __init__(self, records: Bags, ranges: Ints, numbers: Ints) -> None:
        self.records, self._numbers = records, numbers
        self._order = np.argsort(ranges, kind="stable")
        self._ends = np.concatenate([[0], np.cumsum(np.bincount(ranges))])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> tuple[Ints, Bags]:
        here = self._order[self._ends[number] : self._ends[number + 1]]
        return self._numbers[here], self.records.select(here)

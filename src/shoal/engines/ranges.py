"""Groups formed range by range, as the plan of a large run has it: what is made of a range depends on the records of that range alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from shoal.data.bags import Bags, Ints
from shoal.data.shelf import IN_MEMORY, RowStack, in_use, selected
from shoal.engines.plan import Size, ranges_of
from shoal.taxonomy.tree import Taxonomy

Form = Callable[[Bags, Taxonomy], tuple[Ints, Bags]]
"""Gives the group of each record, from 0, and the published record of each group."""


def formed_in_ranges(form: Form, bags: Bags, taxonomy: Taxonomy, k: int) -> tuple[Ints, Bags]:
    """The groups of all records, those of the first range first; small data is one range, and formed as it is.

    One range is in memory at a time. What is published goes to the shelf that is in use.
    """
    size = Size.of(len(bags), bags.n_owners, k)
    if size.ranges == 1:
        return form(bags, taxonomy)
    ranges = ranges_of(bags, taxonomy, size)
    groups = np.empty(len(bags), np.int64)
    published = RowStack(in_use())
    before = 0
    for numbers, records in _in_turn(*_side_by_side(bags, ranges)):
        labels, rows = formed_range(form, records, taxonomy)
        groups[numbers] = labels + before
        published.add(*rows.rows, np.arange(before, before + len(rows)))
        before += len(rows)
    return groups, published.bags(taxonomy.names)


def formed_range(form: Form, records: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
    """The groups of one range, formed on the part of the taxonomy that its records use; published records are over the whole one."""
    used = np.zeros(len(taxonomy), np.bool_)
    used[records.items] = True
    part, nodes = taxonomy.only(np.flatnonzero(used))
    number = np.full(len(taxonomy), -1, np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    groups, published = form(records.renumbered(number, part.names), part)
    return groups, published.renumbered(nodes.astype(np.int32), taxonomy.names)


def _side_by_side(bags: Bags, ranges: Ints) -> tuple[Bags, Ints, Ints]:
    """The records, their ranges, and their numbers, in an order in which a range is found without reading all of them.

    In memory the order is as it is. On a disk records of one range that are near each other are brought together, block by block: then
    every part of the disk is read for one range only, and not for each.
    """
    if in_use() is IN_MEMORY:
        return bags, ranges, np.arange(len(bags))
    order = np.concatenate([begin + np.argsort(ranges[begin:end], kind="stable") for begin, end in bags.blocks()])
    return selected(bags, order, in_use()), ranges[order], order


def _in_turn(bags: Bags, ranges: Ints, numbers: Ints) -> Iterator[tuple[Ints, Bags]]:
    """The records of each range and their numbers, in the order in which they arrived."""
    order = np.argsort(ranges, kind="stable")
    ends = np.cumsum(np.bincount(ranges))
    for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        here = order[start:end]
        yield numbers[here], bags.select(here)

"""Groups formed range by range, as the plan of a large run has it: what is made of a range depends on the records of that range alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from shoal.data.bags import Bags, Ints, stacked
from shoal.engines.plan import Size, ranges_of
from shoal.taxonomy.tree import Taxonomy

Form = Callable[[Bags, Taxonomy], tuple[Ints, Bags]]
"""Gives the group of each record, from 0, and the published record of each group."""


def formed_in_ranges(form: Form, bags: Bags, taxonomy: Taxonomy, k: int) -> tuple[Ints, Bags]:
    """The groups of all records, those of the first range first; small data is one range, and formed as it is."""
    size = Size.of(len(bags), bags.n_owners, k)
    if size.ranges == 1:
        return form(bags, taxonomy)
    groups = np.empty(len(bags), np.int64)
    published: list[Bags] = []
    before = 0
    for records in _in_turn(ranges_of(bags, taxonomy, size)):
        labels, rows = formed_range(form, bags.select(records), taxonomy)
        groups[records] = labels + before
        before += len(rows)
        published.append(rows)
    return groups, stacked(published)


def formed_range(form: Form, records: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
    """The groups of one range, formed on the part of the taxonomy that its records use; published records are over the whole one."""
    used = np.zeros(len(taxonomy), np.bool_)
    used[records.items] = True
    part, nodes = taxonomy.only(np.flatnonzero(used))
    number = np.full(len(taxonomy), -1, np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    groups, published = form(records.relabelled(number, part.names), part)
    return groups, published.relabelled(nodes.astype(np.int32), taxonomy.names)


def _in_turn(ranges: Ints) -> Iterator[Ints]:
    """The records of each range, in the order in which they arrived."""
    order = np.argsort(ranges, kind="stable")
    ends = np.cumsum(np.bincount(ranges))
    for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        yield order[start:end]

"""MDAV on a table of microdata: standardised, and in an order by content, so that the order of arrival does not matter."""

from __future__ import annotations

import numpy as np

from shoal.data.dispersion import standardised
from shoal.data.table import Ints, Table
from shoal.errors import ParameterError
from shoal.microaggregation.improve import improved_groups
from shoal.microaggregation.mdav import mdav_groups
from shoal.microaggregation.mixed import MixedSpace
from shoal.microaggregation.numbers import NumberSpace


def groups_of_table(table: Table, k: int) -> Ints:
    """The group of each row by MDAV, numbered from 0 without gaps; every group holds rows of at least k owners."""
    order = table.content_order()
    space = NumberSpace(standardised(table.numbers)[order]) if table.all_numeric else MixedSpace(table, order)
    return _by_arrival(order, mdav_groups(space, table.owners[order], k))


def better_groups_of_table(table: Table, k: int, rounds: int, seed: int) -> Ints:
    """The same after so many rounds of local search on the SSE, which never rises."""
    if not table.all_numeric:
        raise ParameterError(
            "sums of squares are improved for numbers, and a quasi-identifier is of another kind", hint="use the method mdav"
        )
    order = table.content_order()
    values, owners = standardised(table.numbers)[order], table.owners[order]
    start = mdav_groups(NumberSpace(values), owners, k)
    return _by_arrival(order, improved_groups(values, owners, start, k, rounds, seed))


def _by_arrival(order: Ints, found: Ints) -> Ints:
    group = np.empty(len(order), np.int64)
    group[order] = found
    return group

"""Dispersion of rows of numbers: standardised values, and how the sum of squares parts into within and between groups.

Sums are rounded once (`math.fsum`), so they depend on no order of rows. The information loss of a grouping is SSE / SST on standardised
values, from 0 to 1; the literature's L is 100 times that. It is the same with n or n-1 in the standard deviation; n is used.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, repeat

import numpy as np

from shoal.data.table import Floats, Ints


def standardised(values: Floats) -> Floats:
    """Each column less its mean, over its standard deviation; a constant column becomes 0 and loses nothing."""
    found = np.zeros(values.shape)
    for j, column in enumerate(values.T):
        if len(column) and column.min() < column.max():
            found[:, j] = _standardised_column(column)
    return found


def sum_of_squares(values: Floats) -> float:
    """SST: the squared distances of all rows to their mean."""
    return math.fsum(((values - _mean(values)) ** 2).ravel())


def within_groups(values: Floats, group: Ints) -> float:
    """SSE: the squared distances of all rows to the mean of their group."""
    return math.fsum(((values - group_means(values, group)[group]) ** 2).ravel())


def between_groups(values: Floats, group: Ints) -> float:
    """SSA: the squared distances of the groups' means to the mean of all, each as often as its group has rows."""
    return math.fsum(((group_means(values, group)[group] - _mean(values)) ** 2).ravel())


def group_means(values: Floats, group: Ints) -> Floats:
    """The mean of each group's rows; groups are numbered from 0 without gaps."""
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group))
    return np.array([_mean(values[rows]) for rows in np.split(order, ends[:-1])]).reshape(len(ends), values.shape[1])


def information_loss(values: Floats, group: Ints) -> float:
    """SSE / SST of the standardised values; 0 if all rows are the same and nothing can be lost."""
    scaled = standardised(values)
    total = sum_of_squares(scaled)
    return within_groups(scaled, group) / total if total else 0.0


def _mean(values: Floats) -> Floats:
    return np.array([_mean_of_column(column) for column in values.T])


def _mean_of_column(column: Floats) -> float:
    """The mean, off by hardly more than half of its last digit: a sum that is rounded and then divided would be off by more than one."""
    try:
        near = math.fsum(column) / len(column)
        return near + math.fsum(chain(column, repeat(-near, len(column)))) / len(column) + 0.0  # zero has no sign
    except OverflowError:  # the sum is too large, the mean is not
        return float(sum(map(Fraction, column.tolist()), Fraction()) / len(column))


def _standardised_column(column: Floats) -> Floats:
    # A power of two takes no digit away and keeps squares of very large numbers finite.
    scaled = np.ldexp(column, -int(np.frexp(np.abs(column).max())[1]))
    apart = scaled - math.fsum(scaled) / len(scaled)
    return np.asarray(apart / math.sqrt(math.fsum(apart**2) / len(apart)))

"""Numbers: logarithms and shares that are the same on every machine, and sets of integers as sorted arrays.

The library function `log` differs in the last bit between processors, which would affect rounding to integer units. Single additions,
multiplications and divisions give the same result everywhere.

`np.unique` collects the integers of an array in a hash table, which takes 30 to 150 times as long as sorting them: 5 s against 0.03 s for
two million different numbers (NumPy 2.4, one core); pairs are slower still. Without counts or places it is therefore not used for
arrays that grow with the data, except in `privacy`, which shares no code with the methods.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Integer = TypeVar("Integer", bound=np.integer)

_LN2 = 0.6931471805599453
FEW_ROWS = 256  # sorted by one column after the other sooner
_TERMS = 13  # of the series of atanh; the next one is below 2**-60 of the first


def logarithm(values: npt.ArrayLike) -> Floats:
    """Return the logarithm of positive numbers: ln(f * 2**e) = e * ln 2 + 2 * atanh((f - 1) / (f + 1)), with f near one."""
    fraction, exponent = np.frexp(np.asarray(values, np.float64))
    small = fraction < np.sqrt(0.5)
    fraction, exponent = np.where(small, 2 * fraction, fraction), exponent - small
    ratio = (fraction - 1) / (fraction + 1)
    square, series = ratio * ratio, np.zeros_like(ratio)
    for term in reversed(range(_TERMS)):
        series = series * square + 1 / (2 * term + 1)
    return np.asarray(exponent * _LN2 + 2 * ratio * series)


def members_of(group: Ints) -> list[Ints]:
    """Return the rows of each group; groups are numbered from 0 without gaps."""
    return np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])


def exact(number: float) -> Fraction:
    """Return a share as an exact fraction of its shortest decimal form, so that 29 of 100 is not more than 0.29. Only 18 digits count."""
    written = Fraction(repr(float(number)))
    finest = 10**18
    return written if written.denominator <= finest else Fraction(int(written * finest), finest)


def mixed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return pseudo-random numbers, by SplitMix64."""
    with np.errstate(over="ignore"):
        found = values + np.uint64(0x9E3779B97F4A7C15)
        found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return found ^ (found >> np.uint64(31))


def distinct(numbers: npt.NDArray[Integer]) -> npt.NDArray[Integer]:
    """Return the distinct numbers, sorted."""
    ordered = np.sort(numbers, axis=None)
    return ordered if len(ordered) < 2 else ordered[np.append(True, ordered[1:] != ordered[:-1])]


def order_of(*columns: Ints) -> Ints:
    """Return an order of rows by the first of these columns, then by the next; rows that are equal in all of them are in any order.

    As many columns as fit become one number, which is sorted sooner than by one column after the other.
    """
    if len(columns[0]) < FEW_ROWS:
        return np.lexsort(columns[::-1])
    packed: list[Ints] = []
    room = 0  # how many more numbers the last one of them can tell apart
    for column in columns:
        least, span = int(column.min()), int(column.max()) - int(column.min()) + 1
        if packed and span <= room:
            packed[-1] = packed[-1] * span + (column - least)
            room //= span
        else:
            packed.append(column.astype(np.int64) - least if span < 2**63 else column)
            room = 2**63 // span
    return np.argsort(packed[0]) if len(packed) == 1 else np.lexsort(packed[::-1])


def distinct_pairs(first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct pairs of numbers, sorted: the first and the second number of each, and its frequency."""
    order = order_of(first, second)
    first, second = first[order], second[order]
    starts = np.flatnonzero(np.append(True, (first[1:] != first[:-1]) | (second[1:] != second[:-1]))[: len(order)])
    return first[starts], second[starts], np.diff(np.append(starts, len(order)))


def runs(ordered: npt.NDArray[Integer]) -> tuple[npt.NDArray[Integer], Ints]:
    """Return the distinct values of sorted numbers, and their frequencies."""
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, np.int64)
    return ordered[starts], np.diff(np.append(starts, len(ordered)))

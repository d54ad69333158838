"""Groups of rows that are merged until the sensitive values of each are diverse enough, or distributed nearly as in the whole table.

The worst group joins the nearest other one, and so on. A merged group has at least as many different values as its parts, and its
distribution is a mean of theirs, so that merging ends at the latest with one group, which has all values and the distribution of the table.
Time: as many passes over the rows as there are merged groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from shoal import kernels
from shoal.data.bags import Ints
from shoal.data.table import Table
from shoal.errors import ParameterError
from shoal.microaggregation.attributes import standardised
from shoal.microaggregation.spaces import MixedSpace, NumberSpace


@dataclass(frozen=True)
class Diversity:
    """What the sensitive values of each group must be: at least `l` different ones, at most `t` away from the whole table's shares."""

    l: int | None = None  # noqa: E741 (the name of the field)
    t: Fraction | None = None

    def shortfall(self, counts: Ints, whole: Ints) -> Fraction:
        """Return by how much these counts of values miss what is required; 0 if they do not."""
        missing = Fraction(0)
        if self.l is not None:
            missing += max(0, self.l - int((counts > 0).sum()))
        if self.t is not None:
            missing += max(Fraction(0), _apart(counts, whole) - self.t)
        return missing


def _apart(counts: Ints, whole: Ints) -> Fraction:
    """Return half of the sum of the absolute differences of shares, exactly."""
    n, all_rows = int(counts.sum()), int(whole.sum())
    return Fraction(sum(abs(a * all_rows - b * n) for a, b in zip(counts.tolist(), whole.tolist(), strict=True)), 2 * n * all_rows)


def diverse_groups(table: Table, group: Ints, values: Ints, diversity: Diversity) -> Ints:
    """Return the group of each row after merging, numbered from 0 without gaps.

    Args:
        table: The rows, whose quasi-identifiers decide which groups are near.
        group: The group of each row, numbered from 0 without gaps.
        values: The sensitive value of each row, numbered from 0.
        diversity: What the values of a group must be.

    Raises:
        ParameterError: The whole table has too few different values.
    """
    whole = np.bincount(values)
    if (different := int((whole > 0).sum())) < (diversity.l or 0):
        raise ParameterError(
            f"the table has only {different:,} different sensitive values", code="too-few-values", hint="try a smaller l", value=different
        )
    before = table.content_order()
    label = _by_first_row(group[before])
    order = before if table.owners_repeat else _alternating(table, before, values)
    space = NumberSpace(standardised(table.numbers)[order]) if table.all_numeric else MixedSpace(table, order)
    every, n = np.arange(len(order)), int(label.max()) + 1
    held = np.zeros((n, len(whole)), np.int64)
    np.add.at(held, (label, values[order]), 1)
    missing = {one: short for one in range(n) if (short := diversity.shortfall(held[one], whole))}
    merged = 0
    while missing:
        worst = max(missing, key=lambda one: (missing[one], -one))
        sizes = np.bincount(label, minlength=n)
        far = np.bincount(label, weights=space.distances(space.centroid(np.flatnonzero(label == worst)), every), minlength=n)  # type: ignore[arg-type]
        mean = np.where((sizes > 0) & (np.arange(n) != worst), far / np.maximum(sizes, 1), np.inf)
        nearest = int(np.argmin(mean))
        label[label == worst] = nearest
        held[nearest] += held[worst]
        del missing[worst]
        missing.pop(nearest, None)
        if short := diversity.shortfall(held[nearest], whole):
            missing[nearest] = short
        merged += 1
        kernels.report("merging groups", merged, n)
    found = np.empty(len(order), np.int64)
    found[order] = _by_first_row(label)
    return found


def _alternating(table: Table, order: Ints, values: Ints) -> Ints:
    """Return the rows in an order by content in which equal rows alternate between sensitive values, instead of the order of arrival."""
    codes = pl.DataFrame(table.codes[order], schema=[str(column) for column in range(table.codes.shape[1])])
    content = codes.select(pl.struct(pl.all()).rank("dense")).to_series() if codes.width else pl.Series(np.zeros(len(order)))
    rows = pl.DataFrame({"row": order, "content": content, "value": values[order]})
    turn = pl.int_range(pl.len()).over("content", "value")
    return rows.with_columns(turn=turn).sort("content", "turn", "value", maintain_order=True)["row"].to_numpy().astype(np.int64)


def _by_first_row(label: Ints) -> Ints:
    """Return the same groups, numbered from 0 in the order of their first rows."""
    _, first, place = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[place]

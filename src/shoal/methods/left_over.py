"""What is left when no further group of p can be formed around a sensitive record: it must be published too, at the same privacy degree.

Where everybody owns one record, what is left is one group, which the condition of the search keeps right. Where people own several, a
group with sensitive items may hold one record of a person only: sensitive records that are left join groups that lack their items and
their owner, and those that cannot form one group with one further record of every other person.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.counting import counted
from shoal.data.bags import Bags, Ints
from shoal.errors import Infeasible

Mask = npt.NDArray[np.bool_]


def with_left_over(formed: Ints, sensitive: Bags, p: int) -> Ints:
    """Groups for all records; `formed` has those that were found, -1 for what is left, and `sensitive` what records hold."""
    groups, left = formed.copy(), formed < 0
    if not left.any():
        return groups
    holding = left & (np.diff(sensitive.indptr) > 0)
    if sensitive.owners_repeat and holding.any():
        for record in np.flatnonzero(holding).tolist():
            groups[record] = _joined(record, groups, sensitive, p)
        holding &= groups < 0
        together = _one_of_each_person(groups < 0, holding, sensitive.owners)
        _insist(together, sensitive, p)
        groups[together] = groups.max() + 1
    groups[groups < 0] = groups.max() + 1
    return groups


def _joined(record: int, groups: Ints, sensitive: Bags, p: int) -> int:
    """The first group that can take this record: of other people, and large enough for one more of its items; -1 where there is none."""
    n, owners = int(groups.max()) + 1, sensitive.owners
    sizes = np.bincount(groups[groups >= 0], minlength=n) + 1
    able = np.ones(n, bool)
    able[groups[(owners == owners[record]) & (groups >= 0)]] = False
    of_entry = np.repeat(groups, np.diff(sensitive.indptr))
    for item in sensitive.items[sensitive.indptr[record] : sensitive.indptr[record + 1]]:
        held = np.bincount(of_entry[(sensitive.items == item) & (of_entry >= 0)], minlength=n)
        able &= (held + 1) * p <= sizes
    return int(np.argmax(able)) if able.any() else -1


def _one_of_each_person(left: Mask, holding: Mask, owners: Ints) -> Ints:
    """Of the records that are left all sensitive ones, and of every other person the first."""
    if not holding.any():
        return np.zeros(0, np.int64)
    others = np.flatnonzero(left & ~np.isin(owners, owners[holding]))
    first = others[np.unique(owners[others], return_index=True)[1]]
    return np.concatenate([np.flatnonzero(holding), first])


def _insist(together: Ints, sensitive: Bags, p: int) -> None:
    """Raise unless these records are of different people and have privacy degree p together."""
    if not len(together):
        return
    held = sensitive.select(together)
    most = int(np.bincount(held.items).max())
    if held.owners_repeat or most * p > len(together):
        people = int(pl.Series(held.owners[np.diff(held.indptr) > 0]).n_unique())
        raise Infeasible(
            f"no groups of privacy degree {p:,} were found: {counted(people, 'person owns', 'people own')} too many of the "
            "records with sensitive items",
            hint="lower p, or make one record of each person (--per user)",
        )

"""Groups of rows within limits: at most so many rows each, and no two rows of one user.

Groups of n rows with k to `most` rows of different users exist if and only if some number of groups is at least n / most and at least the
number of rows of every user, and at most n / k: rows in the order of their users are dealt to that many groups in turn. If users have one
row each, only n / most <= n / k is needed, with both rounded to whole numbers.

Given groups are repaired. A group keeps its nearest row of each user, at most as many as allowed. Each row that is left joins the nearest
group that has room and no row of its user. If there is none, a full group without its user gives a row to a group that has room: as the
full group has more users than the other, it has one whom the other lacks. If there are too few groups, all rows are dealt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data.bags import Ints
from shoal.data.table import Floats, Table
from shoal.errors import Infeasible, ParameterError, option
from shoal.microaggregation.attributes import standardised
from shoal.microaggregation.spaces import MixedSpace, NumberSpace
from shoal.util.wording import counted


@dataclass(frozen=True)
class Limits:
    """At most `most` rows per group (None: any number), and `apart`: no two rows of one user."""

    k: int
    most: int | None
    apart: bool

    def fewest_groups(self, owners: Ints) -> int:
        """Return the number of groups that are needed at least. Raise if so many groups are not possible."""
        n, several = len(owners), int(np.bincount(np.unique(owners, return_inverse=True)[1]).max(initial=1))
        if several > 1 and not self.apart:
            raise ParameterError(
                "users have several rows, which may share a group, so rows do not count people",
                code="options-conflict",
                hint=f"add {option('apart', True)}",
            )
        possible = n // self.k
        by_size = -(-n // self.most) if self.most is not None else 1
        if by_size > possible:
            size = f"{self.k:,} rows or more" if self.most is None else f"{self.k:,} to {self.most:,} rows"
            what = f"{n:,} rows cannot be divided into groups of {size}"
            raise Infeasible(what, code="limits-impossible", hint="raise the limit, or change k", value=by_size, limit=possible)
        if several > possible:
            what = f"a user has {several:,} rows, but there are at most {possible:,} groups of {self.k:,} rows to keep them apart"
            raise Infeasible(what, code="limits-impossible", hint="lower k, or leave out rows", value=several, limit=possible)
        return max(by_size, several, 1)


def constrained_groups(table: Table, group: Ints, limits: Limits) -> Ints:
    """Return groups within the limits, as near as possible to the given ones; numbered from 0 without gaps.

    Args:
        table: The rows.
        group: The group of each row, numbered from 0 without gaps; each has rows of at least k users.
        limits: What groups must be.

    Raises:
        Infeasible: There are no such groups.
        ParameterError: Users have several rows, and these are not kept apart.
    """
    fewest = limits.fewest_groups(table.owners)
    order = table.content_order()
    owners = table.owners[order]
    label = np.unique(group[order], return_inverse=True)[1].astype(np.int64)
    if int(label.max()) + 1 < fewest:
        found = _dealt(owners, fewest)
    else:
        space = NumberSpace(standardised(table.numbers)[order]) if table.all_numeric else MixedSpace(table, order)
        found = _Repair(space, owners, label, limits).run()
    arrived = np.empty(len(order), np.int64)
    arrived[order] = found
    return arrived


def _dealt(owners: Ints, groups: int) -> Ints:
    """Return rows dealt to this many groups in turn, those of one user after the other."""
    first = np.unique(owners, return_index=True, return_inverse=True)[1:]
    turn = np.argsort(first[0][first[1]], kind="stable")
    found = np.empty(len(owners), np.int64)
    found[turn] = np.arange(len(owners)) % groups
    return found


class _Repair:
    """The groups, and the rows that have none."""

    def __init__(self, space: Any, owners: Ints, label: Ints, limits: Limits) -> None:
        self._space, self._owners = space, owners.tolist()
        self._most = len(owners) if limits.most is None else limits.most
        self._members: list[list[int]] = []
        self._centres = []
        self._left: list[int] = []
        for number in range(int(label.max()) + 1):
            rows = np.flatnonzero(label == number)
            self._centres.append(space.centroid(rows))
            self._admit(rows, space.distances(self._centres[-1], rows))
        self._users = [{self._owners[row] for row in rows} for rows in self._members]

    def run(self) -> Ints:
        """Place the rows that are left, and return the group of each row."""
        rows = np.array(sorted(self._left), np.int64)
        far = np.array([self._space.distances(centre, rows) for centre in self._centres]).reshape(len(self._centres), len(rows))
        for row, distances in zip(rows.tolist(), far.T, strict=True):
            self._place(row, distances)
        found = np.empty(len(self._owners), np.int64)
        for number, members in enumerate(self._members):
            found[members] = number
        return found

    def _admit(self, rows: Ints, distances: Floats) -> None:
        """Keep the nearest row of each user, at most as many as allowed."""
        kept: list[int] = []
        users = set()
        for row in rows[np.argsort(distances, kind="stable")].tolist():
            if self._owners[row] in users or len(kept) == self._most:
                self._left.append(row)
            else:
                users.add(self._owners[row])
                kept.append(row)
        self._members.append(kept)

    def _place(self, row: int, distances: Floats) -> None:
        """Put a row into the nearest group that may take it, after it has made room if need be."""
        without = [number for number, users in enumerate(self._users) if self._owners[row] not in users]
        roomy = [number for number in without if len(self._members[number]) < self._most]
        if not roomy:
            roomy = [min(without, key=lambda number: (distances[number], number))]
            self._make_room(roomy[0])
        chosen = min(roomy, key=lambda number: (distances[number], number))
        self._members[chosen].append(row)
        self._users[chosen].add(self._owners[row])

    def _make_room(self, full: int) -> None:
        """Move a row of a full group to one that has room and no row of its user."""
        other = next(number for number, members in enumerate(self._members) if len(members) < self._most)
        movable = np.array(sorted(row for row in self._members[full] if self._owners[row] not in self._users[other]), np.int64)
        row = int(movable[np.argmin(self._space.distances(self._centres[other], movable))])
        self._members[full].remove(row)
        self._users[full].discard(self._owners[row])
        self._members[other].append(row)
        self._users[other].add(self._owners[row])


def insist_on_different_groups(rows: int, largest: int, twice: int, limits: Limits) -> None:
    """Raise if groups that are published alike exceed the limits together: `largest` rows, `twice` rows of users with another one."""
    if limits.most is not None and largest > limits.most:
        what = f"{counted(largest, 'row')} of {rows:,} would be published with the same values, more than {limits.most:,}"
        raise Infeasible(what, code="groups-alike", hint="raise the limit, or leave out columns", value=largest, limit=limits.most)
    if limits.apart and twice:
        what = f"{counted(twice, 'row')} would be published with the same values as another row of the same user"
        raise Infeasible(what, code="groups-alike", hint="leave out columns, or raise k", value=twice)

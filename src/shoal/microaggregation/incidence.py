"""Groups by incidence: who coincides most comes together, one group after the other.

The pair that coincides most starts a group, and whoever coincides most with all its members so far joins, until there are k. Who is left
when fewer than k are joins the group whose k members they coincide with most.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Ints


def greedy_groups(incidence: Ints, k: int) -> list[Ints]:
    """Return the members of each group, k to 2k-1 of them; of equals the first is taken. There must be k."""
    n = len(incidence)
    pairs = np.triu(incidence + 1, 1)  # 0 where there is no pair
    free = np.ones(n, bool)
    groups: list[list[int]] = []
    while free.sum() >= k:
        members = _grown(incidence, pairs, free, k)
        groups.append(members)
        free[members] = False
        pairs[members, :] = pairs[:, members] = 0
    homes = [np.argmax([incidence[row, members].sum() for members in groups]) for row in np.flatnonzero(free)]
    for row, home in zip(np.flatnonzero(free).tolist(), homes, strict=True):
        groups[int(home)] = [*groups[int(home)], row]
    return [np.sort(np.array(members, np.int64)) for members in groups]


def _grown(incidence: Ints, pairs: Ints, free: npt.NDArray[np.bool_], k: int) -> list[int]:
    """Return the next group among those that are free."""
    members = [int(place) for place in np.unravel_index(np.argmax(pairs), pairs.shape)] if k > 1 else [int(np.argmax(free))]
    sums = incidence[members].sum(axis=0)
    while len(members) < k:
        waiting = free.copy()
        waiting[members] = False
        nearest = int(np.argmax(np.where(waiting, sums, -1)))
        members.append(nearest)
        sums = sums + incidence[nearest]
    return members

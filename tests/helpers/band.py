"""Band order and private groups once more, in plain Python: the graph of shared items is made, and lists are searched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Vocabulary

Record = frozenset[int]
Fits = Callable[[int], bool]


def bags_of(records: Sequence[Record], items: int) -> Bags:
    """Records of item numbers."""
    flat = [item for record in records for item in sorted(record)]
    indptr = np.cumsum([0, *map(len, records)])
    return Bags.from_rows(indptr, np.array(flat, np.int32), np.ones(len(flat), np.int32), Vocabulary(f"i{i}" for i in range(items)))


# -- reverse Cuthill-McKee


def band_order(records: Sequence[Record]) -> list[int]:
    """Reverse Cuthill-McKee on the graph of records that share an item, component after component."""
    n = len(records)
    shared = [[len(records[a] & records[b]) if a != b else 0 for b in range(n)] for a in range(n)]
    degree = [sum(row) for row in shared]

    def key(record: int) -> tuple[int, int]:
        return degree[record], record

    def search(start: int) -> tuple[list[int], list[int]]:
        found, level = [start], {start: 0}
        for record in found:
            children = sorted((b for b in range(n) if shared[record][b] and b not in level), key=key)
            level |= dict.fromkeys(children, level[record] + 1)
            found += children
        return found, [level[record] for record in found]

    def peripheral(start: int) -> int:
        deepest = -1
        while True:
            found, levels = search(start)
            if max(levels) <= deepest:
                return start
            deepest = max(levels)
            start = min((r for r, depth in zip(found, levels, strict=True) if depth == deepest), key=key)

    order: list[int] = []
    for start in sorted(range(n), key=key):
        if start not in order:
            order += search(peripheral(start))[0]
    return order[::-1]


def bandwidth(records: Sequence[Record], order: Sequence[int]) -> int:
    """The largest distance in the order between two records that share an item."""
    place = {record: at for at, record in enumerate(order)}
    n = len(records)
    return max((abs(place[a] - place[b]) for a in range(n) for b in range(a) if records[a] & records[b]), default=0)


def kernel_order(records: Sequence[Record], items: int) -> list[int]:
    return kernels.run(_kernels.band_order, bags_of(records, items).view, items).tolist()  # type: ignore[no-any-return]


# -- group formation


class Twin:
    """CAHD over records in band order. `literal` makes the feasibility test as it is printed."""

    def __init__(
        self, known: Sequence[Record], sensitive: Sequence[Record], owners: Sequence[int], p: int, *, literal: bool = False
    ) -> None:
        self.known, self.sensitive, self.owners, self.p, self.literal = known, sensitive, owners, p, literal
        self.live = list(range(len(known)))
        self.left = Counter(s for record in sensitive for s in record)
        self.groups = [-1] * len(known)

    def run(self, choose: Callable[[Twin, int], list[int]]) -> list[int]:
        """Groups of members that `choose` gives for each start, in passes until one of them forms none."""
        formed = True
        while formed:
            formed = False
            for start in [r for r in self.live if self.sensitive[r]]:
                if start in self.live and self.accepts(members := choose(self, start)):
                    formed = True
                    self.take(members)
        return self.groups

    def accepts(self, members: list[int]) -> bool:
        if len(members) < self.p:
            return False
        after = self.left - Counter(s for r in members for s in self.sensitive[r])
        remaining = len(self.live) - (0 if self.literal else len(members))
        return all(n * self.p <= remaining for n in after.values())

    def take(self, members: list[int]) -> None:
        self.left -= Counter(s for r in members for s in self.sensitive[r])
        number = max(self.groups) + 1
        for record in members:
            self.groups[record] = number
            self.live.remove(record)

    def fits(self, record: int, chosen: Sequence[int]) -> bool:
        return all(self.owners[record] != self.owners[o] and not self.sensitive[record] & self.sensitive[o] for o in chosen)

    def outwards(self, start: int, chosen: list[int], most: int) -> list[int]:
        """By turns before and after the start: up to `most` live records on each side that fit all chosen before."""
        at, found = self.live.index(start), list(chosen)
        sides: list[Iterator[int]] = [iter(self.live[:at][::-1]), iter(self.live[at + 1 :])]
        taken = [0, 0]
        while any(n < most for n in taken):
            for side in (0, 1):
                if taken[side] < most:
                    record = next((r for r in sides[side] if self.fits(r, found)), None)
                    taken[side] = most if record is None else taken[side] + 1
                    found += [] if record is None else [record]
        return found[len(chosen) :]

    def common(self, start: int, record: int) -> int:
        return len(self.known[start] & self.known[record])


def in_window(alpha: int) -> Callable[[Twin, int], list[int]]:
    """As printed: the p - 1 of the window that have most in common with the start."""

    def choose(twin: Twin, start: int) -> list[int]:
        found = twin.outwards(start, [start], alpha * twin.p)
        return [start, *sorted(found, key=lambda r: -twin.common(start, r))[: twin.p - 1]]

    return choose


def by_content(nearest: int) -> Callable[[Twin, int], list[int]]:
    """Records with scarce items first; then those that differ least, of the first `nearest` that share an item; then the surroundings."""

    def choose(twin: Twin, start: int) -> list[int]:
        def key(record: int) -> tuple[int, int, int, int]:
            return len(twin.known[start] ^ twin.known[record]), -twin.common(start, record), abs(record - start), record

        def add(candidates: list[int], most: int) -> None:
            for record in sorted(candidates, key=key):
                if len(members) < most and twin.fits(record, members):
                    members.append(record)

        def around(records: list[int], found: list[int]) -> None:
            """The live ones, by turns before and after the start in the list of all, until enough are found."""
            below = [r for r in records if r < start][::-1]
            above = [r for r in records if r >= start]
            for i in range(max(len(below), len(above))):
                if len(found) >= nearest:
                    return
                found += [r for r in (*below[i : i + 1], *above[i : i + 1]) if r != start and r in live and r not in found]

        members, live, n = [start], set(twin.live), len(twin.known)
        for item in range(1 + max((s for record in twin.sensitive for s in record), default=-1)):
            held = any(item in twin.sensitive[m] for m in members)
            if twin.left[item] * twin.p > len(twin.live) - twin.p and not held:
                scarce: list[int] = []
                around([r for r in range(n) if item in twin.sensitive[r]], scarce)
                add(scarce, len(members) + 1)
        sharing: list[int] = []
        holders = {item: [r for r in range(n) if item in twin.known[r]] for item in twin.known[start]}
        for item in sorted(holders, key=lambda i: (len(holders[i]), i)):
            around(holders[item], sharing)
        add(sharing, twin.p)
        return (members + twin.outwards(start, members, twin.p))[: max(twin.p, len(members))]

    return choose

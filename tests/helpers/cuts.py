"""Plain twins of the kernels of k^m-anonymity, and the checker by definition: slow, and straight from the papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import combinations

from hypothesis import strategies as st

from helpers.data import forests, numbered, tree, under_floor
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy

Row = frozenset[int]
Image = dict[int, int]


def people_holding(rows: Sequence[Row], owners: Sequence[int], known: Sequence[int]) -> int:
    """Different owners of rows that hold all of these."""
    return len({owner for row, owner in zip(rows, owners, strict=True) if row.issuperset(known)})


def rare_sets(rows: Sequence[Row], owners: Sequence[int], k: int, m: int) -> set[tuple[int, ...]]:
    """All sets of 0 to m items that some but fewer than k people hold."""
    occurring = {known for row in rows for size in range(m + 1) for known in combinations(sorted(row), size)}
    return {known for known in occurring if people_holding(rows, owners, known) < k}


def compatible_people(
    original: Sequence[Row], published: Sequence[Row], owners: Sequence[int], known: Row, taxonomy: Taxonomy, who: int
) -> int:
    """People whose published record may be that of record `who` for all that somebody who knows these items of it can tell.

    An item may be published as any node above it, or be suppressed if it is suppressed in that record.
    """

    def above(item: int, row: Row) -> bool:
        return any(node <= item < taxonomy.end[node] for node in row)

    shown = [item for item in known if above(item, published[who])]
    return len({owner for row, owner in zip(published, owners, strict=True) if all(above(item, row) for item in shown)})


@st.composite
def problems(draw: st.DrawFn) -> tuple[Bags, Taxonomy]:
    """Records that are sets of nodes of a small taxonomy, perhaps under a floor; some people own several."""
    parent, records = draw(forests(nodes=10, records=(2, 12), items=(1, 5)))
    plain = tree(parent)
    taxonomy = under_floor(plain, draw(st.integers(1, 3)))
    owners = draw(st.none() | st.lists(st.integers(0, 5), min_size=len(records), max_size=len(records)))
    return numbered(taxonomy, [sorted(set(record)) for record in records], owners), taxonomy


def rows_of(bags: Bags) -> list[Row]:
    """The records as sets of numbers."""
    return [frozenset(bags.items[a:b].tolist()) for a, b in zip(bags.indptr[:-1], bags.indptr[1:], strict=True)]


def recoded(rows: Sequence[Row], image: Image, taxonomy: Taxonomy) -> list[Row]:
    """The rows under a global recoding, without what must not be published."""
    return [frozenset(image[item] for item in row if taxonomy.publishable[image[item]]) for row in rows]


class TwinOfAA:
    """Apriori anonymization, or direct anonymization, by plain counting."""

    def __init__(self, bags: Bags, taxonomy: Taxonomy, k: int) -> None:
        self.rows, self.owners, self.tree, self.k = rows_of(bags), bags.owners.tolist(), taxonomy, k
        self.image: Image = {item: item for row in self.rows for item in row}
        self.loss: list[int] = taxonomy.unit_losses.tolist()

    def run(self, sizes: Sequence[int], once: bool = False) -> Image:
        """Treats sets of up to each size in turn, until none is rare, or in a single pass."""
        for size in sizes:
            while sets := self._listed(size):
                for known in sets:
                    self._mend(known)
                if once:
                    break
        return self.image

    def published(self) -> list[Row]:
        return recoded(self.rows, self.image, self.tree)

    def _listed(self, size: int) -> list[tuple[int, ...]]:
        """Rare sets none of whose beginnings is rare; those of few records first."""
        rows = self.published()
        rare = sorted(known for known in rare_sets(rows, self.owners, self.k, size) if known)
        first = [known for known in rare if not any(known[:n] in rare for n in range(1, len(known)))]
        return sorted(first, key=lambda known: sum(node in row for node in known for row in rows))

    def _below(self, node: int) -> Iterator[int]:
        return (item for item in self.image if node <= item < self.tree.end[node])

    def _cost(self, node: int) -> int:
        occurrences: Callable[[int], int] = lambda item: sum(item in row for row in self.rows)  # noqa: E731
        return sum(occurrences(item) * (self.loss[node] - self.loss[self.image[item]]) for item in self._below(node))

    def _mend(self, known: tuple[int, ...]) -> None:
        if not set(known) <= set(self.image.values()):
            return
        open_choices, seen = [self._choice(known)], {self._choice(known)[1]}
        while not self._frequent(open_choices[0][1]):
            _, nodes = heappop(open_choices)
            for i, node in enumerate(nodes):
                above = int(self.tree.parent[node])
                choice = self._choice((*nodes[:i], above, *nodes[i + 1 :]))
                if above >= 0 and self.tree.publishable[node] and choice[1] not in seen:
                    seen.add(choice[1])
                    heappush(open_choices, choice)
        for node in open_choices[0][1]:
            self.image |= dict.fromkeys(self._below(node), node)

    def _choice(self, nodes: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        top = tuple(n for n in sorted(set(nodes)) if not any(o < n < self.tree.end[o] for o in nodes if o >= 0))
        return sum(self._cost(n) for n in top if n >= 0), top

    def _frequent(self, nodes: Sequence[int]) -> bool:
        shown = [node for node in nodes if self.tree.publishable[node]]
        holding = [
            o for row, o in zip(self.rows, self.owners, strict=True) if all(any(n <= i < self.tree.end[n] for i in row) for n in shown)
        ]
        return not shown or len(set(holding)) >= self.k


class TwinFromBelow:
    """Publishing from below, record by record: what hits most rare sets of a record that hold no other one is withheld again."""

    def __init__(self, bags: Bags, taxonomy: Taxonomy, k: int, m: int) -> None:
        self.items = [bags.items[a:b].tolist() for a, b in zip(bags.indptr[:-1], bags.indptr[1:], strict=True)]
        self.owners, self.tree, self.k, self.m = bags.owners.tolist(), taxonomy, k, m
        self.shown: list[list[int]] = [[-1] * len(row) for row in self.items]
        self.above = [list(row) for row in self.items]

    def run(self) -> list[int]:
        while fresh := self._tried():
            while rare := least_sets(rare_sets(self._rows(), self.owners, self.k, self.m)):
                self._withhold(rare, fresh)
        return [node for row in self.shown for node in row]

    def _rows(self) -> list[Row]:
        return [frozenset(node for node in row if node >= 0) for row in self.shown]

    def _tried(self) -> set[tuple[int, int]]:
        fresh = set()
        for who, row in enumerate(self.shown):
            for place, node in enumerate(row):
                above = self.above[who][place]
                if node < 0 and above > 0 and self.tree.publishable[above]:
                    row[place], self.above[who][place] = above, int(self.tree.parent[above])
                    fresh.add((who, place))
        return fresh

    def _withhold(self, rare: list[tuple[int, ...]], fresh: set[tuple[int, int]]) -> None:
        everywhere = {node: sum(node in known for known in rare) for known in rare for node in known}
        for who, (row, shown) in enumerate(zip(self.shown, self._rows(), strict=True)):
            settled = {node for place, node in enumerate(row) if (who, place) not in fresh}
            left = [known for known in rare if shown.issuperset(known)]
            while left:
                hits = {node: sum(node in known for known in left) for known in left for node in known if node not in settled}
                best = max(hits, key=lambda node: (hits[node], everywhere[node], -node))
                left = [known for known in left if best not in known]
                row[:] = [-1 if node == best else node for node in row]


def least_sets(sets: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Those that hold no other one but the empty one."""
    return sorted(known for known in sets if known and not any(other and set(other) < set(known) for other in sets))

"""Small data sets, trees and the ways to build them, shared by many tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from shoal.data.bags import Bags, Vocabulary
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Floor, Taxonomy

Bag = tuple[str, ...]

FOOD = {
    "Food": None,
    "Fruit": "Food", "Apple": "Fruit", "Orange": "Fruit", "Banana": "Fruit",
    "Meat": "Food", "Beef": "Meat", "Chicken": "Meat",
    "Dairy": "Food", "Milk": "Dairy", "Cheese": "Dairy", "Butter": "Dairy",
}  # fmt: skip

# The transactions of Table 5.1 of the thesis, t1 to t5.
TABLE_5_1 = [
    ["Orange", "Chicken", "Beef"],
    ["Banana", "Beef", "Cheese"],
    ["Chicken", "Milk", "Butter"],
    ["Apple", "Chicken"],
    ["Chicken", "Beef"],
]


def food() -> Taxonomy:
    """The food taxonomy of the thesis, Figure 1.3: eight leaves below three groups."""
    return Taxonomy.from_parents(FOOD, "lm")


def under_floor(plain: Taxonomy, level: int) -> Taxonomy:
    """The same tree under the floor of this level, or of its lowest one if it has fewer."""
    return plain.barring(Floor(level=min(level, max(2, plain.height + 1))).bars(plain))


def tree(parent: Sequence[int], loss: str = "lm") -> Taxonomy:
    """A taxonomy from parents in preorder; node i is called `n<i>`."""
    return Taxonomy(Vocabulary(f"n{i}" for i in range(len(parent))), np.array(parent, np.int32), loss_name=loss)


def on(taxonomy: Taxonomy, records: Iterable[Iterable[str]], owners: Sequence[int] | None = None) -> Bags:
    """Records of node names as bags over the nodes of a taxonomy."""
    named = Bags.from_lists(records, owners)
    nodes = taxonomy.nodes(named.vocabulary.names)
    assert (nodes >= 0).all(), "a record names a node that the taxonomy does not have"
    return named.relabelled(nodes, taxonomy.names)


def numbered(taxonomy: Taxonomy, records: Iterable[Iterable[int]], owners: Sequence[int] | None = None) -> Bags:
    """Records of node numbers as bags over the nodes of a taxonomy."""
    rows = [list(record) for record in records]
    items = [item for row in rows for item in row]
    indptr = np.cumsum([0, *map(len, rows)])
    return Bags.from_rows(indptr, np.array(items, np.int32), np.ones(len(items), np.int32), taxonomy.names, owners)


def names_of(bags: Bags) -> list[Bag]:
    """Each record as a sorted tuple of names, repeated by their counts."""
    return [tuple(sorted(record)) for record in bags.to_polars().to_list()]


def numbers_of(bags: Bags) -> list[tuple[int, ...]]:
    """Each record as a sorted tuple of item numbers, repeated by their counts."""
    rows = zip(bags.indptr[:-1], bags.indptr[1:], strict=True)
    return [tuple(np.repeat(bags.items[a:b], bags.counts[a:b]).tolist()) for a, b in rows]


def published(release: Release) -> Counter[Bag]:
    """The multiset of published records."""
    found: Counter[Bag] = Counter()
    for record, copies in zip(names_of(release.published), release.copies, strict=True):
        found[record] += int(copies)
    return found


def on_nodes(bags: Bags, taxonomy: Taxonomy) -> Original:
    """Bags that already are over the nodes of a taxonomy, as a judge wants to see them."""
    return Original.on(bags, taxonomy)


# -- random trees and records, for Hypothesis


@st.composite
def trees(draw: st.DrawFn, most: int = 9) -> tuple[int, ...]:
    """Parents of a random tree in preorder: a node hangs below the one before it or an ancestor of that."""
    parent = [-1]
    for _ in range(draw(st.integers(0, most - 1))):
        path, node = [], len(parent) - 1
        while node >= 0:
            path.append(node)
            node = parent[node]
        parent.append(draw(st.sampled_from(path)))
    return tuple(parent)


@st.composite
def forests(
    draw: st.DrawFn, *, nodes: int = 9, records: tuple[int, int] = (1, 6), items: tuple[int, int] = (0, 4)
) -> tuple[tuple[int, ...], list[list[int]]]:
    """A random tree and records over all of its nodes, with repeats."""
    parent = draw(trees(nodes))
    record = st.lists(st.integers(0, len(parent) - 1), min_size=items[0], max_size=items[1])
    return parent, draw(st.lists(record, min_size=records[0], max_size=records[1]))


# -- data sets every method has to cope with


@dataclass(frozen=True, eq=False)
class Dataset:
    """Records over the nodes of a taxonomy, and what kind of records they are."""

    bags: Bags
    taxonomy: Taxonomy
    kind: str


def _random_parents(rng: np.random.Generator, n: int) -> list[int]:
    parent = [-1]
    for _ in range(n - 1):
        node = len(parent) - 1
        while node > 0 and rng.random() < 0.55:
            node = parent[node]
        parent.append(node)
    return parent


def _random(seed: int, n: int, *, leaves_only: bool, repeats: bool, longest: int, owners: int | None = None) -> Dataset:
    rng = np.random.default_rng(seed)
    taxonomy = tree(_random_parents(rng, 30))
    nodes = np.flatnonzero(taxonomy.end == np.arange(30) + 1) if leaves_only else np.arange(1, 30)
    records = [rng.choice(nodes, rng.integers(1, longest + 1), replace=True).tolist() for _ in range(n)]
    if not repeats:
        records = [sorted(set(record)) for record in records]
    people = None if owners is None else rng.integers(0, owners, n).tolist()
    return Dataset(numbered(taxonomy, records, people), taxonomy, "bags" if repeats else "sets")


def _food() -> Dataset:
    return Dataset(on(food(), TABLE_5_1), food(), "sets")


def _duplicates() -> Dataset:
    records = [["Apple", "Beef"]] * 4 + [["Milk"]] * 3 + [["Milk", "Milk", "Beef"]] * 2 + [["Apple", "Beef", "Butter"]]
    return Dataset(on(food(), records), food(), "bags")


def _one_item() -> Dataset:
    records = [[name] for name in ["Apple", "Orange", "Apple", "Milk", "Beef", "Cheese", "Beef"]]
    return Dataset(on(food(), records), food(), "sets")


def _with_empty() -> Dataset:
    return Dataset(on(food(), [[], *TABLE_5_1, [], ["Milk"]]), food(), "sets")


def _heavy_owner() -> Dataset:
    drawn = _random(6, 40, leaves_only=True, repeats=True, longest=5)
    people = [0 if i % 5 < 3 else i for i in range(40)]
    return Dataset(numbered(drawn.taxonomy, numbers_of(drawn.bags), people), drawn.taxonomy, "bags")


DATASETS: dict[str, Callable[[], Dataset]] = {
    "food": _food,
    "random sets": lambda: _random(1, 40, leaves_only=True, repeats=False, longest=6),
    "random bags": lambda: _random(2, 40, leaves_only=True, repeats=True, longest=8),
    "duplicates": _duplicates,
    "inner nodes": lambda: _random(3, 40, leaves_only=False, repeats=True, longest=6),
    "owners repeat": lambda: _random(4, 60, leaves_only=True, repeats=False, longest=5, owners=20),
    "owners repeat in bags": lambda: _random(5, 60, leaves_only=False, repeats=True, longest=3, owners=15),
    "heavy owner": _heavy_owner,
    "one item": _one_item,
    "with empty": _with_empty,
}

"""What is published of learned topics, as cells of an icicle: topics, the published topics and words below them, and who has them.

Only names that enough published records bear are shown, and everything is counted from the published records alone. A cell below another
one is what the taxonomy has below it among these names; nodes that nobody publishes are passed over, and so are topics of most records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.tree_counts import published_items
from shoal.util.numbers import distinct

Mask = npt.NDArray[np.bool_]

MOST = (8, 3, 2)  # cells of each level below one of the level before
SMALLEST = 24.0  # height of a cell, in pixels
TOPIC_CELLS = "topics"  # the key of cells in the result of a comparison
WHOLE = 520.0  # height of all cells, unless they need more


@dataclass(frozen=True)
class TopicCell:
    """A published name with its place in the icicle; `records` are those with it or with a published name below it.

    Attributes:
        name: The name of a topic, or a word.
        level: The column, from 0.
        top: The upper edge, in pixels.
        height: The height, in pixels.
        records: The number of published records.
        below: How many published names are below it, also those that have no cell.
    """

    name: str
    level: int
    top: float
    height: float
    records: int
    below: int


def topic_cells(published: Bags, copies: Ints, tree: Taxonomy, named: Mask) -> tuple[TopicCell, ...]:
    """Return the cells of what is published.

    Args:
        published: The published records, on the nodes of the tree.
        copies: How often each of them is published.
        tree: The taxonomy.
        named: The nodes that may be shown.

    Returns:
        The cells, each before those below it.
    """
    shown = np.flatnonzero(named)
    shown = shown[shown > 0]
    times = published_items(published, copies, tree)[1]
    weight = tree.sum_up(np.where(named, times, 0))
    below = _below(shown, tree)
    below[0] = _telling(below, lambda nodes: _records([nodes], published, copies, tree, named), int(copies.sum()))
    chosen = _chosen(below, weight)
    heights = _heights(chosen, weight)
    records = _records(list(_by_level(chosen)), published, copies, tree, named)
    cells: list[TopicCell] = []

    def place(nodes: Chosen, top: float, level: int) -> None:
        for node, inner in nodes.items():
            names_below = int(named[node + 1 : int(tree.end[node])].sum())
            cells.append(TopicCell(tree.names[node], level, round(top, 1), round(heights[node], 1), records[node], names_below))
            place(inner, top, level + 1)
            top += heights[node]

    place(chosen, 0.0, 0)
    return tuple(cells)


Chosen = dict[int, "Chosen"]


def _below(shown: Ints, tree: Taxonomy) -> dict[int, list[int]]:
    """Return the shown nodes by the nearest shown node above them; those that have none are below the root."""
    below: dict[int, list[int]] = {0: []}
    open_nodes = [0]
    for node in shown.tolist():  # in preorder, so that a node comes after those above it
        while len(open_nodes) > 1 and node >= int(tree.end[open_nodes[-1]]):
            open_nodes.pop()
        below.setdefault(open_nodes[-1], []).append(node)
        open_nodes.append(node)
    return below


def _telling(below: dict[int, list[int]], records: Callable[[list[int]], dict[int, int]], published: int) -> list[int]:
    """Return the uppermost nodes that at most half of the records have: what is true of most people tells little about anybody."""
    nodes = below[0]
    while True:
        held = records(nodes) if nodes else {}
        common = {node for node in nodes if 2 * held[node] > published and node in below}
        if not common:
            return nodes
        nodes = sorted({inner for node in nodes for inner in (below[node] if node in common else [node])})


def _chosen(below: dict[int, list[int]], weight: Ints, at: int = 0, level: int = 0) -> Chosen:
    """Return the heaviest nodes below a node, and those below them."""
    if level == len(MOST):
        return {}
    heaviest = sorted(below.get(at, []), key=lambda node: (-int(weight[node]), node))[: MOST[level]]
    return {node: _chosen(below, weight, node, level + 1) for node in heaviest}


def _heights(chosen: Chosen, weight: Ints) -> dict[int, float]:
    """Return the height of each node: its share of all, but as much as it needs, and those below it."""
    total = sum(int(weight[node]) for node in chosen) or 1
    heights: dict[int, float] = {}

    def measure(nodes: Chosen) -> float:
        for node, inner in nodes.items():
            heights[node] = max(SMALLEST, WHOLE * int(weight[node]) / total, measure(inner))
        return sum(heights[node] for node in nodes)

    measure(chosen)
    return heights


def _by_level(chosen: Chosen) -> Iterator[list[int]]:
    """Yield the nodes of each column."""
    level = [chosen]
    while any(level):
        yield [node for nodes in level for node in nodes]
        level = [inner for nodes in level for inner in nodes.values()]


def _records(levels: list[list[int]], published: Bags, copies: Ints, tree: Taxonomy, named: Mask) -> dict[int, int]:
    """Return the published records that have each node, or a shown one below it; nodes of a column have nothing in common below them."""
    records_of: dict[int, int] = {}
    for nodes in levels:
        column = np.full(len(tree), -1, np.int64)
        for number, node in enumerate(nodes):
            column[node : int(tree.end[node])] = number
        column[~named] = -1
        counts = np.zeros(len(nodes), np.int64)
        for begin, end in published.blocks():
            some = published.part(begin, end)
            cell = column[some.items]
            rows = np.repeat(np.arange(begin, end), np.diff(some.indptr))
            keys = distinct((rows * len(nodes) + cell)[cell >= 0])
            np.add.at(counts, keys % len(nodes), copies[keys // len(nodes)])
        records_of |= dict(zip(nodes, counts.tolist(), strict=True))
    return records_of

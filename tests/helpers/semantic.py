"""Random small trees and vocabularies, and plain twins of the semantic kernels: scipy's assignment on the paper's padded matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy

FORBIDDEN = 1e9


def tree_of(parents: list[int]) -> Taxonomy:
    """A taxonomy from the parent of every node but the root; names are n0, n1, ... by the numbers given."""
    names: dict[str, str | None] = {"n0": None}
    for i, above in enumerate(parents, start=1):
        names[f"n{i}"] = f"n{above}"
    return Taxonomy.from_parents(names)


def level_tree(heights: list[int]) -> Taxonomy:
    """A tree all of whose leaves lie on one level; `heights` are the fan-outs from the root down."""
    names: dict[str, str | None] = {"r": None}
    layer = ["r"]
    for fan in heights:
        layer = [f"{above}.{i}" for above in layer for i in range(fan)]
        names.update({node: node.rsplit(".", 1)[0] for node in layer})
    return Taxonomy.from_parents(names)


@st.composite
def trees(draw: st.DrawFn, largest: int = 14) -> Taxonomy:
    """Any rooted tree of a few nodes."""
    size = draw(st.integers(1, largest))
    return tree_of([draw(st.integers(0, i)) for i in range(size)])


def bags_of(records: list[list[int]], taxonomy: Taxonomy) -> Bags:
    """Records given as lists of node numbers, with repeats."""
    indptr = np.cumsum([0, *map(len, records)])
    items = np.array([i for r in records for i in r], np.int32)
    return Bags.from_rows(indptr, items, np.ones(len(items), np.int32), taxonomy.names)


def ancestors(taxonomy: Taxonomy, node: int) -> list[int]:
    """The node and all above it."""
    found = []
    while node >= 0:
        found.append(node)
        node = int(taxonomy.parent[node])
    return found


def term_distance(taxonomy: Taxonomy, u: int, v: int, measure: str) -> float:
    """Path length or Wu-Palmer by walking up, with the root on level 1."""
    above = set(ancestors(taxonomy, u))
    common = next(a for a in ancestors(taxonomy, v) if a in above)
    lu, lv, lc = (len(ancestors(taxonomy, n)) for n in (u, v, common))
    return lu + lv - 2 * lc if measure == "path" else 1 - 2 * lc / (lu + lv)


def padded_distance(costs: np.ndarray, eps: float, rows_nil: float, columns_nil: float) -> tuple[float, list[tuple[int, int]]]:
    """The paper's second model by scipy: both sides padded with nil terms; returns the weight and the matched pairs."""
    n, m = costs.shape
    padded = np.zeros((n + m, n + m))
    padded[:n, :m] = np.where(costs <= eps + 1e-9, costs, FORBIDDEN)
    padded[:n, m:] = rows_nil
    padded[n:, :m] = columns_nil
    rows, columns = linear_sum_assignment(padded)
    pairs = [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if r < n and c < m]
    return float(padded[rows, columns].sum()), pairs


def plain_distance(taxonomy: Taxonomy, a: list[int], b: list[int], eps: float, omega: float, measure: str = "path") -> float:
    """The distance of two vocabularies with nil terms."""
    costs = np.array([[term_distance(taxonomy, u, v, measure) for v in b] for u in a]).reshape(len(a), len(b))
    return padded_distance(costs, eps, omega, omega)[0]

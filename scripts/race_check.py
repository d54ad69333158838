"""Runs every kernel that works on several threads once, for ThreadSanitizer to watch; called by `scripts/sanitize.sh thread`.

Polars cannot be loaded under ThreadSanitizer, so only numpy and the kernels are used here and Polars is replaced by an empty stand-in.
What the kernels answer is checked by the tests; here only their memory accesses matter.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

sys.modules["polars"] = MagicMock()

import numpy as np  # noqa: E402

from shoal import _kernels, kernels  # noqa: E402
from shoal.engines.local_engine import LocalEngine  # noqa: E402
from shoal.methods.bases.group_search import GroupSearch, Search  # noqa: E402
from shoal.taxonomy.tree_counts import tree_counts  # noqa: E402

THREADS = 4
RECORDS = 6000
K = 5


class Tree:
    """A random tree of four levels in preorder, with what tree counts need of a taxonomy."""

    def __init__(self) -> None:
        parents = [-1]

        def hang(node: int, level: int) -> None:
            for _ in range(8 if level == 0 else 4):
                parents.append(node)
                if level < 3:
                    hang(len(parents) - 1, level + 1)

        hang(0, 0)
        n = len(parents)
        self.parent = np.array(parents, np.int32)
        self.end = np.arange(1, n + 1, dtype=np.int32)
        for node in range(n - 1, 0, -1):
            self.end[parents[node]] = max(self.end[parents[node]], self.end[node])
        self.depth = np.zeros(n, np.int32)
        for node in range(1, n):
            self.depth[node] = self.depth[parents[node]] + 1
        self.leaf = self.end == np.arange(n) + 1
        before = np.concatenate([[0], np.cumsum(self.leaf)])
        leaves = (before[self.end] - before[:-1]).astype(np.int64)
        self.units = int(leaves[0] - 1)
        self.weights = leaves[self.parent] - leaves
        self.weights[0] = 0
        self.view = _kernels.Tree(self.parent, self.end, self.depth)

    def __len__(self) -> int:
        return len(self.parent)


def random_bags(tree: Tree, random: np.random.Generator) -> Any:
    """Random sets of leaves, as kernels take them."""
    indptr = np.concatenate([[0], np.cumsum(random.integers(1, 15, RECORDS))]).astype(np.int64)
    items = random.choice(np.flatnonzero(tree.leaf), indptr[-1]).astype(np.int32)
    rows = run(_kernels.canonical_rows, indptr, items, np.ones(len(items), np.int32), True, THREADS)
    lengths = np.diff(rows[0]).astype(np.int64)
    return SimpleNamespace(rows=rows, view=_kernels.Rows(*rows), lengths=lengths, occurrences=int(lengths.sum()))


def run(kernel: Any, *arguments: Any) -> Any:
    """The kernel's answer; says which kernel ran."""
    print(getattr(kernel, "__name__", kernel), flush=True)
    return kernels.run(kernel, *arguments)


def grouping(tree: Tree, bags: Any, owners: Any, *, repeat: bool) -> Any:
    """The whole search of the shoal method over the threads of this process."""
    counts = tree_counts(bags, tree)  # type: ignore[arg-type]
    options = Search(
        k=K,
        block=700,
        grow=_kernels.GrowOptions(candidates=40),
        refine=_kernels.RefineOptions(neighbours=6, depth=3, together=4, worst=3, worth=0),
        refine_block=150,
        rounds=3,
    )
    with kernels.using(threads=THREADS):
        groups = GroupSearch(counts, owners, repeat, options, LocalEngine()).run()
    bound = _kernels.BoundOptions(neighbours=K, patience=200, ceilings=True, work=10**7)
    run(_kernels.unavoidable_losses, counts.scored(owners, K, repeat), np.arange(RECORDS), bound, THREADS)
    return groups


def judging(tree: Tree, bags: Any, groups: Any) -> None:
    """Meets, and what the judge and the metrics count of them."""
    published = _kernels.Rows(*run(_kernels.meet_groups, bags.view, tree.view, groups.starts, groups.members, THREADS))
    row = np.empty(RECORDS, np.int64)
    row[groups.members] = np.repeat(np.arange(len(groups)), np.diff(groups.starts))
    run(_kernels.row_classes, published, THREADS)
    run(_kernels.generalizes, bags.view, published, row, tree.view, THREADS)
    run(_kernels.shared_occurrences, bags.view, published, row, THREADS)
    run(_kernels.covering_nodes, bags.view, published, row, tree.view, THREADS)
    question = _kernels.MoleQuestion(k=K, h_numerator=1, h_denominator=2, p=3, achieved=True)
    run(_kernels.minimal_moles, bags.view, np.zeros(len(tree), np.uint8), np.zeros(0, np.int64), question, THREADS)


def reading(random: np.random.Generator) -> None:
    """Cutting lines, reading times and ordering events."""
    line = b"%d\tword%d other%d\t2006-03-01 10:00:00\n"
    text = b"".join(line % (i % 97, i % 1000, i % 37) for i in range(200_000))
    cutter = _kernels.ColumnCutter(_kernels.Dialect("\t", False), [0, 1, 2], 3, 3, THREADS)
    run(cutter.cut, text, True)
    run(_kernels.parse_times, cutter.part(0).column(2), THREADS)
    run(_kernels.event_order, random.integers(0, 500, 200_000), random.integers(0, 10**6, 200_000), 500, THREADS)


def main() -> None:
    """All of it; ThreadSanitizer reports by itself and sets the exit code."""
    random = np.random.default_rng(7)
    tree = Tree()
    bags = random_bags(tree, random)
    run(_kernels.identical_rows, bags.view, THREADS)
    run(_kernels.content_hashes, bags.view, len(tree), THREADS)
    halves = np.array([1], np.int32), np.array([len(tree) // 2], np.int32), np.ones(1, np.int64)
    run(_kernels.leaves_of, bags.view, _kernels.CutTree(*halves, np.array([-1], np.int32), np.array([-2], np.int32)), THREADS)
    run(_kernels.content_order, bags.view, np.zeros(RECORDS, np.int64), THREADS)
    groups = grouping(tree, bags, np.arange(RECORDS), repeat=False)
    grouping(tree, bags, random.integers(0, 4000, RECORDS), repeat=True)
    judging(tree, bags, groups)
    numbers, owners = random.normal(size=(30_000, 10)), np.arange(30_000)
    run(_kernels.mdav, numbers, owners, K, THREADS)
    run(_kernels.improve_groups, numbers, owners, owners // K % (30_000 // K), K, 3, 0, THREADS)
    reading(random)


main()

"""The icicle of published topics: what it shows is published, and counted right."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.report.charts import topic_picture
from shoal.report.topic_cells import MOST, topic_cells

TREE = Taxonomy.from_parents(
    {
        "(any topic)": None,
        "all / of": "(any topic)",
        **{f"t{t} / x": "all / of" for t in range(12)},
        **{f"<w{t}{i}>": f"t{t} / x" for t in range(12) for i in range(5)},
    }
)


def published(seed: int) -> tuple[Bags, np.ndarray]:
    rng = np.random.default_rng(seed)
    chosen = [sorted({int(n) for n in rng.integers(1, len(TREE), 5)}) for _ in range(40)]
    rows = [[TREE.names[n] for n in nodes] for nodes in chosen]
    bags = Bags.from_lists(rows)
    return bags.relabelled(TREE.names.codes(bags.vocabulary.names), TREE.names), rng.integers(0, 4, 40)


def test_records_are_those_with_the_name_or_a_named_one_below_it():
    for seed in range(5):
        bags, copies = published(seed)
        named = np.random.default_rng(seed).random(len(TREE)) < 0.8
        cells = topic_cells(bags, copies, TREE, named)
        assert cells
        for cell in cells:
            node = int(TREE.names.codes([cell.name])[0])
            assert named[node]
            below = {n for n in range(node, int(TREE.end[node])) if named[n]}
            rows = [set(bags.items[a:b].tolist()) for a, b in zip(bags.indptr[:-1], bags.indptr[1:], strict=True)]
            assert cell.records == sum(int(n) for row, n in zip(rows, copies, strict=True) if row & below)
            assert cell.below == len(below) - 1
        assert sum(cell.level == 0 for cell in cells) <= MOST[0]


def test_cells_of_a_column_do_not_overlap_and_lie_beside_what_is_above_them():
    cells = topic_cells(*published(1), TREE, np.ones(len(TREE), bool))
    for level in range(3):
        column = [cell for cell in cells if cell.level == level]
        assert all(one.top + one.height <= other.top + 0.2 for one, other in pairwise(column))
        left = [cell for cell in cells if cell.level == level - 1]
        assert not left or all(any(up.top - 0.2 <= cell.top < up.top + up.height for up in left) for cell in column)


def test_a_topic_of_most_records_gives_way_to_those_below_it_and_names_are_escaped():
    cells = topic_cells(*published(2), TREE, np.ones(len(TREE), bool))
    assert "all / of" not in {cell.name for cell in cells}
    drawn = topic_picture(cells, 40)
    assert "&lt;w" in drawn.svg
    assert "<w" not in drawn.svg
    assert topic_cells(Bags.from_lists([]), np.zeros(0, np.int64), TREE, np.zeros(len(TREE), bool)) == ()

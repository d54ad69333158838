"""Rules of recodings: they say what was done, or are none; on random recodings of random trees."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import numbered, tree
from shoal.data.recoding_rules import Rules, digest_of_taxonomy


@st.composite
def recodings(draw: st.DrawFn) -> tuple[list[int], list[list[int]], list[int]]:
    """Parents of a tree in preorder, records of its nodes, and for each node itself, a node above it, or nothing."""
    size = draw(st.integers(2, 9))
    parent = [-1]
    for node in range(1, size):
        above, choices = node - 1, []
        while above >= 0:
            choices.append(above)
            above = parent[above]
        parent.append(draw(st.sampled_from(choices)))
    records = draw(st.lists(st.lists(st.integers(0, size - 1), min_size=1, max_size=4, unique=True), min_size=1, max_size=6))
    code = []
    for node in range(size):
        choices, above = [-1], node
        while above >= 0:
            choices.append(above)
            above = parent[above]
        code.append(draw(st.sampled_from(choices)))
    return parent, records, code


@settings(max_examples=300)
@given(recodings())
def test_rules_recode_what_occurs_as_was_done_or_are_none(problem: tuple[list[int], list[list[int]], list[int]]) -> None:
    parent, records, code = problem
    taxonomy = tree(parent)
    bags = numbered(taxonomy, records)
    rules = Rules.of(bags, np.array(code, np.int32), taxonomy)
    held = {node for record in records for node in record}
    if rules is not None:
        assert {node: int(rules.code(taxonomy)[node]) for node in held} == {node: code[node] for node in held}
        assert rules.names == {taxonomy.names[code[node]] for node in held if code[node] >= 0}
        return
    # There are none: somewhere below a node that stands for others, or at it, an item became something else.
    standing = {code[node] for node in held if code[node] not in (-1, node)}
    assert any(_nearest(node, parent, standing) != code[node] for node in held if code[node] != node)


def _nearest(node: int, parent: list[int], standing: set[int]) -> int:
    while node >= 0 and node not in standing:
        node = parent[node]
    return node


def test_a_taxonomy_is_the_same_however_its_children_are_ordered() -> None:
    one, other = tree([-1, 0, 1, 0]), tree([-1, 0, 0, 2])
    assert digest_of_taxonomy(one) == digest_of_taxonomy(tree([-1, 0, 1, 0]))
    assert digest_of_taxonomy(one) != digest_of_taxonomy(other)

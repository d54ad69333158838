"""Taxonomies: shape, node losses and integer weights, against the definitions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from helpers import twins
from helpers.data import food, numbered, tree, trees
from helpers.errors import error, refuses
from shoal.data.node_loss import LOSSES
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.tree_counts import tree_counts

SOME = settings(deadline=None, max_examples=80)


@SOME
@given(trees(14))
def test_the_shape_by_its_definition(parent: tuple[int, ...]) -> None:
    taxonomy = tree(parent)
    n = len(parent)
    paths = [twins.up(parent, v) for v in range(n)]
    assert taxonomy.depth.tolist() == [len(path) - 1 for path in paths]
    assert taxonomy.height == max(len(path) for path in paths) - 1
    for v in range(n):
        below = [w for w in range(n) if v in paths[w]]
        assert below == list(range(v, taxonomy.end[v]))
        assert taxonomy.leaves[v] == twins.leaves_below(parent, v)
        assert taxonomy.children(v).tolist() == [w for w in range(n) if parent[w] == v]
        assert taxonomy.path(v) == [f"n{w}" for w in paths[v]]
    assert taxonomy.n_leaves == twins.leaves_below(parent, 0)


@SOME
@given(trees(14))
def test_lm_and_ncp_by_their_definitions(parent: tuple[int, ...]) -> None:
    taxonomy = tree(parent)
    for v in range(len(parent)):
        assert taxonomy.loss[v] == pytest.approx(float(twins.lm(parent, v)))
        assert taxonomy.ncp[v] == pytest.approx(float(twins.ncp(parent, v)))


def under(parent: tuple[int, ...], loss: str) -> Taxonomy:
    """The tree under a loss; every leaf has people of its own, as many as there are nodes before it modulo 3, and one more."""
    plain = tree(parent, loss)
    leaf = plain.end == np.arange(len(parent)) + 1
    return replace(plain, parent=plain.parent.copy(), people=plain.sum_up(np.where(leaf, 1 + np.arange(len(parent)) % 3, 0)))


@pytest.mark.parametrize("loss", list(LOSSES))
@SOME
@given(trees(14))
def test_every_loss_rises_from_0_at_a_leaf_to_1_at_the_root(loss: str, parent: tuple[int, ...]) -> None:
    taxonomy = under(parent, loss)
    leaf = taxonomy.end == np.arange(len(parent)) + 1
    assert (taxonomy.loss[leaf] == 0).all()
    for v in range(1, len(parent)):
        assert taxonomy.loss[v] <= taxonomy.loss[parent[v]]
    if loss == "height":
        assert taxonomy.loss[0] == (1 if len(parent) > 1 else 0)
    elif loss == "people":
        assert taxonomy.loss[0] == (1 if len(parent) > 1 and taxonomy.people[0] > 1 else 0)
    else:
        assert taxonomy.loss[0] == pytest.approx(1 if taxonomy.n_leaves > 1 else 0)


@pytest.mark.parametrize("loss", list(LOSSES))
@SOME
@given(trees(14))
def test_integer_weights_add_up_to_the_loss(loss: str, parent: tuple[int, ...]) -> None:
    """The weights on the way from a node to the root tell what is lost above it, exactly for LM."""
    taxonomy = under(parent, loss)
    assert (taxonomy.weights >= 0).all()
    assert taxonomy.weights[0] == 0
    for v in range(len(parent)):
        gained = Fraction(sum(int(taxonomy.weights[w]) for w in twins.up(parent, v)), taxonomy.units)
        if loss == "lm":
            assert gained == twins.lm(parent, 0) - twins.lm(parent, v)
        assert float(gained) == pytest.approx(taxonomy.loss[0] - taxonomy.loss[v], abs=1e-8)


def test_another_loss_on_the_same_tree() -> None:
    taxonomy = food().with_loss("height")
    assert taxonomy.loss_name == "height"
    assert dict(zip(taxonomy.names.names, taxonomy.loss, strict=True))["Fruit"] == 0.5
    with refuses("unknown-node-loss", value="bits"):
        food().with_loss("bits")


def test_parents_in_any_order() -> None:
    taxonomy = Taxonomy.from_parents({"leaf": "inner", "root": None, "inner": "root", "other": "root"}, "lm")
    assert taxonomy.names.names.to_list() == ["root", "inner", "leaf", "other"]
    assert taxonomy.parent.tolist() == [-1, 0, 1, 0]
    assert taxonomy.nodes(["leaf", "x", "root"]).tolist() == [2, -1, 0]
    assert repr(taxonomy) == "Taxonomy(4 nodes, 2 leaves, height 2, loss lm)"


@pytest.mark.parametrize(
    ("parents", "told"),
    [
        ({}, error("taxonomy-several-roots", nodes=[])),
        ({"a": None, "b": None, "c": "a"}, error("taxonomy-several-roots", nodes=["a", "b"])),
        ({"a": "a"}, error("taxonomy-cycle", nodes=["a"])),
        ({"r": None, "a": "c", "b": "a", "c": "b"}, error("taxonomy-cycle", nodes=["a", "c", "b"])),
        ({"r": None, "x": "a", "a": "b", "b": "a"}, error("taxonomy-cycle", nodes=["a", "b"])),
        ({"r": None, "a": "absent"}, error("taxonomy-parent-missing", nodes=["absent"])),
    ],
)
def test_what_is_no_tree_is_refused(parents: dict[str, str | None], told: str) -> None:
    with refuses(told):
        Taxonomy.from_parents(parents)


def test_names_and_nodes_must_be_as_many() -> None:
    with refuses("invalid-taxonomy"):
        Taxonomy(food().names, np.array([-1, 0], np.int32))


def test_a_taxonomy_does_not_change() -> None:
    with pytest.raises(ValueError, match="read-only"):
        food().parent[0] = 3


def test_records_too_large_to_be_scored_exactly_are_refused() -> None:
    taxonomy = tree([-1, 0, 0], "information")
    counts = np.full(5, 2**31 - 1)
    bags = numbered(taxonomy, [[1]] * 5)
    heavy = type(bags).from_rows(bags.indptr, bags.items, counts, bags.vocabulary)
    with refuses("too-many-occurrences"):
        tree_counts(heavy, taxonomy)
    assert tree_counts(heavy, taxonomy.with_loss("lm")).counts.tolist() == counts.tolist()

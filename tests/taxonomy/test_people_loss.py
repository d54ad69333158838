"""The node loss `people`: counted one by one on random records, and through a whole run."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from helpers.cli import FOOD, Shell, baskets
from helpers.data import food
from shoal.data.bags import Bags
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.taxonomy.place_terms import place_terms


@pytest.mark.parametrize("seed", range(5))
def test_a_node_costs_by_the_people_who_have_something_below_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = Taxonomy.from_parents({"0": None} | {str(i): str(rng.integers(0, i)) for i in range(1, 12)}, "people")
    rows = [["1", *(str(i) for i in rng.integers(0, 14, rng.integers(0, 5)))] for _ in range(9)]  # 12 and 13 are unlisted
    owners = rng.integers(0, 6, 9)
    placed = place_terms(Bags.from_lists(rows, owners), tree)
    found = placed.tree
    for node in range(len(found)):
        inside = {found.names[n] for n in range(node, int(found.end[node]))}
        people = {int(owner) for row, owner in zip(rows, owners, strict=True) if inside & set(row)}
        leaf = found.end[node] == node + 1
        everybody = len(set(owners.tolist()))
        assert found.loss[node] == pytest.approx(0 if leaf else log(max(1, len(people))) / log(everybody))
    assert (found.weights >= 0).all()


def test_a_taxonomy_alone_has_no_such_loss() -> None:
    with pytest.raises(ParameterError) as refused:
        _ = food().with_loss("people").loss
    assert refused.value.code == "needs-records"


@pytest.mark.parametrize("method", ["shoal", "partition", "km"])
def test_a_release_is_made_and_audited(shell: Shell, method: str) -> None:
    shell.file("baskets.txt", baskets())
    shell.file("food.csv", FOOD)
    how = ("--taxonomy", "food.csv", "--k", "3", "--method", method)
    answer = shell("anonymize", "baskets.txt", *how, "--node-loss", "people", "--out", "release")
    assert answer.code == 0, answer.err
    assert shell("audit", "release", "--original", "baskets.txt", "--taxonomy", "food.csv").code == 0
    assert "people" in (shell.directory / "release" / "manifest.json").read_text()

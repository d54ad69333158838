"""Publishing from below: the cluster's form, run on parts in memory, gives what one machine gives, on random records."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from helpers.data import numbered
from helpers.km_parts import RecordsInMemory, in_parts, numbering_of
from shoal.data.bags import Bags, Vocabulary
from shoal.data.taxonomy import Taxonomy
from shoal.itemsets.km_from_below import Mask, RecordsHere, both_ways, most_words
from shoal.itemsets.km_recoding import coherent_items

KNOWN, WORDS = 14, 6
SEEDS = range(40)


def random_problem(seed: int) -> tuple[Bags, Taxonomy, np.random.Generator]:
    """Records of a random tree, and of words below its last node, perhaps under a floor; in every other one people own several."""
    random = np.random.default_rng(seed)
    parent = [-1, 0, *(int(random.integers(0, node)) for node in range(2, KNOWN))]
    numbers = preorder(parent)
    unlisted = KNOWN
    names = Vocabulary([*(f"n{node:02}" for node in range(KNOWN)), "unlisted", *(f"w{word}" for word in range(WORDS))])
    tree = Taxonomy(names, np.array([*numbers, 0, *[unlisted] * WORDS], np.int32), unlisted=unlisted)
    barred = np.zeros(len(tree), bool)
    barred[[0, *([1] if seed % 3 == 0 and tree.parent[1] == 0 else [])]] = True
    tree = tree.barring(barred) if seed % 2 else tree
    held = np.setdiff1d(np.arange(1, len(tree)), [unlisted])
    likely = random.dirichlet(np.full(len(held), 0.5)) * 0.7 + 0.3 / len(held)
    n = int(random.integers(20, 60))
    rows = [sorted(random.choice(held, int(random.integers(1, 6)), replace=False, p=likely / likely.sum()).tolist()) for _ in range(n)]
    owners = random.integers(0, max(2, n // 2), n).tolist() if seed % 2 else random.permutation(n).tolist()
    return numbered(tree, rows, owners), tree, random


def preorder(parent: list[int]) -> list[int]:
    """The same tree with its nodes numbered in preorder."""
    order: list[int] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += [child for child, above in enumerate(parent) if above == node]
    place = {node: i for i, node in enumerate(order)}
    return [-1, *(place[parent[node]] for node in order[1:])]


@pytest.mark.parametrize("seed", SEEDS)
def test_records_in_parts_publish_what_they_publish_on_one_machine(seed: int) -> None:
    bags, tree, random = random_problem(seed)
    k, m, parts = (int(number) for number in (random.integers(2, 5), random.integers(1, 4), random.integers(1, 5)))
    settled = np.zeros(len(tree), bool)
    settled[coherent_items(bags, k, m)] = True
    numbering, tables = numbering_of(bags, tree, k), in_parts(bags, tree, parts)
    also_settled = settled[tree.nodes(numbering.names.names)]

    def here(first: Mask | None) -> RecordsHere:
        return RecordsHere(bags, tree, k, m, first)

    def there(first: Mask | None) -> RecordsInMemory:
        return RecordsInMemory(tables, numbering, k, m, None if first is None else also_settled)

    ways, same = both_ways(here, settled), both_ways(there, settled)
    assert [way.words_kept() for way in same] == [way.words_kept() for way in ways]
    assert [way.published() for way in same] == [names_by_record(bags, tree, way) for way in ways]
    assert ways.index(most_words(ways)) == same.index(most_words(same))


def names_by_record(bags: Bags, tree: Taxonomy, way: RecordsHere) -> dict[int, list[str]]:
    shown, names = way.shown().tolist(), tree.names.names
    return {record: sorted({names[node] for node in shown[a:b] if node >= 0}) for record, (a, b) in enumerate(pairwise(bags.indptr))}


def test_random_records_publish_words_parents_and_nothing() -> None:
    """What is compared above is neither empty nor everything."""
    kinds = {"kept": 0, "generalized": 0, "suppressed": 0}
    for seed in SEEDS:
        bags, tree, _ = random_problem(seed)
        shown = both_ways(lambda first, bags=bags, tree=tree: RecordsHere(bags, tree, 3, 2, first), np.zeros(len(tree), bool))[0].shown()  # type: ignore[misc]
        kinds["kept"] += int((shown == bags.items).sum())
        kinds["suppressed"] += int((shown < 0).sum())
        kinds["generalized"] += int(((shown >= 0) & (shown != bags.items)).sum())
    assert min(kinds.values()) > 100, kinds

"""WordNet with all senses and all hypernyms: its published statistics, and words whose senses are known."""

from __future__ import annotations

import polars as pl

from shoal.taxonomy.senses import noun_senses
from shoal.taxonomy.wordnet import noun_places, wordnet


def names_above(word: str) -> list[set[str]]:
    """For each sense of a noun the names directly above it."""
    graph = noun_senses()
    place = int(noun_places(pl.Series([word]))[0])
    return [{graph.names[above] for above in graph.above[sense]} for sense in graph.senses[place]]


def test_the_numbers_are_those_that_wordnet_publishes() -> None:
    graph = noun_senses()
    assert len(graph) == 82_115
    assert len(graph.senses) == 117_798
    assert sum(map(len, graph.senses)) == 146_312


def test_a_dog_is_a_canine_and_a_domestic_animal() -> None:
    senses = names_above("dogs")
    assert len(senses) == 7
    assert senses[0] == {"canine#2", "domestic animal"}


def test_the_tree_is_part_of_the_graph() -> None:
    graph, tree = noun_senses(), wordnet()
    assert all(above[:1] == ([parent] if parent >= 0 else []) for above, parent in zip(graph.above, tree.parent.tolist(), strict=True))
    assert [node for node, above in enumerate(graph.above) if not above] == [0]


def test_a_node_lies_deeper_than_all_above_it() -> None:
    graph = noun_senses()
    level = graph.level.tolist()
    assert level[0] == 1
    assert all(level[node] == 1 + max(level[one] for one in above) for node, above in enumerate(graph.above) if above)

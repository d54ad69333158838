"""The ARES report's Table 2.1, to the digit: four documents, k = 2."""

from __future__ import annotations

import itertools
import json

import polars as pl
import pytest

from helpers.cli import Shell
from helpers.documents import PUBLISHED_2_1, TABLE_2_1, json_lines, text_of, vectors
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.methods.document_vectors import DocumentVectors
from shoal.pipeline.contract import made_by
from shoal.taxonomy.senses import noun_senses


def first_lemma(name: str) -> str:
    """A node's name as the report writes it: without the number of its sense, words joined."""
    return name.partition("#")[0].replace(" ", "_")


def as_printed(items: list[str], weights: list[float]) -> dict[str, float]:
    return {first_lemma(item): round(weight, 12) for item, weight in zip(items, weights, strict=True)}


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))), ids=str)
def test_table_2_1_whatever_the_order_of_documents(order: tuple[int, ...]) -> None:
    original = vectors([text_of(TABLE_2_1[i]) for i in order])
    release = made_by(DocumentVectors(k=2), original)
    table = release.only(WeightedBagTable)
    assert isinstance(table, WeightedBagTable) and release.secret is not None
    rows = [table.frame.row(int(at)) for at in release.secret.rows()]
    assert [as_printed(*row) for row in rows] == [PUBLISHED_2_1[i] for i in order]


def shortest(node: int) -> int:
    """The number of nodes on the shortest path down to a node."""
    return 1 + min((shortest(above) for above in noun_senses().above[node]), default=0)


def test_levels_by_shortest_paths_would_take_a_dog_for_a_tiger() -> None:
    dog, tiger, carnivore = noun_senses().names.codes(["dog", "tiger#2", "carnivore"]).tolist()
    graph = noun_senses()
    assert {carnivore} <= graph.upwards(dog) & graph.upwards(tiger)
    assert 2 * shortest(carnivore) == shortest(dog) + shortest(tiger)
    assert 2 * int(graph.level[carnivore]) < int(graph.level[dog]) + int(graph.level[tiger])


def test_table_2_1_from_the_command_line(shell: Shell) -> None:
    shell.file("papers.jsonl", json_lines([text_of(document) for document in TABLE_2_1]))
    made = shell("anonymize", "papers.jsonl", "--format", "documents", "--method", "document-vectors", "-k", "2", "--out", "release")
    assert made.code == 0, made.err
    rows = pl.read_parquet(shell.directory / "release" / "vectors.parquet").select("items", "weights").rows()
    printed = sorted(json.dumps(as_printed(*row), sort_keys=True) for row in rows)
    assert printed == sorted(json.dumps(one, sort_keys=True) for one in PUBLISHED_2_1)

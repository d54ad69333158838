"""SSE, SSA and SST of document vectors against plain sums of distances found by trying all matchings."""

from __future__ import annotations

import math
from fractions import Fraction

import polars as pl
import pytest

from helpers.documents import plain_matching, plain_similarity, some_texts, vectors
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.methods.document_vectors import DocumentVectors
from shoal.metrics import measure
from shoal.microaggregation.document_space import space_of
from shoal.pipeline.contract import made_by
from shoal.taxonomy.senses import noun_senses
from shoal.taxonomy.wordnet import noun_places


def meanings(name: str) -> list[int]:
    """The nodes that a published name may mean: the one sense that it numbers, else all senses of the noun."""
    return noun_senses().names.codes([name]).tolist() if "#" in name else senses(name)


def senses(word: str) -> list[int]:
    return list(noun_senses().senses[int(noun_places(pl.Series([word]))[0])])


def squared(left: list[list[int]], right: list[list[int]]) -> float:
    similar = [[plain_similarity(noun_senses().above, a, b) for b in right] for a in left]
    return float(1 - plain_matching(similar) / Fraction(max(len(left), len(right)))) ** 2


def test_sums_of_squares_are_those_of_plain_distances() -> None:
    original = vectors(some_texts(7, seed=3, words=6), terms=3)
    release = made_by(DocumentVectors(k=2), original)
    table = release.only(WeightedBagTable)
    assert isinstance(table, WeightedBagTable) and release.secret is not None
    documents = [[senses(word) for word in original.vectors.record(i)] for i in range(7)]
    groups = [[meanings(name) for name in table.frame["items"][int(row)]] for row in release.secret.rows()]
    middle = [meanings(name) for name in space_of(original).middle()]
    expected = {
        "sse": math.fsum(squared(a, b) for a, b in zip(documents, groups, strict=True)),
        "ssa": math.fsum(squared(b, middle) for b in groups),
        "sst": math.fsum(squared(a, middle) for a in documents),
    }
    found = measure(release, original)
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert found["semantic_loss"] == pytest.approx(expected["sse"] / expected["sst"])


def test_nothing_is_lost_where_groups_are_of_equal_documents() -> None:
    original = vectors(["dog apple"] * 3 + ["train river"] * 3)
    found = measure(made_by(DocumentVectors(k=3), original), original)
    assert found["sse"] == found["semantic_loss"] == 0
    assert found["ssa"] == pytest.approx(found["sst"])


def test_sst_is_the_same_for_every_k_and_not_the_sum_of_sse_and_ssa() -> None:
    original = vectors(some_texts(12, seed=8), terms=6)
    found = [measure(made_by(DocumentVectors(k=k), original), original) for k in (2, 3, 5)]
    assert len({one["sst"] for one in found}) == 1
    assert all(abs(one["sse"] + one["ssa"] - one["sst"]) > 0.01 for one in found)

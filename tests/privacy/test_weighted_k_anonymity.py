"""The judge of weighted k-anonymity on small documents, with and without the mapping from documents to vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from helpers.documents import vectors
from shoal.data.claims import Verdict
from shoal.data.original import DocumentOriginal
from shoal.data.release import Release, Secret
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.privacy.weighted_k_anonymity import WeightedKAnonymity

Vector = dict[str, float]
TWO = ["dog cat", "dog lion"]  # each term weighs a half
LITTLE = 1e-6  # more than rounding


def judged(rows: Sequence[Vector], original: DocumentOriginal | None = None, secret: list[int] | None = None, k: int = 2) -> Verdict:
    frame = pl.DataFrame(
        {"items": [list(row) for row in rows], "weights": [list(row.values()) for row in rows]},
        schema={"items": pl.List(pl.String), "weights": pl.List(pl.Float64)},
    )
    mapping = None if secret is None else Secret(np.array(secret, np.int64))
    return WeightedKAnonymity(k=k).check(Release({"vectors": WeightedBagTable(frame)}, secret=mapping), original)


def test_identical_vectors_are_counted() -> None:
    rows = [{"dog": 0.5}] * 3 + [{"dog": 0.5, "cat": 0.1}] * 2
    assert judged(rows).holds and judged(rows).achieved["records"] == 2
    assert not judged(rows, k=3).holds
    assert not judged([{"dog": 0.5}, {"dog": 0.4}]).holds
    assert WeightedKAnonymity().k == 3, "as documented"


@pytest.mark.parametrize(
    ("row", "holds"),
    [
        ({"dog": 0.5}, True),
        ({"dog": 0.3}, True),
        ({"dog": 0.0}, True),
        ({"dog": 0.5, "feline": 0.5}, True),  # a cat and a lion
        ({"dog": 0.5 + LITTLE}, False),
        ({"dog": -LITTLE}, False),
        ({"cat": 0.25}, False),
        ({"horse": 0.25}, False),
        ({"feline": 0.5 + LITTLE}, False),
    ],
)
def test_terms_represent_all_documents_of_their_group(row: Vector, holds: bool) -> None:
    assert judged([row] * 2, vectors(TWO), [0, 1]).holds is holds


def test_people_are_counted_and_not_documents() -> None:
    texts = ["dog"] * 4
    assert judged([{"dog": 1.0}] * 4, vectors(texts, [0, 0, 1, 1]), [0, 1, 2, 3]).achieved["people"] == 2
    for secret in ([0, 1, 2, 3], None):
        found = judged([{"dog": 1.0}] * 4, vectors(texts, [0, 0, 0, 0]), secret)
        assert not found.holds and found.achieved["people"] == 1


def test_no_document_is_lost_or_added() -> None:
    original = vectors([*TWO, "", "dog"])
    rows = [{"dog": 0.5}] * 3
    assert judged(rows, original, [0, 1, -1, 2]).holds
    assert not judged(rows, original, [0, 1, -1, 1]).holds
    assert not judged(rows, original, [0, 1, 2, -1, 0]).holds
    for secret in ([0, 1, -1, -1], None):
        assert not judged(rows[:2], original, secret).holds
        assert not judged([*rows, *rows], original, secret).holds


@pytest.mark.parametrize(("weight", "holds"), [(0.75, True), (0.75 + LITTLE, False), (0.5, True), (0.5 - LITTLE, False), (0.25, False)])
def test_without_the_mapping_weights_must_be_possible(weight: float, holds: bool) -> None:
    """Of two documents the mean is at most (1 + 1/2) / 2, and no weight of a document is below a half."""
    original = vectors(["dog", *TWO, "dog cat"])
    assert judged([{"dog": weight}] * 2 + [{"dog": 0.5}] * 2, original).holds is holds


def test_without_the_mapping_a_vector_needs_k_people_with_all_its_terms() -> None:
    original = vectors(["dog cat", "dog cat", "dog lion", "horse lion"])
    assert judged([{"dog": 0.5, "cat": 0.5}] * 2 + [{"lion": 0.5}] * 2, original).achieved["people"] == 2
    alone = judged([{"dog": 0.5, "lion": 0.5}] * 2 + [{"cat": 0.5}] * 2, original)
    assert not alone.holds and alone.achieved["people"] == 1
    assert judged([{"elephant": 0.5}] * 2 + [{"cat": 0.5}] * 2, original).achieved["people"] == 0

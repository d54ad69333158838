"""What a group of documents publishes: what all members have in common, and nothing that only some of them have."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.documents import some_texts, vectors
from shoal.data.original import DocumentOriginal
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.methods.document_vectors import DocumentVectors
from shoal.pipeline.contract import made_by
from shoal.taxonomy.place_terms import Unknown


def published(texts: list[str], k: int, terms: int = 50, unknown: Unknown = "drop") -> list[dict[str, float]]:
    """What is published for each text."""
    return of_original(vectors(texts, terms=terms, unknown=unknown), k)


def of_original(original: DocumentOriginal, k: int) -> list[dict[str, float]]:
    release = made_by(DocumentVectors(k=k), original)
    table = release.only(WeightedBagTable)
    assert isinstance(table, WeightedBagTable) and release.secret is not None
    rows = [table.frame.row(int(at)) if at >= 0 else ([], []) for at in release.secret.rows()]
    return [dict(zip(*row, strict=True)) for row in rows]


def test_a_term_that_all_have_is_published_as_it_is() -> None:
    # The first sense of "automobile" is called "car" in WordNet.
    assert published(["automobile"] * 3, k=3) == [{"automobile": 1.0}] * 3


def test_a_term_that_one_member_has_is_published_as_what_is_above() -> None:
    (first, *_) = published(["dachshund apple", "beagle apple", "poodle apple"], k=3)
    assert first["apple"] == 0.5
    assert not {"dachshund", "beagle", "poodle"} & set(first)


def test_a_term_without_a_partner_in_a_shorter_document_is_not_published() -> None:
    (first, second) = published(["dog oboe", "dog"], k=2)
    assert first == second == {"dog": pytest.approx(0.75)}


def test_words_outside_wordnet_are_published_only_where_all_share_them() -> None:
    rows = published(["zorbulon dog secretname", "zorbulon dog othername"], k=2, unknown="keep")
    assert rows == [{"dog": pytest.approx(1 / 3), "zorbulon": pytest.approx(1 / 3)}] * 2


def test_terms_that_come_to_one_node_are_published_once_with_the_sum_of_their_weights() -> None:
    (first, _) = published(["lion oboe", "truth jealousy"], k=2)
    assert sum(first.values()) == pytest.approx(1.0)
    assert len(first) == len(set(first))


def test_documents_without_terms_are_withheld() -> None:
    assert published(["dog", "dog", "", "the of"], k=2)[2:] == [{}, {}]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_groups_have_k_to_2k_minus_1_documents(k: int) -> None:
    rows = published(some_texts(17, seed=9), k)
    sizes = np.unique([str(sorted(row.items())) for row in rows], return_counts=True)[1]
    assert k <= sizes.min() and (sizes.max() <= 2 * k - 1 or len(sizes) < 17 // (2 * k - 1))


def test_two_documents_of_an_author_are_never_two_people() -> None:
    original = vectors(["dog cat", "dog cat", "lion tiger", "lion tiger"], owners=[0, 0, 1, 1])
    rows = of_original(original, k=2)
    for row in rows:
        behind = {int(owner) for owner, other in zip(original.vectors.owners, rows, strict=True) if other == row}
        assert behind == {0, 1}

"""Texts become vectors: which words are terms, how they weigh, and what is counted of the others."""

from __future__ import annotations

from helpers.documents import vectors
from helpers.errors import refuses
from shoal.data.original import DocumentOriginal


def weighted(original: DocumentOriginal, document: int) -> dict[str, float]:
    start, end = original.vectors.indptr[document : document + 2]
    names = [original.vectors.vocabulary[item] for item in original.vectors.items[start:end].tolist()]
    return dict(zip(names, original.weights[start:end].tolist(), strict=True))


def test_weights_are_shares_of_all_terms_also_of_those_that_are_cut_off() -> None:
    original = vectors(["dog dog dog cat cat horse"], terms=2)
    assert weighted(original, 0) == {"dog": 3 / 6, "cat": 2 / 6}
    assert original.less_frequent == 1


def test_of_equally_frequent_terms_the_first_by_name_are_taken() -> None:
    assert weighted(vectors(["tiger lion horse"], terms=2), 0) == {"horse": 1 / 3, "lion": 1 / 3}


def test_forms_of_a_noun_are_one_term() -> None:
    assert weighted(vectors(["Mice mouse MOUSE mice"]), 0) == {"mouse": 1.0}


def test_every_word_is_counted() -> None:
    # "the" and "of" are stop words, "ox" is a noun of two letters, "a" a single letter, "zorbulon" no word.
    original = vectors(["The dog of a Dog, dogs ox zorbulon"])
    assert original.words.as_dict() == {
        "in": 8,
        "unchanged": 1,
        "lower-cased": 1,
        "under another name": 1,
        "dropped: not in the taxonomy": 1,
        "dropped: stop words": 2,
        "dropped: words shorter than 3 letters": 2,
    }


def test_words_outside_wordnet_are_kept_on_request() -> None:
    original = vectors(["dog Zorbulon zorbulon"], unknown="keep")
    assert weighted(original, 0) == {"dog": 1 / 3, "zorbulon": 2 / 3}
    assert original.words["not in the taxonomy"] == 2
    assert (original.places < 0).tolist() == [original.vectors.vocabulary[i] == "zorbulon" for i in range(2)]


def test_words_outside_wordnet_can_be_refused_without_naming_them() -> None:
    with refuses("terms-not-in-taxonomy") as refused:
        vectors(["dog zorbulon zorbulon"], unknown="refuse")
    assert "zorbulon" not in str(refused.value)


def test_texts_without_a_term_stay_as_documents_without_terms() -> None:
    original = vectors(["", "the of and", "dog"])
    assert original.vectors.lengths.tolist() == [0, 0, 1]
    assert original.to_account() == {"records": 3, "terms": 1}

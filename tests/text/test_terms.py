import numpy as np
import polars as pl
import pytest

from shoal.text.terms import STOP_WORDS, Terms, is_stop_word, terms_of


def words(terms: Terms) -> list[list[str]]:
    names = terms.vocabulary.names.to_list()
    spans = zip(terms.indptr[:-1], terms.indptr[1:], strict=True)
    return [[names[i] for i in terms.items[a:b]] for a, b in spans]


def test_words_in_lower_case_and_in_their_order() -> None:
    found = terms_of(pl.Series(["Red APPLES, green apples", "apples2 red"]))
    assert words(found) == [["red", "apples", "green", "apples"], ["apples2", "red"]]
    assert len(found) == 2
    assert found.indptr.dtype == np.int64
    assert found.items.dtype == np.int32


def test_function_words_web_noise_and_single_letters_go_and_are_counted() -> None:
    found = terms_of(pl.Series(["The cat in a hat", "www.hats.com", "who is it", "vitamin c"]))
    assert words(found) == [["cat", "hat"], ["hats"], [], ["vitamin"]]
    assert found.stopped == 3 + 2 + 3 + 1
    assert sorted(found.vocabulary.names) == ["cat", "hat", "hats", "vitamin"]


def test_stop_words_stay_when_asked_for() -> None:
    found = terms_of(pl.Series(["the cat in a hat"]), keep_stop_words=True)
    assert words(found) == [["the", "cat", "in", "hat"]]
    assert found.stopped == 1


def test_texts_without_words() -> None:
    found = terms_of(pl.Series([None, "", " -- ", "dog"], dtype=pl.String))
    assert words(found) == [[], [], [], ["dog"]]
    assert words(terms_of(pl.Series([], dtype=pl.String))) == []


def test_apostrophes_leave_no_words() -> None:
    assert words(terms_of(pl.Series(["children's books don't", "children’s books don’t"]))) == [
        ["children", "books"],
        ["children", "books"],
    ]


def test_punctuation_beyond_ascii_splits_words() -> None:
    texts = ["“mice”—traps", "hot\u3000dog", "red\u00a0wine…white", "a\u2028line\u00abquoted\u00bb"]
    assert words(terms_of(pl.Series(texts))) == [
        ["mice", "traps"],
        ["hot", "dog"],
        ["red", "wine", "white"],
        ["line", "quoted"],
    ]


def test_letters_beyond_ascii_stay_in_words() -> None:
    texts = ["Café Noir", "Cafe\u0301 noir", "ＨＯＴＤＯＧ", "ÜBER größe", "北京 hotel", "привет"]
    assert words(terms_of(pl.Series(texts))) == [
        ["café", "noir"],
        ["café", "noir"],
        ["hotdog"],
        ["über", "größe"],
        ["北京", "hotel"],
        ["привет"],
    ]


def test_many_chunks_read_like_one() -> None:
    parts = [
        pl.Series(["red wine", "white"]),
        pl.Series(["wine glass"]),
        pl.Series([None, "a b"], dtype=pl.String),
    ]
    chunked = pl.concat(parts, rechunk=False)
    assert chunked.n_chunks() == 3
    assert words(terms_of(chunked)) == [["red", "wine"], ["white"], ["wine", "glass"], [], []]


def test_every_function_word_that_wordnet_calls_a_noun_is_stopped() -> None:
    suspects = [
        "a",
        "an",
        "as",
        "at",
        "be",
        "by",
        "does",
        "he",
        "i",
        "in",
        "it",
        "may",
        "me",
        "no",
        "or",
        "us",
        "who",
        "will",
    ]
    assert is_stop_word(pl.Series(suspects)).all()
    assert not is_stop_word(pl.Series(["dog", "music", "house", "car", "map", "weather", "school"])).any()


def test_stop_words_can_be_met_in_a_text() -> None:
    assert all(word == word.lower() and word.isalnum() and word.isascii() for word in STOP_WORDS)


def test_pieces_of_a_long_log_give_the_terms_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pl.Series([f"word{i % 7} the other{i % 5} naïve" if i % 3 else None for i in range(50)])
    whole = terms_of(texts)
    monkeypatch.setattr("shoal.text.terms.AT_ONCE", 8)
    parts = terms_of(texts)
    assert words(parts) == words(whole)
    assert parts.vocabulary.names.to_list() == whole.vocabulary.names.to_list()
    assert parts.stopped == whole.stopped == sum(1 for i in range(50) if i % 3)

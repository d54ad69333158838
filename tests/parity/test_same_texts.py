"""Kernels that tell which texts are the same, against lists and sets of texts."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import twins
from shoal import _kernels, kernels
from shoal.data.bags import join_words

SOME = settings(deadline=None, max_examples=100)

WORDS = ["a", "b", "ab", "longer than twelve bytes".replace(" ", "-"), "ä"]
some_texts = st.lists(st.text("abä ", max_size=18), max_size=60)


def stream(texts: list[str]) -> object:
    return pl.Series(texts, dtype=pl.String).__arrow_c_stream__()


@SOME
@given(st.lists(st.lists(st.integers(-1, len(WORDS) - 1), max_size=5), max_size=80))
def test_texts_are_joined_from_words_and_numbered_by_first_appearance(rows: list[list[int]]) -> None:
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    ids = np.array([word for row in rows for word in row], np.int32)
    texts, numbers = join_words(pl.Series(WORDS), indptr, ids)
    expected = [" ".join(WORDS[word] for word in row if word >= 0) for row in rows]
    assert numbers.tolist() == twins.first_appearance(expected)
    assert texts.to_list() == list(dict.fromkeys(expected))


@SOME
@given(some_texts, st.integers(1, 30))
def test_joined_texts_are_in_columns_of_so_many_bytes(texts: list[str], most_bytes: int) -> None:
    names = list(dict.fromkeys(texts))
    ids = np.array([names.index(text) for text in texts], np.int32)
    _, columns = kernels.run(_kernels.joined_texts, stream(names), np.arange(len(ids) + 1), ids, most_bytes)
    parts = [pl.Series(column).to_list() for column in columns]
    assert [text for part in parts for text in part] == names
    assert all(len(part) == 1 or sum(len(text.encode()) for text in part) <= most_bytes for part in parts)


def test_words_without_a_name_are_refused() -> None:
    with pytest.raises(ValueError, match="name"):
        join_words(pl.Series(["a"]), np.array([0, 1]), np.array([1], np.int32))


@SOME
@given(some_texts, some_texts)
def test_texts_among_others_are_found(texts: list[str], others: list[str]) -> None:
    found = kernels.run(_kernels.texts_among, stream(texts), stream(others))
    assert found.tolist() == [text in set(others) for text in texts]


def test_many_texts_among_many() -> None:
    texts, others = [f"{'long ' * (i % 6)}{i}" for i in range(9_000)], [f"{'long ' * (i % 6)}{i}" for i in range(0, 12_000, 3)]
    found = kernels.run(_kernels.texts_among, stream(texts), stream(others))
    assert found.tolist() == [i % 3 == 0 for i in range(9_000)]

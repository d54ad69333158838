"""The interner and its view of Arrow strings, against dictionaries and regular expressions."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import twins
from shoal import _kernels
from shoal.data.bags import number_pieces

SOME = settings(deadline=None, max_examples=80)

texts = st.lists(st.none() | st.text(max_size=20), max_size=12)
WORD = re.compile(rb"[A-Za-z0-9\x80-\xff]+")


def encoded(interner: _kernels.Interner, strings: object) -> list[int]:
    return interner.encode(strings.__arrow_c_stream__(), _kernels.Task()).tolist()  # type: ignore[attr-defined]


def numbers(batches: list[list[str | None]]) -> tuple[list[list[int]], list[str]]:
    known: dict[str, int] = {}
    coded = [[-1 if s is None else known.setdefault(s, len(known)) for s in batch] for batch in batches]
    return coded, list(known)


@SOME
@given(st.lists(texts, max_size=4))
def test_strings_are_numbered_by_first_appearance_over_batches(batches: list[list[str | None]]) -> None:
    interner = _kernels.Interner()
    found = [encoded(interner, pl.Series(batch, dtype=pl.String)) for batch in batches]
    expected, names = numbers(batches)
    assert found == expected
    assert interner.strings() == names
    assert len(interner) == len(names)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@SOME
@given(texts, st.integers(0, 3))
def test_every_arrow_form_of_strings(kind: pa.DataType, strings: list[str | None], skip: int) -> None:
    """Also slices, whose buffers begin before their first string, and chunks."""
    array = pa.array(["padding", None, "longer padding than twelve", *strings], kind)[skip:]
    chunked = pa.chunked_array([array, array[:1]])
    values = chunked.to_pylist()
    assert encoded(_kernels.Interner(), chunked) == numbers([values])[0][0]


def test_many_strings_make_the_table_grow() -> None:
    strings = [f"{'long ' * (i % 5)}{i}" for i in range(5_000)]
    interner = _kernels.Interner()
    assert encoded(interner, pl.Series(strings + strings[::-1])) == [*range(5_000), *range(4_999, -1, -1)]
    assert interner.strings() == strings


def test_empty_strings_and_nulls_are_not_the_same() -> None:
    interner = _kernels.Interner()
    assert encoded(interner, pl.Series(["", None, "a", ""])) == [0, -1, 1, 0]
    assert encoded(interner, pl.Series([None], dtype=pl.String)) == [-1]
    assert encoded(interner, pl.Series([], dtype=pl.String)) == []


def test_what_is_no_column_of_strings_is_refused() -> None:
    with pytest.raises(ValueError, match="column of strings"):
        encoded(_kernels.Interner(), pl.Series([1, 2]))


@SOME
@given(texts, st.integers(0, 4))
def test_words(strings: list[str | None], shortest: int) -> None:
    interner = _kernels.Interner()
    stream = pl.Series(strings, dtype=pl.String).__arrow_c_stream__()
    indptr, ids = interner.words(stream, shortest, False, 2, _kernels.Task())
    words = [[w for w in WORD.findall((s or "").encode()) if len(w) >= shortest] for s in strings]
    flat = [word for record in words for word in record]
    assert indptr.tolist() == [sum(map(len, words[:i])) for i in range(len(words) + 1)]
    assert ids.tolist() == twins.first_appearance(flat)
    assert [s.encode() for s in interner.strings()] == list(dict.fromkeys(flat))


@SOME
@given(st.lists(st.none() | st.text("ab ä", max_size=20), max_size=12), st.sampled_from(" a"))
def test_pieces(strings: list[str | None], separator: str) -> None:
    indptr, numbers, names = number_pieces(pl.Series(strings, dtype=pl.String), separator)
    pieces = [[piece for piece in (s or "").split(separator) if piece] for s in strings]
    flat = [piece for record in pieces for piece in record]
    assert indptr.tolist() == [sum(map(len, pieces[:i])) for i in range(len(pieces) + 1)]
    assert numbers.tolist() == twins.first_appearance(flat)
    assert names.to_list() == list(dict.fromkeys(flat))


@SOME
@given(st.lists(texts, max_size=4), st.integers(1, 40), st.integers(0, 2))
def test_texts_of_columns_are_numbered_and_returned_in_columns(batches: list[list[str | None]], most_bytes: int, skip: int) -> None:
    interner = _kernels.Interner()
    filled = [[s or "" for s in batch] for batch in batches]
    columns = [_kernels.TextColumn(pl.Series(batch, dtype=pl.String).__arrow_c_stream__()) for batch in filled]
    places = [np.arange(min(skip, len(batch)), len(batch)) for batch in filled]
    found = [_kernels.encode_texts(interner, *given, _kernels.Task()).tolist() for given in zip(columns, places, strict=True)]
    expected, names = numbers([batch[skip:] for batch in filled])
    assert found == expected
    returned = [pl.Series(column).to_list() for column in _kernels.text_columns(interner, most_bytes)]
    assert [name for part in returned for name in part] == names
    assert all(len(part) == 1 or sum(len(name.encode()) for name in part) <= most_bytes for part in returned)


def test_words_are_numbered_alike_by_any_number_of_threads() -> None:
    texts = pl.Series([f"w{i * 7919 % 5000} w{i % 11} x" for i in range(20_000)])
    answers = []
    for threads in (1, 2, 3):
        interner = _kernels.Interner()
        indptr, ids = interner.words(texts.__arrow_c_stream__(), 1, False, threads, _kernels.Task())
        answers.append((indptr.tolist(), ids.tolist(), interner.strings()))
    flat = [word for text in texts for word in text.split()]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][1] == twins.first_appearance(flat)
    assert answers[0][2] == list(dict.fromkeys(flat))


def test_words_in_small_letters_are_so_within_ascii() -> None:
    interner = _kernels.Interner()
    interner.words(pl.Series(["Ab AB ab É1 Zz"]).__arrow_c_stream__(), 1, True, 1, _kernels.Task())
    assert interner.strings() == ["ab", "É1", "zz"]


@SOME
@given(st.lists(st.none() | st.text(max_size=20) | st.text("abc\x7f\x80é", max_size=30), max_size=12))
def test_strings_beyond_ascii_are_found(strings: list[str | None]) -> None:
    found = _kernels.beyond_ascii(pl.Series(strings, dtype=pl.String).__arrow_c_stream__(), _kernels.Task())
    assert found.tolist() == [at for at, text in enumerate(strings) if text is not None and not text.isascii()]

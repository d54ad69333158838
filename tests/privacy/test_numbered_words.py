"""Texts as numbers of words, as the judge of thresholds compares them, against plain Python."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.privacy.evidence.numbered_words import Sequences, different_pairs, places_of_equals, spelled

BLANKS = [" ", "  ", "\t", "\u3000", "\n "]
texts = st.lists(
    st.tuples(
        st.sampled_from(["", *BLANKS]), st.lists(st.tuples(st.sampled_from(["a", "b", "ab", "ä", "-"]), st.sampled_from(BLANKS)))
    ).map(lambda drawn: drawn[0] + "".join(word + blank for word, blank in drawn[1])),
    max_size=8,
)


def sequences(rows: list[list[int]]) -> Sequences:
    sizes = [len(row) for row in rows]
    return Sequences(np.append(0, np.cumsum(sizes)).astype(np.int64), np.array([n for row in rows for n in row], np.int32))


@given(texts, st.booleans())
def test_words_are_what_stands_between_blanks(given_texts: list[str], split: bool) -> None:
    if not split:
        given_texts = list(dict.fromkeys(given_texts))
    found = spelled(pl.Series(given_texts, dtype=pl.String), split=split)
    words = found.words.to_list()
    assert len(set(words)) == len(words)
    for i, text in enumerate(given_texts):
        own = [words[n] for n in found.texts.numbers[found.texts.starts[i] : found.texts.starts[i + 1]]]
        assert own == (text.split() if split else [text])
        if split:
            assert found.odd[i] == (text != " ".join(text.split()))


@given(st.data())
def test_equal_sequences_are_found(data: st.DataObject) -> None:
    row = st.lists(st.integers(0, 4), max_size=12)
    asked = data.draw(st.lists(row, max_size=12))
    shown = data.draw(st.lists(row, max_size=12, unique_by=tuple))
    shown = list({tuple(one): one for one in [*shown, *asked[:3]]}.values())
    found = places_of_equals(sequences(asked), sequences(shown))
    assert found.tolist() == [shown.index(one) if one and one in shown else -1 for one in asked]


@given(st.lists(st.lists(st.integers(-2, 3), max_size=4), max_size=12))
def test_incomplete_sequences_have_a_negative_number(rows: list[list[int]]) -> None:
    assert sequences(rows).incomplete().tolist() == [any(n < 0 for n in row) for row in rows]


@given(st.lists(st.tuples(st.sampled_from([0, 1, 2**40]), st.sampled_from([0, 3, 2**30]))))
def test_different_pairs_are_sorted(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1))
    found = different_pairs(first, second)
    assert list(zip(found[0].tolist(), found[1].tolist(), strict=True)) == sorted(set(pairs))

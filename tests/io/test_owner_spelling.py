"""Names of owners without their spelling, against a plain twin: most are numbers, which are left as they are, and the others are not."""

from __future__ import annotations

import re
import unicodedata

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.io.read.columns import folded


def plainly(name: str) -> str:
    spaced = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", name).lower()).strip()
    number = re.fullmatch(r"\+?0*(\d+?)(?:\.0*)?", spaced)
    return number[1] if number else spaced


@given(st.lists(st.text("0012.+ aAé１ﬁ\n", max_size=8) | st.integers(0, 10**12).map(str), max_size=12))
def test_names_without_their_spelling(names: list[str]) -> None:
    given_names = pl.Series(names, dtype=pl.String)
    assert folded(given_names).to_list() == [plainly(name) for name in names]
    assert given_names.to_list() == names


def test_numbers_that_are_written_in_one_way_stay() -> None:
    assert folded(pl.Series(["7", "07", "7.0", "+7", "0", "00", "12 ", "1e3"])).to_list() == ["7", "7", "7", "7", "0", "0", "12", "1e3"]

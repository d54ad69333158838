"""The words of different texts: what stands between blanks, just as it was typed."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.log import PlainTerms, whole_items

_ODD_BLANKS = r"^\s|\s$|\s\s|[^\S ]"


def words_of(texts: pl.Series) -> PlainTerms:
    """The words of each text in their order, numbered. Between words stands one blank, and none at the ends."""
    lists = texts.str.split(" ")
    sizes = lists.list.len().to_numpy().astype(np.int64)
    words, empty = lists.explode(), (texts == "").to_numpy()
    if empty.any():  # an empty text splits into one empty word
        words, sizes = words.filter(words != ""), np.where(empty, 0, sizes)
    found = whole_items(words)
    return PlainTerms(np.append(0, np.cumsum(sizes)), found.items, found.vocabulary)


def n_words(texts: pl.Series) -> int:
    """How many words all texts have together."""
    return int(texts.str.count_matches(r"\S+").sum())


def with_single_blanks(texts: pl.Series) -> pl.Series:
    """The texts with one blank between words, and none at the ends."""
    odd = texts.str.contains(_ODD_BLANKS)
    if not odd.any():
        return texts
    plain = texts.filter(odd).str.replace_all(r"\s+", " ").str.strip_chars()
    return texts.clone().scatter(odd.arg_true(), plain)  # in place: the texts that were given stay as they are

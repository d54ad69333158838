"""Domains of web sites as one term: *ebay com*, *www.ebay.com* and *http://www.ebay.com/* are *ebay.com*.

A word directly before com, org, edu, gov or co uk is one domain with it. Before net this holds after www only, since a net is a thing.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Ints, Small
from shoal.text.joined_words import Joins, Mask, leftmost, same_text

ENDINGS = ("com", "org", "edu", "gov")
AFTER_WWW = "net"
WWW = ("www", "www1", "www2", "ww", "wwww")
TWO_PARTS = ("co", "uk")
SEPARATOR = "."


class DomainFinder:
    """Finds domains in texts. A domain begins with a word that is a term by itself."""

    def __init__(self) -> None:
        self._kind = np.zeros(0, np.int8)
        self._term = np.zeros(0, bool)

    def learn_words(self, words: pl.Series, are_terms: Mask) -> None:
        """Look up further words, in lower case, and which of them are terms; their numbers follow those of earlier ones."""
        kinds = {**dict.fromkeys(ENDINGS, 1), AFTER_WWW: 2, **dict.fromkeys(WWW, 3), TWO_PARTS[0]: 4, TWO_PARTS[1]: 5}
        kind = words.replace_strict(list(kinds), list(kinds.values()), default=0, return_dtype=pl.Int8).to_numpy()
        self._kind = np.concatenate([self._kind, kind])
        self._term = np.concatenate([self._term, are_terms])

    def find(self, indptr: Ints, items: Small) -> Joins:
        """Return the domains of these texts."""
        kind, term, follows = self._kind[items], self._term[items], same_text(indptr)
        before, second, third = _shifted(kind, 1), _shifted(kind, -1), _shifted(kind, -2)
        has_second, has_third = _shifted(follows, -1), _shifted(follows, -2)
        short = term & has_second & ((second == 1) | ((second == 2) & follows & (before == 3)))
        long = term & has_second & has_third & (second == 4) & (third == 5)
        starts = np.flatnonzero(short | long)
        return leftmost(starts, np.where(long[starts], 3, 2).astype(np.int64))


def _shifted(values: np.ndarray[tuple[int], np.dtype[np.generic]], by: int) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
    """Return the values `by` places later (or earlier, if negative); zero where there is none."""
    moved = np.zeros_like(values)
    if by > 0:
        moved[by:] = values[:-by]
    elif by < 0:
        moved[:by] = values[-by:]
    return moved

"""Documents for tests: texts of known words, the vectors they give, and plain twins of what the kernels compute on them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import polars as pl

from shoal.data.original import DocumentOriginal
from shoal.taxonomy.place_documents import document_vectors
from shoal.taxonomy.place_terms import Unknown

# The report's Table 2.1: four documents with frequencies in tenths, and what is published for each with k = 2.
TABLE_2_1 = [
    {"keyboard": 3, "laptop": 4, "software": 3},
    {"horse": 7, "dog": 2, "cat": 1},
    {"hardware": 3, "screen": 3, "computer": 4},
    {"lion": 5, "monkey": 3, "tiger": 2},
]
PUBLISHED_2_1 = [
    {"abstraction": 0.3, "computer": 0.4, "instrumentality": 0.3},
    {"big_cat": 0.3, "carnivore": 0.2, "placental": 0.5},
] * 2

NOUNS = (
    *("dog", "cat", "horse", "lion", "tiger", "cow", "sheep", "computer", "keyboard", "laptop"),
    *("screen", "printer", "apple", "pear", "bread", "cheese", "car", "bus", "train", "river"),
)


def text_of(counts: Mapping[str, int]) -> str:
    """A text in which each word occurs so often."""
    return " ".join(word for word, n in counts.items() for _ in range(n))


def some_texts(n: int, seed: int = 0, words: int = 12) -> list[str]:
    """Texts of random nouns, some oftener than others."""
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(NOUNS, words)) for _ in range(n)]


def vectors(texts: Sequence[str], owners: Sequence[int] | None = None, terms: int = 50, unknown: Unknown = "drop") -> DocumentOriginal:
    """The original of these texts; each is its own owner's where nothing else is said."""
    people = np.arange(len(texts)) if owners is None else np.array(owners, np.int64)
    return document_vectors(pl.Series(texts, dtype=pl.String), people, terms, unknown)


def json_lines(texts: Sequence[str], **columns: Sequence[object]) -> str:
    """Documents with an id, and perhaps further columns."""
    rows = [{"id": f"d{n}", "text": text, **{name: held[n] for name, held in columns.items()}} for n, text in enumerate(texts)]
    return "".join(json.dumps(row) + "\n" for row in rows)


# -- twins


def plain_level(above: Sequence[Sequence[int]], node: int) -> int:
    """The number of nodes on the longest path down to a node."""
    return 1 + max((plain_level(above, one) for one in above[node]), default=0)


def plain_upwards(above: Sequence[Sequence[int]], node: int) -> set[int]:
    """A node and all above it, by every path."""
    return {node}.union(*(plain_upwards(above, one) for one in above[node]))


def plain_similarity(above: Sequence[Sequence[int]], left: Sequence[int], right: Sequence[int]) -> Fraction:
    """Wu and Palmer's similarity, the largest over all pairs of senses: the common node of a pair is the deepest."""
    best = Fraction(0)
    for a, b in itertools.product(left, right):
        common = plain_upwards(above, a) & plain_upwards(above, b)
        deepest = max((plain_level(above, node) for node in common), default=0)
        best = max(best, Fraction(2 * deepest, plain_level(above, a) + plain_level(above, b)))
    return best


def plain_matching(similarity: Sequence[Sequence[Fraction]]) -> Fraction:
    """The largest sum of a one-to-one matching, by trying all."""
    rows, columns = len(similarity), len(similarity[0])
    if rows > columns:
        return plain_matching(list(zip(*similarity, strict=True)))
    return max(
        sum((similarity[i][j] for i, j in enumerate(chosen)), Fraction(0)) for chosen in itertools.permutations(range(columns), rows)
    )

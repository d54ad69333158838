"""Concepts of queries: words, and phrases that people also ask as queries of their own, each with a weight.

Many rare queries refine a more general one: *green tea kyoto* refines *green tea*. So a run of adjacent words is a concept if at least two
people asked exactly these words as a query, and every single word is one. A concept weighs more, the more people asked it as a query: the
number of binary digits of their number, at least 1 for a word, and times the number of words for a phrase. So a word such as *the*, which
nobody asks alone, weighs little, however frequent it is. Weights are whole numbers, so nothing is rounded.

Words are separated by blanks and compared character by character, except that the capital letters A to Z are equal to a to z.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase

import numpy as np
import polars as pl

from shoal.data.bags import Ints, number_strings
from shoal.data.log import PlainTerms
from shoal.data.query_units import with_single_blanks, words_of
from shoal.util.numbers import distinct, distinct_pairs

FEWEST_PEOPLE = 2  # who ask a phrase as a query of its own
_POWERS = 2 ** np.arange(62)


@dataclass(frozen=True, eq=False)
class Queries:
    """The different queries of a log: `words` of each, `of_text` the query of each different text (-1 for one without a word)."""

    words: PlainTerms
    of_text: Ints

    def __len__(self) -> int:
        return len(self.words.indptr) - 1

    @classmethod
    def of(cls, texts: pl.Series) -> Queries:
        """Compare different texts by their words, without the case of the letters A to Z."""
        plain = with_single_blanks(texts).str.replace_many(list(ascii_uppercase), list(ascii_lowercase))
        filled = (plain != "").to_numpy()
        names, numbers = number_strings(plain.filter(pl.Series(filled)))
        of_text = np.full(len(texts), -1, np.int64)
        of_text[filled] = numbers
        return cls(words_of(names), of_text)


@dataclass(frozen=True, eq=False)
class Concepts:
    """The concepts of queries as different pairs: query `queries[i]` has the concept `numbers[i]`; `weights` of all concepts.

    Pairs are sorted. Concepts below `n_words` are single words.
    """

    queries: Ints
    numbers: Ints
    weights: Ints
    n_queries: int
    n_words: int

    @classmethod
    def of(cls, words: PlainTerms, people: Ints, longest: int) -> Concepts:
        """Find the concepts of different queries, each asked by this many people; phrases have at most `longest` words."""
        starts, typed, n_words = words.indptr, words.items.astype(np.int64), len(words.vocabulary)
        sizes = np.diff(starts)
        query = np.repeat(np.arange(len(sizes)), sizes)
        left = starts[query + 1] - np.arange(len(typed))  # words from here to the end of the query
        alone = _people_of_runs(typed, starts[:-1][sizes == 1], people[sizes == 1], n_words)
        found, weights = [(query, typed)], [binary_digits(np.maximum(alone, 1))]
        here, run, n_concepts = np.arange(len(typed)), typed, n_words
        for length in range(2, longest + 1):
            longer = left[here] >= length
            here = here[longer]
            keys = run[longer] * n_words + typed[here + length - 1]
            different = distinct(keys)
            run = np.searchsorted(different, keys)
            whole = (sizes[query[here]] == length).nonzero()[0]  # a query of this length has one such run
            people_of_runs = _people_of_runs(run, whole, people[query[here[whole]]], len(different))
            phrase = people_of_runs >= FEWEST_PEOPLE
            number, there = n_concepts + np.cumsum(phrase) - 1, phrase[run]
            found.append((query[here[there]], number[run[there]]))
            weights.append(length * binary_digits(people_of_runs[phrase]))
            n_concepts += int(phrase.sum())
        queries, numbers, _ = distinct_pairs(*(np.concatenate(side) for side in zip(*found, strict=True)))
        return cls(queries, numbers, np.concatenate(weights), len(sizes), n_words)


def _people_of_runs(runs: Ints, whole: Ints, people: Ints, n: int) -> Ints:
    """Return the people who asked each of n runs of words as a query: `whole` are the places of the runs that are whole queries."""
    counts = np.zeros(n, np.int64)
    counts[runs[whole]] = people
    return counts


def binary_digits(numbers: Ints) -> Ints:
    """Return the number of binary digits of numbers that are not negative; 0 has none."""
    return np.searchsorted(_POWERS, numbers, side="right").astype(np.int64)

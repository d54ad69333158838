"""Phrases: runs of words that a list has as one term, such as *hot dog*; of several the longest, from left to right.

Words match as they are written, in lower case; the last one may also be another form of the listed word, such as its plural. A phrase
neither begins nor ends with a stop word. Stop words and single letters within it belong to it: *birds of prey*, *x ray*.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from shoal.data.bags import Ints, Small, Vocabulary
from shoal.text.joined_words import Joins, leftmost

NONE = -1


class PhraseList:
    """A list of phrases as a tree of their beginnings.

    Args:
        phrases: The phrases, in lower case with one space between words.
        last_words: Returns for each word the last word of a phrase that it is another form of, null if there is none.
        never_last: Returns which words are no form of a last word, such as stop words; no phrase of the list ends with one.
    """

    def __init__(
        self, phrases: pl.Series, last_words: Callable[[pl.Series], pl.Series], never_last: Callable[[pl.Series], pl.Series]
    ) -> None:
        self._last_words, self._never_last = last_words, never_last
        split = [phrase.split(" ") for phrase in phrases.to_list()]
        self._vocabulary = Vocabulary(sorted({word for words in split for word in words}))
        number = {word: i for i, word in enumerate(self._vocabulary.names.to_list())}
        steps, self.ends = _prefix_tree([[number[word] for word in words] for words in split], len(number))
        self._keys = np.array(sorted(steps), np.int64)
        self._next = np.array([steps[key] for key in self._keys.tolist()], np.int64)

    def codes(self, words: pl.Series) -> tuple[Ints, Ints]:
        """Return the number of each word, and that of the last word that it is another form of; -1 for none."""
        code = self._vocabulary.codes(words).astype(np.int64)
        last = self._vocabulary.codes(self._last_words(words).fill_null("")).astype(np.int64)
        return code, np.where(self._never_last(words).to_numpy(), NONE, last)

    def child(self, state: Ints, word: Ints) -> Ints:
        """Return the state after each word, -1 if no phrase goes on with it."""
        if not len(self._keys):
            return np.full(len(word), NONE, np.int64)
        key = state * len(self._vocabulary) + word
        place = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        return np.where((word >= 0) & (self._keys[place] == key), self._next[place], NONE)


class PhraseFinder:
    """Finds the phrases of a list in texts, whose words are numbered as they come."""

    def __init__(self, phrases: PhraseList) -> None:
        self._list = phrases
        self._code = self._last = np.zeros(0, np.int64)

    def learn_words(self, words: pl.Series) -> None:
        """Look up further words, in lower case; their numbers follow those of earlier ones."""
        code, last = self._list.codes(words)
        self._code, self._last = np.concatenate([self._code, code]), np.concatenate([self._last, last])

    def find(self, indptr: Ints, items: Small) -> Joins:
        """Return the phrases of these texts, whose words are known by number."""
        ends_at = np.repeat(indptr[1:], np.diff(indptr))
        state = self._list.child(np.zeros(len(items), np.int64), self._code[items])
        starts = np.flatnonzero(state >= 0)
        state, longest, alive, depth = state[starts], np.zeros(len(starts), np.int64), np.arange(len(starts)), 1
        while len(alive):
            at = starts[alive] + depth
            inside = at < ends_at[starts[alive]]
            alive, at, state = alive[inside], at[inside], state[inside]
            depth += 1
            other, state = self._list.child(state, self._last[items[at]]), self._list.child(state, self._code[items[at]])
            longest[alive[self._list.ends[other] | self._list.ends[state]]] = depth
            alive, state = alive[state >= 0], state[state >= 0]
        found = longest > 0
        return leftmost(starts[found], longest[found])


def _prefix_tree(phrases: list[list[int]], n_words: int) -> tuple[dict[int, int], np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Return the steps from state and word to the next state, and which states end a phrase; the state -1 ends none."""
    steps: dict[int, int] = {}
    ends: set[int] = set()
    for words in phrases:
        state = 0
        for word in words:
            state = steps.setdefault(state * n_words + word, len(steps) + 1)
        ends.add(state)
    marks = np.zeros(len(steps) + 2, bool)
    marks[list(ends)] = True
    return steps, marks  # the last mark is that of -1

"""People in blocks of similar ones: whoever is to be compared with whom, where all pairs would be too many.

A person's sketch are the few of their queries that the most people ask, and then the few most common of their words. People in the order of
their sketches are cut into blocks, so that those who share a query mostly meet. The cut depends on content alone, neither on threads nor on
the order of arrival.
"""

from __future__ import annotations

import numpy as np

from shoal.data.bags import Ints
from shoal.microaggregation.histories import Histories, ranges
from shoal.microaggregation.query_tree_space import words_of

SKETCH = 8  # queries, and as many words


def blocks_of_people(histories: Histories, size: int) -> list[Ints]:
    """All people in blocks of `size` or a few more, in which each is in rising order; one block where there are fewer."""
    n = max(1, len(histories) // size)
    order = sketch_order(histories) if n > 1 else np.arange(len(histories), dtype=np.int64)
    return [np.sort(block) for block in np.array_split(order, n)]


def sketch_order(histories: Histories) -> Ints:
    """People in the order of their sketches; equals in their own order."""
    person = histories.person
    queries = _sketches(person, histories.text.astype(np.int64), len(histories))
    indptr, words, _ = words_of(histories.texts)
    starts, ends = indptr[histories.text], indptr[histories.text + 1]
    spoken = _sketches(np.repeat(person, ends - starts), words[ranges(starts, ends)].astype(np.int64), len(histories))
    return np.lexsort(np.concatenate([queries, spoken], axis=1).T[::-1])


def _sketches(person: Ints, thing: Ints, people: int) -> Ints:
    """Of each person the things that the most people have, most widely held first; things of one person alone count for none."""
    width = int(thing.max(initial=0)) + 1
    pairs = np.unique(person * width + thing)
    whose, what = pairs // width, pairs % width
    holders = np.bincount(what, minlength=width)
    rank = np.empty(width, np.int64)
    rank[np.lexsort((np.arange(width), -holders))] = np.arange(width)
    shared = holders[what] > 1
    whose, what = whose[shared], rank[what[shared]]
    order = np.lexsort((what, whose))
    whose, what = whose[order], what[order]
    place = np.arange(len(whose)) - np.searchsorted(whose, whose)
    sketch = np.full((people, SKETCH), width, np.int64)
    kept = place < SKETCH
    sketch[whose[kept], place[kept]] = what[kept]
    return sketch

"""The distance of two people as trees of queries, against a plain twin."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

from helpers.queries import APART, clicked_log, edit_distance, random_log, sets_apart
from shoal import _kernels
from shoal.data.log import Log
from shoal.microaggregation.histories import MISSING, Histories
from shoal.microaggregation.query_tree_space import Comparing, Forest, Weights

Click = tuple[int, int]  # rank and host
Query = tuple[str, int, tuple[Click, ...]]


def text_apart(a: str, b: str, comparing: Comparing) -> int:
    if comparing == "letters":
        return edit_distance(a, b) * APART // max(len(a), len(b), 1)
    left, right = set(a.split()), set(b.split())
    return len(left ^ right) * APART // len(left | right)


def value_apart(a: int, b: int) -> int:
    return (0 if a == b else APART) if MISSING in (a, b) else abs(a - b)


class Twin:
    """The same distance from its definition, with equal weights."""

    def __init__(self, histories: Histories, comparing: Comparing) -> None:
        self._h, self._comparing = histories, comparing
        times, ranks = histories.time, histories.rank[histories.rank != MISSING]
        self._times = int(times.min()), max(1, int(times.max() - times.min()))
        self._ranks = int(ranks.min()), max(1, int(ranks.max() - ranks.min()))

    def queries(self, person: int) -> list[Query]:
        h, found = self._h, []
        for q in range(h.starts[person], h.starts[person + 1]):
            clicks = tuple(
                (self._scaled(int(h.rank[c]), self._ranks), self._host(int(h.url[c]))) for c in range(h.clicks[q], h.clicks[q + 1])
            )
            found.append((h.texts[int(h.text[q])], self._scaled(int(h.time[q]), self._times), clicks))
        return found

    @staticmethod
    def _scaled(value: int, scale: tuple[int, int]) -> int:
        return MISSING if value == MISSING else int((value - scale[0]) / scale[1] * APART)

    def _host(self, url: int) -> str:
        return "" if url == MISSING else self._h.urls[url].split("/")[2]

    def distance(self, left: int, right: int) -> int:
        return sets_apart(self.queries(left), self.queries(right), self._query)

    def _query(self, a: Query, b: Query) -> int:
        third = APART // 3
        clicks = sets_apart(
            list(a[2]), list(b[2]), lambda x, y: (APART // 2 * (value_apart(x[0], y[0]) + (0 if x[1] == y[1] else APART))) // APART
        )
        text = text_apart(a[0], b[0], self._comparing)
        return ((APART - 2 * third) * text + third * value_apart(a[1], b[1]) + third * clicks) // APART


@pytest.fixture(params=[True, False], ids=["wide vectors", "plain loops"])
def vectors(request: pytest.FixtureRequest) -> Iterator[None]:
    """With vectors of 32 bytes, where the processor has them, and without."""
    _kernels.use_wide_vectors(request.param)
    yield
    _kernels.use_wide_vectors(True)


@pytest.mark.usefixtures("vectors")
@pytest.mark.parametrize("comparing", ["words", "letters"])
@pytest.mark.parametrize("seed", range(3))
def test_the_distance_is_that_of_the_definition(comparing: Comparing, seed: int) -> None:
    histories = Histories.of(random_log(seed, people=12, rows=60))
    space = Forest(histories, Weights(), comparing, 1000).space(np.arange(len(histories)))
    twin = Twin(histories, comparing)
    for person in range(len(histories)):
        found = space.distances(space.point(person), np.arange(len(histories)))
        assert found.tolist() == [twin.distance(person, other) for other in range(len(histories))]


def test_a_person_is_at_no_distance_to_themselves_and_strangers_lie_apart() -> None:
    histories = Histories.of(clicked_log([(0, 0, "a b", 1, "http://x.org"), (1, 9, "c d", None, None), (2, 0, "a b", 1, "http://x.org")]))
    space = Forest(histories, Weights(time=0), "words", 64).space(np.arange(3))
    for person in range(3):
        assert space.distances(space.point(person), np.array([person])).tolist() == [0]
    assert max(space.distances(space.point(p), np.arange(3)).max() for p in range(3)) == APART


def test_only_what_the_log_has_weighs_something() -> None:
    unclicked = Histories.of(Log(pl.DataFrame({"owner": [0, 1], "payload": ["a b", "a c"]})))
    space = Forest(unclicked, Weights(), "words", 64).space(np.arange(2))
    assert space.distances(space.point(0), np.array([1])).tolist() == [2 * APART // 3]  # one word of three in common
    with pytest.raises(ValueError, match="weights"):
        _kernels.TreeWeights(text=1, time=0, clicks=0, rank=APART, host=0)


def test_bad_trees_are_refused() -> None:
    texts = _kernels.QueryTexts(np.array([0, 1]), np.array([0], np.int32), False)
    small, empty = np.zeros(1, np.int32), np.zeros(0, np.int32)
    good = _kernels.QueryTrees(np.array([0, 1]), small, small, np.array([0, 0]), empty, empty)
    weights = _kernels.TreeWeights(text=APART, time=0, clicks=0, rank=APART, host=0)
    with pytest.raises(ValueError, match="indices"):
        _kernels.ComparedPeople(texts, good, weights).distances(good, np.array([1]), _kernels.Task())
    with pytest.raises(ValueError, match="a person who is there"):
        _kernels.ComparedPeople(texts, good, weights).distances_from(1, np.array([0]), _kernels.Task())
    with pytest.raises(ValueError, match="scale"):
        _kernels.QueryTrees(np.array([0, 1]), small, small + APART + 1, np.array([0, 0]), empty, empty)
    strange = _kernels.QueryTrees(np.array([0, 1]), small + 1, small, np.array([0, 0]), empty, empty)
    with pytest.raises(ValueError, match="texts that are there"):
        _kernels.ComparedPeople(texts, good, weights).distances(strange, np.array([0]), _kernels.Task())
    with pytest.raises(ValueError, match="texts that are there"):
        _kernels.ComparedPeople(texts, strange, weights)

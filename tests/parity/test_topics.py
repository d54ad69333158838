"""The tree of topics against a plain implementation that takes the same steps."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
import pytest

from shoal import _kernels, kernels

DIRECTION_STEPS, EXCHANGES = 6, 10
Vector = list[float]


class Twin:
    """The same sums in the same order, word by word."""

    def __init__(self, rows: list[dict[int, int]], features: int, people: list[int], frequent: list[bool], balance: float):
        self.features, self.people, self.frequent, self.balance = features, people, frequent, balance
        self.rows = [sorted(row.items()) for row in rows]
        lengths = [sum((float(tie) * tie for _, tie in row), 0.0) for row in self.rows]
        self.scale = [1 / sqrt(length) if length > 0 else 0.0 for length in lengths]
        self.parent: list[int] = []
        self.topic = [-1] * len(rows)
        self.titles: list[list[int]] = []
        self.divide([word for word, row in enumerate(self.rows) if row], -1, [])

    def divide(self, words: list[int], above: int, titles: list[int]) -> None:
        number = len(self.parent)
        self.parent.append(above)
        self.titles.append(titles)
        sides = self.sides(words)
        if sides is None:
            for word in words:
                self.topic[word] = number
            return
        for side, along, sign in sides:
            self.divide(side, number, self.titles_of(side, along, sign))

    def sides(self, words: list[int]) -> list[tuple[list[int], Vector, float]] | None:
        if sum(self.frequent[word] for word in words) < 2:
            return None
        side = self.cut(words, self.direction(words))
        along: Vector = []
        for _ in range(EXCHANGES):
            first, second = (self.centre([w for w, s in zip(words, side, strict=True) if s == which]) for which in (False, True))
            along = [b - a for a, b in zip(first, second, strict=True)]
            after = self.cut(words, [self.product(word, along) for word in words])
            if after == side:
                break
            side = after
        left, right = ([w for w, s in zip(words, side, strict=True) if s == which] for which in (False, True))
        if not all(any(self.frequent[word] for word in part) for part in (left, right)):
            return None
        return [(left, along, -1.0), (right, along, 1.0)]

    def product(self, word: int, with_: Vector) -> float:
        total = 0.0
        for feature, tie in self.rows[word]:
            total += tie * with_[feature]
        return total * self.scale[word]

    def added(self, weights: list[tuple[int, float]]) -> Vector:
        found = [0.0] * self.features
        for word, times in weights:
            factor = times * self.scale[word]
            for feature, tie in self.rows[word]:
                found[feature] += factor * tie
        return found

    @staticmethod
    def normalized(values: Vector) -> Vector:
        total = 0.0
        for value in values:
            total += value * value
        return [value / sqrt(total) for value in values] if total > 0 else values

    def centre(self, words: list[int]) -> Vector:
        return self.normalized(self.added([(word, float(self.people[word])) for word in words]))

    def direction(self, words: list[int]) -> Vector:
        middle = self.centre(words)
        near = [self.product(word, middle) for word in words]
        odd = words[near.index(min(near))]
        start = [a - b for a, b in zip(self.added([(odd, 1.0)]), middle, strict=True)]
        along = [self.product(word, start) for word in words]
        for _ in range(DIRECTION_STEPS):
            mean = self.mean(words, along)
            pull = self.added([(word, self.people[word] * (value - mean)) for word, value in zip(words, along, strict=True)])
            turned = self.normalized(pull)
            along = [self.product(word, turned) for word in words]
        mean = self.mean(words, along)
        return [value - mean for value in along]

    def mean(self, words: list[int], values: Vector) -> float:
        total = weight = 0.0
        for word, value in zip(words, values, strict=True):
            total += self.people[word] * value
            weight += self.people[word]
        return total / weight

    def cut(self, words: list[int], along: Vector) -> list[bool]:
        order = sorted(range(len(words)), key=lambda i: (along[i], i))
        everybody = float(sum(self.people[word] for word in words))
        zero = sum(value < 0 for value in along)
        before, least, most = 0.0, 0, 0
        for place, i in enumerate(order):
            before += self.people[words[i]]
            least = place + 1 if before < self.balance * everybody else least
            most = place + 1 if before < (1 - self.balance) * everybody or place == 0 else most
        at = min(max(min(max(zero, min(least, most)), most), 1), len(words) - 1)
        upper = set(order[at:])
        return [i in upper for i in range(len(words))]

    def titles_of(self, words: list[int], along: Vector, sign: float) -> list[int]:
        named = [word for word in words if self.frequent[word]]
        worth = {word: self.product(word, along) * (sign * sqrt(self.people[word])) for word in named}
        return sorted(named, key=lambda word: (-worth[word], word))[:3]


def found_by_kernel(twin: Twin, threads: int) -> tuple[list[int], list[int], list[list[int]]]:
    indptr = np.cumsum([0, *map(len, twin.rows)]).astype(np.int64)
    entries: Any = [entry for row in twin.rows for entry in row]
    features, ties = (np.array([entry[i] for entry in entries], np.int32) for i in (0, 1))
    parent, topic, ptr, title = kernels.run(
        _kernels.topic_tree,
        _kernels.Rows(indptr, features, ties),
        twin.features,
        np.array(twin.people, np.int64),
        np.array(twin.frequent, np.uint8),
        twin.balance,
        3,
        threads,
    )
    return parent.tolist(), topic.tolist(), [title[a:b].tolist() for a, b in pairwise(ptr)]


@pytest.mark.parametrize("seed", range(30))
def test_the_same_tree_as_the_plain_steps(seed: int):
    random = np.random.default_rng(seed)
    words, features = int(random.integers(2, 60)), int(random.integers(1, 12))
    rows = [
        {int(f): int(random.integers(1, 200)) for f in random.choice(features, random.integers(0, min(features, 5) + 1), replace=False)}
        for _ in range(words)
    ]
    people = random.integers(1, 50, words).tolist()
    frequent = (random.random(words) < 0.6).tolist()
    twin = Twin(rows, features, people, frequent, float(random.choice([0.0, 0.2, 0.5])))
    for threads in (1, 2):
        assert found_by_kernel(twin, threads) == (twin.parent, twin.topic, twin.titles)

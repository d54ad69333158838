"""The company of words and the tree of topics against plain implementations that take the same steps."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import floor, sqrt
from typing import Any

import numpy as np
import pytest

from shoal import _kernels, kernels
from shoal.util.numbers import logarithm

DIRECTION_STEPS, EXCHANGES, PASSES = 1, 3, 4
UNIT, STEEP = 1 << 15, 1 << 30
WHOLE = (1 << 64) - 1
Vector = list[float]


class Twin:
    """The same sums in the same order, word by word."""

    def __init__(
        self,
        rows: list[dict[int, int]],
        features: int,
        holders: list[set[int]],
        frequent: list[bool],
        balance: float,
        smallest: int,
        narrow: int,
    ):
        self.features, self.holders, self.frequent = features, holders, frequent
        self.people = [len(held) for held in holders]
        self.balance, self.smallest, self.narrow = balance, smallest, narrow
        self.rows = [sorted(row.items()) for row in rows]
        self.units = [self.unit(row) for row in self.rows]
        self.parent: list[int] = []
        self.topic = [-1] * len(rows)
        self.titles: list[list[int]] = []
        self.divide([word for word, row in enumerate(self.rows) if row], -1, [])

    @staticmethod
    def unit(row: list[tuple[int, int]]) -> list[tuple[int, int]]:
        length = sqrt(sum(tie * tie for _, tie in row))
        return [(feature, floor(tie * float(UNIT) / length + 0.5)) for feature, tie in row]

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

    def sides(self, words: list[int]) -> list[tuple[list[int], list[int], float]] | None:
        small = len(words) <= self.smallest
        if len(words) < 2 or (small and sum(self.frequent[word] for word in words) < 2):
            return None
        side, along = self.apart(words) if sum(self.people[word] for word in words) <= self.narrow else self.by_company(words)
        left, right = ([w for w, s in zip(words, side, strict=True) if s == which] for which in (False, True))
        if small and not all(any(self.frequent[word] for word in part) for part in (left, right)):
            return None
        return [(left, along, -1.0), (right, along, 1.0)]

    def by_company(self, words: list[int]) -> tuple[list[bool], list[int]]:
        side = self.cut(words, self.direction(words))
        along: list[int] = []
        for _ in range(EXCHANGES):
            halves = [[w for w, s in zip(words, side, strict=True) if s == which] for which in (False, True)]
            (first, short), (second, other) = (self.sums(half) for half in halves)
            along = self.settled([b * (1 / other) - a * (1 / short) for a, b in zip(first, second, strict=True)])
            after = self.cut(words, [self.product(word, along) for word in words])
            if after == side:
                break
            side = after
        return side, along

    def apart(self, words: list[int]) -> tuple[list[bool], list[int]]:
        """Each word where its people have fewer words so far; then it moves if that gives them more on the side where they have fewer."""
        order = sorted(words, key=lambda word: (-self.people[word], word))
        side: dict[int, bool] = {}
        for word in order:
            here, there = (sum(self.fewer(side, person, which) for person in self.holders[word]) for which in (False, True))
            held = [sum(self.people[other] for other in side if side[other] is which) for which in (False, True)]
            side[word] = here < there if here != there else held[0] > held[1]
        for _ in range(PASSES):
            before = dict(side)
            for word in order:
                moved = {**side, word: not side[word]}
                if len({*moved.values()}) == 2 and self.evenness(moved) > self.evenness(side):
                    side = moved
            if side == before:
                break
        return [side[word] for word in words], []

    def had(self, side: dict[int, bool], person: int) -> list[int]:
        return [sum(side[word] is which and person in self.holders[word] for word in side) for which in (False, True)]

    def fewer(self, side: dict[int, bool], person: int, which: bool) -> bool:
        had = self.had(side, person)
        return had[which] < had[not which]

    def evenness(self, side: dict[int, bool]) -> int:
        people = set[int]().union(*(self.holders[word] for word in side))
        return sum(min(self.had(side, person)) for person in people)

    def product(self, word: int, along: list[int]) -> int:
        return sum(weight * along[feature] for feature, weight in self.units[word])

    def added(self, times: list[tuple[int, float]]) -> Vector:
        found = [0.0] * self.features
        for word, factor in times:
            for feature, weight in self.units[word]:
                found[feature] += factor * weight
        return found

    def sums(self, words: list[int]) -> tuple[list[int], float]:
        sums = [0] * self.features
        for word in words:
            for feature, weight in self.units[word]:
                sums[feature] += self.people[word] * weight
        total = 0.0
        for value in sums:
            total += float(value) * float(value)
        return sums, sqrt(total) if total > 0 else 1.0

    @staticmethod
    def settled(pull: Vector) -> list[int]:
        largest = max(map(abs, pull))
        times = STEEP / largest if largest > 0 else 0.0
        return [floor(value * times + 0.5) for value in pull]

    def direction(self, words: list[int]) -> list[int]:
        sums, length = self.sums(words)
        middle = [value / length for value in sums]
        along = self.settled(middle)
        near = [self.product(word, along) for word in words]
        pull = [-value for value in middle]
        for feature, weight in self.units[words[near.index(min(near))]]:
            pull[feature] += 1 / UNIT * weight
        places = self.from_mean(words, self.settled(pull))
        for _ in range(DIRECTION_STEPS):
            pull = self.added([(word, float(self.people[word]) * place) for word, place in zip(words, places, strict=True)])
            places = self.from_mean(words, self.settled(pull))
        return places

    def from_mean(self, words: list[int], along: list[int]) -> list[int]:
        places = [self.product(word, along) for word in words]
        total = weight = 0.0
        for word, place in zip(words, places, strict=True):
            total += float(self.people[word]) * place
            weight += self.people[word]
        return [place - floor(total / weight) for place in places]

    def cut(self, words: list[int], along: list[int]) -> list[bool]:
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

    def titles_of(self, words: list[int], along: list[int], sign: float) -> list[int]:
        named = [word for word in words if self.frequent[word]]
        worth = {word: self.product(word, along) * (sign * sqrt(self.people[word])) if along else self.people[word] for word in named}
        return sorted(named, key=lambda word: (-worth[word], word))[:3]


def found_by_kernel(twin: Twin, threads: int) -> tuple[list[int], list[int], list[list[int]]]:
    indptr = np.cumsum([0, *map(len, twin.rows)]).astype(np.int64)
    entries: Any = [entry for row in twin.rows for entry in row]
    features, ties = (np.array([entry[i] for entry in entries], np.int32) for i in (0, 1))
    held = np.array([person for holders in twin.holders for person in sorted(holders)], np.int32)
    parent, topic, ptr, title = kernels.run(
        _kernels.topic_tree,
        _kernels.Rows(indptr, features, ties),
        twin.features,
        _kernels.Rows(np.cumsum([0, *twin.people]).astype(np.int64), held, np.ones_like(held)),
        np.array(twin.frequent, np.uint8),
        _kernels.TopicBounds(balance=twin.balance, smallest=twin.smallest, titles=3, narrow=twin.narrow),
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
    holders = [{*random.choice(50, random.integers(1, 50 if seed % 2 else 8), replace=False).tolist()} for _ in range(words)]
    frequent = (random.random(words) < 0.6).tolist()
    narrow = [0, 40, 10_000][seed % 3]
    twin = Twin(rows, features, holders, frequent, float(random.choice([0.0, 0.2, 0.5])), int(random.choice([1, 6, 100])), narrow)
    for threads in (1, 2):
        assert found_by_kernel(twin, threads) == (twin.parent, twin.topic, twin.titles)


class Met:
    """Words that occur together, counted context by context."""

    def __init__(self, contexts: list[list[int]], owners: list[int], words: int):
        self.contexts, self.owners, self.words = contexts, owners, words
        self.keys = self.of_owners([sum(mixed(word * 7 + 1) for word in context) & WHOLE for context in contexts])

    def of_owners(self, keys: list[int]) -> list[int]:
        whole = {owner: sum(mixed(k) for k, o in zip(keys, self.owners, strict=True) if o == owner) for owner in self.owners}
        return [mixed((whole[owner] + key) & WHOLE) for key, owner in zip(keys, self.owners, strict=True)]

    def ties(self, features: dict[int, int], longest: int, enough: int, strongest: int) -> list[dict[int, int]]:
        usual = [context for context in self.contexts if 1 < len(context) <= longest]
        often = [sum(len(context) - 1 for context in usual if word in context) for word in features]
        return [self.of_word(word, features, often, longest, enough, strongest) for word in range(self.words)]

    def of_word(self, word: int, features: dict[int, int], often: list[int], longest: int, enough: int, most: int) -> dict[int, int]:
        own = [(k, c) for k, c in zip(self.keys, self.contexts, strict=True) if word in c and 1 < len(c) <= longest]
        limit = WHOLE // len(own) * enough if len(own) > enough else WHOLE
        met = Counter(features[other] for key, context in own for other in context if key <= limit and other in features and other != word)
        total = sum(often)
        chance = {f: log(sum(met.values())) + 0.75 * log(often[f]) for f in met}
        ties = {f: floor(32 * (log(n) + log(total) - chance[f] - 0.25 * log(total / len(features))) / log(2)) for f, n in met.items()}
        kept = sorted((f for f in ties if ties[f] > 0), key=lambda f: (-ties[f] * met[f], f))[:most]
        return {f: ties[f] for f in sorted(kept)}


def mixed(x: int) -> int:
    """The finalizer of SplitMix64."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & WHOLE
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & WHOLE
    return x ^ (x >> 31)


def log(number: float) -> float:
    return float(logarithm(number))


@pytest.mark.parametrize("seed", range(10))
def test_the_same_company_as_by_counting_pairs(seed: int):
    random = np.random.default_rng(seed)
    words, n = int(random.integers(3, 30)), int(random.integers(5, 60))
    contexts = [sorted(random.choice(words, random.integers(0, min(words, 6)), replace=False).tolist()) for _ in range(n)]
    owners = random.integers(0, 12, n).astype(np.int64)
    features = {word: f for f, word in enumerate(sorted(random.choice(words, words // 2 + 1, replace=False).tolist()))}
    bounds = {"longest": 4, "enough": 3 if seed % 2 else 1000, "strongest": 3 if seed % 3 else 1000}
    indptr = np.cumsum([0, *map(len, contexts)]).astype(np.int64)
    rows = _kernels.Rows(indptr, np.array([word for context in contexts for word in context], np.int32), np.ones(indptr[-1], np.int32))
    feature = np.array([features.get(word, -1) for word in range(words)], np.int32)
    fingerprints, wanted = np.arange(words, dtype=np.int64) * 7, (np.arange(words) % 5 > 0).astype(np.uint8)
    expected = Met(contexts, owners.tolist(), words).ties(features, **bounds)
    for threads in (1, 2):
        kept = _kernels.CompanyBounds(features=len(features), **bounds, smoothing=0.75, units=32)
        found = kernels.run(_kernels.company, rows, owners, fingerprints, feature, wanted, kept, threads)
        by_word = [dict(zip(found[1][a:b].tolist(), found[2][a:b].tolist(), strict=True)) for a, b in pairwise(found[0])]
        assert by_word == [ties if wanted[word] else {} for word, ties in enumerate(expected)]


@pytest.mark.parametrize("seed", range(10))
def test_the_people_of_each_word_are_those_of_all_its_records(seed: int):
    random = np.random.default_rng(seed)
    words, n = int(random.integers(1, 20)), int(random.integers(0, 40))
    records = [sorted(random.choice(words, random.integers(0, min(words, 6) + 1), replace=False).tolist()) for _ in range(n)]
    owners = random.integers(0, 9, n).astype(np.int64) * 1000
    number = random.permutation(words).astype(np.int32)
    indptr = np.cumsum([0, *map(len, records)]).astype(np.int64)
    items = np.array([word for record in records for word in record], np.int32)
    rows = _kernels.Rows(indptr, items, np.ones_like(items))
    begins, people, _ = kernels.run(_kernels.people_of_words, rows, owners, number)
    names = sorted({*owners.tolist()})
    expected = [
        sorted({names.index(int(owner)) for record, owner in zip(records, owners, strict=True) if word in {int(number[i]) for i in record}})
        for word in range(words)
    ]
    assert [people[a:b].tolist() for a, b in pairwise(begins)] == expected

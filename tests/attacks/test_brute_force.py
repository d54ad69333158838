"""Scores of whole blocks of people beside loops that follow the definition word by word."""

from __future__ import annotations

from itertools import pairwise
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import numbered, tree
from shoal import kernels
from shoal.attacks import matching
from shoal.attacks.attacker_view import Owned, People, Scene
from shoal.attacks.matching import Matcher, counted
from shoal.data.bags import Bags

PARENT = [-1, 0, 1, 1, 0, 4, 4, 4]  # two groups below the root, of two and of three
TREE = tree(PARENT)
ITEMS = st.lists(st.integers(0, 7), min_size=1, max_size=4, unique=True)
PUBLISHED = st.lists(st.tuples(ITEMS, st.integers(1, 3)), min_size=1, max_size=6)


def at_or_above(item: int) -> list[int]:
    found = [item]
    while PARENT[found[-1]] >= 0:
        found.append(PARENT[found[-1]])
    return found


def weight(node: int, published: list[tuple[list[int], int]]) -> int:
    """The logarithm of the share of published records that hold this node or one below, counted once for each of these."""
    n = sum(copies for _, copies in published)
    below = sum(copies for items, copies in published for item in items if node in at_or_above(item))
    return round(matching.UNIT * np.log2(n / min(n, max(1, below))))


def score(known: list[int], items: list[int], published: list[tuple[list[int], int]]) -> int:
    lowest = [next((node for node in at_or_above(item) if node in items), None) for item in known]
    return sum(weight(node, published) for node in lowest if node is not None)


def may_be(items: list[int], held: list[int]) -> bool:
    return all(any(node in at_or_above(item) for item in held) for node in items)


def drawn(scores: list[int], theirs: list[int], published: list[tuple[list[int], int]]) -> float:
    best = [row for row, one in enumerate(scores) if one == max(scores)]
    return len(set(best) & set(theirs)) / sum(published[row][1] for row in best)


@settings(max_examples=60)
@given(PUBLISHED, st.lists(ITEMS, min_size=1, max_size=5), st.data())
def test_chances_are_those_of_the_definition(published, people, data):
    records = numbered(TREE, [items for items, _ in published])
    scene = Scene(records, np.array([copies for _, copies in published]), TREE, records)
    rows = [data.draw(st.integers(0, len(published) - 1)) for _ in people]
    held = numbered(TREE, people)
    matcher = Matcher(scene)
    known = [np.sort(np.array(one)) for one in people]
    expected = [[score(one, items, published) for items, _ in published] for one in people]
    (owned,) = matcher.blocks(People(held, np.array(rows)))
    assert owned.found(owned.best(known)).tolist() == [drawn(one, [row], published) for one, row in zip(expected, rows, strict=True)]
    (unknown,) = matcher.blocks(People(held))
    possible = [[row for row, (items, _) in enumerate(published) if may_be(items, one)] for one in people]
    assert lists(unknown.possible.starts, unknown.possible.rows) == possible
    assert unknown.found(unknown.best(known)).tolist() == [
        min(1, drawn(one, fit, [(i, 1) for i, _ in published]) and 1) / copies(one, published)
        for one, fit in zip(expected, possible, strict=True)
    ]


def lists(starts, values) -> list[list[int]]:
    return [values[start:end].tolist() for start, end in pairwise(starts.tolist())]


@settings(max_examples=100)
@given(st.lists(st.tuples(ITEMS, st.integers(1, 3)), max_size=6), st.lists(st.tuples(ITEMS, ITEMS), max_size=5), st.data())
def test_best_matches_are_those_of_the_definition(published, people, data):
    """With items that are known to be absent, with rows that are impossible, and for any number of threads."""
    n = len(published)
    records = numbered(TREE, [items for items, _ in published])
    numbers = np.array([copies for _, copies in published], np.int64)
    scene = Scene(records, numbers, TREE, records)
    rows = st.lists(st.integers(0, n - 1), unique=True, max_size=n) if n else st.just([])
    mine, possible = ([sorted(data.draw(rows)) for _ in people] for _ in range(2))
    limited, lacking = data.draw(st.booleans()), data.draw(st.booleans())
    known, absent = ([np.array(person[i]) for person in people] for i in (0, 1))
    with kernels.using(threads=data.draw(st.integers(1, 3))):
        found = Matcher(scene).best(
            known, absent if lacking else None, owned_by(mine), owned_by(possible) if limited else None, with_rows=True
        )
    found_rows = lists(found.starts, found.rows)
    for person, (items, lacked) in enumerate(people):
        against = [sum(weight(item, published) for item in lacked if item in held) if lacking else 0 for held, _ in published]
        scores = [score(items, held, published) - less for (held, _), less in zip(published, against, strict=True)]
        if limited:
            scores = [one + 1 if row in possible[person] else 0 for row, one in enumerate(scores)]
        top = max(scores) if n and all(scores) else max([0, *scores])
        best = [row for row, one in enumerate(scores) if one == top]
        assert found.top[person] == top
        assert found.copies[person] == numbers[best].sum()
        assert found.among[person] == len(set(best) & set(mine[person]))
        assert found.unfitted[person] == (top == 0)
        assert found_rows[person] == (best if top else [])
        assert found.second[person] == max([0, *(one for one in scores if one != top)])
        assert found.total[person] == sum(one * copies for one, (_, copies) in zip(scores, published, strict=True))
        squares = sum(one * one * copies for one, (_, copies) in zip(scores, published, strict=True))
        assert found.square[person] == pytest.approx(squares, rel=1e-12)


def owned_by(rows: list[list[int]]) -> Owned:
    return Owned(np.cumsum([0, *map(len, rows)]), np.array([row for one in rows for row in one], np.int64))


@settings(max_examples=60)
@given(PUBLISHED, ITEMS, st.data())
def test_known_counts_weigh_more_where_they_are_equal_and_nothing_where_they_are_too_high(published, items, data):
    held = [dict.fromkeys(sorted(one), 0) | {item: data.draw(st.integers(1, 3)) for item in sorted(one)} for one, _ in published]
    known = [data.draw(st.integers(1, 3)) for _ in items]
    indptr = np.cumsum([0, *map(len, held)])
    ids, counts = (np.array([number for row in held for number in part(row)], np.int32) for part in (dict.keys, dict.values))
    records = Bags(indptr, ids, counts, np.arange(len(held)), TREE.names)
    scene = Scene(records, np.array([n for _, n in published]), TREE, records)
    found = Matcher(scene).best([counted(np.array(items), np.array(known))], with_rows=True)
    n = sum(copies for _, copies in published)

    def told(row: dict[int, int], item: int, count: int) -> int:
        above = next((node for node in at_or_above(item)[1:] if node in row), None)
        least = 0 if above is None else weight(above, published)
        if item not in row or row[item] > count:
            return least
        if row[item] < count:
            return max(least, weight(item, published))
        same = sum(copies for (_, copies), other in zip(published, held, strict=True) if other.get(item) == count)
        return max(least, round(matching.UNIT * np.log2(n / same)))

    scores = [sum(told(row, item, count) for item, count in zip(items, known, strict=True)) for row in held]
    assert found.top[0] == max(scores)
    assert lists(found.starts, found.rows)[0] == ([row for row, one in enumerate(scores) if one == max(scores)] if max(scores) else [])


def copies(scores: list[int], published: list[tuple[list[int], int]]) -> int:
    return sum(published[row][1] for row, one in enumerate(scores) if one == max(scores))


@settings(max_examples=40)
@given(PUBLISHED, st.lists(st.tuples(ITEMS, ITEMS), min_size=1, max_size=4))
def test_two_draws_are_the_same_record_as_often_as_they_should(published, halves):
    records = numbered(TREE, [items for items, _ in published])
    scene = Scene(records, np.array([n for _, n in published]), TREE, records)
    matcher = Matcher(scene)
    one, other = (matcher.best([np.sort(np.array(half[i])) for half in halves], with_rows=True) for i in (0, 1))
    for found, (first, second) in zip(one.same(other), halves, strict=True):
        scores = [[score(known, items, published) for items, _ in published] for known in (first, second)]
        best = [{row for row, value in enumerate(line) if value == max(line)} for line in scores]
        both = sum(published[row][1] for row in best[0] & best[1])
        assert found == both / (copies(scores[0], published) * copies(scores[1], published))


def test_blocks_do_not_change_anything(monkeypatch):
    rng = np.random.default_rng(0)
    records = numbered(TREE, [rng.permutation(8)[:3].tolist() for _ in range(9)])
    people = People(records, Owned.one_each(np.arange(9)))
    matcher = Matcher(Scene.of_world(records, TREE))

    def chances() -> list[float]:
        return [
            float(chance)
            for block in matcher.blocks(people)
            for chance in block.found(block.best([people.items(i)[:2] for i in range(block.place.start, block.place.stop)]))
        ]

    whole = chances()
    monkeypatch.setattr(matching, "BLOCK", 2)
    assert chances() == whole


def test_attacks_at_the_same_time_share_an_index_that_nothing_keeps() -> None:
    scene = Scene.of_world(numbered(TREE, [[2], [5]]), TREE)
    first = Matcher.shared(scene)
    assert Matcher.shared(scene) is first
    gone = ref(first)
    del first
    assert gone() is None

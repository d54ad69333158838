"""Scores of whole blocks of people beside loops that follow the definition word by word."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import numbered, tree
from shoal.attacks import matching
from shoal.attacks.attacker_view import Owned, People, Scene
from shoal.attacks.matching import Matcher

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
    scores = matcher.scores([np.sort(np.array(one)) for one in people])
    expected = [[score(one, items, published) for items, _ in published] for one in people]
    assert scores.matrix.toarray().tolist() == expected
    (known,) = matcher.blocks(People(held, np.array(rows)))
    assert known.chance(scores).tolist() == [drawn(one, [row], published) for one, row in zip(expected, rows, strict=True)]
    (unknown,) = matcher.blocks(People(held))
    possible = [[row for row, (items, _) in enumerate(published) if may_be(items, one)] for one in people]
    assert [np.flatnonzero(line).tolist() for line in unknown.possible.toarray()] == possible
    found = unknown.chance(scores).tolist()
    assert found == [
        min(1, drawn(one, fit, [(i, 1) for i, _ in published]) and 1) / copies(one, published)
        for one, fit in zip(expected, possible, strict=True)
    ]


def copies(scores: list[int], published: list[tuple[list[int], int]]) -> int:
    return sum(published[row][1] for row, one in enumerate(scores) if one == max(scores))


@settings(max_examples=40)
@given(PUBLISHED, st.lists(st.tuples(ITEMS, ITEMS), min_size=1, max_size=4))
def test_two_draws_are_the_same_record_as_often_as_they_should(published, halves):
    records = numbered(TREE, [items for items, _ in published])
    scene = Scene(records, np.array([n for _, n in published]), TREE, records)
    matcher = Matcher(scene)
    one, other = (matcher.scores([np.sort(np.array(half[i])) for half in halves]) for i in (0, 1))
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
            for chance in block.chance(matcher.scores([people.items(i)[:2] for i in range(block.place.start, block.place.stop)]))
        ]

    whole = chances()
    monkeypatch.setattr(matching, "BLOCK", 2)
    assert chances() == whole

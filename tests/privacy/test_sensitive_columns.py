"""Models of sensitive columns against brute force on random tables; distances against a linear program of moved earth."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from shoal.data.original import TableOriginal
from shoal.data.release import Release, Secret
from shoal.data.table import Attribute, Table
from shoal.data.tables.rows import RowTable
from shoal.data.value_tree import ValueTree
from shoal.errors import ParameterError
from shoal.privacy import AlphaKAnonymity, LDiversity, TCloseness, XYAnonymity

Rows = list[tuple[int, int, str]]
VALUES = "abcd"
TREE = {"a": "ab", "b": "ab", "c": "cd", "d": "cd", "ab": "all", "cd": "all"}
rows_of_tables = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from(VALUES)), min_size=1, max_size=14)
SOME = settings(deadline=None, max_examples=60)
CLAIM = {"sensitive": ["s"], "columns": ["x", "y"]}


def released(rows: Rows) -> Release:
    return Release({"microdata": RowTable(pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.Int64, "s": pl.String}, orient="row"))})


def classes(rows: Rows) -> list[Counter[str]]:
    found: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for x, y, s in rows:
        found[x, y][s] += 1
    return list(found.values())


@SOME
@given(rows_of_tables, st.integers(2, 3))
def test_distinct_and_recursive_l_diversity(rows: Rows, l: int) -> None:  # noqa: E741
    verdict = LDiversity(l=l, **CLAIM).check(released(rows))
    least = min(len(found) for found in classes(rows))
    assert (verdict.holds, verdict.achieved) == (least >= l, {"l": least})
    for c in (Fraction(1, 2), Fraction(1), Fraction(3)):
        verdict = LDiversity(l=l, kind="recursive", c=float(c), **CLAIM).check(released(rows))
        ranked = [sorted(found.values(), reverse=True) for found in classes(rows)]
        assert verdict.holds == all(counts[0] < c * sum(counts[l - 1 :]) for counts in ranked)
        assert verdict.holds == (verdict.achieved["l"] >= l)


@SOME
@given(rows_of_tables, st.integers(2, 3))
def test_entropy_l_diversity(rows: Rows, l: int) -> None:  # noqa: E741
    verdict = LDiversity(l=l, kind="entropy", **CLAIM).check(released(rows))
    entropies = []
    for found in classes(rows):
        n = sum(found.values())
        entropies.append(-sum(count / n * math.log(count / n) for count in found.values()))
    assert verdict.holds == (min(entropies) >= math.log(l) - 1e-12)
    assert verdict.achieved["l"] == pytest.approx(math.exp(min(entropies)), abs=0.0011)


def test_equally_frequent_values_have_exactly_the_entropy_of_their_number() -> None:
    for n in (2, 3, 5, 7, 11):
        rows = [(0, 0, str(i)) for i in range(n)] * 3
        assert LDiversity(l=n, kind="entropy", **CLAIM).check(released(rows)).achieved == {"l": float(n)}
        assert LDiversity(l=n, kind="entropy", **CLAIM).check(released(rows)).holds
        assert not LDiversity(l=n, kind="entropy", **CLAIM).check(released([*rows, (0, 0, "0")])).holds


def moved(left: Counter[str], right: Counter[str], ground: dict[tuple[str, str], float]) -> float:
    """The earth mover's distance as a transport problem."""
    names = sorted(right)
    p, q = ([side[name] / sum(side.values()) for name in names] for side in (left, right))
    n = len(names)
    equal = np.zeros((2 * n, n * n))
    for i in range(n):
        equal[i, i * n : (i + 1) * n] = 1
        equal[n + i, i::n] = 1
    cost = [ground[a, b] for a in names for b in names]
    return float(linprog(cost, A_eq=equal, b_eq=[*p, *q]).fun)


def by_tree(a: str, b: str) -> float:
    paths = [[name, TREE[name], "all"] for name in (a, b)]
    return 0.0 if a == b else next(i for i, name in enumerate(paths[0]) if name in paths[1]) / 2


@settings(deadline=None, max_examples=25)
@given(rows_of_tables)
def test_t_closeness_is_the_cost_of_moving_earth(rows: Rows) -> None:
    whole = Counter(s for *_, s in rows)
    order = [value for value in VALUES if value in whole]
    grounds = {
        "equal": {(a, b): float(a != b) for a in order for b in order},
        "ordered": {(a, b): abs(order.index(a) - order.index(b)) / max(1, len(order) - 1) for a in order for b in order},
        "tree": {(a, b): by_tree(a, b) for a in order for b in order},
    }
    further = {"equal": {}, "ordered": {"order": order}, "tree": {"tree": TREE}}
    for distance, ground in grounds.items():
        worst = max(moved(found, whole, ground) for found in classes(rows))
        verdict = TCloseness(t=0.3, distance=distance, **CLAIM, **further[distance]).check(released(rows))
        assert verdict.achieved["t"] == pytest.approx(worst, abs=2e-6)
        assert verdict.achieved["t"] >= worst - 1e-9
        if abs(worst - 0.3) > 1e-6:
            assert verdict.holds == (worst <= 0.3)


def test_the_example_of_t_closeness() -> None:
    """Li and others, section 4: salaries 3k to 11k; {3k, 4k, 5k} is at 0.375, {6k, 8k, 11k} at 0.167 of the whole."""
    salaries = [f"{n}000" for n in range(3, 12)]
    for chosen, distance in (((0, 1, 2), 0.375), ((3, 5, 8), Fraction(1, 6))):
        rows = [(int(i in chosen), 0, salary) for i, salary in enumerate(salaries)]
        worst = TCloseness(t=1, distance="ordered", **CLAIM).check(
            released([row for row in rows if row[0]] + [(2, 0, s) for *_, s in rows] * 1000)
        )
        assert worst.achieved["t"] == pytest.approx(float(distance), abs=1e-3)


@SOME
@given(rows_of_tables, st.sampled_from([0.25, 0.5, 0.75]), st.integers(1, 3))
def test_alpha_k_and_confidence_bounds(rows: Rows, alpha: float, k: int) -> None:
    shares = [max(found.values()) / sum(found.values()) for found in classes(rows)]
    small = min(sum(found.values()) for found in classes(rows))
    verdict = AlphaKAnonymity(alpha=alpha, k=k, **CLAIM).check(released(rows))
    assert verdict.holds == (small >= k and max(shares) <= alpha)
    assert verdict.achieved["records"] == small
    assert verdict.achieved["alpha"] == pytest.approx(max(shares), abs=2e-6)
    bound = AlphaKAnonymity(alpha=alpha, k=1, only=["a", "b"], **CLAIM).check(released(rows))
    assert bound.holds == all(found[value] <= alpha * sum(found.values()) for found in classes(rows) for value in "ab")


@SOME
@given(rows_of_tables, st.integers(2, 3))
def test_x_y_anonymity(rows: Rows, k: int) -> None:
    found: dict[int, set[tuple[int, str]]] = defaultdict(set)
    for x, y, s in rows:
        found[x].add((y, s))
    least = min(map(len, found.values()))
    verdict = XYAnonymity(k=k, x=["x"], y=["y", "s"]).check(released(rows))
    assert (verdict.holds, verdict.achieved) == (least >= k, {"values": least})


def test_somebody_with_several_rows_counts_once() -> None:
    """Three rows with two values, of which one person has two rows with the same value: half the people have it, not two thirds."""
    frame = pl.DataFrame({"age": [1.0, 1.0, 1.0], "ill": ["flu", "flu", "cold"]})
    attributes = (Attribute("age", "numeric", frame["age"]), Attribute("ill", "nominal", frame["ill"], quasi=False))
    original = TableOriginal(Table(attributes, np.array([0, 0, 1])))
    claim = AlphaKAnonymity(alpha=0.5, k=2, sensitive=["ill"])
    release = Release({"microdata": RowTable(frame)}, secret=Secret(np.arange(3)))
    assert claim.check(release, original).achieved == {"records": 2, "alpha": 0.5}
    unknown = claim.check(Release({"microdata": RowTable(frame)}), original)
    assert (unknown.holds, "several rows" in unknown.notes[0]) == (False, True)


def test_claims_that_make_no_sense() -> None:
    release = released([(0, 0, "a"), (0, 1, "b")])
    for claim in (LDiversity(l=2), XYAnonymity(k=2, x=["x"])):
        with pytest.raises(ParameterError) as caught:
            claim.check(release)
        assert caught.value.code == "missing-column"
    assert not LDiversity(l=2, sensitive=["nothing"]).check(release).holds
    assert not LDiversity(l=2, sensitive=["s"], columns=["s"]).check(release).holds
    assert not LDiversity(l=2, sensitive=["s"]).check(released([])).holds
    for words, code in (
        ({"distance": "tree"}, "options-conflict"),
        ({"distance": "ordered"}, "order-not-named"),
        ({"distance": "ordered", "order": ["a"]}, "value-not-listed"),
        ({"distance": "tree", "tree": {"a": "all"}}, "value-not-listed"),
        ({"distance": "tree", "tree": {"a": "b", "b": "a"}}, "invalid-taxonomy"),
    ):
        with pytest.raises(ParameterError) as caught:
            TCloseness(t=0.5, **CLAIM, **words).check(release)
        assert caught.value.code == code


def test_trees_are_read_as_they_are_written() -> None:
    tree = ValueTree.parse(r"a\,b:up,c\:d:up,up:all")
    assert tree.path("a,b") == ["a,b", "up", "all"]
    assert ValueTree.parse(str(tree)) == tree
    assert tree.heights == {"a,b": 0, "c:d": 0, "up": 1, "all": 2}
    with pytest.raises(ParameterError):
        ValueTree.parse("a,b")

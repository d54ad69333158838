"""Models of sensitive columns against exact fractions on small random tables, with limits that are reached exactly."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.original import TableOriginal
from shoal.data.release import Release, Secret
from shoal.data.table import Attribute, Table
from shoal.data.tables.rows import RowTable
from shoal.privacy import AlphaKAnonymity, ConfidenceBounding, LDiversity, Rho1Rho2Privacy, TCloseness, XYAnonymity

Rows = list[tuple[int, str]]
TREE = {"a": "ab", "b": "ab", "c": "cd", "d": "cd", "ab": "all", "cd": "all"}


def drawn(rng: random.Random) -> Rows:
    return [(rng.randrange(2), rng.choice("aabcd")) for _ in range(rng.randint(1, 12))]


def released(rows: Rows, **columns: Any) -> Release:
    frame = pl.DataFrame(rows, schema={"x": pl.Int64, "s": pl.String}, orient="row")
    return Release({"microdata": RowTable(frame.with_columns(**columns))})


def classes(rows: Rows) -> list[Counter[str]]:
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for x, s in rows:
        found[x][s] += 1
    return [found[x] for x in sorted(found)]


def limits(level: Fraction) -> list[tuple[float, bool]]:
    """Limits around a level, as they are written, and whether the level is within."""
    written = [round(float(level) + step, 4) for step in (-0.01, 0, 0.01)]
    return [(limit, level <= Fraction(repr(limit))) for limit in written if 0 <= limit <= 1]


def rounded_up(level: Fraction) -> float:
    return math.ceil(level * 10**6) / 10**6


def test_shares_of_values() -> None:
    rng = random.Random(1)
    for _ in range(25):
        rows = drawn(rng)
        sizes = [c.total() for c in classes(rows)]
        worst = max(Fraction(n, c.total()) for c in classes(rows) for n in c.values())
        of_a = max(Fraction(c["a"], c.total()) for c in classes(rows))
        for alpha, holds in limits(worst):
            for k in (min(sizes), min(sizes) + 1):
                verdict = AlphaKAnonymity(alpha=alpha, k=k, sensitive=["s"]).check(released(rows))
                assert verdict.achieved == {"records": min(sizes), "alpha": rounded_up(worst)}
                assert verdict.holds == (holds and min(sizes) >= k)
                small = sum(n < k for n in sizes)
                sure = sum(max(c.values()) > Fraction(repr(alpha)) * c.total() for c in classes(rows))
                text = " ".join(verdict.witnesses)
                assert (f"{small} class" in text and f"fewer than {k} rows" in text) == bool(small)
                assert (f"in {sure} class" in text) == bool(sure)
        for alpha, holds in limits(of_a):
            verdict = AlphaKAnonymity(alpha=alpha, k=1, sensitive=["s"], only=["a"]).check(released(rows))
            assert (verdict.holds, verdict.achieved["alpha"]) == (holds, rounded_up(of_a))
            bound = ConfidenceBounding(templates=f"x>s=a:{alpha!r}").check(released(rows))
            assert (bound.holds, bound.achieved) == (holds, {"h": rounded_up(of_a), "templates": int(holds)})
        for limit, holds in limits(worst):
            both = ConfidenceBounding(templates=f"x>s:{limit!r};x>s=a:1").check(released(rows, more=pl.lit(1, pl.Int64)))
            assert (both.holds, both.achieved) == (holds, {"h": rounded_up(worst), "templates": 1 + holds})
            assert both.notes == ("not covered by the claim: 'more'",)


def test_beliefs() -> None:
    rng = random.Random(2)
    for _ in range(25):
        rows = drawn(rng)
        whole = Counter(s for _, s in rows)
        for prior in {Fraction(n, len(rows)) for n in whole.values()}:
            for rho1, _ in limits(prior):
                rare = [s for s, n in whole.items() if Fraction(n, len(rows)) <= Fraction(repr(rho1))]
                worst = max([Fraction(0), *(Fraction(c[s], c.total()) for c in classes(rows) for s in rare)])
                for rho2, holds in limits(worst):
                    if rho1 < rho2:
                        verdict = Rho1Rho2Privacy(rho1=rho1, rho2=rho2, sensitive=["s"]).check(released(rows))
                        assert (verdict.holds, verdict.achieved) == (holds, {"rho2": rounded_up(worst)})


def test_diversity() -> None:
    rng = random.Random(3)
    for _ in range(25):
        rows = drawn(rng)
        ranked = [sorted(c.values(), reverse=True) for c in classes(rows)]
        for l in (2, 3):  # noqa: E741
            distinct = LDiversity(l=l, sensitive=["s"]).check(released(rows))
            least, missed = min(map(len, ranked)), sum(len(counts) < l for counts in ranked)
            assert (distinct.holds, distinct.achieved) == (not missed, {"l": least})
            assert (f"{missed} class" in " ".join(distinct.witnesses)) == bool(missed)
            for c in (None, 0.5, 1.0, 2.0, 3.0):
                factor = Fraction(repr(3.0 if c is None else c))
                levels = [sum(counts[0] < factor * sum(counts[n:]) for n in range(len(counts))) for counts in ranked]
                verdict = LDiversity(l=l, kind="recursive", c=c, sensitive=["s"]).check(released(rows))
                assert (verdict.holds, verdict.achieved) == (min(levels) >= l, {"l": min(levels)})
            entropy = LDiversity(l=l, kind="entropy", sensitive=["s"]).check(released(rows))
            enough = [sum(counts) ** sum(counts) >= l ** sum(counts) * math.prod(n**n for n in counts) for counts in ranked]
            assert entropy.holds == all(enough)
            effective = min(math.exp(-sum(n / sum(counts) * math.log(n / sum(counts)) for n in counts)) for counts in ranked)
            assert effective - 0.0011 <= entropy.achieved["l"] <= effective + 1e-9


@pytest.mark.parametrize("counts", [[2, 2, 1, 1], [4, 4], [3, 3, 3], [1000, 1000], [1001, 999], [3000, 2999], [1]])
def test_entropy_next_to_a_whole_number(counts: list[int]) -> None:
    values = [str(i) for i, n in enumerate(counts) for _ in range(n)]
    frame = pl.DataFrame({"x": [0] * len(values), "s": values})
    verdict = LDiversity(l=2, kind="entropy", sensitive=["s"]).check(Release({"microdata": RowTable(frame)}))
    assert verdict.holds == (counts in [[2, 2, 1, 1], [4, 4], [3, 3, 3], [1000, 1000]])
    expected = {(4, 4): 2.0, (3, 3, 3): 3.0, (1000, 1000): 2.0, (1,): 1.0, (2, 2, 1, 1): 3.779, (1001, 999): 1.999}
    assert verdict.achieved["l"] == expected.get(tuple(counts), 1.999)


def moved_in_tree(surplus: dict[str, Fraction]) -> Fraction:
    """Every edge is crossed by what is too much below it: leaves lie at height 0, the root at 2 of 2."""
    below = {"ab": surplus["a"] + surplus["b"], "cd": surplus["c"] + surplus["d"]}
    return sum(map(abs, surplus.values())) / 4 + sum(map(abs, below.values())) / 4


def test_distances() -> None:
    rng = random.Random(4)
    for _ in range(30):
        rows = drawn(rng)
        whole = Counter(s for _, s in rows)
        apart: dict[str, list[Fraction]] = defaultdict(list)
        for c in classes(rows):
            surplus = {s: Fraction(c[s], c.total()) - Fraction(whole[s], len(rows)) for s in "abcd"}
            apart["equal"].append(sum(map(abs, surplus.values())) / 2)
            apart["ordered"].append(sum(map(abs, accumulate(surplus[s] for s in "abcd"))) / 3)
            apart["tree"].append(moved_in_tree(surplus))
        further: dict[str, dict[str, Any]] = {"equal": {}, "ordered": {"order": list("abcd")}, "tree": {"tree": TREE}}
        for distance, found in apart.items():
            for t, holds in limits(max(found)):
                verdict = TCloseness(t=t, distance=distance, sensitive=["s"], **further[distance]).check(released(rows))
                assert (verdict.holds, verdict.achieved) == (holds, {"t": rounded_up(max(found))}), (distance, rows)
                far = sum(one > Fraction(repr(t)) for one in found)
                assert (f"{far} class" in " ".join(verdict.witnesses)) == bool(far)


def test_numbers_are_ordered_by_size() -> None:
    rows = [(0, "2"), (0, "10"), (1, "2"), (1, "30")]
    frame = pl.DataFrame({"x": [x for x, _ in rows], "s": [int(s) for _, s in rows]})
    verdict = TCloseness(t=0.2, distance="ordered", sensitive=["s"]).check(Release({"microdata": RowTable(frame)}))
    assert verdict.achieved == {"t": 0.125}
    one = TCloseness(t=0.2, distance="ordered", sensitive=["s"]).check(
        Release({"microdata": RowTable(frame.with_columns(s=pl.lit(3, pl.Int64)))})
    )
    assert one.achieved == {"t": 0.0}


def test_uneven_trees() -> None:
    """A value directly below the root is as far from the others as any."""
    tree = {"a": "low", "b": "low", "low": "all", "c": "all"}
    rows = [(0, "a"), (0, "c"), (1, "b"), (1, "c")]
    verdict = TCloseness(t=1.0, distance="tree", tree=tree, sensitive=["s"]).check(released(rows))
    assert verdict.achieved == {"t": 0.125}
    rows = [(0, "a"), (0, "a"), (1, "c"), (1, "c")]
    assert TCloseness(t=1.0, distance="tree", tree=tree, sensitive=["s"]).check(released(rows)).achieved == {"t": 0.5}


def test_combinations_of_columns() -> None:
    frame = pl.DataFrame({"x": [0, 0, 0, 1, 1], "y": ["a", "a", "b", "c", "d"], "z": [1, 1, 1, 1, None], "more": [1, 2, 3, 4, 5]})
    release = Release({"microdata": RowTable(frame)})
    verdict = XYAnonymity(k=2, x=["x"], y=["y", "z"]).check(release)
    assert (verdict.holds, verdict.achieved, verdict.notes) == (True, {"values": 2}, ("not covered by the claim: 'more'",))
    three = XYAnonymity(k=3, x=["x"], y=["y"]).check(release)
    assert "2 combinations of x occur with fewer than 3 of y" in three.witnesses
    assert XYAnonymity(k=2, x=["x", "y"], y=["z", "more"]).check(release).achieved == {"values": 1}
    both = LDiversity(l=2, sensitive=["y", "z"], columns=["x"]).check(release)
    assert both.achieved == {"l": 2} and both.notes == ("not covered by the claim: 'more'",)
    assert LDiversity(l=2, sensitive=["z"], columns=["x"]).check(release).achieved == {"l": 1}, "a missing value is a value"
    for words, says in (({"sensitive": ["no"]}, "is not in the table"), ({"sensitive": ["y"], "columns": ["y"]}, "two roles")):
        assert says in LDiversity(l=2, **words).check(release).witnesses[0]
    empty = Release({"microdata": RowTable(frame[:0])})
    assert "no rows" in LDiversity(l=2, sensitive=["y"]).check(empty).witnesses[0]
    assert "no columns" in LDiversity(l=2, sensitive=["x", "y", "z", "more"]).check(release).witnesses[0]


def test_people_with_several_rows() -> None:
    """Somebody with several rows in a class counts once for each value."""
    rng = random.Random(5)
    for _ in range(25):
        rows = drawn(rng)
        n = len(rows)
        owners = [rng.choice([1, 10 + i]) for i in range(n)]
        order = rng.sample(range(n), n)
        shown = [(0, "")] * n
        for i, place in enumerate(order):
            shown[place] = rows[i]
        frame = pl.DataFrame(rows, schema={"x": pl.Int64, "s": pl.String}, orient="row")
        attributes = (Attribute("x", "numeric", frame["x"].cast(pl.Float64)), Attribute("s", "nominal", frame["s"], quasi=False))
        original = TableOriginal(Table(attributes, np.array(owners)))
        held: dict[int, set[tuple[int, str]]] = defaultdict(set)
        for (x, s), owner in zip(rows, owners, strict=True):
            held[x].add((owner, s))
        sizes = {x: len({owner for owner, _ in pairs}) for x, pairs in held.items()}
        worst = max(Fraction(n, sizes[x]) for x, pairs in held.items() for n in Counter(s for _, s in pairs).values())
        release = Release({"microdata": released(shown).only(RowTable)}, secret=Secret(np.array(order, np.int64)))
        verdict = AlphaKAnonymity(alpha=1.0, k=1, sensitive=["s"]).check(release, original)
        assert verdict.achieved == {"records": min(sizes.values()), "alpha": rounded_up(worst)} and not verdict.notes
        repeat = len(set(owners)) < n
        unknown = AlphaKAnonymity(alpha=1.0, k=1, sensitive=["s"]).check(released(shown), original)
        assert any("rows were counted" in note for note in unknown.notes) == repeat
        assert unknown.achieved["records"] == min(c.total() for c in classes(rows))


def test_records_with_sensitive_items() -> None:
    rng = random.Random(6)
    hidden = Items(names=frozenset("XY"))
    for _ in range(25):
        records = [sorted(rng.sample("abXY", rng.randint(0, 3))) for _ in range(rng.randint(1, 9))]
        bags = Bags.from_lists([["X", "Y"], *records]).select(np.arange(1, len(records) + 1))
        by_known: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
        for record in records:
            by_known[tuple(i for i in record if i not in "XY")].append(tuple(i for i in record if i in "XY"))
        release = Release.from_records(bags)
        sets = [Counter(values) for values in by_known.values()]
        assert LDiversity(l=2, items=hidden).check(release).achieved == {"l": min(map(len, sets))}
        shares = [Fraction(sum(item in value for value in values), len(values)) for values in by_known.values() for item in "XY"]
        verdict = AlphaKAnonymity(alpha=0.5, k=2, items=hidden).check(release)
        assert verdict.achieved == {"records": min(c.total() for c in sets), "alpha": rounded_up(max(shares))}
        assert verdict.holds == (min(c.total() for c in sets) >= 2 and max(shares) <= Fraction(1, 2))

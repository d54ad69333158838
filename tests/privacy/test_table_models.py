"""Models of beliefs, templates and presence against brute force; sensitive items of records against their definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.bags import Bags
from shoal.data.confidence_templates import Template, Templates
from shoal.data.items import Items
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.privacy import AlphaKAnonymity, ConfidenceBounding, DeltaPresence, LDiversity, Rho1Rho2Privacy, TCloseness
from shoal.privacy.delta_presence import may_represent

Rows = list[tuple[int, int, str]]
rows_of_tables = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.sampled_from("abcd")), min_size=1, max_size=14)
SOME = settings(deadline=None, max_examples=60)


def released(rows: Rows) -> Release:
    return Release({"microdata": RowTable(pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.Int64, "s": pl.String}, orient="row"))})


@SOME
@given(rows_of_tables, st.sampled_from([(0.1, 0.3), (0.25, 0.5), (0.5, 0.75)]))
def test_beliefs_in_rare_values(rows: Rows, limits: tuple[float, float]) -> None:
    rho1, rho2 = limits
    whole = Counter(s for *_, s in rows)
    found: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for x, y, s in rows:
        found[x, y][s] += 1
    after = [0.0] + [c[s] / c.total() for c in found.values() for s in whole if whole[s] / len(rows) <= rho1]
    verdict = Rho1Rho2Privacy(rho1=rho1, rho2=rho2, sensitive=["s"], columns=["x", "y"]).check(released(rows))
    assert verdict.holds == (max(after) <= rho2)
    assert verdict.achieved["rho2"] == pytest.approx(max(after), abs=2e-6)


@SOME
@given(rows_of_tables, st.sampled_from([0.25, 0.5, 1]), st.sampled_from([0.3, 0.6]))
def test_templates_bound_rules(rows: Rows, of_a: float, of_all: float) -> None:
    by_x, by_both = defaultdict(list), defaultdict(list)
    for x, y, s in rows:
        by_x[x].append(s)
        by_both[x, y].append(s)
    a = max(some.count("a") / len(some) for some in by_x.values())
    most = max(max(Counter(some).values()) / len(some) for some in by_both.values())
    verdict = ConfidenceBounding(templates=f"x>s=a:{of_a:g};x,y>s:{of_all:g}").check(released(rows))
    assert verdict.holds == (a <= of_a and most <= of_all)
    assert verdict.achieved["templates"] == (a <= of_a) + (most <= of_all)
    assert verdict.achieved["h"] == pytest.approx(max(a, most), abs=2e-6)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("pq")), min_size=1, max_size=8), st.data())
def test_presence_is_the_share_of_possible_releases(people: list[tuple[int, str]], data: st.DataObject) -> None:
    """Every subset of the people that would be published as this one is equally likely; how many of them contain each person is counted."""
    member = data.draw(st.lists(st.booleans(), min_size=len(people), max_size=len(people)).filter(any))

    def published(chosen: tuple[int, ...]) -> Counter[tuple[str, str]]:
        return Counter((f"{people[i][0] // 2 * 2}-{people[i][0] // 2 * 2 + 1}", people[i][1]) for i in chosen)

    seen = published(tuple(np.flatnonzero(member).tolist()))
    worlds = [chosen for n in range(len(people) + 1) for chosen in combinations(range(len(people)), n) if published(chosen) == seen]
    chances = [Fraction(sum(i in chosen for chosen in worlds), len(worlds)) for i in range(len(people))]
    frame = pl.DataFrame([(a, b) for (a, b), n in seen.items() for _ in range(n)], schema=["age", "town"], orient="row")
    public = {"age": [age for age, _ in people], "town": [town for _, town in people]}
    for low, high in ((0.0, 0.5), (0.3, 0.9), (0.0, 1.0)):
        verdict = DeltaPresence(delta_min=low, delta_max=high, public=public).check(Release({"microdata": RowTable(frame)}))
        assert verdict.achieved["delta_min"] == pytest.approx(float(min(chances)), abs=2e-6)
        assert verdict.achieved["delta_max"] == pytest.approx(float(max(chances)), abs=2e-6)
        assert verdict.holds == (Fraction(str(low)) <= min(chances) and max(chances) <= Fraction(str(high)))


@pytest.mark.parametrize(
    ("published", "typed", "fits"),
    [
        ("30", "30.0", True),
        ("20-29", "29", True),
        ("20-29", "30", False),
        ("[20,30)", "30", False),
        ("(20,30]", "20", False),
        ("(20,30]", "30", True),
        ("-5--1", "-3", True),
        ("481**", "48123", True),
        ("481**", "4812", False),
        ("*", "anything", True),
        ("flu", "cold", False),
        ("20-29", "young", False),
    ],
)
def test_what_a_published_value_may_stand_for(published: str, typed: str, fits: bool) -> None:
    assert may_represent(published, typed) == fits


def test_presence_that_cannot_be_counted() -> None:
    def check(values: list[str], public: list[str]) -> str:
        frame = pl.DataFrame({"age": values})
        return DeltaPresence(public={"age": public}).check(Release({"microdata": RowTable(frame)})).standing

    assert check(["20-29", "25-35"], ["27", "28"]) == "not checkable"  # 27 may have become either
    assert check(["20-29"] * 3, ["27", "28"]) == "fails"  # somebody of the release is not in the public table
    assert check(["20-29"], ["27", "28"]) == "verified"


def test_templates_are_read_as_they_are_written() -> None:
    text = r"age,zip\,code>ill\=ness=flu\:a:0.3;town>illness:0.5"
    found = Templates.parse(text)
    assert found.each == (Template(("age", "zip,code"), "ill=ness", "flu:a", 0.3), Template(("town",), "illness", None, 0.5))
    assert Templates.parse(str(found)) == found
    for wrong in ("age", "age>age:0.5", "age>s:2", ">s:0.5", "age>s", "age>s:0.5;"):
        with pytest.raises(ParameterError):
            Templates.parse(wrong)


records = st.lists(st.sets(st.sampled_from("abXYZ"), max_size=4), min_size=1, max_size=10)


@SOME
@given(records, st.integers(2, 3))
def test_sensitive_items_of_records(some: list[set[str]], l: int) -> None:  # noqa: E741
    """Classes are records with the same a and b; X, Y and Z are sensitive."""
    hidden = Items(names=frozenset("XYZ"))
    release = Release.from_records(Bags.from_lists([sorted(record) for record in [*some, {"X"}]]))
    classes: dict[frozenset[str], list[frozenset[str]]] = defaultdict(list)
    for record in [*some, {"X"}]:
        classes[frozenset(record & set("ab"))].append(frozenset(record & set("XYZ")))
    sets = [Counter(values) for values in classes.values()]
    shares = [sum(item in value for value in values) / len(values) for values in classes.values() for item in "XYZ"]
    assert LDiversity(l=l, items=hidden).check(release).achieved == {"l": min(map(len, sets))}
    entropy = min(-sum(n / c.total() * math.log(n / c.total()) for n in c.values()) for c in sets)
    assert LDiversity(l=l, kind="entropy", items=hidden).check(release).achieved["l"] == pytest.approx(math.exp(entropy), abs=0.0011)
    verdict = AlphaKAnonymity(alpha=0.5, k=2, items=hidden).check(release)
    assert verdict.achieved["records"] == min(c.total() for c in sets)
    assert verdict.achieved["alpha"] == pytest.approx(max(shares), abs=2e-6)
    whole = sum(sets, Counter[frozenset[str]]())
    far = max(sum(abs(c[v] / c.total() - whole[v] / whole.total()) for v in whole) / 2 for c in sets)
    assert TCloseness(t=0.3, items=hidden).check(release).achieved["t"] == pytest.approx(far, abs=2e-6)
    n = len(some) + 1
    rare = [item for item in "XYZ" if sum(item in record for record in [*some, {"X"}]) / n <= 0.3]
    after = [0.0] + [sum(item in value for value in values) / len(values) for values in classes.values() for item in rare]
    verdict = Rho1Rho2Privacy(rho1=0.3, rho2=0.5, items=hidden).check(release)
    assert verdict.achieved["rho2"] == pytest.approx(max(after), abs=2e-6)
    assert verdict.holds == (max(after) <= 0.5)


def test_somebody_with_several_records_counts_once() -> None:
    hidden = Items(names=frozenset("X"))
    bags = Bags.from_lists([["a", "X"], ["a", "X"], ["a"]], owners=[0, 0, 1])
    assert AlphaKAnonymity(alpha=0.5, k=2, items=hidden).check(Release.from_records(bags, owned=True)).achieved == {
        "records": 2,
        "alpha": 0.5,
    }
    assert AlphaKAnonymity(alpha=0.5, k=2, items=hidden).check(Release.from_records(bags)).achieved == {"records": 3, "alpha": 0.666667}


def test_claims_that_make_no_sense() -> None:
    table, baskets = released([(0, 0, "a")]), Release.from_records(Bags.from_lists([["a"]]))
    hidden = Items(names=frozenset("a"))
    for claim, release, code in (
        (LDiversity(items=hidden), table, "claim-not-applicable"),
        (LDiversity(sensitive=["s"]), baskets, "claim-not-applicable"),
        (LDiversity(), baskets, "claim-not-applicable"),
        (ConfidenceBounding(), table, "missing-column"),
        (DeltaPresence(), table, "missing-column"),
    ):
        with pytest.raises(ParameterError) as caught:
            claim.check(release)
        assert caught.value.code == code
    for make in (
        lambda: Rho1Rho2Privacy(rho1=0.5, rho2=0.5),
        lambda: LDiversity(sensitive=["s"], items=hidden),
        lambda: DeltaPresence(delta_min=0.6, delta_max=0.5),
        lambda: TCloseness(distance="ordered", items=hidden),
        lambda: DeltaPresence(public={"a": ["1"], "b": []}),
    ):
        with pytest.raises(ParameterError):
            make()
    assert not ConfidenceBounding(templates="x>nothing:0.5").check(table).holds
    assert LDiversity(items=Items()).check(baskets).standing == "not checkable"

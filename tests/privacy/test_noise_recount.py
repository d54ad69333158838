"""The judge of differential privacy against its formulas in plain Python, at the limits of every rule, and values that nobody has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Any

import polars as pl
import pytest

from shoal.data.claims import Verdict
from shoal.data.log import Log
from shoal.data.noise_record import NoisyStep
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.counts import CountTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import OutOfPatience
from shoal.privacy import differential_privacy as judge
from shoal.privacy.differential_privacy import DifferentialPrivacy, faults, spent_budget

GUIDE = NoisyStep("guide", "counts", "gaussian", "equal", 40.0, 40, cap=8, sensitivity=1.0)
SELECT = NoisyStep("selection", "counts", "gaussian", "policy", 3.0, 40, cap=8, sensitivity=1 + 2**-10, threshold=20.0)
COUNTS = NoisyStep("counts", "counts", "gaussian", "whole", 9.0, 40, cap=8, sensitivity=math.sqrt(8))
LAPLACE = NoisyStep("selection", "counts", "laplace", "whole", 8.0, 4, cap=4, sensitivity=4.0, threshold=60.0)
MORE = NoisyStep("counts", "counts", "laplace", "whole", 16.0, 4, cap=4, sensitivity=4.0)
DIVIDE = NoisyStep("divisions", "counts", "laplace", "whole", 16.0, 4, cap=4, sensitivity=4.0)


# -- what is invalid


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        (SELECT, ""),
        (replace(SELECT, cap=1), ""),
        (replace(SELECT, cap=0), "no cap"),
        (replace(SELECT, cap=None), "no cap"),
        (replace(GUIDE, cap=None), ""),
        (replace(GUIDE, sensitivity=0.999), "sensitivity below 1,"),
        (replace(SELECT, sensitivity=1 + 2**-11), "sensitivity below 1.00098,"),
        (replace(SELECT, sensitivity=1 - 2**-10), "sensitivity below"),
        (replace(SELECT, sensitivity=None), "sensitivity below"),
        (replace(SELECT, weights="equal", sensitivity=1.0), ""),
        (replace(COUNTS, sensitivity=2.82), "sensitivity below 2.82843,"),
        (replace(COUNTS, sensitivity=math.sqrt(8) * (1 - 1e-13)), ""),
        (replace(COUNTS, sensitivity=math.sqrt(8) * (1 - 1e-11)), "sensitivity below"),
        (LAPLACE, ""),
        (replace(LAPLACE, sensitivity=3.99), "sensitivity below 4,"),
        (replace(MORE, sensitivity=3.99), "sensitivity below 4,"),
        (replace(DIVIDE, sensitivity=3.99), "sensitivity below 4,"),
        (replace(SELECT, threshold=1.0), ""),
        (replace(SELECT, threshold=0.99), "no threshold"),
        (replace(SELECT, threshold=None), "no threshold"),
        (replace(COUNTS, threshold=None), ""),
        (replace(SELECT, scale=2.0**-4), ""),
        (replace(SELECT, scale=2.0**-4 * (1 - 1e-9)), "too little noise"),
        (replace(LAPLACE, scale=2.0**-30), ""),
        (replace(LAPLACE, scale=0.0), "too little noise"),
        (replace(LAPLACE, scale=-1.0), "too little noise"),
        (replace(SELECT, noise="laplace"), "no proof"),
        (replace(COUNTS, weights="equal"), "no proof"),
    ],
)
def test_which_records_are_valid(step: NoisyStep, fault: str) -> None:
    found = faults(step)
    assert (len(found), fault in " ".join(found)) == (int(bool(fault)), True), found


def test_several_faults_of_one_step() -> None:
    assert len(faults(replace(SELECT, sensitivity=0.5, threshold=0.5, scale=0.0))) == 3


# -- what valid noise gives away


def tail(step: NoisyStep, count: int) -> float:
    """The sum of the probabilities of discrete Laplace noise that lifts a count above the threshold."""
    a = math.exp(-1 / (step.scale * 2**step.grid))
    least = math.ceil((step.threshold or 0) * 2**step.grid) - count * 2**step.grid + 1
    return sum((1 - a) / (1 + a) * a ** abs(x) for x in range(least, least + 40_000))


@pytest.mark.parametrize(("threshold", "cap"), [(60.0, 4), (12.3, 1), (5.0, 4), (6.5, 6), (9.0, 9)])
def test_laplace_noise_adds_up(threshold: float, cap: int) -> None:
    step = replace(LAPLACE, threshold=threshold, cap=cap, sensitivity=float(cap), scale=float(cap))
    epsilon, delta = spent_budget([step, replace(MORE, cap=cap, sensitivity=float(cap))], 9.0)
    assert epsilon == pytest.approx(1 + cap / 16)
    assert delta == pytest.approx(min(1.0, max(tail(step, cap), cap * tail(step, 1))), rel=1e-6)
    both, more = spent_budget([step, replace(step, table="clicks")], 9.0)
    assert (both, more) == (2.0, pytest.approx(min(1.0, 2 * delta), rel=1e-6))


def test_a_threshold_that_anybody_passes() -> None:
    for threshold, passing in ((4.0, 0.5), (3.0, 1.0), (1.0, 1.0)):
        step = replace(LAPLACE, threshold=threshold)
        delta = spent_budget([step], 1.0)[1]
        assert (delta == 1.0) == (passing == 1.0 or 4 * tail(step, 1) > 1)
    alone = replace(LAPLACE, cap=1, sensitivity=1.0, threshold=1.0)
    rate = math.exp(-1 / (8 * 16))
    assert spent_budget([alone], 1.0)[1] == pytest.approx(rate / (1 + rate))
    assert spent_budget([DIVIDE, MORE], 1.0) == (0.5, 0.0)


def normal(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def profile(epsilon: float, squared: float) -> float:
    """Balle and Wang 2018: the delta of the Gaussian mechanism."""
    if squared <= 0:
        return 0.0
    mu = math.sqrt(squared)
    return max(0.0, normal(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal(-mu / 2 - epsilon / mu))


def passing(step: NoisyStep, count: int, weight: float) -> float:
    """The probability that one of this many values of one person alone reaches the threshold."""
    return -math.expm1(count * math.log1p(-normal(-((step.threshold or 0) - weight) / step.scale)))


def plain_delta(steps: Sequence[NoisyStep], epsilon: float) -> float:
    """The delta by docs/methods/dp-queries.md: the first selection by shares of a person's weight on values of nobody else."""
    squares = [((step.sensitivity or 0) / step.scale) ** 2 for step in steps]
    first, little = steps[0], epsilon - 4e-9
    if first.purpose == "selection":
        found, rest = 0.0, steps[1:]
        for low, high in pairwise(cell / 512 for cell in range(513)):
            most = max(
                (passing(first, n, math.sqrt(high / n)) for n in range(1, math.floor((first.cap or 0) * high + 1e-6) + 1)), default=0.0
            )
            found = max(found, profile(little, max(0.0, sum(squares) - low / first.scale**2)) + most)
    else:
        found, rest = profile(little, sum(squares)), steps
    found += sum(
        max(passing(step, n, 1 / math.sqrt(n)) for n in range(1, (step.cap or 0) + 1)) for step in rest if step.purpose == "selection"
    )
    return min(1.0, found * (1 + 4e-9))


@pytest.mark.parametrize(
    "steps",
    [
        (SELECT, COUNTS),
        (GUIDE, SELECT, COUNTS),
        (replace(SELECT, threshold=7.0, scale=2.0),),
        (replace(SELECT, cap=1, threshold=4.0, scale=1.0),),
        (replace(SELECT, cap=64, threshold=6.0, scale=1.5, weights="equal", sensitivity=1.0), COUNTS),
        (GUIDE, replace(SELECT, threshold=8.0), replace(SELECT, table="clicks", threshold=9.0)),
        (replace(SELECT, threshold=1.0),),
        (replace(SELECT, scale=50.0, threshold=400.0),),
        (GUIDE,),
        (replace(SELECT, scale=10.0, threshold=24.0, cap=1), replace(COUNTS, scale=2.0)),
    ],
    ids=range(10),
)
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_gaussian_noise_adds_up(steps: tuple[NoisyStep, ...], epsilon: float) -> None:
    found = spent_budget(steps, epsilon)
    assert found[0] == epsilon
    assert found[1] == pytest.approx(plain_delta(steps, epsilon), rel=1e-9, abs=1e-13)


def test_noise_for_too_many_numbers_is_not_added_up() -> None:
    with pytest.raises(OutOfPatience):
        spent_budget([replace(SELECT, cap=10_000_001)], 1.0)
    with pytest.raises(OutOfPatience):
        spent_budget([GUIDE, replace(SELECT, cap=10_000_001)], 1.0)


def judged(steps: Sequence[NoisyStep], frame: pl.DataFrame | None = None, original: LogOriginal | None = None, **words: Any) -> Verdict:
    table = CountTable(pl.DataFrame({"query": ["a"], "count": [7]}) if frame is None else frame)
    return DifferentialPrivacy(**{"epsilon": 3.0, "delta": 0.01, **words}).check(
        Release({"counts": table}, mechanism=tuple(steps)), original
    )


def test_limits_of_the_claim() -> None:
    epsilon, delta = spent_budget([LAPLACE, MORE], 9.0)
    for words, standing in (
        ({"epsilon": epsilon, "delta": delta}, "by construction"),
        ({"epsilon": epsilon * (1 - 1e-12), "delta": delta}, "fails"),
        ({"epsilon": epsilon, "delta": delta * (1 - 1e-12)}, "fails"),
    ):
        verdict = judged([LAPLACE, MORE], **words)
        assert verdict.standing == standing
        assert verdict.achieved == {"epsilon": epsilon, "delta": delta}


@pytest.mark.parametrize(
    ("steps", "holds"),
    [
        ((LAPLACE,), True),
        ((LAPLACE, MORE), True),
        ((DIVIDE, MORE), True),
        ((SELECT,), True),
        ((GUIDE, SELECT), True),
        ((GUIDE, SELECT, COUNTS), True),
        ((MORE,), False),
        ((DIVIDE,), False),
        ((LAPLACE, LAPLACE), False),
        ((SELECT, GUIDE), False),
        ((LAPLACE, replace(MORE, table="other")), False),
        ((replace(LAPLACE, table="other"),), False),
        ((LAPLACE, COUNTS), False),
        ((LAPLACE, replace(LAPLACE, table="other")), True),
    ],
    ids=range(14),
)
def test_records_that_match_their_tables(steps: tuple[NoisyStep, ...], holds: bool) -> None:
    assert judged(steps, epsilon=20.0).holds == holds


# -- numbers and values that are none of a mechanism


def test_numbers_have_the_form_of_noisy_ones() -> None:
    def says(numbers: list[float] | list[int], *steps: NoisyStep) -> str:
        values = [str(i) for i in range(len(numbers))]
        return " ".join(judged(steps, pl.DataFrame({"query": values, "count": numbers}), epsilon=20.0).witnesses)

    assert says([7, 8], LAPLACE, MORE) == says([7.5, 0.1], LAPLACE) == says([7, 8], LAPLACE) == ""
    assert "not whole numbers" in says([7.0, 8.0], LAPLACE, MORE)
    assert "more than one digit" in says([7.5, 0.12], LAPLACE)
    assert "more than one digit" in says([0.12], LAPLACE)


def log(rows: list[tuple[Any, ...]], kind: Any = "text", **columns: Any) -> LogOriginal:
    schema = {"owner": pl.Int64, "payload": pl.String, **columns}
    return LogOriginal(Log(pl.DataFrame(rows, schema=schema, orient="row"), kind))


def strange(frame: dict[str, Any], original: LogOriginal) -> tuple[str, ...]:
    return judged([LAPLACE], pl.DataFrame(frame | {"count": list(range(len(next(iter(frame.values())))))}), original).witnesses


def test_published_values_are_those_of_people() -> None:
    original = log([(1, "green tea"), (2, "rain")])
    assert strange({"query": ["green tea", "rain"]}, original) == ()
    assert strange({"query": ["tea", "rain", "snow"]}, original) == ("2 published values of 'query' not in the original",)
    assert strange({"term": ["tea", "rain", "green"]}, original) == ()
    assert strange({"term": ["green tea"]}, original) == ("1 published value of 'term' not in the original",)
    items = log([(1, "green tea"), (2, "rain")], "item")
    assert strange({"item": ["green tea"]}, items) == ()
    assert strange({"item": ["tea"]}, items) == ("1 published value of 'item' not in the original",)


def test_pairs_of_words_and_of_items() -> None:
    texts = log([(1, "green tea pot"), (1, "rain"), (2, "tea rain")])
    assert strange({"first": ["green", "pot", "rain"], "second": ["tea", "tea", "tea"]}, texts) == ()
    assert strange({"first": ["green"], "second": ["rain"]}, texts) == ("1 published pair never together in the original",)
    items = log([(1, "a"), (1, "b"), (2, "c")], "item")
    assert strange({"first": ["a", "b"], "second": ["b", "a"]}, items) == ()
    assert strange({"first": ["a", "b"], "second": ["c", "c"]}, items) == ("2 published pairs never together in the original",)


def test_clicks_after_queries() -> None:
    clicks = log([(1, "tea", "u"), (2, "tea", None), (2, "rain", "v")], url=pl.String)
    assert strange({"query": ["tea", "rain"], "url": ["u", "v"]}, clicks) == ()
    assert strange({"query": ["tea"], "url": ["v"]}, clicks) == ("1 published pair never together in the original",)
    assert strange({"query": ["tea"], "url": ["w"]}, clicks) == (
        "1 published value of 'url' not in the original",
        "1 published pair never together in the original",
    )


@pytest.mark.parametrize(
    ("steps", "there"),
    [
        (["a", "b"], True),
        (["b", "c"], True),
        (["a", "c"], False),
        (["c", "a"], False),
        (["x", "y"], True),
        (["y", "x"], False),
        (["c", "x"], False),
        (["a", "b", "c"], True),
        (["a", "b", "a"], False),
    ],
)
@pytest.mark.parametrize("timed", [True, False])
def test_runs_of_rows(steps: list[str], there: bool, timed: bool) -> None:
    """Rows of a user by time, then as in the log; the same query at the same time, as after two clicks, is one row."""
    early, late = datetime(2024, 1, 1), datetime(2024, 1, 2)
    rows = [(1, "b", late), (1, "a", early), (2, "x", None), (1, "c", datetime(2024, 1, 3)), (2, "", None), (2, "y", early)]
    rows += [(1, "a", early)] if timed else []
    ordered = rows if timed else [(1, "a", None), (1, "b", None), (2, "x", None), (1, "c", None), (2, " ", None), (2, "y", None)]
    original = log(ordered, time=pl.Datetime("us")) if timed else log([row[:2] for row in ordered])
    found = strange({f"step{n}": [value] for n, value in enumerate(steps, 1)}, original)
    what = "pair" if len(steps) == 2 else "run"
    assert found == (() if there else (f"1 published {what} never together in the original",))


def test_runs_of_one_row_are_queries() -> None:
    original = log([(1, "a"), (1, "b")])
    assert strange({"step1": ["a", "b"]}, original) == ()
    assert strange({"step1": ["c"]}, original)[0] == "1 published value of 'step1' not in the original"


FOOD = {"Food": None, "Fruit": "Food", "Apple": "Fruit", "Pear": "Fruit", "Milk": "Food"}


def test_sets_along_a_taxonomy() -> None:
    original = LogOriginal(log([(1, "Apple")], "item").log, Taxonomy.from_parents(dict(FOOD)))

    def says(*sets: list[str], of: LogOriginal = original) -> str:
        frame = pl.DataFrame(
            {"items": list(sets), "count": list(range(len(sets)))}, schema={"items": pl.List(pl.String), "count": pl.Int64}
        )
        return " ".join(judged([DIVIDE, MORE], frame, of).witnesses)

    assert says(["Apple"], ["Fruit", "Milk"]) == ""
    assert says(["Fruit", "Pear"]) == ""
    assert says(["Food"]) == "1 published item not below the root of the taxonomy"
    assert says(["Apple", "Plum"], ["Plum"]) == "2 published items not below the root of the taxonomy"
    assert "1 published item not below" in says([])
    assert says(["Apple", "Apple"], ["Milk"]) == "1 published set with an item twice"
    assert "need the taxonomy" in says(["Apple"], of=log([(1, "Apple")], "item"))


def test_what_remains_open() -> None:
    claim = DifferentialPrivacy()
    queries = CountTable(pl.DataFrame({"query": ["a"], "count": [1]}))
    assert claim.not_checked(queries, with_original=True).keys() == {"count"}
    assert dict(claim.not_checked(queries, with_original=False)) == {"query": "", "count": "numbers with noise cannot be checked"}
    sets = CountTable(pl.DataFrame({"items": [["a"]], "count": [1]}))
    assert claim.not_checked(sets, with_original=True).keys() == {"items", "count"}
    assert claim.not_checked(sets, with_original=False).keys() == {"items", "count"}
    assert judge.words_wanted("query", "text") is None and judge.words_wanted("term", "item") is None
    assert judge.words_wanted("term", "text") == judge.words_wanted("first", "text") == judge.words_wanted("second", "text")

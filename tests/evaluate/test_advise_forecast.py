"""From samples of growing size to all people: what is kept, whom an attacker finds, how long a run takes."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shoal.evaluate.advise import trial
from shoal.evaluate.advise.forecast import ExpectedShare, Measured, SampleTrial, expected_risk, expected_seconds, expected_share, hoped_risk
from shoal.evaluate.advise.sample import Samples
from shoal.evaluate.advise.trial import Attempt, Route, forecast_of
from shoal.io.read.options import ReadOptions
from shoal.methods import METHODS
from shoal.pipeline.options import Preparation

SIZES = [500, 1000, 2000, 4000]


def share(shares: list[float], doublings: float) -> ExpectedShare:
    found = expected_share(SIZES[: len(shares)], shares, doublings)
    assert found is not None
    assert 0 <= found.least <= found.expected <= found.most <= 1
    return found


def test_what_is_kept_grows_with_every_doubling_and_stays_a_share() -> None:
    one, two = (share([0.10, 0.14], doublings).expected for doublings in (1, 2))
    assert 0.14 < one < two < 0.26
    assert 0.95 < share([0.5, 0.9], 10).expected <= 1
    assert share([0.2, 0.3, 0.4], 3).expected == pytest.approx(0.7, abs=0.05)  # as much with every doubling as before
    assert expected_share([500], [None], 3) is None
    assert share([0.1, 0.4], 0) == ExpectedShare(0.4, 0.4, 0.4)


@pytest.mark.parametrize(
    ("shares", "doublings", "kept"),
    [
        # Measured: km with m = 2, 3 and 4 at the types and categories of a shop, with m = 4 and the aim words on T10I4D100K, and with m = 3
        # on BMS-WebView-2.
        ([0.350, 0.468, 0.559], 3.3, 0.910),
        ([0.067, 0.118, 0.154], 3.3, 0.345),
        ([0.201, 0.291, 0.385], 3.9, 0.749),
        ([0.109, 0.228, 0.319], 1.3, 0.421),
        ([0.009, 0.0289, 0.0504], 3.28, 0.176),
    ],
)
def test_forecasts_from_samples_are_within_a_quarter_of_what_all_kept(shares: list[float], doublings: float, kept: float) -> None:
    assert share(shares, doublings).expected == pytest.approx(kept, rel=0.25)


@pytest.mark.parametrize(
    ("kept", "people", "items", "of_all"),
    [
        # Measured: `shoal` forms groups within blocks. On T10I4D100K it keeps 43% of 16,000 people and of 100,000; on BMS-WebView-2.
        ([0.013, 0.034, 0.127, 0.222, 0.334], 100_000, 10, 0.431),
        ([0.020, 0.029, 0.065, 0.085, 0.131], 77_512, 5, 0.254),
    ],
)
def test_a_method_that_compares_few_records_keeps_no_more_of_more_people(kept: list[float], people: int, items: int, of_all: float) -> None:
    sizes = [250 << n for n in range(len(kept))]
    trials = [SampleTrial(n, 1.0, one, "words", 0.0, None, "", "", records=n, items=n * items) for n, one in zip(sizes, kept, strict=True)]
    blocks, other = (forecast_of(trials, METHODS[name](), people, whole=False).expected_kept for name in ("shoal", "km"))
    assert blocks is not None and other is not None
    assert 0.75 * blocks <= of_all <= 1.25 * blocks < other
    several = forecast_of([replace(one, records=8 * one.people) for one in trials], METHODS["shoal"](), people, whole=False)
    assert several.expected_kept == kept[-1], "people have eight records each, so a block holds fewer of them"


def test_a_result_that_jumps_makes_a_forecast_uncertain() -> None:
    def found(shares: list[float]) -> Measured:
        forecast = share(shares, 2)
        return Measured(1.0, expected_kept=forecast.expected, kept_between=(forecast.least, forecast.most))

    assert not found([0.30, 0.34, 0.375, 0.41]).uncertain
    assert found([0.001, 0.002, 0.319]).uncertain
    assert found([0.40, 0.42, 0.002]).uncertain
    agreed = share([0.40, 0.44, 0.48, 0.52], 2)
    assert agreed.most - agreed.least > 0.04, "models that agree may both be wrong"
    assert found([0.40]).uncertain, "of one sample nobody knows how it goes on"
    whole = Measured(1.0, expected_kept=0.4, kept_between=(0.4, 0.4), whole=True)
    assert not whole.uncertain


def test_the_risk_grows_unless_a_claim_bounds_it() -> None:
    growing = [0.02, 0.06, 0.15]
    expected = expected_risk(growing, 2, bounded=False)
    assert expected is not None and 0.3 < expected < 0.8
    assert expected_risk(growing, 2, bounded=True) == 0.15
    assert expected_risk(growing, 0, bounded=False) == 0.15
    assert expected_risk([0.05, 0.05], 5, bounded=False) == pytest.approx(0.05, abs=0.01)
    assert expected_risk([], 5, bounded=False) is None


def test_a_route_may_be_hoped_to_be_safer_with_more_people() -> None:
    assert hoped_risk([0.3], 3) == pytest.approx(0.1)
    assert hoped_risk([0.2, 0.3], 3) == pytest.approx(0.1), "two samples do not show that it grows"
    falling = hoped_risk([0.5, 0.4, 0.3], 3)
    assert falling is not None and falling < 0.2
    assert hoped_risk([0.3], 0) == 0.3


def test_time_has_a_fixed_part_and_grows_with_the_people_and_the_work_on_each() -> None:
    def alike(people: int) -> float:
        return 1.0

    fixed = [2 + size / 1000 for size in SIZES[:3]]  # two seconds, and one for every thousand people
    assert expected_seconds(SIZES[:3], fixed, 32_000, alike) == pytest.approx(34, rel=0.1)
    assert expected_seconds(SIZES[:2], fixed[:2], 32_000, alike) == pytest.approx(34, rel=0.1)
    square = [(size / 1000) ** 2 for size in SIZES]
    assert 16 * 32 < expected_seconds(SIZES, square, 32_000, alike) <= 16 * 64
    assert expected_seconds(SIZES[:1], [1.0], 2000, alike) == pytest.approx(4.0)
    assert expected_seconds(SIZES[:2], [3.0, 1.0], 4000, alike) == pytest.approx(4.0), "the first one had something to load"
    assert math.isfinite(expected_seconds(SIZES[:2], [0.0, 0.0], 1 << 40, alike))
    assert expected_seconds(SIZES[:2], [1.0, 1.2], 4000, lambda people: 1 / people) == 1.2, "the work is the same for any number of people"
    searching, km = METHODS["shoal"]().work_per_record, METHODS["km"]().work_per_record  # the first searches large data less
    assert expected_seconds(SIZES[:1], [1.0], 100_000, searching) < expected_seconds(SIZES[:1], [1.0], 100_000, km)


def test_all_people_are_tried_as_soon_as_they_fit_the_time(tmp_path: Path) -> None:
    """After two samples 3,000 people fit, so samples of 1,000 and 2,000 are not drawn; in a moment they do not."""
    file = tmp_path / "baskets.txt"
    file.write_text("milk,bread\nmilk\nbeer,bread\n" * 1000)
    method = METHODS["coherence"](k=5, p=1)  # type: ignore[call-arg]
    read = ReadOptions(format="transactions")
    route = Route(method, replace(Preparation.default_for(method), read=read))
    found = Attempt(Samples((file,)), route, 3000).go_on(60)
    assert (found.whole, found.samples, found.people) == (True, 3, 3000)
    assert found.kept_between == (found.expected_kept, found.expected_kept)
    short = Attempt(Samples((file,)), route, 3000)
    short.go_on(60, 2)
    assert not short.go_on(1e-3).whole


def test_the_first_sample_has_more_people_than_k(tmp_path: Path) -> None:
    file = tmp_path / "baskets.txt"
    file.write_text("milk,bread\nmilk\nbeer,bread\n" * 1000)
    method = METHODS["coherence"](k=300, p=1)  # type: ignore[call-arg]
    route = Route(method, replace(Preparation.default_for(method), read=ReadOptions(format="transactions")))
    found = Attempt(Samples((file,)), route, 3000).go_on(60, 1)
    assert (found.people, found.kept) == (1200, 1.0)


def test_an_attempt_that_is_interrupted_goes_on_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "baskets.txt"
    file.write_text("milk,bread\nmilk\nbeer,bread\n" * 1000)
    method = METHODS["coherence"](k=5, p=1)  # type: ignore[call-arg]
    route = Route(method, replace(Preparation.default_for(method), read=ReadOptions(format="transactions")))
    attempt = Attempt(Samples((file,)), route, 3000)
    assert attempt.go_on(60, 1).people == 250
    tried = trial._tried

    def interrupted(*asked: Any) -> Any:
        attempt.interrupt()
        return tried(*asked)

    with monkeypatch.context() as patched:
        patched.setattr(trial, "_tried", interrupted)
        assert attempt.go_on(60).people == 250
    assert attempt.go_on(60).whole

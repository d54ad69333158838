from __future__ import annotations

import math

import pytest

from shoal.report.formatting import LONGEST_NAME, name, number, plain, plural, share_of, short
from shoal.report.verdict_text import claim_of, guarantee
from shoal.util.wording import percent


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0%"),
        (1, "100%"),
        (0.00001, "<0.1%"),
        (0.99999, ">99.9%"),
        (0.3854, "38.5%"),
        (math.nan, "not defined"),
    ],
)
def test_percents_never_round_to_nothing_or_all(share: float, text: str) -> None:
    assert percent(share) == text


def test_a_share_of_nothing_is_a_dash() -> None:
    assert share_of(0, 0) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "none"),
        (True, "yes"),
        (False, "no"),
        (1, "1"),
        (1234567890123, "1,234,567,890,123"),
        (0.5, "0.5"),
        (2.0, "2"),
        (4.5444, "4.544"),
        (14069.7, "14,070"),
        (0.00012, "1.2e-04"),
        (math.inf, "not defined"),
        ([1, "a"], "1, a"),
        ({"max_gap": 30}, "max gap 30"),
        ({}, "none"),
    ],
)
def test_values(value: object, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(("n", "text"), [(0, "0"), (800, "800"), (2500, "2.5k"), (10**7, "10M"), (5 * 10**15, "5000T")])
def test_axis_numbers(n: int, text: str) -> None:
    assert short(n) == text


def test_plurals() -> None:
    assert plural(1, "record") == "1 record"
    assert plural(2000, "record") == "2,000 records"


def test_what_does_not_print_is_replaced() -> None:
    assert plain("a\x00b\u202ec\n") == "a\ufffdb\ufffdc\ufffd"
    assert plain("נתיב می\u200cخواهم 日本語 🐟") == "נתיב می\u200cخواهم 日本語 🐟"


def test_long_names_are_cut() -> None:
    shown = name("x" * 5000)
    assert len(shown) == LONGEST_NAME
    assert shown.endswith("…")


@pytest.mark.parametrize(
    ("model", "achieved", "promised"),
    [
        ("support(k=5, unit=term, rare=omit)", {"records": 6, "people": 7}, ["5", "5"]),
        ("access-k-anonymity(k=5, min_owners=2)", {"records": 5, "people": 5, "owners": 2}, ["5", "5", "2"]),
        ("node-names(people=10)", {"people": 11, "records": 4}, ["10", "–"]),
    ],
)
def test_each_level_of_a_claim_is_next_to_what_is_guaranteed_of_it(model: str, achieved: dict[str, int], promised: list[str]) -> None:
    verdict = {"model": model, "holds": True, "achieved": achieved}
    assert [level.promised for level in claim_of(verdict).levels] == promised
    tile = guarantee([verdict])
    assert tile.value == str(achieved["people"])
    assert f"; {promised[list(achieved).index('people')]} guaranteed" in tile.note

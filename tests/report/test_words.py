from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from shoal.privacy import MODELS
from shoal.report.formatting import LONGEST_NAME, name, number, plain, plural, share_of, short
from shoal.report.verdict_text import claim_of, guarantee, reached
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
    ("model", "achieved", "holds", "sentence"),
    [
        ("k-anonymity(k=5)", {"records": 6, "people": 5}, True, "every published record belongs to at least 5 people"),
        ("k-anonymity(k=5)", {"records": 6}, True, "every published record occurs at least 6 times"),
        ("k-anonymity(k=5)", {"records": 1}, False, "a published record occurs only once"),
        ("k-anonymity(k=5)", {"records": 6}, False, ""),
        (
            "user-k-anonymity(k=3, min_owners=2)",
            {"records": 3, "people": 2},
            True,
            "every published history is that of at least 3 pseudonyms; "
            "every query, word or URL in it was used by at least 2 people of its group",
        ),
        ("support(k=5)", {"records": 6, "people": 5}, True, "every published query was issued by at least 5 people"),
        ("km-anonymity(k=2, m=1)", {"people": 1200, "m": 1}, True, "every published item occurs in the records of at least 1,200 people"),
        (
            "coherence(k=2)",
            {"records": 2, "breach": 0.0, "p": 2},
            True,
            "every set of up to 2 public items occurs in at least 2 records",
        ),
        ("rho-uncertainty(rho=0.5)", {"certainty": 0.75}, False, "a sensitive item can be inferred with a confidence of up to 0.75"),
        (
            "privacy-degree(p=10)",
            {"p": 12.666666},
            True,
            "a sensitive item occurs in up to 1 of every 12.666666 records of a group",
        ),
        ("privacy-degree(p=10)", {"p": 2_000_000.0}, True, "a sensitive item occurs in up to 1 of every 2,000,000 records of a group"),
        ("differential-privacy", {"epsilon": 1.00000049, "delta": 1.5e-7}, True, "epsilon is 1.00000049; delta is 1.5e-07"),
        (
            "kkm-anonymity(k=2, m=10000)",
            {"people": 2},
            True,
            "every combination of attributes and up to 10,000 items belongs to at least 2 people",
        ),
        (
            "support(k=5, columns=url)",
            {"people": 6, "people_of_cells": 1},
            False,
            "a value in the additional columns belongs to only 1 person",
        ),
        ("support(k=5, columns=url)", {"people": 4, "people_of_cells": 5}, False, "a published query was issued by only 4 people"),
        ("files unchanged", {"files": 1}, True, "1 file checked"),
        ("unheard-of", {"people": 3}, True, ""),
        ("k-anonymity(k=5)", {}, True, ""),
    ],
)
def test_what_a_release_reached_is_a_sentence(model: str, achieved: dict[str, Any], holds: bool, sentence: str) -> None:
    assert reached(model, achieved, holds=holds) == sentence


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_level_of_a_model_has_a_sentence(name: str) -> None:
    """A sentence can be formed for small and large levels, whether the claim holds or not."""
    made = MODELS[name](**{"class-limits": {"most": 5}}.get(name, {}))
    assert made.level_sentences
    assert made.level_sentences.keys() >= made.level_words.keys() - {"templates"}
    for key in made.level_sentences:
        for value, holds in itertools.product((1, 12_345), (True, False)):
            assert "{" not in made.reached({key: value}, holds=holds)
        assert made.reached({key: 12_345}, holds=True)


@pytest.mark.parametrize(
    ("model", "achieved", "promised"),
    [
        ("support(k=5, unit=term, rare=omit)", {"records": 6, "people": 7}, ["5", "5"]),
        ("access-k-anonymity(k=5, min_owners=2)", {"records": 5, "people": 5, "owners": 2}, ["5", "5", "2"]),
        ("node-names(people=10)", {"people": 11, "records": 4}, ["10", "–"]),
        ("support(k=5, columns=url)", {"people": 6, "people_of_cells": 5}, ["5", "5"]),
    ],
)
def test_each_level_of_a_claim_is_next_to_what_is_guaranteed_of_it(model: str, achieved: dict[str, int], promised: list[str]) -> None:
    verdict = {"model": model, "holds": True, "achieved": achieved}
    assert [level.promised for level in claim_of(verdict).levels] == promised
    tile = guarantee([verdict])
    assert tile.value == str(achieved["people"])
    assert f"; {promised[list(achieved).index('people')]} guaranteed" in tile.note

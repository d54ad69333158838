"""Terms of several words, against the plain loops of the independent checker and on examples."""

from __future__ import annotations

from itertools import product
from math import isclose

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

from fuzz.check.words import terms_by_rules
from shoal.data.log import Log
from shoal.errors import ParameterError
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import RecordGatherer
from shoal.text.collocations import CRITICAL, likelihood_ratio
from shoal.text.word_rules import WordRules, is_word_rules

POOL = [
    "ice",
    "Ice",
    "cream",
    "birth",
    "control",
    "pill",
    "pills",
    "pool",
    "pools",
    "car",
    "www",
    "com",
    "org",
    "net",
    "co",
    "uk",
    "tx",
    "ty",
    "tz",
]
Texts = list[tuple[str, list[str]]]


def terms_of(texts: Texts, rules: str) -> tuple[list[dict[str, int]], int]:
    """The terms of each text as preparation makes them, and how many words were joined."""
    owners = {owner: number for number, owner in enumerate(sorted({owner for owner, _ in texts}))}
    rows = {"owner": [owners[owner] for owner, _ in texts], "payload": [" ".join(words) for _, words in texts]}
    log = Log(pl.DataFrame(rows, schema={"owner": pl.Int64, "payload": pl.String}))
    records = RecordGatherer(Preparation(per="event", word_rules=rules)).gathered(iter([log]))
    return [dict(records.bags.record(i)) for i in range(len(records.bags))], records.joined


def counted(terms: list[str]) -> dict[str, int]:
    return {term: terms.count(term) for term in terms}


texts = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.lists(st.sampled_from(POOL), max_size=7)), min_size=1, max_size=60)


@given(texts, st.sampled_from(["domains", "phrases", "collocations:2", "domains,phrases,collocations:2", "phrases,collocations:3"]))
def test_terms_are_those_of_plain_loops(found: Texts, rules: str) -> None:
    terms, joined = terms_by_rules(found, rules)
    made, number = terms_of(found, rules)
    assert made == [counted(one) for one in terms]
    assert number == joined


@given(st.integers(0, 2**32 - 1))
def test_collocations_are_those_of_plain_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = [["tx", "ty"], ["ty", "tz"], ["tz", "tx", "pill"], ["pool", "tx"], ["tx", "ty", "tz", "pool"]]
    found = [(f"p{rng.integers(25)}", pairs[rng.choice(5, p=[0.4, 0.1, 0.2, 0.1, 0.2])]) for _ in range(150)]
    terms, joined = terms_by_rules(found, "collocations:3")
    made, number = terms_of(found, "collocations:3")
    assert made == [counted(one) for one in terms]
    assert number == joined


def test_the_ratio_is_dunnings_and_the_limit_that_of_the_distribution() -> None:
    cells = np.array([[20, 7], [5, 400]])
    ours = likelihood_ratio(np.array([20]), np.array([27]), np.array([25]), 432)[0]
    assert isclose(ours, chi2_contingency(cells, correction=False, lambda_="log-likelihood").statistic)
    assert isclose(CRITICAL, chi2.isf(1e-9, 1), rel_tol=1e-5)


def test_a_collocation_needs_enough_people() -> None:
    held = [(f"p{i}", ["justin", "bieber"]) for i in range(12)] + [(f"q{i}", [f"w{i}", f"v{i}"]) for i in range(40)]
    assert terms_of(held, "collocations")[0][0] == {"justin bieber": 1}
    assert terms_of(held, "collocations:13")[0][0] == {"justin": 1, "bieber": 1}
    repeated = [("p0", ["justin", "bieber"])] * 12 + held[12:]
    assert terms_of(repeated, "collocations")[0][0] == {"justin": 1, "bieber": 1}


@pytest.mark.parametrize(
    ("typed", "terms"),
    [
        ("Hot dogs stand", ["Hot dogs", "stand"]),
        ("birth control pills", ["birth control pills"]),
        ("x-ray of a hand", ["x ray", "hand"]),
        ("bird of prey", ["bird of prey"]),
        ("the at home", ["home"]),
        ("new york city hip-hop", ["new york city", "hip hop"]),
        ("http://www.ebay.com/hot_dog", ["ebay.com", "hot dog"]),
        ("butterfly net", ["butterfly"]),
        ("www foo net bbc.co.uk", ["foo.net", "bbc.co.uk"]),
    ],
)
def test_phrases_and_domains(typed: str, terms: list[str]) -> None:
    assert terms_of([("a", typed.split(" "))], "domains,phrases")[0] == [counted(terms)]


def test_rules_are_read_and_written() -> None:
    assert str(WordRules.parse(" related, collocations ,domains")) == "domains,collocations:10,related"
    assert not WordRules.parse("")
    assert is_word_rules("phrases,collocations:3")
    assert not is_word_rules("collocations:3,phrases")
    assert not is_word_rules("")
    for wrong in ("phrase", "phrases:3", "collocations:1", "collocations:x", "collocations:", "phrases,phrases"):
        with pytest.raises(ParameterError):
            WordRules.parse(wrong)


def test_the_checker_knows_all_phrases_of_its_words() -> None:
    runs = [
        list(run) for n in (2, 3, 4) for run in product(sorted({word.lower() for word in POOL}), repeat=n) if n < 4 or run[0] == "birth"
    ]
    every = [("a", run) for run in runs]
    found, _ = terms_by_rules(every, "phrases")
    assert terms_of(every, "phrases")[0] == [counted(one) for one in found]

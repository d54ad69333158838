"""The judge of query affinity against all pairs of plain queries, and releases that fail."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from helpers.logs import Event, log_of
from helpers.query_graphs import around, asked_queries, words
from shoal.data import patience
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.privacy import MODELS
from shoal.privacy.evidence import query_neighbours as evidence
from shoal.privacy.query_affinity import QueryAffinity

TEXTS = ["tea", "Tea", "green tea", "green  tea", "Green tea kyoto", "tea green", "kyoto", "the tea", "é", "É"]
EVENTS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(TEXTS)), min_size=1, max_size=14)
TEA: list[Event] = [*((n, "green tea") for n in range(3)), (3, "green tea kyoto"), (4, "green tea cups"), (5, "ann miller")]


def rows(*texts: str | None, unit: str = "query") -> Release:
    return Release({"log": RowTable(pl.DataFrame({unit: texts}, schema={unit: pl.String}))})


def original(events: list[Event]) -> LogOriginal:
    return LogOriginal(log_of(events))


@settings(max_examples=200)
@given(EVENTS, st.data(), st.sampled_from(["0.1", "0.3", "0.5", "0.6", "0.8", "1"]), st.integers(1, 4))
def test_people_around_queries_are_those_of_all_pairs(events: list[Event], data: st.DataObject, theta: str, longest: int) -> None:
    """Only people whose text is published as they typed it count, but weights come from the whole original."""
    different = sorted({text for _, text in events})
    shown = data.draw(st.lists(st.sampled_from(different), min_size=1, unique=True))
    asked = asked_queries(events)
    published = asked_queries([(owner, text) for owner, text in events if text in shown])
    near = {
        query: {person for other in published if around(query, [other], asked, Fraction(theta), longest) for person in published[other]}
        for query in published
    }
    claim = QueryAffinity(k=2, theta=float(theta), longest=longest, word_people=2)
    of_words = {word: {p for q, people in published.items() if word in q for p in people} for query in published for word in query}
    verdict = claim.check(rows(*shown), original(events))
    if len(shown) < 2:
        assert not verdict.holds
        return
    assert verdict.achieved == {
        "people": min(map(len, near.values())),
        "people_of_query": min(map(len, published.values())),
        "people_of_word": min(map(len, of_words.values())),
    }
    assert verdict.holds == (min(verdict.achieved["people"], verdict.achieved["people_of_word"]) >= 2)


def test_work_in_small_pieces_counts_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    pool = [f"w{n}" for n in range(12)]
    events = [(int(rng.integers(20)), " ".join(rng.choice(pool, rng.integers(1, 5)))) for _ in range(120)]
    release, claim = rows(*(text for _, text in events)), QueryAffinity(k=2, theta=0.4)
    whole = claim.check(release, original(events))
    monkeypatch.setattr(evidence, "MEETINGS_AT_ONCE", 40)
    assert claim.check(release, original(events)) == whole
    asked = asked_queries(events)
    fewest = min(len(around(query, asked, asked, Fraction(2, 5))) for query in asked)
    assert whole.achieved["people"] == fewest


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ((*["green tea"] * 3, "green tea kyoto", "ann miller"), "1 different published query has fewer than 4 people"),
        (("green tea kyoto", "green tea cups", "ann miller", "green tea kyoto"), "3 different published queries have fewer than 4 people"),
        ((*["green tea"] * 4, "green tea kyoto", "green tea cups"), "1 published row has no row of the original"),
        ((*["green tea"] * 3, "green tea kyoto", "green tea"), "1 published row has no row of the original"),
        ((*["green tea"] * 3, "green tea cups", "never asked"), "no row of the original"),
        ((*["green tea"] * 3, "green tea kyoto", " "), "1 published row has no query"),
        ((*["green tea"] * 3, "green tea kyoto", None), "1 published row has no query"),
        (("green tea",) * 3, "3 rows are published, fewer than 4"),
    ],
)
def test_wrong_releases_fail(texts: tuple[str | None, ...], said: str) -> None:
    claim = QueryAffinity(k=4)
    assert claim.check(rows(*["green tea"] * 3, "green tea kyoto", "green tea cups"), original(TEA)).standing == "verified"
    verdict = claim.check(rows(*texts), original(TEA))
    assert verdict.standing == "fails"
    assert any(said in witness for witness in verdict.witnesses), verdict.witnesses
    assert not any(word in " ".join(verdict.witnesses) for word in ("green", "kyoto", "miller"))


def test_words_of_few_people_fail_if_the_claim_limits_them() -> None:
    claim = QueryAffinity(k=4, word_people=2)
    verdict = claim.check(rows(*["green tea"] * 3, "green tea kyoto"), original(TEA))
    assert (verdict.standing, verdict.witnesses) == ("fails", ("1 published word is used by fewer than 2 people",))
    more = [*TEA, (6, "green tea kyoto")]
    assert claim.check(rows(*["green tea"] * 3, "green tea kyoto"), original(more)).achieved["people_of_word"] == 2


def test_a_query_that_was_left_out_does_not_count() -> None:
    """People around a query must have asked something that is published."""
    assert not QueryAffinity(k=5).check(rows(*["green tea"] * 3, "green tea kyoto", "green tea kyoto"), original(TEA)).holds
    assert QueryAffinity(k=5).check(rows(*["green tea"] * 3, "green tea kyoto", "green tea cups"), original(TEA)).holds


def test_weights_come_from_the_original_and_not_from_the_release() -> None:
    """What nobody asks as a query of its own is no phrase, whatever is published."""
    alone = [(0, "green tea"), (1, "green tea kyoto"), (2, "green tea cups")]
    assert not QueryAffinity(k=3, theta=0.7).check(rows(*(text for _, text in alone)), original(alone)).holds
    phrase = [*alone, (3, "green tea"), (4, "green tea")]
    assert QueryAffinity(k=3, theta=0.7).check(rows(*(text for _, text in phrase)), original(phrase)).holds


def test_files_alone_do_not_show_it() -> None:
    verdict = QueryAffinity(k=4).check(rows("tea", "tea", "tea", "tea"))
    assert (verdict.standing, verdict.achieved) == ("not checkable", {})
    assert verdict.unchecked
    assert not QueryAffinity(k=4).check(rows("tea", "tea", "tea")).holds


def test_items_count_as_queries_and_other_columns_are_not_covered() -> None:
    claim, table = QueryAffinity(k=2), rows("tea", unit="item").only(RowTable)
    assert claim.judged_columns(table) == {"item"}
    assert claim.check(rows("tea", "Tea", unit="item"), LogOriginal(log_of([(0, "tea"), (1, "Tea")], "item"))).holds
    more = RowTable(pl.DataFrame({"query": ["tea"], "time": ["now"]}))
    assert claim.judged_columns(more) == {"query"}
    assert dict(claim.not_checked(more, with_original=False)) == {"query": ""}
    assert not claim.not_checked(more, with_original=True)


def test_too_much_work_is_not_verified() -> None:
    events = [(n, f"tea {n}") for n in range(300)]
    with patience.allowing(1e-6):
        verdict = QueryAffinity(k=2, theta=0.1).check(rows(*(text for _, text in events)), original(events))
    assert verdict.standing == "not judged"
    assert not verdict.holds


def test_claims_are_parsed_and_wrong_ones_refused() -> None:
    assert MODELS.make("query-affinity(k=3, theta=0.25, longest=2)") == QueryAffinity(k=3, theta=0.25, longest=2)
    assert words("Green  TEA É") == ("green", "tea", "É")
    with refuses("too-many-decimals"):
        QueryAffinity(theta=0.1234567)
    with refuses("out-of-range"):
        QueryAffinity(theta=0)

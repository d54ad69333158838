"""Histories, and one history in place of several: examples that are computed by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from helpers.queries import START, clicked_log, random_log
from shoal.data.log import Log
from shoal.microaggregation.histories import MISSING, NO_TIME, Histories
from shoal.microaggregation.history_aggregation import Matches, Quota, mean_size, profile_of, quotas, shared_queries
from shoal.microaggregation.incidence import greedy_groups
from shoal.microaggregation.query_tree_space import blocks_of_people

US = 60_000_000  # a minute


def everybody(histories: Histories) -> np.ndarray:
    return np.arange(len(histories))


def test_rows_of_one_person_time_and_text_are_one_query_with_several_clicks() -> None:
    log = clicked_log([(7, 0, "rain", 1, "u1"), (7, 0, "rain", 3, "u2"), (7, 5, "rain", None, None), (7, 6, "", None, None)])
    found = Histories.of(log)
    assert (len(found), found.sizes.tolist(), found.rows.tolist()) == (1, [2], [2, 1])
    assert found.nth.tolist() == [0, 1]
    assert found.rank.tolist() == [1, 3]
    assert found.clicks.tolist() == [0, 2, 2]


def test_without_times_every_row_is_a_query() -> None:
    log = Log(pl.DataFrame({"owner": [1, 1], "payload": ["a", "a"]}))
    found = Histories.of(log)
    assert found.sizes.tolist() == [2]
    assert found.nth.tolist() == [0, 1]
    assert not found.timed


def test_histories_depend_on_content_alone() -> None:
    log, rng = random_log(4), np.random.default_rng(0)
    once = Histories.of(log)
    numbers = pl.Series(rng.permutation(1000))
    mixed = log.frame[rng.permutation(len(log))]
    other = Histories.of(Log(mixed.with_columns(owner=numbers.gather(mixed["owner"]).cast(pl.Int64))))
    for name in ("starts", "text", "time", "nth", "rows", "clicks", "rank", "url"):
        assert np.array_equal(getattr(once, name), getattr(other, name)), name


def test_matches_of_some_people_rank_as_those_made_for_them_alone() -> None:
    histories = Histories.of(random_log(4))
    people = everybody(histories)
    every, whose = Matches.of(histories, people), np.repeat(people, histories.sizes)
    some = people[::2]
    alone, among = Matches.of(histories, some), every.among(np.isin(whose, some))
    for wanted in (1, 3, len(alone.text), len(every.text)):
        first, best = alone.ranked(1)[:wanted], among.best(wanted)
        assert (alone.text[first].tolist(), alone.nth[first].tolist()) == (among.text[best].tolist(), among.nth[best].tolist())
        assert alone.frequency[first].tolist() == among.frequency[best].tolist()


def test_a_profile_has_mean_size_shared_queries_and_mean_times_and_ranks() -> None:
    # ann: rain at 0 and 10, sun at 4 (3 queries); ben: rain at 20 (1); cat: rain at 40, sun at 8, ben's street at 9 (3): mean 7/3, so 2.
    rows = [
        *[(1, 0, "rain", 1, "u"), (1, 10, "rain", None, None), (1, 4, "sun", None, None)],
        (2, 20, "rain", 4, "u"),
        *[(3, 40, "rain", 2, "v"), (3, 8, "sun", None, None), (3, 9, "ben's street", None, None)],
    ]
    histories = Histories.of(clicked_log(rows))
    people = everybody(histories)
    matches = Matches.of(histories, people)
    assert mean_size(histories, people) == 2
    chosen = shared_queries(histories, people, matches, 2)
    profile = profile_of(histories, matches, chosen, 2)
    start = int(np.datetime64(START, "us").astype(np.int64))
    told = [
        (histories.texts[int(t)], (int(at) - start) // US, int(r), int(u))
        for t, at, r, u in zip(profile.text, profile.time, profile.rank, profile.url, strict=True)
    ]
    # rain by all three, at the mean of 0, 20 and 40; u is clicked by two at ranks 1 and 4, mean 2.5, rounded up; v by one, so not told.
    assert told == [("rain", 20, 3, 0), ("sun", 6, MISSING, MISSING)]


def test_what_one_alone_asked_is_never_in_a_profile_of_two() -> None:
    histories = Histories.of(random_log(9))
    people = everybody(histories)[:6]
    matches = Matches.of(histories, people)
    assert (matches.people[shared_queries(histories, people, matches, 2)] >= 2).all()
    everything = shared_queries(histories, people, matches, 1)
    assert len(everything) == mean_size(histories, people)


def test_people_take_turns_where_queries_rank_alike() -> None:
    rows = [(1, i, f"a{i}", None, None) for i in range(4)] + [(2, i, f"b{i}", None, None) for i in range(4)]
    histories = Histories.of(clicked_log(rows))
    matches = Matches.of(histories, everybody(histories))
    texts = sorted(histories.texts[int(t)] for t in matches.text[shared_queries(histories, everybody(histories), matches, 1)])
    assert texts == ["a0", "a1", "b0", "b1"]


def published_rows(log: Log, size: int, least: int, *, quota: bool) -> dict[str, int]:
    """How often each text is published, if people are grouped in their order."""
    histories = Histories.of(log)
    counted: dict[str, int] = {}
    carried = Quota(histories)
    for first in range(0, len(histories), size):
        people = everybody(histories)[first : first + size]
        matches = Matches.of(histories, people)
        chosen = carried.take(people, matches, least) if quota else shared_queries(histories, people, matches, least)
        assert len(chosen) == len(set(chosen.tolist())) <= mean_size(histories, people)
        assert (matches.people[chosen] >= least).all()
        for match in chosen.tolist():
            assert matches.nth[match] == 0 or match - 1 in chosen  # earlier askings of a text come first
            text = histories.texts[int(matches.text[match])]
            counted[text] = counted.get(text, 0) + len(people)
    return counted


def test_quotas_publish_every_text_about_as_often_as_it_was_asked() -> None:
    """One text of two thirds of the people and one of a third, among many of single people: groups of ten, four queries each."""
    rows = [(i, j, f"own {i} {j}", None, None) for i in range(120) for j in range(3)]
    rows += [(i, 9, "rain" if i % 3 else "sun", None, None) for i in range(120)]
    found = published_rows(clicked_log(rows), 10, 1, quota=True)
    assert abs(found["rain"] - 80) <= 10
    assert abs(found["sun"] - 40) <= 10
    assert sum(found.values()) == len(rows)
    shared = published_rows(clicked_log(rows), 10, 1, quota=False)
    assert shared["sun"] == shared["rain"] == 120  # whatever most members share is in every history


def test_the_most_frequent_queries_stay_the_most_frequent() -> None:
    rng = np.random.default_rng(5)
    popular = [(i, j, f"q{int(q)}", None, None) for i in range(300) for j, q in enumerate(rng.zipf(1.5, 4)) if q <= 30]
    rows = popular + [(i, 20 + j, f"own {i} {j}", None, None) for i in range(300) for j in range(4)]
    log = clicked_log(rows)
    asked = log.frame["payload"].value_counts(sort=True)
    found = published_rows(log, 20, 1, quota=True)
    top = asked["payload"].head(3).to_list()
    assert sorted(found, key=lambda text: -found[text])[:3] == top
    for text, n in asked.head(10).iter_rows():
        assert abs(found.get(text, 0) - n) <= 20


def test_quotas_publish_nothing_of_fewer_people_than_wanted() -> None:
    assert published_rows(random_log(9), 6, 2, quota=True)


def test_a_time_that_too_few_people_have_is_missing() -> None:
    frame = clicked_log([(1, 0, "a", None, None), (2, 4, "a", None, None)]).frame
    untimed = frame.with_columns(pl.when(pl.col("owner") == 2).then(None).otherwise(pl.col("time")).alias("time"))
    histories = Histories.of(Log(untimed))
    matches = Matches.of(histories, everybody(histories))
    assert profile_of(histories, matches, np.array([0]), 2).time.tolist() == [NO_TIME]


def test_blocks_hold_everybody_once_and_those_who_share_queries_together() -> None:
    rows = [(i, i, f"q{i % 2}", None, None) for i in range(40)]
    blocks = blocks_of_people(Histories.of(clicked_log(rows)), 20)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(40))
    histories = Histories.of(clicked_log(rows))
    assert [len({int(histories.text[histories.starts[p]]) for p in block}) for block in blocks] == [1, 1]


def test_quotas_add_up_to_the_rounded_sum_of_squares_over_the_sum() -> None:
    # 1, 2 and 3 queries: contributions 1/6, 2/6, 3/6; quotas 1/6, 4/6, 9/6; the sum 14/6 is rounded to 2.
    assert quotas(np.array([1, 2, 3])).tolist() == [0, 1, 1]
    assert quotas(np.array([10, 10])).tolist() == [5, 5]


def test_groups_by_incidence_start_with_the_pair_that_coincides_most() -> None:
    incidence = np.array([[0, 1, 9, 1, 0], [1, 0, 2, 3, 5], [9, 2, 0, 1, 1], [1, 3, 1, 0, 1], [0, 5, 1, 1, 0]])
    assert [group.tolist() for group in greedy_groups(incidence, 2)] == [[0, 2], [1, 3, 4]]
    assert [group.tolist() for group in greedy_groups(incidence, 3)] == [[0, 1, 2, 3, 4]]


def clicks_by_definition(histories: Histories, people: list[int], text: int, nth: int, least: int) -> tuple[int, int]:
    """Mean rank and URL of the n-th click after a text: those of the most people first, then by URL."""
    made: dict[int, list[tuple[int, int]]] = {}  # URL: person and rank
    for person in people:
        for query in range(histories.starts[person], histories.starts[person + 1]):
            if histories.text[query] == text:
                for click in range(histories.clicks[query], histories.clicks[query + 1]):
                    made.setdefault(int(histories.url[click]), []).append((person, int(histories.rank[click])))
    shared = {url: clicks for url, clicks in made.items() if len({person for person, _ in clicks}) >= least}
    order = sorted(shared, key=lambda url: (-len({person for person, _ in shared[url]}), url))
    if nth >= len(order):
        return MISSING, MISSING
    ranked = [(person, rank) for person, rank in shared[order[nth]] if rank != MISSING]
    if len({person for person, _ in ranked}) < least:
        return MISSING, order[nth]
    return (2 * sum(rank for _, rank in ranked) + len(ranked)) // (2 * len(ranked)), order[nth]


@pytest.mark.parametrize("least", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_clicks_are_those_of_the_definition(seed: int, least: int) -> None:
    chance = np.random.default_rng(seed)
    rows = []
    for _ in range(120):
        rank = None if chance.integers(4) == 0 else int(chance.integers(5))
        url = None if rank is None and chance.integers(2) else f"u{chance.integers(4)}"
        rows.append((int(chance.integers(8)), int(chance.integers(30)), "ab"[chance.integers(2)], rank, url))
    histories = Histories.of(clicked_log(rows))
    members = np.sort(chance.permutation(len(histories))[:5])
    matches = Matches.of(histories, members)
    chosen = np.arange(len(matches.text))
    found = profile_of(histories, matches, chosen, least)
    expected = [
        clicks_by_definition(histories, members.tolist(), int(matches.text[m]), int(matches.nth[m]), least) for m in chosen.tolist()
    ]
    assert list(zip(found.rank.tolist(), found.url.tolist(), strict=True)) == expected
    assert {rank for rank, _ in expected} > {MISSING}

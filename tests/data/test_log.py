"""A log becomes bags per user, session or event; clicks on one query count once."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal import kernels
from shoal.data.bags import Bags, Vocabulary
from shoal.data.log import Log, PlainTerms

START = datetime(2006, 3, 1)


def log_of(events, kind="text"):
    """A log of (owner, minutes or None, payload)."""
    timed = bool(events) and events[0][1] is not None
    frame = pl.DataFrame({"owner": pl.Series([e[0] for e in events], dtype=pl.Int64)})
    if timed:
        times = [START + timedelta(minutes=e[1]) for e in events]
        frame = frame.with_columns(time=pl.Series(times, dtype=pl.Datetime("us")))
    payload = pl.Series([e[2] for e in events], dtype=pl.String)
    return Log(frame.with_columns(payload=payload), kind)


def records(bags: Bags):
    """The records as a multiset of (owner, items)."""
    return Counter((int(bags.owners[i]), tuple(sorted(bags.record(i).items()))) for i in range(len(bags)))


def expected(groups):
    """The multiset that groups of events make: [(owner, [payload, ...]), ...]."""
    words = ((owner, Counter(w for text in texts for w in text.split())) for owner, texts in groups)
    return Counter((owner, tuple(sorted(found.items()))) for owner, found in words)


def sessions_twin(events, gap):
    """Sessions one event at a time: a new one for a new owner or after a pause longer than the gap."""
    groups = []
    last = None
    for owner, minute, text in sorted(events, key=lambda e: (e[0], e[1])):
        if last is None or last[0] != owner or minute > last[1] + gap:
            groups.append((owner, []))
        groups[-1][1].append(text)
        last = (owner, minute)
    return groups


texts = st.lists(st.sampled_from(["a", "b", "c", "dd"]), max_size=3).map(" ".join)
timed_events = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 200), texts), max_size=40)


@given(timed_events, st.integers(1, 60), st.integers(1, 3))
@settings(deadline=None, max_examples=150)
def test_sessions_are_those_of_the_plain_twin(events, gap, threads):
    if not events:
        return
    with kernels.using(threads=threads):
        bags = log_of(events).bags("session", timedelta(minutes=gap))
    assert records(bags) == expected(sessions_twin(events, gap))


@given(timed_events)
@settings(deadline=None, max_examples=100)
def test_a_user_has_one_record_of_all_events(events):
    if not events:
        return
    groups = {}
    for owner, _, text in events:
        groups.setdefault(owner, []).append(text)
    assert records(log_of(events).bags("user")) == expected(groups.items())


@given(timed_events)
@settings(deadline=None, max_examples=50)
def test_every_event_is_a_record_of_its_own(events):
    if not events:
        return
    bags = log_of(events).bags("event")
    assert [(int(o), dict(bags.record(i))) for i, o in enumerate(bags.owners)] == [
        (owner, dict(Counter(text.split()))) for owner, _, text in events
    ]


def test_a_pause_of_exactly_the_gap_does_not_end_a_session():
    log = log_of([(1, 0, "a"), (1, 30, "b"), (1, 61, "c")])
    assert records(log.bags("session")) == expected([(1, ["a", "b"]), (1, ["c"])])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.sampled_from(["a", "b", "", "a b"])), max_size=40))
@settings(deadline=None, max_examples=150)
def test_repeats_are_left_out_as_a_set_would(events):
    if not events:
        return
    distinct = log_of(events).without_repeats()
    first_seen = list(dict.fromkeys(events))
    minutes = [(t - START) // timedelta(minutes=1) for t in distinct.frame["time"]]
    assert list(zip(distinct.frame["owner"], minutes, distinct.frame["payload"], strict=True)) == first_seen


def test_repeats_are_left_out_across_the_pieces_of_a_column():
    parts = [
        log_of([(1, 0, "a long enough query"), (2, 0, "b")]),
        log_of([(1, 0, "a long enough query"), (2, 1, "b")]),
    ]
    frame = pl.concat([p.frame for p in parts], rechunk=False)
    assert Log(frame).without_repeats().frame.rows() == [frame.row(0), frame.row(1), frame.row(3)]


def test_without_times_nothing_is_taken_for_a_repeat():
    log = log_of([(1, None, "a"), (1, None, "a")])
    assert len(log.without_repeats()) == 2
    assert records(log.bags()) == expected([(1, ["a", "a"])])


def test_items_are_taken_whole():
    bags = log_of([(1, None, "whole milk"), (2, None, "tea"), (1, None, "whole milk")], kind="item").bags()
    assert records(bags) == Counter({(1, (("whole milk", 2),)): 1, (2, (("tea", 1),)): 1})


def test_owners_may_be_any_numbers():
    log = log_of([(10**15, 0, "a"), (-3, 1, "b"), (10**15, 2, "c")])
    assert records(log.bags()) == expected([(10**15, ["a", "c"]), (-3, ["b"])])


@given(timed_events.filter(len), st.integers(1, 60), st.integers(-10, 10**6))
@settings(deadline=None, max_examples=60)
def test_owners_may_be_numbered_from_anywhere(events, gap, first):
    """As those of a part of a large log are."""
    log, elsewhere = log_of(events), log_of([(owner + first, minute, text) for owner, minute, text in events])
    for per in ("user", "session"):
        moved = Counter({(owner + first, items): n for (owner, items), n in records(log.bags(per, timedelta(minutes=gap))).items()})
        assert records(elsewhere.bags(per, timedelta(minutes=gap))) == moved
    assert len(elsewhere.without_repeats()) == len(log.without_repeats())


def test_another_way_of_splitting_is_used():
    def initials(series):
        return PlainTerms(np.arange(len(series) + 1), np.zeros(len(series), np.int32), Vocabulary([series[0][0]]))

    bags = log_of([(1, None, "apple"), (1, None, "avocado")]).bags(split=initials)
    assert bags.record(0) == {"a": 2}


def test_an_event_without_words_gives_an_empty_record():
    bags = log_of([(1, None, "-"), (2, None, "a")]).bags()
    assert records(bags) == expected([(1, [""]), (2, ["a"])])


@pytest.mark.parametrize("per", ["user", "event"])
def test_an_empty_log_gives_no_records(per):
    assert len(log_of([]).bags(per)) == 0


def test_sessions_need_times():
    with refuses("missing-times"):
        log_of([(1, None, "a")]).bags("session")


def test_unknown_ways_of_gathering_are_refused():
    with refuses("unknown-choice", value="week"):
        log_of([(1, None, "a")]).bags("week")


def test_a_frame_with_other_columns_is_no_log():
    with refuses("invalid-log"):
        Log(pl.DataFrame({"user": ["u"], "payload": ["a"]}))


def test_a_log_without_times_has_the_same_records_of_people() -> None:
    when = [datetime(2006, 3, day) for day in (3, 1, 2)]
    timed = Log(pl.DataFrame({"owner": [1, 0, 1], "time": when, "payload": ["a b", "c", "b"]}))
    alone = timed.without_times()
    assert not alone.timed
    assert alone.without_times() is alone
    assert alone.frame.columns == ["owner", "payload"]
    assert np.array_equal(alone.bags().items, timed.bags().items)
    with refuses("missing-times"):
        alone.bags("session")


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from(["", "-", "a b", "c"])), max_size=20), st.booleans())
def test_payloads_may_be_known_as_numbers(events: list[tuple[int, int, str]], timed: bool) -> None:
    """A log is the same whether its payloads are given as texts or as numbers of texts."""
    columns = {"owner": [owner for owner, _, _ in events], "time": [datetime(2006, 3, 1 + day) for _, day, _ in events]}
    others = pl.DataFrame(columns, schema={"owner": pl.Int64, "time": pl.Datetime("us")}).select("owner", *(["time"] if timed else []))
    payload = [text for _, _, text in events]
    texts = list(dict.fromkeys(payload))
    plain = Log(others.with_columns(payload=pl.Series(payload, dtype=pl.String)))
    numbers = np.array([texts.index(text) for text in payload], np.int32)
    numbered = Log.of_numbered(others, pl.Series(texts, dtype=pl.String), numbers)
    for change in (lambda log: log, Log.without_repeats, Log.without_times, lambda log: log.named(pl.Series(["x"]))):
        left, right = change(plain), change(numbered)
        assert (len(left), left.timed, left.all_timed, left.further) == (len(right), right.timed, right.all_timed, right.further)
        assert left.others.equals(right.others)
        assert left.n_payloads(("", "-")) == right.n_payloads(("", "-")) == sum(text in ("", "-") for text in left.frame["payload"])
        assert left.texts.vocabulary.names.to_list() == right.texts.vocabulary.names.to_list()
        assert left.texts.items.tolist() == right.texts.items.tolist()
        assert left.frame.equals(right.frame)


def test_other_columns_of_numbered_payloads_are_those_of_a_log() -> None:
    with refuses("invalid-log"):
        Log.of_numbered(pl.DataFrame({"owner": ["a"]}), pl.Series(["x"]), np.zeros(1, np.int32))

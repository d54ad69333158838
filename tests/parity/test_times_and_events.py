"""Times and the order of events, against Python's datetime and sort."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import _kernels

EPOCH = datetime(1970, 1, 1)


def column(strings):
    return _kernels.TextColumn(pl.Series(strings, dtype=pl.String).__arrow_c_stream__())


def parsed(*strings):
    """The times as datetimes, None where there is none."""
    times, shapes = _kernels.parse_times(column(strings), 1, _kernels.Task())
    found = [EPOCH + timedelta(microseconds=int(t)) if s else None for t, s in zip(times, shapes, strict=True)]
    return found[0] if len(found) == 1 else found


moments = st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31))


@given(moments)
@settings(deadline=None)
def test_times_as_python_writes_them(moment):
    assert parsed(moment.isoformat()) == moment
    assert parsed(moment.isoformat(" ")) == moment
    whole = moment.replace(microsecond=0)
    assert parsed(f" {whole:%Y-%m-%d %H:%M:%S} ".replace(f"{whole:%Y}", f"{whole.year:04}")) == whole
    assert parsed(f"{whole.year:04}{whole:%m%d%H%M%S}") == whole
    assert parsed(f"{whole.year:04}/{whole:%m/%d %H:%M}") == whole.replace(second=0)
    assert parsed(f"{whole.year:04}-{whole:%m-%d}") == whole.replace(hour=0, minute=0, second=0)
    assert parsed(f"{whole.year:04}{whole:%m%d}") == whole.replace(hour=0, minute=0, second=0)


@given(moments, st.integers(0, 18), st.sampled_from("0123456789/-T x:"))
@settings(deadline=None)
def test_one_changed_character_is_read_or_refused_as_python_does(moment, at, other):
    text = moment.replace(microsecond=0).isoformat(" ")
    changed = text[:at] + other + text[at + 1 :]
    form = re.fullmatch(r"(\d{4})([-/])(\d\d)\2(\d\d)[ T](\d\d):(\d\d):(\d\d)", changed)
    leap = form is not None and form[7] == "60"
    try:
        expected = datetime(*map(int, form.group(1, 3, 4, 5, 6)), 59 if leap else int(form[7])) if form else None
    except ValueError:
        expected = None
    if leap and expected and expected.year < 9999:
        expected += timedelta(seconds=1)
    if (at, other) != (16, "-") and not changed.startswith("0000"):  # that is an offset; and Python knows no year 0
        assert parsed(changed) == expected


@given(st.datetimes(datetime(1969, 1, 1), datetime(2068, 12, 31)).map(lambda t: t.replace(microsecond=0)))
@settings(deadline=None)
def test_excites_times_have_years_of_two_digits(moment):
    assert parsed(f"{moment:%y%m%d%H%M%S}") == moment


@given(moments.map(lambda t: t.replace(microsecond=0)), st.integers(-14 * 60, 14 * 60).filter(lambda n: n <= -60 or n >= 0))
@settings(deadline=None)
def test_times_of_servers_mails_and_spreadsheets(moment, minutes):
    if not 1001 < moment.year < 9998:
        return
    there = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    in_greenwich = there.astimezone(UTC).replace(tzinfo=None)
    midnight = moment.replace(hour=0, minute=0, second=0)
    assert parsed(f"{there:%d/%b/%Y:%H:%M:%S %z}") == parsed(f"[{there:%d/%b/%Y:%H:%M:%S %z}]") == in_greenwich
    assert parsed(f"{moment:%d/%b/%Y:%H:%M:%S}") == moment
    assert parsed(f"{moment:%a, %d %b %Y %H:%M:%S GMT}") == parsed(f"{moment:%A, %d %b %Y %H:%M:%S} UTC") == moment
    assert parsed(f"{there:%a, %d %b %Y %H:%M:%S %z}") == in_greenwich
    assert parsed(f"{moment.day} {moment:%b %Y}") == parsed(f"{moment:%d-%b-%Y}") == midnight
    assert parsed(f"{moment:%d.%m.%Y}") == parsed(f"{moment.day}.{moment.month}.{moment:%Y}") == midnight
    assert parsed(f"{moment:%d.%m.%Y %H:%M:%S}") == parsed(f"{moment:%d.%m.%Y, %H:%M:%S}") == moment


def test_apaches_own_example():
    assert parsed("10/Oct/2000:13:55:36 -0700") == datetime(2000, 10, 10, 20, 55, 36)


@given(st.integers(0, 9_999_999_999), st.integers(0, 999_999))
@settings(deadline=None)
def test_seconds_since_1970(seconds, fraction):
    if len(str(seconds)) != 8:
        assert parsed(str(seconds)) == EPOCH + timedelta(seconds=seconds)
    assert parsed(f"{seconds}.{fraction:06}") == EPOCH + timedelta(seconds=seconds, microseconds=fraction)


def test_milliseconds_since_1970():
    assert parsed("1141197432123") == EPOCH + timedelta(milliseconds=1141197432123)


@given(moments.filter(lambda t: 1001 < t.year < 9998), st.integers(-14 * 60, 14 * 60))
@settings(deadline=None)
def test_an_offset_is_taken_into_account(moment, minutes):
    if minutes <= -60 or minutes >= 0:  # Python writes -00:30 as no other does
        there = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
        assert parsed(there.isoformat()) == there.astimezone(UTC).replace(tzinfo=None)
    assert parsed(moment.isoformat() + "Z") == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "yesterday",
        "2006-02-30",
        "2006-13-01",
        "2006-1-1",
        "2006-03-01 25:00:00",
        "2006-03-01 07:60",
        "2006-03-01x",
        "2006-03-01 07:17:12 +1",
        "2006-03-01 07:17:12.",
        "2006-03/01",
        "20060230",
        "061301000000",
        "12345678901",
        "-5",
        "1e9",
        "970931105432",
        "2006-03-01 7:17:12",
        "2006-03-01 07:17:12 Zulu",
        "０１２",
        "2006-03-01T",
        "12.",
        "10/10/2000",
        "10/10/2000 13:55:36",
        "10/Okt/2000:13:55:36 -0700",
        "10/Oct/2000",
        "32/Oct/2000:13:55:36",
        "10/Oct/2000:13:55:36 -0700]",
        "10/Oct/2000:13:55:36 PST",
        "29 Feb 1900",
        "10 Oct 00",
        "10-Oct 2000",
        "10.13.2000",
        "10.10.00",
        "10.0.0.1",
        "10.10.2000x",
        "10 anf 2000",
        "0x10",
    ],
)
def test_what_is_no_time_is_not_read_as_one(text):
    assert parsed(text) is None


def test_whoever_writes_leap_days_right_is_understood():
    assert parsed("2004-02-29", "2000-02-29", "1900-02-29") == [
        datetime(2004, 2, 29),
        datetime(2000, 2, 29),
        None,
    ]


events = st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3)), max_size=60)


@given(events, st.integers(1, 3), st.booleans())
@settings(deadline=None, max_examples=200)
def test_events_are_ordered_like_a_stable_sort(found, threads, timed):
    owner = np.array([e[0] for e in found], np.int64)
    time = np.array([e[1] for e in found], np.int64) if timed else np.zeros(0, np.int64)
    order = _kernels.event_order(owner, time, 6, threads, _kernels.Task())
    expected = sorted(range(len(found)), key=lambda i: found[i] if timed else found[i][0])
    assert (order.tolist() or list(range(len(found)))) == expected


@given(events)
@settings(deadline=None, max_examples=200)
def test_events_that_share_a_moment_are_found(found):
    owner, time = (np.array([e[i] for e in found], np.int64) for i in (0, 1))
    order = _kernels.event_order(owner, time, 6, 1, _kernels.Task())
    places, moments = _kernels.shared_moments(owner, time, order)
    together = defaultdict(list)
    for i, event in enumerate(found):
        together[event].append(i)
    groups = defaultdict(list)
    for place, moment in zip(places.tolist(), moments.tolist(), strict=True):
        groups[moment].append(place)
    assert sorted(groups.values()) == sorted(g for g in together.values() if len(g) > 1)


def test_a_column_goes_to_polars_and_back():
    strings = ["", "a", "twelve bytes", "thirteen byte", "ein längerer Text", None, "日本語日本語日本語"]
    back = pl.Series(column(strings))
    assert back.to_list() == [s or "" for s in strings]
    assert pl.Series(column(strings).take(np.array([6, 3, 3], np.int64))).to_list() == [
        strings[6],
        strings[3],
        strings[3],
    ]


def test_a_column_that_was_handed_over_is_empty():
    held = column(["a"])
    pl.Series(held)
    assert len(held) == 0


def test_places_beyond_a_column_are_refused():
    with pytest.raises(ValueError, match="indices below"):
        column(["a"]).take(np.array([1], np.int64))


@given(st.lists(st.sampled_from(["", "7", "8", "user 4417749 of many", "user 4417750 of many"]), max_size=30))
@settings(deadline=None)
def test_owners_are_numbered_as_they_are_met_and_nobody_is_minus_one(names):
    met = {name: number for number, name in enumerate(dict.fromkeys(name for name in names if name))}
    assert _kernels.encode_column(_kernels.Interner(), column(names), _kernels.Task()).tolist() == [met.get(name, -1) for name in names]


def test_a_leap_second_is_the_second_after_it():
    midnight = datetime(2017, 1, 1)
    forms = ["2016-12-31 23:59:60", "2016/12/31T23:59:60.0", "20161231235960", "161231235960", "31/Dec/2016:23:59:60 +0000"]
    assert parsed(*forms, "2017-01-01 00:59:60 +01:00", "31.12.2016 23:59:60") == [midnight] * 7
    assert parsed("2016-12-31 23:59:61", "2016-12-31 23:60:00", "2016-12-31 24:00:00", "2016-12-31 23:59:60Z0") == [None] * 4

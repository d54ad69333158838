"""What is learnt from a release and tried later, worked out by hand."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

from helpers.chunks import chunk_release
from shoal.data.bags import Bags
from shoal.data.log import Kind, Log
from shoal.data.original import LogOriginal
from shoal.evaluate.compare.later_period import (
    EarlierPeriod,
    WordPairs,
    completion,
    events_of,
    forecasts,
    learnt_from,
    next_items,
    periods_of,
    split_of,
)
from shoal.methods.coherence import Cohesion
from shoal.methods.threshold import Threshold
from shoal.pipeline.options import Preparation
from shoal.pipeline.run import anonymize

START = datetime(2026, 1, 1)


def timed(events: list[tuple[int, int, str]], kind: Kind = "text") -> Log:
    """Events of an owner, an hour and a text."""
    columns = {"owner": [e[0] for e in events], "time": [START + timedelta(hours=e[1]) for e in events], "payload": [e[2] for e in events]}
    return Log(pl.DataFrame(columns, schema={"owner": pl.Int64, "time": pl.Datetime("us"), "payload": pl.String}), kind)


def halves(log: Log, how: Preparation) -> EarlierPeriod:
    split = split_of(log)
    assert split is not None
    return periods_of(split, how)


def learnt(records: list[str], copies: list[int] | None = None) -> WordPairs:
    bags = Bags.from_lists([record.split() for record in records])
    return WordPairs(bags, np.array(copies or [1] * len(records)))


def test_words_are_guessed_by_how_often_they_stand_beside():
    model = learnt(["red fish", "red fish", "red wine", "white wine"])
    assert model.guesses(["red"]) == ["fish", "wine"]
    assert model.guesses(["red"], n=1) == ["fish"]
    # Beside red: fish 2 of 3, wine 1 of 3; beside white: wine 1 of 1. Together wine has 4/3, fish 2/3.
    assert model.guesses(["red", "white"]) == ["wine", "fish"]
    assert model.guesses(["blue"]) == []
    assert learnt(["red fish", "red wine"], [1, 5]).guesses(["red"]) == ["wine", "fish"], "a record counts as often as it is published"
    assert learnt(["b a", "b c"]).guesses(["b"]) == ["a", "c"], "equals are taken by name"
    assert learnt(["Red FISH"]).guesses(["red"]) == ["fish"], "words are compared in one case"


def test_completion_and_next_items_by_hand():
    model = learnt(["red fish", "blue whale"])
    assert completion(model, [("red", "fish"), ("red", "whale"), ("blue", "whale", "song"), ("new", "word")]) == 2 / 4
    assert next_items(model, [(("red",), ("fish", "frog")), (("blue",), ("whale",))]) == (1 / 2 + 1) / 2


def test_the_later_period_is_tried_and_the_earlier_one_learnt():
    early = [(n, hour, text) for n in range(7) for hour, text in ((0, "red fish"), (1, "blue whale"))]
    late = [(0, 100, "red fish"), (0, 101, "red fish food"), (1, 100, "blue"), (1, 102, "whale song"), (2, 103, "a red"), (2, 104, "")]
    found = halves(timed([*late, *early]), Preparation.default_for(Threshold(k=2)))
    assert found.raw.frame["payload"].n_unique() == 2
    assert isinstance(found.earlier.original, LogOriginal)
    assert len(found.earlier.original.log) == 14
    assert sorted(found.queries) == [("red", "fish"), ("red", "fish", "food"), ("whale", "song")]
    assert sorted(found.steps) == [(("blue",), ("whale", "song")), (("red", "fish"), ("food",))]
    release = anonymize(found.earlier, Threshold(k=2)).release
    # Known are red beside fish and blue beside whale: of three queries two go on as learnt, of two steps one half.
    expected = {"completion": 2 / 3, "next_item": (1 / 2 + 0) / 2}
    assert forecasts(release, found) == pytest.approx(expected | {f"{name}_original": value for name, value in expected.items()})


def test_items_of_one_moment_are_one_event():
    log = timed([(0, 1, "b"), (0, 1, "a"), (0, 2, "c"), (1, 1, "b")], "item")
    assert events_of(log)["words"].to_list() == [["a", "b"], ["c"], ["b"]]


def test_records_learn_from_what_is_left_of_them():
    log = timed([(n, n % 3, "red fish") for n in range(8)] + [(9, 9, "red fish"), (8, 9, "red fish"), (9, 10, "secret fish")] * 2)
    found = halves(log, Preparation.default_for(Cohesion(k=2, p=1)))
    told = forecasts(anonymize(found.earlier, Cohesion(k=2, p=1)).release, found)
    assert 0 < told["completion"] == told["completion_original"] < 1


def test_chunks_tell_what_stood_in_one_sub_record():
    records, copies = learnt_from(chunk_release((4, [["ab", "ab", "a"], ["c", "c"]], "t")), "text") or pytest.fail()
    assert sorted(map(sorted, records.to_polars().to_list())) == [["a"], ["a", "b"], ["a", "b"], ["c"], ["c"]]
    assert copies.tolist() == [1] * 5


def test_a_log_without_times_has_no_periods():
    log = Log(pl.DataFrame({"owner": [1, 2], "payload": ["a", "b"]}, schema={"owner": pl.Int64, "payload": pl.String}))
    assert not log.all_timed
    assert split_of(log) is None
    assert split_of(timed([(1, 5, "a"), (2, 5, "b")])) is None, "all at one time: there is no earlier"

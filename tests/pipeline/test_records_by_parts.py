"""Records that are made while a log is read, part by part, are those that are made of the whole log."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.io.disk_columns import Spill
from shoal.io.read import streaming_records as parts
from shoal.io.read.dispatch import Reading, ReadOptions, read
from shoal.pipeline import prepare
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import RecordGatherer, records_of

WORDS = ["pear", "Pear", "the", "a", "apple tart", "", "-", "Äpfel", "x1 x2"]
rows = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.lists(st.sampled_from(WORDS), max_size=3)), min_size=1, max_size=40)


@pytest.fixture(params=[(1, 0, 0), (2, 200, 1 << 20), (1 << 14, 8 << 20, 96 << 20)], ids=["single", "pairs", "usual"])
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(("PEOPLE", "PARCEL", "WAITING"), request.param, strict=True):
        monkeypatch.setattr(parts, name, value)


def log_file(place: Path, events: list[tuple[int, int, list[str]]], names: str = "u{}") -> Path:
    path = place / "log.tsv"
    lines = [f"{names.format(owner)}\t{' '.join(words)}\t2006-03-01 07:{minute:02}:00" for owner, minute, words in events]
    path.write_text("\n".join(["user\tquery\ttime", *lines, ""]), encoding="utf-8")
    return path


def multiset(records) -> Counter:
    bags = records.bags
    return Counter(tuple(sorted(bags.record(i).items())) for i in range(len(bags)))


def per_person(records) -> Counter:
    """How many people have these records, whatever their numbers."""
    held: dict[int, list[object]] = {}
    for i in range(len(records.bags)):
        held.setdefault(int(records.bags.owners[i]), []).append(tuple(sorted(records.bags.record(i).items())))
    return Counter(tuple(sorted(all_of_one)) for all_of_one in held.values())


def both(path: Path, how: Preparation, spill: Spill | None = None) -> tuple[tuple[Reading, object], tuple[Reading, object]]:
    whole = read(path, how.reading)
    gatherer = RecordGatherer(how, spill)
    by_parts = read(path, how.reading, gathering=gatherer.gathering)
    return (whole, records_of(whole.data, how)), (by_parts, gatherer.records)


def test_a_log_in_memory_is_split_into_words_a_few_people_at_a_time(monkeypatch, tmp_path) -> None:
    """With users in order; in another order it is one part. Words, records and users are the same, in the same order.

    Only joined words may have other numbers.
    """
    events = [(owner, minute, [WORDS[(owner + minute) % len(WORDS)], "pear tree"]) for owner in range(9) for minute in range(owner % 4 + 1)]
    for rows_of_log, n_parts in ((events, 5), (events[::-1], 5), (events[1::2] + events[::2], 1)):
        for per, rules in itertools.product(("user", "session", "event"), ("", "domains,phrases", "collocations:2")):
            how = Preparation(per=per, word_rules=rules)
            log = read(log_file(tmp_path, rows_of_log), how.reading).data
            whole = records_of(log, how).bags
            monkeypatch.setattr(prepare, "ROWS_AT_ONCE", 4)
            parts_of_log = list(prepare._parts(log))
            made = records_of(log, how).bags
            monkeypatch.undo()
            assert len(parts_of_log) == n_parts
            assert pl.concat([part.frame for part in parts_of_log]).equals(log.frame)
            owners = [set(part.frame["owner"]) for part in parts_of_log]
            assert sum(map(len, owners)) == len(set().union(*owners))
            assert made.vocabulary.names.equals(whole.vocabulary.names) or "phrases" in rules
            assert set(made.vocabulary.names) == set(whole.vocabulary.names)
            assert np.array_equal(made.owners, whole.owners)
            assert [made.record(i) for i in range(len(made))] == [whole.record(i) for i in range(len(whole))]


@pytest.mark.parametrize("per", ["user", "session", "event"])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=rows, budget=st.none() | st.integers(0, 5_000))
def test_parts_give_the_records_of_the_whole_log(events, budget, per, sizes, tmp_path) -> None:
    """In memory, on the disk, or partly there: `budget` are the bytes of rows that may stay in memory."""
    spill = None if budget is None else Spill(tmp_path, budget)
    (whole, expected), (by_parts, found) = both(log_file(tmp_path, events), Preparation(per=per, gap="1m"), spill)
    assert per_person(found) == per_person(expected)
    assert found.stop_words == expected.stop_words
    assert (by_parts.rows, by_parts.notes, by_parts.empty_texts) == (whole.rows, whole.notes, whole.empty_texts)


def test_a_click_repeated_far_away_counts_once(sizes, tmp_path) -> None:
    """The two rows of one click are separated by rows of many others, so that they are packed apart."""
    events = [(0, 1, ["pear"]), *((n, 1, ["plum"]) for n in range(1, 40)), (0, 1, ["pear"]), (0, 2, ["pear"])]
    (_, _), (reading, found) = both(log_file(tmp_path, events), Preparation())
    assert reading.rows.parts["repeated clicks"].n == 1
    assert multiset(found)[(("pear", 2),)] == 1


def test_owners_who_are_one_person_have_one_record(sizes, tmp_path) -> None:
    events = [(n % 20, n, [f"word{n}"]) for n in range(59)]
    path = log_file(tmp_path, events, names="u{}")
    text = path.read_text(encoding="utf-8").replace("u3\t", "U3 \t", 1)
    path.write_text(text, encoding="utf-8")
    with refuses("user-spelling-unclear", written=21, folded=20):
        both(path, Preparation())
    (_, expected), (_, found) = both(path, Preparation(read=ReadOptions(owners="folded")))
    assert len(found.bags) == found.bags.n_owners == 20
    assert multiset(found) == multiset(expected)


def test_records_and_counts_of_rows_are_kept(sizes, tmp_path) -> None:
    path = tmp_path / "baskets.csv"
    drawn = random.Random(1)
    lines = [f"u{drawn.randrange(9)},b{drawn.randrange(4)},i{drawn.randrange(5)},{drawn.randrange(1, 4)}" for _ in range(200)]
    path.write_text("\n".join(["user,basket,item,n", *lines, ""]), encoding="utf-8")
    how = Preparation(read=ReadOptions(record="basket", count="n"), as_sets=False)
    (whole, expected), (by_parts, found) = both(path, how)
    assert per_person(found) == per_person(expected)
    assert found.bags.occurrences == sum(int(line.split(",")[3]) for line in lines)
    assert by_parts.notes == whole.notes


def test_a_log_without_a_usable_row_is_refused(sizes, tmp_path) -> None:
    path = tmp_path / "log.tsv"
    path.write_text("user\tquery\ttime\n\tpear\t2006-03-01 07:00:00\n", encoding="utf-8")
    with refuses("no-usable-rows"):
        both(path, Preparation(read=ReadOptions(malformed=1.0)))

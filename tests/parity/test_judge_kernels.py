"""The judge's kernels against plain counting, and against nothing that a method uses."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import twins
from helpers.itemsets import bags_of, breach, databases, powers
from shoal import _kernels, kernels
from shoal.itemsets.itemset_support import PRIVATE, PUBLIC

SOME = settings(deadline=None, max_examples=200)


@SOME
@given(st.lists(st.dictionaries(st.integers(0, 3), st.integers(1, 3), max_size=3), max_size=30), st.integers(1, 3))
def test_identical_rows_and_only_those_share_a_class(records: list[dict[int, int]], threads: int) -> None:
    indptr = np.cumsum([0, *(len(r) for r in records)]).astype(np.int64)
    pairs = [pair for r in records for pair in sorted(r.items())]
    ids, counts = (np.array([pair[i] for pair in pairs], np.int32) for i in (0, 1))
    found = kernels.run(_kernels.row_classes, _kernels.Rows(indptr, ids, counts), threads).tolist()
    numbers: dict[tuple[tuple[int, int], ...], int] = {}
    assert found == [numbers.setdefault(tuple(sorted(r.items())), len(numbers)) for r in records]


@SOME
@given(
    st.lists(st.lists(st.integers(0, 4), max_size=4), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.integers(-2, 3)), max_size=20),
    st.booleans(),
)
def test_people_of_units_are_counted_once(units: list[list[int]], drawn: list[tuple[int, int]], in_order: bool) -> None:
    """In any order of the rows; a query may have a unit twice, and a person a query."""
    rows = [(query % len(units), who) for query, who in drawn]
    rows = sorted(rows, key=lambda row: row[1]) if in_order else rows
    query, who = np.array([row[0] for row in rows], np.int32), np.array([row[1] for row in rows], np.int64)
    starts = np.cumsum([0, *map(len, units)]).astype(np.int64)
    flat = np.array([unit for own in units for unit in own], np.int32)
    found = kernels.run(_kernels.people_of_units, query, who, starts, flat, 5)
    assert found.tolist() == [len({who for query, who in rows if unit in units[query]}) for unit in range(5)]
    often = np.bincount(query, minlength=len(units)).astype(np.int64)
    sums = kernels.run(_kernels.sums_of_units, often, starts, flat, 5)
    assert sums.tolist() == [sum(units[query].count(unit) for query, _ in rows) for unit in range(5)]


LONG = ["sixteen bytes---", "sixteen bytes---a", "sixteen bytes---b", "a" * 40, "a" * 39 + "b"]


@SOME
@given(st.lists(st.lists(st.sampled_from(["a", "b", "a\0", "ä", "", *[word.replace(" ", "-") for word in LONG]]), max_size=5), max_size=60))
def test_words_of_texts_are_numbered_as_they_come(drawn: list[list[str]]) -> None:
    texts = [" ".join(words) for words in drawn]
    stream = pl.Series(texts, dtype=pl.String).__arrow_c_stream__()
    starts, numbers, columns = kernels.run(_kernels.text_words, stream, 20)
    words = [word for column in columns for word in pl.Series(column).to_list()]
    own = [[word for word in text.split(" ") if word] for text in texts]
    assert [[words[n] for n in numbers[starts[i] : starts[i + 1]]] for i in range(len(texts))] == own
    assert words == list(dict.fromkeys(word for words in own for word in words))


def test_many_words_make_the_table_grow() -> None:
    texts = pl.Series([f"w{i} {'long-' * 5}{i % 3_000} w{i // 2}" for i in range(20_000)])
    _, numbers, columns = kernels.run(_kernels.text_words, texts.__arrow_c_stream__(), 1 << 20)
    flat = " ".join(texts).split(" ")
    assert pl.Series(columns[0]).to_list() == list(dict.fromkeys(flat))
    assert numbers.tolist() == twins.first_appearance(flat)


@SOME
@given(st.lists(st.text("ab! \t\x1f\u00a0ä\u3000\v", max_size=20), max_size=20))
def test_texts_with_odd_blanks_are_doubtful(texts: list[str]) -> None:
    found = set(kernels.run(_kernels.doubtful_blanks, pl.Series(texts, dtype=pl.String).__arrow_c_stream__()).tolist())
    odd = {i for i, text in enumerate(texts) if re.search(r"^\s|\s$|\s\s|[^\S ]", text.replace("\x1f", "x"))}
    assert odd <= found
    assert not [texts[i] for i in found - odd if texts[i].isascii() and texts[i].isprintable() and " !" not in texts[i]]


@pytest.mark.parametrize("words", range(1, 6))
@pytest.mark.parametrize("length", range(1, 12))
def test_two_blanks_are_found_at_every_place(words: int, length: int) -> None:
    plain = " ".join(["x" * length] * words)
    texts = [plain, *(plain[:at] + " " + plain[at:] for at in range(len(plain) + 1) if (plain[:at] + "  ").endswith("  "))]
    odd = [i for i, text in enumerate(texts) if "  " in text or text != text.strip()]
    assert kernels.run(_kernels.doubtful_blanks, pl.Series(texts).__arrow_c_stream__()).tolist() == odd


@SOME
@given(st.data())
def test_equal_sequences_are_found_whatever_is_left_out(data: st.DataObject) -> None:
    row = st.lists(st.integers(-1, 3), max_size=12)
    sought, shown = (data.draw(st.lists(row, max_size=50)) for _ in range(2))
    given_arrays = [
        array
        for rows in (sought, shown)
        for array in (np.cumsum([0, *map(len, rows)]).astype(np.int64), np.array([n for row in rows for n in row], np.int32))
    ]
    found = kernels.run(_kernels.places_of_equals, *given_arrays)
    plain = [[[n for n in row if n >= 0] for row in rows] for rows in (sought, shown)]
    assert found.tolist() == [plain[1].index(row) if row and row in plain[1] else -1 for row in plain[0]]


def test_many_rows_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 6, (50_000, 3)).astype(np.int32)
    table.sort(axis=1)
    kept = [sorted(set(row)) for row in table.tolist()]
    indptr = np.cumsum([0, *map(len, kept)]).astype(np.int64)
    ids = np.array([i for row in kept for i in row], np.int32)
    found = kernels.run(_kernels.row_classes, _kernels.Rows(indptr, ids, np.ones(len(ids), np.int32)), 2).tolist()
    numbers: dict[tuple[int, ...], int] = {}
    assert found == [numbers.setdefault(tuple(row), len(numbers)) for row in kept]


def counted(rows, owners, parts, power, size, threads=1, most=10_000):
    bags = bags_of(rows, len(parts))
    order = np.argsort(owners, kind="stable")
    sorted_owners = np.array(owners, np.int64)[order]
    people = sorted_owners if len(set(owners)) < len(owners) else np.zeros(0, np.int64)
    roles = ((np.array(parts) == part).astype(np.uint8) for part in (PUBLIC, PRIVATE))
    h = power.share
    question = _kernels.SetQuestion(size=size, k=power.k, h_numerator=h.numerator, h_denominator=h.denominator, most_examples=most)
    return kernels.run(_kernels.known_sets, bags.view, order.astype(np.int64), people, *roles, question, threads)


@SOME
@given(databases(), powers, st.integers(0, 4), st.integers(1, 2))
def test_known_sets(database, power, size, threads):
    rows, owners, parts = database
    public = [i for i, part in enumerate(parts) if part == PUBLIC]
    private = [i for i, part in enumerate(parts) if part == PRIVATE]
    if size > len(parts):
        return
    found = counted(rows, owners, parts, power, size, threads)
    known = [s for s in combinations(public, size) if any(row >= set(s) for row in rows)]
    people = {s: len({o for row, o in zip(rows, owners, strict=True) if row >= set(s)}) for s in known}
    few = {s for s in known if people[s] < power.k}
    shares = {s: breach(rows, owners, s, private) for s in known if s not in few}
    telling = {s for s, share in shares.items() if share > power.share}
    assert found["counted"] == len(known)
    assert found["fewest"] == min(people.values(), default=-1)
    assert Fraction(found["holders"], found["cohort"]) == max(shares.values(), default=0)
    assert (found["few"], found["telling"]) == (len(few), len(telling))
    assert {tuple(e[0].tolist()) for e in found["examples"]} == few | telling
    for items, held_by, hidden, holders, cohort in found["examples"]:
        known_set = tuple(items.tolist())
        assert held_by == people[known_set]
        assert (hidden < 0) == (known_set in few)
        if hidden >= 0:
            assert hidden in private
            assert Fraction(holders, cohort) == shares[known_set]


@pytest.mark.parametrize(("density", "items"), [(0.9, 12), (0.5, 14), (0.05, 40)])
@pytest.mark.parametrize("private", [0, 3])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_many_records_as_lists_and_as_bits(density: float, items: int, private: int, size: int) -> None:
    """Dense records are counted as bits, sparse ones as lists; numpy counts both the same way."""
    rng = np.random.default_rng(size)
    table = rng.random((700, items)) < density
    hidden = np.arange(items) < private
    rows = [frozenset(np.flatnonzero(row).tolist()) for row in table]
    parts = [PRIVATE if h else PUBLIC for h in hidden]
    power = type("Power", (), {"k": 20, "share": Fraction(17, 20)})
    found = counted(rows, list(range(700)), parts, power, size, threads=2)
    few = telling = sets = 0
    greatest = Fraction(0)
    for known in combinations(np.flatnonzero(~hidden).tolist(), size):
        cohort = table[:, known].all(axis=1)
        n = int(cohort.sum())
        sets += n > 0
        few += 0 < n < 20
        if n >= 20:
            share = Fraction(int(table[cohort][:, hidden].sum(axis=0).max(initial=0)), n)
            telling += share > power.share
            greatest = max(greatest, share)
    assert (found["counted"], found["few"], found["telling"]) == (sets, few, telling)
    assert Fraction(found["holders"], found["cohort"]) == greatest


def test_records_that_are_not_there_are_refused() -> None:
    rows = _kernels.Rows(np.array([0, 1], np.int64), np.array([0], np.int32), np.array([1], np.int32))
    masks = np.ones(1, np.uint8), np.zeros(1, np.uint8)
    question = _kernels.SetQuestion(size=1, k=2, h_numerator=1, h_denominator=2, most_examples=5)
    nobody = np.zeros(0, np.int64)
    for row, owner in (([1], nobody), ([-1], nobody), ([0, 0], np.array([2, 1])), ([0, 0], np.array([1]))):
        with pytest.raises(ValueError, match="kernel input: expected"):
            kernels.run(_kernels.known_sets, rows, np.array(row, np.int64), owner, *masks, question, 1)

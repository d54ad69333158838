"""Numbers that follow the original, affine queries and sequences of words: recounted in plain Python, and tried at their limits."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from datetime import datetime
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.accesslog import FIREFOX
from helpers.documents import vectors
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.original import AccessOriginal, LogOriginal, TableOriginal
from shoal.data.release import Release
from shoal.data.table import Attribute, Table
from shoal.data.tables.access_log import SCHEMA, AccessTable
from shoal.data.tables.bags import BagTable
from shoal.data.tables.chunks import PARTS, SCHEMAS, ChunkTable
from shoal.data.tables.groups import GroupTable
from shoal.data.tables.profiles import ProfileTable
from shoal.data.tables.rows import RowTable
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.privacy.evidence.fresh_numbers import agreement, correlation, disordered, misnumbered, orders_of
from shoal.privacy.evidence.numbered_words import Sequences, different_pairs, places_of_equals, spelled
from shoal.privacy.query_affinity import QueryAffinity
from shoal.taxonomy.place_terms import as_typed

# -- numbers from 1


NUMBERS = [([1, 2, 3], True), ([3, 1, 2, 1], True), ([0, 1], False), ([1, 3], False), ([2, 3], False), ([], True)]


@pytest.mark.parametrize(("numbers", "good"), NUMBERS)
def test_pseudonyms_are_the_numbers_from_one(numbers: list[int], good: bool) -> None:
    rows = {"user": numbers, "query": ["a"] * len(numbers)}
    table = ProfileTable(pl.DataFrame(rows, schema={"user": pl.Int64, "query": pl.String}), "user")
    assert (misnumbered(table) == []) == good


def chunks(subrecords: list[tuple[int, int, int, str]]) -> Any:
    clusters = sorted({row[0] for row in subrecords})
    rows: dict[str, list[Any]] = {part: [] for part in PARTS}
    rows["subrecords"], rows["clusters"] = list(subrecords), [(c, c, 3) for c in clusters]
    return ChunkTable(**{part: pl.DataFrame(rows[part], schema=dict(SCHEMAS[part]), orient="row") for part in PARTS})


def test_numbers_within_a_cluster() -> None:
    good = [(1, 1, 1, "a"), (1, 1, 2, "a"), (1, 2, 1, "b"), (2, 1, 1, "a")]
    assert misnumbered(chunks(good)) == []
    for wrong, n in (([(1, 2, 1, "b")], 1), ([(1, 1, 2, "b")], 1), ([(2, 1, 1, "b")], 1), ([(1, 1, 1, "a"), (1, 3, 2, "b")], 2)):
        assert len(misnumbered(chunks(wrong))) >= n, wrong


def test_rows_and_lists_in_order() -> None:
    assert disordered(BagTable(Bags.from_lists([["a", "b"], ["b"]]), np.ones(2, np.int64))) == []
    rows = chunks([(1, 1, 1, "a"), (1, 1, 2, "a"), (1, 2, 1, "b")])
    assert disordered(rows) == []
    assert len(disordered(chunks([(1, 2, 1, "b"), (1, 1, 1, "a")]))) == 1
    empty = pl.DataFrame(schema={"group": pl.Int64, "item": pl.String, "count": pl.Int64})
    for items, faults in (([["a", "b"], ["c"]], 0), ([["b", "a"], ["c"]], 1), ([["a"], ["b", "a"]], 1)):
        assert len(disordered(GroupTable(pl.DataFrame({"group": [1, 1], "items": items}), empty))) == faults


# -- orders of the original


def test_the_correlation_of_two_orders() -> None:
    rng = random.Random(1)
    for _ in range(20):
        n = rng.randint(2, 30)
        left, right = [rng.random() for _ in range(n)], [rng.random() for _ in range(n)]
        means = [sum(side) / n for side in (left, right)]
        cross = sum((a - means[0]) * (b - means[1]) for a, b in zip(left, right, strict=True))
        scale = math.sqrt(sum((a - means[0]) ** 2 for a in left) * sum((b - means[1]) ** 2 for b in right))
        assert correlation(np.array(left), np.array(right)) == pytest.approx(abs(cross) / scale * math.sqrt(n - 1))
    assert correlation(np.ones(5), np.arange(5.0)) == 0
    assert correlation(np.array([0.0, 0.1]), np.array([0.0, 0.1])) == pytest.approx(1)


def test_how_many_values_can_be_compared() -> None:
    """38 numbers in order agree by more than 6 standard deviations, 37 by exactly 6: of these nothing is said."""
    for n in (37, 38):
        published = pl.DataFrame({"number": range(1, n + 1), "value": [f"v{i}" for i in range(n)]})
        original = pl.DataFrame({"place": range(n), "value": [f"v{i}" for i in range(n)]})
        found = agreement(published, original)
        assert found == (n, pytest.approx(math.sqrt(n - 1) if n == 38 else 0.0))


def records(n: int, shuffle: int | None = None) -> tuple[Any, BagTable]:
    lists = [[f"i{i:02}"] for i in range(n)]
    order = list(range(n)) if shuffle is None else random.Random(shuffle).sample(range(n), n)
    bags = Bags.from_lists(lists)
    return as_typed(bags), BagTable(bags.select(np.array(order)), np.ones(n, np.int64))


def test_records_in_the_order_of_the_original() -> None:
    for n in (37, 38, 60):
        original, table = records(n)
        told = orders_of(table, original)
        assert bool(told.faults) == (n > 37), n
        assert bool(told.not_compared) == (n == 37), n
        original, mixed = records(n, 5)
        told = orders_of(mixed, original)
        assert told.faults == [] and bool(told.not_compared) == (n == 37), n
    original, few = records(37)
    assert orders_of(few, original).not_compared == list(few.random_orders) and not orders_of(few, original).faults
    assert orders_of(few, None).not_compared == list(few.random_orders)
    other = LogOriginal(Log(pl.DataFrame({"owner": [1], "payload": ["a"]})))
    assert orders_of(few, other).not_compared == list(few.random_orders)


def test_documents_in_the_order_of_the_original() -> None:
    words = ["dog", "cat", "horse", "lion", "tiger", "cow", "sheep", "computer", "keyboard", "laptop"]
    texts = [f"{a} {b}" for a, b in combinations(words, 2)]
    original = vectors(texts)
    frame = pl.DataFrame({"items": [sorted(set(text.split())) for text in texts]}).with_columns(weights=pl.lit([0.5, 0.5]))
    assert orders_of(WeightedBagTable(frame), original).faults
    mixed = frame.sample(fraction=1, shuffle=True, seed=3)
    assert not orders_of(WeightedBagTable(mixed), original).faults


def rows_of_log(n: int, kept: list[int]) -> tuple[LogOriginal, RowTable]:
    log = Log(pl.DataFrame({"owner": list(range(n)), "payload": [f"q{i}" for i in range(n)]}))
    return LogOriginal(log), RowTable(pl.DataFrame({"query": [f"q{i}" for i in kept]}))


def test_rows_of_a_log_in_the_order_of_the_original() -> None:
    original, table = rows_of_log(60, list(range(60)))
    assert orders_of(table, original).faults
    original, mixed = rows_of_log(60, random.Random(2).sample(range(60), 60))
    assert orders_of(mixed, original).faults == []
    original, backwards = rows_of_log(60, list(range(59, -1, -1)))
    assert orders_of(backwards, original).faults


def with_pseudonyms(owners: list[int], pseudonyms: list[int], names: list[str] | None = None) -> list[str]:
    """Every person has two queries of their own, published under a pseudonym; rows are shuffled."""
    frame = pl.DataFrame({"owner": [o for o in owners for _ in range(2)], "payload": [f"q{o} {i}" for o in owners for i in range(2)]})
    log = Log(frame, names=None if names is None else pl.Series(names))
    rows = [(number, f"q{o} {i}") for o, number in zip(owners, pseudonyms, strict=True) for i in range(2)]
    random.Random(9).shuffle(rows)
    shown = pl.DataFrame(rows, schema={"user": pl.Int64, "query": pl.String}, orient="row")
    return orders_of(RowTable(shown, "user"), LogOriginal(log)).faults


def test_pseudonyms_in_the_order_of_people() -> None:
    for n in (10, 11):
        straight, back = list(range(1, n + 1)), list(range(n, 0, -1))
        for numbers in (straight, back):
            found = with_pseudonyms(list(range(n)), numbers)
            assert bool(found) == (n == 11), (n, found)
        swapped = [2, 1, *straight[2:]]
        assert with_pseudonyms(list(range(n)), swapped) == []
    assert "follow the order of people in the original" in with_pseudonyms(list(range(11)), list(range(1, 12)))[0]
    mixed = random.Random(4).sample(range(1, 61), 60)
    assert with_pseudonyms(list(range(60)), mixed) == []
    assert with_pseudonyms(list(range(60)), list(range(1, 61)))


def test_pseudonyms_in_the_order_of_names() -> None:
    n = 12
    order = random.Random(5).sample(range(n), n)
    alphabet = [chr(97 + i) * 3 for i in range(n)]
    by_name = [alphabet[order[i]] for i in range(n)]
    found = with_pseudonyms(list(range(n)), [order[i] + 1 for i in range(n)], by_name)
    assert found and "the order of the original's names" in found[0]
    numbered = [f"user{(order[i] + 1) * 7}" for i in range(n)]
    found = with_pseudonyms(list(range(n)), [order[i] + 1 for i in range(n)], numbered)
    assert found and "the order of the numbers in the original's names" in found[0]
    mixed = [*random.Random(6).sample(range(2, n + 1), n - 1), 1]
    assert with_pseudonyms(list(range(n)), mixed, [f"x{(i * 5) % n}y" for i in range(n)]) == []


def test_pseudonyms_that_are_the_names() -> None:
    n = 14
    own = random.Random(7).sample(range(1, n + 1), n)
    found = with_pseudonyms(list(range(n)), own, [str(number) for number in own])
    assert found
    few = own.copy()
    few[:4] = [few[1], few[0], few[3], few[2]]
    names = [str(number) if i >= 3 else "x" for i, number in enumerate(own)]
    assert with_pseudonyms(list(range(n)), own, names) == [f"{n - 3} pseudonyms are what the original calls the same person"]
    names = [str(number) if i >= 4 else "x" for i, number in enumerate(own)]
    assert with_pseudonyms(list(range(n)), own, names) == []


def test_addresses_in_the_order_of_the_original() -> None:
    n = 60
    frame = pl.DataFrame(
        {
            **{"owner": list(range(n)), "time": [None] * n, "payload": [f"/page{i}" for i in range(n)], "visitor": list(range(n))},
            **{"address": [f"10.0.0.{i + 1}" for i in range(n)], "method": ["GET"] * n, "protocol": ["HTTP/1.1"] * n},
            **{"status": [200] * n, "size": [1] * n, "referrer": ["-"] * n, "agent": [FIREFOX] * n},
        },
        schema_overrides={"time": pl.Datetime("us")},
    )
    original = AccessOriginal(Log(frame))

    def shown(addresses: list[int]) -> AccessTable:
        plain = {"address": addresses, "time": [datetime(2024, 1, 1)] * n, "request": [f"GET /page{i} HTTP/1.1" for i in range(n)]}
        rest = {"status": [200] * n, "size": [1] * n, "referrer": ["-"] * n, "agent": [FIREFOX] * n}
        return AccessTable(pl.DataFrame(plain | rest, schema=dict(SCHEMA)))

    assert orders_of(shown(list(range(1, n + 1))), original).faults
    mixed = shown(random.Random(8).sample(range(1, n + 1), n))
    assert orders_of(mixed, original).faults == []
    assert orders_of(mixed, LogOriginal(original.log)).faults == []


@pytest.mark.parametrize(("n", "found"), [(36, False), (37, False), (38, True), (60, True)])
def test_microdata_in_the_order_of_the_original(n: int, found: bool) -> None:
    values = pl.Series([float(i) for i in range(n)])
    original = TableOriginal(Table((Attribute("age", "numeric", values),), np.arange(n)))
    told = orders_of(RowTable(pl.DataFrame({"age": values})), original)
    assert bool(told.faults) == found
    assert bool(told.not_compared) == (n < 38)
    assert orders_of(RowTable(pl.DataFrame({"age": values[1:]})), original).not_compared
    assert not orders_of(RowTable(pl.DataFrame({"other": values})), original).faults
    words = TableOriginal(Table((Attribute("town", "nominal", pl.Series([f"t{i:02}" for i in range(n)])),), np.arange(n)))
    assert bool(orders_of(RowTable(pl.DataFrame({"town": [f"t{i:02}" for i in range(n)]})), words).faults) == found
    mixed = pl.DataFrame({"town": random.Random(1).sample([f"t{i:02}" for i in range(n)], n)})
    assert not orders_of(RowTable(mixed), words).faults
    ranges = pl.DataFrame({"age": [f"{i:02}..{i + 1:02}" for i in range(n)]})
    assert not orders_of(RowTable(ranges.sample(fraction=1, shuffle=True, seed=1)), original).faults


# -- affine queries


def plain_affinity(events: list[tuple[int, str]], shown: list[str], theta: Fraction, longest: int) -> tuple[int, int, list[int]]:
    """The fewest people around a published query, of one, and the people of each published word."""
    asked: dict[str, set[int]] = defaultdict(set)
    for owner, text in events:
        asked[" ".join(text.lower().split())].add(owner)
    weight = {
        key: len(key.split()) * len(people).bit_length()
        for key, people in asked.items()
        if key and len(key.split()) <= longest and (len(key.split()) == 1 or len(people) >= 2)
    }

    def concepts(key: str) -> dict[str, int]:
        words = key.split()
        runs = {" ".join(words[at : at + m]) for m in range(2, longest + 1) for at in range(len(words) - m + 1)}
        return {one: weight.get(one, 1) for one in {*words, *(run for run in runs if run in weight)}}

    people: dict[str, set[int]] = {" ".join(text.lower().split()): set() for text in shown}
    for owner, text in events:
        if text in shown:
            people[" ".join(text.lower().split())].add(owner)
    around = []
    for one, own in people.items():
        mine, near = concepts(one), set(own)
        for other, of_other in people.items():
            theirs = concepts(other)
            common = sum(mine[c] for c in mine.keys() & theirs.keys())
            if 2 * common >= theta * (sum(mine.values()) + sum(theirs.values())):
                near |= of_other
        around.append(len(near))
    words = [
        len({p for key, of in people.items() if word in key.split() for p in of}) for word in {w for key in people for w in key.split()}
    ]
    return min(around), min(map(len, people.values())), words


@pytest.mark.parametrize("theta", ["0.3", "0.5", "0.6666", "1"])
@pytest.mark.parametrize("longest", [1, 2, 3])
def test_people_around_queries(theta: str, longest: int) -> None:
    rng = random.Random(theta + str(longest))
    texts = ["tea", "green tea", "Green  tea", "green tea pot", "tea pot", "pot", "rain", "green", "pot rain tea green"]
    for _ in range(12):
        events = [(rng.randrange(6), rng.choice(texts)) for _ in range(rng.randint(2, 25))]
        shown = rng.sample(sorted({text for _, text in events}), rng.randint(1, len({text for _, text in events})))
        around, alone, words = plain_affinity(events, shown, Fraction(theta), longest)
        original = LogOriginal(Log(pl.DataFrame(events, schema={"owner": pl.Int64, "payload": pl.String}, orient="row")))
        table = Counter(text for _, text in events)
        rows = [text for text in shown for _ in range(table[text])]
        for k in (2, 3):
            claim = QueryAffinity(k=k, theta=float(theta), longest=longest, word_people=2)
            verdict = claim.check(Release({"log": RowTable(pl.DataFrame({"query": rows}))}), original)
            if len(rows) < k:
                assert verdict.witnesses == (f"{len(rows)} row{' is' if len(rows) == 1 else 's are'} published, fewer than {k}",)
                continue
            assert verdict.achieved == {"people": around, "people_of_query": alone, "people_of_word": min(words)}, (events, shown)
            assert verdict.holds == (around >= k and min(words) >= 2)
            rare = sum(n < 2 for n in words)
            assert (f"{rare} published word" in " ".join(verdict.witnesses)) == bool(rare)
            more = claim.check(Release({"log": RowTable(pl.DataFrame({"query": [*rows, rows[0], rows[0]]}))}), original)
            assert "2 published rows have no row of the original" in more.witnesses
            plain = QueryAffinity(k=k, theta=float(theta), longest=longest)
            assert plain.check(Release({"log": RowTable(pl.DataFrame({"query": rows}))}), original).holds == (around >= k)
    empty = Release({"log": RowTable(pl.DataFrame({"query": []}, schema={"query": pl.String}))})
    nothing = QueryAffinity(k=2, word_people=2).check(empty, original)
    assert (nothing.holds, nothing.achieved) == (True, {"people": 0, "people_of_query": 0, "people_of_word": 0})
    blank = QueryAffinity(k=2).check(Release({"log": RowTable(pl.DataFrame({"query": ["a", " ", None]}))}), original)
    assert blank.witnesses == ("2 published rows have no query",)


# -- sequences of words


@pytest.mark.parametrize("words", [2, 5, 40, 3000])
def test_equal_sequences_are_found(words: int) -> None:
    rng = random.Random(words)
    for _ in range(25):
        pool = [tuple(rng.randrange(words) for _ in range(rng.choice([0, 1, 2, 3, 7, 20, 40]))) for _ in range(rng.randint(1, 12))]
        pool += [(*pool[0], 0), pool[0][:-1], (*pool[0][:-1], words - 1)]
        shown = list(dict.fromkeys(one for one in pool if rng.random() < 0.6))
        asked = [rng.choice(pool) for _ in range(rng.randint(1, 15))]

        def sequences(lists: list[tuple[int, ...]]) -> Sequences:
            flat = [n for one in lists for n in one]
            return Sequences(np.cumsum([0, *map(len, lists)]), np.array(flat, np.int32))

        found = places_of_equals(sequences(asked), sequences(shown)).tolist()
        assert found == [shown.index(one) if one and one in shown else -1 for one in asked]
        which = np.array([rng.randrange(len(asked)) for _ in range(4)], np.int64)
        taken = sequences(asked).taken(which)
        assert [tuple(taken.numbers[a:b]) for a, b in zip(taken.starts, taken.starts[1:], strict=False)] == [asked[i] for i in which]
        mapping = np.array([rng.choice([-1, 0, n]) for n in sequences(asked).numbers], np.int32)
        replaced = sequences(asked).replaced(mapping)
        flat = iter(mapping.tolist())
        expected = [[next(flat) for _ in one] for one in asked]
        assert replaced.incomplete().tolist() == [any(n < 0 for n in one) for one in expected]
        left = [tuple(n for n in one if n >= 0) for one in expected]
        assert places_of_equals(replaced, sequences(shown)).tolist() == [shown.index(one) if one and one in shown else -1 for one in left]


def test_words_of_texts() -> None:
    texts = pl.Series(["green tea", "tea", " tea", "tea  pot", "", "tea\tpot", "green tea pot"])
    found = spelled(texts, split=True)
    words = found.words.to_list()
    lists = [[words[n] for n in found.texts.numbers[a:b]] for a, b in zip(found.texts.starts, found.texts.starts[1:], strict=False)]
    assert lists == [text.split() for text in texts.to_list()]
    assert found.odd.tolist() == [False, False, True, True, False, True, False]
    even = found.without_odd()
    assert [int((even.numbers[a:b] >= 0).sum()) for a, b in zip(even.starts, even.starts[1:], strict=False)] == [2, 1, 0, 0, 0, 0, 3]
    whole = spelled(texts, split=False)
    assert whole.words.to_list() == texts.to_list() and whole.texts.sizes.tolist() == [1] * 7
    assert spelled(pl.Series(["a b"]), split=True).without_odd().sizes.tolist() == [2]


@pytest.mark.parametrize("large", [0, 3_610_000_000, 2**40])
def test_different_pairs(large: int) -> None:
    rng = random.Random(large)
    for _ in range(20):
        pairs = [(rng.randrange(4) + large, rng.randrange(4) + large) for _ in range(rng.randint(0, 12))]
        first, second = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
        found = different_pairs(first, second)
        assert list(zip(found[0].tolist(), found[1].tolist(), strict=True)) == sorted(set(pairs))

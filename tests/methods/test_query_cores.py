"""query-cores: its graph and its core from their definitions, by trying all pairs and all sets of queries."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.errors import refuses
from helpers.logs import Event, log_of, published_texts, random_events, shared_by_k
from helpers.query_graphs import affinity, all_cores, asked_queries, is_core, weights, words
from shoal import kernels
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.errors import Infeasible
from shoal.itemsets import affine_queries as graphs
from shoal.methods.query_cores import QueryCores
from shoal.pipeline.contract import made_by
from shoal.text.query_concepts import Concepts, Queries, binary_digits

QUERIES = st.lists(st.sampled_from(["tea", "Green", "kyoto", "the"]), min_size=1, max_size=3).map(" ".join)
EVENTS = st.lists(st.tuples(st.integers(0, 4), QUERIES), min_size=1, max_size=12).filter(lambda rows: len({text for _, text in rows}) <= 8)
THETAS = st.sampled_from([0.1, 0.3, 0.4, 0.5, 2 / 3, 0.75, 0.8, 1.0]).map(lambda theta: round(theta, 6))
TEA: list[Event] = [
    *((n, "green tea") for n in range(4)),
    (4, "green tea kyoto"),
    (5, "Green  Tea cups"),
    (6, "tea"),
    (7, "ann miller elm street"),
]


def kept(events: list[Event], method: QueryCores) -> Counter[str]:
    """What a method publishes; nothing if it refuses."""
    try:
        return published_texts(made_by(method, LogOriginal(log_of(events))))
    except Infeasible:
        return Counter()


# -- concepts


@pytest.mark.parametrize(("number", "digits"), [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (2**40 - 1, 40), (2**40, 41)])
def test_binary_digits(number: int, digits: int) -> None:
    assert binary_digits(np.array([number])).tolist() == [digits] == [number.bit_length()]


@settings(max_examples=150)
@given(EVENTS, st.integers(1, 4))
def test_concepts_are_words_and_phrases_that_people_ask(events: list[Event], longest: int) -> None:
    asked = asked_queries(events)
    texts = pl.Series([text for _, text in events]).unique(maintain_order=True)
    queries = Queries.of(texts)
    names, items = queries.words.vocabulary.names.to_list(), np.split(queries.words.items, queries.words.indptr[1:-1])
    spelled = [tuple(names[word] for word in one) for one in items]
    assert [spelled[number] for number in queries.of_text] == [words(text) for text in texts]
    found = Concepts.of(queries.words, np.array([len(asked[query]) for query in spelled]), longest)
    for number, query in enumerate(spelled):
        mine = found.weights[found.numbers[found.queries == number]]
        assert sorted(mine.tolist()) == sorted(weights(query, asked, longest).values())


def test_a_word_that_nobody_asks_alone_weighs_one_however_frequent_it_is() -> None:
    events = [(n, f"the {name}") for n, name in enumerate("abcdefgh")] + [(n, "tea") for n in range(5)]
    asked = asked_queries(events)
    assert weights(("the", "a"), asked, 3) == {("the",): 1, ("a",): 1}
    assert weights(("tea",), asked, 3) == {("tea",): 3}
    assert weights(("green", "tea"), asked_queries(TEA), 3) == {("green",): 1, ("tea",): 1, ("green", "tea"): 6}


# -- the graph


def graph(events: list[Event], theta: Fraction) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Pairs of affine queries as found, and as defined."""
    asked = asked_queries(events)
    queries = list(asked)
    concepts = Queries.of(pl.Series([" ".join(query) for query in queries]))
    found = graphs.affine_queries(Concepts.of(concepts.words, np.array([len(asked[q]) for q in queries]), 3), theta).tocoo()
    assert (found.data == 1).all()
    near = {(i, j) for i, one in enumerate(queries) for j, other in enumerate(queries) if affinity(one, other, asked) >= theta}
    return set(zip(*(side.tolist() for side in found.coords), strict=True)), near


@settings(max_examples=200)
@given(EVENTS, THETAS)
def test_affine_queries_are_those_of_all_pairs(events: list[Event], theta: float) -> None:
    found, near = graph(events, Fraction(str(theta)))
    assert found == near


def test_work_in_small_pieces_finds_the_same_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    pool = [f"w{n}" for n in range(12)]
    events = [(int(rng.integers(9)), " ".join(rng.choice(pool, rng.integers(1, 5)))) for _ in range(150)]
    monkeypatch.setattr(graphs, "MEETINGS_AT_ONCE", 50)
    monkeypatch.setattr(graphs, "PAIRS_AT_ONCE", 7)
    for theta in (Fraction(1, 5), Fraction(1, 2)):
        found, near = graph(events, theta)
        assert found == near
        assert len(near) > 2 * len(asked_queries(events))


def test_an_affinity_of_exactly_theta_is_enough() -> None:
    asked = asked_queries([(0, "a b"), (1, "a c")])
    assert affinity(("a", "b"), ("a", "c"), asked) == Fraction(1, 2)
    assert graph([(0, "a b"), (1, "a c")], Fraction(1, 2))[0] == {(0, 0), (1, 1), (0, 1), (1, 0)}
    assert graph([(0, "a b"), (1, "a c")], Fraction(500001, 10**6))[0] == {(0, 0), (1, 1)}


# -- the core


@settings(max_examples=60, deadline=None)
@given(EVENTS, THETAS, st.integers(2, 4), st.sampled_from([None, 2, 3]))
def test_the_core_is_the_union_of_all_cores(events: list[Event], theta: float, k: int, word_people: int | None) -> None:
    """All sets of queries are tried. The union of all cores is a core itself, so the largest one is unique, and it is published."""
    asked = asked_queries(events)
    rules = (k, Fraction(str(theta)), word_people or 1)
    largest = frozenset().union(*all_cores(asked, *rules))
    assert is_core(largest, asked, *rules)
    method = QueryCores(k=k, theta=theta, word_people=word_people)
    assert kept(events, method) == Counter(text for _, text in events if words(text) in largest)


def test_removing_a_query_can_remove_its_neighbours() -> None:
    """A chain: the last query has too few people, and after it the next one."""
    chain = [(0, "a b"), (1, "b c"), (2, "c d"), (3, "d e"), (4, "e f"), (5, "e f")]
    assert not kept(chain, QueryCores(k=3, theta=0.5)).keys() & {"a b"}
    assert kept(chain, QueryCores(k=2, theta=0.5)) == Counter(text for _, text in chain)
    assert kept(chain, QueryCores(k=4, theta=0.5)) == {}


def test_removing_a_query_can_make_words_of_others_rare() -> None:
    """The queries share a word, but are not affine: without the first one, too few people use the word of the second."""
    events = [(0, "a b"), (1, "a b"), (2, "b"), (3, "b")]
    assert kept(events, QueryCores(k=2, theta=1.0, word_people=3)) == {}
    assert kept(events, QueryCores(k=2, theta=1.0, word_people=2)) == Counter(text for _, text in events)


def test_refinements_of_a_frequent_query_are_published_and_strangers_are_not() -> None:
    assert kept(TEA, QueryCores(k=4)) == {"green tea": 4, "green tea kyoto": 1, "Green  Tea cups": 1}
    assert kept(TEA, QueryCores(k=4, word_people=2)) == {"green tea": 4}
    assert kept(TEA, QueryCores(k=4, theta=0.1)) == {"green tea": 4, "green tea kyoto": 1, "Green  Tea cups": 1, "tea": 1}


@pytest.mark.parametrize("k", [2, 4, 7])
def test_everything_that_a_threshold_publishes_is_published(k: int) -> None:
    events = random_events(4, 300, 20, 60)
    assert shared_by_k(events, k) <= kept(events, QueryCores(k=k))


def test_one_person_who_asks_many_similar_queries_is_one_person() -> None:
    events = [(0, f"tea {n}") for n in range(9)] + [(1, "tea"), (2, "x"), (3, "y")]
    assert kept(events, QueryCores(k=3, theta=0.1)) == {}
    assert sum(kept(events, QueryCores(k=2, theta=0.1)).values()) == 10


def test_threads_order_and_numbers_of_people_do_not_matter() -> None:
    rng = np.random.default_rng(8)
    pool = [f"w{n}" for n in range(15)]
    events = [(int(rng.integers(30)), " ".join(rng.choice(pool, rng.integers(1, 4)))) for _ in range(250)]
    method, frame = QueryCores(k=4, theta=0.6, word_people=5), log_of(events).frame
    once = kept(events, method)
    assert 0 < sum(once.values()) < len(events)
    for threads in (1, 2):
        mixed = frame[rng.permutation(len(frame))]
        other = Log(mixed.with_columns(owner=pl.Series(rng.permutation(30) * 7)[mixed["owner"].to_list()]))
        with kernels.using(threads=threads):
            assert published_texts(made_by(method, LogOriginal(other))) == once


def test_queries_without_words_are_dropped_and_counted() -> None:
    release = made_by(QueryCores(k=2), LogOriginal(log_of([(0, "tea"), (1, "TEA"), (2, " "), (3, "")])))
    assert release.accounting is not None
    assert release.accounting["rows"].as_dict() == {"in": 4, "published": 2, "dropped: no query": 2}
    assert published_texts(release) == {"tea": 1, "TEA": 1}


@pytest.mark.parametrize("events", [[], [(0, ""), (1, "  ")], [(0, "tea")]])
def test_too_little_to_publish_is_refused(events: list[Event]) -> None:
    for word_people in (None, 2):
        with refuses("nothing-to-publish"):
            made_by(QueryCores(k=2, word_people=word_people), LogOriginal(log_of(events)))


def test_more_pairs_than_fit_into_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    events = [(n, f"tea {n}") for n in range(6)]
    monkeypatch.setattr(graphs, "MOST_PAIRS", 15)
    assert sum(kept(events, QueryCores(k=6)).values()) == 6
    monkeypatch.setattr(graphs, "MOST_PAIRS", 14)
    with refuses("too-many-pairs", limit=14):
        made_by(QueryCores(k=6), LogOriginal(log_of(events)))


def test_what_a_threshold_would_drop_is_counted_in_a_note() -> None:
    release = made_by(QueryCores(k=4), LogOriginal(log_of(TEA)))
    assert any("2 of 3 different published queries were issued by fewer than 4 people, 2 by one person" in note for note in release.notes)


def test_wrong_parameters() -> None:
    for wrong, code in [({"theta": 0.05}, "out-of-range"), ({"theta": 1.1}, "out-of-range"), ({"theta": 0.1234567}, "too-many-decimals")]:
        with refuses(code):
            QueryCores(**wrong)  # type: ignore[arg-type]
    with refuses("out-of-range"):
        QueryCores(word_people=1)

"""Affine queries and cores from their definitions, in plain Python: every pair of queries is compared, and every set of queries tried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations

Query = tuple[str, ...]
Asked = Mapping[Query, frozenset[int]]


def asked_queries(events: Iterable[tuple[int, str]]) -> dict[Query, frozenset[int]]:
    """The people who asked each sequence of words, without the case of A to Z."""
    found: dict[Query, set[int]] = defaultdict(set)
    for owner, text in events:
        found[words(text)].add(owner)
    return {query: frozenset(people) for query, people in found.items() if query}


def words(text: str) -> Query:
    """The words of a text, in small letters."""
    return tuple(text.encode().lower().decode().split())


def weights(query: Query, asked: Asked, longest: int) -> dict[Query, int]:
    """The concepts of a query with their weights."""
    runs = {query[at : at + m] for m in range(1, longest + 1) for at in range(len(query) - m + 1)}
    people = {run: len(asked.get(run, ())) for run in runs}
    return {run: len(run) * max(n, 1).bit_length() for run, n in people.items() if len(run) == 1 or n >= 2}


def affinity(one: Query, other: Query, asked: Asked, longest: int = 3) -> Fraction:
    """Twice the weight of what both have, of the weight of each."""
    mine, theirs = weights(one, asked, longest), weights(other, asked, longest)
    return Fraction(2 * sum(mine[run] for run in mine.keys() & theirs.keys()), sum(mine.values()) + sum(theirs.values()))


def around(query: Query, chosen: Iterable[Query], asked: Asked, theta: Fraction, longest: int = 3) -> frozenset[int]:
    """The people who asked an affine one of the chosen queries, which include the query."""
    return frozenset().union(*(asked[other] for other in chosen if affinity(query, other, asked, longest) >= theta))


def is_core(chosen: Iterable[Query], asked: Asked, k: int, theta: Fraction, word_people: int = 1, longest: int = 3) -> bool:
    """Whether these queries have k people around each, and enough people for each word."""
    there = list(chosen)
    users = {word: frozenset().union(*(asked[q] for q in there if word in q)) for query in there for word in query}
    enough = all(len(around(query, there, asked, theta, longest)) >= k for query in there)
    return enough and all(len(people) >= word_people for people in users.values())


def all_cores(asked: Asked, k: int, theta: Fraction, word_people: int = 1, longest: int = 3) -> list[frozenset[Query]]:
    """Every set of queries that is a core; the empty one is."""
    queries = sorted(asked)
    sets = (frozenset(chosen) for n in range(len(queries) + 1) for chosen in combinations(queries, n))
    return [chosen for chosen in sets if is_core(chosen, asked, k, theta, word_people, longest)]

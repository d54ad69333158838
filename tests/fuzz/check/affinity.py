"""Recount of published queries that are similar to others: the largest set of queries is computed anew, pair by pair, and compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

from fuzz.check.logs import Log
from helpers.checker import Release

Words = tuple[str, ...]


def recount_affinity(release: Release, log: Log, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """The rows that stay, each as often as in the log; and the people around the query that has fewest."""
    published = release.tables["log"]
    people = _people(log)
    core = largest(people, values)
    expected = Counter(row["text"] for row in log.rows if _words(row["text"]) in core)
    wrong = [] if Counter(str(row[log.payload]) for row in published) == expected else ["other rows than those of the core"]
    if {name for row in published for name in row} != {log.payload}:
        wrong.append("further or missing columns")
    theta, longest = Fraction(values["theta"]), int(values["longest"])
    fewest = min((len(_around(query, core, people, theta, longest)) for query in core), default=0)
    alone = min((len(people[query]) for query in core), default=0)
    stated = achieved.get("people", fewest), achieved.get("people_of_query", alone)
    return wrong + ([] if stated == (fewest, alone) else [f"{stated} people are stated of {fewest} and {alone}"])


def staying(log: Log, values: dict[str, str]) -> int:
    """The number of different queries that can be published."""
    return len(largest(_people(log), values))


def _people(log: Log) -> dict[Words, set[str]]:
    found: dict[Words, set[str]] = defaultdict(set)
    for row in log.rows:
        if _words(row["text"]):
            found[_words(row["text"])].add(row["user"])
    return found


def _words(text: str) -> Words:
    return tuple("".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text).split())


def largest(people: dict[Words, set[str]], values: dict[str, str]) -> set[Words]:
    """Queries are removed one at a time, as long as one has too few people around it or a word of too few."""
    k, theta, longest, of_words = int(values["k"]), Fraction(values["theta"]), int(values["longest"]), int(values.get("word_people", 1))
    left = set(people)
    while True:
        users: dict[str, set[str]] = defaultdict(set)
        for query in left:
            for word in query:
                users[word] |= people[query]
        for query in sorted(left):
            if len(_around(query, left, people, theta, longest)) < k or any(len(users[word]) < of_words for word in query):
                left.remove(query)
                break
        else:
            return left


def _around(query: Words, left: set[Words], people: dict[Words, set[str]], theta: Fraction, longest: int) -> set[str]:
    mine = _weights(query, people, longest)
    found: set[str] = set()
    for other in left:
        theirs = _weights(other, people, longest)
        shared = sum(weight for run, weight in mine.items() if run in theirs)
        if Fraction(2 * shared, sum(mine.values()) + sum(theirs.values())) >= theta:
            found |= people[other]
    return found


def _weights(query: Words, people: dict[Words, set[str]], longest: int) -> dict[Words, int]:
    """Words weigh the binary digits of the people who ask them alone, at least 1; phrases of two people or more, times their words."""
    found = {}
    for begin in range(len(query)):
        for end in range(begin + 1, min(len(query), begin + longest) + 1):
            run = query[begin:end]
            n = len(people.get(run, ()))
            if len(run) == 1:
                found[run] = len(f"{max(n, 1):b}")
            elif n > 1:
                found[run] = len(run) * len(f"{n:b}")
    return found

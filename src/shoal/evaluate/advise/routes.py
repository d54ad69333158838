"""The table of decisions: which methods are tried for which goal, on which data, and why.

A row is a candidate. `shoal advise` tries every candidate whose needs the data meets on a sample, and offers those that keep the most
while an attacker finds at most 1 in k people. Which one is best is therefore measured; the table only says what is worth trying. The page
docs/advise.md shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from shoal.evaluate.advise.goals import DataFacts
from shoal.io.read.options import ACCESSLOG
from shoal.methods import METHODS
from shoal.packages import insist_on_extra, is_installed

NONE: Mapping[str, str] = MappingProxyType({})
HISTORIES, COUNTS = "histories", "counts"  # the goals of one record per person, and of no records


@dataclass(frozen=True)
class Candidate:
    """A route that is worth trying.

    Attributes:
        goal: The goal it serves.
        method: The method.
        why: Why it is worth trying.
        protects: What its release protects.
        open: What its release does not protect.
        options: Options about the data, such as `per`.
        settings: Parameters of the method.
        needs: Names of conditions that the data must meet.
        together: How many items of a record k people must have in common for these items to be kept: with a product table, levels are
            tried from the finest one on at which they do.
    """

    goal: str
    method: str
    why: str
    protects: str
    open: str
    options: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    together: int = 2


CONDITIONS: Mapping[str, Callable[[DataFacts], bool]] = {
    "texts": lambda facts: facts.texts,
    "items": lambda facts: not facts.texts,
    "times": lambda facts: facts.timed,
    "log": lambda facts: facts.format != "transactions",
    "access log": lambda facts: facts.format == ACCESSLOG,
    "not an access log": lambda facts: facts.format != ACCESSLOG,
}

WHOLE = "a person's whole record among at least k people, whatever an attacker knows about it"
KNOWN_TWO = "a person among at least k people, for an attacker who knows at most 2 items"
KNOWN_ONE = "a person among at least k people, for an attacker who knows at most 1 item"
MORE_THAN_ONE = "an attacker who knows more than 1 item may find fewer than k people"
MORE_KNOWN = "an attacker who knows more than 2 items may find fewer than k people"
KNOWN_THREE = "a person among at least k people, for an attacker who knows at most 3 items"
MORE_THAN_THREE = "an attacker who knows more than 3 items may find fewer than k people"
KNOWN_FOUR = "a person among at least k people, for an attacker who knows at most 4 items"
MORE_THAN_FOUR = "an attacker who knows more than 4 items may find fewer than k people"
QUERY_TWO = "a single query or event among at least k people, for an attacker who knows at most 2 of its items"
QUERY_MORE = "an attacker who knows more than 2 items, or several events of a person, may find fewer than k people"
SESSION_TWO = "a session among at least k people, for an attacker who knows at most 2 of its pages"
SESSION_MORE = "an attacker who knows more than 2 pages, or several sessions of a person, may find fewer than k people"
NOT_ATTRIBUTES = "what all members of a group have in common is disclosed about each of them"
ON_TOPICS = "generalizes to topics that are learned from the data, instead of categories of a general taxonomy"
ON_TOPICS_AND_WORDNET = (
    "generalizes to topics that are learned from the data, and items that occur with no other to categories of WordNet; "
    "on a log of real searches, records kept 1.5 times the information of those on WordNet alone"
)
NAMES_REVEAL_WORDS = f"names of topics reveal words that at least 2k people use; {NOT_ATTRIBUTES}"
EVENT = "a single query or event among at least k people"
PRIVATE = (
    "(epsilon, delta)-differential privacy: with or without one person, the probability of any set of results is at most e^epsilon times "
    "as large plus delta"
)
LINKED = "several events of one person together are not protected; they are published separately and not linked"
OF_RECORDS = frozenset({WHOLE, KNOWN_ONE, KNOWN_TWO, KNOWN_THREE, KNOWN_FOUR})  # guarantees for each record by itself
SEVERAL = "several records of one person together are not protected"

CANDIDATES: tuple[Candidate, ...] = (
    # -- baskets
    Candidate("baskets", "km", "keeps items as long as no two of them identify a person", KNOWN_TWO, MORE_KNOWN, settings={"m": "2"}),
    Candidate("baskets", "shoal", "the strongest guarantee on whole baskets", WHOLE, NOT_ATTRIBUTES),
    Candidate("baskets", "shoal", ON_TOPICS, WHOLE, NAMES_REVEAL_WORDS, {"taxonomy": "topics"}, needs=("not an access log",)),
    Candidate(
        "baskets", "km", "keeps items as long as no three of them identify a person", KNOWN_THREE, MORE_THAN_THREE, settings={"m": "3"}
    ),
    Candidate(
        "baskets",
        "km",
        "keeps the most items such that no four of them identify a person",
        KNOWN_FOUR,
        MORE_THAN_FOUR,
        settings={"m": "4", "aim": "words"},
    ),
    Candidate("baskets", "coherence", "suppresses rare items and keeps the others as they are", KNOWN_TWO, MORE_KNOWN, settings={"p": "2"}),
    Candidate("baskets", "coherence", "keeps the most items of all", KNOWN_ONE, MORE_THAN_ONE, settings={"p": "1"}, together=1),
    Candidate(
        "baskets",
        "disassociation",
        "keeps all frequent items and counts of pairs, but not which items were bought together",
        KNOWN_TWO,
        "items of few people, if you choose to publish them; the release contains no whole baskets",
        together=1,
    ),
    Candidate(
        "baskets", "hghs", "one cut through the taxonomy for all baskets: simple to analyse", KNOWN_TWO, MORE_KNOWN, settings={"m": "2"}
    ),
    # -- queries
    Candidate(
        "queries",
        "threshold",
        "queries that k people issued are published as typed",
        "at least k people issued every published query; queries are not linked",
        "a query that k people issued is published however revealing it is",
        needs=("texts",),
    ),
    Candidate(
        "queries",
        "threshold",
        "keeps queries of frequent words, even if nobody else combined them",
        "every word of a published query was used by at least k people; queries are not linked",
        "a combination of frequent words may belong to a single person",
        settings={"unit": "term", "rare": "omit"},
        needs=("texts",),
    ),
    Candidate("queries", "shoal", "generalizes rare words instead of dropping them", EVENT, LINKED, {"per": "event"}, needs=("log",)),
    Candidate("queries", "coherence", "keeps frequent words of every query", QUERY_TWO, QUERY_MORE, {"per": "event"}, {"p": "2"}, ("log",)),
    # -- histories
    Candidate("histories", "shoal", "the strongest guarantee on whole histories", WHOLE, NOT_ATTRIBUTES, needs=("not an access log",)),
    Candidate("histories", "shoal", ON_TOPICS, WHOLE, NAMES_REVEAL_WORDS, {"taxonomy": "topics"}, needs=("items", "not an access log")),
    Candidate("histories", "shoal", ON_TOPICS_AND_WORDNET, WHOLE, NAMES_REVEAL_WORDS, {"taxonomy": "topics+wordnet"}, needs=("texts",)),
    Candidate(
        "histories",
        "shoal",
        "sessions are shorter than histories, so more of them is kept",
        "each session among at least k people",
        "a person's whole history of several sessions is not protected",
        {"per": "session"},
        needs=("times",),
    ),
    Candidate(
        "histories",
        "km",
        "keeps items as long as no two of them identify a person",
        KNOWN_TWO,
        MORE_KNOWN,
        settings={"m": "2"},
        needs=("not an access log",),
    ),
    Candidate(
        "histories",
        "km",
        "keeps pages as long as no two of them identify a person",
        SESSION_TWO,
        SESSION_MORE,
        {"per": "session"},
        {"m": "2"},
        ("access log",),
    ),
    Candidate(
        "histories",
        "coherence",
        "suppresses rare items and keeps the others",
        KNOWN_TWO,
        MORE_KNOWN,
        settings={"p": "2"},
        needs=("not an access log",),
    ),
    Candidate(
        "histories",
        "coherence",
        "suppresses rare pages and keeps the others",
        SESSION_TWO,
        SESSION_MORE,
        {"per": "session"},
        {"p": "2"},
        ("access log",),
    ),
    Candidate(
        "histories",
        "coherence",
        "keeps the most items of all",
        KNOWN_ONE,
        MORE_THAN_ONE,
        settings={"p": "1"},
        needs=("not an access log",),
        together=1,
    ),
    Candidate(
        "histories",
        "ssc",
        "publishes words that people actually used, one vocabulary per group",
        "every published vocabulary represents k people",
        NOT_ATTRIBUTES,
        needs=("texts",),
    ),
    Candidate(
        "histories",
        "user-microaggregation",
        "publishes a typical history per group, with whole queries",
        "at least k people share every published history",
        "queries that 2 members of a group issued are published as typed",
        needs=("texts", "times"),
    ),
    # -- access logs
    Candidate(
        "log",
        "accesslog-mdav",
        "publishes an access log in the original format",
        "at least k visitors share every published profile (all requests of a visitor)",
        "a page that 2 members of a group requested is published",
    ),
    # -- counts
    Candidate(
        "counts",
        "dp-queries",
        "whole queries with noisy counts",
        PRIVATE,
        "rare queries are not published at all",
        settings={"unit": "query"},
        needs=("texts",),
    ),
    Candidate(
        "counts",
        "dp-queries",
        "single words with noisy counts",
        PRIVATE,
        "rare words are not published at all",
        settings={"unit": "term"},
        needs=("texts",),
    ),
    Candidate(
        "counts",
        "dp-queries",
        "items with noisy counts",
        PRIVATE,
        "rare items are not published at all",
        settings={"unit": "item"},
        needs=("items",),
        together=1,
    ),
    # -- tables and documents
    Candidate(
        "table",
        "microaggregation",
        "loses the least information about the numbers",
        "at least k people share every published combination of values",
        "columns that are published unchanged; " + NOT_ATTRIBUTES,
    ),
    Candidate(
        "table",
        "mdav",
        "the standard method of the literature, for comparison",
        "at least k people share every published combination of values",
        "columns that are published unchanged; " + NOT_ATTRIBUTES,
    ),
    Candidate(
        "documents",
        "document-vectors",
        "the only method for documents",
        "at least k documents share every published vector",
        "the documents themselves are not published; an author of several documents is protected for each document separately",
    ),
)


def ignores_records(one: Candidate) -> bool:
    """Whether the candidate makes no records or other ones, so a column that keeps the records of a person apart is not used."""
    return one.goal in (HISTORIES, COUNTS) or "per" in one.options


def insist_on_some_method(goal: str) -> None:
    """Raise, before anything is read, if every method for a goal needs an extra that is not installed."""
    extras = [METHODS[one.method].extra for one in CANDIDATES if one.goal == goal]
    if extras and all(extra and not is_installed(extra) for extra in extras):
        insist_on_extra(extras[0])


def candidates_for(goal: str, facts: DataFacts, *, taxonomy_chosen: bool = False) -> list[Candidate]:
    """Return the candidates for a goal that fit this data; none that brings its own taxonomy if one is given."""
    fitting = [one for one in CANDIDATES if one.goal == goal and all(CONDITIONS[need](facts) for need in one.needs)]
    return [one for one in fitting if not (taxonomy_chosen and "taxonomy" in one.options)]

"""Semantic k-anonymity of single queries: publishes the queries that k people issued in similar words.

Carpineto and Romano, "Semantic search log k-anonymization with generalized k-cores of query concept graph", ECIR 2013. A threshold on
people deletes most different queries of a log, although many of them only refine a query that is frequent. Here two queries are affine if
their words and phrases, by weight, are similar enough; the largest set of queries is published in which at least k people issued each query
or an affine one of the set. Unless words are limited too, it contains every query that k people issued themselves.

Guarantee: at least k people issued each published query or a published one that is affine to it. It is not that of `threshold`: a
published query may have been issued by a single person. Time: with an inverted index of the rarest concepts of each query, O(pairs that
meet in one of them); memory for all affine pairs.

Deviations from the paper, of which only the abstract was at hand: weights of concepts are whole numbers of the log instead of
probabilities; affinity is twice the shared weight divided by the sum of both, so that it is compared without rounding; and the words of
published queries can be required to be those of several people.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from shoal.data.accounting import gone, kept
from shoal.data.bags import Ints
from shoal.data.claims import Model
from shoal.data.log import Log
from shoal.data.tables.column_types import Slots
from shoal.data.tables.rows import PAYLOAD
from shoal.errors import Infeasible, option
from shoal.itemsets.affine_queries import CoreRules, Mask, affine_queries, largest_core
from shoal.methods.bases.log_rows import NO_QUERY, SILENT, RemainingRows, RowsMethod
from shoal.parameters import param
from shoal.privacy.query_affinity import LARGEST_PHRASE, LEAST_THETA, QueryAffinity
from shoal.text.query_concepts import Concepts, Queries
from shoal.util.numbers import distinct, distinct_pairs
from shoal.util.wording import counted

RARE = "dropped: fewer than k people asked similar queries"


@dataclass(frozen=True)
class QueryCores(RowsMethod):
    """Publishes rows of a log whose query, or one with similar words and phrases, at least k people issued."""

    name = "query-cores"
    paper = 'Carpineto and Romano, "Semantic search log k-anonymization with generalized k-cores of query concept graph", ECIR 2013'

    k: int = param(5, minimum=2, help="minimum number of people who issued each published query or an affine one")
    theta: float = param(0.5, minimum=LEAST_THETA, maximum=1, help="smallest affinity of queries that count as similar")
    longest: int = param(3, minimum=1, maximum=LARGEST_PHRASE, help="maximum number of words of a phrase that is a concept")
    word_people: int | None = param(
        None, minimum=2, help="minimum number of people who use each word of a published query (default: no minimum)"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.claims()

    @property
    def links_people(self) -> bool:
        """False: nothing links the rows of a person."""
        return False

    @property
    def caution(self) -> str:
        """Words of a single person may be published."""
        if self.word_people is not None:
            return ""
        many = option("word_people", "N")
        return f"a published query may contain words that a single person typed; {many} requires N people for each word"

    def claims(self) -> tuple[Model, ...]:
        """Claim k people around each published query."""
        return (QueryAffinity(k=self.k, theta=self.theta, longest=self.longest, word_people=self.word_people),)

    def columns_of(self, table: str) -> Slots:
        """Return the only column: the query or item."""
        return (tuple(PAYLOAD.values()),)

    def remaining(self, log: Log) -> RemainingRows:
        """Return the rows of the largest core, as typed."""
        found = _IssuedQueries(log)
        core = found.core(self)
        stays = np.flatnonzero(np.append(core, False)[found.of_row])
        if not len(stays):
            raise Infeasible(
                f"no query was issued, in similar words, by {self.k:,} people or more",
                code="nothing-to-publish",
                hint="lower k or theta, or give more data",
                value=len(distinct(found.people_of_row)),
                limit=self.k,
            )
        empty = int((found.of_row < 0).sum())
        outcomes = {"published": kept(len(stays)), NO_QUERY: gone(empty), RARE: gone(len(log) - len(stays) - empty)}
        return RemainingRows(Log(log.frame.select("owner", "payload")[stays], log.kind), stays, outcomes, (SILENT, self._rare(found, core)))

    def _rare(self, found: _IssuedQueries, core: Mask) -> str:
        """Return how many published queries a threshold would have dropped."""
        rare, alone = (int((found.people[core] < n).sum()) for n in (self.k, 2))
        published = f"{rare:,} of {counted(int(core.sum()), 'different published query', 'different published queries')}"
        return (
            f"{published} were issued by fewer than {self.k:,} people, {alone:,} by one person; similar queries of others are published too"
        )


class _IssuedQueries:
    """The different queries of a log, and the people who issued each."""

    def __init__(self, log: Log) -> None:
        texts = log.texts
        self.queries = Queries.of(texts.vocabulary.names)
        self.of_row: Ints = np.append(self.queries.of_text, -1)[texts.items]  # -1: no text
        owners = log.frame["owner"].to_numpy()
        self.people_of_row = np.searchsorted(distinct(owners), owners)
        filled = self.of_row >= 0
        self._issued = distinct_pairs(self.of_row[filled], self.people_of_row[filled])[:2]

    @cached_property
    def people(self) -> Ints:
        """The number of people who issued each query."""
        return np.bincount(self._issued[0], minlength=len(self.queries))

    def core(self, method: QueryCores) -> Mask:
        """Return a mask of the queries in the largest core."""
        import scipy.sparse as sp

        concepts = Concepts.of(self.queries.words, self.people, method.longest)
        n, people = len(self.queries), int(self.people_of_row.max(initial=-1)) + 1
        issuers = sp.csr_array((np.ones(len(self._issued[0]), np.int32), self._issued), shape=(n, people))
        single = concepts.numbers < concepts.n_words
        pairs = concepts.queries[single], concepts.numbers[single]
        words = sp.csr_array((np.ones(int(single.sum()), np.int32), pairs), shape=(n, concepts.n_words))
        affine = affine_queries(concepts, Fraction(str(method.theta)))
        return largest_core(affine, issuers, words, CoreRules(method.k, method.word_people))

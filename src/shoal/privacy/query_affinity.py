"""Query affinity (Carpineto and Romano, ECIR 2013): k people issued each published query, or a published one with similar concepts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.evidence.query_neighbours import AskedQueries, ShownQueries, neighbours
from shoal.util.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import LogOriginal

LEAST_THETA, LARGEST_PHRASE = 0.1, 10
MOST_DECIMALS = 6  # so that affinities are compared in whole numbers
UNKNOWN = "files contain neither the people per query nor the weights of words and phrases, but the original does"


@dataclass(frozen=True)
class QueryAffinity(Model):
    """At least k people issued each published query, or a published query whose affinity to it is at least theta."""

    name = "query-affinity"
    protects = (
        "No published query stands alone: at least k people issued it or a published query that has most of its words and phrases, by "
        "weight, in common with it. With word_people, every published word is one of that many people."
    )
    does_not_protect = (
        "A published query may have been issued by a single person, word by word, and may contain a word that nobody else typed, such as a "
        "name, unless word_people excludes it. Anyone who knows that a person issued it finds it in the release. The k people issued "
        "similar, not equal queries: what they have in common is not hidden, and neither is what only one of them added."
    )
    limits = "It does not guarantee that k people issued a published query itself: a query of a single person may be published."
    judges = frozenset({"rows"})
    level_words = {  # noqa: RUF012 (never changed)
        "people": "different people who issued the published query, or an affine published one, that has fewest such people",
        "people_of_query": "different people who issued, in these words, the published query that fewest people issued",
        "people_of_word": "different people with a published query that contains the word that fewest of them use",
    }
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} published query or one affine to it was issued by {least} {people}",
        "people_of_query": "the rarest query itself was issued by {people}",
        "people_of_word": "{every} word of a query is used by {least} {people}",
    }
    promised_by = {"people": "k", "people_of_word": "word_people"}  # noqa: RUF012 (never changed)

    k: int = param(5, minimum=2, help="minimum number of people who issued each published query or an affine one")
    theta: float = param(0.5, minimum=LEAST_THETA, maximum=1, help="smallest affinity of queries that count as similar")
    longest: int = param(3, minimum=1, maximum=LARGEST_PHRASE, help="maximum number of words of a phrase that is a concept")
    word_people: int | None = param(
        None, minimum=2, help="minimum number of people who use each word of a published query (default: no minimum)"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if Fraction(str(self.theta)).denominator > 10**MOST_DECIMALS:
            raise ParameterError(
                f"theta has at most {MOST_DECIMALS} decimals, unlike {self.theta}", code="too-many-decimals", value=self.theta
            )

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """Return the column of queries: the claim is about nothing else."""
        return frozenset({table.unit})

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return the queries if there is no original to compare them with."""
        return {} if with_original else {table.unit: ""}

    def judge(self, release: Release, original: LogOriginal | None) -> Verdict:
        """Count the people around each published query in the original, whose queries determine the weights."""
        shown = ShownQueries.of(release.only(RowTable))
        broken = [f"{shown.blank:,} published {'row has' if shown.blank == 1 else 'rows have'} no query"] if shown.blank else []
        if 0 < shown.rows < self.k:
            broken.append(f"{counted(shown.rows, 'row is', 'rows are')} published, fewer than {self.k:,}")
        if broken:
            return Verdict(str(self), "fails", {}, tuple(broken))
        if original is None:
            return Verdict(str(self), "not checkable", {}, unchecked=UNKNOWN)
        return self._against(shown, AskedQueries.of(original.log.frame["payload"], original.log.frame["owner"], shown, self.longest))

    def _against(self, shown: ShownQueries, queries: AskedQueries) -> Verdict:
        """Verify people, words and rows with the original."""
        people = neighbours(queries, Fraction(str(self.theta)))
        achieved = {"people": min(people.tolist(), default=0), "people_of_query": queries.fewest_people}
        broken = []
        if short := int((people < self.k).sum()):
            what = counted(short, "different published query has", "different published queries have")
            broken.append(f"{what} fewer than {self.k:,} people who issued it or an affine one")
        if self.word_people is not None:
            of_words = queries.people_of_words()
            achieved["people_of_word"] = min(of_words, default=0)
            if rare := sum(n < self.word_people for n in of_words):
                broken.append(f"{counted(rare, 'published word is', 'published words are')} used by fewer than {self.word_people:,} people")
        if queries.unexplained:
            rows = "row has" if queries.unexplained == 1 else "rows have"
            broken.append(f"{queries.unexplained:,} published {rows} no row of the original")
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken))

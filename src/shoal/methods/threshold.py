"""Thresholds on people: publishes the units of a log that at least k people share.

Cooper, "A survey of query log privacy-enhancing techniques from a policy perspective", ACM TWEB 2008, lists the deletion of infrequent
queries and the shortening of sessions; search companies publish queries, or queries whose words are each frequent, by such thresholds. In
addition, rare words can be replaced by the lowest node of a taxonomy that k people share, while the rest of the query stays. Guarantee: at
least k people have every published unit, counted in what is published. Time: O(rows log rows), one pass over the log; if queries with a
rare word are dropped, one pass for each round in which dropping makes other words rare.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.durations import PERIODS
from shoal.data.pseudonym_scope import PseudonymScope
from shoal.data.query_units import PublishedColumns, Unit
from shoal.errors import ParameterError
from shoal.methods.bases.threshold import DROPPED, Kept, ThresholdMethod
from shoal.parameters import param


@dataclass(frozen=True)
class Threshold(ThresholdMethod):
    """Publishes rows of a log whose query, words or combination of columns at least k people share; can generalize rare words."""

    name = "threshold"
    paper = (
        'after Cooper, "A survey of query log privacy-enhancing techniques from a policy perspective", ACM TWEB 2008; '
        "replacing rare words is our own"
    )

    worth_comparing = True
    compared_at = ({"unit": "query"}, {"unit": "term"})

    k: int = param(5, minimum=2, help="minimum number of people who share each published unit")
    unit: Unit = param(Unit(), help="unit to count: query, term (each word of a query), or columns such as query+url")
    rare: str = param(
        "drop",
        choices=("drop", "omit", "generalize"),
        help="for a query with a rare term: drop the query, omit the term, or generalize the term",
    )
    words: int | None = param(None, minimum=1, help="maximum number of words per published query (default: any number)")
    window: str | None = param(None, choices=PERIODS, help="time window within which k people must share the unit")
    link: PseudonymScope = param(PseudonymScope(), help="which rows of a person share a pseudonym")
    times: str = param(
        DROPPED, choices=(DROPPED, *PERIODS), help="precision of published times: dropped, or rounded down to the hour, day or month"
    )
    columns: PublishedColumns = param(
        PublishedColumns(), help="additional columns to publish, e.g. url=prefix, rank=ranges; all others are dropped"
    )
    group: int | None = param(
        None, minimum=2, help="minimum number of people who share each time and each value of an additional column (default: k)"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        both = set(self.unit.columns) & set(self.columns.names)
        if both:
            raise ParameterError(
                f"the column {min(both)!r} is part of the unit, so it is published with it",
                code="column-role-conflict",
                hint="leave it out of columns",
            )
        self.claims()

    @property
    def kept(self) -> Kept:
        """The settings, from the parameters."""
        return Kept.from_parameters(**self.values())

    @property
    def reads_clicks(self) -> bool:
        """Whether clicks are published."""
        return bool({"rank", "url"} & {*self.unit.columns, *self.columns.names})

    @property
    def reads_times(self) -> bool:
        """Whether times are published, or used for counting or for pseudonyms."""
        return self.times != DROPPED or self.window is not None or self.link.divides_people

"""Thresholds on people: what is published of a log is what at least k people have in common, in units that are declared.

Cooper, "A survey of query log privacy-enhancing techniques from a policy perspective", ACM TWEB 2008, lists the deletion of infrequent
queries and the shortening of sessions; search companies publish queries, or queries whose words are each frequent, by such thresholds.
Beyond them rare words are replaced by the lowest node of a taxonomy that k people share, and the rest of the query stays.
Guarantee: every published unit is of at least k people, counted in what is published. Time: O(rows log rows), one pass over the log; where
queries with a rare word are dropped, one for each round in which dropping makes other words rare.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.periods import PERIODS
from shoal.data.pseudonym_scope import Cut
from shoal.data.query_units import Beside, Unit
from shoal.errors import ParameterError
from shoal.methods import Offer
from shoal.methods.bases.threshold import DROPPED, Kept, ThresholdMethod
from shoal.parameters import param


@dataclass(frozen=True)
class Threshold(ThresholdMethod):
    """Rows of a log with queries, words or combinations of columns that k people share; rare words can be replaced by more general ones."""

    name = "threshold"
    paper = (
        'after Cooper, "A survey of query log privacy-enhancing techniques from a policy perspective", ACM TWEB 2008; '
        "replacing rare words is our own"
    )

    offers = (Offer("every published query was asked by at least k people, and nothing shows which rows are one person's"),)
    worth_comparing = True
    compared_at = ({"unit": "query"}, {"unit": "term"})

    k: int = param(5, minimum=2, help="people who have every published unit in common")
    unit: Unit = param(Unit(), help="what is counted: query, term (each word of a query), or columns such as query+url")
    rare: str = param(
        "drop",
        choices=("drop", "omit", "generalize"),
        help="a query with a rare term is dropped, or the term is left out or replaced",
    )
    words: int | None = param(None, minimum=1, help="most words of a published query; any number by default")
    window: str | None = param(None, choices=PERIODS, help="k people must have the unit within one such window of time")
    link: Cut = param(Cut(), help="which rows of a person have one pseudonym")
    times: str = param(DROPPED, choices=(DROPPED, *PERIODS), help="times are dropped, or told by the beginning of their hour, day or month")
    columns: Beside = param(Beside(), help="further columns to publish, such as url=prefix, rank=ranges; all others are dropped")
    group: int | None = param(None, minimum=2, help="people who have every time and every value of a further column; k by default")

    def __post_init__(self) -> None:
        super().__post_init__()
        both = set(self.unit.columns) & set(self.columns.names)
        if both:
            raise ParameterError(f"the column {min(both)!r} is part of the unit, and is published with it", hint="leave it out of columns")
        self.claims()

    @property
    def kept(self) -> Kept:
        """What is published, as the parameters say."""
        return Kept.said(**self.values())

    @property
    def reads_clicks(self) -> bool:
        """Only where they are published."""
        return bool({"rank", "url"} & {*self.unit.columns, *self.columns.names})

    @property
    def reads_times(self) -> bool:
        """Where they are published, counted by, or cut by."""
        return self.times != DROPPED or self.window is not None or self.link.divides_people

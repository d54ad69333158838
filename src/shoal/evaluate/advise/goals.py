"""Goals: what a publisher wants to do with data, and the data that each goal is for.

`shoal advise` leads by goal. What is known of the data (`DataFacts`) decides which goals fit it and which routes can be taken.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError
from shoal.io.read.options import ACCESSLOG, DOCUMENTS, MICRODATA, PROMPTS
from shoal.util.wording import counted, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from shoal.data.bags import Bags
    from shoal.data.log import Log
    from shoal.data.table import Table
    from shoal.io.read.result import Reading

SECONDS, MOST_SECONDS = 20.0, 86_400.0  # for all routes to a goal together
SHORT_RUN, PART_OF_RUN, MOST_AFTER_RUN = 20.0, 0.5, 20.0  # after a longer run, changes are tried for a part of its time
VARIABLE = "SHOAL_ADVICE"  # of the environment: other seconds for it; with 0 nothing is tried
QUERYLOG, TABLE, TRANSACTIONS = "querylog", "table", "transactions"


@dataclass(frozen=True)
class Goal:
    """A goal of a publisher: its name, its description, and the formats that it fits, the best fit first."""

    name: str
    wish: str
    formats: tuple[str, ...]


GOALS: Mapping[str, Goal] = {
    goal.name: goal
    for goal in (
        Goal("baskets", "share baskets, with the items of one person or purchase kept together", (TRANSACTIONS, TABLE)),
        Goal("queries", "publish what people searched for: single queries, not linked to each other", (QUERYLOG, PROMPTS)),
        Goal("histories", "publish what people did, as one record per person or session", (QUERYLOG, TABLE, PROMPTS, ACCESSLOG)),
        Goal("log", "publish an access log that log tools can read", (ACCESSLOG,)),
        Goal("counts", "publish statistics: how many people searched or bought what, with noise", (QUERYLOG, TABLE, TRANSACTIONS)),
        Goal("table", "publish a table with one row per person", (MICRODATA,)),
        Goal("documents", "publish what documents are about, as weighted terms", (DOCUMENTS,)),
        Goal("audit", "find out what a file made by somebody else protects", (TRANSACTIONS, TABLE, QUERYLOG, ACCESSLOG, MICRODATA)),
    )
}
UNASKED = tuple(name for name in GOALS if name != "audit")  # goals that are proposed unless one is named


def goal_called(name: str) -> Goal:
    """Return the goal of this name.

    Raises:
        ParameterError: There is none.
    """
    if name not in GOALS:
        raise ParameterError(
            f"no goal is called {name!r}", code="unknown-choice", hint=did_you_mean(name, list(GOALS), ", ".join(GOALS)), value=name
        )
    return GOALS[name]


@dataclass(frozen=True)
class DataFacts:
    """Facts about data, from the part that was read.

    Attributes:
        format: The format it was read as.
        people: Number of people in all of the data; estimated where only a part was read.
        rows: Number of rows or records, estimated likewise.
        items: Number of different items in the part that was read; for a table, of columns.
        timed: Whether rows have times.
        texts: Whether rows hold texts, such as queries, and not single items.
        urls: Whether most items look like paths or addresses.
        part: The share of the data that was read.
    """

    format: str
    people: int
    rows: int
    items: int
    timed: bool = False
    texts: bool = False
    urls: bool = False
    part: float = 1.0

    @property
    def words(self) -> str:
        """A description of the data in plain words."""
        about = "" if self.part >= 1 else "about "
        people, rows = counted(self.people, "person", "people"), f"{about}{self.rows:,}"
        sentence = {
            QUERYLOG: f"a log of {rows} queries by {about}{people}",
            PROMPTS: f"{rows} prompts by {about}{people}",
            ACCESSLOG: f"an access log with {rows} requests by {about}{counted(self.people, 'visitor')}",
            TRANSACTIONS: f"{rows} baskets, each of one person, of {counted(self.items, 'different item')}",
            TABLE: f"{rows} rows of a person and an item, by {about}{people}, of {counted(self.items, 'different item')}",
            MICRODATA: f"a table of {rows} rows, each about one person, with {counted(self.items, 'column')}",
            DOCUMENTS: f"{rows} documents",
        }[self.format]
        times = {QUERYLOG: "times", TABLE: "times"}.get(self.format)
        return f"{sentence}, with {times}" if times and self.timed else sentence

    def as_dict(self) -> dict[str, Any]:
        """Return all facts as JSON values."""
        return {**{name: getattr(self, name) for name in self.__dataclass_fields__}, "words": self.words}


def facts_of(reading: Reading) -> DataFacts:
    """Return the facts about data that was read, in whole or in part."""
    from shoal.data.log import Log
    from shoal.data.table import Table
    from shoal.taxonomy.urls import are_urls

    data, part = reading.data, max(reading.part, 1e-9)
    people, rows = _counts(data)
    names = _names(data)
    texts = isinstance(data, Log) and data.kind == "text"
    return DataFacts(
        format=reading.format,
        people=round(people / part),
        rows=round(rows / part),
        items=len(data.attributes) if isinstance(data, Table) else len(names),
        timed=reading.timed or reading.format == ACCESSLOG,
        texts=texts,
        urls=not texts and not isinstance(data, Table) and are_urls(names),
        part=reading.part,
    )


def _names(data: Log | Bags | Table) -> pl.Series:
    """Return the different items; none of a table."""
    import polars as pl

    from shoal.data.bags import Bags
    from shoal.data.log import Log

    if isinstance(data, Bags):
        return data.vocabulary.names
    return data.frame["payload"].unique() if isinstance(data, Log) else pl.Series([], dtype=pl.String)


def _counts(data: Log | Bags | Table) -> tuple[int, int]:
    """People and rows."""
    from shoal.data.log import Log
    from shoal.util.numbers import distinct

    owners = data.frame["owner"].to_numpy() if isinstance(data, Log) else data.owners
    people = len(distinct(owners))
    return people, len(owners)


def fitting_goals(facts: DataFacts) -> tuple[Goal, ...]:
    """Return the goals that data of this format can be for, the best fit first."""
    fitting = [GOALS[name] for name in UNASKED if facts.format in GOALS[name].formats]
    return tuple(sorted(fitting, key=lambda goal: goal.formats.index(facts.format)))


def seconds_after(run: float) -> float:
    """Return how long changes may be tried after a release that took `run` seconds, so that nobody waits much longer because of them.

    After a short run it is 0: trying them would take longer than the release.
    """
    setting = os.environ.get(VARIABLE, "")
    if setting.isdecimal():
        return float(setting)
    return 0.0 if run < SHORT_RUN else min(PART_OF_RUN * run, MOST_AFTER_RUN)

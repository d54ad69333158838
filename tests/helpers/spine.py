"""Small methods and models of the kinds that the spine carries, for tests only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import polars as pl

from shoal.data.accounting import changed, gone, kept
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.methods.bases.log_rows import RemainingRows, RowsMethod
from shoal.methods.bases.noisy_counts import Mechanism, NoisyCounts
from shoal.parameters import param

PEOPLE, ROWS = 37, 211  # numbers that nothing else in an output is likely to be


def a_log() -> Log:
    start = datetime(2006, 3, 1)
    return Log(
        pl.DataFrame(
            {
                "owner": [i % PEOPLE for i in range(ROWS)],
                "time": [start + timedelta(minutes=i) for i in range(ROWS)],
                "payload": ["weather" if i % 3 else f"my name is {i}" for i in range(ROWS)],
                "rank": list(range(ROWS)),
            },
            schema={"owner": pl.Int64, "time": pl.Datetime("us"), "payload": pl.String, "rank": pl.Int64},
        )
    )


@dataclass(frozen=True)
class OneQuery(Model):
    """All rows hold one and the same query."""

    name = "one-query"
    protects = "Nothing."
    does_not_protect = "Anybody."
    limits = "It does not protect anybody."
    judges = frozenset({"rows"})

    def judge(self, release: Release, original: LogOriginal | None) -> Verdict:
        (table,) = release.tables.values()
        assert isinstance(table, RowTable)
        queries = table.frame["query"].n_unique()
        broken = (f"{queries} queries",) if queries > 1 else ()
        return Verdict(str(self), verified_if(not broken), {"queries": queries}, broken)


@dataclass(frozen=True)
class OnlyWeather(RowsMethod):
    """Deletes all but one query."""

    name = "only-weather"
    paper = "none"

    linked: bool = param(True, help="keep pseudonyms")
    broken: bool = param(False, help="delete nothing")

    @property
    def links_people(self) -> bool:
        return self.linked

    def claims(self) -> tuple[Model, ...]:
        return (OneQuery(),)

    def remaining(self, log: Log) -> RemainingRows:
        stays = np.flatnonzero((log.frame["payload"] == "weather").to_numpy() | self.broken)
        told = {"published": kept(len(stays)), "deleted": gone(len(log) - len(stays))}
        return RemainingRows(Log(log.frame[stays], log.kind), stays, told)


@dataclass(frozen=True)
class Noisy(Model):
    """Counts with noise; stands for differential privacy."""

    name = "noisy"
    protects = "Whether a person is in the data."
    does_not_protect = "Anything, in this test."
    limits = "It does not protect anything."
    judges = frozenset({"counts"})
    safe_numbers = frozenset()

    epsilon: float = param(1.0, help="how little the noise is")

    def judge(self, release: Release, original: LogOriginal | None) -> Verdict:
        return Verdict(str(self), "by construction", {"epsilon": self.epsilon})


@dataclass(frozen=True)
class NoisyQueries(Mechanism):
    """Counts one query with noise."""

    name = "noisy-queries"
    paper = "none"
    extra = ""

    def claims(self) -> tuple[Model, ...]:
        return (Noisy(),)

    def counted(self, original: LogOriginal) -> NoisyCounts:
        frame = pl.DataFrame({"query": ["weather"], "count": [1000.5]})
        return NoisyCounts(frame, {"counted": changed(len(original.log))})

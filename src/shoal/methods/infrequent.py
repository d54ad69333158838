"""Infrequent queries deleted: a query stays in the log if enough people asked it.

Cooper, "A survey of query log privacy-enhancing techniques from a policy perspective", ACM TWEB 2008; counted in people, as by Adar,
"User 4XXXXX9: anonymizing query logs", WWW 2007 workshop on Query Log Analysis.
Guarantee: every published query was asked by at least k different people. Time: O(rows), one pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.data.accounting import gone, kept
from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.errors import Infeasible
from shoal.methods.rows import RemainingRows, RowsMethod
from shoal.parameters import param
from shoal.privacy import Model
from shoal.privacy.support import Support

TEXT_ALONE = "a published row is its query alone: who asked it, when, and all other columns are left out"


@dataclass(frozen=True)
class Infrequent(RowsMethod):
    """Rows of a log whose query fewer than k people asked are deleted; the others are published as queries alone."""

    name = "infrequent"
    paper = 'Cooper, "A survey of query log privacy-enhancing techniques from a policy perspective", ACM TWEB 2008'

    k: int = param(5, minimum=2, help="people who asked every published query")

    @property
    def links_people(self) -> bool:
        """Nothing tells which rows are one person's."""
        return False

    def claims(self) -> tuple[Model, ...]:
        """The support of every published query."""
        return (Support(k=self.k),)

    def remaining(self, log: Log) -> RemainingRows:
        """The rows of queries that k people asked, compared letter by letter; rows without a query are told apart."""
        asked = log.frame.select("owner", "payload")
        people = people_per_query(asked)
        stays = rows_of(asked, people.filter(pl.col("people") >= self.k))
        if not len(stays):
            most = int(people["people"].max() or 0)  # type: ignore[arg-type]
            raise Infeasible(
                f"no query was asked by {self.k:,} people or more", hint="lower k, or give more data", value=most, limit=self.k
            )
        empty = int((asked["payload"] == "").sum())
        told = {
            "published": kept(len(stays)),
            "dropped: fewer than k people": gone(len(asked) - len(stays) - empty),
            "dropped: no query": gone(empty),
        }
        return RemainingRows(Log(asked[stays], log.kind), stays, told, (TEXT_ALONE,))


def people_per_query(asked: pl.DataFrame) -> pl.DataFrame:
    """How many different people asked each query; rows without a query count for none."""
    queries = asked.lazy().filter(pl.col("payload") != "")
    return queries.group_by("payload").agg(pl.col("owner").n_unique().alias("people")).collect()


def rows_of(asked: pl.DataFrame, queries: pl.DataFrame) -> Ints:
    """The numbers of the rows that ask one of these queries, in their order."""
    found: Ints = asked.select("payload").with_row_index("row").join(queries, on="payload", how="semi")["row"].sort().to_numpy()
    return found.astype("int64")

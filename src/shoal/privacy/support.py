"""Support: every published query, or item of a log, was asked by at least k different people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.parameters import param
from shoal.privacy import Model, Verdict, verified_if

if TYPE_CHECKING:
    from shoal.data.original_rows import LogOriginal

ROWS_ONLY = "rows were counted: a file does not tell how many people asked a query, and the original does"

LEVELS = {
    "records": "published rows of the rarest published query",
    "people": "different people who asked the published query that fewest people asked",
}


@dataclass(frozen=True)
class Support(Model):
    """Every published query was asked by at least k different people."""

    name = "support"
    protects = "A query that fewer than k people asked, such as a name or an address that only one person searches for, is not published."
    does_not_protect = (
        "A rare combination: nothing is promised about what else stands in a row, or about queries of one person that are linked. "
        "People are counted as the log tells them apart: whoever asks a query under k names, or has k accounts, has it published. "
        "And what k people asked is published however telling it is."
    )
    judges = frozenset({"rows"})
    level_words = LEVELS

    k: int = param(5, minimum=2, help="people who asked every published query")

    @property
    def group_size(self) -> int:
        """Rows of one query are alike, and there are k or more of them."""
        return self.k

    @property
    def asked_by(self) -> int:
        """Queries of k people."""
        return self.k

    def judged_columns(self, table: RowTable) -> frozenset[str]:
        """The query alone."""
        return frozenset({table.unit})

    def judge(self, release: Release, original: LogOriginal | None) -> Verdict:
        """Count the rows of each published query; with the original the people who asked it, and the rows it has there."""
        published = _per_query(release)
        achieved = {"records": _least(published["records"])}
        if original is None:
            return self._from_rows(published, achieved)
        counted = published.join(_asked(original), on="query", how="left").with_columns(pl.col("people", "rows").fill_null(0))
        broken = []
        if short := int((counted["people"] < self.k).sum()):
            broken.append(f"{_queries(short)} asked by fewer than {self.k:,} people")
        if more := int((counted["records"] - counted["rows"]).clip(lower_bound=0).sum()):
            broken.append(f"{more:,} published {'row has' if more == 1 else 'rows have'} no row of the original")
        return Verdict(str(self), verified_if(not broken), achieved | {"people": _least(counted["people"])}, tuple(broken))

    def _from_rows(self, published: pl.DataFrame, achieved: dict[str, int]) -> Verdict:
        """Fewer than k rows are of fewer than k people; of more rows it is not known whose they are."""
        short = int((published["records"] < self.k).sum())
        if short:
            return Verdict(str(self), "fails", achieved, (f"{_queries(short)} published in fewer than {self.k:,} rows",))
        return Verdict(str(self), "not checkable", achieved, unchecked=ROWS_ONLY)


def _per_query(release: Release) -> pl.DataFrame:
    """The rows of every published query."""
    table = release.only(RowTable.kind)
    assert isinstance(table, RowTable)
    return table.frame.select(query=table.unit).group_by("query").agg(records=pl.len().cast(pl.Int64))


def _asked(original: LogOriginal) -> pl.DataFrame:
    """The rows of every query of the original, and the people behind them: different pairs of query and person."""
    events = original.log.frame.select("owner", query="payload")
    pairs = events.group_by("query", "owner").agg(rows=pl.len().cast(pl.Int64))
    return pairs.group_by("query").agg(pl.col("rows").sum(), people=pl.len().cast(pl.Int64))


def _least(numbers: pl.Series) -> int:
    return int(numbers.to_numpy().min()) if len(numbers) else 0


def _queries(n: int) -> str:
    return "1 query was" if n == 1 else f"{n:,} queries were"

"""A query as data: the rows that DuckDB or PostgreSQL returns are read like a frame, batch by batch."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from shoal.errors import ParameterError, option
from shoal.io.read.arrow_stream import ArrowStream
from shoal.io.read.databases import THE_QUERY, DatabaseLimits, Place, started
from shoal.io.read.source import Extent, Portion, Source
from shoal.packages import insist_on_extra
from shoal.parameters import insist_on_text

SQL = "sql"  # what a manifest calls such an input
CALLED = "a query"


@dataclass(frozen=True)
class Query:
    """An SQL query and its database. It can be passed wherever data is accepted.

    Neither the query nor the address of the database is shown: both may be confidential.

    Attributes:
        sql: The query, a SELECT.
        place: The database.
    """

    sql: str = field(repr=False)
    place: Place
    limits: DatabaseLimits | None = field(default=None, repr=False, compare=False)

    @classmethod
    def parse(cls, sql: str | None, source: str | None) -> Query:
        """Make a query from the options; both are needed. Raise if the packages for the database are not installed."""
        if sql is None or source is None:
            present, missing = ("from", "sql") if sql is None else ("sql", "from")
            raise ParameterError(
                f"{option(present)} needs {option(missing)} too",
                code="missing-argument",
                hint=f"such as {option('sql', placeholder=repr('SELECT ...'))} {option('from', placeholder='duckdb:FILE')}",
            )
        if not sql.strip().rstrip(";").strip():
            raise ParameterError(f"{option('sql')} is empty", code="empty-query")
        place = Place.parse(source)
        insist_on_extra("sql")
        return cls(sql, place)

    def within(self, memory: int, place: Path) -> Query:
        """Return the query with limits for an in-process database: this much memory, and this directory for spilled data."""
        return replace(self, limits=DatabaseLimits(memory, place))

    def opened(self, most: Portion | None = None) -> Source:
        """Open the source of its rows, which must be closed. With `most`, only the first rows are wanted."""
        database = self.place.open(self.limits)
        reader = started(database, self.sql)

        def close() -> None:
            with suppress(Exception):  # a connection that is lost cannot end its stream
                reader.close()
            database.close()

        rows = ArrowStream(reader, CALLED, explained=database.explained, cancel=database.cancel, close=close, count=self._count)
        return Source(Path(THE_QUERY), "", b"", True, is_parquet=True, rows=rows, extent=Extent(most))

    def _count(self) -> int:
        """Return the number of all rows, by a separate query."""
        plain = self.sql.strip().rstrip(";")
        source = replace(self, sql=f"SELECT count(*) AS n FROM (\n{plain}\n) AS counted").opened()
        assert source.rows is not None
        try:
            return int(next(source.rows.parts(["n"])).item())
        finally:
            source.close()


def from_sql(query: str, source: str) -> Query:
    """Name the result of an SQL query as data: give it to `anonymize`, `look`, `advise`, `audit` and `attack` instead of a path.

    The query runs when the data is read, once for each time. Its rows arrive in batches, so `memory` limits what a large table takes.
    Nothing is written to the database. Needs the extra `sql`.

    Args:
        query: The query, a SELECT.
        source: "duckdb:shop.db" for a DuckDB file, "duckdb:" for a query that reads files itself (`SELECT * FROM 'sales.parquet'`), or
            a URL such as "postgresql://user@host/database". Give the password in PGPASSWORD or ~/.pgpass, not in a program.

    Returns:
        The data. It shows neither the query nor the address, and a manifest says only that the input was the result of a query.

    Raises:
        ParameterError: The database is of an unknown kind, the query is empty, or the extra is not installed.

    Example:
        >>> rows = "SELECT * FROM (VALUES ('u1', 'Milk'), ('u1', 'Beer'), ('u2', 'Milk')) AS sales(user, item)"
        >>> shoal.read(shoal.from_sql(rows, "duckdb:")).data
        Log(3 events of 2 users, item)
    """
    insist_on_text("query", query)
    insist_on_text("source", source)
    return Query.parse(query, source)

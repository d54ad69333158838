"""Connections to DuckDB and PostgreSQL, which only read the result of one query, as Arrow batches.

Messages of a database or its driver may quote the query, values, the user and the password. So they are never shown: the type of error
selects a message of shoal. Nothing is written: DuckDB opens files read-only, and the transaction in PostgreSQL is read-only.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from shoal import _kernels, kernels
from shoal.errors import InputError, ParameterError, option
from shoal.io import partial_outputs
from shoal.io.read.arrow_stream import waited
from shoal.io.read.source import open_regular, translated

ROWS_AT_ONCE = 100_000
CONNECT_SECONDS = 15
THE_QUERY = "the query"
DUCK, POSTGRES = "DuckDB", "PostgreSQL"


@dataclass(frozen=True)
class DatabaseLimits:
    """Limits of an in-process database: bytes of memory, and the directory for spilled data. None means no limit."""

    memory: int
    place: Path


class Database(Protocol):
    """An open connection. It is used by one thread at a time, but `cancel` is called by another."""

    def run(self, sql: str) -> Any:
        """Start a query. Returns its rows as a pyarrow reader."""

    def cancel(self) -> None:
        """Stop the running query."""

    def close(self) -> None:
        """Close the connection."""

    def explained(self, error: Exception) -> InputError:
        """Return shoal's error for an exception of the driver."""


# -- DuckDB


# Types of query failures: message, code and hint for each.
TABLE, COLUMN, SYNTAX, DENIED, MEMORY, VALUE, NO_SELECT, FILE = "table", "column", "syntax", "denied", "memory", "value", "select", "file"
WORDS = {
    TABLE: "names a table, view or function that the database does not have",
    COLUMN: "names a column that is not there, or combines values that do not fit",
    SYNTAX: "is not valid SQL for this database",
    DENIED: "is not permitted to this user, or would change something",
    MEMORY: "needs more memory than there is",
    VALUE: "fails on a value, such as a number that cannot be converted",
    NO_SELECT: "is not one SELECT",
    FILE: "reads a file that is not there, or not of its format",
}
CODES = {
    TABLE: "sql-table-missing",
    COLUMN: "sql-column-missing",
    SYNTAX: "sql-syntax",
    DENIED: "sql-not-permitted",
    MEMORY: "sql-out-of-memory",
    NO_SELECT: "sql-not-a-select",
    FILE: "sql-file-unreadable",
}
HINTS = {MEMORY: f"see {option('memory')}", NO_SELECT: "it must return rows, and change nothing"}


def _query_fails(kind: str) -> InputError:
    return InputError(f"{THE_QUERY} {WORDS[kind]}", code=CODES.get(kind, "sql-failed"), hint=HINTS.get(kind, ""))


def _lost() -> InputError:
    return InputError("the connection to the database was lost before all rows had arrived", code="database-connection-lost")


DUCKDB = {
    "CatalogException": TABLE,
    "BinderException": COLUMN,
    "ParserException": SYNTAX,
    "SyntaxException": SYNTAX,
    "PermissionException": DENIED,
    "InvalidInputException": VALUE,
    "IOException": FILE,
    "HTTPException": FILE,
    "OutOfMemoryException": MEMORY,
}
PREFIXES = {"Out of Memory Error": MEMORY, "IO Error": FILE}  # of messages that arrive through Arrow, where kinds are lost


class DuckDB:
    """A DuckDB file, opened read-only, or an in-memory database, which reads files that the query names."""

    def __init__(self, file: str, limits: DatabaseLimits | None) -> None:
        import duckdb

        # Otherwise, a name that is not a table would be looked up among the variables of the program.
        settings: dict[str, Any] = {"threads": kernels.threads(), "python_enable_replacements": False, "temp_directory": ""}
        self._work = None if limits is None else partial_outputs.begin(limits.place / "sql")
        if limits is not None:
            settings |= {"memory_limit": f"{limits.memory}B", "temp_directory": str(self._work)}
        try:
            self._connection = duckdb.connect(file or ":memory:", read_only=bool(file), config=settings)
        except duckdb.Error:
            self._end_work()
            raise InputError(
                f"{file} is not a DuckDB database, or another program has it open for writing", code="not-a-duckdb-database"
            ) from None

    def run(self, sql: str) -> Any:
        """Start a query. Only SELECT is allowed: other statements of DuckDB write files, even from a read-only database."""
        statements = self._connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type.name != "SELECT":
            raise _query_fails(NO_SELECT)
        return self._connection.sql(sql).to_arrow_reader(ROWS_AT_ONCE)

    def cancel(self) -> None:
        """Stop the running query."""
        self._connection.interrupt()

    def close(self) -> None:
        """Close the database, and remove its spilled data."""
        self._connection.close()
        self._end_work()

    def _end_work(self) -> None:
        if self._work is not None:
            partial_outputs.discard(self._work)

    def explained(self, error: Exception) -> InputError:
        """Return shoal's error for an exception of DuckDB."""
        found = DUCKDB.get(type(error).__name__)
        if found is None and isinstance(error, OSError):
            found = PREFIXES.get(str(error).partition(":")[0])
        return _query_fails(found or VALUE)


# -- PostgreSQL


SQLSTATES = {  # by the class, or the whole, of the code that PostgreSQL gives
    "42P01": TABLE,
    "42883": TABLE,
    "3F000": TABLE,
    "42703": COLUMN,
    "42804": COLUMN,
    "42601": SYNTAX,
    "42501": DENIED,
    "25006": DENIED,
    "53200": MEMORY,
}


class PostgreSQL:
    """A connection to a PostgreSQL server, by ADBC."""

    def __init__(self, url: str) -> None:
        import adbc_driver_postgresql.dbapi as driver

        self._cursor: Any = None
        try:
            self._connection = waited(lambda: driver.connect(_with_timeout(url)), lambda: None)
        except driver.Error as error:
            raise _not_connected(str(error)) from None

    def run(self, sql: str) -> Any:
        """Start a query in a read-only transaction."""
        self._cursor = self._connection.cursor()
        self._cursor.execute("SET TRANSACTION READ ONLY")
        self._cursor.execute(sql)
        if self._cursor.description is None:
            raise _query_fails(NO_SELECT)
        return self._cursor.fetch_record_batch()

    def cancel(self) -> None:
        """Stop the running query."""
        if self._cursor is not None:
            with suppress(Exception):
                self._cursor.adbc_cancel()

    def close(self) -> None:
        """Close the connection, which may be lost already."""
        for held in (self._cursor, self._connection):
            with suppress(Exception):
                held.close()

    def explained(self, error: Exception) -> InputError:
        """Return shoal's error for an exception of the driver or the server."""
        state = getattr(error, "sqlstate", None)
        if state is None:  # while rows arrive, only a text is left of the error
            return _query_fails(VALUE) if "ERROR:" in str(error) else _lost()
        if state.startswith(("08", "57P")):
            return _lost()
        return _query_fails(SQLSTATES.get(state, VALUE))


def _with_timeout(url: str) -> str:
    """Add a connection timeout to the address, unless it has one."""
    if "connect_timeout" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}connect_timeout={CONNECT_SECONDS}"


def _not_connected(text: str) -> InputError:
    if "FATAL" in text:  # the server has answered
        return InputError(
            "the PostgreSQL server refuses the connection: the user, the password or the database is wrong",
            code="database-login-refused",
            hint="give the password in PGPASSWORD or ~/.pgpass",
        )
    return InputError(
        "the PostgreSQL server cannot be reached, or its address is not a valid URL",
        code="database-not-reached",
        hint="such as postgresql://user@host:5432/database",
    )


# -- choosing


@dataclass(frozen=True)
class Place:
    """The database of a query. The address may contain a password, so it is never shown."""

    kind: str
    address: str = field(repr=False)

    @classmethod
    def parse(cls, source: str) -> Place:
        """Parse the database that a user names. Raise if its kind is unknown."""
        if source.startswith("duckdb:"):
            return cls(DUCK, source.removeprefix("duckdb:"))
        if source.startswith(("postgresql://", "postgres://")):
            return cls(POSTGRES, source)
        raise ParameterError(
            "a query is sent to DuckDB or PostgreSQL",
            code="unknown-database",
            hint=f"use {option('from', placeholder='duckdb:FILE')}, {option('from', placeholder='duckdb:')} or "
            f"{option('from', placeholder='postgresql://...')}",
        )

    @property
    def shown(self) -> str:
        """The database as it may be shown: without parts of an address that could be a user or a password."""
        return f"duckdb:{self.address}" if self.kind == DUCK else "postgresql://..."

    @property
    def is_file(self) -> bool:
        """Whether the address is the path of a file."""
        return self.kind == DUCK and bool(self.address)

    def open(self, limits: DatabaseLimits | None) -> Database:
        """Open a connection."""
        if self.kind == POSTGRES:
            return PostgreSQL(self.address)
        if self.is_file:
            with translated(Path(self.address)), open_regular(Path(self.address)):
                pass  # it is there, and may be read
        return DuckDB(self.address, limits)


def started(database: Database, sql: str) -> Any:
    """Return the reader of a query's rows; close the connection on errors."""
    try:
        return waited(lambda: database.run(sql), database.cancel)
    except (InputError, _kernels.Cancelled, KeyboardInterrupt):
        database.close()
        raise
    except Exception as error:
        explained = database.explained(error)
        database.close()
        raise explained from None

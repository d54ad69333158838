"""A large table in a database: time and memory of a release from DuckDB and PostgreSQL, beside the same rows in a Parquet file.

    python benchmarks/sql_input.py [--rows 10000000] [--memory 1G] [--postgresql postgresql://user@host/database]

Makes the table in each database and drops it again, so the user of PostgreSQL must be allowed to create one. Each run is a process of its
own, from the rows to the written release. Needs the extra `sql`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from common import show
from scale import ran

TABLE = "shoal_benchmark_sales"
PEOPLE_SHARE = 20  # rows of a person
ITEMS = 300
# The same rows in both dialects: item numbers with a skewed distribution, without any random function.
COLUMNS = f"""'u' || (n % {{people}}) AS "user",
    'item ' || floor({ITEMS} * ((n * 7919) % 1000) / 1000.0 * ((n * 104729) % 997) / 997.0) AS item"""


def columns(rows: int) -> str:
    return COLUMNS.format(people=max(1, rows // PEOPLE_SHARE))


def in_duckdb(rows: int, place: Path) -> Path:
    """The table in a file of DuckDB, and beside it in Parquet."""
    import duckdb

    with duckdb.connect(place / "sales.db") as database:
        database.execute(f"CREATE TABLE {TABLE} AS SELECT {columns(rows)} FROM range({rows}) AS t(n)")
        database.execute(f"COPY {TABLE} TO '{place}/sales.parquet'")
    return place / "sales.db"


def in_postgresql(rows: int, address: str, *, make: bool) -> None:
    """Make the table, or drop it."""
    import adbc_driver_postgresql.dbapi as driver

    with driver.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {TABLE}")
        if make:
            cursor.execute(f"CREATE TABLE {TABLE} AS SELECT {columns(rows)} FROM generate_series(0::bigint, {rows} - 1) AS t(n)")


def measured(source: str, memory: str, *words: str) -> dict[str, Any]:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as place:
        options = ("--effort", "fast", "--taxonomy", "generated", "--memory", memory, "--out", f"{place}/release", "--json")
        run = ran("-m", "shoal", "anonymize", *words, *options)
    return {"source": source, "seconds": round(run.clock), "processor": round(run.seconds), "peak MB": round(run.megabytes)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--postgresql", metavar="URL")
    options = parser.parse_args()
    query = ("--sql", f"SELECT * FROM {TABLE}", "--from")
    with tempfile.TemporaryDirectory() as place:
        database = in_duckdb(options.rows, Path(place))
        lines = [
            measured("Parquet file", options.memory, f"{place}/sales.parquet"),
            measured("DuckDB", options.memory, *query, f"duckdb:{database}"),
        ]
    if options.postgresql:
        in_postgresql(options.rows, options.postgresql, make=True)
        try:
            lines.append(measured("PostgreSQL", options.memory, *query, options.postgresql))
        finally:
            in_postgresql(options.rows, options.postgresql, make=False)
    show(f"{options.rows:,} rows with --memory {options.memory}", lines)


if __name__ == "__main__":
    main()

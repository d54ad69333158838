"""Reads a Parquet file and throws it away: a program for a process of its own, because damaged files can end the process that reads them.

Usage: python parquet_trial.py FILE ROWS-AT-ONCE PIECES [--all | COLUMN ...]. Without columns only the file's schema is read. PIECES is 1
where only the first rows are wanted, else `all`. Exit code 0 says that these could be read. It imports nothing of shoal, so that it
starts quickly.
"""

from __future__ import annotations

import sys

import polars as pl


def trial(path: str, rows_at_once: int, pieces: str, names: list[str]) -> None:
    """Read the schema, and these columns slice by slice."""
    pl.read_parquet_schema(path)
    if not names:
        return
    table = pl.scan_parquet(path).select(pl.all() if names == ["--all"] else names)
    start = 0
    while len(part := table.slice(start, rows_at_once).collect()):
        start += len(part)
        if pieces == "1":
            return


if __name__ == "__main__":
    trial(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:])

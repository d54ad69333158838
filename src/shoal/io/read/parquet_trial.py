"""Reads a Parquet file and throws it away: a program for a process of its own, because damaged files can end the process that reads them.

Usage: python parquet_trial.py FILE ROWS-AT-ONCE [--all | COLUMN ...]. Without columns only the file's schema is read. Exit code 0 says
that all could be read. It imports nothing of shoal, so that it starts quickly.
"""

from __future__ import annotations

import sys

import polars as pl


def trial(path: str, rows_at_once: int, names: list[str]) -> None:
    """Read the schema, and these columns slice by slice."""
    pl.read_parquet_schema(path)
    if not names:
        return
    table = pl.scan_parquet(path).select(pl.all() if names == ["--all"] else names)
    start = 0
    while len(part := table.slice(start, rows_at_once).collect()):
        start += len(part)


if __name__ == "__main__":
    trial(sys.argv[1], int(sys.argv[2]), sys.argv[3:])

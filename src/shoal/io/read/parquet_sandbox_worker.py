"""Reads Parquet files and throws them away: a program for a process of its own, because damaged files can end the process that reads them.

Usage: python parquet_trial.py HANDLE. Each line of standard input asks for one file, as a list in JSON: the path, how many rows are read
at once, how many rows are enough (null: all of them), and the columns (null: all of them; none: the schema alone). A byte written to the
open file with this number says that these could be read; where they could not, the process ends. It also ends when nobody asks for a
while. It imports nothing of shoal, so that it starts quickly.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys

import polars as pl

PATIENCE = 30  # seconds
READ = b"."


def trial(path: str, rows_at_once: int, most_rows: int | None, names: list[str] | None) -> None:
    """Read the schema, and these columns slice by slice."""
    pl.read_parquet_schema(path)
    if names == []:
        return
    table = pl.scan_parquet(path).select(pl.all() if names is None else names)
    start = 0
    while len(part := table.slice(start, rows_at_once).collect()):
        start += len(part)
        if most_rows is not None and start >= most_rows:
            return


def main() -> None:
    """Answer one line after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks is interrupted too, and ends this process
    asked, answers = sys.stdin.buffer, int(sys.argv[1])
    while select.select([asked], [], [], PATIENCE)[0] and (line := asked.readline()):
        trial(*json.loads(line))
        os.write(answers, READ)


if __name__ == "__main__":
    main()

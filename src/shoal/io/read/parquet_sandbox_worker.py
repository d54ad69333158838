"""Reads Parquet files and discards the result: a program for a separate process, because damaged files can abort the process that reads
them.

Usage: python parquet_sandbox_worker.py HANDLE. Each line of standard input requests one file, as a JSON list: the path, the number of rows
per slice, how many rows are enough (null: all of them), and the columns (null: all of them; empty: only the schema). A byte written to the
open file with this number means success; on failure, the process ends. It also ends if there is no request for a while. It imports nothing
of shoal, so that it starts quickly.
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
    requests, answers = sys.stdin.buffer, int(sys.argv[1])
    while select.select([requests], [], [], PATIENCE)[0] and (line := requests.readline()):
        trial(*json.loads(line))
        os.write(answers, READ)


if __name__ == "__main__":
    main()

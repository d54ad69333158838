"""Writes a synthetic query log in AOL format, block by block; it gets its name only when it is complete."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.errors import OutputError
from shoal.io.atomic_file import whole_file
from shoal.synthetic.query_blocks import GeneratedFacts
from shoal.synthetic.querylog import QueryLog

HEADER = b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

Progress = Callable[[str, int, int], None]


def write_log(log: QueryLog, path: Path, *, force: bool = False, progress: Progress | None = None) -> GeneratedFacts:
    """Write the log, compressed if the name ends in .gz. An existing file is kept unless `force`."""
    if path.suffix in {".zst", ".bz2", ".xz", ".zip", ".parquet"}:
        raise OutputError(f"a query log cannot be written as {path.suffix}", code="unknown-output-format", hint="name it .tsv or .tsv.gz")
    done = GeneratedFacts(0, 0, 0, 0, 0)
    with whole_file(path, force) as out:
        out.write(HEADER)
        for rows, facts in log.blocks():
            rows.write_csv(out, separator="\t", include_header=False, quote_style="never")
            done += facts
            if progress is not None:
                progress("writing searches", done.users, log.users)
    return done


def generate(
    path: Path, users: int, seed: int = 0, *, force: bool = False, progress: Progress | None = None, **parameters: Any
) -> GeneratedFacts:
    """Write a synthetic query log of this many users; other arguments are the parameters of `QueryLog`."""
    return write_log(QueryLog(users=users, seed=seed, **parameters), path, force=force, progress=progress)

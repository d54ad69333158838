"""Writing a synthetic query log: as AOL's, block by block, and under its name only when it is complete."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from shoal.errors import OutputError
from shoal.io import unfinished
from shoal.synthetic.querylog import GeneratedFacts, QueryLog

HEADER = b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

Progress = Callable[[str, int, int], None]


def write_log(log: QueryLog, path: Path, *, force: bool = False, progress: Progress | None = None) -> GeneratedFacts:
    """Write the log, packed where the name ends in .gz. A file that is there stays, unless `force`."""
    done = GeneratedFacts(0, 0, 0, 0, 0)
    with _whole_file(path, force) as out:
        out.write(HEADER)
        for rows, facts in log.blocks():
            rows.write_csv(out, separator="\t", include_header=False, quote_style="never")
            done += facts
            if progress is not None:
                progress("writing searches", done.users, log.users)
    return done


def generate(
    path: Path, users: int, seed: int = 0, *, force: bool = False, progress: Progress | None = None, **said: Any
) -> GeneratedFacts:
    """Write a synthetic query log of so many users; what else may be said are the parameters of `QueryLog`."""
    return write_log(QueryLog(users=users, seed=seed, **said), path, force=force, progress=progress)


@contextmanager
def _whole_file(path: Path, force: bool) -> Iterator[IO[bytes]]:
    """A file that appears under its name only when it is complete."""
    if path.suffix in {".zst", ".bz2", ".xz", ".zip", ".parquet"}:
        raise OutputError(f"a query log cannot be written as {path.suffix}", hint="name it .tsv or .tsv.gz")
    if path.is_dir():
        raise OutputError(f"{path} is a directory", hint="name a file")
    if path.exists() and not force:
        raise OutputError(f"{path} is there already", hint="overwrite it with --force")
    if not path.parent.is_dir():
        raise OutputError(f"there is no directory {path.parent}")
    partial = unfinished.begin(path, directory=False)
    try:
        with partial.open("wb") as file:
            # Without name and time in its head, so that the same log is the same bytes.
            packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if path.suffix == ".gz" else None
            yield cast(IO[bytes], packed or file)
            if packed:
                packed.close()
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        unfinished.discard(partial)

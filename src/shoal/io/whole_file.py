"""A single file that appears under its name only when it is complete."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from shoal.errors import OutputError
from shoal.io import partial_outputs as unfinished
from shoal.io.release_directory import disk_errors, insist_outside_releases


@contextmanager
def whole_file(path: Path, force: bool) -> Iterator[IO[bytes]]:
    """A new file, packed where its name ends in .gz. One that is there stays, unless `force`; nothing is left of one that fails."""
    if path.is_dir():
        raise OutputError(f"{path} is a directory", hint="name a file")
    if path.exists() and not force:
        raise OutputError(f"{path} is there already", hint="overwrite it with --force")
    if not path.parent.is_dir():
        raise OutputError(f"there is no directory {path.parent}")
    insist_outside_releases(path.parent)
    own = unfinished.begin(path)
    try:
        with (own / unfinished.CONTENT).open("xb") as file:
            # Without name and time in its head, so that the same content is the same bytes.
            packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if path.suffix == ".gz" else None
            yield cast(IO[bytes], packed or file)
            if packed:
                packed.close()
            file.flush()
            os.fsync(file.fileno())
        (own / unfinished.CONTENT).replace(path)
    finally:
        unfinished.discard(own)


def write_page(path: Path, page: str, force: bool) -> None:
    """Write a page of text as a new file."""
    with disk_errors(str(path)), whole_file(path, force) as out:
        out.write(page.encode())

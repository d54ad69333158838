"""A single file that gets its name only when it is complete."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from shoal.errors import OutputError, option
from shoal.io import partial_outputs as unfinished
from shoal.io.release_directory import disk_errors, insist_on_directory, insist_outside_releases, release_around


@contextmanager
def whole_file(path: Path, force: bool, check: Callable[[Path], None] | None = None) -> Iterator[IO[bytes]]:
    """Create a file, compressed if its name ends in .gz. An existing file is kept unless `force`; a failed one is removed.

    `check` is called with the path of the complete file before it gets its name; if it raises, the file is removed.
    """
    if path.is_dir():
        raise OutputError(f"{path} is a directory", code="output-is-a-directory", hint="name a file")
    if path.exists() and not path.is_file():  # a device or a pipe would be replaced by a file
        raise OutputError(f"{path} is not a regular file", code="output-exists", hint="name a new file")
    if path.exists() and not force:
        raise OutputError(f"{path} exists already", code="output-exists", hint=f"overwrite it with {option('force', True)}")
    insist_on_directory(path.parent)
    insist_outside_releases(path.parent)
    own = unfinished.begin(path)
    try:
        with (own / unfinished.CONTENT).open("xb") as file:
            # No name and time in the gzip header, so that equal content gives equal bytes.
            packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if path.suffix == ".gz" else None
            yield cast(IO[bytes], packed or file)
            if packed:
                packed.close()
            file.flush()
            os.fsync(file.fileno())
        if check is not None:
            check(own / unfinished.CONTENT)
        (own / unfinished.CONTENT).replace(path)
    finally:
        unfinished.discard(own)


def write_page(path: Path, page: str, force: bool) -> None:
    """Write a page of text as a new file."""
    with disk_errors(str(path)), whole_file(path, force) as out:
        out.write(page.encode())


# A file that must not be published: never inside a release, readable only by its owner, and never overwriting another file by default.


class PrivateFile:
    """A page of a user's data. `check` is called before the work."""

    def __init__(self, path: Path, release: Path, *, force: bool = False) -> None:
        self._path = Path(os.path.realpath(path))
        self._release = Path(os.path.realpath(release))
        self._force = force

    def check(self) -> None:
        """Raise if the file would be part of a release, or cannot be written: a file is begun next to it, and removed."""
        self._check_place()
        with disk_errors(str(self._path)), unfinished.scratch(self._path):
            pass

    def _check_place(self) -> None:
        if self._release in (self._path, *self._path.parents) or release_around(self._path.parent) is not None:
            raise OutputError(
                f"{self._path} is inside a release, but this page is not for publication",
                code="inside-a-release",
                hint="give a path elsewhere",
            )
        insist_on_directory(self._path.parent)
        if self._path.is_dir() or (self._path.exists() and not self._force):
            raise OutputError(
                f"{self._path} exists already",
                code="output-exists",
                hint=f"give another path, or {option('force', True)} to replace the file",
            )

    def clear(self) -> list[str]:
        """Remove what killed runs left next to the file, and return a line for each."""
        return unfinished.clear(self._path.parent)

    def write(self, page: str) -> None:
        """Write the page, after checking its location again; an incomplete file is removed."""
        self._check_place()
        with disk_errors(str(self._path)), unfinished.scratch(self._path) as own:
            fresh = own / unfinished.CONTENT
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(page)
            fresh.replace(self._path)

"""A file that must not be published: never inside a release, readable by its owner alone, and never over another file unasked."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.errors import OutputError
from shoal.io import partial_outputs as unfinished
from shoal.io.release_directory import MANIFEST, disk_errors


class PrivateFile:
    """A page of a user's data. `check` is asked before the work."""

    def __init__(self, path: Path, release: Path, *, force: bool = False) -> None:
        self._path = Path(os.path.realpath(path))
        self._release = Path(os.path.realpath(release))
        self._force = force

    def check(self) -> None:
        """Raise where the file would be part of a release, or could not be written."""
        places = [self._path, *self._path.parents]
        if self._release in places or any((place / MANIFEST).exists() for place in places[1:]):
            raise OutputError(f"{self._path} lies inside a release, and this page is not for publication", hint="give a path elsewhere")
        if not self._path.parent.is_dir():
            raise OutputError(f"there is no directory {self._path.parent}", hint="create it first")
        if self._path.is_dir() or (self._path.exists() and not self._force):
            raise OutputError(f"{self._path} is there already", hint="give another path, or --force to replace the file")

    def clear(self) -> list[str]:
        """Remove what killed runs left next to the file; a line for each."""
        return unfinished.clear(self._path.parent)

    def write(self, page: str) -> None:
        """Write the page, after looking again where it goes; what could not be written whole is removed."""
        self.check()
        with disk_errors(str(self._path)), unfinished.scratch(self._path) as own:
            fresh = own / unfinished.CONTENT
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(page)
            fresh.replace(self._path)

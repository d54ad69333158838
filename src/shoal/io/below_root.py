"""Paths that a browser may name: those below one folder, and nothing that a symbolic link leads out of it."""

from __future__ import annotations

import os
from pathlib import Path

from shoal.errors import InputError

MOST_NAMES = 50
LONGEST_PATH = 4096


class Root:
    """The folder below which files may be opened by path."""

    def __init__(self, folder: Path) -> None:
        """Take a folder.

        Raises:
            InputError: It is not a folder.
        """
        self.path = Path(os.path.realpath(folder))
        if not self.path.is_dir():
            raise InputError(f"{folder} is not a folder", code="no-such-directory", hint="name the folder that contains your files")

    def inside(self, typed: str) -> Path:
        """Return the file or folder of a path, which is relative to the root or absolute.

        Raises:
            InputError: It is outside, also by a symbolic link, or does not exist. Both give the same error, so that nobody learns from it
                what is outside.
        """
        try:
            path = self._resolved(typed)
            found = path is not None and (path.is_file() or path.is_dir())
        except OSError:
            found = False
        if not found or path is None:
            raise InputError("there is no such file below the root folder", code="outside-root", hint="drop the file on the page instead")
        return path

    def still_has(self, path: Path) -> bool:
        """Whether a file that was opened before is still where it was, and no part of its path was replaced by a link."""
        return self._resolved(str(path)) == path and path.exists()

    def names(self, typed: str) -> list[str]:
        """Completions of a path, which is relative to the root or absolute; folders end in a slash. Hidden files are left out."""
        begun = typed.rpartition("/")[2]
        folder = typed[: len(typed) - len(begun)]
        try:
            place = self._resolved(folder)
            if place is None or not place.is_dir():
                return []
            with os.scandir(place) as entries:
                found = sorted(entry.name for entry in entries if entry.name.startswith(begun) and not entry.name.startswith("."))
        except OSError:
            return []
        shown = []
        for name in found[:MOST_NAMES]:
            path = self._resolved(folder + name)
            if path is not None:
                shown.append(folder + name + ("/" if path.is_dir() else ""))
        return shown

    def _resolved(self, typed: str) -> Path | None:
        """Return the real path, if it is inside."""
        if "\0" in typed or len(typed) > LONGEST_PATH:
            return None
        path = Path(os.path.realpath(self.path / typed))
        return path if path == self.path or self.path in path.parents else None

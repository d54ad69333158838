"""Files of a comparison: data that was prepared, for the processes of its cells alone, and what came out of each cell."""

from __future__ import annotations

import io
import json
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import OutputError
from shoal.io import partial_outputs as unfinished
from shoal.io.atomic_file import whole_file
from shoal.io.release_directory import insist_outside_releases

CELLS, PREPARED = "cells", "prepared"


class CellFiles:
    """A directory of results. A result is there whole or not at all, so that a comparison that was killed goes on where it ended."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def check(self) -> None:
        """Raise if nothing could be written here."""
        if not self.directory.parent.is_dir():
            raise OutputError(f"there is no directory {self.directory.parent}", code="no-such-directory", hint="create it first")
        if self.directory.exists() and not self.directory.is_dir():
            raise OutputError(f"{self.directory} exists and is a file", code="output-is-a-file", hint="name a directory")
        insist_outside_releases(self.directory)
        if self.directory.is_dir() and any(self.directory.iterdir()) and not (self.directory / CELLS).is_dir():
            raise OutputError(
                f"{self.directory} contains files that do not belong to a comparison",
                code="directory-has-other-files",
                hint="name a new directory",
            )

    def begin(self) -> None:
        """Make the directory, when there is something to be written."""
        (self.directory / CELLS).mkdir(parents=True, exist_ok=True)

    def clear(self) -> list[str]:
        """Remove what killed comparisons left; a line for each."""
        return [line for place in (self.directory, self.directory / CELLS) if place.is_dir() for line in unfinished.clear(place)]

    def place(self, key: str) -> Path:
        """Where the result of a cell is, or will be."""
        return self.directory / CELLS / f"{key}.json"

    def result(self, key: str) -> dict[str, Any] | None:
        """What came out of a cell earlier; nothing if it has not been worked on, or its file is damaged."""
        with suppress(OSError, ValueError):
            found = json.loads(self.place(key).read_text(encoding="utf-8"))
            return found if isinstance(found, dict) else None
        return None

    def write(self, name: str, content: bytes) -> Path:
        """Write a file of the whole comparison, whole or not at all."""
        return _written(self.directory / name, content)

    def write_table(self, name: str, frame: pl.DataFrame) -> Path:
        """Write the numbers of all cells as a Parquet file."""
        held = io.BytesIO()
        frame.write_parquet(held)
        return self.write(name, held.getvalue())


class PreparedFiles:
    """A hidden directory for this user alone, which is removed when the work ends; what a killed run leaves the next one removes."""

    def __init__(self, directory: Path) -> None:
        self._target = directory / PREPARED
        self._path: Path | None = None
        self._n = 0

    def __enter__(self) -> PreparedFiles:
        self._path = unfinished.begin(self._target)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._path is not None
        unfinished.discard(self._path)

    def keep(self, prepared: object) -> Path:
        """Lay something down for another process."""
        assert self._path is not None
        self._n += 1
        place = self._path / f"{self._n}.pickle"
        with place.open("wb") as file:
            pickle.dump(prepared, file, protocol=5)
        return place


def taken(place: str) -> Any:
    """What the process that started this one has laid down for it."""
    with Path(place).open("rb") as file:
        return pickle.load(file)


def peak_mb() -> float | None:
    """The most memory that this process has had, where the system tells it.

    What `getrusage` tells is no use: a process that was started begins with the peak of the one that started it.
    """
    try:
        told = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return None
    peaks = [line.split()[1] for line in told.splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0]) / 1024 if peaks else None


def store(place: str, found: dict[str, Any]) -> None:
    """Write the result of a cell, whole or not at all."""
    _written(Path(place), json.dumps(found).encode())


def _written(place: Path, content: bytes) -> Path:
    with whole_file(place, force=True) as out:
        out.write(content)
    return place

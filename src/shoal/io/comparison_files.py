"""Files of a comparison: prepared data for the processes of its cells, and the result of each cell."""

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
from shoal.io.release_directory import insist_on_directory, insist_outside_releases

CELLS, PREPARED = "cells", "prepared"


class CellFiles:
    """A directory of results, each written atomically, so that a killed comparison resumes where it stopped."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def check(self) -> None:
        """Raise if nothing could be written here."""
        insist_on_directory(self.directory.parent)
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
        """Make the directory, when there is something to write."""
        (self.directory / CELLS).mkdir(parents=True, exist_ok=True)

    def clear(self) -> list[str]:
        """Remove what killed comparisons left, and return a line for each."""
        return [line for place in (self.directory, self.directory / CELLS) if place.is_dir() for line in unfinished.clear(place)]

    def place(self, key: str) -> Path:
        """Return the path for the result of a cell."""
        return self.directory / CELLS / f"{key}.json"

    def result(self, key: str) -> dict[str, Any] | None:
        """Return the earlier result of a cell; None if there is none or its file is damaged."""
        with suppress(OSError, ValueError):
            found = json.loads(self.place(key).read_text(encoding="utf-8"))
            return found if isinstance(found, dict) else None
        return None

    def write(self, name: str, content: bytes) -> Path:
        """Write a file of the whole comparison atomically."""
        return _written(self.directory / name, content)

    def write_table(self, name: str, frame: pl.DataFrame) -> Path:
        """Write the numbers of all cells as a Parquet file."""
        held = io.BytesIO()
        frame.write_parquet(held)
        return self.write(name, held.getvalue())


class PreparedFiles:
    """A hidden, private directory, which is removed at the end; the next run removes what a killed run leaves."""

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
        """Store an object for another process."""
        assert self._path is not None
        self._n += 1
        place = self._path / f"{self._n}.pickle"
        with place.open("wb") as file:
            pickle.dump(prepared, file, protocol=5)
        return place


def taken(place: str) -> Any:
    """Load what the parent process stored for this one."""
    with Path(place).open("rb") as file:
        return pickle.load(file)


def peak_mb() -> float | None:
    """Return the peak memory of this process, if the system reports it.

    `getrusage` is of no use: a child process starts with the peak of its parent.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return None
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0]) / 1024 if peaks else None


def store(place: str, result: dict[str, Any]) -> None:
    """Write the result of a cell atomically."""
    _written(Path(place), json.dumps(result).encode())


def _written(place: Path, content: bytes) -> Path:
    with whole_file(place, force=True) as out:
        out.write(content)
    return place

"""Files of repeated experiments: the data sets in a user's directory; and a page, figures and tables, each written atomically."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import InputError, OutputError, option
from shoal.io import partial_outputs as unfinished
from shoal.io.atomic_file import whole_file
from shoal.io.release_directory import disk_errors, insist_on_directory, insist_outside_releases


class ExperimentFiles:
    """Writes files into a new or empty directory; with `force` also over files of the same names."""

    def __init__(self, directory: Path, *, force: bool = False) -> None:
        self.directory, self._force = directory, force

    def check(self) -> None:
        """Raise if nothing could be written here; called before the work."""
        insist_on_directory(self.directory.parent)
        if self.directory.exists() and not self.directory.is_dir():
            raise OutputError(f"{self.directory} exists and is a file", code="output-is-a-file", hint="name a directory")
        insist_outside_releases(self.directory)
        if self.directory.is_dir() and not self._force and any(self.directory.iterdir()):
            raise OutputError(
                f"{self.directory} is not empty",
                code="directory-not-empty",
                hint=f"choose another directory, or overwrite what is there with {option('force', True)}",
            )

    def clear(self) -> list[str]:
        """Remove what killed runs left in the directory, and return a line for each."""
        return unfinished.clear(self.directory)

    def write(self, name: str, content: bytes) -> None:
        """Write one file."""
        with disk_errors(str(self.directory)):
            self.directory.mkdir(exist_ok=True)
            with whole_file(self.directory / name, force=True) as out:
                out.write(content)

    def write_table(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write rows as a CSV file with a header."""
        held = io.BytesIO()
        pl.DataFrame([dict(row) for row in rows], infer_schema_length=None).write_csv(held)
        self.write(name, held.getvalue())


def insist_on_data_sets(directory: Path, stems: tuple[str, ...]) -> None:
    """Raise if a directory lacks data sets of these names: missing data is never replaced by generated data."""
    if data_set(directory, *stems) is None:
        named = ", ".join(f"{stem}*" for stem in stems)
        raise InputError(
            f"{directory.name} has none of the data sets of this experiment",
            code="data-sets-missing",
            hint=f"their names begin with {named}",
        )


def data_set(directory: Path | None, *stems: str) -> Path | None:
    """Return the file of a directory whose name begins with one of these words, with any suffix; None if there is none."""
    if directory is None:
        return None
    if not directory.is_dir():
        raise InputError(f"{directory} is not a directory", code="not-a-directory", hint="name the directory of the data sets")
    found = sorted(path for path in directory.iterdir() if path.is_file() and path.name.lower().startswith(stems))
    return found[0] if found else None

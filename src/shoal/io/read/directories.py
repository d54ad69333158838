"""A directory as input: its data files, which must have one format, sorted by name.

Files of the formats that shoal reads are recognized by their suffixes. Hidden files, those that begin with an underscore (`_SUCCESS`), and
files of other kinds (`README.md`) are named in a note. Subdirectories are rejected, because they may contain data. So are links that lead
out of the directory: anyone with write access could otherwise have any file published that the user can read.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from shoal.errors import InputError
from shoal.io.read.source import stem_of, translated
from shoal.util.wording import counted, listed

_NUMBERED = re.compile(r"(?:[.-]\d+)+$")  # rotated logs: access.log.1, access.log-20240501
DATA = frozenset({"csv", "tsv", "tab", "txt", "dat", "log", "jsonl", "ndjson", "json", "parquet", "xlsx"})
MOST_NAMED = 5


def data_files(directory: Path) -> tuple[list[Path], tuple[str, ...]]:
    """Return the files to read, and a note on the other entries of the directory."""
    with translated(directory):
        entries = sorted(directory.iterdir())
    hidden = [entry for entry in entries if entry.name.startswith((".", "_"))]
    visible = [entry for entry in entries if entry not in set(hidden)]
    _refuse_directories(directory, visible)
    formats = {entry: _format_of(entry) for entry in visible}
    files = [entry for entry in visible if formats[entry] in DATA]
    if not files and len(set(formats.values())) == 1:  # such as part-00000, part-00001
        files = visible
    if not files:
        raise InputError(f"{directory} contains no data files", code="empty-directory", hint="name the files themselves")
    several = Counter(formats[file] for file in files)
    if len(several) > 1:
        numbers = ", ".join(f"{n:,} {name}" for name, n in sorted(several.items()))
        raise InputError(
            f"{directory} contains files of several formats: {numbers}",
            code="several-formats",
            hint=_of_release(directory) or f"name those that are meant, such as '{directory}/*.{min(several)}'",
        )
    for file in files:
        _refuse_foreign_link(directory, file)
    return files, _noted([entry for entry in entries if entry not in set(files)])


def _of_release(directory: Path) -> str:
    """Return the hint for a release in the place of an input; empty if the directory is not one."""
    release = (directory / "manifest.json").is_file()
    return "it is a release: name the file it was made from, before the release if a command takes both" if release else ""


def _format_of(file: Path) -> str:
    """Return the suffix of a file's name, without those of its compression and number."""
    name = _NUMBERED.sub("", stem_of(file))
    return Path(name).suffix.removeprefix(".")


def _refuse_directories(directory: Path, visible: list[Path]) -> None:
    inside = [entry for entry in visible if entry.is_dir()]
    if inside:
        raise InputError(
            f"{directory} contains {counted(len(inside), 'directory', 'directories')}, which may contain data too",
            code="nested-directory",
            hint=f"name the files, such as '{directory}/**/*.csv'",
        )


def _refuse_foreign_link(directory: Path, file: Path) -> None:
    if file.is_symlink() and directory.resolve() not in file.resolve().parents:
        raise InputError(
            f"{file} is a link to a file outside of {directory}",
            code="link-out-of-directory",
            hint="name the file itself, if it is meant",
        )


def _noted(others: list[Path]) -> tuple[str, ...]:
    """Return the note on skipped entries."""
    return (f"not read: {listed([entry.name for entry in others], MOST_NAMED)}",) if others else ()

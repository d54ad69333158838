"""The folder of a studio: what it was given and what it made, as plain files that only this user can read.

`sources/ID` has an opened file (`source.toml`, and `data/NAME` if it was uploaded), `taxonomies/ID` a taxonomy in all its versions,
`jobs/ID` a job (`job.toml`, `events.jsonl`, `result.json`, and the release or the comparison). Folders have the mode 0700 and files 0600
from the moment of their creation. IDs are random and the only names that come from a request are checked against `ID`, so no request
names a path inside.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from shoal.errors import InputError, OutputError, option
from shoal.io import partial_outputs
from shoal.io.comparison_files import CELLS
from shoal.io.release_directory import insist_on_directory
from shoal.util.wording import toml_value

SOURCES, JOBS, TAXONOMIES = "sources", "jobs", "taxonomies"
COMPARISON = "comparison"  # of a job that compares methods
EVENTS, RESULT = "events.jsonl", "result.json"
ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}")
MARKER = "shoal-studio.txt"  # in every folder of a studio, so that no other folder is taken for one
TITLE = "This folder belongs to shoal studio. It contains private data: uploaded files, and examples from them.\n"
SAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")
LONGEST_NAME = 80


class StudioFolder:
    """A folder with sources and jobs. A kept one stays. A temporary one goes at the end, or with the next run after a kill."""

    def __init__(self, keep: Path | None = None) -> None:
        """Open a folder to keep, or make a temporary one.

        Raises:
            OutputError: The folder has content that is not from a studio, or it cannot be written.
        """
        self.kept = keep is not None
        try:
            self.path = _temporary() if keep is None else _kept(keep)
            for name in (SOURCES, JOBS, TAXONOMIES):
                (self.path / name).mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            place = "the directory for temporary files" if keep is None else keep
            hint = f"name a folder with {option('keep')}" if keep is None else "name another folder"
            raise OutputError(f"{place} cannot be used: {error.strerror}", code="not-writable", hint=hint) from None

    def new(self, kind: str) -> Path:
        """Return a new folder for a source or a job; names sort by the time they were made."""
        path = self.path / kind / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"
        path.mkdir(mode=0o700)
        return path

    def part(self, folder: Path) -> Path:
        """Return a new folder inside one of this studio, for a further file."""
        path = folder / secrets.token_hex(4)
        path.mkdir(mode=0o700)
        return path

    def named(self, kind: str, identity: str) -> Path | None:
        """Return the folder of this ID; None if there is none."""
        path = self.path / kind / identity
        return path if ID.fullmatch(identity) and path.is_dir() and not path.is_symlink() else None

    def all(self, kind: str) -> list[Path]:
        """Return all sources or jobs, the newest first."""
        return sorted((path for path in (self.path / kind).iterdir() if ID.fullmatch(path.name) and path.is_dir()), reverse=True)

    def remove(self) -> None:
        """Remove a temporary folder with everything in it."""
        if not self.kept:
            partial_outputs.discard(self.path)


def _temporary() -> Path:
    """Return a marked folder in the system's directory for temporary files, from which those of studios that were killed are removed."""
    place = Path(tempfile.gettempdir())
    partial_outputs.clear(place)
    return partial_outputs.begin(place / "shoal-studio")


def _kept(place: Path) -> Path:
    """Return a folder that the user named: new, empty, or one of a studio before."""
    path = Path(os.path.realpath(place))
    if path.exists() and not path.is_dir():
        raise OutputError(f"{place} is not a folder", code="output-is-a-file", hint="name a new folder")
    if path.is_dir() and any(path.iterdir()) and not (path / MARKER).is_file():
        raise OutputError(f"{place} contains files of others", code="directory-has-other-files", hint="name a new or empty folder")
    insist_on_directory(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    if not (path / MARKER).exists():
        write_text(path / MARKER, TITLE)
    return path


def remove_folder(path: Path) -> None:
    """Remove a folder of this studio with everything in it."""
    shutil.rmtree(path, ignore_errors=True)


def clear_leftovers(path: Path) -> None:
    """Remove what a killed worker left of its release, or of the data of a comparison."""
    for place in (path, path / COMPARISON, path / COMPARISON / CELLS):
        if place.is_dir():
            partial_outputs.clear(place)


def move_comparison(old: Path, new: Path) -> None:
    """Hand the finished cells of a comparison to the job that resumes it; nothing if there are none."""
    with suppress(FileNotFoundError):
        (old / COMPARISON).rename(new / COMPARISON)


# -- files of ours


def _create(path: Path, flags: int = os.O_EXCL) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | flags, 0o600)


def write_text(path: Path, text: str) -> None:
    """Write a small file, complete or not at all."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with os.fdopen(_create(fresh), "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)


def save_json(path: Path, value: Any) -> None:
    """Write a value as JSON."""
    write_text(path, json.dumps(value))


def load_json(path: Path) -> Any:
    """Read what `save_json` wrote; None if there is no such file."""
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


def read_page(path: Path) -> str | None:
    """Read a page; None if there is no such file."""
    return path.read_text("utf-8") if path.is_file() else None


def write_toml(path: Path, value: Mapping[str, Any]) -> None:
    """Write texts, numbers, lists of them, and tables of these, as TOML."""
    plain = [f"{name} = {toml_value(one)}" for name, one in value.items() if not isinstance(one, Mapping)]
    for name, table in value.items():
        if isinstance(table, Mapping):
            plain += ["", f"[{name}]", *(f"{toml_value(str(key))} = {toml_value(one)}" for key, one in table.items())]
    write_text(path, "\n".join(plain) + "\n")


def read_toml(path: Path) -> dict[str, Any]:
    """Read what `write_toml` wrote.

    Raises:
        InputError: It is not there, or somebody else changed it so that it cannot be read.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise InputError(f"{path.name} cannot be read", code="unreadable-file") from None


# -- events of a job


class EventFile:
    """Appends events to the file of a job, a JSON object in each line."""

    def __init__(self, job: Path) -> None:
        self._file = os.fdopen(_create(job / EVENTS, os.O_APPEND), "a", encoding="utf-8")

    def write(self, event: Mapping[str, Any]) -> None:
        """Append an event, which readers see at once."""
        self._file.write(json.dumps({"at": round(time.time(), 3), **event}) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_events(job: Path, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
    """Return the events after a place in the file, and the place behind the last complete one."""
    place = job / EVENTS
    if not place.is_file():
        return [], 0
    with place.open("rb") as file:
        file.seek(offset)
        lines = file.read().split(b"\n")
    whole = lines[:-1]
    return list(_parsed(whole)), offset + sum(len(line) + 1 for line in whole)


def _parsed(lines: list[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:  # a line that a killed worker did not finish, with what was appended after it
            continue
        if isinstance(event, dict):
            yield event


# -- uploads


class Upload:
    """A file that arrives in pieces. It is removed unless all of it came."""

    def __init__(self, folder: Path, name: str, limit: int) -> None:
        """Begin a file in a folder.

        Args:
            folder: A folder of this studio.
            name: The name that the file has where it comes from; its path and special characters are left out.
            limit: The largest number of bytes.
        """
        place = folder / "data"
        place.mkdir(mode=0o700)
        self.path = place / safe_name(name)
        self.limit, self.size = limit, 0
        self._handle = _create(self.path)

    def write(self, piece: bytes) -> bool:
        """Append a piece; false if the file is larger than allowed, in which case nothing is written."""
        if self.size + len(piece) > self.limit:
            return False
        self.size += len(piece)
        view = memoryview(piece)
        while view:
            view = view[os.write(self._handle, view) :]
        return True

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)


def safe_name(name: str) -> str:
    """Return a file name without folders, leading dots and characters that mean something to a shell; the suffixes stay."""
    last = re.split(r"[\\/]", name)[-1]
    plain = SAFE_NAME.sub("_", last).lstrip("._-")[-LONGEST_NAME:].lstrip("._-")
    return plain or "data"

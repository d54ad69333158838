"""The sources and jobs of a studio, as the files of its folder have them.

A source is a file that was opened: its path, the options for reading it, and whether the user confirmed who its people are. A job is a task
with its events. The state of a job follows from its events and from whether a process of this server works on it.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.io.studio_folder import (
    JOBS,
    RESULT,
    SOURCES,
    EventFile,
    StudioFolder,
    clear_leftovers,
    load_json,
    read_events,
    read_toml,
    write_toml,
)
from shoal.studio.states import INTERRUPTED, JOB, OVER, WORDS

SOURCE = "source.toml"
SETTLED = 10**9  # nanoseconds after which another change of a file gives it another time
UPLOAD, BY_PATH, SAMPLE = "upload", "path", "sample"


@dataclass(frozen=True)
class OpenedFile:
    """A file that was opened.

    Attributes:
        folder: Where its facts are kept.
        name: Its name, as the page shows it.
        path: Its place.
        origin: How it came: uploaded, by its path, or a bundled sample.
        options: The options for reading it, by name.
        confirmed: Whether the user confirmed who the people are.
        look: The ID of the job that looked at it with these options.
    """

    folder: Path
    name: str
    path: str
    origin: str
    options: Mapping[str, Any] = field(default_factory=dict)
    confirmed: bool = False
    look: str = ""

    @property
    def identity(self) -> str:
        """Its ID."""
        return self.folder.name

    @property
    def typed(self) -> str:
        """The file as it is typed in a command: an uploaded one by the name that it has where it came from."""
        return self.name if self.origin == UPLOAD else self.path

    def save(self, **changes: Any) -> OpenedFile:
        """Change some of it, and write it to its folder."""
        new = replace(self, **changes)
        facts = {name: getattr(new, name) for name in ("name", "path", "origin", "confirmed", "look", "options")}
        write_toml(new.folder / SOURCE, facts)
        return new


@dataclass(frozen=True)
class StoredJob:
    """A task as its files have it."""

    folder: Path
    task: Mapping[str, Any]
    events: tuple[Mapping[str, Any], ...]
    alive: str = ""

    @property
    def identity(self) -> str:
        """Its ID."""
        return self.folder.name

    @property
    def end(self) -> Mapping[str, Any]:
        """The last event, if the task is over."""
        return next((one for one in reversed(self.events) if one.get("event") == "end"), {})

    @property
    def state(self) -> str:
        """Its state."""
        return str(self.end.get("state", "")) or self.alive or INTERRUPTED

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.state in OVER

    @property
    def words(self) -> str:
        """Its state in words."""
        return WORDS.get(self.state, self.state)

    @property
    def result(self) -> Any:
        """What it found or made; None if it did not get so far."""
        return load_json(self.folder / RESULT)

    @property
    def created(self) -> str:
        """When it was requested."""
        return str(self.task.get("created", ""))

    def texts(self, kind: str) -> list[str]:
        """Notes or warnings."""
        return [str(one.get("text", "")) for one in self.events if one.get("event") == kind]


class Store:
    """Everything that a studio knows, in its folder. A file is read again only if it has changed, as each page lists sources and jobs."""

    def __init__(self, folder: StudioFolder) -> None:
        self.folder = folder
        self._files: dict[Path, tuple[tuple[int, ...], Mapping[str, Any]]] = {}  # what each file had, and when and how large it was
        self._events: dict[Path, tuple[tuple[Mapping[str, Any], ...], int]] = {}  # those of each job, and where the next one begins

    def add_source(self, folder: Path, name: str, path: Path, origin: str) -> OpenedFile:
        """Remember a file that was opened."""
        return OpenedFile(folder, name, str(path), origin).save()

    def source(self, identity: str) -> OpenedFile | None:
        """Return the source of this ID; None if there is none."""
        folder = self.folder.named(SOURCES, identity)
        return None if folder is None else self._source(folder)

    def sources(self) -> list[OpenedFile]:
        """Return all sources whose files can still be found, the newest first."""
        found = [self._source(folder) for folder in self.folder.all(SOURCES)]
        return [one for one in found if one is not None]

    def add_job(self, kind: str, **task: Any) -> Path:
        """Describe a new task in a folder of its own."""
        folder = self.folder.new(JOBS)
        write_toml(folder / JOB, {"kind": kind, "created": time.strftime("%Y-%m-%d %H:%M:%S"), **task})
        return folder

    def job(self, identity: str, alive: Mapping[str, str]) -> StoredJob | None:
        """Return the job of this ID; `alive` has the states of those that this server works on."""
        folder = self.folder.named(JOBS, identity)
        return None if folder is None else self._job(folder, alive)

    def jobs(self, kinds: Collection[str], alive: Mapping[str, str]) -> list[StoredJob]:
        """Return all jobs of some kinds, the newest first."""
        found = [self._job(folder, alive) for folder in self.folder.all(JOBS)]
        return [one for one in found if one is not None and one.task.get("kind") in kinds]

    def mark_interrupted(self) -> int:
        """Mark jobs that an earlier server did not finish, and remove what is left of their releases; how many they were."""
        marked = 0
        for folder in self.folder.all(JOBS):
            job = self._job(folder, {})
            if job is not None and not job.end:
                clear_leftovers(folder)
                end_job(folder, INTERRUPTED)
                marked += 1
        return marked

    def _source(self, folder: Path) -> OpenedFile | None:
        try:
            return OpenedFile(folder, **self._fields(folder / SOURCE))
        except (InputError, TypeError):
            return None

    def _job(self, folder: Path, alive: Mapping[str, str]) -> StoredJob | None:
        try:
            task = self._fields(folder / JOB)
        except InputError:
            return None
        return StoredJob(folder, task, self._events_of(folder), alive.get(folder.name, ""))

    def _fields(self, path: Path) -> Mapping[str, Any]:
        """Return the content of a file. Whoever writes it replaces it as a whole."""
        state = _state(path)  # before it is read: a change in between is read twice, not never
        known = self._files.get(path)
        if known is not None and known[0] == state:
            return known[1]
        fields = read_toml(path)
        if state and time.time_ns() - state[0] > SETTLED:
            self._files[path] = (state, fields)
        return fields

    def _events_of(self, folder: Path) -> tuple[Mapping[str, Any], ...]:
        """Return all events of a job. Events are only ever appended."""
        events, offset = self._events.get(folder, ((), 0))
        new, offset = read_events(folder, offset)
        self._events[folder] = (*events, *new), offset
        return self._events[folder][0]


def _state(path: Path) -> tuple[int, ...]:
    """Return what changes whenever a file is replaced; nothing if it is not there."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_ino, found.st_size


def end_job(folder: Path, state: str, **facts: Any) -> None:
    """Append the last event to a job whose own process did not."""
    events = EventFile(folder)
    events.write({"event": "end", "state": state, **facts})
    events.close()

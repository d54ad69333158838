"""Output that is being written and has not got its name yet, and what killed runs left of such output.

Everything is written in a hidden directory next to its target, `.NAME.TOKEN.MACHINE.partial`, which only its user can open (mode 0700
from the moment of its creation). It holds:

- `.shoal-unfinished`, the marker: fixed text and the directory's own name. The run holds a lock on this file for as long as it lives;
- `content`, the output, which is renamed to the target when it is complete;
- `replaced`, the older release while a new one takes its place;
- `work`, steps on the way, and whatever else a run needs, in any depth;
- `java.lock`, locked by the Java process of a Spark run, which may live a little longer than the run.

`settle` removes these directories at the end of a run, whatever ended it. A killed run cannot do that, so a later run does. A directory is
removed only if its name has this form, it belongs to this user, its marker holds its own name, and nobody holds the locks. A similar name
alone is never enough, and symbolic links are not followed. Where a file system has no locks, no run is considered dead.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

PARTIAL = "partial"
MARKER, CONTENT, REPLACED, WORK, JAVA_LOCK = ".shoal-unfinished", "content", "replaced", "work", "java.lock"
TITLE = "Unfinished output of shoal, not for publication. A later run removes this directory when the run that made it has ended."
LONGEST_MARKER = 4096
ATTEMPTS = 5
PAUSE_SECONDS = 0.05
JAVA_SECONDS, LATE_SECONDS = 30.0, 0.3  # how long Java may take to end, and tasks after it

_NAMED = re.compile(r"\.(?P<name>.+)\.(?P<token>[0-9a-f]{8})\.(?P<machine>[0-9a-f]{8})\.(?P<state>partial|replaced)", re.DOTALL)

# Directories that this process has begun and not finished, with the file descriptor of the lock.
_open: dict[Path, int | None] = {}
# Those of the current job. A job ends its own outputs and does not touch those of other jobs.
_own: ContextVar[dict[Path, None]] = ContextVar("shoal_own_outputs", default={})  # noqa: B039 - that of code outside any job

DEAD, ALIVE, ELSEWHERE, OTHER_USER, UNMARKED, UNKNOWN = "killed", "running", "other machine", "other user", "not marked", "unknown"
UNREADABLE = "not readable"
REFUSALS = {
    ALIVE: "belongs to a run that is alive",
    ELSEWHERE: "belongs to a run on another machine",
    OTHER_USER: "belongs to another user",
    UNMARKED: "has no marker of shoal",
    UNKNOWN: "may belong to a run that is alive: this file system has no locks",
    UNREADABLE: "cannot be read",
}


@dataclass(frozen=True)
class Leftover:
    """A directory named like unfinished output: its state, and the machine that made it."""

    path: Path
    state: str
    host: str = ""

    @property
    def reason(self) -> str:
        """Why it is not removed; empty if it can be."""
        reason = REFUSALS.get(self.state, "")
        return f"{reason} ({self.host})" if reason and self.state == ELSEWHERE and self.host else reason


# -- output of this process


def begin(target: Path) -> Path:
    """Create an unfinished directory next to the target: marked, locked, and private."""
    while True:
        path = target.with_name(f".{target.name}.{secrets.token_hex(4)}.{machine()}.{PARTIAL}")
        _open[path] = _own.get()[path] = None  # before it exists, so that an interrupt cannot come between
        try:
            path.mkdir(mode=0o700)
        except OSError:
            forget(path)
            raise
        try:
            taken = _mark(path)
        except FileNotFoundError:  # a run that removes leftovers was faster
            taken = False
        except OSError:
            discard(path)
            raise
        if taken:
            return path
        forget(path)


def _mark(path: Path) -> bool:
    """Write and lock the marker; false if a run that removes leftovers locked it first."""
    handle = os.open(path / MARKER, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    _open[path] = handle
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks
    os.write(handle, _marker(path.name))
    return os.fstat(handle).st_nlink > 0


def _marker(name: str) -> bytes:
    """Return the content of the marker of a directory of this name."""
    return json.dumps({"shoal": TITLE, "name": name, "host": platform.node()}).encode() + b"\n"


def move_aside(target: Path, own: Path) -> None:
    """Move an older release into the unfinished directory, until the new one has taken its place."""
    target.rename(own / REPLACED)


def forget(path: Path) -> None:
    """Release the lock: the output has its name, or the directory is removed."""
    _own.get().pop(path, None)
    handle = _open.pop(path, None)
    if handle is not None:
        os.close(handle)


def discard(path: Path) -> None:
    """Remove an unfinished directory, and restore what was moved aside. An interrupt during this is raised afterwards."""
    if _completed(partial(_end, path)):
        raise KeyboardInterrupt


@contextmanager
def scratch(target: Path) -> Iterator[Path]:
    """Context with a private directory for temporary files next to the target."""
    path = begin(target)
    try:
        yield path
    finally:
        discard(path)


@contextmanager
def temporary_directory() -> Iterator[Path]:
    """Context with a directory for temporary files, inside the unfinished output of this job, so that both are removed together.

    If this job writes nothing, it is a marked directory in the system's directory for temporary files, where leftovers of killed runs are
    removed.
    """
    place = next((path for path in reversed(_own.get()) if path.is_dir()), None)
    if place is not None:
        with TemporaryDirectory(dir=place) as directory:
            yield Path(directory)
        return
    target = Path(gettempdir()) / "shoal"
    clear(target.parent)
    with scratch(target) as path:
        yield path


@contextmanager
def own_outputs() -> Iterator[None]:
    """Context that owns the outputs begun in it: those unfinished at its end are removed, and no others."""
    token = _own.set({})
    try:
        yield
    finally:
        left = settle()
        _own.reset(token)
        _own.get().update(dict.fromkeys(left))  # whoever is outside says what could not be removed


def settle() -> list[Path]:
    """Discard all unfinished output of this job, despite interrupts. Returns what could not be removed."""
    _completed(_end_all)
    return [path for path in _own.get() if os.path.lexists(path)]


def _completed(step: Callable[[], None]) -> bool:
    """Repeat a step until it completes without an interrupt; return whether there was one."""
    interrupted = False
    while True:
        try:
            step()
        except KeyboardInterrupt:
            interrupted = True
        else:
            return interrupted


def _end_all() -> None:
    for path in list(_own.get()):
        _end(path)


def _end(path: Path) -> None:
    for attempt in range(ATTEMPTS):
        time.sleep(PAUSE_SECONDS * attempt)
        with suppress(OSError):
            directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                _restore(path, directory)
                _remove(path, directory)
            finally:
                os.close(directory)
        if not os.path.lexists(path):
            forget(path)
            return


# -- leftovers of killed runs


def clear(parent: Path) -> list[str]:
    """Remove what killed runs left in a directory. Returns a line for each, also for what was not removed."""
    try:
        found = leftovers(parent)
    except OSError:  # whether the output can be written there is found out later
        return []
    return [line for one in found for line in _lines(remove(one))]


def is_named_like_one(path: Path) -> bool:
    """Whether a path is named like unfinished output, whatever it contains."""
    return _NAMED.fullmatch(path.name) is not None


def leftovers(parent: Path, *, any_machine: bool = False) -> list[Leftover]:
    """Return all entries of a directory that are named like unfinished output, except those of this process. Nothing is removed.

    Raises:
        OSError: The directory cannot be read.
    """
    paths = sorted(path for path in parent.iterdir() if is_named_like_one(path))
    found = [examined(path, any_machine=any_machine) for path in paths if path not in _open]
    return [leftover for leftover in found if not _is_removed(leftover.path)]


def examined(path: Path, *, any_machine: bool = False) -> Leftover:
    """Examine an entry named like unfinished output. Nothing is removed."""
    with _held(path, any_machine=any_machine) as (leftover, _, _):
        return leftover


ALREADY = "already removed"


@dataclass(frozen=True)
class Removal:
    """The result of removing a leftover: `done` describes what was done; `left` why it still exists."""

    leftover: Leftover
    done: str = ""
    left: str = ""


def remove(candidate: Leftover, *, any_machine: bool = False) -> Removal:
    """Remove a leftover, after examining it again under its lock. An older release inside is restored if its name is free."""
    with _held(candidate.path, any_machine=any_machine, wait_seconds=JAVA_SECONDS) as (leftover, directory, marked):
        if directory is None:
            return Removal(candidate, ALREADY) if _is_removed(candidate.path) else Removal(leftover, left=leftover.reason)
        if not marked:
            return _remove_empty(candidate.path, any_machine=any_machine)
        restored, kept, spark = "", "", _has(directory, JAVA_LOCK)
        for attempt in range(ATTEMPTS):
            time.sleep(max(PAUSE_SECONDS * attempt, LATE_SECONDS if spark else 0))
            with suppress(OSError):
                restored = restored or _restore(candidate.path, directory)
                kept = _remove(candidate.path, directory, late=LATE_SECONDS if spark else 0)
                break
    if _is_removed(candidate.path):
        return Removal(leftover, f"removed{restored}")
    return Removal(leftover, left=kept or f"cannot be removed{restored}")


def _remove_empty(path: Path, *, any_machine: bool) -> Removal:
    """Remove a directory without a marker only if it is still empty: a running process may be about to mark it."""
    try:
        path.rmdir()
    except FileNotFoundError:
        return Removal(Leftover(path, DEAD), ALREADY)
    except OSError:
        leftover = examined(path, any_machine=any_machine)
        return Removal(leftover, left=leftover.reason or "cannot be removed")
    return Removal(Leftover(path, DEAD), "removed")


def _lines(removal: Removal) -> list[str]:
    name = removal.leftover.path.name
    if removal.done == ALREADY:  # by another run, which says so
        return []
    if removal.done:
        return [f"{name}, left by a killed run, was {removal.done}"]
    if removal.leftover.state == DEAD:
        return [f"{name}, left by a killed run, {removal.left}"]
    if removal.leftover.state in {ALIVE, UNKNOWN}:
        return []
    return [f"{name} {removal.left} and was kept"]


@contextmanager
def _held(path: Path, *, any_machine: bool, wait_seconds: float = 0) -> Iterator[tuple[Leftover, int | None, bool]]:
    """Context with the state of a directory and, if it may be removed, its descriptor, and whether it has a marker.

    It holds the locks meanwhile. A directory without a marker has none: a run may be about to mark it.
    """
    handles: list[int] = []
    try:
        state, host = _state(path, handles, any_machine=any_machine, wait_seconds=wait_seconds)
        yield Leftover(path, state, host), handles[0] if state == DEAD else None, len(handles) > 1
    finally:
        for handle in handles:
            os.close(handle)


def _state(path: Path, handles: list[int], *, any_machine: bool, wait_seconds: float) -> tuple[str, str]:
    """Return state and host of a directory. Opened descriptors, first that of the directory, are added to `handles`."""
    try:
        entry = path.lstat()
        if not stat.S_ISDIR(entry.st_mode):
            return UNMARKED, ""
        if entry.st_uid != os.geteuid():  # only that user can open it
            return OTHER_USER, ""
        handles.append(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW))
    except PermissionError:
        return UNREADABLE, ""
    except OSError:
        return UNMARKED, ""
    directory = handles[0]
    if os.fstat(directory).st_uid != os.geteuid():
        return OTHER_USER, ""
    elsewhere = _NAMED.fullmatch(path.name)["machine"] != machine() and not any_machine  # type: ignore[index]
    try:
        handles.append(os.open(MARKER, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory))
    except OSError:
        if _count(directory):
            return UNMARKED, ""
        return (ELSEWHERE, "") if elsewhere else (DEAD, "")  # killed before it was marked; only an empty directory is removed so
    host = _host(handles[1], path.name, alone=_count(directory) == 1)
    if host is None:
        return UNMARKED, ""
    if elsewhere:
        return ELSEWHERE, host
    return _locked(path, handles, wait_seconds), host


def _host(handle: int, name: str, *, alone: bool) -> str | None:
    """Return the machine that a marker names; None if it is not a marker for this name. An empty one counts if it is the only entry."""
    kind = os.fstat(handle)
    if not stat.S_ISREG(kind.st_mode) or kind.st_uid != os.geteuid() or kind.st_size > LONGEST_MARKER:
        return None
    content = os.pread(handle, LONGEST_MARKER, 0)
    if not content and alone:
        return ""
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        marker = json.loads(content)
        if marker["shoal"] == TITLE and marker["name"] == name:
            return str(marker["host"])
    return None


def _locked(path: Path, handles: list[int], wait_seconds: float) -> str:
    """Lock the marker and wait for Java; return the resulting state."""
    try:
        fcntl.flock(handles[1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(handles[0]), path.lstat()):
            return UNMARKED
    except BlockingIOError:
        return ALIVE
    except OSError:
        return UNKNOWN
    try:
        handles.append(os.open(JAVA_LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handles[0]))
    except FileNotFoundError:
        return DEAD
    except OSError:  # no file of Java: a directory or a link
        return UNMARKED
    return _java_state(handles[2], wait_seconds)


def _java_state(handle: int, wait_seconds: float) -> str:
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= deadline:
                return ALIVE
            time.sleep(PAUSE_SECONDS)
        except OSError:
            return UNKNOWN
        else:
            return DEAD


# -- removal


def _home(path: Path) -> Path:
    """Return the target of an unfinished directory."""
    return path.with_name(_NAMED.fullmatch(path.name)["name"])  # type: ignore[index]


def _restore(path: Path, directory: int) -> str:
    """Restore an older release that was moved aside, if its name is free; return a description to append."""
    home = _home(path)
    if not _has(directory, REPLACED) or os.path.lexists(home):
        return ""
    os.rename(REPLACED, home, src_dir_fd=directory)
    return f"; the release that it had replaced was restored as {home.name}"


def _remove(path: Path, directory: int, late: float = 0) -> str:
    """Remove a directory through its descriptor, the marker last; return why it still exists, if it does.

    An older release that was moved aside is removed if the new one took its place, and kept otherwise. `late` is a delay after which the
    directory is examined again: a task may still have written.
    """
    home, kept = _home(path), {MARKER}
    if _has(directory, REPLACED) and (_has(directory, CONTENT) or not os.path.lexists(home)):
        kept.add(REPLACED)
    _remove_entries(directory, kept)
    if REPLACED in kept:
        return f"still holds {REPLACED}, an older {home.name}: {home.name} exists, so it was not restored"
    if late:
        time.sleep(late)
        _remove_entries(directory, kept)
    with suppress(FileNotFoundError):
        os.unlink(MARKER, dir_fd=directory)
    path.rmdir()
    return ""


def _remove_entries(directory: int, kept: set[str]) -> None:
    """Remove all entries except these. Symbolic links are removed, not followed."""
    with os.scandir(directory) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries if entry.name not in kept]
    for name, is_directory in found:
        if is_directory:
            shutil.rmtree(name, dir_fd=directory)
        else:
            os.unlink(name, dir_fd=directory)


def _count(directory: int) -> int:
    """Return the number of entries of a directory."""
    with os.scandir(directory) as entries:
        return sum(1 for _ in entries)


def _is_removed(path: Path) -> bool:
    """Whether a path does not exist; one that cannot be examined may exist."""
    try:
        path.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def _has(directory: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


@cache
def machine() -> str:
    """Return a short unique name for this machine, or for this process if the system has none."""
    identity = ""
    for place in ("/etc/machine-id", "/proc/sys/kernel/random/boot_id"):
        with suppress(OSError):
            identity = identity or Path(place).read_text(encoding="ascii", errors="replace").strip()
    return hashlib.sha256(f"{identity or secrets.token_hex(8)} {platform.node()}".encode()).hexdigest()[:8]

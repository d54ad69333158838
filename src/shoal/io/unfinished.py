"""What is being written and has not got its name yet, and what killed runs left of such.

Everything is written under a hidden name beside its target, `.NAME.TOKEN.MACHINE.partial`, and locked for as long as its process lives; an
older release that is being replaced waits as `.NAME.TOKEN.MACHINE.replaced`. Whatever ends a run, an interrupt in the middle of the removal
included, `settle` removes what has no name, or says what it could not remove. A run that was killed can do nothing of the kind, so a later
one does: what has the name of this machine, belongs to this user and is locked by nobody is of no living run. The lock is the operating
system's and goes with the process; where a file system has none, nothing is taken for dead.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

PARTIAL, REPLACED = "partial", "replaced"
ATTEMPTS = 3
PAUSE_SECONDS = 0.05

_NAMED = re.compile(r"\.(?P<name>.+)\.(?P<token>[0-9a-f]{8})\.(?P<machine>[0-9a-f]{8})\.(?P<state>partial|replaced)", re.DOTALL)

# What this process has begun and not finished, with the handle that holds its lock.
_open: dict[Path, int | None] = {}


def begin(target: Path, *, directory: bool) -> Path:
    """A new, locked, empty directory or file under a hidden name beside the target."""
    while True:
        path = target.with_name(f".{target.name}.{secrets.token_hex(4)}.{machine()}.{PARTIAL}")
        _open[path] = None  # before it exists, so that an interrupt cannot come between
        try:
            path.mkdir() if directory else path.touch(exist_ok=False)
        except OSError:
            del _open[path]
            raise
        _open[path], taken = _locked(path)
        if not taken:  # a run that clears away was quicker than the lock
            forget(path)
            continue
        return path


def move_aside(target: Path, written: Path) -> Path:
    """Give an older release the hidden name under which it waits until the new one is in its place."""
    aside = written.with_name(written.name.removesuffix(PARTIAL) + REPLACED)
    _open[aside] = None
    _open[aside] = _locked(target)[0]
    target.rename(aside)
    return aside


def forget(path: Path) -> None:
    """It has its name, or is gone: nothing has to be done about it any more."""
    handle = _open.pop(path, None)
    if handle is not None:
        os.close(handle)


def discard(path: Path) -> None:
    """Remove what was begun, or put back what was moved aside. An interrupt that comes meanwhile is raised when that is done."""
    if _completed(partial(_end, path)):
        raise KeyboardInterrupt


def settle() -> list[Path]:
    """Discard all that this process has begun, whatever interrupts come; what could not be removed."""
    _completed(_end_all)
    return [path for path in _open if os.path.lexists(path)]


def clear(parent: Path) -> list[str]:
    """Remove what killed runs left in a directory; a line for each, also for what may belong to a run that is alive elsewhere."""
    try:
        found = [(path, named) for path in parent.iterdir() if (named := _NAMED.fullmatch(path.name))]
    except OSError:
        return []
    # What was moved aside comes first: whether it is still needed is told by the partial one it waited for.
    found.sort(key=lambda pair: (pair[1]["state"] == PARTIAL, pair[0].name))
    return [note for path, named in found if path not in _open for note in _cleared(path, named["machine"])]


@cache
def machine() -> str:
    """A short name for this machine that no other has; one for this process alone where the system has none."""
    told = ""
    for place in ("/etc/machine-id", "/proc/sys/kernel/random/boot_id"):
        with suppress(OSError):
            told = told or Path(place).read_text(encoding="ascii", errors="replace").strip()
    return hashlib.sha256(f"{told or secrets.token_hex(8)} {platform.node()}".encode()).hexdigest()[:8]


def _completed(step: Callable[[], None]) -> bool:
    """Take a step that can be taken again from the beginning until it was not interrupted; whether it ever was."""
    interrupted = False
    while True:
        try:
            step()
        except KeyboardInterrupt:
            interrupted = True
        else:
            return interrupted


def _end_all() -> None:
    for path in sorted(_open, key=lambda path: path.name.endswith(PARTIAL)):
        _end(path)


def _end(path: Path) -> None:
    _removed_or_put_back(path)
    if not os.path.lexists(path):
        forget(path)


def _removed_or_put_back(path: Path) -> str:
    """What was done: a partial one goes; one that was moved aside goes if the new one took its place, and comes back if nothing did."""
    home = path.with_name(_NAMED.fullmatch(path.name)["name"])  # type: ignore[index]
    waits = path.name.endswith(REPLACED) and os.path.lexists(path.with_name(path.name.removesuffix(REPLACED) + PARTIAL))
    if not waits and (path.name.endswith(PARTIAL) or os.path.lexists(home)):
        _remove(path)
        return "removed"
    if os.path.lexists(path) and not os.path.lexists(home):
        with suppress(OSError):
            path.rename(home)
            return f"put back as {home.name}"
    return ""


def _remove(path: Path) -> None:
    """Remove a file or a directory, several times if need be; whether it is gone is for the caller to see."""
    for attempt in range(ATTEMPTS):
        if not os.path.lexists(path):
            return
        time.sleep(PAUSE_SECONDS * attempt)
        with suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def _cleared(path: Path, where: str) -> list[str]:
    """Remove what a dead run of this user and machine left."""
    if where != machine() or not _is_ours(path):
        return [f"{path.name} may be of a run on another machine or of another user, and was left alone"]
    handle, _ = _locked(path)
    try:
        done = _removed_or_put_back(path) if handle is not None else ""
        if done and os.path.lexists(path):
            return [f"{path.name}, left by a run that was killed, cannot be removed"]
        return [f"{path.name}, left by a run that was killed, was {done}"] if done else []
    finally:
        if handle is not None:
            os.close(handle)


def _is_ours(path: Path) -> bool:
    """A file of this user, or a directory that holds nothing but files: what this program writes, and nothing else."""
    try:
        kind = path.lstat()
        if stat.S_ISDIR(kind.st_mode):
            with os.scandir(path) as entries:
                return kind.st_uid == os.geteuid() and all(entry.is_file(follow_symlinks=False) for entry in entries)
    except OSError:
        return False
    return kind.st_uid == os.geteuid() and stat.S_ISREG(kind.st_mode)


def _locked(path: Path) -> tuple[int | None, bool]:
    """The handle that holds the lock of a file or directory, and whether it was free; no handle where there are no locks."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None, False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        same = os.path.samestat(os.fstat(handle), path.lstat())
    except OSError as error:
        os.close(handle)
        return None, not isinstance(error, BlockingIOError | FileNotFoundError)
    if not same:
        os.close(handle)
    return (handle, True) if same else (None, False)

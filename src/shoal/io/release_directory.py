"""A release directory that is created atomically.

Files are written to an unfinished, private directory next to the target, and flushed to disk; on success the release is renamed to the
target, on any failure or interrupt it is removed, and leftovers of a killed run are removed by the next one. The target's parent must
exist: a mistyped path is an error, not a new tree of directories.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from glob import glob
from pathlib import Path
from types import TracebackType

from shoal.errors import InputError, OutputError, option
from shoal.io import partial_outputs as unfinished
from shoal.io.read.source import open_regular

MANIFEST = "manifest.json"
REPORT = "report.html"
NOTICE = "NO-GUARANTEE.txt"  # is written next to the data of a release that guarantees nothing

_TABLE = re.compile(r"([^_.]+)(_\w+)?\.(parquet|csv|jsonl|xlsx|txt|log)")  # a file of a table, after the name of the table

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class ReleaseDirectory:
    """Writes a release: `with ReleaseDirectory(target) as directory: ... directory.path / name ...`.

    An existing target is rejected; with `force` an older release or an empty directory is replaced, anything else is still rejected.
    `force` is None if the user has no such option.
    """

    def __init__(self, target: str | Path, *, force: bool | None = False) -> None:
        self.target = Path(os.path.realpath(target))
        self._force = force
        self._path: Path | None = None

    def clear(self) -> list[str]:
        """Remove what killed runs left next to the target, and return a line for each. An older release that was moved aside is
        restored.
        """
        return unfinished.clear(self.target.parent)

    @property
    def path(self) -> Path:
        """Where to write files while the directory is open."""
        return self._unfinished / unfinished.CONTENT

    @property
    def _unfinished(self) -> Path:
        if self._path is None:
            raise OutputError(f"{self.target} is not open for writing", code="not-open-for-writing")
        return self._path

    def write(self, name: str, content: bytes) -> None:
        """Write one file of the release."""
        (self.path / name).write_bytes(content)

    @contextmanager
    def workplace(self) -> Iterator[Path]:
        """Return a private directory for intermediate results, next to the unfinished release; it is removed before the release gets its
        name.
        """
        place = self._unfinished / unfinished.WORK
        with disk_errors(str(self.target)):
            place.mkdir(mode=0o700)
        yield place
        shutil.rmtree(place)

    def java_lock(self) -> Path:
        """Return a new file that a Java process locks while it works for this release, so that no other run removes its output."""
        place = self._unfinished / unfinished.JAVA_LOCK
        with disk_errors(str(self.target)):
            os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return place

    def check(self) -> None:
        """Raise if the release could not be written here; cheap enough to be called before hours of work."""
        parent = self.target.parent
        insist_on_directory(parent)
        insist_outside_releases(parent)
        if not os.access(parent, os.W_OK | os.X_OK):
            raise OutputError(f"{parent} may not be written by this user", code="not-writable")
        if self.target.exists():
            self._may_replace()

    def _may_replace(self) -> None:
        if not self.target.is_dir():
            raise OutputError(
                f"{self.target} exists and is a file", code="output-is-a-file", hint="name a directory that does not exist yet"
            )
        if not self._force:
            replace = "" if self._force is None else f", or replace it with {option('force', True)}"
            raise OutputError(f"{self.target} exists", code="release-exists", hint=f"choose another directory{replace}")
        foreign = sorted({entry.name for entry in self.target.iterdir()} - release_files(self.target))
        if foreign:
            shown = ", ".join(foreign[:3]) + (f" and {len(foreign) - 3} more" if len(foreign) > 3 else "")
            raise OutputError(
                f"{self.target} contains files that are not part of a shoal release: {shown}",
                code="directory-has-other-files",
                hint=f"{option('force', True)} replaces releases only; choose another directory, or move these away",
            )

    def __enter__(self) -> ReleaseDirectory:
        self.check()
        with disk_errors(str(self.target)):
            self._path = unfinished.begin(self.target)
            self.path.mkdir()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        own = self._unfinished
        try:
            with disk_errors(str(self.target)):
                if isinstance(error, OSError):
                    raise error
                if error is None:
                    _bring_to_disk(self.path)
                    self._put_in_place()
        finally:
            self._path = None
            unfinished.discard(own)

    def _put_in_place(self) -> None:
        """Give the release its name. A release that it replaces is restored on failure, and removed otherwise."""
        self.check()
        if self.target.exists():
            unfinished.move_aside(self.target, self._unfinished)
        self.path.rename(self.target)
        _sync(self.target.parent)


def release_files(directory: Path) -> set[str]:
    """Return the names of the files of the shoal release in a directory; empty if it is not one."""
    with suppress(OSError, ValueError, TypeError, KeyError, InputError, RecursionError), open_regular(directory / MANIFEST) as stream:
        manifest = json.loads(stream.read())
        if "shoal" in manifest:
            return {MANIFEST, REPORT, *(str(file["name"]) for file in manifest["files"])}
    return set()


def insist_on_directory(place: Path) -> None:
    """Raise if there is no directory in which an output could be written."""
    if place.is_dir():
        return
    if place.exists():
        raise OutputError(f"{place} is a file, not a directory", code="no-such-directory", hint="choose another place")
    raise OutputError(f"there is no directory {place}", code="no-such-directory", hint="create it first")


def insist_outside_releases(path: Path) -> None:
    """Raise if a path is a release directory or inside one: a release contains only what was verified."""
    release = release_around(path)
    if release is not None:
        raise OutputError(
            f"{path} is in the release {release}, which only anonymize writes", code="inside-a-release", hint="choose another place"
        )


def release_around(path: Path) -> Path | None:
    """Return the release directory that is or contains a path, if any.

    A directory is a release if its manifest is one of shoal. If the manifest cannot be parsed, the directory is a release if it also has a
    report or a table of a release.
    """
    real = Path(os.path.realpath(path))
    return next((place for place in (real, *real.parents) if _is_release(place)), None)


def _is_release(directory: Path) -> bool:
    manifest = directory / MANIFEST
    if not os.path.lexists(manifest):
        return False
    try:
        with open_regular(manifest) as stream:
            content = json.loads(stream.read())
    except (OSError, ValueError, InputError, RecursionError):
        return _holds_release_files(directory)
    return isinstance(content, dict) and "shoal" in content


def _holds_release_files(directory: Path) -> bool:
    """Whether a directory has a report or a table named as in a release; also true if that cannot be determined."""
    from shoal.data.tables import KINDS  # rarely needed, and slow to load

    names = {name for table in KINDS.values() for name in table.names}
    try:
        files = [path.name for path in directory.iterdir()]
    except OSError:
        return True
    return any(name == REPORT or ((found := _TABLE.fullmatch(name)) is not None and found[1] in names) for name in files)


def insist_apart(output: Path, inputs: Iterable[Path]) -> None:
    """Raise if an output would replace an input, or a directory with one. Inputs may be patterns."""
    real = Path(os.path.realpath(output))
    for path in (found for pattern in map(str, inputs) for found in (pattern, *_matches(pattern))):
        place = Path(os.path.realpath(path))
        if real in (place, *place.parents):
            raise OutputError(f"{output} would replace the input {path}", code="output-replaces-input", hint="choose another place")


def _matches(pattern: str) -> list[str]:
    return glob(pattern, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern


@contextmanager
def disk_errors(target: str) -> Iterator[None]:
    """Translate errors of the operating system while writing."""
    try:
        yield
    except OSError as error:
        if _number(error) in FULL:
            raise OutputError(f"the disk is full: {target} was not written", code="disk-full", hint="free some space") from None
        raise OutputError(f"{target} cannot be written: {error.strerror or error}", code="not-writable") from None


def _number(error: OSError) -> int | None:
    """Return the number of the operating system's error; Polars gives it as text only."""
    match = re.search(r"os error (\d+)", str(error))
    return int(match[1]) if error.errno is None and match else error.errno


def _bring_to_disk(directory: Path) -> None:
    for file in directory.rglob("*"):
        _sync(file)
    _sync(directory)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""The files that are read as one log: named individually, by patterns such as `2024-*.csv`, by their directory, or standard input as
`-`.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

from shoal.errors import InputError, option
from shoal.io.read.directories import data_files
from shoal.io.read.formats import Layout, find_layout
from shoal.io.read.frames_in_memory import in_memory
from shoal.io.read.options import ReadOptions
from shoal.io.read.source import Portion, Source, stem_of
from shoal.io.read.sql import Query

STDIN = "-"

Paths = str | Path | Sequence[Path]


def sources_of(data: Paths | Any, most: Portion | None = None, encoding: str | None = None) -> list[Source]:
    """Open all named files, sorted by name, or data in memory. `most` is wanted in total."""
    if not are_paths(data):
        _refuse_encoding(encoding)
        return [data.opened(most) if isinstance(data, Query) else in_memory(data)]
    named = [data] if isinstance(data, str | Path) else data
    places, notes = with_directories([place for path in named for place in matching(str(path))])
    refuse_twice(places)
    share = None if most is None else most.of_each(len(places))
    sources = [Source.of_standard_input(share, encoding) if place == STDIN else Source.of_data(place, share, encoding) for place in places]
    _refuse_copies(sources)
    sources[0] = replace(sources[0], notes=(*notes, *sources[0].notes))
    _measure(sources)
    return sources


def notes_on(sources: Sequence[Source]) -> tuple[str, ...]:
    """Return the distinct notes about the files."""
    return tuple(dict.fromkeys(note for source in sources for note in source.notes))


def with_directories(places: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Expand directories into their files, with notes on their other entries."""
    files: list[str] = []
    notes: list[str] = []
    for place in places:
        if place == STDIN or not Path(place).is_dir():
            files.append(place)
            continue
        found, noted = data_files(Path(place))
        files += map(str, found)
        notes += noted
    return files, tuple(notes)


def _refuse_encoding(encoding: str | None) -> None:
    if encoding is not None:
        raise InputError(
            "only text files have an encoding, but the data is a frame, a list or a query",
            code="option-not-applicable",
            hint=f"leave {option('encoding')} out",
        )


@contextmanager
def closed_after(sources: Sequence[Source]) -> Iterator[None]:
    """Context that closes the sources at the end, also after an error."""
    try:
        yield
    finally:
        for source in sources:
            source.close()


def part_read(sources: Sequence[Source]) -> float:
    """Return the share of the files that was read: 1 unless reading was partial; 0 if it was, but their size is not known."""
    extents = [source.extent for source in sources]
    total = sum(extent.total for extent in extents)
    if not any(extent.cut for extent in extents):
        return 1.0
    if not all(extent.total for extent in extents):
        return 0.0
    return sum(extent.done if extent.cut else extent.total for extent in extents) / total


def common_layout(sources: Sequence[Source], options: ReadOptions) -> Layout:
    """Return how to read all files. Raise if they differ."""
    first = sources[0]
    layout = find_layout(first, options)
    for other in sources[1:]:
        _refuse_unlike(first, layout, other, _found_like(first, other, options))
    if len(sources) == 1:
        return layout
    return replace(layout, notes=(*layout.notes, f"{len(sources)} files are read as one log"))


def are_paths(data: Paths | Any) -> TypeGuard[Paths]:
    """Whether the data is a path, or several as `Path`. A list of texts is data: treated as paths, the error would quote it."""
    if isinstance(data, str | Path):
        return True
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(one, Path) for one in data)


def matching(path: str) -> list[str]:
    """Return the files that match a pattern, sorted; other paths, and existing files of that name, represent themselves."""
    if path == STDIN or not any(sign in path for sign in "*?[") or os.path.lexists(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
    if not found:
        raise InputError(f"no file matches {path}", code="file-not-found")
    return found


def refuse_twice(places: Sequence[str]) -> None:
    """Raise if a file is named twice: everybody's rows would count twice."""
    met: dict[object, str] = {}
    for place in places:
        other = met.get(_identity(place))
        if other is not None:
            raise InputError(f"{place} is named twice" + ("" if other == place else f", also as {other}"), code="input-named-twice")
        met[_identity(place)] = place


def _refuse_copies(sources: Sequence[Source]) -> None:
    """Raise for a file that is next to a compressed copy of itself, such as a.csv and a.csv.gz."""
    met: dict[object, Source] = {}
    for source in sources:
        called = (source.path.absolute().parent, stem_of(source.path))
        other = met.setdefault(called, source)
        if other is not source and other.head == source.head:
            raise InputError(
                f"{source.path} begins as {other.path} does, and seems to be a copy of it",
                code="input-named-twice",
                hint="name one of them",
            )


def _identity(place: str) -> object:
    """Return what identifies a file, by whatever name."""
    try:
        found = Path(place).stat()
        return found.st_dev, found.st_ino
    except (OSError, ValueError):  # a file that is not there is refused when it is opened
        return place


def _measure(sources: Sequence[Source]) -> None:
    """Set for each file how much of all files precedes it, for progress."""
    total = sum(source.extent.total for source in sources)
    before = 0
    for source in sources:
        source.extent.before, source.extent.of_all = before, total
        before += source.extent.total


def _found_like(first: Source, other: Source, options: ReadOptions) -> Layout:
    try:
        return find_layout(other, options)
    except InputError as error:
        raise InputError(
            f"{other.path} cannot be read like {first.path}: {error.marked_message}", code=error.code, hint=error.marked_hint
        ) from None


def _refuse_unlike(first: Source, layout: Layout, other: Source, detected: Layout) -> None:
    if replace(detected, notes=()) == replace(layout, notes=()):
        return
    if detected.format != layout.format:
        why = f"one is of the format {layout.format}, the other {detected.format}"
    elif list(detected.columns) != list(layout.columns):
        why = f"their columns differ: {_listed(layout)} and {_listed(detected)}"
    else:
        why = "their separators, headers or numbers of fields differ"
    raise InputError(
        f"{first.path} and {other.path} are not one log: {why}",
        code="files-not-alike",
        hint="give them the same columns, or read them one by one",
    )


def _listed(layout: Layout) -> str:
    return ", ".join(repr(name) for name in layout.columns) or "none named"

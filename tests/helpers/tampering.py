"""Ways to tamper with a release, each a small edit; digests are renewed as anybody can, unless an edit is about a digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Manifest = dict[str, Any]


def manifest_of(release: Path) -> Manifest:
    found: Manifest = json.loads((release / "manifest.json").read_text())
    return found


def seal(release: Path, told: Manifest) -> None:
    """Write a manifest with the digest that belongs to it, as its documentation describes it."""
    rest = {key: value for key, value in told.items() if key != "sha256"}
    try:
        written = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        written = b""
    told["sha256"] = hashlib.sha256(written).hexdigest()
    (release / "manifest.json").write_bytes(canonical(told))


def canonical(told: Manifest) -> bytes:
    """A manifest in its canonical form; with escapes where it holds half a character, which no file can."""
    try:
        return (json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(told, indent=2) + "\n").encode()


def renew(release: Path) -> None:
    """Put the digests of the files as they are now into the manifest."""
    told = manifest_of(release)
    for file in told["files"]:
        file["sha256"] = hashlib.sha256((release / file["name"]).read_bytes()).hexdigest()
    seal(release, told)


def edit(change: Callable[[Manifest], Any]) -> Callable[[Path], None]:
    """An edit of the manifest whose digest is renewed."""

    def tamper(release: Path) -> None:
        told = manifest_of(release)
        change(told)
        seal(release, told)

    return tamper


def put(key: str, value: Any) -> Callable[[Path], None]:
    """The manifest with one value under a key such as `input.owners` or `files[0].rows` replaced or added."""

    def change(told: Manifest) -> None:
        *path, last = _steps(key)
        place: Any = told
        for step in path:
            place = place[step]
        if isinstance(place, list) and last == len(place):
            place.append(value)
        else:
            place[last] = value

    return edit(change)


def drop(key: str) -> Callable[[Path], None]:
    """The manifest without a key."""

    def change(told: Manifest) -> None:
        *path, last = _steps(key)
        place: Any = told
        for step in path:
            place = place[step]
        del place[last]

    return edit(change)


def text(before: str, after: str) -> Callable[[Path], None]:
    """The manifest's text with one piece replaced, for what no writer of JSON would write."""

    def tamper(release: Path) -> None:
        written = (release / "manifest.json").read_text()
        assert before in written
        (release / "manifest.json").write_text(written.replace(before, after, 1))

    return tamper


def records(change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    """Other lines in records.csv, with all digests renewed."""

    def tamper(release: Path) -> None:
        file = release / "records.csv"
        file.write_text("\n".join(change(file.read_text().splitlines())) + "\n")
        renew(release)

    return tamper


def report(before: str, after: str) -> Callable[[Path], None]:
    """Other words in the report, with all digests renewed."""

    def tamper(release: Path) -> None:
        file = release / "report.html"
        written = file.read_text()
        assert before in written
        file.write_text(written.replace(before, after))
        renew(release)

    return tamper


def together(*edits: Callable[[Path], None]) -> Callable[[Path], None]:
    """Several edits, one after the other."""

    def tamper(release: Path) -> None:
        for one in edits:
            one(release)

    return tamper


def _steps(key: str) -> list[str | int]:
    steps: list[str | int] = []
    for piece in key.split("."):
        name, _, index = piece.partition("[")
        steps += [name, int(index[:-1])] if index else [name]
    return steps

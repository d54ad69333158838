"""A release on disk, as its manifest tells of it. What a manifest says is read with suspicion: anyone may have edited it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.app.job import Preparation
from shoal.data.packed import open_regular, translated
from shoal.errors import InputError
from shoal.io.directory import MANIFEST, REPORT, release_files
from shoal.io.options import FORMATS, ReadOptions
from shoal.privacy import Verdict

_PREPARATION = {"per": "per", "gap": "gap", "taxonomy": "taxonomy", "unknown": "unknown", "scope": "scope", "node_loss": "loss"}


@dataclass(frozen=True)
class Published:
    """A release on disk: its records file, and its manifest where it has one."""

    file: Path
    manifest: dict[str, Any] | None

    @classmethod
    def at(cls, path: Path) -> Published:
        """A release directory, or a single file of records."""
        if not path.is_dir():
            return cls(path, None)
        manifest = read_manifest(path)
        return cls(path / manifest["files"][0]["name"], manifest)

    @property
    def facts(self) -> dict[str, Any]:
        """What the manifest says of the records file."""
        return dict(self.manifest["files"][0]) if self.manifest else {}

    @property
    def format(self) -> str | None:
        """The form of the records, where the manifest tells it."""
        told = self.facts.get("format")
        return told if isinstance(told, str) else None

    @property
    def separator(self) -> str | None:
        """What separates items, where the manifest tells it."""
        told = self.facts.get("separator")
        return told if isinstance(told, str) else None

    @property
    def claims(self) -> list[str]:
        """What the manifest claims."""
        return [claim["model"] for claim in self.manifest["claims"]] if self.manifest else []

    def as_written(self, rows: int) -> Verdict:
        """That the files are those the manifest tells of, and that the manifest agrees with itself; `rows` were read."""
        assert self.manifest is not None
        broken = []
        if rows != self.facts.get("rows"):
            broken.append(f"{self.file.name} holds {rows:,} records, the manifest says {_number(self.facts.get('rows'))}")
        for fact in self.manifest["files"]:
            file = self.file.with_name(fact["name"])
            if file.exists() and _digest(file) != fact.get("sha256"):
                broken.append(f"{file.name} was changed after it was written: its SHA-256 differs from the manifest's")
        broken += _unbalanced(self.manifest["accounting"], self.facts.get("rows"))
        return Verdict("files as written", not broken, {"records": rows}, tuple(broken))

    def notes(self) -> list[str]:
        """What else is worth knowing of the directory."""
        if self.manifest is None:
            return []
        directory = self.file.parent
        strangers = {entry.name for entry in directory.iterdir()} - release_files(directory)
        notes = [f"{len(strangers):,} files in the directory are not part of the release"] if strangers else []
        if not (directory / REPORT).exists():
            notes.append(f"{REPORT} is not there")
        return notes


def read_manifest(directory: Path) -> dict[str, Any]:
    """A release directory's manifest, in the shape that a manifest has."""
    place = directory / MANIFEST
    if not place.exists():
        raise InputError(f"{directory} is no release: it has no {MANIFEST}", hint="name a release directory, or the file of records itself")
    try:
        with translated(place), open_regular(place) as stream:
            found = json.loads(stream.read().decode("utf-8"))
    except (ValueError, RecursionError):
        raise InputError(f"{place} is not readable as JSON") from None
    if not isinstance(found, dict) or "shoal" not in found:
        raise InputError(f"{place} was not written by shoal")
    for part, fault in _faults(found).items():
        raise InputError(f"{place} is damaged: {fault}", part=part)
    return found


def preparation_of(manifest: Mapping[str, Any]) -> Preparation:
    """How the original was prepared, as far as the manifest tells."""
    given = manifest["input"]
    told: dict[str, Any] = {name: str(given[key]) for key, name in _PREPARATION.items() if key in given}
    if "records_as" in given:
        told["as_sets"] = given["records_as"] == "sets"
    format = given.get("format")
    return Preparation(read=ReadOptions(format=format if format in FORMATS else None), **told)


def _faults(manifest: Mapping[str, Any]) -> dict[str, str]:
    """What is not as it must be, by the part of the manifest."""
    files, claims = manifest.get("files"), manifest.get("claims")
    faults = {}
    if not isinstance(files, list) or not files:
        faults["files"] = "it names no file of records"
    elif not all(isinstance(file, dict) and _plain_name(file.get("name")) for file in files):
        faults["files"] = "a file of the release has no name, or one outside the directory"
    if not isinstance(claims, list) or not all(isinstance(c, dict) and isinstance(c.get("model"), str) for c in claims):
        faults["claims"] = "its claims are not a list of models"
    for part in ("input", "accounting", "metrics", "parameters"):
        if not isinstance(manifest.get(part), dict):
            faults[part] = f"it has no {part}"
    return faults


def _plain_name(name: object) -> bool:
    return isinstance(name, str) and name not in {"", ".", ".."} and not {"/", "\\", "\0"} & set(name)


def _unbalanced(accounting: Mapping[str, Any], rows: object) -> list[str]:
    """Where the manifest's account does not add up, or speaks of another number of records than the list of files."""
    broken = []
    for name, ledger in accounting.items():
        parts = ledger if isinstance(ledger, dict) else {}
        if not all(type(n) is int for n in parts.values()) or 2 * parts.get("in", -1) != sum(parts.values()):
            broken.append(f"the manifest's account of {name} does not add up")
    records = accounting.get("records")
    published = records.get("published", 0) if isinstance(records, dict) else None
    if published != rows:
        broken.append(f"the manifest accounts for {_number(published)} published records, and lists {_number(rows)}")
    return broken


def _number(said: object) -> str:
    return f"{said:,}" if type(said) is int else "no number"


def _digest(file: Path) -> str:
    with translated(file), open_regular(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

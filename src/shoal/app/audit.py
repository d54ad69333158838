"""Auditing a release from its files alone, or with the original beside them; it does not matter which tool made it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.app.job import Preparation
from shoal.app.pipeline import prepare
from shoal.data.bags import Bags
from shoal.data.release import Release
from shoal.errors import InputError
from shoal.io.directory import MANIFEST
from shoal.io.records import read_records
from shoal.privacy import MODELS, Verdict
from shoal.privacy.classes import classes_of
from shoal.taxonomy.ground import Grounding
from shoal.taxonomy.tree import Taxonomy


@dataclass(frozen=True, eq=False)
class Audit:
    """Verdicts on the claims and on the files, the largest k that holds, and how things were read and counted."""

    verdicts: tuple[Verdict, ...]
    largest_k: int
    records: int
    notes: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every claim holds and no file was changed."""
        return all(v.holds for v in self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "holds": self.holds,
            "largest_k": self.largest_k,
            "records": self.records,
            "claims": [v.as_dict() for v in self.verdicts],
            "notes": list(self.notes),
        }


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
        files = manifest.get("files") or []
        if not files:
            raise InputError(f"the manifest in {path} names no file of records")
        return cls(path / str(files[0]["name"]), manifest)

    @property
    def facts(self) -> dict[str, Any]:
        """What the manifest says of the records file."""
        return dict(self.manifest["files"][0]) if self.manifest else {}


def read_manifest(directory: Path) -> dict[str, Any]:
    """A release directory's manifest."""
    place = directory / MANIFEST
    if not place.exists():
        raise InputError(f"{directory} is no release: it has no {MANIFEST}", hint="name a release directory, or the file of records itself")
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise InputError(f"{place} is not readable as JSON") from None
    if not isinstance(found, dict) or "shoal" not in found:
        raise InputError(f"{place} was not written by shoal")
    return found


def audit(
    path: Path,
    claims: Sequence[str] = (),
    original: Path | None = None,
    how: Preparation | None = None,
    format: str | None = None,
    sep: str | None = None,
) -> Audit:
    """Judge the records at this place by the claims given, or by those its manifest makes."""
    place = Published.at(path)
    models = [MODELS.make(text) for text in claims or _claimed(place)]
    facts = place.facts
    records, notes = read_records(place.file, format or facts.get("format"), sep or facts.get("separator"))
    verdicts = [] if place.manifest is None else [_files_as_written(place, len(records))]
    release = Release.from_records(records)
    grounding = None
    if original is not None:
        grounding = prepare(original, how or Preparation()).original
        release, strange = on_taxonomy(release, grounding.taxonomy)
        if strange:
            verdicts.append(_foreign_items(strange))
        verdicts += _all_there(place, grounding)
    verdicts += [model.check(release, grounding) for model in models]
    return Audit(tuple(verdicts), classes_of(release).smallest, release.n_records, notes)


def on_taxonomy(release: Release, taxonomy: Taxonomy) -> tuple[Release, int]:
    """The release with items as nodes of the taxonomy, and how many published names are not among its nodes."""
    nodes = taxonomy.names.codes(release.published.vocabulary.names)
    strange = int((nodes < 0).sum())
    rows: Bags = release.published.relabelled(nodes, taxonomy.names)
    return Release(rows, np.array(release.copies)), strange


def preparation_of(manifest: dict[str, Any]) -> Preparation:
    """How the original was prepared, as far as the manifest tells."""
    given = manifest.get("input", {})
    told = {key: given[key] for key in ("per", "gap", "taxonomy", "unknown", "scope") if key in given}
    if "node_loss" in given:
        told["loss"] = given["node_loss"]
    if "records_as" in given:
        told["as_sets"] = given["records_as"] == "sets"
    return Preparation(**told)


def _claimed(place: Published) -> list[str]:
    return [] if place.manifest is None else [str(c["model"]) for c in place.manifest.get("claims", [])]


def _files_as_written(place: Published, rows: int) -> Verdict:
    facts, broken = place.facts, []
    if rows != facts.get("rows"):
        broken.append(f"{place.file.name} holds {rows:,} records, the manifest says {facts.get('rows', 0):,}")
    with place.file.open("rb") as stream:
        if hashlib.file_digest(stream, "sha256").hexdigest() != facts.get("sha256"):
            broken.append(f"{place.file.name} was changed after it was written: its SHA-256 differs from the manifest's")
    return Verdict("files as written", not broken, {"records": rows}, tuple(broken))


def _foreign_items(strange: int) -> Verdict:
    return Verdict("items of the taxonomy", False, {"foreign": strange}, (f"{strange:,} published items are no nodes of the taxonomy",))


def _all_there(place: Published, original: Grounding) -> list[Verdict]:
    """That the manifest speaks of as many records as the original has."""
    if place.manifest is None:
        return []
    said = place.manifest.get("accounting", {}).get("records", {}).get("in", 0)
    has = len(original.bags)
    broken = () if said == has else (f"the manifest accounts for {said:,} records, the original has {has:,}",)
    return [Verdict("every record accounted for", not broken, {"records": has}, broken)]

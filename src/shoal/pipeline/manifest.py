"""A release on disk and its manifest. A manifest is validated before it is used, because anyone may have edited it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from shoal.data.claims import Verdict, verified_if
from shoal.data.input_shapes import ITEM_SETS
from shoal.data.noise_record import NoisyStep
from shoal.data.original import KEPT, QUASI
from shoal.data.taxonomy import Floor
from shoal.errors import InputError
from shoal.io.extra_columns import distinct_keys
from shoal.io.read.microdata import DROPPED, HIERARCHIES, NOMINAL, ORDINAL, OWNER
from shoal.io.read.options import ReadOptions
from shoal.io.read.source import content_of, digest_of
from shoal.io.release_directory import MANIFEST
from shoal.pipeline.manifest_schema import faults
from shoal.pipeline.options import AS_TYPED, FLOOR, MIN_SUPPORT, NO_TAXONOMY, WORD_RULES, Preparation
from shoal.util.wording import listed

_PREPARATION = {name: name for name in ("per", "gap", "taxonomy", "unknown", "scope", MIN_SUPPORT, WORD_RULES)} | {"node_loss": "loss"}

_COLUMNS = {QUASI: "quasi", KEPT: "keep", DROPPED: "drop", OWNER: "user"}
_COLUMNS |= {NOMINAL: "nominal", ORDINAL: "ordinal", HIERARCHIES: "hierarchy", ITEM_SETS: "item_sets"}


@dataclass(frozen=True)
class Published:
    """A release on disk: its records file and, if there is one, its manifest."""

    file: Path
    manifest: dict[str, Any] | None

    @classmethod
    def at(cls, path: Path) -> Published:
        """Open a release directory or a single file of records."""
        if not path.is_dir():
            return cls(path, None)
        manifest = read_manifest(path)
        return cls(path / manifest["files"][0]["name"], manifest)

    @property
    def facts(self) -> dict[str, Any]:
        """The manifest entry of the records file."""
        return dict(self.manifest["files"][0]) if self.manifest else {}

    @property
    def tables(self) -> list[dict[str, Any]]:
        """The manifest entries of the table files."""
        return [file for file in self.manifest["files"] if "table" in file] if self.manifest else []

    @property
    def kinds(self) -> set[str]:
        """The kinds of tables that the manifest lists."""
        return {file["kind"] for file in self.tables}

    @property
    def format(self) -> str | None:
        """The file format of the records, if the manifest records it."""
        return self.facts.get("format")

    @property
    def separator(self) -> str | None:
        """The item separator, if the manifest records it."""
        return self.facts.get("separator")

    @property
    def layout(self) -> str | None:
        """The layout, one row per record or per item, if the manifest records it."""
        return self.facts.get("layout")

    @property
    def claims(self) -> list[str]:
        """The claims in the manifest."""
        return [claim["model"] for claim in self.manifest["claims"]] if self.manifest else []

    @property
    def mechanism(self) -> tuple[NoisyStep, ...]:
        """The noise mechanism that the manifest records."""
        return tuple(NoisyStep.from_dict(step) for step in self.manifest.get("mechanism", ())) if self.manifest else ()

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of every listed file that exists."""
        assert self.manifest is not None
        places = [self.file.with_name(file["name"]) for file in self.manifest["files"]]
        return {place.name: digest_of(place) for place in places if place.exists()}

    def as_listed(self, digests: Mapping[str, str]) -> Verdict:
        """Verify that the directory contains exactly the files that the manifest lists, unchanged."""
        assert self.manifest is not None
        names = [file["name"] for file in self.manifest["files"]]
        broken = [f"{name} is listed in the manifest but missing" for name in names if name not in digests]
        for file in self.manifest["files"]:
            if digests.get(file["name"], file["sha256"]) != file["sha256"]:
                broken.append(f"{file['name']} was changed after it was written: its SHA-256 differs from the manifest's")
        unlisted = sorted({entry.name for entry in self.file.parent.iterdir()} - {MANIFEST, *names})
        if unlisted:
            broken.append(f"the directory contains files that the manifest does not list: {listed(unlisted)}")
        return Verdict("files unchanged", verified_if(not broken), {"files": len(digests)}, tuple(broken))

    def insist_unchanged(self, path: Path) -> None:
        """Raise if the files of the release at this path are not those that its manifest lists."""
        written = self.as_listed(self.digests())
        if not written.holds:
            raise InputError(f"{path} was changed after it was written: {'; '.join(written.witnesses)}", code="release-altered")


def read_manifest(directory: Path) -> dict[str, Any]:
    """Read the manifest of a release directory. Raise unless it conforms strictly to the schema."""
    place = directory / MANIFEST
    if not place.exists():
        raise InputError(
            f"{directory} is not a release: it has no {MANIFEST}",
            code="not-a-release",
            hint="name a release directory, or the file of records itself",
        )
    raw = content_of(place)
    try:
        manifest = json.loads(raw.decode("utf-8"), object_pairs_hook=distinct_keys(place), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise InputError(f"{place} is not readable as JSON", code="invalid-json") from None
    if not isinstance(manifest, dict) or "shoal" not in manifest:
        raise InputError(f"{place} was not written by shoal", code="not-a-release")
    for fault in faults(manifest):
        raise InputError(f"{place} is damaged: {fault}", code="manifest-invalid")
    return manifest


def preparation_of(manifest: Mapping[str, Any]) -> Preparation:
    """Return the preparation of the original as recorded in the manifest."""
    facts = manifest["input"]
    reading = facts.get("reading")
    read = ReadOptions.from_description(facts.get("format"), reading if isinstance(reading, dict) else {})
    if "read_as" in facts:
        columns: dict[str, Any] = {option: _option_value(facts[role]) for role, option in _COLUMNS.items() if role in facts}
        if isinstance(columns.get("drop"), int):  # a number: manifests of earlier versions name the dropped columns
            columns |= {"drop": (), "drop_others": True}
        own = {name: facts[name] for name in ("terms", "unknown") if name in facts}
        return Preparation(
            read=replace(read, **columns),
            taxonomy=facts.get("taxonomy", NO_TAXONOMY),
            typed_names=True,
            shape=facts["read_as"],
            clicks="clicks" in facts,
            times="times" in facts,
            baskets=facts["read_as"] == "log",
            **own,
        )
    options: dict[str, Any] = {name: facts[key] for key, name in _PREPARATION.items() if key in facts}
    if FLOOR in facts:
        options[FLOOR] = Floor.from_recorded(facts[FLOOR])
    if facts.get("names") == AS_TYPED:  # then a taxonomy only chose items, and claims name these
        options |= {"taxonomy": NO_TAXONOMY, "typed_names": True}
    return Preparation(read=read, as_sets=facts["records_as"] == "sets", **options)


def _option_value(value: str | int | list[str]) -> str | int | tuple[str, ...]:
    return tuple(value) if isinstance(value, list) else value


def _no_number(text: str) -> NoReturn:
    """Raise for NaN and infinities: Python reads them, but they are not JSON."""
    raise ValueError(text)

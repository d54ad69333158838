"""The taxonomies of a studio: every change is a new version in a file of its own, so that what a job used stays as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError
from shoal.io.read.taxonomies import read_taxonomy
from shoal.io.studio_folder import TAXONOMIES, StudioFolder, read_toml, write_toml
from shoal.io.write.taxonomy_file import write_edges

FACTS = "taxonomy.toml"
KEPT = ("name", "raw", "looked", "job", "last")
FIRST = 1
REMEMBERED = 2  # trees that stay in memory while they are browsed


@dataclass(frozen=True)
class StoredTaxonomy:
    """A taxonomy with all its versions.

    Attributes:
        folder: Where its files are.
        name: What it is called.
        raw: The file that it is made from; empty if it is learned.
        looked: The ID of the job that read the columns of this file.
        job: The ID of the job that makes it.
        changes: The versions that changes made, the newest last, without those that were taken back.
        last: The highest number of a version so far; numbers are not used twice.
    """

    folder: Path
    name: str
    raw: str = ""
    looked: str = ""
    job: str = ""
    changes: Sequence[int] = ()
    last: int = FIRST

    @property
    def identity(self) -> str:
        """Its ID."""
        return self.folder.name

    @property
    def version(self) -> int:
        """The number of the version that counts; 0 if the taxonomy is not made yet."""
        return self.changes[-1] if self.changes else FIRST if self.file(FIRST).is_file() else 0

    def file(self, version: int) -> Path:
        """Return the file of a version."""
        return self.folder / f"taxonomy-{version}.tsv"

    @property
    def path(self) -> Path:
        """The file of the version that counts."""
        return self.file(self.version)

    def tree(self) -> Taxonomy:
        """Return the version that counts."""
        return _tree(self.path)

    def save(self, **changes: Any) -> StoredTaxonomy:
        """Change some of it, and write it to its folder."""
        new = replace(self, **changes)
        write_toml(new.folder / FACTS, {"changes": list(new.changes), **{name: getattr(new, name) for name in KEPT}})
        return new

    def changed(self, tree: Taxonomy) -> StoredTaxonomy:
        """Write a new version."""
        number = self.last + 1
        write_edges(tree, self.file(number))
        return self.save(changes=[*self.changes, number], last=number)

    def undone(self) -> StoredTaxonomy:
        """Take back the last change; its file stays for the jobs that used it."""
        return self.save(changes=list(self.changes[:-1]))


@lru_cache(maxsize=REMEMBERED)
def _tree(path: Path) -> Taxonomy:
    return read_taxonomy(str(path), loss=DEFAULT_LOSS).taxonomy


def stored_taxonomy(folder: StudioFolder, identity: str) -> StoredTaxonomy | None:
    """Return the taxonomy of this ID; None if there is none."""
    place = folder.named(TAXONOMIES, identity)
    return None if place is None else _stored(place)


@dataclass(frozen=True)
class UsedVersion:
    """The version of a taxonomy that a source or a job uses."""

    name: str
    identity: str
    number: int


def used_version(folder: StudioFolder, option: object) -> UsedVersion | None:
    """Return the version that an option names; None if it names another taxonomy."""
    path = Path(str(option or ""))
    one = stored_taxonomy(folder, path.parent.name)
    number = path.stem.rpartition("-")[2]
    if one is None or not (number.isascii() and number.isdigit()) or one.file(int(number)) != path:
        return None
    return UsedVersion(one.name, one.identity, int(number))


def stored_taxonomies(folder: StudioFolder) -> list[StoredTaxonomy]:
    """Return all taxonomies, the newest first."""
    found = [_stored(place) for place in folder.all(TAXONOMIES)]
    return [one for one in found if one is not None]


def _stored(place: Path) -> StoredTaxonomy | None:
    try:
        return StoredTaxonomy(place, **read_toml(place / FACTS))
    except (InputError, TypeError):
        return None

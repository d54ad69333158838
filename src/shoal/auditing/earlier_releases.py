"""Releases in series: what a new release tells beside earlier ones of the same people, before it is written.

Each earlier release is compared with the new one: queries that come, go or change by few people (`privacy/series_rows.py`), groups that
meet in few people (`privacy/series_groups.py`). More findings than are accepted are a refusal. The names of queries and items are told
only to whoever asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.auditing.audit import seen_at
from shoal.counting import counted
from shoal.data.original import Original
from shoal.data.original_rows import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.data.tables.rows import RowTable
from shoal.errors import GuaranteeNotMet, InputError, ParameterError
from shoal.io.published import rows_differing
from shoal.pipeline.manifest import Published
from shoal.pipeline.promises import claims_of
from shoal.pipeline.remake import made_again
from shoal.pipeline.run import Judged
from shoal.privacy import Model
from shoal.privacy.series_groups import exact_meetings, meetings
from shoal.privacy.series_rows import CAME, CHANGED, WENT, told_by_comparing
from shoal.report.summary import PROTECTS

CROSSING = 2  # people by whom queries must come, go or change, at least
COMPARABLE = "--previous compares queries that k people asked, and records of groups of k people"


@dataclass(frozen=True)
class Series:
    """Earlier releases, the people by whom queries must come, go or change at least, and the findings that are accepted at most."""

    previous: tuple[Path, ...]
    crossing: int = CROSSING
    exposed: int = 0

    def __post_init__(self) -> None:
        for name, value, least in (("crossing", self.crossing, 1), ("exposed", self.exposed, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ParameterError(f"{name} must be a whole number of at least {least}, not {value!r}", value=value)

    @classmethod
    def of(cls, previous: str | Path | Sequence[str | Path], crossing: int = CROSSING, exposed: int = 0) -> Series:
        """One earlier release, or several."""
        return cls(tuple(map(Path, [previous] if isinstance(previous, str | Path) else previous)), crossing, exposed)

    def earlier(self, claims: Iterable[Model]) -> tuple[Earlier, ...]:
        """The earlier releases, read; refused where they cannot be compared with a release that makes these claims."""
        wanted = _Level.of(claims)
        found = tuple(Earlier.at(path) for path in self.previous)
        if found and wanted is None:
            raise ParameterError(f"{COMPARABLE}, and this method promises neither", hint="leave --previous out")
        for one in found:
            if wanted is None or one.level.kind != wanted.kind:
                raise ParameterError(f"{one.path} makes another sort of promise than this release", hint=COMPARABLE)
        return found

    def compare(self, judged: Judged, earlier: Sequence[Earlier]) -> tuple[Comparison, ...]:
        """What the new release tells beside each of them. Raises where more is found than is accepted."""
        found = tuple(_compared(judged, one, self.crossing) for one in earlier)
        total = sum(one.exposed for one in found)
        if total > self.exposed:
            told = "; ".join(f"beside {one.path}: {line}" for one in found if one.exposed for line in one.lines)
            hint = f"nothing was written; a larger k may avoid it, --exposed {total} accepts as many"
            raise GuaranteeNotMet(told, hint=hint, rare=[name for one in found for name in one.rare])
        return found


@dataclass(frozen=True)
class _Level:
    """What can be compared of a release: rows of queries that k people asked, or records of groups of k people."""

    kind: str
    k: int

    @classmethod
    def of(cls, claims: Iterable[Model]) -> _Level | None:
        made = list(claims)
        asked = [claim.asked_by for claim in made if claim.asked_by is not None]
        if asked:
            return cls(RowTable.kind, max(asked))
        groups = [claim.generalized_groups for claim in made if claim.generalized_groups is not None and BagTable.kind in claim.judges]
        return cls(BagTable.kind, max(groups)) if groups else None


@dataclass(frozen=True, eq=False)
class Earlier:
    """A release that was published before, and what it promises."""

    path: Path
    release: Release
    level: _Level
    manifest: Mapping[str, Any]

    @classmethod
    def at(cls, path: Path) -> Earlier:
        """The release in this directory; refused where its files were changed, or where nothing of it can be compared."""
        place = Published.at(path)
        if place.manifest is None:
            raise InputError(f"{path} is no release directory", hint="--previous needs the manifest, which says what was promised")
        written = place.as_listed(place.digests())
        if not written.holds:
            raise InputError(f"{path} is not as it was written: {'; '.join(written.witnesses)}")
        claims = claims_of(place.manifest)
        level = _Level.of(claims)
        if level is None:
            raise InputError(f"{path} promises nothing that can be compared", hint=COMPARABLE)
        return cls(path, seen_at(place, claims).release, level, place.manifest)

    def made_again(self, facts: Mapping[str, Any], original: Original) -> Release | None:
        """The same release with its groups, where its method makes the same of this original; else None."""
        if _without_words(self.manifest["input"]) != _without_words(facts):
            return None
        return made_again(self.manifest, self.release, original)


@dataclass(frozen=True)
class Comparison:
    """What one earlier release and the new one tell together: how many findings, in words, and by name for whoever asks."""

    path: Path
    exposed: int
    lines: tuple[str, ...]
    notes: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()

    @property
    def told(self) -> tuple[str, ...]:
        """All of it but the names, for a terminal."""
        return tuple(f"beside {self.path}: {line}" for line in (*self.lines, *self.notes))


def _without_words(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What a manifest says of an input, without what the claims make of it."""
    return {name: fact for name, fact in facts.items() if name != PROTECTS}


def _compared(judged: Judged, earlier: Earlier, crossing: int) -> Comparison:
    release, original = judged.release, judged.original
    if not rows_differing(release.tables, earlier.release.tables):
        return Comparison(earlier.path, 0, (), ("the published rows are the same: nothing is added",))
    if isinstance(original, LogOriginal):
        return _of_queries(release, original, earlier, crossing)
    assert isinstance(original, Original)
    return _of_groups(judged, original, earlier)


# -- queries


def _of_queries(release: Release, original: LogOriginal, earlier: Earlier, crossing: int) -> Comparison:
    units = {table.unit for one in (release, earlier.release) for table in one.tables.values() if isinstance(table, RowTable)}
    if len(units) > 1:
        raise ParameterError(f"{earlier.path} publishes {' and this release '.join(sorted(units))}: they are not compared")
    told = told_by_comparing(earlier.release, release, original, earlier.level.k)
    few = told.filter(pl.col("people") < crossing)
    people = "one person" if crossing == CROSSING else f"fewer than {crossing:,} people"
    rows = "one row" if crossing == CROSSING else f"fewer than {crossing:,} rows"
    words = {
        CAME: ("query comes", "queries come", f"over the threshold of {earlier.level.k:,} people by perhaps {people}"),
        WENT: ("query falls", "queries fall", f"below the threshold of {earlier.level.k:,} people by perhaps {people}"),
        CHANGED: ("query has", "queries have", f"{rows} more or less, by {people}"),
    }
    found = dict(few.group_by("how").len().iter_rows())
    lines = tuple(f"{counted(found[how], one, many)} {what}" for how, (one, many, what) in words.items() if how in found)
    total = dict(told.group_by("how").len().iter_rows())
    note = ", ".join(f"{total.get(how, 0):,} {word}" for how, word in ((CAME, "come"), (WENT, "go"), (CHANGED, "change in number of rows")))
    names = tuple(f"{query!r} ({how})" for query, how in few.select("query", "how").iter_rows())
    return Comparison(earlier.path, len(few), lines, (f"of the queries of both releases {note}",), names)


# -- groups


def _of_groups(judged: Judged, original: Original, earlier: Earlier) -> Comparison:
    promised = _Level.of(judged.release.claims)
    assert promised is not None
    k = min(promised.k, earlier.level.k)
    again = earlier.made_again(judged.facts, original)
    was = earlier.release if again is None else again
    met = (meetings if again is None else exact_meetings)(was, judged.release, original, k)
    sure, perhaps = (
        counted(met.sure, "person stands", "people stand"),
        counted(met.perhaps, "person perhaps stands", "people perhaps stand"),
    )
    lines = [f"{sure} where groups of both meet in fewer than {k:,} people"] if met.sure else []
    lines += [f"{perhaps} where they do: which of several earlier groups was theirs is not stored"] if met.perhaps else []
    notes = ["groups are compared exactly: the earlier release was made again"] if again is not None else []
    if met.unfitting:
        notes.append(f"{counted(met.unfitting, 'published record')} of the earlier release fit nobody here: other people, or other words")
    names = tuple(f"{_items(was, old)} and {_items(judged.release, new)}" for old, new in met.rows)
    return Comparison(earlier.path, met.sure + met.perhaps, tuple(lines), tuple(notes), names)


def _items(release: Release, row: int) -> str:
    return "{" + ", ".join(sorted(release.published.record(row))) + "}"

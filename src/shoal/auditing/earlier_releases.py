"""Series of releases: what a new release discloses together with earlier ones of the same people, before it is written.

Each earlier release is compared with the new one: queries that appear, disappear or change by few people, and groups that intersect in few
people (`release_series.py`). More findings than accepted are an error. The names of queries and items are shown only on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.auditing import CROSSING
from shoal.auditing.audit import seen_at
from shoal.data.claims import Model
from shoal.data.original import LogOriginal, Original
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.data.tables.rows import RowTable
from shoal.errors import GuaranteeNotMet, InputError, ParameterError, option
from shoal.io.read.dispatch import Reading
from shoal.kinds import rows_differing
from shoal.pipeline.claims import claims_of
from shoal.pipeline.events import note, warn
from shoal.pipeline.job import Done, Job
from shoal.pipeline.manifest import Published
from shoal.pipeline.options import is_topics
from shoal.pipeline.remake import remake_release
from shoal.pipeline.run import Judged
from shoal.privacy.evidence.release_series import APPEARED, CHANGED, DISAPPEARED, disclosed_by_comparing, exact_meetings, meetings
from shoal.report.summary import PROTECTS
from shoal.util.wording import counted

COMPARABLE = f"{option('previous')} compares queries of at least k people, and records of groups of k people"


@dataclass(frozen=True)
class Series:
    """Earlier releases, the minimum change of a query in people, and the accepted number of findings."""

    previous: tuple[Path, ...]
    crossing: int = CROSSING
    exposed: int = 0

    def __post_init__(self) -> None:
        for name, value, least in (("crossing", self.crossing, 1), ("exposed", self.exposed, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ParameterError(f"{name} must be a whole number of at least {least}, not {value!r}", code="out-of-range", value=value)

    @classmethod
    def of(cls, previous: str | Path | Sequence[str | Path], crossing: int = CROSSING, exposed: int = 0) -> Series:
        """Make a series from one earlier release, or several."""
        return cls(tuple(map(Path, [previous] if isinstance(previous, str | Path) else previous)), crossing, exposed)

    def earlier(self, claims: Iterable[Model]) -> tuple[Earlier, ...]:
        """Read the earlier releases. Raise if they cannot be compared with a release with these claims."""
        wanted = _Level.of(claims)
        releases = tuple(Earlier.at(path) for path in self.previous)
        if releases and wanted is None:
            raise ParameterError(
                f"{COMPARABLE}, but this method guarantees neither", code="releases-not-comparable", hint=f"leave {option('previous')} out"
            )
        for one in releases:
            if wanted is None or one.level.kind != wanted.kind:
                raise ParameterError(
                    f"{one.path} has another kind of guarantee than this release", code="releases-not-comparable", hint=COMPARABLE
                )
        return releases

    def compare(self, judged: Judged, earlier: Sequence[Earlier]) -> tuple[SeriesComparison, ...]:
        """Compare the new release with each earlier one. Raise if there are more findings than accepted."""
        comparisons = tuple(_compared(judged, one, self.crossing) for one in earlier)
        total = sum(one.exposed for one in comparisons)
        if total > self.exposed:
            text = "; ".join(f"compared with {one.path}: {line}" for one in comparisons if one.exposed for line in one.lines)
            hint = f"nothing was written; a larger k may avoid it, {option('exposed', total)} accepts this number"
            raise GuaranteeNotMet(
                text, code="exposed-by-earlier-release", hint=hint, rare=[name for one in comparisons for name in one.rare]
            )
        return comparisons


class SeriesCheck:
    """Compares a release with earlier ones of the same people before it is written."""

    option = "previous"
    needs_reading = False

    def __init__(self, series: Series) -> None:
        self._series = series
        self._earlier: tuple[Earlier, ...] = ()

    def begin(self, job: Job) -> None:
        """Read the earlier releases."""
        self._earlier = self._series.earlier(job.method.claims())
        for one in self._earlier:
            _insist_on_one_tree(job.preparation.taxonomy, one)

    def examine(self, job: Job, done: Done, reading: Reading | None) -> Judged:
        """Report what both disclose together. Raise if that is more than accepted."""
        for compared in self._series.compare(done.judged, self._earlier):
            (warn if compared.exposed else note)(*compared.lines_shown)
        return done.judged


def _insist_on_one_tree(taxonomy: str, earlier: Earlier) -> None:
    """Raise if topics were learned for one of the releases: the same name may then be about other words in the other one."""
    if is_topics(taxonomy) or is_topics(str(earlier.manifest["input"].get("taxonomy", ""))):
        raise ParameterError(
            f"{earlier.path} and this release have different topics, which were learned from the data of each",
            code="releases-not-comparable",
            hint="learn topics once with `shoal taxonomy learn`, and make both releases with that file",
        )


@dataclass(frozen=True)
class _Level:
    """The comparable part of a release: rows of queries of k people, or records of groups of k people."""

    kind: str
    k: int

    @classmethod
    def of(cls, claims: Iterable[Model]) -> _Level | None:
        claimed = list(claims)
        people = [claim.people_per_query for claim in claimed if claim.people_per_query is not None]
        if people:
            return cls(RowTable.kind, max(people))
        groups = [claim.generalized_groups for claim in claimed if claim.generalized_groups is not None and BagTable.kind in claim.judges]
        return cls(BagTable.kind, max(groups)) if groups else None


@dataclass(frozen=True, eq=False)
class Earlier:
    """An earlier release, and its claims."""

    path: Path
    release: Release
    level: _Level
    manifest: Mapping[str, Any]

    @classmethod
    def at(cls, path: Path) -> Earlier:
        """Open the release in this directory. Raise if its files were changed, or if nothing in it can be compared."""
        place = Published.at(path)
        if place.manifest is None:
            raise InputError(
                f"{path} is not a release directory",
                code="not-a-release",
                hint=f"{option('previous')} needs the manifest, which lists the guarantees",
            )
        place.insist_unchanged(path)
        claims = claims_of(place.manifest)
        level = _Level.of(claims)
        if level is None:
            raise InputError(f"{path} has no guarantee that can be compared", code="releases-not-comparable", hint=COMPARABLE)
        return cls(path, seen_at(place, claims).release, level, place.manifest)

    def remake_release(self, facts: Mapping[str, Any], original: Original) -> Release | None:
        """Return the release with its groups, if its method reproduces it from this original; otherwise None."""
        if _without_words(self.manifest["input"]) != _without_words(facts):
            return None
        return remake_release(self.manifest, self.release, original)


@dataclass(frozen=True)
class SeriesComparison:
    """What one earlier release and the new one disclose together: the number of findings, as text, and by name on request."""

    path: Path
    exposed: int
    lines: tuple[str, ...]
    notes: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()

    @property
    def lines_shown(self) -> tuple[str, ...]:
        """Return everything except the names, for a terminal."""
        return tuple(f"compared with {self.path}: {line}" for line in (*self.lines, *self.notes))


def _without_words(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about an input in a manifest, without those that depend on the claims."""
    return {name: fact for name, fact in facts.items() if name != PROTECTS}


def _compared(judged: Judged, earlier: Earlier, crossing: int) -> SeriesComparison:
    release, original = judged.release, judged.original
    if not rows_differing(release.tables, earlier.release.tables):
        return SeriesComparison(earlier.path, 0, (), ("the published rows are identical: nothing is added",))
    if isinstance(original, LogOriginal):
        return _of_queries(release, original, earlier, crossing)
    assert isinstance(original, Original)
    return _of_groups(judged, original, earlier)


# -- queries


def _of_queries(release: Release, original: LogOriginal, earlier: Earlier, crossing: int) -> SeriesComparison:
    units = {table.unit for one in (release, earlier.release) for table in one.tables_of(RowTable)}
    if len(units) > 1:
        raise ParameterError(
            f"{earlier.path} publishes {' and this release '.join(sorted(units))}: they cannot be compared", code="releases-not-comparable"
        )
    comparison = disclosed_by_comparing(earlier.release, release, original, earlier.level.k)
    few = comparison.filter(pl.col("people") < crossing)
    people = "one person" if crossing == CROSSING else f"fewer than {crossing:,} people"
    rows = "one row" if crossing == CROSSING else f"fewer than {crossing:,} rows"
    words = {
        APPEARED: (
            "query newly reaches",
            "queries newly reach",
            f"the threshold of {earlier.level.k:,} people, possibly because of {people}",
        ),
        DISAPPEARED: ("query falls", "queries fall", f"below the threshold of {earlier.level.k:,} people, possibly because of {people}"),
        CHANGED: ("query has", "queries have", f"{rows} more or fewer, because of {people}"),
    }
    numbers = dict(few.group_by("how").len().iter_rows())
    lines = tuple(f"{counted(numbers[how], one, many)} {what}" for how, (one, many, what) in words.items() if how in numbers)
    total = dict(comparison.group_by("how").len().iter_rows())
    note = ", ".join(
        f"{total.get(how, 0):,} {word}"
        for how, word in ((APPEARED, "new"), (DISAPPEARED, "gone"), (CHANGED, "with a changed number of rows"))
    )
    names = tuple(f"{query!r} ({how})" for query, how in few.select("query", "how").iter_rows())
    return SeriesComparison(earlier.path, len(few), lines, (f"queries of both releases: {note}",), names)


# -- groups


def _of_groups(judged: Judged, original: Original, earlier: Earlier) -> SeriesComparison:
    promised = _Level.of(judged.release.claims)
    assert promised is not None
    k = min(promised.k, earlier.level.k)
    again = earlier.remake_release(judged.facts, original)
    was = earlier.release if again is None else again
    met = (meetings if again is None else exact_meetings)(was, judged.release, original, k)
    sure, perhaps = (
        counted(met.sure, "person is", "people are"),
        counted(met.perhaps, "person is possibly", "people are possibly"),
    )
    lines = [f"{sure} in an intersection of groups with fewer than {k:,} people"] if met.sure else []
    lines += [f"{perhaps} in one: which of several earlier groups was theirs is not stored"] if met.perhaps else []
    notes = ["groups were compared exactly: the earlier release was reproduced"] if again is not None else []
    if met.unfitting:
        notes.append(f"{counted(met.unfitting, 'published record')} of the earlier release match nobody here: other people, or other items")
    names = tuple(f"{_items(was, old)} and {_items(judged.release, new)}" for old, new in met.rows)
    return SeriesComparison(earlier.path, met.sure + met.perhaps, tuple(lines), tuple(notes), names)


def _items(release: Release, row: int) -> str:
    return "{" + ", ".join(sorted(release.published.record(row))) + "}"

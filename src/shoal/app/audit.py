"""Auditing a release from its files alone, or with the original beside them; it does not matter which tool made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.app.job import Preparation, is_file
from shoal.app.manifest import Published, preparation_of
from shoal.app.pipeline import prepare
from shoal.data.choice import Items
from shoal.data.original import SUPPRESSED, Original
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.io.items import read_items, with_files_read, with_items_given, without_files
from shoal.io.published import PublishedRecords, read_published
from shoal.privacy import MODELS, Model, Verdict
from shoal.privacy.classes import classes_of


@dataclass(frozen=True, eq=False)
class Audit:
    """Verdicts on the claims, checks of everything else, the largest k that holds, and how things were read and counted."""

    claims: tuple[Verdict, ...]
    checks: tuple[Verdict, ...]
    largest_k: int
    records: int
    notes: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether no claim fails and every check passed; `unchecked` of the claims could not be verified."""
        return all(v.holds for v in (*self.checks, *self.claims))

    @property
    def unchecked(self) -> int:
        """How many claims nothing speaks against, but nothing at hand verifies either."""
        return sum(1 for verdict in self.claims if verdict.holds and verdict.unchecked)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "holds": self.holds,
            "unchecked": self.unchecked,
            "largest_k": self.largest_k,
            "records": self.records,
            "claims": [v.as_dict() for v in self.claims],
            "checks": [v.as_dict() for v in self.checks],
            "notes": list(self.notes),
        }


def audit(
    path: str | Path,
    claims: Sequence[str | Model] | str | Model = (),
    original: str | Path | None = None,
    how: Preparation | None = None,
    format: str | None = None,
    sep: str | None = None,
    allow_columns: Sequence[str] = (),
    sensitive: str | Path | Items | None = None,
) -> Audit:
    """Judge the records at this place by the claims given, or by those its manifest makes.

    The original is prepared as `how` says, or as the manifest tells. Columns beside the items are a failure, unless allowed by name.
    `sensitive` are the items of a claim that tells their digest only.
    """
    place = Published.at(Path(path))
    given = sensitive if sensitive is None or isinstance(sensitive, Items) else read_items(sensitive)
    models = [with_files_read(model) for model in _models(claims)] or [without_files(MODELS.make(text)) for text in place.claims]
    models = [with_items_given(model, given) for model in models]
    found = read_published(place.file, format or place.format, sep or place.separator)
    release = Release.from_records(found.bags)
    checks = [] if place.manifest is None else [place.as_written(release.n_records)]
    checks += _columns(found, allow_columns)
    if original is None:
        judged = [model.check(release) for model in models]
        news: tuple[str, ...] = ()
    else:
        prepared = prepare(original, located(place, how))
        judged, foreign, news = _judged_against(release, prepared.original, models)
        checks += [*_all_there(place, prepared.original), *foreign]
        news = (*(f"original: {note}" for note in prepared.notes), *news)
    if not claims and place.manifest is not None:
        checks += _achieved_as_said(place.manifest["claims"], judged)
    notes = (*found.notes, *place.notes(), *news)
    return Audit(tuple(judged), tuple(checks), classes_of(release).smallest, release.n_records, notes)


def located(place: Published, how: Preparation | None) -> Preparation:
    """How the original is to be prepared: as was said, else as the manifest tells, which does not tell where a taxonomy's file is."""
    if how is None:
        how = preparation_of(place.manifest) if place.manifest else Preparation()
    told = place.manifest["input"].get("taxonomy") if place.manifest else None
    if how.taxonomy == told and is_file(how.taxonomy) and not Path(how.taxonomy).exists():
        raise ParameterError(f"the release was made with the taxonomy {told}", hint="say where it is with --taxonomy")
    return how


def _columns(found: PublishedRecords, allowed: Sequence[str]) -> list[Verdict]:
    """That nothing stands beside the items but what was allowed; no verdict where nothing does."""
    strange = [name for name in allowed if name not in found.beside]
    if strange:
        raise ParameterError(f"there is no column {strange[0]!r} to allow", hint=f"not judged are {_listed(found.beside) or 'none'}")
    if not found.beside:
        return []
    left = [name for name in found.beside if name not in allowed]
    broken = tuple(f"{name!r} stands beside the items and was not judged" for name in left)
    notes = [f"{name!r} was allowed, and not judged" for name in found.beside if name in allowed]
    notes += ["remove it from the release, or allow it with --allow-column"] if left else []
    return [Verdict("every column judged", not broken, {}, broken, tuple(notes))]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _models(claims: Sequence[str | Model] | str | Model) -> list[Model]:
    several = [claims] if isinstance(claims, (str, Model)) else claims
    return [MODELS.make(claim) if isinstance(claim, str) else claim for claim in several]


def _judged_against(release: Release, original: Original, models: Sequence[Model]) -> tuple[list[Verdict], list[Verdict], tuple[str, ...]]:
    """The verdicts with the original at hand. Items foreign to it are a failed check, and the records are then judged as they stand."""
    strange = original.foreign(release)
    if strange:
        return [model.check(release) for model in models], [_foreign_items(strange)], ()
    root = original.tree.names[0]
    notes = (f"{SUPPRESSED!r} was taken for the root of the taxonomy, {root!r}",) if original.reads_stars(release) else ()
    return [model.check(release, original) for model in models], [], notes


def _foreign_items(strange: int) -> Verdict:
    return Verdict("items of the taxonomy", False, {"foreign": strange}, (f"{strange:,} published items are no nodes of the taxonomy",))


def _all_there(place: Published, original: Original) -> list[Verdict]:
    """That the manifest speaks of as many records as the original has."""
    if place.manifest is None:
        return []
    ledger = place.manifest["accounting"].get("records")
    said = ledger.get("in") if isinstance(ledger, dict) else None
    has = len(original.bags)
    broken = () if said == has else (f"the manifest accounts for {said if type(said) is int else 'no'} records, the original has {has:,}",)
    return [Verdict("every record accounted for", not broken, {"records": has}, broken)]


def _achieved_as_said(claims: Sequence[dict[str, Any]], judged: Sequence[Verdict]) -> list[Verdict]:
    """A verdict where a claim holds, but on another level than the manifest recorded."""
    found = {verdict.claim: verdict.achieved for verdict in judged if verdict.holds}
    wrong = []
    for claim in claims:
        said, shown = claim.get("achieved"), found.get(claim["model"], {})
        if isinstance(said, dict) and "k" in said and "k" in shown and said["k"] != shown["k"]:
            wrong.append(f"the manifest says that k {said['k']} was achieved by {claim['model']}, the records show {shown['k']}")
    return [Verdict("achieved as written", False, {}, tuple(wrong))] if wrong else []

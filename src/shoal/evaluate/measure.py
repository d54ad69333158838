"""Metrics of a release on disk: as recorded in its manifest, or measured again with the original."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.auditing.audit import located, seen_at
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError, ParameterError, option
from shoal.io.read.parameter_files import without_files
from shoal.metrics import METRICS, measure, routine
from shoal.metrics.patterns import counting_patterns
from shoal.pipeline.claims import claims_of
from shoal.pipeline.manifest import Published
from shoal.pipeline.manifest_schema import DIGEST, digest_of
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare
from shoal.report.verdict_text import lack_of

MEASURE_IT = f"use {option('original')} to compute it from the files"

NotesCallback = Callable[[Sequence[str]], None]
"""What notes are given to, before the work."""


def recorded(place: Published, names: Sequence[str], on_notes: NotesCallback) -> dict[str, float]:
    """Return these metrics, or all, from the manifest."""
    for name in names:
        METRICS[name]  # an unknown name is refused
    if place.manifest is None:
        raise ParameterError("a single file has no recorded metrics", code="metrics-not-recorded", hint=MEASURE_IT)
    if place.manifest[DIGEST] != digest_of(place.manifest):
        raise InputError("the manifest was changed after it was written: its SHA-256 differs", code="release-altered", hint=MEASURE_IT)
    on_notes([*_lack(place), f"values from the manifest; {MEASURE_IT}"])
    stated = place.manifest["metrics"]
    missing = [name for name in names if name not in stated]
    if missing:
        raise ParameterError(f"the manifest does not record {missing[0]}", code="metrics-not-recorded", hint=MEASURE_IT)
    return {name: stated[name] for name in names} if names else dict(stated)


def measured(
    place: Published,
    original: str | Path | Any,
    preparation: Preparation,
    names: Sequence[str],
    on_notes: NotesCallback,
    loaded_taxonomy: Taxonomy | None = None,
    *,
    patterns: int | None = None,
) -> dict[str, float]:
    """Measure these metrics, or all that are possible, from the files. Raise for those that need the record-to-group mapping.

    `patterns` is the number of closed patterns that metrics of patterns compare; None is the default.
    """
    _refuse_unmeasured(name for name in names if METRICS[name].needs_groups)
    prepared = prepare(original, located(place, preparation, loaded_taxonomy, original), loaded_taxonomy)
    found = seen_at(place, ())
    claims = tuple(without_files(claim) for claim in claims_of(place.manifest)) if place.manifest else ()
    on_notes([*_lack(place), *(f"original: {note}" for note in prepared.notes), *found.notes])
    lacking = bool(_lack(place))
    _refuse_unmeasured(name for name in names if METRICS[name].needs_groups_of(prepared.original) or (METRICS[name].of_means and lacking))
    release = replace(found.release, claims=claims)
    usual = routine(release.kinds, prepared.original.shape, on_taxonomy=prepared.original.on_taxonomy, adds_items=release.adds_items)
    chosen = list(names) or [one.name for one in usual if not (one.of_means and lacking)]
    with counting_patterns(patterns):
        return measure(release, prepared.original, chosen) if chosen else {}


def insist_on_default_patterns(patterns: int | None) -> None:
    """Raise for another number of patterns if metrics are not computed but read from the manifest."""
    if patterns is not None:
        raise ParameterError(
            f"{option('patterns')} is for metrics that are computed, but here they are read from the manifest",
            code="option-not-applicable",
            hint=MEASURE_IT,
        )


def _lack(place: Published) -> list[str]:
    """Return the manifest's statement of a missing guarantee."""
    return [lack] if (lack := lack_of(place.manifest)) else []


def _refuse_unmeasured(names: Iterable[str]) -> None:
    for name in names:
        raise ParameterError(
            f"{name} needs the record-to-group mapping, which release files do not contain",
            code="mapping-not-recorded",
            hint=f"leave {option('original')} out",
        )

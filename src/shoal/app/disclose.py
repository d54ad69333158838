"""What manifest, report and terminal may say beside which claims, decided here once.

Beside a claim that is counted from the published tables, exact numbers about the original do no harm. Beside one that rests on noise they
would break it: then what was read is described without numbers, and neither account nor metrics nor rates of attacks are told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from shoal.app.prepare import READING
from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.privacy import Model
from shoal.report.attack_summary import ATTACKS
from shoal.report.by_shape import facts_of
from shoal.report.facts import Facts

WITHHELD = "withheld"
NOT_TOLD = "there is more to say of how the input was read, with numbers that would break the guarantee: `shoal look` shows it to you alone"
FROM_THE_INPUT = ("accounting", "metrics")  # parts of a manifest that are numbers about the original


def allows_exact_counts(claims: Iterable[Model]) -> bool:
    """Whether exact numbers about the original may stand beside all of these claims."""
    return all(claim.allows_exact_counts for claim in claims)


def disclosed(manifest: Mapping[str, Any], claims: Iterable[Model]) -> dict[str, Any]:
    """A manifest as it may be published beside these claims; `counts` says where something was left out."""
    if allows_exact_counts(claims):
        return dict(manifest)
    told = {part: fact for part, fact in manifest.items() if part != ATTACKS} | {part: {} for part in FROM_THE_INPUT}
    return told | {"input": disclosed_input(manifest["input"], claims), "counts": WITHHELD}


def disclosed_input(facts: Mapping[str, Any], claims: Iterable[Model]) -> dict[str, Any]:
    """What may be said of the input beside these claims: its numbers only where exact ones are allowed."""
    if allows_exact_counts(claims):
        return dict(facts)
    return {name: fact for name, fact in facts.items() if isinstance(fact, str) or name == READING}


def disclosed_notes(notes: Iterable[str], claims: Iterable[Model]) -> tuple[str, ...]:
    """What may be said on a terminal of how the input was read: notes with a number in them only where exact ones are allowed."""
    told = tuple(notes)
    if allows_exact_counts(claims):
        return told
    silent = tuple(note for note in told if not re.search(r"\d", note))
    return silent if len(silent) == len(told) else (*silent, NOT_TOLD)


def disclosed_facts(manifest: Mapping[str, Any], release: Release, original: AnyOriginal) -> Facts:
    """What the report may draw: distributions of the original only where exact counts are allowed."""
    if allows_exact_counts(release.claims):
        return facts_of(manifest, release, original)
    return Facts(manifest=manifest, published=release.n_rows)

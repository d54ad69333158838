"""What attacks on a release amount to, from what its manifest tells: in a line each, and in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.attacks.outcome import ORIGINAL, RELEASE
from shoal.counting import counted, percent

ATTACKS = "attacks"  # the key of a manifest that has the rates of attacks

Told = Mapping[str, Any]


def outcomes_on(manifest: Told, subject: str = RELEASE) -> list[Told]:
    """The outcomes of all attacks on the release, or on another subject."""
    return [one for one in manifest.get(ATTACKS, {}).get("outcomes", ()) if one["subject"] == subject]


def strongest(outcomes: Sequence[Told]) -> Told:
    """The one that may succeed most often."""
    return max(outcomes, key=lambda one: float(one["high"]))


def before(manifest: Told, found: Told) -> Told | None:
    """The same attack with the same knowledge on the original."""
    return next((one for one in outcomes_on(manifest, ORIGINAL) if _same(one, found)), None)


def attack_lines(manifest: Told) -> tuple[tuple[str, str], ...]:
    """One line for each attack: its best result on the release, beside the original and what is promised."""
    if ATTACKS not in manifest:
        return ()
    on_release = outcomes_on(manifest)
    names = dict.fromkeys(one["attack"] for one in on_release)
    lines = [(name, _line(manifest, strongest([one for one in on_release if one["attack"] == name]))) for name in names]
    return tuple(lines) or (("attacks", "none was made on enough people to tell its rates"),)


def _line(manifest: Told, one: Told) -> str:
    was = before(manifest, one)
    raw = f"; {percent(was['success'])} on the original" if was else ""
    ceiling = f"at most {percent(one['ceiling'])} is promised: {one['verdict']}" if "ceiling" in one else "nothing is promised against it"
    people = counted(one["targets"], "person", "people")
    return f"{one['knowledge']}: {percent(one['success'])}, at most {percent(one['high'])} (95 %), of {people}{raw}; {ceiling}"


def _same(one: Told, other: Told) -> bool:
    return bool(one["attack"] == other["attack"] and one["knowledge"] == other["knowledge"])

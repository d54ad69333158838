"""What attacks on a release amount to, from what its manifest tells: in a line each, and in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.attacks.conclusion import Conclusion, Finding, conclusion_of, known_of
from shoal.attacks.outcome import ORIGINAL, RELEASE, WORST
from shoal.report.facts import FEWEST_PEOPLE
from shoal.report.number_format import plain
from shoal.util.wording import counted, percent

ATTACKS = "attacks"  # the key of a manifest that has the rates of attacks
SKIPPED, FEW = "skipped", "few"  # keys below it: attacks that could not be made, and those made on too few people to tell a rate

VERDICTS = {
    "within the promise": "within the bound",
    "may be above the promise": "may be above the bound",
    "ABOVE THE PROMISE": "ABOVE THE BOUND",
    "nothing promised": "no guarantee",
}

Told = Mapping[str, Any]


def outcomes_on(manifest: Told, subject: str = RELEASE) -> list[Told]:
    """The outcomes of all attacks on the release, or on another subject."""
    return [one for one in manifest.get(ATTACKS, {}).get("outcomes", ()) if one["subject"] == subject]


def worst_is_told(targets: int) -> bool:
    """Whether the people who are hit worst are enough to tell a rate of."""
    return round(WORST * targets) >= FEWEST_PEOPLE


def untold(manifest: Told) -> tuple[str, ...]:
    """A sentence each on the attacks without a rate: those that could not be made, and those made on too few people."""
    told = manifest.get(ATTACKS, {})
    reasons = {SKIPPED: "could not be run", FEW: f"run on fewer than {FEWEST_PEOPLE} people, so no rate is reported"}
    found = tuple(f"{plain(', '.join(names))}: {reason}" for key, reason in reasons.items() if (names := told.get(key)))
    return found or (() if told.get("outcomes") else ("no attack has a rate to report",))


def verdict_text(one: Told) -> str:
    """The verdict of an outcome for readers; the manifest has a fixed keyword."""
    return VERDICTS.get(str(one["verdict"]), str(one["verdict"]))


def strongest(outcomes: Sequence[Told]) -> Told:
    """The one that may succeed most often."""
    return max(outcomes, key=lambda one: float(one["success"] if "everybody" in one else one["high"]))


def rate_of(one: Told) -> str:
    """How often an attack succeeds in how many cases; with the upper end of the interval where these are a sample."""
    if "everybody" in one:
        return f"{percent(one['success'])} of all {counted(one['targets'], 'case')}"
    return f"{percent(one['success'])} of {counted(one['targets'], 'case')}, at most {percent(one['high'])} (95%)"


def before(manifest: Told, found: Told) -> Told | None:
    """The same attack with the same knowledge on the original."""
    return next((one for one in outcomes_on(manifest, ORIGINAL) if _same(one, found)), None)


def conclusion_in(manifest: Told) -> Conclusion:
    """What was promised, and what an attacker can do in fact."""
    found = [
        Finding(
            str(one["attack"]),
            str(one["test"]),
            str(one["knowledge"]),
            float(one["success"]),
            "ceiling" in one,
            str(one["verdict"]),
            int(one["targets"]),
        )
        for one in outcomes_on(manifest)
    ]
    given = manifest.get("input", {})
    return conclusion_of(found, of=known_of(given.get("records", 0) > given.get("owners", 0)))


def attack_lines(manifest: Told) -> tuple[tuple[str, str], ...]:
    """One line for each attack: its best result on the release, beside the original and what is promised; then the verdict in two lines."""
    if ATTACKS not in manifest:
        return ()
    on_release = outcomes_on(manifest)
    names = dict.fromkeys(one["attack"] for one in on_release)
    lines = [(name, _line(manifest, strongest([one for one in on_release if one["attack"] == name]))) for name in names]
    verdict = conclusion_in(manifest)
    ends = (("guarantee", verdict.promised), ("measured risk", verdict.in_fact)) if on_release else ()
    return (*lines, *(("no rate for", sentence) for sentence in untold(manifest)), *ends)


def _line(manifest: Told, one: Told) -> str:
    was = before(manifest, one)
    raw = f"; {percent(was['success'])} on the original" if was else ""
    ceiling = f"guaranteed at most {percent(one['ceiling'])}: {verdict_text(one)}" if "ceiling" in one else "no guarantee against it"
    return f"{one['knowledge']}: {rate_of(one)}{raw}; {ceiling}"


def _same(one: Told, other: Told) -> bool:
    return bool(one["attack"] == other["attack"] and one["knowledge"] == other["knowledge"])

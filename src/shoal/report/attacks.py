"""Attacks in a report, from the manifest: as lines, as a sentence, and as charts.

Each chart has a description of the attack, a lane for each kind of knowledge, and a table of the numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.attacks import ORIGINAL, RELEASE
from shoal.attacks.conclusion import AttackFinding, Conclusion, conclusion_of, known_of
from shoal.attacks.outcome import WORST
from shoal.attacks.scenarios import attack_called
from shoal.errors import ParameterError
from shoal.report.charts import lane
from shoal.report.facts import FEWEST_PEOPLE
from shoal.report.formatting import count, plain
from shoal.util.wording import counted, percent

ATTACKS = "attacks"  # the key of a manifest that has the rates of attacks
SKIPPED, FEW = "skipped", "few"  # keys below it: attacks that could not be made, and those made on too few people to tell a rate

VERDICTS = {
    "within the promise": "within the bound",
    "may be above the promise": "may be above the bound",
    "ABOVE THE PROMISE": "ABOVE THE BOUND",
    "nothing promised": "no guarantee",
}

Facts = Mapping[str, Any]


def outcomes_on(manifest: Facts, subject: str = RELEASE) -> list[Facts]:
    """Return the outcomes of all attacks on the release, or on another subject."""
    return [one for one in manifest.get(ATTACKS, {}).get("outcomes", ()) if one["subject"] == subject]


def worst_is_reported(targets: int) -> bool:
    """Whether the most affected people are enough to publish a rate."""
    return round(WORST * targets) >= FEWEST_PEOPLE


def attacks_without_rate(manifest: Facts) -> tuple[str, ...]:
    """Return a sentence for each attack without a rate: impossible ones, and those on too few people."""
    attacks = manifest.get(ATTACKS, {})
    reasons = {SKIPPED: "could not be run", FEW: f"run on fewer than {FEWEST_PEOPLE} people, so no rate is reported"}
    sentences = tuple(f"{plain(', '.join(names))}: {reason}" for key, reason in reasons.items() if (names := attacks.get(key)))
    return sentences or (() if attacks.get("outcomes") else ("no attack has a rate to report",))


def verdict_text(one: Facts) -> str:
    """Return the verdict of an outcome for readers; the manifest has a fixed keyword."""
    return VERDICTS.get(str(one["verdict"]), str(one["verdict"]))


def strongest(outcomes: Sequence[Facts]) -> Facts:
    """Return the outcome with the highest possible success rate."""
    return max(outcomes, key=lambda one: float(one["success"] if "everybody" in one else one["high"]))


def rate_of(one: Facts) -> str:
    """Format the success rate and number of cases of an attack, with the interval for a sample."""
    if "everybody" in one:
        return f"{percent(one['success'])} of all {counted(one['targets'], 'case')}"
    return f"{percent(one['success'])} of {counted(one['targets'], 'case')} (95% interval: {percent(one['low'])} to {percent(one['high'])})"


def before(manifest: Facts, outcome: Facts) -> Facts | None:
    """Return the same attack with the same knowledge on the original."""
    return next((one for one in outcomes_on(manifest, ORIGINAL) if _same(one, outcome)), None)


def conclusion_in(manifest: Facts) -> Conclusion:
    """Return the guarantee, and what an attacker can actually do."""
    outcomes = [
        AttackFinding(
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
    facts = manifest.get("input", {})
    return conclusion_of(outcomes, of=known_of(facts.get("records", 0) > facts.get("owners", 0)))


def attack_lines(manifest: Facts) -> tuple[tuple[str, str], ...]:
    """Return one line per attack: its best result on the release, with the original and the guarantee; then the verdict in two lines."""
    if ATTACKS not in manifest:
        return ()
    on_release = outcomes_on(manifest)
    names = dict.fromkeys(one["attack"] for one in on_release)
    lines = [(name, _line(manifest, strongest([one for one in on_release if one["attack"] == name]))) for name in names]
    verdict = conclusion_in(manifest)
    ends = (("guarantee", verdict.promised), ("measured risk", verdict.in_fact)) if on_release else ()
    return (*lines, *(("no rate for", sentence) for sentence in attacks_without_rate(manifest)), *ends)


def _line(manifest: Facts, one: Facts) -> str:
    was = before(manifest, one)
    raw = f"; {percent(was['success'])} on the original" if was else ""
    ceiling = f"guaranteed at most {percent(one['ceiling'])}: {verdict_text(one)}" if "ceiling" in one else "no guarantee against it"
    return f"{one['knowledge']}: {rate_of(one)}{raw}; {ceiling}"


def _same(one: Facts, other: Facts) -> bool:
    return bool(one["attack"] == other["attack"] and one["knowledge"] == other["knowledge"])


# -- charts


HEAD = ("Knowledge", "Original", "Release", "95% interval", "Guessing", "Control group", "Guaranteed", "Verdict")


@dataclass(frozen=True)
class KnowledgeLane:
    """One kind of knowledge: its description, the rates before and after, and a bar; `tone` is bad above a guarantee."""

    known: str
    rates: str
    svg: str
    tone: str


@dataclass(frozen=True)
class AttackDrawing:
    """One attack: its name, the regulators' test it represents, its description, its lanes, and the rows of its table."""

    name: str
    test: str
    story: str
    lanes: tuple[KnowledgeLane, ...]
    rows: tuple[tuple[str, ...], ...]


def attack_parts(manifest: Mapping[str, Any]) -> list[AttackDrawing]:
    """Return every attack of a manifest."""
    outcomes = outcomes_on(manifest, RELEASE)
    names = dict.fromkeys(str(one["attack"]) for one in outcomes)
    return [_drawn(manifest, name, [one for one in outcomes if one["attack"] == name]) for name in names]


def _drawn(manifest: Mapping[str, Any], name: str, outcomes: list[Mapping[str, Any]]) -> AttackDrawing:
    tests = " and ".join(dict.fromkeys(str(one["test"]) for one in outcomes))
    pairs = [(one, before(manifest, one)) for one in outcomes]
    return AttackDrawing(
        plain(name), plain(tests), _story(name), tuple(_lane(*pair) for pair in pairs), tuple(_row(*pair) for pair in pairs)
    )


def _story(name: str) -> str:
    try:
        return attack_called(name).story
    except ParameterError:
        return "This version of shoal has no description of this attack."


def _lane(one: Mapping[str, Any], was: Mapping[str, Any] | None) -> KnowledgeLane:
    raw = None if was is None else float(was["success"])
    known = plain(str(one["knowledge"]))
    rates = percent(one["success"]) if raw is None else f"{percent(raw)} → {percent(one['success'])}"
    promised = f", guaranteed at most {percent(one['ceiling'])}" if "ceiling" in one else ""
    text = f"{RELEASE} {percent(one['success'])}" + ("" if raw is None else f", {ORIGINAL} {percent(raw)}") + promised
    tone = "" if one["verdict"] in ("within the promise", "nothing promised") else "bad"
    drawn = lane(known, text, raw, (one["low"], one["success"], one["high"]), one.get("ceiling"))
    return KnowledgeLane(known, rates, drawn, tone)


def _row(one: Mapping[str, Any], was: Mapping[str, Any] | None) -> tuple[str, ...]:
    control = f"{percent(one['control'])} of {count(one['controls'])}" if "control" in one else "–"
    return (
        plain(str(one["knowledge"])),
        "–" if was is None else percent(was["success"]),
        percent(one["success"]),
        f"{percent(one['low'])} to {percent(one['high'])}",
        percent(one["baseline"]),
        control,
        f"at most {percent(one['ceiling'])}" if "ceiling" in one else "–",
        plain(verdict_text(one)),
    )

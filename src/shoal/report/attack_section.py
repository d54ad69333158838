"""What an attacker gains, drawn: every attack with its story, a lane for each kind of knowledge, and the table of the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.attacks.outcome import ORIGINAL, RELEASE
from shoal.attacks.scenarios import attack_called
from shoal.errors import ParameterError
from shoal.report.attack_summary import before, outcomes_on, verdict_text
from shoal.report.charts import lane
from shoal.report.number_format import count, plain
from shoal.util.wording import percent

HEAD = ("Knowledge", "Original", "Release", "95% interval", "Guessing", "Control group", "Guaranteed", "Verdict")


@dataclass(frozen=True)
class Lane:
    """One kind of knowledge: what is known, the rates before and after in words, and a bar of them; `tone` is bad above a promise."""

    known: str
    rates: str
    svg: str
    tone: str


@dataclass(frozen=True)
class Drawn:
    """One attack: its name, the regulators' test it represents, its story, its lanes, and the same as rows of a table."""

    name: str
    test: str
    story: str
    lanes: tuple[Lane, ...]
    rows: tuple[tuple[str, ...], ...]


def attack_parts(manifest: Mapping[str, Any]) -> list[Drawn]:
    """Every attack that a manifest tells about."""
    found = outcomes_on(manifest, RELEASE)
    names = dict.fromkeys(str(one["attack"]) for one in found)
    return [_drawn(manifest, name, [one for one in found if one["attack"] == name]) for name in names]


def _drawn(manifest: Mapping[str, Any], name: str, outcomes: list[Mapping[str, Any]]) -> Drawn:
    tests = " and ".join(dict.fromkeys(str(one["test"]) for one in outcomes))
    pairs = [(one, before(manifest, one)) for one in outcomes]
    return Drawn(plain(name), plain(tests), _story(name), tuple(_lane(*pair) for pair in pairs), tuple(_row(*pair) for pair in pairs))


def _story(name: str) -> str:
    try:
        return attack_called(name).story
    except ParameterError:
        return "This version of shoal has no description of this attack."


def _lane(one: Mapping[str, Any], was: Mapping[str, Any] | None) -> Lane:
    raw = None if was is None else float(was["success"])
    known = plain(str(one["knowledge"]))
    rates = percent(one["success"]) if raw is None else f"{percent(raw)} → {percent(one['success'])}"
    promised = f", guaranteed at most {percent(one['ceiling'])}" if "ceiling" in one else ""
    told = f"{RELEASE} {percent(one['success'])}" + ("" if raw is None else f", {ORIGINAL} {percent(raw)}") + promised
    tone = "" if one["verdict"] in ("within the promise", "nothing promised") else "bad"
    drawn = lane(known, told, raw, (one["low"], one["success"], one["high"]), one.get("ceiling"))
    return Lane(known, rates, drawn, tone)


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

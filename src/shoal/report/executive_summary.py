"""The first lines of a report, for whoever reads no further: what is published, promised and not promised, left, and was tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.report.attack_summary import ATTACKS, before, conclusion_in, outcomes_on, rate_of, strongest, untold
from shoal.report.number_format import count, plain, plural
from shoal.report.sections import NO_NUMBERS, published_part
from shoal.report.sections import WITHHELD as CLOSED
from shoal.report.summary import PROTECTS, Summary
from shoal.report.verdict_text import headline, lack_of, model_of
from shoal.util.wording import percent

UNTRIED = "No attack was run before this release was written. Use the option attack of `shoal anonymize`, or `shoal attack` afterwards."
WITHHELD = "Counts with noise. The number of people is not published: exact numbers would break the guarantee."


@dataclass(frozen=True)
class Point:
    """A heading, and what is to be said under it in one or two sentences; with the tone `bad` it is shown in red."""

    name: str
    text: str
    tone: str = ""


def in_short(manifest: Mapping[str, Any], summary: Summary) -> list[Point]:
    """All that matters, in plain words."""
    claims = manifest.get("claims", [])
    points = [Point("Published", _published(manifest)), Point("Guaranteed", _guaranteed(manifest))]
    if limits := limits_of(claims):
        points.append(Point("Not guaranteed", limits))
    points.append(Point("Utility", _left(manifest, summary)))
    return [*points, Point("Disclosure risk", _gained(manifest)), *_verdict_of_attacks(manifest)]


def limits_of(claims: Sequence[Mapping[str, Any]]) -> str:
    """What each model says about its limits, each once."""
    models = [model for model in map(model_of, claims) if model is not None]
    return " ".join(dict.fromkeys(model.limits for model in models))


def _published(manifest: Mapping[str, Any]) -> str:
    if manifest.get(CLOSED) == NO_NUMBERS:
        return WITHHELD
    found, owners = published_part(manifest), manifest.get("input", {}).get("owners")
    whose = f" of {plural(owners, 'person', 'people')}" if isinstance(owners, int) else ""
    if not found.total:
        return f"Nothing: the input has no {found.noun}."
    rest = f"{count(found.total - found.shown)} suppressed" if found.total > found.shown else "none suppressed"
    return f"{count(found.shown)} of {plural(found.total, found.noun.removesuffix('s'))}{whose}; {rest}."


def _guaranteed(manifest: Mapping[str, Any]) -> str:
    claims, lack = manifest.get("claims", []), lack_of(manifest)
    told = headline(claims, lack)
    protected = manifest.get("input", {}).get(PROTECTS, "")
    whose = f" Protected: {plain(str(protected))}." if protected else ""
    if told.tone == "good":
        return f"{told.lead}{whose}"
    return "Nothing." if lack or not claims else f"{told.title} {told.lead}"


def _left(manifest: Mapping[str, Any], summary: Summary) -> str:
    """In which form words are published, or else the largest number of the report's head."""
    if summary.shares:
        first, *others = [share for share in summary.shares if share.n] or summary.shares[:1]
        rest = ", ".join(f"{share.text} {share.name}" for share in others)
        warning = " Few words are published as typed." if summary.warning else ""
        return f"{first.text} of the words are published {first.name}{f'; {rest}' if rest else ''}.{warning}"
    if summary.tile.tone != "open":
        return f"{summary.tile.label}: {summary.tile.value} {summary.tile.note}."
    told = "; ".join(f"{name}: {plain(text)}" for name, text in summary.lines)
    return f"{told[0].upper()}{told[1:]}." if told else "Not measured: this requires the original."


def _gained(manifest: Mapping[str, Any]) -> str:
    if ATTACKS not in manifest:
        return UNTRIED
    found = outcomes_on(manifest)
    promised, others = ([one for one in found if ("ceiling" in one) is wanted] for wanted in (True, False))
    told = [f"{_best(manifest, strongest(promised))} {_verdict(promised)}"] if promised else []
    told += [f"Without a guarantee: {_best(manifest, strongest(others))}"] if others else []
    return " ".join([*told, *(f"{sentence}." for sentence in untold(manifest))])


def _verdict_of_attacks(manifest: Mapping[str, Any]) -> list[Point]:
    """What was promised, and what an attacker can do in fact; nothing if no attack has a rate."""
    if not outcomes_on(manifest):
        return []
    verdict = conclusion_in(manifest)
    return [
        Point("Guaranteed against attacks", f"{_sentence(verdict.promised)}"),
        Point("Measured risk", _sentence(plain(verdict.in_fact)), "bad" if verdict.severe else ""),
    ]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _best(manifest: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    was = before(manifest, one)
    raw = f", from {percent(was['success'])} in the original" if was else ""
    known = f"{one['attack']} (known: {plain(str(one['knowledge']))})"
    return f"{known} succeeds in {rate_of(one)}{raw}."


def _verdict(promised: Sequence[Mapping[str, Any]]) -> str:
    worst = strongest(promised)
    unsure = sum(one["verdict"] != "within the promise" for one in promised)
    rest = f"; {plural(unsure, 'rate')} may exceed it" if unsure else ""
    return f"The guarantee allows at most {percent(worst['ceiling'])}{rest}."

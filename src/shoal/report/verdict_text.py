"""Descriptions of a release's guarantee: the headline, each claim with what it protects, and a missing guarantee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.data.claims import Model
from shoal.data.items import Items
from shoal.errors import ParameterError
from shoal.privacy import MODELS
from shoal.report.formatting import number, plain, plural, spoken
from shoal.util.wording import counted

REACHED = "reached"  # the key of a claim that says what was verified, in words
LACKING = "no_guarantee"  # the key of a manifest that says what is not protected


def lack_of(manifest: Mapping[str, Any] | None) -> str:
    """Return the manifest's statement of a missing guarantee; empty if claims are made, or without a manifest."""
    return str(manifest.get(LACKING, "")) if manifest else ""


# Verdicts in words: the headline, the guarantee in one number, what each claim protects and what not.


CHECKED = {  # what checks of an audit count, in words
    "files": ("file checked", "files checked"),
    "claims": ("claim checked", "claims checked"),
    "items": ("item checked", "items checked"),
    "rows": ("row checked", "rows checked"),
    "recomputed": ("value recomputed", "values recomputed"),
    "not verifiable": ("not verifiable", "not verifiable"),
}
BROKEN = "Do not publish this data under its claims. The reasons are listed below."
UNGUARANTEED = "Nothing is guaranteed."
NO_WORDS = "This version of shoal has no description of this model."


@dataclass(frozen=True)
class Level:
    """One quantity of a claim: its description, the guaranteed and the achieved value."""

    meaning: str
    promised: str
    achieved: str


@dataclass(frozen=True)
class Claim:
    """One claim as shown on the page."""

    text: str
    holds: bool
    verdict: str
    summary: str
    protects: str
    does_not_protect: str
    levels: tuple[Level, ...]
    witnesses: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Headline:
    """The headline of the page: `tone` is good, bad or open."""

    tone: str
    title: str
    lead: str


@dataclass(frozen=True)
class Tile:
    """One large number with a description."""

    label: str
    value: str
    note: str
    tone: str = ""


def claim_of(verdict: Mapping[str, Any]) -> Claim:
    """Return a verdict of the manifest, with the description of its model."""
    model = model_of(verdict)
    achieved = verdict.get("achieved") or {}
    return Claim(
        text=plain(str(verdict["model"])),
        holds=bool(verdict["holds"]),
        verdict=_status(verdict),
        summary=_summary(model),
        protects=model.protects if model else NO_WORDS,
        does_not_protect=model.does_not_protect if model else NO_WORDS,
        levels=tuple(_level(key, value, model) for key, value in achieved.items()),
        witnesses=tuple(plain(w) for w in verdict.get("witnesses", ())),
        notes=tuple(plain(n) for n in verdict.get("notes", ())),
    )


def model_of(verdict: Mapping[str, Any]) -> Model | None:
    """Return the model of a verdict; None if this version does not know it."""
    try:
        model: Model = MODELS.make(str(verdict["model"]))
    except ParameterError:
        return None
    return model


def reached(claim: str, achieved: Mapping[str, Any], *, holds: bool) -> str:
    """Return what verification found, in words: `every published record belongs to at least 5 people`, or what a check counted."""
    model = model_of({"model": claim})
    if model is not None:
        return model.reached(achieved, holds=holds)
    return ", ".join(counted(achieved[key], *words) for key, words in CHECKED.items() if key in achieved)


def headline(verdicts: Sequence[Mapping[str, Any]], lack: str = "") -> Headline:
    """Return whether all claims hold, and what they state. `lack` is the statement of a release without a guarantee."""
    if lack:
        return Headline("bad", UNGUARANTEED, lack.removeprefix(UNGUARANTEED).strip())
    if not verdicts:
        return Headline("open", "This release makes no claim.", "No guarantee was requested, so none was verified.")
    broken = [v for v in verdicts if not v["holds"]]
    if broken:
        these = "The claim" if len(verdicts) == 1 else f"{len(broken)} of {len(verdicts)} claims"
        verb = "does" if len(verdicts) == 1 or len(broken) == 1 else "do"
        return Headline("bad", f"{these} {verb} not hold.", BROKEN)
    title = {1: "The claim holds.", 2: "Both claims hold."}.get(len(verdicts), f"All {len(verdicts)} claims hold.")
    return Headline("good", title, " ".join(_summary(model_of(v)) for v in verdicts).strip())


def guarantee(verdicts: Sequence[Mapping[str, Any]], lack: str = "") -> Tile:
    """Return the guarantee as one number: that of the first failed claim, or of the first."""
    if lack:
        return Tile("Guarantee", "none", "the publisher requested none", "bad")
    if not verdicts:
        return Tile("Guarantee", "none", "nothing was guaranteed", "open")
    verdict = next((v for v in verdicts if not v["holds"]), verdicts[0])
    tone = "good" if verdict["holds"] else "bad"
    model, achieved = model_of(verdict), verdict.get("achieved") or {}
    if model is not None and model.group_size is not None and "records" in achieved:
        unit, meaning = ("records", "or more identical records in every group")
        if "people" in achieved:
            unit, meaning = ("people", "or more people share every published record")
        promised = number(model.group_size)
        return Tile("Guarantee", number(achieved[unit]), f"{meaning}; {promised} guaranteed", tone)
    if model is not None and "people" in achieved and "people" in model.level_words:
        people = _level("people", achieved["people"], model)
        return Tile("Guarantee", people.achieved, f"{people.meaning}; {people.promised} guaranteed", tone)
    best = ", ".join(f"{spoken(key)} = {number(value)}" for key, value in achieved.items())
    return Tile("Guarantee", best or ("holds" if verdict["holds"] else "broken"), plain(str(verdict["model"])), tone)


def promised_group(verdicts: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the largest group size that a claim guarantees."""
    models = [model for model in map(model_of, verdicts) if model is not None]
    return max((model.group_size for model in models if model.group_size is not None), default=None)


def claims_line(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Return the number of checked claims, for the section's margin."""
    return f"{plural(len(verdicts), 'claim')} verified" if verdicts else "no claim to verify"


def _status(verdict: Mapping[str, Any]) -> str:
    """Return the status of a claim in words."""
    if not verdict["holds"]:
        return "does not hold"
    return f"holds, {verdict['verdict']}" if "verdict" in verdict else "holds"


def _summary(model: Model | None) -> str:
    if model is None:
        return ""
    parameters = {key: value for key, value in model.values().items() if value is not None}
    named = ", ".join(f"{key} = {number(value.described if isinstance(value, Items) else value)}" for key, value in parameters.items())
    sentence = model.summary().rstrip(".")
    return f"{sentence}, where {named}." if named else f"{sentence}."


def _level(key: str, value: Any, model: Model | None) -> Level:
    guaranteed = model.promised(key) if model else None
    helps = {p.name: p.help for p in model.parameters()} if model else {}
    parameter = model.promised_by.get(key, key) if model else key
    promised = "–" if guaranteed is None else number(guaranteed)
    if model is not None and key in model.level_words:
        return Level(model.level_words[key], promised, number(value))
    meaning = f"{spoken(key)}: {helps[parameter]}" if parameter in helps else spoken(key)
    return Level(meaning, promised, number(value))

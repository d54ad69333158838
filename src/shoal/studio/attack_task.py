"""Attacks on a release from its page: what somebody who knows a little about a person finds, on the original and on the release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.api.data_options import options_and_taxonomy
from shoal.attacks import ORIGINAL, RELEASE
from shoal.attacks.outcome import Outcome
from shoal.attacks.scenarios import attack_called
from shoal.evaluate.attack import Draw, attacked
from shoal.pipeline.events import Cancel, Events, note, running
from shoal.pipeline.manifest import Published
from shoal.pipeline.request import original_options
from shoal.studio.spelling import on_page
from shoal.studio.tasks import Values
from shoal.util.wording import duration, percent


def attack_task(folder: Path, task: Mapping[str, Any], events: Events, cancel: Cancel) -> Values:
    """Attack a release, as `shoal attack` does with the same options."""
    place, original = Published.at(Path(task["release"])), Path(task["path"])
    preparation = original_options(options_and_taxonomy(dict(task.get("options", {})))[0], original, place.manifest)
    assert preparation is not None
    draw = Draw.parse({name: str(value) for name, value in Draw.quick_values().items()} if task["quick"] else {})
    with running(events, cancel):
        found = attacked(place, original, preparation, (), draw, lambda lines: note(*lines), on_estimate=_note_time)
    before = {(one.attack, one.knowledge): one for one in found.outcomes if one.subject == ORIGINAL}
    after = [one for one in found.outcomes if one.subject == RELEASE]
    return {
        "holds": found.holds,
        "promised": found.verdict.promised,
        "in_fact": found.verdict.in_fact,
        "severe": found.verdict.severe,
        "targets": found.most_targets,
        "alarms": list(map(on_page, found.alarms)),
        "worst": [_row(one, before) for one in found.by_test],
        "all": [
            {"name": name, "story": attack_called(name).story, "rows": [_row(one, before) for one in after if one.attack == name]}
            for name in found.attacks
        ],
        "notes": list(map(on_page, found.notes)),
    }


def _note_time(seconds: float) -> None:
    note(f"the attacks take about {duration(seconds)}")


def _row(one: Outcome, before: Mapping[tuple[str, str], Outcome]) -> Values:
    """Return the success rates of an attack before and after, and what is guaranteed."""
    raw = before.get((one.attack, one.knowledge))
    return {
        "test": one.test,
        "attack": one.attack,
        "knowledge": one.knowledge,
        "original": "" if raw is None else percent(raw.success.rate),
        "release": percent(one.success.rate),
        "interval": f"{percent(one.success.low)} to {percent(one.success.high)}",
        "bound": "" if one.ceiling is None else f"at most {percent(one.ceiling)}",
        "above": one.standing == "ABOVE THE PROMISE",
    }

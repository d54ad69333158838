"""What a worker does: look at a file, find routes, make a release, audit a release. Each task returns JSON values for a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.api.data_options import options_and_taxonomy, prepared_as
from shoal.auditing.audit import Audit, gather_material
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.errors import InputError, ParameterError, ShoalError
from shoal.evaluate.advise.advise import ROUNDS, MeasuredRoute, advise
from shoal.evaluate.attack import Draw
from shoal.evaluate.attack.before_release import AttackCheck, PlannedAttacks
from shoal.io.atomic_file import PrivateFile
from shoal.io.read.dispatch import Reading, read
from shoal.io.read.formats import column_names
from shoal.io.release_zip import is_zip, unpack_release
from shoal.io.write.output_format import default_format
from shoal.kinds import summary_of
from shoal.methods import METHODS
from shoal.methods.bases.families import FAMILIES
from shoal.methods.catalogue import listed_method
from shoal.pipeline.events import Cancel, Events, note, running
from shoal.pipeline.job import Job
from shoal.pipeline.look import FIRST_PART, look_at
from shoal.pipeline.options import Preparation, Target
from shoal.pipeline.prepare import records_of
from shoal.pipeline.request import chosen_method
from shoal.privacy.evidence.file_strength import Strength
from shoal.report.attacks import outcomes_on, rate_of, strongest, verdict_text
from shoal.report.charts import HistogramBar, histogram
from shoal.report.histograms import Histogram, tally
from shoal.report.summary import PROTECTS
from shoal.report.verdict_text import claim_of, headline, lack_of, promised_group
from shoal.studio.column_roles import by_number, thing_of
from shoal.studio.spelling import on_page
from shoal.studio.states import EVERYTHING, PRIVATE, RELEASE
from shoal.util.wording import counted, duration

RECORDS = ("sets", "bags")  # kinds of tables that have records before and after
WHOLE_FAMILIES = ("whole-records", "histories-and-visits", "tables-and-documents")
KNOWN_FAMILY = "known-items"
KNOWN_PARAMETERS = ("m", "p")  # of the methods against attackers who know some items

Values = dict[str, Any]


def described(error: ShoalError, task: Mapping[str, Any]) -> Values:
    """Return an error as a page shows it. The file goes by its name; names of few people are never shown."""
    error.naming(False, "the command line with --show-rare")
    path, name = str(task.get("path", "")), str(task.get("name", "the file"))
    texts = {"message": on_page(error.marked_message), "hint": on_page(error.marked_hint)}
    role = {"role": str(error.facts["role"])} if "role" in error.facts else {}
    return {"code": error.code, **role, **{kind: text.replace(path, name) if path else text for kind, text in texts.items()}}


# -- look


def look_task(folder: Path, task: Mapping[str, Any], events: Events, cancel: Cancel) -> Values:
    """Return how a file is read with these options; where it cannot be read yet, its columns and why."""
    path, options = Path(task["path"]), dict(task.get("options", {}))
    with running(events, cancel):
        columns = _columns(path, options)
        of_items = {"items_columns": _columns(Path(options["items_table"]), {}) if "items_table" in options else []}
        try:
            preparation = prepared_as(options, Preparation.of_format(options.get("format")).following_data())[0]
            # Levels are compared by the items as the file has them, so a product table is joined by the look itself.
            plain = read(path, replace(preparation.reading, items=None), FIRST_PART)
            reading = replace(plain, options=replace(plain.options, items=preparation.reading.items))
            found = look_at(reading, preparation)
        except (InputError, ParameterError) as error:
            return {"read": False, "columns": columns, **of_items, "problem": described(error, task)}
        shown = found.as_dict()
        shown["columns"] = by_number(shown["columns"], columns)
        shown["notes"], shown["defects"] = [[on_page(line) for line in shown[name]] for name in ("notes", "defects")]
        return {"read": True, "columns": columns, **of_items, "look": shown, "charts": _charts(reading, preparation)}


def _columns(path: Path, options: Mapping[str, Any]) -> list[str]:
    try:
        return column_names(path, options.get("sep"), options.get("encoding"), options.get("header"))
    except ShoalError:  # reading the file says what is wrong with it
        return []


def _charts(reading: Reading, preparation: Preparation) -> list[Values]:
    """Lengths of records, and items by how many people have them; none of a table."""
    data = reading.data
    if not isinstance(data, Log | Bags):
        return []
    bags = records_of(data, preparation.fitted(reading.format)[0]).bags
    people, thing = bags.people_per_item, thing_of(reading.format)
    return [
        _chart("Records by length", tally(bags.lengths), "record", f"{thing}s in the record"),
        _chart(f"{thing.title()}s by how many people have them", tally(people[people > 0]), thing, f"people who have the {thing}"),
    ]


def _chart(title: str, found: Histogram, noun: str, axis: str) -> Values:
    bars = [
        HistogramBar(one.tick, number, None, f"{counted(number, noun)}: {one.label} {axis}")
        for one, number in zip(found.bins, found.counts, strict=True)
    ]
    rows = [[one.label, f"{number:,}"] for one, number in zip(found.bins, found.counts, strict=True)]
    return {"svg": histogram(title, counted(sum(found.counts), noun), bars, axis), "title": title, "head": [axis, f"{noun}s"], "rows": rows}


# -- advise


def advise_task(folder: Path, task: Mapping[str, Any], events: Events, cancel: Cancel) -> Values:
    """Return the routes for a goal, each tried on a sample."""
    options = options_and_taxonomy(dict(task.get("options", {})))[0]
    with running(_RoutesTried(events), cancel):
        found = advise((Path(task["path"]),), options, task.get("goal"), task["k"], seconds=task["seconds"])
    goals = [
        {
            "name": one.goal.name,
            "wish": one.goal.wish,
            "cards": [_card(route) for route in (*one.routes, *(r for r in one.others if r.offered))],
            "refused": [
                {"method": r.candidate.method, "settings": dict(r.settings), "why": r.why_not} for r in one.others if not r.offered
            ],
            "masking": None if one.masking is None else {"open": one.masking.not_protected, "risk": one.masking.risk_text},
        }
        for one in found.goals
    ]
    return {"words": found.facts.words, "goals": goals, "seconds": found.seconds}


class _RoutesTried(Events):
    """Passes on how many routes were tried, and not the progress within each trial."""

    def __init__(self, events: Events) -> None:
        self._events = events

    def progress(self, label: str, done: int, total: int, remark: str = "") -> None:
        """A part of the work is complete."""
        if label in ROUNDS:
            self._events.progress(label, done, total, remark)


def _card(route: MeasuredRoute) -> Values:
    """Return a route as a page shows it, and what is needed to take it."""
    found, one = route.found, route.candidate
    assert found.expected_seconds is not None
    people = counted(found.people, "person", "people")
    return {
        "method": one.method,
        "options": {name: value for name, value in route.options.items() if value is not None},
        "settings": dict(route.settings),
        "why": route.why,
        "protects": route.protects,
        "open": route.open,
        "left": route.left,
        "kept": found.expected_kept,
        "risk": route.risk,
        "rate": found.expected,
        "limit": route.limit,
        "time": duration(found.expected_seconds),
        "measured": f"measured on all {people}" if found.whole else f"measured on a sample of {people}",
        "knows": _knows(one.method, route.settings),
        "family": next((family.text for family in FAMILIES if family.name == listed_method(one.method).family), ""),
        "attackable": is_attackable(one.method, route.settings),
        "form": default_format(METHODS[one.method].publishes),
    }


def _knows(method: str, settings: Mapping[str, Any]) -> int | None:
    """Return how many items an attacker may know: a number, everything, or None where the guarantee is not about that."""
    family = listed_method(method).family
    if family in WHOLE_FAMILIES:
        return EVERYTHING
    if family != KNOWN_FAMILY:
        return None
    values = chosen_method(method, dict(settings)).values()
    return next((int(values[name]) for name in KNOWN_PARAMETERS if name in values), None)


def is_attackable(method: str, settings: Mapping[str, Any]) -> bool:
    """Whether releases of a method can be attacked before they are written."""
    try:
        PlannedAttacks((), Draw()).refuse(chosen_method(method, dict(settings)))
    except ParameterError:
        return False
    return True


# -- publish


def publish_task(folder: Path, task: Mapping[str, Any], events: Events, cancel: Cancel) -> Values:
    """Make a verified release, as `shoal anonymize` does with the same options."""
    method = chosen_method(task["method"], dict(task.get("settings", {})))
    preparation = prepared_as(dict(task.get("options", {})), Preparation.default_for(method))[0]
    form = task.get("to") or default_format(method.publishes)
    target = Target.from_options(folder / RELEASE, form, None, force=False)
    private = PrivateFile(folder / PRIVATE, target.directory) if method.publishes in RECORDS else None
    attempt = PlannedAttacks.from_options(task.get("attack"))
    checks = [] if attempt is None else [AttackCheck(attempt)]
    done = Job((Path(task["path"]),), method, preparation, checks=checks, target=target).run(events, cancel)
    assert done.manifest is not None
    if private is not None:
        from shoal.report.private_report import render_private

        private.write(render_private(done.judged.release, done.prepared.records))
    verdict = headline(done.manifest.get("claims", []), lack_of(done.manifest))
    return {
        "tone": verdict.tone,
        "title": verdict.title,
        "lead": verdict.lead,
        "protected": done.manifest.get("input", {}).get(PROTECTS, ""),
        "claims": [_claim(one) for one in done.manifest.get("claims", [])],
        "warnings": [{"code": one.code, "text": on_page(str(one))} for one in done.warnings],
        "seconds": done.seconds,
        "private": private is not None,
        "left": _left(done.manifest),
        "attacks": _attacks(done.manifest),
    }


def _left(manifest: Mapping[str, Any]) -> str:
    """Return what is left of the data, in the words of the report."""
    found = summary_of(dict(manifest))
    shares = [f"{share.text} {share.name}" for share in found.shares if share.n]
    return ", ".join(shares or [f"{name} {text}" for name, text in found.lines])


def _attacks(manifest: Mapping[str, Any]) -> Values | None:
    """Return what attacks on the release found, if they were made; the strongest one first."""
    found = list(outcomes_on(manifest))
    if not found:
        return None
    worst = strongest(found)
    rows = [[str(one["attack"]), str(one["knowledge"]), rate_of(one), verdict_text(one)] for one in found if one is not worst]
    return {"rows": [[str(worst["attack"]), str(worst["knowledge"]), rate_of(worst), verdict_text(worst)], *rows]}


def _claim(verdict: Mapping[str, Any]) -> Values:
    one = claim_of(verdict)
    return {"text": one.text, "verdict": one.verdict, "holds": one.holds, "protects": one.protects, "open": one.does_not_protect}


# -- audit


def audit_task(folder: Path, task: Mapping[str, Any], events: Events, cancel: Cancel) -> Values:
    """Judge a release directory, a zip file of one, or a single file of records."""
    path, unpacked = Path(task["path"]), False
    with running(events, cancel):
        if path.is_file() and is_zip(path):
            place = folder / "unpacked"
            unpack_release(path, place, task["limit"])
            path, unpacked = place, True
        material = gather_material(path, tuple(task.get("claims", ())))
        note(*material.notes)
        found = material.judged(task.get("k"), no_guarantee=False)
    return {
        **_outcome(found),
        "unpacked": unpacked,
        "records": found.records,
        "largest_k": found.largest_k if not found.claims or promised_group([one.as_dict() for one in found.claims]) is not None else None,
        "lack": found.lack,
        "claims": [{**_claim(one.as_dict()), "witnesses": list(one.witnesses), "why": one.unchecked} for one in found.claims],
        "checks": [{"text": one.claim, "holds": one.holds, "witnesses": list(map(on_page, one.witnesses))} for one in found.checks],
        "alarms": [on_page(line) for line in found.alarms],
        "beyond": found.beyond_files,
        "strength": None if found.strength is None else _strength(found.strength),
    }


def _outcome(found: Audit) -> Values:
    if any(one.standing == "fails" for one in found.claims):
        return {"tone": "bad", "title": "A claim does not hold."}
    if not found.holds:
        return {"tone": "bad", "title": "The audit fails."}
    if not found.claims:
        return {"tone": "open", "title": "No guarantee." if found.lack else "This release makes no claim."}
    if found.unchecked:
        return {"tone": "open", "title": f"No claim fails, but {found.unchecked:,} cannot be checked."}
    return {
        "tone": "good",
        "title": {1: "The claim holds.", 2: "Both claims hold."}.get(len(found.claims), f"All {len(found.claims):,} claims hold."),
    }


def _strength(found: Strength) -> Values:
    rows = [[counted(one.m, "item"), f"{one.k:,}" if one.exact else f"at most {one.k:,}"] for one in found.levels]
    return {"whose": "people" if found.people else "records", "rows": [*rows, ["the whole record", f"{found.whole_record:,}"]]}

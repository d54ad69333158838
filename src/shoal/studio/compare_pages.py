"""The pages on which methods are compared: what to compare, the frontier as its cells fill, and the release of a point."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from shoal.errors import ParameterError
from shoal.evaluate.compare.compared_data import PEOPLE, data_of
from shoal.evaluate.compare.grid import worth_comparing
from shoal.evaluate.option_defaults import DEFAULT_K, DEFAULT_KNOWN, QUICK_PEOPLE
from shoal.io.studio_folder import load_json, move_comparison
from shoal.methods.catalogue import listed_method
from shoal.report.comparison_charts import frontier, utility_of
from shoal.studio.column_roles import thing_of
from shoal.studio.render_page import page
from shoal.studio.request_bodies import Refused, read_form
from shoal.studio.requested import insist_on_people, job_of_source, own_files, requested_job, requested_source, source_called, steps_of
from shoal.studio.shared_state import Studio
from shoal.studio.shown_command import command_of_comparison
from shoal.studio.source_pages import LARGEST_K, begin_release, forms_of
from shoal.studio.states import CELLS, COMPARE
from shoal.studio.store import UPLOAD, OpenedFile, StoredJob
from shoal.util.wording import percent

MOST_VALUES = 10  # of k
MOST_COLUMNS = 3  # that may be protected in addition
LIMITS = {  # of the values of an unchanged column
    "l=2": "Also at least 2 different values of this column in every group.",
    "t=0.3": "Also the values of this column in every group are distributed like those of all people, up to 0.3.",
}
PLAIN_NAME = re.compile(r"[\w][\w .-]*")  # of a column that needs no quotes
NUMBER = re.compile(r"[0-9]{1,9}")


async def compare_form(studio: Studio, request: Request) -> Response:
    """What to compare, and the comparisons of this file so far."""
    source = insist_on_people(requested_source(studio, request))
    facts = {
        "source": source,
        "methods": {name: _does(name) for name in _methods(source)},
        "usual": list(map(str, worth_comparing(data_of(source.options)))),
        "k": ",".join(map(str, DEFAULT_K)),
        "known": _known(source),
        "thing": thing_of(str(source.options.get("format", ""))),
        "people": QUICK_PEOPLE,
        "jobs": [job for job in studio.store.jobs((COMPARE,), studio.processes.alive) if job.task.get("source") == source.identity],
        "steps": steps_of(source.identity),
        "step": "choose",
    }
    return page(request, "compare.html", facts)


async def begin_comparison(studio: Studio, request: Request) -> Response:
    """Start the comparison that the form asks for."""
    source, fields = insist_on_people(requested_source(studio, request)), await read_form(request)
    methods = [name for n, name in enumerate(_methods(source)) if fields.get(f"method-{n}") == "yes"]
    known = [m for m in _known(source) if fields.get(f"m-{m}") == "yes"]
    if not methods or (_known(source) and not known):
        raise ParameterError("choose at least one method and what an attacker may know", code="nothing-to-compare")
    requested = {"k": _values_of_k(fields.get("k", "")), "m": known, "methods": methods, "quick": fields.get("quick") == "yes"}
    return _begun(studio, source, requested)


async def resume(studio: Studio, request: Request) -> Response:
    """Go on with a comparison that was stopped; finished cells are not repeated."""
    job = requested_job(studio, request, COMPARE)
    await read_form(request)
    source = insist_on_people(source_called(studio, str(job.task.get("source", ""))))
    if not job.over:
        raise Refused(409, "this comparison still runs")
    if job_of_source(studio, source, job.identity, COMPARE) is None:
        raise Refused(409, "the file is read in another way now; compare again")
    return _begun(studio, source, {name: job.task[name] for name in ("k", "m", "methods", "quick")}, job)


def _begun(studio: Studio, source: OpenedFile, requested: Mapping[str, Any], stopped: StoredJob | None = None) -> Response:
    shared = {"source": source.identity, "path": source.path, "name": source.name, "typed": source.typed, "origin": source.origin}
    folder = studio.store.add_job(COMPARE, **shared, **requested, files=own_files(studio, source.options), options=dict(source.options))
    if stopped is not None:
        move_comparison(stopped.folder, folder)
    studio.processes.start(folder)
    return RedirectResponse(f"/jobs/{folder.name}", 303)


def _methods(source: OpenedFile) -> list[str]:
    """Return the methods to choose from: the usual ones and, for a table with unchanged columns, variants that protect one of these."""
    usual = worth_comparing(data_of(source.options))
    columns = [name for name in str(source.options.get("keep_column", "")).split(",") if PLAIN_NAME.fullmatch(name)]
    protecting = [
        f"{one}({limit}, sensitive={name})" for one in usual if not one.settings for name in columns[:MOST_COLUMNS] for limit in LIMITS
    ]
    return [*map(str, usual), *(protecting if data_of(source.options) is PEOPLE else [])]


def _does(name: str) -> str:
    """Return what a method does; with a limit for an unchanged column, what the limit adds."""
    method, _, settings = name.partition("(")
    return LIMITS.get(settings.partition(",")[0], listed_method(method).summary)


def _known(source: OpenedFile) -> tuple[int, ...]:
    """Return how many items an attacker may know; none for a table, of which everything is known."""
    return DEFAULT_KNOWN if data_of(source.options).known else ()


def _values_of_k(text: str) -> list[int]:
    """Return a list of numbers, as a form has it."""
    pieces = [piece.strip() for piece in text.split(",")]
    values = [int(piece) if NUMBER.fullmatch(piece) else 0 for piece in pieces]
    if len(values) > MOST_VALUES or not all(2 <= value <= LARGEST_K for value in values):
        raise ParameterError(
            f"k must be at most {MOST_VALUES} whole numbers from 2 to {LARGEST_K:,}, such as 2,5,10", code="unreadable-value"
        )
    return sorted(set(values))


# -- the comparison


def comparison_page(request: Request, job: StoredJob) -> Response:
    """Show the current state of a comparison."""
    facts = {"job": job, "end": job.end, "command": command_of_comparison(job.task), "uploaded": job.task.get("origin") == UPLOAD}
    steps = steps_of(str(job.task.get("source", "")))
    return page(request, "compared.html", {**facts, **_board(job), "steps": steps, "step": "choose"})


async def cells(studio: Studio, request: Request) -> Response:
    """Show the current frontier and cells, without the rest of the page."""
    job = requested_job(studio, request, COMPARE)
    return page(request, "cells.html", {"job": job, **_board(job)})


async def publish_cell(studio: Studio, request: Request) -> Response:
    """Make the release of a cell that was measured."""
    job, fields = requested_job(studio, request, COMPARE), await read_form(request)
    source = insist_on_people(source_called(studio, str(job.task.get("source", ""))))
    if job_of_source(studio, source, job.identity, COMPARE) is None:
        raise Refused(400, "the file is read in another way now; compare again")
    try:
        number = int(fields["cell"])
        cell = _stored(job)[number] if number >= 0 else {}
    except (KeyError, ValueError, IndexError):
        cell = {}
    if cell.get("state") != "measured":
        raise Refused(400, "this release was not measured; compare again")
    sample = f", on a sample of {QUICK_PEOPLE:,} people" if job.task["quick"] else ""
    card = {**cell, "left": f"{_kept(cell)}{sample}"}
    return begin_release(studio, source, card, fields, f"/jobs/{job.identity}")


def _stored(job: StoredJob) -> list[dict[str, Any]]:
    return load_json(job.folder / CELLS) or []


def _board(job: StoredJob) -> dict[str, Any]:
    """Return the cells of a comparison, and their chart."""
    found = _stored(job)
    several = len({cell["per"] for cell in found}) > 1
    for cell in found:
        cell["name"] = f"{cell['label']}, per {cell['per']}" if several else cell["label"]
        cell["kept"] = _kept(cell)
        cell["forms"] = forms_of(str(cell["method"]))
    return {"cells": found, "chart": _chart(found)}


def _chart(found: Sequence[Mapping[str, Any]]) -> Any:
    """Return the frontier of the cells that were measured and attacked; None if there are none yet."""
    rows = [
        {**cell["found"], "method": cell["method"], "per": cell["per"], "cell": cell["name"], "number": n}
        for n, cell in enumerate(found)
        if cell["state"] == "measured"
    ]
    drawn = frontier(rows)
    return drawn if drawn.table else None


def _kept(cell: Mapping[str, Any]) -> str:
    found = cell.get("found", {})
    utility = utility_of([found])
    share = found.get(utility.name)
    return f"nothing {utility.noun}" if share is None else f"{percent(share)} {utility.noun}"

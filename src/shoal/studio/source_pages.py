"""The pages between a file and its release: how it is read, who its people are, and which route is taken."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from shoal.attacks import BASIC
from shoal.errors import InputError
from shoal.evaluate.advise.goals import GOALS
from shoal.io.write.output_format import FRAME_FORMATS, OUTPUT_FORMATS
from shoal.methods import METHODS
from shoal.studio import column_roles
from shoal.studio.open_pages import below_root, uploaded
from shoal.studio.questions import option_of_answer, question_about
from shoal.studio.render_page import page
from shoal.studio.request_bodies import Refused, read_form, whole_number
from shoal.studio.requested import insist_on_people, job_of_source, own_files, requested_source, steps_of, waiting_page
from shoal.studio.shared_state import Studio
from shoal.studio.shown_command import command_of_advice, command_of_look
from shoal.studio.states import ADVISE, DONE, EVERYTHING, PUBLISH
from shoal.studio.store import UPLOAD, OpenedFile, StoredJob
from shoal.studio.taxonomy_store import used_version

KNOWLEDGE = {"1": "one item", "2": "two items", "3": "three items", str(EVERYTHING): "everything in a record"}
LARGEST_K, LONGEST_SEARCH = 1_000_000, 600
MOST_REPEATED = 3  # times that a question for a preview is asked again, each with twice as much time
DEFAULTS = {"k": "5", "seconds": "20", "knows": "2", "goal": ""}
AUDIT_GOAL = "audit"
OF_COLUMNS = ("items_key", "items_name", "item_level")  # options that name a column of a product table
LEVELS = "items_levels"  # the option that names several columns of it
OF_PRODUCTS = ("items_table", *OF_COLUMNS, LEVELS)
OTHER_OPTIONS = ("taxonomy", *OF_PRODUCTS)
OF_ITEMS = ("table", "transactions")  # formats of files to which a product table can be joined
FORM_USES = {"parquet": "for data tools", "csv": "for spreadsheets and other programs", "xlsx": "an Excel workbook", "jsonl": "JSON lines"}
RECORD_FORMATS = [name for name in OUTPUT_FORMATS if name != "accesslog"]


async def understand(studio: Studio, request: Request) -> Response:
    """How the file is read, and what is in it."""
    source, job = await studio.look(requested_source(studio, request))
    if not job.over:
        return waiting_page(request, job, f"/sources/{source.identity}", f"Reading {source.name}", "understand")
    result = job.result
    if job.state != DONE or result is None:
        raise Refused(400, str(job.end.get("message") or "the file could not be read"))
    found = result.get("look")
    format = str(source.options.get("format") or (found or {}).get("format", ""))
    facts = {
        "source": source,
        "result": result,
        "found": found,
        "formats": column_roles.FORMATS,
        "format": format,
        "with_roles": format in column_roles.WITH_ROLES,
        "roles": list(zip(result["columns"], column_roles.roles_shown(result["columns"], source.options, found), strict=True)),
        "choices": column_roles.role_choices(format),
        "separators": column_roles.SEPARATORS,
        "encodings": {"": "detect", **column_roles.ENCODINGS},
        "owners": {"": "ask", **column_roles.OWNERS},
        "question": None if found else question_about(result["problem"], result["columns"], source.options),
        "whose": column_roles.statement_on_people(source.options, found) if found else "",
        **column_roles.words_of_records(format, source.options, found or {}, result["columns"]),
        "joinable": format in OF_ITEMS or "items_table" in source.options,
        "items_table": Path(str(source.options["items_table"])).name if "items_table" in source.options else "",
        "levels": (found or {}).get("levels", []),
        "root": None if studio.root is None else str(studio.root.path),
        "largest": studio.largest_upload >> 20,
        "command": command_of_look(_typed(studio, source)),
        "uploaded": source.origin == UPLOAD,
        "steps": steps_of(source.identity, confirmed=source.confirmed),
        "step": "understand",
    }
    return page(request, "understand.html", facts)


async def read_again(studio: Studio, request: Request) -> Response:
    """Read the file as the form says."""
    source, fields = requested_source(studio, request), await read_form(request)
    _, job = await studio.look(source)
    columns = (job.result or {}).get("columns", [])
    source.save(options={**column_roles.options_from_form(fields, columns), **_other_options(source)}, confirmed=False, look="")
    return RedirectResponse(f"/sources/{source.identity}", 303)


async def answer(studio: Studio, request: Request) -> Response:
    """Take the answer to a question about the file, and read it again."""
    source, fields = requested_source(studio, request), await read_form(request)
    _, job = await studio.look(source)
    changed = option_of_answer(fields.get("option", ""), fields.get("answer", ""), (job.result or {}).get("columns", []))
    source.save(options={**source.options, **changed}, confirmed=False, look="")
    return RedirectResponse(f"/sources/{source.identity}", 303)


async def confirm(studio: Studio, request: Request) -> Response:
    """Take the user's word for who the people are; from here on, the file is read exactly as the page showed."""
    source, fields = requested_source(studio, request), await read_form(request)
    source, job = await studio.look(source)
    found = (job.result or {}).get("look")
    if fields.get("people") != "yes" or found is None:
        raise InputError("confirm first who the people are", code="people-not-confirmed", hint="choose the column with the user ID")
    source.save(confirmed=True, options={**column_roles.pinned(source.options, found), **_other_options(source)})
    return RedirectResponse(f"/sources/{source.identity}/choose", 303)


def _typed(studio: Studio, source: OpenedFile) -> dict[str, Any]:
    """Return what is needed to type a command about a source."""
    return {"typed": source.typed, "options": source.options, "files": own_files(studio, source.options)}


def _other_options(source: OpenedFile) -> dict[str, Any]:
    """Return the options about a source that are not in the form of its columns."""
    return {name: source.options[name] for name in OTHER_OPTIONS if name in source.options}


async def upload_items(studio: Studio, request: Request) -> Response:
    """Join a product table that was dropped to the items of a file."""
    source = requested_source(studio, request)
    path, _ = await uploaded(studio, request, studio.store.folder.part(source.folder))
    _join(source, path)
    return JSONResponse({"location": f"/sources/{source.identity}"})


async def items_by_path(studio: Studio, request: Request) -> Response:
    """Join a product table below the root to the items of a file."""
    source, fields = requested_source(studio, request), await read_form(request)
    _join(source, below_root(studio, fields.get("path", "")))
    return RedirectResponse(f"/sources/{source.identity}", 303)


def _join(source: OpenedFile, path: Path) -> None:
    options = {name: value for name, value in source.options.items() if name not in ("taxonomy", *OF_PRODUCTS)}
    source.save(options={**options, "items_table": str(path)}, look="")


async def items_options(studio: Studio, request: Request) -> Response:
    """Say what the columns of the product table are and at which level items are published; or leave the table out."""
    source, fields = requested_source(studio, request), await read_form(request)
    source, job = await studio.look(source)
    columns = (job.result or {}).get("items_columns", [])
    options = {name: value for name, value in source.options.items() if name not in OF_PRODUCTS}
    if fields.get("do") != "remove":
        chosen = {name: fields[name] for name in OF_COLUMNS if fields.get(name)}
        levels = [name.strip() for name in fields.get(LEVELS, "").split(",") if name.strip()]
        if not {*chosen.values(), *levels} <= set(columns):
            raise Refused(400, "the product table has no such column")
        options |= {"items_table": source.options.get("items_table", ""), **chosen, **({LEVELS: ",".join(levels)} if levels else {})}
    source.save(options=options, look="")
    return RedirectResponse(f"/sources/{source.identity}", 303)


# -- routes


async def choose(studio: Studio, request: Request) -> Response:
    """The goals, and the routes to one of them."""
    source = _confirmed(studio, request)
    job = job_of_source(studio, source, request.query_params.get("job", ""), ADVISE)
    if job is not None and not job.over:
        how = f"Every route is tried on samples of {source.name}, and attacked. This takes at most about {job.task['seconds']} s."
        address = f"{request.url.path}?job={job.identity}&found=yes#routes"  # another address than this one, so the browser goes there
        return waiting_page(request, job, address, "Trying routes", "choose", how)
    look = studio.job(source.look)
    format = str(source.options.get("format", ""))
    fields = DEFAULTS if job is None else {name: str(job.task.get(name, value)) for name, value in DEFAULTS.items()}
    found = (look.result or {}).get("look") if look else None
    facts = {
        "source": source,
        "found": found,
        "goals": [goal for name, goal in GOALS.items() if format in goal.formats and name != AUDIT_GOAL],
        "thing": column_roles.thing_of(format),
        "knowledge": {value: label.replace("item", column_roles.thing_of(format)) for value, label in KNOWLEDGE.items()},
        "form_uses": FORM_USES,
        "fields": fields,
        "everything": EVERYTHING,
        "job": job,
        "advice": job.result if job is not None and job.state == DONE else None,
        "command": "" if job is None else command_of_advice(_typed(studio, source), job.task),
        "uploaded": source.origin == UPLOAD,
        "forms_of": forms_of,
        "taxonomy": used_version(studio.store.folder, source.options.get("taxonomy")),
        "steps": steps_of(source.identity),
        "step": "choose",
    }
    return page(request, "choose.html", facts)


async def find_routes(studio: Studio, request: Request) -> Response:
    """Try the routes to a goal on samples."""
    source, fields = _confirmed(studio, request), await read_form(request)
    goal = fields.get("goal", "")
    if goal and goal not in GOALS:
        raise Refused(400, "there is no such goal")
    knows = fields.get("knows", DEFAULTS["knows"])
    job = studio.begin(
        ADVISE,
        source=source.identity,
        path=source.path,
        name=source.name,
        k=whole_number(fields, "k", 2, LARGEST_K),
        seconds=whole_number(fields, "seconds", 1, LONGEST_SEARCH),
        knows=knows if knows in KNOWLEDGE else DEFAULTS["knows"],
        **({"goal": goal} if goal else {}),
        options=dict(source.options),
    )
    return RedirectResponse(f"/sources/{source.identity}/choose?job={job.name}", 303)


async def preview(studio: Studio, request: Request) -> Response:
    """Return the preview for a script: what would be left for this goal, this k and this attacker knowledge."""
    source, fields = _confirmed(studio, request), await read_form(request)
    k = whole_number(fields, "k", 2, LARGEST_K)
    if fields.get("knows") not in KNOWLEDGE:
        raise Refused(400, "there is no such knowledge")
    goal = fields.get("goal", "")
    if goal and goal not in GOALS:
        raise Refused(400, "there is no such goal")
    again = whole_number(fields, "again", 0, MOST_REPEATED) if "again" in fields else 0
    found = await studio.previews.ask(source, k, int(fields["knows"]), goal, again)
    about = column_roles.previewed(str(source.options.get("format", "")), source.options, goal)
    return JSONResponse(None if found is None else {**found, "about": about})


async def publish(studio: Studio, request: Request) -> Response:
    """Make the release of a route that was measured."""
    source, fields = _confirmed(studio, request), await read_form(request)
    advice = job_of_source(studio, source, fields.get("job", ""), ADVISE)
    card = _card(advice, fields)
    return begin_release(studio, source, card, fields, f"/sources/{source.identity}/choose?job={fields['job']}")


def begin_release(studio: Studio, source: OpenedFile, card: Mapping[str, Any], fields: Mapping[str, str], chosen: str) -> Response:
    """Start the job of a method that was measured, with the format and the attacks that a form asks for; its page is next.

    Args:
        studio: The state of the server.
        source: The file to publish.
        card: The method as it was measured.
        fields: The form.
        chosen: The address of the page on which it was chosen.
    """
    to = fields.get("to", "")
    if to and to not in OUTPUT_FORMATS:
        raise Refused(400, "there is no such file format")
    job = studio.begin(
        PUBLISH,
        source=source.identity,
        chosen=chosen,
        path=source.path,
        name=source.name,
        typed=source.typed,
        origin=source.origin,
        method=card["method"],
        **({"to": to} if to else {}),
        **({"attack": BASIC} if fields.get("attack") == "yes" and card["attackable"] else {}),
        files=own_files(studio, card["options"]),
        protects=card["protects"],
        expected=f"{card['left']}; {card['risk']}",
        options=card["options"],
        settings=card["settings"],
    )
    return RedirectResponse(f"/jobs/{job.name}", 303)


def forms_of(method: str) -> list[str]:
    """Return the file formats in which releases of a method can be written, if there are several."""
    kind = METHODS[method].publishes if method in METHODS else ""
    if kind == "access log":
        return []
    return RECORD_FORMATS if kind in ("bags", "sets") else list(FRAME_FORMATS)


def _confirmed(studio: Studio, request: Request) -> OpenedFile:
    return insist_on_people(requested_source(studio, request))


def _card(advice: StoredJob | None, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the route that was chosen, as it was measured."""
    goals = (advice.result or {}).get("goals", []) if advice is not None and advice.state == DONE else []
    try:
        found: dict[str, Any] = next(one for one in goals if one["name"] == fields["route-goal"])["cards"][int(fields["route"])]
    except (KeyError, ValueError, IndexError, StopIteration):
        raise Refused(400, "this route was not measured; find routes again") from None
    return found

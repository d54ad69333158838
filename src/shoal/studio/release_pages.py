"""The pages of a job: its progress, its release with the report and the command to type, its audit; and all jobs so far."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from shoal.evaluate.compare.comparison import PAGE
from shoal.io.release_zip import pack_release
from shoal.io.studio_folder import COMPARISON, read_page
from shoal.methods import METHODS
from shoal.pipeline.events import STAGES
from shoal.studio.column_roles import thing_of
from shoal.studio.compare_pages import comparison_page
from shoal.studio.guard import FRAMED_KEY
from shoal.studio.render_page import page
from shoal.studio.request_bodies import Refused, read_form
from shoal.studio.requested import insist_on_end, insist_on_place, requested_job, steps_of
from shoal.studio.shared_state import Studio
from shoal.studio.shown_command import command_of_attack, command_of_audit, command_of_job, config_of_job
from shoal.studio.states import ATTACK, AUDIT, COMPARE, DONE, KINDS, PRIVATE, PUBLISH, RELEASE
from shoal.studio.store import UPLOAD
from shoal.studio.streams import event_stream
from shoal.studio.tasks import is_attackable
from shoal.studio.taxonomy_store import used_version

REPORT = "report.html"


async def job_page(studio: Studio, request: Request) -> Response:
    """Show the state of a job: its progress while it runs, its result when it is finished."""
    job = requested_job(studio, request, *KINDS)
    kind = job.task.get("kind")
    if kind == COMPARE:
        return comparison_page(request, job)
    facts = {"job": job, "result": job.result if job.state == DONE else None, "stages": STAGES, "end": job.end}
    if kind == AUDIT:
        unpacked = bool((job.result or {}).get("unpacked"))
        shown = {"unpacked": unpacked, "command": command_of_audit(job.task, unpacked=unpacked)}
        return page(request, "audited.html", {**facts, **shown, "uploaded": not {"of", "typed"} & set(job.task), "step": "audit"})
    if kind == ATTACK:
        of = studio.job(str(job.task.get("of", "")))
        back = "" if of is None else str(of.task.get("chosen", ""))
        return page(request, "attacked.html", {**facts, "command": command_of_attack(job.task), "back": back, "step": ""})
    shown = {
        "steps": steps_of(str(job.task["source"]), str(job.task.get("chosen", ""))) if "source" in job.task else {},
        "attackable": is_attackable(job.task["method"], job.task.get("settings", {})),
        "command": command_of_job(job.task),
        "config": config_of_job(job.task),
        "uploaded": job.task.get("origin") == UPLOAD,
        "of_rows": thing_of(str(job.task.get("options", {}).get("format"))) == "word" and METHODS[job.task["method"]].publishes == "rows",
    }
    taxonomy = used_version(studio.store.folder, job.task.get("options", {}).get("taxonomy"))
    return page(request, "job.html", {**facts, **shown, "taxonomy": taxonomy, "step": "publish"})


async def events(studio: Studio, request: Request) -> Response:
    """What a job reports."""
    return event_stream(studio, request, requested_job(studio, request))


async def cancel(studio: Studio, request: Request) -> Response:
    """Stop a job. Nothing is left of its release."""
    job = requested_job(studio, request)
    await read_form(request)
    studio.processes.cancel(job.identity)
    await studio.processes.wait(job.folder, 2.0)
    source = job.task.get("source")
    return RedirectResponse(
        f"/jobs/{job.identity}" if job.task.get("kind") in KINDS else f"/sources/{source}/choose" if source else "/", 303
    )


async def report(studio: Studio, request: Request) -> Response:
    """The report of a release, or the page of a comparison, for a frame."""
    job = insist_on_end(requested_job(studio, request, PUBLISH, COMPARE))
    return _framed(request, job.folder / RELEASE / REPORT if job.task["kind"] == PUBLISH else job.folder / COMPARISON / PAGE)


async def private(studio: Studio, request: Request) -> Response:
    """Records before and after, for a frame. Not part of the release."""
    return _framed(request, _released(studio, request).parent / PRIVATE)


def _framed(request: Request, path: Path) -> Response:
    text = read_page(path)
    if text is None:
        raise Refused(404, "there is no such page")
    request.scope[FRAMED_KEY] = True
    return HTMLResponse(text)


async def download(studio: Studio, request: Request) -> Response:
    """The release directory as a zip file."""
    release = _released(studio, request)
    target = release.parent / "release.zip"
    await asyncio.to_thread(pack_release, release, target)
    return FileResponse(target, media_type="application/zip", filename="release.zip")


async def config(studio: Studio, request: Request) -> Response:
    """The options of a job as a file for the command line."""
    job = requested_job(studio, request, PUBLISH)
    headers = {"content-disposition": 'attachment; filename="options.toml"'}
    return Response(config_of_job(job.task), media_type="application/toml", headers=headers)


async def audit_release(studio: Studio, request: Request) -> Response:
    """Audit a release of this studio from its files alone."""
    release = _released(studio, request)
    await read_form(request)
    job = requested_job(studio, request)
    made = studio.begin(AUDIT, path=str(release), name=f"release of {job.task.get('name')}", of=job.identity, limit=studio.largest_upload)
    return RedirectResponse(f"/jobs/{made.name}", 303)


async def attack_release(studio: Studio, request: Request) -> Response:
    """Attack a release of this studio, with what is known about people in its original."""
    job, fields = insist_on_end(requested_job(studio, request, PUBLISH)), await read_form(request)
    insist_on_place(studio, str(job.task.get("origin", "")), str(job.task["path"]))
    shared = {name: job.task[name] for name in ("path", "name", "typed", "origin", "files") if name in job.task}
    task = {**shared, "of": job.identity, "release": str(job.folder / RELEASE), "quick": fields.get("quick") == "yes"}
    made = studio.begin(ATTACK, **task, options=dict(job.task.get("options", {})))
    return RedirectResponse(f"/jobs/{made.name}", 303)


def _released(studio: Studio, request: Request) -> Path:
    """Return the release directory of a job that is done."""
    return insist_on_end(requested_job(studio, request, PUBLISH)).folder / RELEASE


async def history(studio: Studio, request: Request) -> Response:
    """All jobs so far."""
    jobs = studio.store.jobs(tuple(KINDS), studio.processes.alive)
    return page(
        request,
        "history.html",
        {"jobs": jobs, "kinds": KINDS, "folder": str(studio.store.folder.path), "kept": studio.store.folder.kept, "step": "history"},
    )

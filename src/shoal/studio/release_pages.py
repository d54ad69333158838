"""The pages of a job: its progress, its release with the report and the command to type, its audit; and all jobs so far."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from shoal.io.release_zip import pack_release
from shoal.io.studio_folder import read_page
from shoal.pipeline.events import STAGES
from shoal.studio.guard import FRAMED_KEY
from shoal.studio.render_page import page
from shoal.studio.request_bodies import Refused, read_form
from shoal.studio.shared_state import Studio
from shoal.studio.shown_command import command_of_job, config_of_job
from shoal.studio.states import AUDIT, DONE, PRIVATE, PUBLISH, RELEASE
from shoal.studio.store import UPLOAD, StoredJob
from shoal.studio.streams import event_stream

REPORT = "report.html"
SHOWN = (PUBLISH, AUDIT)


def _job(studio: Studio, request: Request) -> StoredJob:
    found = studio.job(request.path_params["id"])
    if found is None:
        raise Refused(404, "there is no such job")
    return found


async def job_page(studio: Studio, request: Request) -> Response:
    """A job as it stands: progress while it runs, and what it made or found when it is over."""
    job = _job(studio, request)
    kind = job.task.get("kind")
    if kind not in SHOWN:
        raise Refused(404, "there is no such job")
    facts = {"job": job, "result": job.result if job.state == DONE else None, "stages": STAGES, "end": job.end}
    if kind == AUDIT:
        return page(request, "audited.html", {**facts, "step": "audit"})
    shown = {"command": command_of_job(job.task), "config": config_of_job(job.task), "uploaded": job.task.get("origin") == UPLOAD}
    return page(request, "job.html", {**facts, **shown, "step": "publish"})


async def events(studio: Studio, request: Request) -> Response:
    """What a job reports."""
    return event_stream(studio, request, _job(studio, request))


async def cancel(studio: Studio, request: Request) -> Response:
    """Stop a job. Nothing is left of its release."""
    job = _job(studio, request)
    await read_form(request)
    studio.processes.cancel(job.identity)
    await studio.processes.wait(job.folder, 2.0)
    source = job.task.get("source")
    return RedirectResponse(
        f"/jobs/{job.identity}" if job.task.get("kind") in SHOWN else f"/sources/{source}/choose" if source else "/", 303
    )


async def report(studio: Studio, request: Request) -> Response:
    """The report of a release, for a frame."""
    return _framed(request, _released(studio, request) / REPORT)


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
    job = _job(studio, request)
    if job.task.get("kind") != PUBLISH:
        raise Refused(404, "there is no such file")
    headers = {"content-disposition": 'attachment; filename="options.toml"'}
    return Response(config_of_job(job.task), media_type="application/toml", headers=headers)


async def audit_release(studio: Studio, request: Request) -> Response:
    """Audit a release of this studio from its files alone."""
    release = _released(studio, request)
    await read_form(request)
    task = _job(studio, request).task
    made = studio.begin(AUDIT, path=str(release), name=f"release of {task.get('name')}", limit=studio.largest_upload)
    return RedirectResponse(f"/jobs/{made.name}", 303)


def _released(studio: Studio, request: Request) -> Path:
    """The release directory of a job that is done."""
    job = _job(studio, request)
    if job.task.get("kind") != PUBLISH or job.state != DONE:
        raise Refused(404, "this job has no release")
    return job.folder / RELEASE


async def history(studio: Studio, request: Request) -> Response:
    """All jobs so far."""
    jobs = studio.store.jobs(SHOWN, studio.processes.alive)
    return page(
        request,
        "history.html",
        {"jobs": jobs, "folder": str(studio.store.folder.path), "kept": studio.store.folder.kept, "step": "history"},
    )

"""The opened file or the job that a request names by its ID, or a refusal; and the page of a job that is waited for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from shoal.errors import InputError
from shoal.studio.render_page import page
from shoal.studio.request_bodies import Refused
from shoal.studio.shared_state import Studio
from shoal.studio.states import DONE
from shoal.studio.store import BY_PATH, OpenedFile, StoredJob

FILE_OPTIONS = ("taxonomy", "items_table")


def requested_source(studio: Studio, request: Request) -> OpenedFile:
    """Return the source of an address.

    Raises:
        Refused: There is none.
    """
    return source_called(studio, request.path_params["id"])


def source_called(studio: Studio, identity: str) -> OpenedFile:
    """Return the source of an ID.

    Raises:
        Refused: There is none.
    """
    found = studio.store.source(identity)
    if found is None:
        raise Refused(404, "this file is not open any more")
    insist_on_place(studio, found.origin, found.path)
    return found


def insist_on_place(studio: Studio, origin: str, path: str) -> None:
    """Look again whether a file that was opened by its path may be read: meanwhile it may have been replaced by a link to elsewhere.

    Raises:
        Refused: It may not.
    """
    if origin == BY_PATH and (studio.root is None or not studio.root.still_has(Path(path))):
        raise Refused(404, "this file is not below the root folder any more; open it again")


def insist_on_people(source: OpenedFile) -> OpenedFile:
    """Return the source, if its people were confirmed; nothing goes on before.

    Raises:
        InputError: They were not.
    """
    if not source.confirmed:
        raise InputError("confirm first who the people are", code="people-not-confirmed", hint="go back to the file")
    return source


def requested_job(studio: Studio, request: Request, *kinds: str) -> StoredJob:
    """Return the job of an address, of one of some kinds if there are any.

    Raises:
        Refused: There is none.
    """
    found = studio.job(request.path_params["id"])
    if found is None or (kinds and found.task.get("kind") not in kinds):
        raise Refused(404, "there is no such job")
    return found


def job_of_source(studio: Studio, source: OpenedFile, identity: str, kind: str) -> StoredJob | None:
    """Return a job about this source as it is read now; None if there is no such job."""
    job = studio.job(identity) if identity else None
    if job is None or job.task.get("kind") != kind or job.task.get("source") != source.identity:
        return None
    return job if job.task.get("options", {}) == dict(source.options) else None


def own_files(studio: Studio, options: Mapping[str, Any]) -> list[str]:
    """Return the options that name a file of the studio's own folder."""
    place = studio.store.folder.path
    return [name for name in FILE_OPTIONS if name in options and place in Path(str(options[name])).parents]


def insist_on_end(job: StoredJob) -> StoredJob:
    """Return the job, if it is done.

    Raises:
        Refused: It is not.
    """
    if job.state != DONE:
        raise Refused(404, "this job is not done")
    return job


def steps_of(source: str, choose: str = "", *, confirmed: bool = True) -> dict[str, str]:
    """Return the addresses of the steps before a release. The choice may have another one, and has none before people are confirmed."""
    steps = {"open": "/", "understand": f"/sources/{source}"}
    return {**steps, "choose": choose or f"/sources/{source}/choose"} if confirmed else steps


def waiting_page(request: Request, job: StoredJob, address: str, title: str, step: str, how: str = "") -> Response:
    """Return the progress of a task whose result is shown at an address."""
    return page(request, "waiting.html", {"job": job, "next": address, "title": title, "step": step, "how": how})

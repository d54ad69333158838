"""The pages on which a file is opened, and on which a release is handed over to be audited."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from shoal.errors import InputError
from shoal.io.studio_folder import JOBS, SOURCES, Upload, remove_folder
from shoal.studio.render_page import page
from shoal.studio.request_bodies import Refused, file_name, read_form, read_upload, whole_number
from shoal.studio.shared_state import Studio
from shoal.studio.states import AUDIT, KINDS
from shoal.studio.store import BY_PATH, SAMPLE, UPLOAD

SAMPLES = {
    "baskets": ("baskets.csv", "Shopping baskets", "what 400 customers of a grocer bought"),
    "queries": ("queries.tsv.gz", "Search log", "what 2,000 people searched"),
    "access": ("access.log", "Access log", "requests of 240 visitors of a web site"),
    "people": ("people.csv", "Table", "600 people with age, distance and income"),
}
LARGEST_K = 1_000_000


def sample_path(name: str) -> Path:
    """Return the place of a bundled sample."""
    return Path(str(files("shoal.samples"))) / SAMPLES[name][0]


async def open_page(studio: Studio, request: Request) -> Response:
    """Where everything begins."""
    facts = {
        "samples": SAMPLES,
        "kinds": KINDS,
        "root": None if studio.root is None else str(studio.root.path),
        "sources": studio.store.sources()[:5],
        "jobs": studio.store.jobs(tuple(KINDS), studio.processes.alive)[:5],
        "largest": studio.largest_upload >> 20,
        "kept": str(studio.store.folder.path) if studio.store.folder.kept else "",
        "step": "open",
    }
    return page(request, "open.html", facts)


async def names(studio: Studio, request: Request) -> Response:
    """Completions of a path below the root."""
    found = [] if studio.root is None else studio.root.names(request.query_params.get("typed", ""))
    return JSONResponse(found)


async def upload(studio: Studio, request: Request) -> Response:
    """Take a file that was dropped."""
    folder = studio.store.folder.new(SOURCES)
    path, name = await uploaded(studio, request, folder)
    source = studio.store.add_source(folder, name, path, UPLOAD)
    return JSONResponse({"location": f"/sources/{source.identity}"})


async def uploaded(studio: Studio, request: Request, folder: Path) -> tuple[Path, str]:
    """Write an upload to a folder, which is removed if it does not arrive."""
    name = file_name(request)
    file = Upload(folder, name, studio.largest_upload)
    try:
        await read_upload(request, file, studio.upload_seconds)
    except BaseException:
        remove_folder(folder)
        raise
    finally:
        file.close()
    return file.path, name


async def open_path(studio: Studio, request: Request) -> Response:
    """Open a file by its path."""
    fields = await read_form(request)
    path = below_root(studio, fields.get("path", ""))
    return _opened(studio, path.name, path, BY_PATH)


async def open_sample(studio: Studio, request: Request) -> Response:
    """Open a bundled sample."""
    fields = await read_form(request)
    name = fields.get("sample", "")
    if name not in SAMPLES:
        raise Refused(400, "there is no such sample")
    return _opened(studio, SAMPLES[name][0], sample_path(name), SAMPLE)


def _opened(studio: Studio, name: str, path: Path, origin: str) -> Response:
    source = studio.store.add_source(studio.store.folder.new(SOURCES), name, path, origin)
    return RedirectResponse(f"/sources/{source.identity}", 303)


def below_root(studio: Studio, typed: str) -> Path:
    """Return the file of a path that was typed."""
    if studio.root is None:
        raise Refused(403, "start the studio with --root to open files by their path")
    if not typed.strip():
        raise InputError("type the path of a file", code="missing-value")
    return studio.root.inside(typed.strip())


# -- audit


async def audit_page(studio: Studio, request: Request) -> Response:
    """Where a release is handed over."""
    root = None if studio.root is None else str(studio.root.path)
    return page(request, "audit.html", {"root": root, "largest": studio.largest_upload >> 20, "step": "audit"})


async def audit_upload(studio: Studio, request: Request) -> Response:
    """Audit a file that was dropped: records, or a zip file of a release directory."""
    folder = studio.store.folder.new(JOBS)
    path, name = await uploaded(studio, request, folder)
    job = studio.begin(AUDIT, path=str(path), name=name, limit=studio.largest_upload, k=5)
    return JSONResponse({"location": f"/jobs/{job.name}"})


async def audit_path(studio: Studio, request: Request) -> Response:
    """Audit a release directory or file by its path."""
    fields = await read_form(request)
    path = below_root(studio, fields.get("path", ""))
    k = whole_number(fields, "k", 2, LARGEST_K) if fields.get("k") else 5
    job = studio.begin(AUDIT, path=str(path), name=path.name, typed=str(path), limit=studio.largest_upload, k=k)
    return RedirectResponse(f"/jobs/{job.name}", 303)

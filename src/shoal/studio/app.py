"""The web application: which function answers which address."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from shoal.errors import ShoalError
from shoal.studio import compare_pages, open_pages, release_pages, source_pages, taxonomy_pages
from shoal.studio.guard import Guard, Sessions
from shoal.studio.render_page import page, static_file
from shoal.studio.request_bodies import Refused
from shoal.studio.shared_state import Studio
from shoal.studio.spelling import on_page

Handler = Callable[[Studio, Request], Awaitable[Response]]

PAGES: dict[str, Handler] = {
    "/": open_pages.open_page,
    "/open/names": open_pages.names,
    "/sources/{id}": source_pages.understand,
    "/sources/{id}/choose": source_pages.choose,
    "/sources/{id}/compare": compare_pages.compare_form,
    "/jobs/{id}": release_pages.job_page,
    "/jobs/{id}/events": release_pages.events,
    "/jobs/{id}/cells": compare_pages.cells,
    "/jobs/{id}/report": release_pages.report,
    "/jobs/{id}/private": release_pages.private,
    "/jobs/{id}/release.zip": release_pages.download,
    "/jobs/{id}/options.toml": release_pages.config,
    "/audit": open_pages.audit_page,
    "/history": release_pages.history,
    "/taxonomies": taxonomy_pages.taxonomies,
    "/taxonomies/{id}": taxonomy_pages.taxonomy_page,
    "/taxonomies/{id}/file": taxonomy_pages.download_taxonomy,
}
CHANGES: dict[str, Handler] = {
    "/open/upload": open_pages.upload,
    "/open/path": open_pages.open_path,
    "/open/sample": open_pages.open_sample,
    "/sources/{id}/read": source_pages.read_again,
    "/sources/{id}/answer": source_pages.answer,
    "/sources/{id}/items": source_pages.upload_items,
    "/sources/{id}/items-path": source_pages.items_by_path,
    "/sources/{id}/items-options": source_pages.items_options,
    "/sources/{id}/confirm": source_pages.confirm,
    "/sources/{id}/advise": source_pages.find_routes,
    "/sources/{id}/preview": source_pages.preview,
    "/sources/{id}/publish": source_pages.publish,
    "/sources/{id}/compare": compare_pages.begin_comparison,
    "/jobs/{id}/resume": compare_pages.resume,
    "/jobs/{id}/publish": compare_pages.publish_cell,
    "/jobs/{id}/cancel": release_pages.cancel,
    "/jobs/{id}/audit": release_pages.audit_release,
    "/jobs/{id}/attack": release_pages.attack_release,
    "/audit/upload": open_pages.audit_upload,
    "/audit/path": open_pages.audit_path,
    "/taxonomies/upload": taxonomy_pages.upload_taxonomy,
    "/taxonomies/path": taxonomy_pages.taxonomy_by_path,
    "/taxonomies/learn": taxonomy_pages.learn,
    "/taxonomies/{id}/make": taxonomy_pages.make,
    "/taxonomies/{id}/change": taxonomy_pages.change,
    "/taxonomies/{id}/use": taxonomy_pages.use,
    "/taxonomies/{id}/cover": taxonomy_pages.cover,
}


def make_app(studio: Studio, sessions: Sessions, hosts: frozenset[str], cookie_name: str = "shoal_studio", first: str = "/") -> Guard:
    """Return the application behind its guard.

    Args:
        studio: The state that all pages share.
        sessions: Who may ask.
        hosts: The names of this server, with its port.
        cookie_name: The name of the cookie.
        first: The page that is shown first.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await studio.previews.end()
        await studio.processes.end()

    routes = [
        *(Route(path, partial(_answer, studio, handler), methods=["GET"]) for path, handler in PAGES.items()),
        *(Route(path, partial(_answer, studio, handler), methods=["POST"]) for path, handler in CHANGES.items()),
        Route("/static/{name}", _static, methods=["GET"]),
    ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: _http_error, Exception: _unexpected})
    return Guard(app, sessions, hosts, cookie_name, first)


async def _answer(studio: Studio, handler: Handler, request: Request) -> Response:
    """Call a handler; errors become a page, or JSON for a script of ours."""
    try:
        return await handler(studio, request)
    except Refused as refused:
        return _problem(request, refused.why, "", refused.status)
    except ShoalError as error:
        return _problem(request, on_page(error.marked_message), on_page(error.marked_hint), 400)


def _problem(request: Request, message: str, hint: str, status: int) -> Response:
    if request.headers.get("accept", "") == "application/json":
        return JSONResponse({"message": message, "hint": hint}, status)
    return page(request, "problem.html", {"message": message, "hint": hint}, status)


async def _static(request: Request) -> Response:
    return static_file(request.path_params["name"]) or PlainTextResponse("shoal studio: there is no such file\n", 404)


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return page(request, "problem.html", {"message": "There is no such page.", "hint": ""}, status)


async def _unexpected(request: Request, error: Exception) -> Response:
    """A fault of ours. Its message may quote data, so only its kind is shown."""
    return PlainTextResponse(f"shoal studio: an unexpected error of kind {type(error).__name__}\n", 500)

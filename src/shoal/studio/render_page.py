"""Pages from templates: style, charts and escaping are those of the report."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from shoal.report.formatting import escaped, own_markup
from shoal.util.wording import percent

STATIC = {
    "report.css": ("shoal.report", "style.css", "text/css"),
    "comparison.css": ("shoal.report", "comparison.css", "text/css"),
    "studio.css": ("shoal.studio", "static/studio.css", "text/css"),
    "open.js": ("shoal.studio", "static/open.js", "text/javascript"),
    "progress.js": ("shoal.studio", "static/progress.js", "text/javascript"),
    "copy.js": ("shoal.studio", "static/copy.js", "text/javascript"),
    "compare.js": ("shoal.studio", "static/compare.js", "text/javascript"),
    "preview.js": ("shoal.studio", "static/preview.js", "text/javascript"),
    "filter.js": ("shoal.studio", "static/filter.js", "text/javascript"),
}


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        finalize=escaped,
        undefined=StrictUndefined,
        loader=PackageLoader("shoal.studio", "pages"),
        auto_reload=False,  # otherwise each page looks at the files of all its templates
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "svg": own_markup, "number": lambda value: f"{value:,}"}
    return environment


def page(request: Request, template: str, facts: Mapping[str, Any], status: int = 200) -> Response:
    """Return a page of ours, with the token that its forms need."""
    shared = {"change": request.scope["shoal.change_token"], "steps": {}, "step": ""}
    return HTMLResponse(_environment().get_template(template).render({**shared, **facts}), status)


def static_file(name: str) -> Response | None:
    """Return a style sheet or script that came with the package; None if there is no such file."""
    if name not in STATIC:
        return None
    package, place, kind = STATIC[name]
    return Response(_content(package, place), media_type=kind)


@cache
def _content(package: str, place: str) -> bytes:
    return files(package).joinpath(*place.split("/")).read_bytes()

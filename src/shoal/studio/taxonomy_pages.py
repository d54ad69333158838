"""The pages on which taxonomies are made, browsed, changed, and chosen for a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from shoal.data.taxonomy import Taxonomy
from shoal.io.studio_folder import TAXONOMIES
from shoal.pipeline.options import TOPICS
from shoal.studio.open_pages import below_root, uploaded
from shoal.studio.render_page import page
from shoal.studio.request_bodies import Refused, read_form, whole_number
from shoal.studio.requested import insist_on_people, own_files, source_called, waiting_page
from shoal.studio.shared_state import Studio
from shoal.studio.shown_command import command_of_coverage, command_of_taxonomy
from shoal.studio.states import COVERAGE, TAXONOMY
from shoal.studio.store import OpenedFile, StoredJob
from shoal.studio.taxonomy_store import FIRST, StoredTaxonomy, stored_taxonomies, stored_taxonomy
from shoal.studio.taxonomy_tasks import COLUMNS, FILE, TABLE
from shoal.taxonomy.edit import added, moved, number_of, renamed
from shoal.taxonomy.learned import FEWEST_PEOPLE

SHOWN = 200  # children, or results of a search, on a page
MOST_PEOPLE = 1_000_000
OF_ITEMS = ("table", "querylog", "transactions", "prompts")  # formats whose items can be on a taxonomy


async def taxonomies(studio: Studio, request: Request) -> Response:
    """All taxonomies, and ways to make one."""
    facts = {
        "taxonomies": stored_taxonomies(studio.store.folder),
        "sources": _sources(studio),
        "people": FEWEST_PEOPLE,
        "largest": studio.largest_upload >> 20,
        "root": None if studio.root is None else str(studio.root.path),
        "step": "taxonomies",
    }
    return page(request, "taxonomies.html", facts)


def _sources(studio: Studio) -> list[OpenedFile]:
    """Return the opened files whose items can be on a taxonomy."""
    return [one for one in studio.store.sources() if one.confirmed and one.options.get("format") in OF_ITEMS]


# -- making one


async def upload_taxonomy(studio: Studio, request: Request) -> Response:
    """Take a file that was dropped: a taxonomy, or a product table."""
    folder = studio.store.folder.new(TAXONOMIES)
    path, name = await uploaded(studio, request, folder)
    _look(studio, StoredTaxonomy(folder, name, str(path)))
    return JSONResponse({"location": f"/taxonomies/{folder.name}"})


async def taxonomy_by_path(studio: Studio, request: Request) -> Response:
    """Take a file below the root."""
    fields = await read_form(request)
    path = below_root(studio, fields.get("path", ""))
    folder = studio.store.folder.new(TAXONOMIES)
    _look(studio, StoredTaxonomy(folder, path.name, str(path)))
    return RedirectResponse(f"/taxonomies/{folder.name}", 303)


def _look(studio: Studio, one: StoredTaxonomy) -> None:
    """Read the columns of a file, in a process of its own."""
    job = studio.begin(TAXONOMY, taxonomy=one.identity, name=one.name, make=COLUMNS, path=one.raw)
    one.save(looked=job.name)


async def learn(studio: Studio, request: Request) -> Response:
    """Learn topics from an opened file."""
    fields = await read_form(request)
    source = insist_on_people(source_called(studio, fields.get("source", "")))
    people = whole_number(fields, "people", 2, MOST_PEOPLE)
    made = StoredTaxonomy(studio.store.folder.new(TAXONOMIES), f"Topics of {source.name}").save()
    return _begun(studio, made, TOPICS, **_about(studio, source), people=people, options=_without_taxonomy(source))


async def make(studio: Studio, request: Request) -> Response:
    """Read the file as a taxonomy, or as a product table with these columns as levels."""
    one, fields = _requested(studio, request), await read_form(request)
    if one.version or not one.raw:
        raise Refused(409, "this taxonomy is made already")
    levels = {"levels": fields["levels"]} if fields.get("levels", "").strip() else {}
    typed = one.name if one.folder in Path(one.raw).parents else one.raw
    return _begun(studio, one, TABLE if levels else FILE, path=one.raw, typed=typed, **levels)


def _begun(studio: Studio, one: StoredTaxonomy, make: str, **task: Any) -> Response:
    job = studio.begin(TAXONOMY, taxonomy=one.identity, name=one.name, make=make, target=str(one.file(FIRST)), **task)
    one.save(job=job.name)
    return RedirectResponse(f"/taxonomies/{one.identity}", 303)


# -- browsing


async def taxonomy_page(studio: Studio, request: Request) -> Response:
    """A taxonomy: what it is made from, or a node of it with its children."""
    one = _requested(studio, request)
    job = studio.job(one.job) if one.job else None
    if not one.version and job is not None and not job.over:
        return waiting_page(request, job, f"/taxonomies/{one.identity}", f"Making the taxonomy {one.name}", "taxonomies")
    if not one.version:
        looked = studio.job(one.looked) if one.looked else None
        if looked is not None and not looked.over:
            return waiting_page(request, looked, f"/taxonomies/{one.identity}", f"Reading {one.name}", "taxonomies")
        columns = (looked.result or {}).get("columns", []) if looked is not None else []
        return page(request, "taxonomy_new.html", {"one": one, "job": job, "columns": columns, "step": "taxonomies"})
    tree = await asyncio.to_thread(one.tree)
    facts = {
        "one": one,
        "notes": (job.result or {}).get("notes", []) if job is not None and one.version == FIRST else [],
        "nodes": len(tree),
        "leaves": tree.n_leaves,
        "height": tree.height,
        **_browsed(tree, request.query_params),
        "sources": [(source, source.options.get("taxonomy") == str(one.path)) for source in _sources(studio)],
        "command": command_of_taxonomy(job.task) if job is not None and "typed" in job.task else "",
        "covered": _coverage(studio, one, request.query_params.get("cover", "")),
        "step": "taxonomies",
    }
    covering = facts["covered"]
    if isinstance(covering, StoredJob) and not covering.over:
        return waiting_page(request, covering, f"{request.url.path}?cover={covering.identity}", "Counting", "taxonomies")
    if isinstance(covering, StoredJob) and "typed" in covering.task:
        facts["counting"] = command_of_coverage(covering.task)
    return page(request, "taxonomy.html", facts)


def _browsed(tree: Taxonomy, query: Mapping[str, str]) -> dict[str, Any]:
    """Return a node with the way to it and its children; or the nodes that a search finds."""
    name = query.get("node", "") or tree.names[0]
    node = number_of(tree, name)
    sought = query.get("q", "").strip()
    listed = _search(tree, sought) if sought else tree.children(node).tolist()
    rows = [{"name": tree.names[n], "leaves": int(tree.leaves[n]), "leaf": int(tree.end[n]) == n + 1} for n in listed[:SHOWN]]
    return {"node": name, "is_root": node == 0, "way": _way(tree, node), "rows": rows, "more": len(listed) - len(rows), "q": sought}


def _search(tree: Taxonomy, sought: str) -> list[int]:
    found = tree.names.names.str.to_lowercase().str.contains(sought.lower(), literal=True)
    return [int(n) for n in found.arg_true().to_list()]


def _way(tree: Taxonomy, node: int) -> list[str]:
    """Return the names from the root to the parent of a node."""
    way = []
    while (node := int(tree.parent[node])) >= 0:
        way.append(tree.names[node])
    return way[::-1]


# -- changing


async def change(studio: Studio, request: Request) -> Response:
    """Move, rename or add a node, or take back the last change."""
    one, fields = _requested(studio, request, made=True), await read_form(request)
    do, node, name, parent = (fields.get(field, "") for field in ("do", "node", "name", "parent"))
    changes: dict[str, Callable[[Taxonomy], Taxonomy]] = {
        "move": lambda tree: moved(tree, node, parent),
        "rename": lambda tree: renamed(tree, node, name),
        "add": lambda tree: added(tree, name, node),
    }
    if do == "undo":
        one.undone()
        return RedirectResponse(f"/taxonomies/{one.identity}", 303)
    if do not in changes:
        raise Refused(400, "there is no such change")
    await asyncio.to_thread(lambda: one.changed(changes[do](one.tree())))
    shown = parent if do == "move" else name.strip() if do == "rename" else node
    return RedirectResponse(f"/taxonomies/{one.identity}?{urlencode({'node': shown})}", 303)


async def use(studio: Studio, request: Request) -> Response:
    """Read an opened file with the newest version of this taxonomy, or with the usual one again."""
    one, fields = _requested(studio, request, made=True), await read_form(request)
    source = insist_on_people(source_called(studio, fields.get("source", "")))
    chosen = {} if fields.get("do") == "stop" else {"taxonomy": str(one.path)}
    source.save(options={**_without_taxonomy(source), **chosen}, look="")
    return RedirectResponse(f"/sources/{source.identity}/choose", 303)


async def cover(studio: Studio, request: Request) -> Response:
    """Count how much of an opened file this taxonomy covers."""
    one, fields = _requested(studio, request, made=True), await read_form(request)
    source = insist_on_people(source_called(studio, fields.get("source", "")))
    task = {"of": one.identity, "taxonomy": str(one.path), "name": source.name, **_about(studio, source)}
    job = studio.begin(COVERAGE, **task, options=_without_taxonomy(source))
    return RedirectResponse(f"/taxonomies/{one.identity}?cover={job.name}", 303)


def _coverage(studio: Studio, one: StoredTaxonomy, identity: str) -> StoredJob | None:
    job = studio.job(identity) if identity else None
    return job if job is not None and job.task.get("kind") == COVERAGE and job.task.get("of") == one.identity else None


async def download_taxonomy(studio: Studio, request: Request) -> Response:
    """The file of a version, which the command line reads."""
    one = _requested(studio, request, made=True)
    version = request.query_params.get("version", str(one.version))
    path = one.file(int(version)) if version.isascii() and version.isdigit() and len(version) < 9 else one.file(0)
    if not path.is_file():
        raise Refused(404, "there is no such version")
    return FileResponse(path, media_type="text/tab-separated-values", filename=path.name)


def _about(studio: Studio, source: OpenedFile) -> dict[str, Any]:
    """Where an opened file is, and how it is typed in a command."""
    return {"path": source.path, "typed": source.typed, "files": own_files(studio, _without_taxonomy(source))}


def _without_taxonomy(source: OpenedFile) -> dict[str, Any]:
    return {name: value for name, value in source.options.items() if name != "taxonomy"}


def _requested(studio: Studio, request: Request, *, made: bool = False) -> StoredTaxonomy:
    found = stored_taxonomy(studio.store.folder, request.path_params["id"])
    if found is None or (made and not found.version):
        raise Refused(404, "there is no such taxonomy")
    return found

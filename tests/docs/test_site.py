"""The site of the documentation: it builds without a warning, is complete, and loads nothing from the network."""

from __future__ import annotations

import fcntl
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest

import shoal
from helpers.docs import ROOT, notebooks, pages
from shoal.cli.main import COMMANDS, cli
from shoal.cli.options import method_options
from shoal.methods import METHODS
from shoal.privacy import MODELS

NEEDED = ("sphinx", "myst_parser", "furo")
MISSING = [name for name in NEEDED if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}; `make docs` installs it")

LOADING = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
}
LOADING_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "preconnect", "dns-prefetch", "manifest"}
REMOTE = re.compile(r"(https?:)?//", re.IGNORECASE)
REMOTE_STYLE = re.compile(r"""(@import|url\()\s*["']?(https?:)?//""", re.IGNORECASE)
WITHOUT_A_LINK = {"search.html"}  # reached by the search field


class Page(HTMLParser):
    """What a page loads, where it links to, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.text = text
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag in LOADING and LOADING[tag] in values:
            self.loaded.append(values[LOADING[tag]])
        if tag == "link" and LOADING_LINKS.intersection(values.get("rel", "").split()):
            self.loaded.append(values["href"])
        if tag in {"img", "source"}:
            self.loaded += [one.split()[0] for one in values.get("srcset", "").split(",") if one.strip()]
        if tag == "a" and "href" in values:
            self.links.append(values["href"])


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The site, built once for all workers of a run."""
    base = tmp_path_factory.getbasetemp()
    folder = base if worker_id == "master" else base.parent
    out = folder / "site"
    with (folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "site.log").exists():
            done = subprocess.run(
                [sys.executable, str(ROOT / "docs" / "site" / "build.py"), "--out", str(out)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            (folder / "site.log").write_text(f"{done.returncode}\n{done.stdout}", "utf-8")
    code, _, printed = (folder / "site.log").read_text("utf-8").partition("\n")
    assert code == "0", printed
    return out


@cache
def page(path: Path) -> Page:
    return Page(path.read_text("utf-8"))


def all_pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def internal_links(site: Path, path: Path) -> Iterator[tuple[str, Path, str]]:
    """The links of a page within the site: as written, the file, and the anchor."""
    for link in page(path).links:
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            yield link, target / "index.html" if target.is_dir() else target, unquote(parts.fragment)


def test_every_page_is_reachable_from_the_index(site: Path) -> None:
    found, left = set(), [site / "index.html"]
    while left:
        path = left.pop()
        if path not in found and path.suffix == ".html" and path.is_file():
            found.add(path)
            left += [target for _, target, _ in internal_links(site, path)]
    assert {str(path.relative_to(site)) for path in {*all_pages(site)} - found} <= WITHOUT_A_LINK
    sources = [one.relative_to(ROOT).with_suffix(".html") for one in [*pages(), *notebooks()]]
    assert [str(one) for one in sources if site / one not in found] == []


def test_no_page_loads_anything_from_the_network(site: Path) -> None:
    loaded = {f"{path.name}: {one}" for path in all_pages(site) for one in page(path).loaded if REMOTE.match(one)}
    assert loaded == set()
    styles = [page(path).text for path in all_pages(site)] + [path.read_text("utf-8") for path in site.rglob("*.css")]
    assert not [REMOTE_STYLE.search(text) for text in styles if REMOTE_STYLE.search(text)]
    pictures = [path.name for path in site.rglob("*.svg") if re.search(r'(href|src)="(https?:)?//', path.read_text("utf-8"))]
    assert pictures == []


def test_what_pages_load_is_there(site: Path) -> None:
    wanted = {
        (path.parent / urlsplit(one).path).resolve() for path in all_pages(site) for one in page(path).loaded if not one.startswith("data:")
    }
    assert len(wanted) > 5
    assert [str(path) for path in wanted if not path.is_file()] == []


def test_internal_links_resolve(site: Path) -> None:
    broken = [
        f"{path.relative_to(site)}: {link}"
        for path in all_pages(site)
        for link, target, anchor in internal_links(site, path)
        if not target.is_file() or (anchor and target.suffix == ".html" and anchor not in page(target).anchors)
    ]
    assert broken == []


def test_there_is_an_index_to_search(site: Path) -> None:
    index = (site / "searchindex.js").read_text("utf-8")
    assert index.startswith("Search.setIndex(")
    for wanted in ("docs/goals", "anonym", "taxonomi"):
        assert wanted in index
    assert "searchindex.js" in page(site / "search.html").text


def test_every_public_name_has_an_entry(site: Path) -> None:
    names = [f"shoal.{name}" for name in shoal.__all__ if name != "__version__"]
    names += [f"shoal.methods.{name}" for name in METHODS.classes] + [f"shoal.privacy.{name}" for name in MODELS.classes]
    anchors = set().union(*(page(path).anchors for path in (site / "reference" / "python").glob("*.html")))
    assert [name for name in names if name not in anchors] == []


def commands(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, click.Command, click.Context]]:
    """A command and all below it, by what is typed."""
    yield ctx.command_path, command, ctx
    for name in command.list_commands(ctx) if isinstance(command, click.Group) else []:
        below = command.get_command(ctx, name)
        assert below is not None
        yield from commands(below, click.Context(below, info_name=name, parent=ctx))


def test_every_command_and_option_has_an_entry(site: Path) -> None:
    found = list(commands(cli, click.Context(cli, info_name="shoal", **cli.context_settings)))
    assert {path.split()[1] for path, _, _ in found if path != "shoal"} == set(COMMANDS)
    for path, command, ctx in found[1:]:
        file = page(site / "reference" / "commands" / f"{path.split()[1]}.html")
        assert f"<h1>{path}<" in file.text or f"<h2>{path}<" in file.text
        options = [one for one in command.get_params(ctx) if isinstance(one, click.Option) and not one.hidden]
        wanted = {f"cmdoption-{path.replace(' ', '-')}-{name.lstrip('-')}" for one in options for name in one.opts if name.startswith("--")}
        assert wanted <= file.anchors, wanted - file.anchors


def test_every_option_of_a_method_has_an_entry(site: Path) -> None:
    file = page(site / "reference" / "commands" / "method-options.html")
    for method in METHODS:
        typed = {name for one in method_options(method) for name in one.opts if name.startswith("--")}
        assert {f"cmdoption-shoal-anonymize-method-{method}-{name.lstrip('-')}" for name in typed} <= file.anchors, method


def test_every_error_code_has_an_entry(site: Path) -> None:
    codes = re.findall(r"^\| `([a-z0-9-]+)` \|", (ROOT / "docs" / "errors.md").read_text("utf-8"), re.MULTILINE)
    assert len(codes) > 100
    assert {f"error-{code}" for code in codes} <= page(site / "docs" / "errors.html").anchors
    index = (site / "searchindex.js").read_text("utf-8")
    assert [code for code in codes if f'"{code}"' not in index] == []

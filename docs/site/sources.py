"""The pages of the repository, copied to where Sphinx reads them, with links and examples as they are on the forge."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = (".md", ".ipynb")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
NAMED_FENCE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)  # a block that is a file, such as ```json food.json


def repository_pages() -> list[Path]:
    """All pages that the site shows, as paths from the root of the repository."""
    docs = [path for path in (ROOT / "docs").rglob("*") if path.suffix in PAGES]
    return sorted(path.relative_to(ROOT) for path in [*ROOT.glob("*.md"), *docs])


def copy_pages(target: Path) -> None:
    """Copy all pages, and the files that they link to or show, below a directory in the same places."""
    for page in repository_pages():
        text = (ROOT / page).read_text("utf-8")
        if page.suffix == ".ipynb":
            text = notebook_as_markdown(json.loads(text))
        write(target / page.with_suffix(".md"), page_for_site(text))
        for file in _linked_files(page, text):
            copy(ROOT / file, target / file)


def page_for_site(text: str) -> str:
    """A page with the names of its example files as captions, and with links to notebooks as links to pages."""
    captioned = NAMED_FENCE.sub(r"```{code-block} \1\n:caption: \2\n", text)
    return re.sub(r"(\]\([^)\s:]+)\.ipynb\)", r"\1.md)", captioned)


def _linked_files(page: Path, text: str) -> Iterator[Path]:
    for link in LINK.findall(text):
        file = (ROOT / page.parent / link).resolve()
        if ":" not in link and file.is_file() and file.suffix not in PAGES:
            yield file.relative_to(ROOT)


# -- notebooks


def notebook_as_markdown(notebook: dict[str, Any]) -> str:
    """The cells of a notebook and their recorded outputs, as a page."""
    return "\n\n".join(part for cell in notebook["cells"] for part in _cell(cell)) + "\n"


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text/html" in data:
            yield f'````{{raw}} html\n<div class="notebook-output">{"".join(data["text/html"])}</div>\n````'
        else:
            text = "".join(output.get("text", data.get("text/plain", "")))
            yield f"````{{code-block}} text\n:class: notebook-output\n\n{text.rstrip()}\n````"


# -- files


def write(path: Path, text: str) -> None:
    """Write a text, and make the directory that it belongs to."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def copy(source: Path, target: Path) -> None:
    """Copy a file, and make the directory that it belongs to."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)

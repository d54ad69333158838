"""Runs every example of the documentation anew and puts into the pages what it prints now. Read the diff before you commit it.

    python scripts/refresh_docs.py [page or notebook ...]

Methods of the table that docs/methods.md or the index does not list yet are added there first, with their own summary.
Outputs that the page shortens with a line `...`, and Python dialogues, are left to be edited by hand; the tests say where they differ.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from helpers.docs import ANY_LINES, NOTEBOOK, ROOT, Block, Reader, blocks, notebooks, pages, typed
from helpers.notebook import executed, read, write
from shoal.methods import METHODS

os.environ["SHOAL_PROGRESS"] = "off"  # as in the tests
os.environ["SHOAL_ADVICE"] = "0"

# The lists of methods: the page, how the line of a method begins there, and how the line of a new one is written.
LISTS = {
    ROOT / "docs" / "methods.md": ("| `{name}` |", "| `{name}` | {summary} | {paper} |"),
    ROOT / "docs" / "README.md": ("- [{name}](methods/{name}.md)", "- [{name}](methods/{name}.md): {summary}"),
}


def list_methods() -> None:
    """Add the methods that a list leaves out below its last one. Lines that are there stay as they are."""
    for page, (start, line) in LISTS.items():
        lines = page.read_text(encoding="utf-8").split("\n")
        at = {name: _found(lines, start.format(name=name)) for name in METHODS}
        below = max(at.values()) + 1
        missing = [METHODS[name] for name in METHODS if at[name] < 0]
        lines[below:below] = [line.format(name=one.name, summary=_phrase(one.summary()), paper=one.paper) for one in missing]
        page.write_text("\n".join(lines), encoding="utf-8")


def _found(lines: list[str], start: str) -> int:
    """The first line that begins so, or -1."""
    return next((at for at, line in enumerate(lines) if line.startswith(start)), -1)


def _phrase(sentence: str) -> str:
    """A sentence as it stands in a list: without its capital and its full stop."""
    return sentence[:1].lower() + sentence[1:].removesuffix(".")


def refresh(page: Path) -> bool:
    """Rewrite a page's outputs; whether anything changed."""
    text = page.read_text(encoding="utf-8")
    lines = text.split("\n")
    shift = 0
    with tempfile.TemporaryDirectory() as directory:
        reader = Reader(Path(directory))
        for block in list(blocks(text)):
            if block.file:
                reader.save(block)
            elif block.kind == "console":
                shift += _rewrite(reader, block, lines, shift)
            elif block.kind == "pycon":
                reader.talk(block, page.name)
    fresh = "\n".join(lines)
    page.write_text(fresh, encoding="utf-8")
    return fresh != text


def refresh_notebook(page: Path) -> bool:
    """Run a notebook from top to bottom and keep what its cells give; whether anything changed."""
    text, notebook = page.read_text(encoding="utf-8"), read(page)
    with tempfile.TemporaryDirectory() as directory:
        write(executed(notebook, Path(directory)), page)
    return page.read_text(encoding="utf-8") != text


def _rewrite(reader: Reader, block: Block, lines: list[str], shift: int) -> int:
    """Put in what the block's commands print; by how many lines the page grew. Ends where the output is not what the page expects."""
    grown, every = 0, []
    for one in typed(block):
        printed = reader.type(one.command)
        every += printed
        if ANY_LINES in one.shown:
            continue
        blank_end = [""] if one.shown and not one.shown[-1] else []
        at = block.start + shift + grown + one.start
        lines[at : at + len(one.shown)] = printed + blank_end
        grown += len(printed) + len(blank_end) - len(one.shown)
    unmet = block.expected.unmet(every) if block.expected else []
    if unmet:
        raise SystemExit("\n".join([*every, f"the example in line {block.start} does not show what it must: {'; '.join(unmet)}"]))
    return grown


if __name__ == "__main__":
    list_methods()
    for page in [Path(name) for name in sys.argv[1:]] or [*pages(), *notebooks()]:
        changed = refresh_notebook(page) if page.suffix == NOTEBOOK else refresh(page)
        print(f"{page}: {'changed' if changed else 'as it was'}")

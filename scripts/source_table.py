"""Writes the table of docs/papers.md that lists what the sources describe, from docs/papers/sources.toml.

    python scripts/source_table.py

Each item names the command that does it, or why it is left out on purpose (`out`), or what is not built yet (`open`).
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parent.parent / "docs"
LIST = DOCS / "papers" / "sources.toml"
PAGE = DOCS / "papers.md"
BEGIN, END = "<!-- sources -->", "<!-- end of sources -->"


class Item(NamedTuple):
    """One thing that a source describes: exactly one of `command`, `out` and `open` is there."""

    where: str
    item: str
    command: str = ""
    out: str = ""
    open: str = ""
    note: str = ""


class Source(NamedTuple):
    """A document and what it describes."""

    title: str
    reference: str
    items: tuple[Item, ...]


def read_sources() -> tuple[Source, ...]:
    """Read the list of items."""
    found = tomllib.loads(LIST.read_text("utf-8"))["source"]
    return tuple(Source(one["title"], one["reference"], tuple(Item(**item) for item in one["items"])) for one in found)


def table(sources: tuple[Source, ...]) -> str:
    """Return the table, with numbers from 1, below a sentence that counts it."""
    items = [item for source in sources for item in source.items]
    done, out = sum(bool(item.command) for item in items), sum(bool(item.out) for item in items)
    lines = [
        f"Of {len(items)} items, {done} have a command, {out} stay out on purpose, and {len(items) - done - out} are not built yet.",
        "",
    ]
    number = 0
    for source in sources:
        lines += [f"### {source.title}", "", f"*{source.reference}*", ""]
        lines += ["| | section | described | command, or why there is none |", "| --- | --- | --- | --- |"]
        for item in source.items:
            number += 1
            lines.append(f"| {number} | {item.where} | {item.item} | {_cell(item)} |")
        lines.append("")
    return "\n".join(lines)


def _cell(item: Item) -> str:
    if item.command:
        shown = f"`{item.command}`".replace("|", r"\|")
        return f"{shown} ({item.note})" if item.note else shown
    return f"left out: {item.out}" if item.out else f"**not built**: {item.open}"


def page_with_table(page: str) -> str:
    """Return the page with the table between its marks."""
    fresh, n = re.subn(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{table(read_sources())}{END}", page, flags=re.DOTALL)
    if n != 1:
        raise SystemExit(f"{PAGE.name} must have the marks {BEGIN} and {END} once")
    return fresh


if __name__ == "__main__":
    PAGE.write_text(page_with_table(PAGE.read_text("utf-8")), "utf-8")

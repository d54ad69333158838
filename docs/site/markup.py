"""Texts of the program as reStructuredText and Markdown."""

from __future__ import annotations

import re

_PARTS = re.compile(r"`([^`]+)`|(?<!\S)(--\w[\w-]*\w)|([\\*|_`])")  # marked code, an option, a character with a meaning


def as_rst(text: str) -> str:
    """A plain text in which single backticks mark code; options are code too."""
    return _PARTS.sub(lambda part: f"\\{part[3]}" if part[3] else f"``{part[1] or part[2]}``", text)


def rst_heading(text: str, line: str = "=") -> str:
    """A heading, underlined."""
    return f"{text}\n{line * len(text)}\n"


def indented(text: str, by: int = 3) -> str:
    """All lines that are not empty, indented."""
    return "\n".join(f"{' ' * by}{line}" if line else "" for line in text.split("\n"))


def toctree(pages: list[str], caption: str = "", hidden: bool = True) -> str:
    """The directive that puts pages into the navigation, in Markdown."""
    options = [*([":hidden:"] if hidden else []), *([f":caption: {caption}"] if caption else []), ":maxdepth: 2"]
    return "\n".join(["```{toctree}", *options, "", *pages, "```", ""])

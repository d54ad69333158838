"""An extension of Sphinx for docstrings: what a function returns is a text, whatever colons it has, and descriptions follow a dash."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

BEFORE_NAPOLEON = 400  # which has priority 500
SEPARATOR, DASH = " -- ", " – "  # as Sphinx puts it between the name of an argument and its description


def setup(app: Sphinx) -> dict[str, Any]:
    """Register both steps."""
    app.connect("autodoc-process-docstring", _without_type, priority=BEFORE_NAPOLEON)
    app.connect("doctree-read", _dashes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _without_type(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Begin the text below `Returns:` with a colon: what is left of the first colon is taken for a type."""
    for at, line in enumerate(lines[:-1]):
        if line.strip() == "Returns:":
            text = lines[at + 1].lstrip()
            lines[at + 1] = f"{lines[at + 1][: -len(text)]}: {text}"


def _dashes(app: Sphinx, doctree: nodes.document) -> None:
    for text in list(doctree.findall(nodes.Text)):
        if text == SEPARATOR:
            text.parent.replace(text, nodes.Text(DASH))

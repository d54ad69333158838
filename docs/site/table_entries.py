"""An extension of Sphinx for large tables: rows are stacked on narrow screens, and error codes have an anchor and an entry to search."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

ERRORS = "docs/errors"
FEWEST_COLUMNS = 3
WIDE = 60  # characters of a row on average, above which it does not fit a narrow screen
KIND = "errorcode"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the kind of entry, and the step that finds tables."""
    app.add_object_type(KIND, KIND, objname="error code")
    app.connect("doctree-read", _prepare_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _prepare_tables(app: Sphinx, doctree: nodes.document) -> None:
    page = app.env.docname
    for table in doctree.findall(nodes.table):
        names = [entry.astext() for head in table.findall(nodes.thead) for entry in head.findall(nodes.entry)]
        rows = [row for body in table.findall(nodes.tbody) for row in body.children]
        if len(names) < FEWEST_COLUMNS or sum(len(row.astext()) for row in rows) < WIDE * len(rows):
            continue
        table["classes"].append("stacked")
        for row in rows:
            if page == ERRORS:
                _add_entry(app, doctree, row)
            _name_cells(row, names)


def _name_cells(row: nodes.Element, names: list[str]) -> None:
    """Put the name of the column into each cell but the first, for screens on which there is no header."""
    for entry, name in list(zip(row.children, names, strict=True))[1:]:
        for paragraph in entry.children[:1] if name else []:
            paragraph.insert(0, nodes.inline("", f"{name}: ", classes=["column-name"]))


def _add_entry(app: Sphinx, doctree: nodes.document, row: nodes.Element) -> None:
    """Make the code in the first cell of a row known to links and to the search."""
    code = next(iter(row.findall(nodes.literal))).astext()
    identifier = f"error-{code}"
    row["ids"].append(identifier)
    doctree.note_explicit_target(row, row)
    app.env.domains.standard_domain.note_object(KIND, code, identifier, location=row)

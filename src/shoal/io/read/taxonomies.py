"""Taxonomies from files, in the forms people keep them in:

* `edges`: a table of two columns, child and parent; the root is the node without a parent;
* `paths`: one row `item; group; ...; root` an item (ARX, Amnesia, or any table of levels); see paths.py;
* `json`: `{"name": ..., "children": [...]}` or plain nesting, `{"Food": {"Fruit": ["Apple", "Pear"]}}`;
* `skos` and `obo`: ontologies, whose concepts have several labels and parents; see `ontologies` and taxonomy/ontology.py.

The form is guessed from the content and reported, or named. Tables are separated by tabs, semicolons or
commas, the first of these that the first line holds, or are Excel or Parquet; a header is recognised by its words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from shoal import _kernels
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError, TaxonomyError
from shoal.io.read.excel import is_workbook, sheet_of
from shoal.io.read.parquet import whole
from shoal.io.read.result import BROKEN_LINES
from shoal.io.read.source import PARQUET, Source, content_of, open_regular, read_text, translated
from shoal.parameters import insist_on_path, insist_on_text
from shoal.taxonomy.category_paths import Parents, parents_of_paths, two_parents
from shoal.util.wording import there_are

Form = Literal["edges", "paths", "json", "skos", "obo"]

FORMS: tuple[Form, ...] = get_args(Form)

_SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas"}
NAMED_COLUMNS = "a Parquet table"  # how a file was read whose first row of cells is the names of its columns
HEADER_WORDS = ("child", "item", "leaf", "node", "term", "label", "name", "product", "value", "word", "code", "id")
_LEVEL_WORD = re.compile(r"(level|lvl|l)[ _-]?\d+|parent")


@dataclass(frozen=True)
class TaxonomyFile:
    """A taxonomy, the form it was read as, and notes on how the file was interpreted."""

    taxonomy: Taxonomy
    form: Form
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Row:
    line: int
    cells: list[str]


def read_taxonomy(path: str | Path, form: str | None = None, loss: str = DEFAULT_LOSS) -> TaxonomyFile:
    """Read a taxonomy from a file.

    Args:
        path: The file, plain or compressed: text, an Excel workbook or a Parquet table.
        form: "edges" (child and parent), "paths" (one row for each item, from the item to the root), "json", "skos" or "obo"; detected
            by default.
        loss: The loss function of nodes: "information", "lm", "height" or "people".

    Returns:
        A `TaxonomyFile` with the `taxonomy`, the `form` that was read, and `notes` on how the file was interpreted.

    Raises:
        ParameterError: An argument has a wrong type, or no form or loss has this name.
        TaxonomyError: The file cannot be read or does not contain a taxonomy: a node with two parents, a cycle, several roots.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("food.csv").write_text("child,parent\\nApple,Fruit\\nPear,Fruit\\nFruit,Food\\n")
        >>> food = shoal.read_taxonomy("food.csv")
        >>> food.form, len(food.taxonomy.names)
        ('edges', 4)
    """
    insist_on_path("path", path)
    insist_on_text("loss", loss)
    if form is not None:
        insist_on_text("form", form)
    if form is not None and form not in FORMS:
        raise ParameterError(
            f"no form of taxonomy is called {form!r}", code="unknown-taxonomy-form", hint=there_are(form, FORMS), value=form
        )
    file = Path(path)
    table = table_of(file)
    text = read_text(file) if table is None else ""
    try:
        return taxonomy_of_text(text, form, loss) if table is None else taxonomy_of_rows(table[0], form, loss, table[1])
    except TaxonomyError as error:
        raise TaxonomyError(
            f"{file.name or file}: {error.marked_message}", hint=error.marked_hint, rare=error.rare, code=error.code, **error.facts
        ) from None


def taxonomy_of_text(text: str, form: Form | None = None, loss: str = DEFAULT_LOSS) -> TaxonomyFile:
    """Parse a taxonomy from text."""
    notes: list[str] = []
    form = form or _ontology_form(text)
    if form in ("skos", "obo"):
        from shoal.io.read.ontologies.obo import concepts_of_obo
        from shoal.io.read.ontologies.skos import concepts_of_skos
        from shoal.taxonomy.ontology import taxonomy_of_concepts

        concepts, found = concepts_of_obo(text) if form == "obo" else concepts_of_skos(text)
        taxonomy, placed = taxonomy_of_concepts(concepts, loss)
        return TaxonomyFile(taxonomy, form, (*found, *placed))
    if form == "json" or (form is None and text.lstrip()[:1] in {"{", "["}):
        parents, found = parents_of_paths(_paths_of_json(text, notes))
        return TaxonomyFile(Taxonomy.from_parents(parents, loss), "json", (*notes, *found))
    return _of_table(_table(text, notes), form, loss, notes)


def taxonomy_of_rows(
    rows: Sequence[Sequence[Any]], form: Form | None = None, loss: str = DEFAULT_LOSS, notes: Sequence[str] = ()
) -> TaxonomyFile:
    """Make a taxonomy from the rows of a table, whose cells are text, integers or None."""
    if form not in (None, "edges", "paths"):
        raise ParameterError(f"a table of cells is read as edges or paths, not as {form}", code="option-not-applicable", value=form)
    cells = [_Row(line, ["" if cell is None else str(cell).strip() for cell in row]) for line, row in enumerate(rows, 1)]
    all_notes = list(notes)
    of_header = [] if NAMED_COLUMNS in all_notes else all_notes
    return _of_table(_without_header([row for row in cells if any(row.cells)], of_header), form, loss, all_notes)


def _ontology_form(text: str) -> Form | None:
    """Return the form of an ontology by the beginning of its file, None if it is another taxonomy."""
    from shoal.io.read.ontologies import obo, turtle
    from shoal.io.read.ontologies.skos import XML_STARTS

    if obo.START.match(text):
        return "obo"
    return "skos" if text.lstrip().startswith(XML_STARTS) or turtle.START.match(text) else None


def _of_table(rows: list[_Row], form: Form | None, loss: str, notes: list[str]) -> TaxonomyFile:
    form = form or ("edges" if all(len(row.cells) == 2 for row in rows) else "paths")
    if form == "edges":
        parents = _parents_of_edges(rows)
    else:
        parents, found = parents_of_paths(_path(row) for row in rows)
        notes += found
    return TaxonomyFile(Taxonomy.from_parents(parents, loss), form, tuple(notes))


# -- tables


def _table(text: str, notes: list[str]) -> list[_Row]:
    first = text.lstrip("\r\n").split("\n", 1)[0]
    separator = next((s for s in _SEPARATORS if s in first), ",")
    notes.append(f"columns are separated by {_SEPARATORS[separator]}")
    rows = []
    for defect, cells, line, _ in _kernels.first_records(text.encode(), _kernels.Dialect(separator, True), True, len(text)):
        if defect:
            raise TaxonomyError(f"line {line} cannot be read: {BROKEN_LINES[defect]}", code="taxonomy-line-invalid", line=line)
        if any(cell.strip() for cell in cells):
            rows.append(_Row(line, [cell.strip() for cell in cells]))
    return _without_header(rows, notes)


def _without_header(rows: list[_Row], notes: list[str]) -> list[_Row]:
    for row in rows:
        if len(row.cells) < 2:
            hint = "a row holds child and parent, or a path from item to root"
            raise TaxonomyError(f"line {row.line} has one column only", code="taxonomy-line-invalid", hint=hint, line=row.line)
    if len(rows) > 1 and _is_header(rows):
        notes.append("the first line is a header")
        return rows[1:]
    return rows


def _is_header(rows: list[_Row]) -> bool:
    """Whether the first line consists of header words that are not used as labels elsewhere."""
    words = [cell.lower() for cell in rows[0].cells]
    if words[0] not in HEADER_WORDS and not any(_LEVEL_WORD.fullmatch(word) for word in words):
        return False
    labels = set(rows[0].cells)
    return not any(labels & set(row.cells) for row in rows[1:])


def _parents_of_edges(rows: list[_Row]) -> Parents:
    parents: Parents = {}
    parents_of: Parents = {}
    for row in rows:
        if len(row.cells) != 2:
            raise TaxonomyError(
                f"line {row.line} has {len(row.cells)} columns, not child and parent", code="taxonomy-line-invalid", line=row.line
            )
        child, above = row.cells[0], row.cells[1] or None
        if not child:
            raise TaxonomyError(f"line {row.line} names no child", code="taxonomy-line-invalid", line=row.line)
        if parents_of.setdefault(child, above) != above:
            raise two_parents(child, parents_of[child], above)
        parents[child] = above
        if above is not None:
            parents.setdefault(above, None)
    roots = [node for node, above in parents.items() if above is None]
    if len(roots) > 1:
        shown = ", ".join(repr(r) for r in roots[:5]) + (" ..." if len(roots) > 5 else "")
        hint = "give them a common parent, or read the file as paths, which implies one"
        raise TaxonomyError(f"{len(roots):,} nodes have no parent: {shown}", code="taxonomy-several-roots", hint=hint, nodes=roots)
    return parents


def _path(row: _Row) -> list[str]:
    labels = [cell for cell in row.cells if cell]
    if not row.cells[0]:
        raise TaxonomyError(f"line {row.line} names no item", code="taxonomy-line-invalid", line=row.line)
    if len(labels) < 2:
        raise TaxonomyError(f"line {row.line} has one column only", code="taxonomy-line-invalid", line=row.line)
    return labels


# -- JSON


def _paths_of_json(text: str, notes: list[str]) -> Iterator[list[str]]:
    """Return the path of every leaf, from the leaf up."""
    try:
        tree = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise TaxonomyError(f"line {error.lineno} is not JSON: {error.msg}", code="invalid-json", line=error.lineno) from None
    except RecursionError:
        raise TaxonomyError("the JSON is nested too deeply", code="nested-too-deeply") from None
    try:
        json.dumps(tree, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise TaxonomyError("the JSON contains half of a surrogate pair, which is not a character", code="taxonomy-label-invalid") from None
    if isinstance(tree, dict) and {"@context", "@graph"} & tree.keys():
        raise TaxonomyError("JSON-LD is not read", code="taxonomy-json-ld", hint="save the file as Turtle or RDF/XML")
    tops = _branches(tree)
    if len(tops) != 1:
        raise TaxonomyError(f"the JSON has {len(tops)} roots, not one", code="taxonomy-several-roots", hint="put them under a common root")
    ignored: set[str] = set()
    pending: list[tuple[Any, list[str]]] = [(tops[0], [])]
    while pending:
        (label, below), above = pending.pop()
        path = [label, *above]
        branches = _branches(below, ignored)
        if not branches:
            yield path
        pending.extend((branch, path) for branch in reversed(branches))
    if ignored:
        notes.append(f"ignored keys other than name and children: {', '.join(sorted(ignored))}")


def _branches(value: Any, ignored: set[str] | None = None) -> list[tuple[str, Any]]:
    """Return a JSON value as a list of (label, children)."""
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return [branch for one in value for branch in _branches(one, ignored)]
    if isinstance(value, dict):
        if isinstance(value.get("name"), str | int) and not isinstance(value["name"], bool):
            if ignored is not None:
                ignored |= value.keys() - {"name", "children"}
            return [(_label(value["name"]), value.get("children"))]
        return [(_label(name), below) for name, below in value.items()]
    return [(_label(value), None)]


def _label(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise TaxonomyError(f"a label is a string, not {json.dumps(value)[:40]}", code="taxonomy-label-invalid")
    return str(value).strip()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise TaxonomyError(f"the JSON names {name!r} twice in one object", code="duplicate-key", nodes=[name])
        found[name] = value
    return found


def table_of(path: Path) -> tuple[list[tuple[Any, ...]], tuple[str, ...]] | None:
    """Return the rows of a taxonomy file, starting with the column names, and how it was read; None if it is text."""
    with translated(path, TaxonomyError), open_regular(path, TaxonomyError) as stream:
        parquet = stream.read(len(PARQUET)) == PARQUET
        workbook = is_workbook(stream)
    if workbook:
        return sheet_of(content_of(path), path).rows(), ("an Excel sheet",)
    if parquet:
        frame = whole(Source.of(path))
        return [tuple(frame.columns), *frame.rows()], (NAMED_COLUMNS,)
    return None

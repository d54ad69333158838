"""The kinds of quasi-identifiers that are no numbers: ordinal, nominal and hierarchical columns, as the user says them.

`--nominal a,b` are columns of names without an order. `--ordinal c` is a column of numbers of which only the order counts, and
`--ordinal "d=low|middle|high"` one of these texts, the lowest first. `--hierarchy e=FILE` is a column of nodes of a taxonomy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from shoal.data.hierarchy import Hierarchy
from shoal.data.items import A_FILE
from shoal.data.table import Attribute, AttributeKind
from shoal.errors import InputError, ParameterError
from shoal.io.read.options import ReadOptions
from shoal.io.read.taxonomies import read_taxonomy

NOMINAL, ORDINAL, HIERARCHIES = "nominal", "ordinal", "hierarchies"  # what a manifest calls them
KEYS = {"nominal": NOMINAL, "ordinal": ORDINAL, "hierarchical": HIERARCHIES}
NUMERIC: AttributeKind = "numeric"


@dataclass(frozen=True)
class ColumnKind:
    """What a column holds; `said` is what stands behind the equals sign: levels, or a file."""

    kind: AttributeKind = NUMERIC
    said: str = ""

    @property
    def of_numbers(self) -> bool:
        """Whether its cells must be numbers."""
        return self.kind == NUMERIC or (self.kind == "ordinal" and not self.said)

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels of an ordinal column of texts, from the lowest on."""
        return tuple(level.strip() for level in self.said.split("|")) if self.kind == "ordinal" and self.said else ()

    def told(self, name: str) -> str:
        """The column as a manifest has it; a file is not named."""
        behind = A_FILE if self.kind == "hierarchical" else self.said
        return f"{name}={behind}" if behind else name


def said_kinds(options: ReadOptions) -> Iterator[tuple[str, ColumnKind]]:
    """The columns that are said to be of another kind than numbers."""
    yield from ((name, ColumnKind("nominal")) for name in options.nominal)
    for word in options.ordinal:
        name, _, levels = word.partition("=")
        found = ColumnKind("ordinal", levels)
        if len(set(found.levels)) < len(found.levels) or "" in found.levels or (levels and len(found.levels) < 2):
            raise ParameterError(f"the levels of {name!r} are two or more different texts", hint=f'say --ordinal "{name}=low|middle|high"')
        yield name, found
    for word in options.hierarchy:
        name, _, file = word.partition("=")
        if not file:
            raise ParameterError(f"column {name!r} has no hierarchy", hint=f"say --hierarchy {name}=FILE", value=name)
        yield name, ColumnKind("hierarchical", file)


def attribute_of(name: str, kind: ColumnKind, cells: pl.Series, numbers: pl.Series) -> Attribute:
    """A quasi-identifier of this kind. Its cells have no defects."""
    if kind.of_numbers:
        return Attribute(name, kind.kind, numbers)
    return Attribute(name, kind.kind, cells.cast(pl.String), levels=kind.levels, hierarchy=hierarchy_of(kind))


def hierarchy_of(kind: ColumnKind) -> Hierarchy | None:
    """The hierarchy in the file that was named, where one was."""
    if kind.kind != "hierarchical":
        return None
    taxonomy = read_taxonomy(kind.said).taxonomy
    return Hierarchy(taxonomy.names, taxonomy.parent)


def foreign_cells(name: str, kind: ColumnKind, cells: pl.Series) -> tuple[str, pl.Series] | None:
    """Cells that are not among the levels or nodes of their column, and what to call them; None where any text will do."""
    if cells.dtype.is_nested():
        raise InputError(f"column {name!r} holds lists, and a quasi-identifier has one value a row")
    hierarchy = hierarchy_of(kind)
    known: Sequence[str] | pl.Series = kind.levels if hierarchy is None else hierarchy.names.names
    if kind.kind == "nominal":
        return None
    reason = "not a level" if hierarchy is None else "not in the hierarchy"
    return reason, ~cells.cast(pl.String).is_in(list(known)).fill_null(True)

"""A taxonomy as a file of edges, child and parent separated by a tab or in a Parquet table, which reads back as the same tree."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from shoal.data.taxonomy import Taxonomy
from shoal.errors import OutputError
from shoal.io.atomic_file import whole_file
from shoal.io.read.taxonomies import HEADER_WORDS, taxonomy_of_text

PARQUET = ".parquet"
ABOVE = ("parent", "above", "group", "parent node")


def edges_text(taxonomy: Taxonomy) -> str:
    """Return a header and one line for each node except the root. Raise if these lines would be read as another tree."""
    names = taxonomy.names.names.to_list()
    rows = [_header(names), *((names[node], names[up]) for node, up in enumerate(taxonomy.parent.tolist()) if up >= 0)]
    text = "".join("\t".join(map(_cell, row)) + "\n" for row in rows)
    found = taxonomy_of_text(text, "edges").taxonomy
    if found.names.names.to_list() != names or found.parent.tolist() != taxonomy.parent.tolist():
        raise OutputError(
            "the taxonomy has names that a file of edges cannot represent",
            code="value-not-writable",
            hint="rename the nodes that begin or end with blanks",
        )
    return text


def write_edges(taxonomy: Taxonomy, path: Path, *, force: bool = False) -> None:
    """Write the file of edges: compressed if its name ends in .gz, as a Parquet table if it ends in .parquet."""
    content = _edges_table(taxonomy) if path.suffix == PARQUET else edges_text(taxonomy).encode()
    with whole_file(path, force) as out:
        out.write(content)


def _edges_table(taxonomy: Taxonomy) -> bytes:
    names, packed = taxonomy.names.names, io.BytesIO()
    child, above = _header(names.to_list())
    pl.DataFrame({child: names[1:], above: names.gather(taxonomy.parent[1:])}).write_parquet(packed)
    return packed.getvalue()


def _header(names: list[str]) -> tuple[str, str]:
    """Return what the two columns are called: words that are read as a header and are not names of nodes."""
    child = next((word for word in HEADER_WORDS if word not in names), "")
    return child, next((word for word in ABOVE if word not in names), "")


def _cell(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if set(name) & set('"\t\n\r') else name

"""shoal taxonomy build: a hierarchy from a table of levels."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from shoal.cli import screen
from shoal.counting import counted
from shoal.data.column_list import ColumnNames
from shoal.io import partial_outputs as unfinished
from shoal.io.read.taxonomy_levels import read_levels
from shoal.io.release_directory import disk_errors, insist_apart, insist_outside_releases
from shoal.io.write.taxonomies import edges_text, write_edges
from shoal.taxonomy.levels import LevelTree


@click.command("build", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--levels", required=True, metavar="COLUMNS", help="From the highest to the items, as department,category,product.")
@click.option("--out", "-o", type=click.Path(path_type=Path), help="File of edges to write. [default: the output stream]")
@click.option("--sep", metavar="CHARACTER", help="What separates the columns of text.")
@click.option("--header/--no-header", default=None, help="Whether the first row names the columns; found out if left out.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def build(table: Path, levels: str, out: Path | None, sep: str | None, header: bool | None, force: bool) -> None:
    """Make a hierarchy from TABLE, which has a row for each item and a column for each level: CSV, TSV, Parquet or Excel.

    An item below several groups is placed below the lowest group that holds them all. Groups with one name get the name of the group
    above in brackets. All such conflicts are listed.
    """
    if out is not None:
        insist_apart(out, [table])
        insist_outside_releases(out.parent)
    found = read_levels(table, ColumnNames.parse(levels).names, sep=sep, header=header)
    screen.note(*found.notes)
    if out is None:
        screen.note(*(f"conflict: {conflict}" for conflict in found.conflicts))
        screen.content(edges_text(found.taxonomy))
        return
    screen.note(*unfinished.clear(out.parent))
    with disk_errors(str(out)):
        write_edges(found.taxonomy, out, force=force)
    _show(found, out)


def _show(found: LevelTree, out: Path) -> None:
    tree = found.taxonomy
    rows = [("nodes", f"{len(tree):,}"), ("leaves", f"{tree.n_leaves:,}"), ("height", f"{tree.height:,}"), ("root", tree.names[0])]
    screen.pairs(f"{out}: written", [*rows, ("conflicts", counted(len(found.conflicts), "name") if found.conflicts else "none")])
    if found.conflicts:
        screen.out.print()
        told = [(one.name, ", ".join(one.below), ", ".join(one.now)) for one in found.conflicts]
        screen.listing(["name", "stands below", "became"], told)
    screen.note(f"use it with --taxonomy {shlex.quote(str(out))}")

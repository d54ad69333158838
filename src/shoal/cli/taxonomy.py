"""shoal taxonomy: build, learn, check, draw and test a taxonomy."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli import screen
from shoal.cli.input_options import called, input_argument
from shoal.cli.options import WholeNumber, data_options, rare_option
from shoal.cli.taxonomy_learn import learn
from shoal.data.column_list import ColumnNames
from shoal.data.node_loss import DEFAULT_LOSS, OF_A_TREE
from shoal.util.wording import counted

if TYPE_CHECKING:
    from shoal.taxonomy.levels import LevelTree

# shoal taxonomy build: a taxonomy from a table of levels.

LISTED = 10  # conflicts that are listed one by one


@click.command("build", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("table", type=click.Path(path_type=Path))
@click.option(
    "--levels", required=True, metavar="COLUMNS", help="Level columns from the top down to the items, e.g. department,category,product."
)
@click.option("--out", "-o", type=click.Path(path_type=Path), help="Output file of edges. [default: standard output]")
@click.option("--sep", metavar="CHARACTER", help="Column separator of a text file.")
@click.option("--header/--no-header", default=None, help="Whether the first row has column names. [default: detected]")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--verbose", "-v", is_flag=True, help=f"List all conflicts, also if there are more than {LISTED}.")
def build(table: Path, levels: str, out: Path | None, sep: str | None, header: bool | None, force: bool, verbose: bool) -> None:
    """Build a taxonomy from TABLE, which has a row for each item and a column for each level: CSV, TSV, Parquet, JSON lines or Excel.

    An item with several parents is placed under their lowest common ancestor. Groups with the same name get the name of their parent
    in brackets. Such conflicts are listed, or summarised if there are many.
    """
    from shoal.io import partial_outputs as unfinished
    from shoal.io.read.taxonomy_levels import read_levels
    from shoal.io.release_directory import disk_errors, insist_apart, insist_outside_releases
    from shoal.io.write.taxonomy_file import edges_text, write_edges

    if out is not None:
        insist_apart(out, [table])
        insist_outside_releases(out.parent)
    level_tree = read_levels(table, ColumnNames.parse(levels).names, sep=sep, header=header)
    screen.note(*level_tree.notes)
    listed = verbose or len(level_tree.conflicts) <= LISTED
    if out is None:
        screen.note(*(f"conflict: {conflict}" for conflict in level_tree.conflicts if listed), *([] if listed else _summary(level_tree)))
        screen.content(edges_text(level_tree.taxonomy))
        return
    screen.note(*unfinished.clear(out.parent))
    with disk_errors(str(out)):
        write_edges(level_tree.taxonomy, out, force=force)
    _show(level_tree, out, listed=listed)


def _summary(levels: LevelTree) -> list[str]:
    from shoal.taxonomy.levels import summary_of

    return [*summary_of(levels.conflicts), f"{len(levels.conflicts):,} conflicts; --verbose lists all"]


def _show(levels: LevelTree, out: Path, *, listed: bool) -> None:
    tree = levels.taxonomy
    rows = [("nodes", f"{len(tree):,}"), ("leaves", f"{tree.n_leaves:,}"), ("height", f"{tree.height:,}"), ("root", tree.names[0])]
    screen.pairs(f"{out}: written", [*rows, ("conflicts", counted(len(levels.conflicts), "name") if levels.conflicts else "none")])
    if not listed:
        screen.note(*_summary(levels))
    elif levels.conflicts:
        screen.out.print()
        conflicts = [(one.name, ", ".join(one.below), ", ".join(one.now)) for one in levels.conflicts]
        screen.listing(["name", "parents", "placed"], conflicts)
    screen.note(f"use it with --taxonomy {shlex.quote(str(out))}")


_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group("taxonomy", context_settings=_HELP)
def command() -> None:
    """Build, learn, check, draw and test a taxonomy. A TAXONOMY is `wordnet`, or a file of edges, paths (`leaf;parent;...;root`) or nested
    JSON, a thesaurus in SKOS (Turtle or RDF/XML), or an ontology in OBO.
    """


command.add_command(build)
command.add_command(learn)


@command.command("check", context_settings=_HELP)
@click.argument("taxonomy")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(taxonomy: str, as_json: bool) -> None:
    """Validate a taxonomy and print its size. Cycles, nodes with two parents and multiple roots are reported."""
    from shoal.pipeline.options import load_taxonomy

    tree, notes = load_taxonomy(taxonomy, "lm")
    facts = {"nodes": len(tree), "leaves": tree.n_leaves, "height": tree.height, "root": tree.names[0]}
    if as_json:
        screen.as_json({**facts, "notes": list(notes)})
        return
    screen.note(*notes)
    screen.pairs(f"{taxonomy}: a tree", [(name, f"{v:,}" if isinstance(v, int) else str(v)) for name, v in facts.items()])


@command.command("show", context_settings=_HELP)
@click.argument("taxonomy")
@click.argument("node", required=False)
@click.option("--depth", type=WholeNumber(1), default=2, show_default=True, help="Number of levels to draw.")
@click.option("--limit", type=WholeNumber(1), default=20, show_default=True, help="Number of children to draw per node.")
@click.option("--node-loss", type=click.Choice(list(OF_A_TREE)), default=DEFAULT_LOSS, show_default=True, help="Loss function for nodes.")
def show(taxonomy: str, node: str | None, depth: int, limit: int, node_loss: str) -> None:
    """Draw the subtree of NODE (default: the root)."""
    from shoal.pipeline.options import load_taxonomy
    from shoal.taxonomy.tree_drawing import draw

    tree, notes = load_taxonomy(taxonomy, node_loss)
    lines = draw(tree, node, depth, limit)
    screen.note(*notes)
    screen.lines(*lines)


@command.command("coverage", context_settings=_HELP)
@click.argument("tried", metavar="TAXONOMY")
@input_argument
@data_options(without=("taxonomy",))
@click.option("--missing", "limit", type=WholeNumber(1), default=10, show_default=True, help="Number of missing items to list.")
@rare_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def covers(tried: str, input: Any, limit: int, show_rare: bool, as_json: bool, **options: Any) -> None:
    """Report how much of INPUT is covered by TAXONOMY, and list frequent items that it lacks.

    The list contains raw items of the input. Do not publish it. Items of fewer than 5 people are only counted.
    """
    from shoal.io.read.dispatch import read
    from shoal.pipeline.options import Preparation
    from shoal.pipeline.prepare import records_of, taxonomy_of
    from shoal.pipeline.request import parse_preparation
    from shoal.taxonomy.tree_drawing import FEW, coverage

    preparation = parse_preparation({**options, "taxonomy": tried}, Preparation())
    with screen.progress():
        reading = read(input, preparation.reading)
        screen.note(*reading.notes)
        records = records_of(reading.data, preparation).supported(preparation.min_support)
        tree, notes = taxonomy_of(records, preparation)
        screen.note(*notes)
        covered = coverage(records.folded, tree, limit, people=1 if show_rare else FEW)
    if as_json:
        screen.as_json(covered.__dict__)
        return
    rows = [
        ("items", f"{screen.share(covered.terms_covered, covered.terms)} of {covered.terms:,} are in the taxonomy"),
        ("occurrences", f"{screen.share(covered.occurrences_covered, covered.occurrences)} of {covered.occurrences:,}"),
        (
            "records",
            f"{covered.records_uncovered:,} of {covered.records:,} have no item in the taxonomy, {covered.records_empty:,} are empty",
        ),
    ]
    screen.pairs(f"Coverage of {called(input)} by {tried}", rows)
    if covered.missing:
        screen.out.print()
        screen.listing(["missing item", "occurrences"], [(name, f"{n:,}") for name, n in covered.missing])
    if covered.missing_rare:
        screen.note(f"{counted(covered.missing_rare, 'missing item')} of fewer than {FEW} people not listed; --show-rare lists them")

"""shoal taxonomy: build a hierarchy from a table, check it, draw a part of it, and see how much of a file it covers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli import screen
from shoal.cli.options import called, data_options, input_argument, rare_option
from shoal.cli.taxonomy_build import build
from shoal.counting import counted
from shoal.data.node_loss import DEFAULT_LOSS, LOSSES
from shoal.io.read.dispatch import read
from shoal.pipeline.options import Preparation, load_taxonomy
from shoal.pipeline.records import records_of
from shoal.pipeline.request import preparation
from shoal.taxonomy.tree_drawing import FEW, coverage, draw

_HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group("taxonomy", context_settings=_HELP)
def command() -> None:
    """Build, check, draw and try out a hierarchy: `wordnet`, or a file of edges, of paths `leaf;parent;...;root`, or nested JSON."""


command.add_command(build)


@command.command("check", context_settings=_HELP)
@click.argument("taxonomy")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def check(taxonomy: str, as_json: bool) -> None:
    """Read a hierarchy and say what it is; a cycle, two parents or two roots are named."""
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
@click.option("--depth", type=click.IntRange(1), default=2, show_default=True, help="Levels to draw.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Children to draw of each node.")
@click.option(
    "--node-loss", type=click.Choice(list(LOSSES)), default=DEFAULT_LOSS, show_default=True, help="What generalizing to a node costs."
)
def show(taxonomy: str, node: str | None, depth: int, limit: int, node_loss: str) -> None:
    """Draw the part of a hierarchy below NODE (the root by default)."""
    tree, notes = load_taxonomy(taxonomy, node_loss)
    lines = draw(tree, node, depth, limit)
    screen.note(*notes)
    screen.lines(*lines)


@command.command("coverage", context_settings=_HELP)
@click.argument("tried", metavar="TAXONOMY")
@input_argument
@data_options(without=("taxonomy",))
@click.option("--missing", "limit", type=click.IntRange(1), default=10, show_default=True, help="Missed items to list.")
@rare_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def covers(tried: str, input: tuple[Path, ...], limit: int, show_rare: bool, as_json: bool, **said: Any) -> None:
    """Say how much of INPUT a TAXONOMY covers, and which frequent items it misses.

    The list shows items of the input as they are: it is for you, not for publication. Items of fewer than 5 people are only counted.
    """
    how = preparation({**said, "taxonomy": tried}, Preparation())
    with screen.progress():
        reading = read(input, how.reading)
        screen.note(*reading.notes)
        bags = records_of(reading.data, how).folded
        tree, notes = load_taxonomy(tried, how.loss, bags.vocabulary)
        screen.note(*notes)
        found = coverage(bags, tree, limit, people=1 if show_rare else FEW)
    if as_json:
        screen.as_json(found.__dict__)
        return
    rows = [
        ("items", f"{screen.share(found.terms_covered, found.terms)} of {found.terms:,} are in the taxonomy"),
        ("occurrences", f"{screen.share(found.occurrences_covered, found.occurrences)} of {found.occurrences:,}"),
        ("records", f"{found.records_uncovered:,} of {found.records:,} have no item in the taxonomy, {found.records_empty:,} are empty"),
    ]
    screen.pairs(f"Coverage of {called(input)} by {tried}", rows)
    if found.missing:
        screen.out.print()
        screen.listing(["missed item", "occurrences"], [(name, f"{n:,}") for name, n in found.missing])
    if found.missing_rare:
        screen.note(f"{counted(found.missing_rare, 'missed item')} of fewer than {FEW} people not listed; --show-rare lists them")

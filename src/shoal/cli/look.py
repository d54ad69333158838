"""shoal look: show how an input is parsed and what it contains."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from shoal.cli import screen
from shoal.cli.input_options import called, input_argument
from shoal.cli.method_command import GroupedCommand, help_all_option
from shoal.cli.options import data_options, rare_option, threads_option
from shoal.util.wording import counted, percent

if TYPE_CHECKING:
    from shoal.pipeline.look import Example, Look, TaxonomyCoverage
    from shoal.taxonomy.item_catalogue import LevelFacts

WIDEST_ITEM = 60
OF_ROLE = {"quasi-identifier": "quasi-identifiers"}


GROUPS = {
    "Input": ("format", "user", "time", "text", "item", "record", "count", "whole"),
    "Privacy": ("per", "gap", "bag"),
    "Taxonomy": ("taxonomy", "items_table"),
    "Output": ("as_json", "help_all"),
}


@click.command(
    "look", cls=GroupedCommand, groups=GROUPS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@input_argument
@data_options()
@click.option("--all", "whole", is_flag=True, help="Read the whole file, also if it is large.")
@rare_option
@threads_option
@help_all_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(input: Any, whole: bool, show_rare: bool, threads: int | None, as_json: bool, **options: Any) -> None:
    """Show how INPUT is parsed: format, columns, people, records, coverage by a taxonomy, and three raw records, in which user IDs and
    values of fewer than 5 people are hidden. Writes nothing. Do not publish this output.
    """
    from shoal.pipeline.look import look
    from shoal.pipeline.options import Preparation
    from shoal.pipeline.request import parse_preparation

    preparation = parse_preparation(options, Preparation.of_format(options["format"]).following_data())
    with screen.progress(threads):
        preview = look(input, preparation, whole=whole, show_rare=show_rare)
    screen.note(*preview.notes, *(f"left out: {line}" for line in preview.defects))
    if as_json:
        screen.as_json(preview.as_dict())
    else:
        screen.pairs(f"{called(input)}: {_extent(preview)}", _rows(preview))
        if preview.levels:
            _show_levels(preview.levels)


def _show_levels(levels: Sequence[LevelFacts]) -> None:
    """Print a line for each level of the items table: the result of publishing items at this level."""
    fewest = levels[0].fewest
    screen.out.print()
    rows = [(_typed(one.level), f"{one.items:,}", f"{one.people:,.0f}", percent(one.shared)) for one in levels]
    screen.listing(["level", "distinct items", "people per item (median)", f"shared by {fewest} people"], rows)
    screen.note(f"shared by {fewest} people: share of the occurrences whose item at least {fewest} people have")


def _typed(level: str | None) -> str:
    return "the items" if level is None else f"--item-level {shlex.quote(level)}"


def _extent(look: Look) -> str:
    if look.part >= 1:
        return "nothing was written"
    share = f"{percent(look.part, 0)} of the file; " if look.part else ""
    return f"the first {look.rows['in']:,} rows ({share}--all reads the rest)"


def _rows(look: Look) -> list[tuple[str, str]]:
    largest = look.largest_owner
    used = look.rows["used"]
    item = _counted_item if look.protects else _cell
    return [
        ("format", look.format),
        *_columns(look),
        ("rows", screen.ledger_line(look.rows)),
        ("people", f"{look.people:,}"),
        *_records(look),
        (
            "largest user",
            f"{screen.share(largest.rows, used)} of the used rows and {screen.share(largest.records, look.records)} of the records",
        ),
        *(_known(look.known) if look.known else ()),
        *((f"--per {per}" if per != "record" else "--record", words) for per, words in look.protects.items()),
        *((f"example {n + 1}", _example(pairs, look.more[n], look.rare[n], item)) for n, pairs in enumerate(look.examples)),
    ]


def _columns(look: Look) -> list[tuple[str, str]]:
    """Return the column of each role or, for rows of a table, the columns of each role."""
    if look.protects:
        return [("columns", ", ".join(f"{role} = {name!r}" for role, name in look.columns.items()))] if look.columns else []
    names: dict[str, list[str]] = {}
    for name, role in look.columns.items():
        names.setdefault(role, []).append(repr(name))
    return [(OF_ROLE.get(role, role), ", ".join(columns)) for role, columns in names.items()]


def _records(look: Look) -> list[tuple[str, str]]:
    if not look.protects:  # rows of a table
        return []
    mean = look.occurrences / max(1, look.records)
    return [("records", f"{look.records:,} with {mean:,.1f} item occurrences on average; {counted(look.items, 'distinct item')}")]


def _known(known: TaxonomyCoverage) -> list[tuple[str, str]]:
    from shoal.pipeline.prepare import FITTING

    text = (
        f"{known.taxonomy} covers {screen.share(known.items_known, known.items)} of the items, "
        f"{screen.share(known.occurrences_known, known.occurrences)} of their occurrences"
    )
    return [("taxonomy", text), *([("", f"too few: anonymize rejects it; {FITTING}")] if known.refused else [])]


def _example(pairs: Example, more: int, rare: int, shown: Callable[[str, str], str]) -> str:
    left_out = [f"{more:,} more"] if more else []
    left_out += [f"{counted(rare, 'rare item')} hidden (--show-rare)"] if rare else []
    parts = [*(shown(*pair) for pair in pairs), *left_out]
    return ", ".join(parts[:-1]) + " and " + parts[-1] if left_out and len(parts) > 1 else ", ".join(parts)


def _counted_item(name: str, times: str) -> str:
    short = name if len(name) <= WIDEST_ITEM else name[: WIDEST_ITEM - 3] + "..."
    return short if times == "1" else f"{short} x {times}"


def _cell(column: str, value: str) -> str:
    return f"{column} = {value}"

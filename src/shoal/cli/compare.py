"""shoal compare: every method at every setting on the same data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import click

from shoal.api.rerun_command import Making, making
from shoal.cli import screen
from shoal.cli.config import config_option
from shoal.cli.config_command import ConfigCommand
from shoal.cli.options import DATA_PARAMETERS, called, data_options, input_argument, patience_option
from shoal.counting import counted, percent
from shoal.data.log import Per
from shoal.data.patience import allowing
from shoal.errors import ParameterError
from shoal.evaluate.compare.grid import DEFAULT_K, DEFAULT_KNOWN, Asked, Cell, Left, Named, grid
from shoal.evaluate.compare.options import prepared_for
from shoal.evaluate.compare.run import Comparison, Row, compare
from shoal.evaluate.compare.table import as_frame
from shoal.evaluate.compare.worst_attack import IN_FACT, NOT_ATTACKED, SEVERE, Effort
from shoal.io.comparison_files import CellFiles
from shoal.io.release_directory import insist_apart
from shoal.kernels import threads as all_threads
from shoal.pipeline.options import Preparation
from shoal.report.alarms import WARNINGS
from shoal.report.comparison import Shown, insist_on_extra, render_comparison

TABLE, PAGE = "comparison.parquet", "comparison.html"
GRAINS = ("user", "session", "event")
_COMMA = re.compile(",")
_OUTSIDE = re.compile(r",(?![^()]*\))")  # a comma that stands in no parentheses


@click.command("compare", cls=ConfigCommand, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@input_argument
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Directory of the comparison; a killed one goes on there.")
@click.option("--methods", metavar="A,B(...),C", help="Perhaps with parameters. [default: those worth comparing]")
@click.option("--k", "-k", "ks", metavar="2,5,...", help=f"[default: {','.join(map(str, DEFAULT_K))}]")
@click.option("--m", "known", metavar="1,2,...", help=f"Items that an attacker may know. [default: {','.join(map(str, DEFAULT_KNOWN))}]")
@click.option("--per", "grains", metavar="user,session,event", help="What becomes one record. [default: user]")
@click.option("--jobs", type=click.IntRange(1), help="Cells worked on at a time. [default: as many as there are cores]")
@click.option("--targets", type=click.IntRange(1), default=200, show_default=True, help="People attacked in each cell.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="By which they are drawn.")
@data_options(without=("per",))
@patience_option
@config_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    input: tuple[Path, ...],
    out: Path,
    methods: str | None,
    ks: str | None,
    known: str | None,
    grains: str | None,
    jobs: int | None,
    targets: int,
    seed: int,
    patience: float | None,
    as_json: bool,
    **said: Any,
) -> None:
    """Work on INPUT with every method at every setting, and lay down a page and a table that show what each keeps and gives away.

    Cells that are finished are not worked on again: a comparison that was killed goes on where it ended.
    """
    asked = Asked(_methods(methods), _numbers("k", ks, DEFAULT_K, 2), _numbers("m", known, DEFAULT_KNOWN, 1), _grains(grains))
    typed = {**dict.fromkeys(DATA_PARAMETERS), **said}

    def how(cell: Cell) -> Preparation:
        return prepared_for(cell, typed)

    chosen = grid(asked).where(how)
    insist_on_extra()
    files = CellFiles(out)
    files.check()
    insist_apart(out, input)
    screen.note(*files.clear(), *map(_told, chosen.left))
    with allowing(patience), screen.progress():
        found = compare(input, chosen.cells, how, files, Effort(targets, seed), jobs or all_threads())
    notes = _notes(found, chosen.left)
    rows = [*found.rows, *(Row(Cell(one.method, (), GRAINS[0]), {"refused": f"it {one.why}"}) for one in chosen.left)]
    files.write_table(TABLE, as_frame(rows))
    files.write(PAGE, render_comparison(f"Comparison of {called(input)}", [_shown(row, input, said) for row in rows], notes).encode())
    screen.note(*notes)
    if as_json:
        screen.as_json([{"method": r.cell.method, **dict(r.cell.settings), "per": r.cell.per, **r.found} for r in rows])
    else:
        show(rows, out)


def show(rows: Sequence[Row], out: Path) -> None:
    """The main numbers of every cell."""
    columns = ["release", "per", "as typed", "within a level", "patterns", "error of pairs", "worst attack, at most", "seconds"]
    screen.listing(columns, [_line(row) for row in rows])
    screen.alarm(*(f"{row.cell.label}, per {row.cell.per}: {warning}" for row in rows for warning in _warnings(row)))
    screen.lines("", f"open {out / PAGE}")


def _line(row: Row) -> list[str]:
    if "refused" in row.found:
        return [row.cell.label, row.cell.per, f"not there: {row.found['refused']}", *[""] * 5]
    shares = [_share(row.found.get(name)) for name in ("kept", "one_level", "pattern_recall", "count_error_2")]
    attack = "not attacked" if NOT_ATTACKED in row.found else _share(row.found.get("attack_high"))
    return [row.cell.label, row.cell.per, *shares, attack, f"{row.found['seconds']:.1f}"]


def _warnings(row: Row) -> list[str]:
    """What makes a release dangerous although its claims hold."""
    return [*row.found.get(WARNINGS, ()), *([f"most people can be found: {row.found[IN_FACT]}"] if SEVERE in row.found else [])]


def _share(value: float | None) -> str:
    return "" if value is None else percent(value)


def _notes(found: Comparison, left: Sequence[Left]) -> list[str]:
    refused = sum("refused" in row.found for row in found.rows)
    notes = [f"{counted(len(found.rows), 'cell')}: {found.resumed:,} were there already, {refused:,} could not be made"]
    if found.preparing:
        notes.append(f"reading and preparing took {found.preparing:.1f} processor seconds, once for all cells")
    if not any(name in row.found for row in found.rows for name in ("completion", "next_item", "no_forecast")):
        notes.append("nothing was tried on a later period: the input tells no times, or too few rows with them")
    return [*notes, *map(_told, left)]


def _told(one: Left) -> str:
    return f"{one.method} is not compared: it {one.why}"


def _shown(row: Row, input: Sequence[Path], said: dict[str, Any]) -> Shown:
    """A row with the command and the config file that make its release."""
    made = Making("", "") if "refused" in row.found else making(row.cell, input, said)
    return Shown(row.cell.method, row.cell.label, row.cell.per, row.found, made.command, made.config)


def _methods(text: str | None) -> tuple[Named, ...]:
    """Methods with commas between them, each perhaps with parameters in parentheses."""
    return tuple(Named.read(piece) for piece in _names("methods", text, _OUTSIDE))


def _names(option: str, text: str | None, between: re.Pattern[str] = _COMMA) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(name.strip() for name in between.split(text) if name.strip())) if text is not None else ()
    if text is not None and not found:
        raise ParameterError(f"--{option} names nothing", hint="leave it out, or name some with commas between them")
    return found


def _numbers(option: str, text: str | None, otherwise: tuple[int, ...], least: int) -> tuple[int, ...]:
    if text is None:
        return otherwise
    try:
        found = sorted({int(piece) for piece in text.split(",")})
    except ValueError:
        raise ParameterError(f"--{option} is a list of whole numbers such as 2,5,10, not {text!r}", value=text) from None
    if found[0] < least:
        raise ParameterError(f"--{option} must be at least {least}, not {found[0]}", value=found[0])
    return tuple(found)


def _grains(text: str | None) -> tuple[Per, ...]:
    found = _names("per", text) or GRAINS[:1]
    for name in found:
        if name not in GRAINS:
            raise ParameterError(f"--per is of {', '.join(GRAINS)}, not {name!r}", value=name)
    return cast(tuple[Per, ...], found)

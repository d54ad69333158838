"""shoal compare: every method at every setting on the same data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from shoal.cli import screen
from shoal.cli.config import config_option
from shoal.cli.config_command import ConfigCommand
from shoal.cli.input_options import called, files_argument
from shoal.cli.options import DATA_PARAMETERS, WholeNumber, data_options, patience_option
from shoal.data.patience import allowing
from shoal.errors import ParameterError
from shoal.evaluate.option_defaults import (
    DEFAULT_K,
    DEFAULT_KNOWN,
    DEFAULT_SECONDS,
    GRAINS,
    NOT_ATTACKED,
    QUICK_K,
    QUICK_KNOWN,
    QUICK_PEOPLE,
    QUICK_SECONDS,
    QUICK_TARGETS,
)
from shoal.kernels import threads as all_threads
from shoal.util.wording import counted, percent

if TYPE_CHECKING:
    from shoal.data.log import Per
    from shoal.evaluate.compare.grid import NamedMethod
    from shoal.evaluate.compare.run_cells import CellRow

OF_RECORDS = {"kept": "as typed", "one_level": "renamed or one level up", "pattern_recall": "patterns", "count_error_2": "pair error"}
OF_TABLES = {
    "detail_kept": "detail kept",
    "attribute_detail": "attribute detail",
    "items_kept": "items as typed",
    "value_rate": "values guessed",
}
_COMMA = re.compile(",")
_OUTSIDE = re.compile(r",(?![^()]*\))")  # a comma outside parentheses


@click.command("compare", cls=ConfigCommand, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@files_argument
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Output directory; an interrupted comparison resumes there.")
@click.option("--methods", metavar="A,B(...),C", help="Methods, optionally with parameters. [default: a selection]")
@click.option("--k", "-k", "ks", metavar="2,5,...", help=f"Values of k. [default: {','.join(map(str, DEFAULT_K))}]")
@click.option(
    "--m",
    "known",
    metavar="1,2,...",
    help=f"Values of m (p of coherence), the number of items known to an attacker. [default: {','.join(map(str, DEFAULT_KNOWN))}]",
)
@click.option("--per", "grains", metavar="user,session,event", help="What makes up one record. [default: user, or session for access logs]")
@click.option("--jobs", type=WholeNumber(1), help="Number of parallel jobs. [default: all cores]")
@click.option("--targets", type=WholeNumber(1), help="Number of people attacked per release. [default: 200]")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, help="Random seed for drawing these people.")
@click.option(
    "--quick",
    is_flag=True,
    help=f"Use a sample of {QUICK_PEOPLE:,} people, k = 5, m = 2 and {QUICK_TARGETS} targets, unless other values are given.",
)
@click.option(
    "--run-seconds",
    type=WholeNumber(1),
    help="Time limit of one run; a run that takes longer is stopped and listed as such. "
    f"[default: {DEFAULT_SECONDS}, or {QUICK_SECONDS} with --quick]",
)
@data_options(without=("per",))
@patience_option
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    input: tuple[Path, ...],
    out: Path,
    methods: str | None,
    ks: str | None,
    known: str | None,
    grains: str | None,
    jobs: int | None,
    targets: int | None,
    seed: int,
    quick: bool,
    run_seconds: int | None,
    patience: float | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Run methods with several settings on INPUT, and write a page and a table that compare their utility and disclosure risk.

    Finished runs are not repeated: an interrupted comparison resumes where it stopped.
    """
    from shoal.api.rerun_command import making
    from shoal.evaluate.compare.comparison import ComparisonTask
    from shoal.evaluate.compare.grid import ComparisonRequest
    from shoal.evaluate.compare.worst_attack import AttackEffort

    few = (QUICK_K, QUICK_KNOWN) if quick else (DEFAULT_K, DEFAULT_KNOWN)
    request = ComparisonRequest(_methods(methods), _numbers("k", ks, few[0], 2), _numbers("m", known, few[1], 1), _grains(grains))
    effort = AttackEffort(targets or (QUICK_TARGETS if quick else AttackEffort.targets), seed)
    typed = {**dict.fromkeys(DATA_PARAMETERS), **options}

    task = ComparisonTask(input, request, typed, out, called(input), making)
    screen.note(*task.notes)
    on_estimate = screen.estimate_callback("the comparison takes", "" if quick else "--quick compares a sample")
    with allowing(patience), screen.progress():
        done = task.run(effort, jobs or all_threads(), quick=quick, seconds=run_seconds, on_estimate=on_estimate)
    rows = done.rows
    screen.note(*done.notes)
    if as_json:
        screen.as_json([{"method": r.cell.method, **dict(r.cell.settings), "per": r.cell.per, **r.found} for r in rows])
    else:
        show(rows, out)


def show(rows: Sequence[CellRow], out: Path) -> None:
    """Print the main numbers of every cell."""
    from shoal.evaluate.compare.comparison import PAGE
    from shoal.report.alarms import alarms_of_compared
    from shoal.report.comparison_charts import utility_of

    utility = utility_of([row.found for row in rows])
    of_tables = {name: words for name, words in OF_TABLES.items() if any(name in row.found for row in rows)}
    numbers = OF_RECORDS if utility.name == "kept" else of_tables
    columns = ["release", "per", *numbers.values(), "strongest attack", "seconds"]
    screen.listing(columns, [_line(row, list(numbers)) for row in rows])
    screen.alarm(
        *group_warnings([(f"{row.cell.label}, per {row.cell.per}", text) for row in rows for text in alarms_of_compared(row.found)])
    )
    screen.lines("", f"report: {out / PAGE}")


def group_warnings(warnings: Sequence[tuple[str, str]]) -> list[str]:
    """Warnings about releases in a line for each kind; those that differ only in their numbers are of one kind."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for name, text in warnings:
        kinds.setdefault(re.sub(r"\d[\d.,]*", "0", text.partition(":")[0]), []).append((name, text))
    return [f"{same[0][0]}{_and_others(len(same) - 1)}: {same[0][1]}" for same in kinds.values()]


def _and_others(number: int) -> str:
    return f" and {counted(number, 'other release')}, which the report names" if number else ""


def _line(row: CellRow, numbers: Sequence[str]) -> list[str]:
    if "refused" in row.found:
        return [row.cell.label, row.cell.per, f"not available: {row.found['refused']}", *[""] * (len(numbers) + 1)]
    shares = [_share(row.found.get(name)) for name in numbers]
    attack = "not attacked" if NOT_ATTACKED in row.found else _share(row.found.get("attack_high"))
    return [row.cell.label, row.cell.per, *shares, attack, f"{row.found['seconds']:.1f}"]


def _share(value: float | None) -> str:
    return "" if value is None else percent(value)


def _methods(text: str | None) -> tuple[NamedMethod, ...]:
    """Parse comma-separated methods, each with optional parameters in parentheses."""
    from shoal.evaluate.compare.grid import NamedMethod

    return tuple(NamedMethod.read(piece) for piece in _names("methods", text, _OUTSIDE))


def _names(option: str, text: str | None, between: re.Pattern[str] = _COMMA) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in between.split(text) if name.strip())) if text is not None else ()
    if text is not None and not names:
        raise ParameterError(f"--{option} is empty", code="empty-list", hint="leave it out, or give a comma-separated list")
    return names


def _numbers(option: str, text: str | None, otherwise: tuple[int, ...], least: int) -> tuple[int, ...]:
    if text is None:
        return otherwise
    try:
        values = sorted({int(piece) for piece in text.split(",")})
    except ValueError:
        raise ParameterError(
            f"--{option} is a list of whole numbers such as 2,5,10, not {text!r}", code="unreadable-value", value=text
        ) from None
    if values[0] < least:
        raise ParameterError(f"--{option} must be at least {least}, not {values[0]}", code="out-of-range", value=values[0])
    return tuple(values)


def _grains(text: str | None) -> tuple[Per, ...]:
    units = _names("per", text)
    for name in units:
        if name not in GRAINS:
            raise ParameterError(f"--per must be one of {', '.join(GRAINS)}, not {name!r}", code="unknown-choice", value=name)
    return cast("tuple[Per, ...]", units)

"""shoal advise: propose commands for a file and a goal."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli import screen
from shoal.cli.input_options import called, input_argument, typed_input
from shoal.cli.method_command import GroupedCommand, help_all_option
from shoal.cli.options import Number, WholeNumber, data_options, threads_option
from shoal.errors import ParameterError
from shoal.evaluate.advise.goals import GOALS, MOST_SECONDS, SECONDS
from shoal.util.wording import counted, duration

if TYPE_CHECKING:
    from shoal.evaluate.advise.advise import Advice, GoalAdvice, MeasuredRoute

GROUPS = {
    "Goal": ("goal", "k", "seconds"),
    "Input": ("format", "user", "time", "text", "item", "record", "count", "sep", "header"),
    "Tables of people": ("quasi", "nominal", "keep_column", "drop_column"),
    "Taxonomy": ("taxonomy", "items_table", "item_level"),
    "Output": ("as_json", "help_all"),
}
RELEASE = "release"
NO_CATEGORIES = "no taxonomy covers these items; with a product table, their types and categories are tried as well"
LONGER = 3  # times the seconds that were too few, to be proposed
SWITCHES = {"bag": ("--bag", "--set"), "header": ("--header", "--no-header"), "strict": ("--strict", "")}


def _complete_goals(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete names of goals in the shell."""
    return [name for name in GOALS if name.startswith(incomplete)]


@click.command(
    "advise", cls=GroupedCommand, groups=GROUPS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@input_argument
@click.option("--for", "goal", metavar="GOAL", shell_complete=_complete_goals, help=f"{', '.join(GOALS)}. [default: all that fit the data]")
@click.option("--k", "-k", type=WholeNumber(2), help="Minimum number of people per published record. [default: that of each method]")
@click.option("--seconds", type=Number(1, MOST_SECONDS), default=SECONDS, show_default=True, help="Time for all trials together.")
@data_options()
@threads_option
@help_all_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(input: Any, goal: str | None, k: int | None, seconds: float, threads: int | None, as_json: bool, **options: Any) -> None:
    """Propose how to publish INPUT: at most three commands (routes) for a goal, best first, each tried on a sample. Writes nothing.

    For each command it shows what is protected and what is not, how much of the data it keeps, the share of people that an attacker would
    find, and how long the command will take.
    """
    from shoal.evaluate.advise.advise import advise

    if math.isnan(seconds):
        raise ParameterError("seconds must be a number, not nan", code="out-of-range", value="nan")
    with screen.progress(threads):
        advice = advise(input, options, goal, k, seconds=seconds)
    screen.note(*advice.notes)
    if as_json:
        screen.as_json(with_commands(advice, input))
        return
    screen.lines(f"{called(input)}: {advice.facts.words}")
    for one in advice.goals:
        screen.lines("", f"{one.goal.name}: {one.goal.wish}", *_route_lines(one, input, whole=goal is not None))
    late = sum(one.late for one in advice.goals)
    if late:
        longer = min(LONGER * seconds, MOST_SECONDS)
        screen.lines(
            "", f"{counted(late, 'route')} could not be measured well enough in {duration(seconds)}; --seconds {longer:g} gives more time"
        )
    if advice.without_categories:
        screen.lines("", f"{NO_CATEGORIES}: --items-table FILE")
    if goal is None and len(advice.goals) > 1:
        screen.lines("", f"all routes to one goal: shoal advise {shlex.join(typed_input(input))} --for {advice.goals[0].goal.name}")


def with_commands(advice: Advice, input: Any) -> dict[str, Any]:
    """Return the advice as JSON values, with the command of each route."""
    content = advice.as_dict()
    for goal, one in zip(content["goals"], advice.goals, strict=True):
        for route, measured in zip(goal["routes"], one.routes, strict=True):
            route["command"] = command_of(measured, input)
        if one.masking is not None:
            goal["without_guarantee"]["command"] = _mask_command(input)
    return content


def command_of(route: MeasuredRoute, input: Any) -> str:
    """Return the complete command of a route."""
    words = ["shoal", "anonymize", *typed_input(input), *_typed(route.options), "--method", route.candidate.method, *_typed(route.settings)]
    return shlex.join([*words, "--out", _free_name(Path(RELEASE))])


def _mask_command(input: Any) -> str:
    return shlex.join(["shoal", "mask", *typed_input(input), "--out", _free_name(Path("masked.log"))])


def _typed(options: Mapping[str, Any]) -> Iterator[str]:
    """Format options as they are typed."""
    for name, value in options.items():
        if isinstance(value, bool):
            yes, no = SWITCHES[name]
            yield from [yes if value else no] if (yes if value else no) else []
            continue
        for one in value if isinstance(value, (tuple, list)) else [value]:
            yield from (f"--{name.replace('_', '-')}", str(one))


def _free_name(path: Path) -> str:
    """Return a file name that is not in use: release, release-2, ...; masked.log, masked-2.log, ..."""
    number, free = 2, path
    while free.exists():
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return str(free)


def _route_lines(one: GoalAdvice, input: Any, *, whole: bool) -> Iterator[str]:
    """Format the routes to a goal as lines: all of them, or only the best."""
    from shoal.evaluate.advise.advise import AUDIT

    if one.goal.name == AUDIT:
        yield f"  shoal audit {shlex.join(map(str, input)) if isinstance(input, tuple) else 'FILE'}"
        yield "     shows  the largest k against an attacker who knows 1, 2, 3, ... items or a whole record"
        return
    shown = one.routes if whole else one.routes[:1]
    for number, route in enumerate(shown):
        assert route.found.expected_seconds is not None
        yield f"  {number + 1}. {command_of(route, input)}"
        yield f"     why            {route.why}"
        yield f"     protects       {route.protects}"
        yield f"     limits         {route.open}"
        yield f"     keeps          {route.left}"
        yield f"     risk           {route.risk}"
        yield f"     time           about {duration(route.found.expected_seconds)}; {_measured_on(route)}"
    if not shown:
        yield "  no route can be recommended"
    if one.masking is not None:
        yield f"  WITHOUT A GUARANTEE: {_mask_command(input)}"
        yield f"     limits         {one.masking.not_protected}"
        yield f"     risk           {one.masking.risk_text}; measured on {counted(one.masking.people, 'visitor')}"
    if whole or not shown:
        yield from _not_offered(one.others)


def _not_offered(routes: Sequence[MeasuredRoute]) -> Iterator[str]:
    """Format the routes that are not offered, those with the same reason in one line."""
    reasons: dict[str, list[str]] = {}
    for route in routes:
        reasons.setdefault(route.why_not, []).append(_named(route))
    yield from (f"  not offered: {', '.join(names)}: {why}" for why, names in reasons.items())


def _named(route: MeasuredRoute) -> str:
    level = {} if route.level is None else {"item_level": route.level}
    return " ".join([route.candidate.method, *_typed(level), *_typed(route.candidate.options), *_typed(route.candidate.settings)])


def _measured_on(route: MeasuredRoute) -> str:
    people = counted(route.found.people, "person", "people")
    return f"measured on all {people}" if route.found.whole else f"measured on a sample of {people}"

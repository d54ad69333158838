"""Suggested commands: the typed command with some options changed, complete and ready to run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from shoal.cli.input_options import shown_command
from shoal.cli.method_command import shared_by_most
from shoal.cli.options import method_options, method_parameters
from shoal.errors import ShoalError
from shoal.io.read.options import ReadOptions
from shoal.io.read.paths import STDIN
from shoal.pipeline.claims import claims_for
from shoal.pipeline.options import Preparation
from shoal.pipeline.request import chosen_method, parse_preparation

if TYPE_CHECKING:
    from shoal.evaluate.advise.changes import Change
    from shoal.evaluate.advise.trial import Route

OF_ADVICE = (
    "input",
    *ReadOptions.__dataclass_fields__,
    "keep_column",
    "drop_column",
    *("sql", "source"),
    *("taxonomy", "items_table", "item_level", "items_key", "items_name", "items_levels"),
    "method_k",
)  # the options of `shoal advise`
EXPLICIT = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)  # typed, or in a file of options
ONCE = ("private_report", "force")  # about one place
PLACE = "out"


def advise_command(ctx: click.Context) -> str:
    """Return the `shoal advise` command for the same data; empty if the data can be read only once."""
    if STDIN in map(str, ctx.params["input"]):
        return ""
    words = ["shoal", "advise"]
    for parameter in ctx.command.get_params(ctx):
        name = str(parameter.name)
        if name in OF_ADVICE and name in ctx.params and ctx.get_parameter_source(name) in EXPLICIT:
            words += _typed(parameter, ctx.params[name])
    return shown_command(words)


def with_change(ctx: click.Context, change: Change) -> tuple[str, Route] | None:
    """Return the command that makes the release with this change in a new directory, and its route; None if it would be rejected."""
    words = list(_words(ctx, change))
    route = _understood(ctx, words)
    return None if route is None else (shown_command([*ctx.command_path.split(), *words]), route)


def _words(ctx: click.Context, change: Change) -> Iterator[str]:
    out = Path(str(ctx.params[PLACE]))
    changed = {**change.options, PLACE: str(out.with_name(f"{out.name}-{change.label}"))}
    dropped = {*change.without, *change.options, *ONCE, PLACE, *(_of_the_method(ctx) if "method" in change.options else ())}
    for parameter in ctx.command.get_params(ctx):
        name = str(parameter.name)
        if name not in dropped and name in ctx.params and ctx.get_parameter_source(name) in EXPLICIT:
            yield from _typed(parameter, ctx.params[name])
    options = {str(parameter.name): parameter for parameter in ctx.command.params}
    for name, value in changed.items():
        yield from _typed(options[name], value)
    for name, value in change.settings.items():
        yield from (f"--{name.replace('_', '-')}", value)


def _of_the_method(ctx: click.Context) -> set[str]:
    """Return the options of the chosen method that another method may lack or interpret differently."""
    shared = {option.name for option in shared_by_most()}
    return {str(option.name) for option in method_options(ctx.params["method"])} - {str(name) for name in shared}


def _typed(parameter: click.Parameter, value: Any) -> Iterator[str]:
    """Format one parameter as it is typed."""
    if isinstance(parameter, click.Argument):
        yield from map(str, value if isinstance(value, (tuple, list)) else [value])
        return
    long = [max(names, key=len) for names in (parameter.opts, parameter.secondary_opts) if names]
    if isinstance(value, bool):
        yield from long[:1] if value else long[1:]
        return
    for one in value if isinstance(value, (tuple, list)) else [value]:
        yield from (long[0], str(one))


def _understood(ctx: click.Context, words: list[str]) -> Route | None:
    """Return the route for these options; None if they contradict each other. Only files that they name are read."""
    from shoal.evaluate.advise.trial import Route

    try:
        options = ctx.command.make_context(ctx.info_name, list(words)).params
        chosen = chosen_method(options["method"], method_parameters(options))
        preparation = parse_preparation(dict(options), base=Preparation.default_for(chosen))
        return Route(chosen, preparation, further=claims_for(chosen, options["claim"]))
    except (ShoalError, click.ClickException):
        return None

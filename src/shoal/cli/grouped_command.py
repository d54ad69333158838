"""A command whose common options are shown in groups, on one screen; `--help-all` describes the others too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from shoal.cli import screen

_EVERYTHING = f"{__name__}.everything"
_NARROWEST_NAMES = 30  # columns for the names of options, which is what click gives them
OTHER = "Other"


class GroupedCommand(click.Command):
    """`groups` are headings and the parameters below each. All others are named, and described by `--help-all`."""

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]], **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self._groups = groups

    def described(self, ctx: click.Context) -> list[click.Parameter]:
        """The parameters that the help is about."""
        return self.get_params(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The common options, each under its heading, and the names of the others."""
        by_name = {str(parameter.name): parameter for parameter in self.described(ctx)}
        shown = {heading: [by_name[name] for name in below if name in by_name] for heading, below in self._groups.items()}
        common = {str(parameter.name) for below in shown.values() for parameter in below}
        rest = [parameter for name, parameter in by_name.items() if name not in common and isinstance(parameter, click.Option)]
        asking = [parameter for parameter in rest if parameter is self.get_help_option(ctx)]
        rest = [parameter for parameter in rest if parameter not in asking]
        shown[list(shown)[-1]] += asking
        if ctx.meta.get(_EVERYTHING):
            shown[OTHER] = [*rest]
        for heading, parameters in shown.items():
            write_section(ctx, formatter, heading, parameters)
        if not ctx.meta.get(_EVERYTHING):
            names = ", ".join(max(option.opts, key=len) for option in rest)
            formatter.write_paragraph()
            formatter.write_text(f"More options, described by `--help-all`: {names}.")


def _tell_everything(ctx: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        ctx.meta[_EVERYTHING] = True
        screen.lines(*ctx.get_help().splitlines())
        ctx.exit()


help_all_option = click.option(
    "--help-all", is_flag=True, is_eager=True, expose_value=False, callback=_tell_everything, help="Describe all options, and exit."
)


def write_section(ctx: click.Context, formatter: click.HelpFormatter, heading: str, parameters: Sequence[click.Parameter]) -> None:
    """Options and what they mean, below a heading."""
    rows = [row for p in parameters if isinstance(p, click.Option) and (row := p.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(heading):
            formatter.write_dl(rows, col_max=max(_NARROWEST_NAMES, formatter.width * 2 // 5))

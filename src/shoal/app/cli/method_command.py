"""A command whose options depend on the method that is chosen: its own, and those that this method declares.

The same name may mean different things in two methods, so that there is no one list of all options. The method is found first, among
what is typed and what a file of options says; then the rest is parsed with the options of that method.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from shoal.app.cli.config import Settings
from shoal.app.cli.options import method_options, takers
from shoal.errors import ParameterError, ShoalError
from shoal.methods import METHODS

TYPED = f"{__name__}.typed"
_CHOSEN = f"{__name__}.chosen"
_ASKED = f"{__name__}.asked"
_NARROWEST_NAMES = 30  # columns for the names of options, which is what click gives them
_CLOSE = 0.8  # the dashes make any two options somewhat alike
OTHER = "Other"


class MethodCommand(click.Command):
    """Parses and explains the options of the chosen method, besides the command's own, which are shown in groups.

    `groups` are headings and the parameters below each; the method's options come under the heading of the parameter `method`.
    """

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]], **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self._groups = groups

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, and the options of the chosen method once it is known."""
        own = super().get_params(ctx)
        return [*own, *method_options(ctx.meta[_CHOSEN])] if _CHOSEN in ctx.meta else own

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the method, then parse with its options; an option of another method is refused by the name of both."""
        ctx.meta[TYPED] = tuple(args)
        typed = self._own_options(ctx, args)
        settings = self._settings(ctx, typed.get("config"))
        asked = typed["method"] if "method" in typed else settings.one("method")
        name = next(iter(METHODS)) if asked is None else asked
        if name not in METHODS and ctx.resilient_parsing:  # a name that is being completed
            return super().parse_args(ctx, args)
        METHODS[name]
        ctx.meta[_CHOSEN], ctx.meta[_ASKED] = name, asked
        with suppress(*([ShoalError] if ctx.resilient_parsing else [])):
            settings.become_defaults(ctx, refuse=lambda key: _not_of(name, f"--{key}"))
        try:
            left = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _not_of(name, error.option_name) or error from None
        if ctx.params["method"] != name and not ctx.resilient_parsing:  # hidden from the first look by a value such as --
            raise ParameterError("it is not clear which method is meant", hint="put --method NAME before the other options")
        return left

    def _own_options(self, ctx: click.Context, args: list[str]) -> dict[str, Any]:
        """What was typed of the command's own options; those of methods are passed over, since it is not known yet which count."""
        lenient = {"resilient_parsing": True, "ignore_unknown_options": True, "allow_extra_args": True}
        glance = click.Context(self, info_name=ctx.info_name, **{**self.context_settings, **lenient})
        found, _, _ = self.make_parser(glance).parse_args(list(args))
        return dict(found)

    def _settings(self, ctx: click.Context, file: str | None) -> Settings:
        if file is None:
            return Settings()
        try:
            return Settings.read(Path(file))
        except ShoalError:
            if ctx.resilient_parsing:
                return Settings()
            raise

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The common options in groups; or, if a method was asked for, the options of that method alone."""
        asked = ctx.meta.get(_ASKED)
        if asked is None:
            super().format_help(ctx, formatter)
        else:
            self._format_method(ctx, formatter, asked)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The common options, each under its heading, and where the rest is shown."""
        shown: dict[str, list[click.Parameter]] = {heading: [] for heading in (*self._groups, OTHER)}
        places = {parameter: heading for heading, below in self._groups.items() for parameter in below}
        for parameter in super().get_params(ctx):
            shown[places.get(str(parameter.name), OTHER)].append(parameter)
        shown[places["method"]][1:1] = shared_by_most()
        for heading, parameters in shown.items():
            _write_section(ctx, formatter, heading, parameters)
        formatter.write_paragraph()
        formatter.write_text(
            f"Every method has options of its own: `{ctx.command_path} --method NAME --help` shows them, `shoal methods` lists the "
            "methods, `shoal methods NAME` says what one of them does."
        )

    def _format_method(self, ctx: click.Context, formatter: click.HelpFormatter, name: str) -> None:
        needed = [p for p in self.params if p.required]
        words = [f"{'' if isinstance(p, click.Argument) else f'{p.opts[0]} '}{p.make_metavar(ctx)}" for p in needed]
        formatter.write_usage(ctx.command_path, " ".join([*words, "--method", name, "[OPTIONS]"]))
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(METHODS[name].summary())
        _write_section(ctx, formatter, f"Options of the method {name}", method_options(name))
        formatter.write_paragraph()
        formatter.write_text(
            f"`{ctx.command_path} --help` shows the options that do not depend on the method, `shoal methods {name}` says more about it."
        )


def _write_section(ctx: click.Context, formatter: click.HelpFormatter, heading: str, parameters: Sequence[click.Parameter]) -> None:
    rows = [row for p in parameters if isinstance(p, click.Option) and (row := p.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(heading):
            formatter.write_dl(rows, col_max=max(_NARROWEST_NAMES, formatter.width * 2 // 5))


def shared_by_most() -> list[click.Option]:
    """The options that more than half of the methods take, as the first of their takers declares them."""
    first: dict[str, click.Option] = {}
    for name in METHODS:
        for option in method_options(name):
            first.setdefault(option.opts[0], option)
    return [option for typed, option in first.items() if 2 * len(takers(typed)) > len(METHODS)]


def _not_of(name: str, option: str) -> ParameterError | None:
    """The refusal of an option that other methods take and this one does not; nothing if no method takes it."""
    others = takers(option)
    if not others:
        return None
    own = [one.opts[0] for one in method_options(name)]
    near = difflib.get_close_matches(option, own, n=1, cutoff=_CLOSE)
    hint = f"did you mean {near[0]}? " if near else ""
    return ParameterError(
        f"the method {name} takes no {option}", hint=f"{hint}it takes {', '.join(own)}; {option} is of {', '.join(others)}"
    )

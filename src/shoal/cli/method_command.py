"""A command whose options depend on the chosen method: its own options and those that the method declares.

The same option name may mean different things in two methods, so there is no single list of options. The method is determined first, from
the arguments and the options file; then everything is parsed with the options of that method.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import click

from shoal.cli.config import own_options, typed_config
from shoal.cli.options import method_options, takers
from shoal.errors import ParameterError, ShoalError
from shoal.methods import METHODS, presets_of
from shoal.methods.catalogue import listed_method, methods_by_family
from shoal.util.wording import did_you_mean

# A command whose common options are shown in groups on one screen; `--help-all` describes the others too.


_EVERYTHING = f"{__name__}.everything"
_NARROWEST_NAMES = 30  # columns for the names of options, which is what click gives them
OTHER = "Other"


class GroupedCommand(click.Command):
    """A command with groups of options: `groups` maps headings to parameters. All others are only named; `--help-all` describes them."""

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]], **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self._groups = groups

    def described(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters that the help describes."""
        return self.get_params(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options, each below its heading, and the names of the others."""
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
            formatter.write_text(f"More options (see `--help-all`): {names}.")


def _show_all_help(ctx: click.Context, parameter: click.Parameter, requested: bool) -> None:
    if requested and not ctx.resilient_parsing:
        from shoal.cli import screen

        ctx.meta[_EVERYTHING] = True
        screen.lines(*ctx.get_help().splitlines())
        ctx.exit()


help_all_option = click.option(
    "--help-all", is_flag=True, is_eager=True, expose_value=False, callback=_show_all_help, help="Show all options and exit."
)


def write_section(ctx: click.Context, formatter: click.HelpFormatter, heading: str, parameters: Sequence[click.Parameter]) -> None:
    """Write options and their descriptions below a heading."""
    rows = [row for p in parameters if isinstance(p, click.Option) and (row := p.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(heading):
            formatter.write_dl(rows, col_max=max(_NARROWEST_NAMES, formatter.width * 2 // 5))


TYPED = f"{__name__}.typed"
_CHOSEN = f"{__name__}.chosen"
_NAMED = f"{__name__}.asked"
SHOWN_METHODS = 2  # of a family
OF_ANY_METHOD = {"--k": "Minimum number of people who share a record, set of known items, query or row."}
CLOSE = 0.8  # what another method takes was probably meant as it was typed


class MethodCommand(GroupedCommand):
    """A command that parses and explains the options of the chosen method in addition to its own.

    The groups may name parameters of methods too (`method_k`).
    """

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self._parsers: dict[str | None, Any] = {}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own parameters, and the options of the chosen method once it is known.

        An option of the method replaces an option of the command with the same name.
        """
        own = super().get_params(ctx)
        if _CHOSEN not in ctx.meta:
            return own
        declared = method_options(ctx.meta[_CHOSEN])
        taken = {typed for option in declared for typed in option.opts}
        return [*(one for one in own if not taken.intersection(one.opts)), *declared]

    def make_parser(self, ctx: click.Context) -> Any:
        """Return the parser of the options. It is built once for each method: two commands of a process differ in the context only."""
        chosen = ctx.meta.get(_CHOSEN)
        if chosen not in self._parsers:
            self._parsers[chosen] = super().make_parser(ctx)
        parser = copy.copy(self._parsers[chosen])
        parser.ctx = ctx
        parser.allow_interspersed_args, parser.ignore_unknown_options = ctx.allow_interspersed_args, ctx.ignore_unknown_options
        return parser

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Determine the method, then parse with its options. An option of another method is rejected, naming both methods."""
        ctx.meta[TYPED] = tuple(args)
        typed = own_options(self, ctx, args)
        settings = typed_config(ctx, typed)
        named = typed["method"] if "method" in typed else settings.one("method")
        if not ctx.resilient_parsing and (rules := typed.get("rules", settings.one("rules"))) is not None:
            from shoal.pipeline.reuse_rules import named_method

            named = named_method(rules, named)
        name = next(iter(METHODS)) if named is None else named
        if name not in METHODS and ctx.resilient_parsing:  # a name that is being completed
            return super().parse_args(ctx, args)
        METHODS.refuse_unknown(name)
        ctx.meta[_CHOSEN], ctx.meta[_NAMED] = name, named
        with suppress(*([ShoalError] if ctx.resilient_parsing else [])):
            settings.become_defaults(ctx, refuse=lambda key: _not_of(name, f"--{key}"))
        if name != next(iter(METHODS)) and "method" not in typed:  # rules tell it
            ctx.default_map = {**(ctx.default_map or {}), "method": name}
        try:
            left = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _not_of(name, error.option_name) or error from None
        if ctx.params["method"] != name and not ctx.resilient_parsing:  # hidden from the first look by a value such as --
            raise ParameterError(
                "it is not clear which method is meant", code="ambiguous-method", hint="put --method NAME before the other options"
            )
        return left

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options in groups or, if a method was requested, the options of that method alone."""
        named = ctx.meta.get(_NAMED)
        if named is None:
            super().format_help(ctx, formatter)
        else:
            self._format_method(ctx, formatter, named)

    def described(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own parameters, and those that most methods have."""
        return [*shared_by_most(), *super().get_params(ctx)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options, and where those of the methods are described."""
        super().format_options(ctx, formatter)
        with formatter.section("Methods by what they protect against"):
            formatter.write_dl([(family.knows, _some(names)) for family, names in methods_by_family().items()])
        formatter.write_paragraph()
        formatter.write_text(
            f"Each method: `shoal methods NAME` describes it, `{ctx.command_path} --method NAME --help` shows its options."
        )

    def _format_method(self, ctx: click.Context, formatter: click.HelpFormatter, name: str) -> None:
        needed = [p for p in self.params if p.required]
        words = [f"{'' if isinstance(p, click.Argument) else f'{p.opts[0]} '}{p.make_metavar(ctx)}" for p in needed]
        formatter.write_usage(ctx.command_path, " ".join([*words, "--method", name, "[OPTIONS]"]))
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(listed_method(name).summary)
        write_section(ctx, formatter, f"Options of the method {name}", method_options(name))
        _write_presets(formatter, name)
        formatter.write_paragraph()
        formatter.write_text(
            f"`{ctx.command_path} --help` shows the options that all methods share, `shoal methods {name}` describes the method."
        )


def _some(names: Sequence[str]) -> str:
    """Return the first names and the number of others."""
    more = len(names) - SHOWN_METHODS
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:SHOWN_METHODS])} and {more} more"


def _write_presets(formatter: click.HelpFormatter, name: str) -> None:
    """Write what each preset of a method represents and what it does not protect."""
    presets = presets_of(name).values()
    if presets:
        with formatter.section("Presets"):
            formatter.write_dl([(one.name, f"{one.use} Not protected: {one.does_not_protect} [{one.written}]") for one in presets])


def shared_by_most() -> list[click.Option]:
    """Return the options that more than half of the methods have, as declared by the first of them."""
    first: dict[str, click.Option] = {}
    takers_of: Counter[str] = Counter()
    for name in METHODS:
        options = method_options(name)
        for option in options:
            first.setdefault(option.opts[0], option)
        takers_of.update({typed for option in options for typed in (*option.opts, *option.secondary_opts)})
    return [_of_any_method(option) for typed, option in first.items() if 2 * takers_of[typed] > len(METHODS)]


def _of_any_method(option: click.Option) -> click.Option:
    """Return an option with the help for all methods, if that of the first one is not true of them."""
    if option.opts[0] not in OF_ANY_METHOD:
        return option
    general = copy.copy(option)
    general.help = OF_ANY_METHOD[option.opts[0]]
    return general


def _not_of(name: str, option: str) -> ParameterError | None:
    """Return the error for an option that other methods have but this one does not; None if no method has it."""
    others = takers(option)
    if not others:
        return None
    own = [one.opts[0] for one in method_options(name)]
    hint = did_you_mean(option, own, f"its options are {', '.join(own)}; {option} belongs to {', '.join(others)}", CLOSE)
    return ParameterError(f"the method {name} has no option {option}", code="unknown-option", hint=hint)

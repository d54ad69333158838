"""A command whose options depend on the method that is chosen: its own, and those that this method declares.

The same name may mean different things in two methods, so that there is no one list of all options. The method is found first, among
what is typed and what a file of options says; then the rest is parsed with the options of that method.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import click

from shoal.cli.config import own_options, typed_config
from shoal.cli.grouped_command import GroupedCommand, write_section
from shoal.cli.options import method_options, takers
from shoal.errors import ParameterError, ShoalError
from shoal.methods import METHODS
from shoal.methods.presets import presets_of
from shoal.names import did_you_mean
from shoal.pipeline.reuse_rules import named_method

TYPED = f"{__name__}.typed"
_CHOSEN = f"{__name__}.chosen"
_ASKED = f"{__name__}.asked"
CLOSE = 0.8  # what another method takes was probably meant as it was typed


class MethodCommand(GroupedCommand):
    """Parses and explains the options of the chosen method, besides the command's own, which are shown in groups.

    The groups may name parameters of methods too (`method_k`).
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, and the options of the chosen method once it is known.

        An option that a method declares under the name of one of the command's goes before that one, which is then not given.
        """
        own = super().get_params(ctx)
        if _CHOSEN not in ctx.meta:
            return own
        declared = method_options(ctx.meta[_CHOSEN])
        taken = {typed for option in declared for typed in option.opts}
        return [*(one for one in own if not taken.intersection(one.opts)), *declared]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the method, then parse with its options; an option of another method is refused by the name of both."""
        ctx.meta[TYPED] = tuple(args)
        typed = own_options(self, ctx, args)
        settings = typed_config(self, ctx, args)
        asked = typed["method"] if "method" in typed else settings.one("method")
        if not ctx.resilient_parsing and (rules := typed.get("rules", settings.one("rules"))) is not None:
            asked = named_method(rules, asked)
        name = next(iter(METHODS)) if asked is None else asked
        if name not in METHODS and ctx.resilient_parsing:  # a name that is being completed
            return super().parse_args(ctx, args)
        METHODS[name]
        ctx.meta[_CHOSEN], ctx.meta[_ASKED] = name, asked
        with suppress(*([ShoalError] if ctx.resilient_parsing else [])):
            settings.become_defaults(ctx, refuse=lambda key: _not_of(name, f"--{key}"))
        if name != next(iter(METHODS)) and "method" not in typed:  # rules tell it
            ctx.default_map = {**(ctx.default_map or {}), "method": name}
        try:
            left = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _not_of(name, error.option_name) or error from None
        if ctx.params["method"] != name and not ctx.resilient_parsing:  # hidden from the first look by a value such as --
            raise ParameterError("it is not clear which method is meant", hint="put --method NAME before the other options")
        return left

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The common options in groups; or, if a method was asked for, the options of that method alone."""
        asked = ctx.meta.get(_ASKED)
        if asked is None:
            super().format_help(ctx, formatter)
        else:
            self._format_method(ctx, formatter, asked)

    def described(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, and those that most methods take."""
        return [*shared_by_most(), *super().get_params(ctx)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The common options, and where those of the methods are described."""
        super().format_options(ctx, formatter)
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
        write_section(ctx, formatter, f"Options of the method {name}", method_options(name))
        _write_presets(formatter, name)
        formatter.write_paragraph()
        formatter.write_text(
            f"`{ctx.command_path} --help` shows the options that do not depend on the method, `shoal methods {name}` says more about it."
        )


def _write_presets(formatter: click.HelpFormatter, name: str) -> None:
    """What each preset of a method stands for, and what it does not protect."""
    found = presets_of(name).values()
    if found:
        with formatter.section("Presets"):
            formatter.write_dl([(one.name, f"{one.use} Not protected: {one.does_not_protect} [{one.written}]") for one in found])


def shared_by_most() -> list[click.Option]:
    """The options that more than half of the methods take, as the first of their takers declares them."""
    first: dict[str, click.Option] = {}
    takers_of: Counter[str] = Counter()
    for name in METHODS:
        options = method_options(name)
        for option in options:
            first.setdefault(option.opts[0], option)
        takers_of.update({typed for option in options for typed in (*option.opts, *option.secondary_opts)})
    return [option for typed, option in first.items() if 2 * takers_of[typed] > len(METHODS)]


def _not_of(name: str, option: str) -> ParameterError | None:
    """The refusal of an option that other methods take and this one does not; nothing if no method takes it."""
    others = takers(option)
    if not others:
        return None
    own = [one.opts[0] for one in method_options(name)]
    hint = did_you_mean(option, own, f"it takes {', '.join(own)}; {option} is of {', '.join(others)}", CLOSE)
    return ParameterError(f"the method {name} takes no {option}", hint=hint)

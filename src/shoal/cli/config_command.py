"""Commands on a release that accept the options file with which the release was made.

Keys about the method and the output are ignored. Keys about the input apply if an original is given.
"""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from shoal.cli.config import options_of, own_options, typed_config
from shoal.cli.options import method_options
from shoal.methods import METHODS


class ConfigCommand(click.Command):
    """A command with `--config`, whose values are the defaults. A key is an option of this command or of `shoal anonymize`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options file first, if one is named."""
        settings = typed_config(ctx, own_options(self, ctx, args))
        if settings.values:
            settings.become_defaults(ctx, refuse=lambda key: None, passed=_of_anonymizing())
        return super().parse_args(ctx, args)


def options_for_original(options: dict[str, Any], original: object) -> dict[str, Any]:
    """The options for the original; without an original, only those on the command line, which are then rejected."""
    if original is not None:
        return options
    source = click.get_current_context().get_parameter_source
    return {name: None if source(name) is ParameterSource.DEFAULT_MAP else value for name, value in options.items()}


def _of_anonymizing() -> set[str]:
    """Return the options of `shoal anonymize` for all methods."""
    from shoal.cli.anonymize import command

    own = options_of(click.Context(command, info_name="anonymize"))
    return {*own, *(name[2:] for method in METHODS for one in method_options(method) for name in (*one.opts, *one.secondary_opts))}

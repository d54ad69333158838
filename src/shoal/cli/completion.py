"""Shell completion: if the environment variable `_SHOAL_COMPLETE` is set, it is answered instead of running a command."""

from __future__ import annotations

import os

import click
from click.shell_completion import get_completion_class, shell_complete

from shoal.errors import ParameterError

VARIABLE = "_SHOAL_COMPLETE"  # what a shell asks for
SHELLS = ("bash", "zsh", "fish")
INSTRUCTIONS = ("source", "complete")


def complete(cli: click.Command) -> int:
    """Print the completion script of a shell (`bash_source`), or the words that may come next (`bash_complete`). Returns the exit code."""
    request = os.environ[VARIABLE]
    shell, _, what = request.partition("_")
    if get_completion_class(shell) is None or what not in INSTRUCTIONS:
        known = ", ".join(f"{name}_source" for name in SHELLS)
        raise ParameterError(f"{VARIABLE} names an unknown shell or action", code="unknown-completion", hint=f"available: {known}")
    return shell_complete(cli, {}, "shoal", VARIABLE, request)

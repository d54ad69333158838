"""Shell completion: if the environment variable `_SHOAL_COMPLETE` is set, it is answered instead of running a command."""

from __future__ import annotations

import os

import click
from click.shell_completion import get_completion_class, shell_complete

from shoal.errors import ParameterError

VARIABLE = "_SHOAL_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
ASKED = ("source", "complete")


def completion_asked() -> str:
    """Return the request of a shell, such as `bash_source` for its script or `bash_complete` for words; empty if there is none."""
    return os.environ.get(VARIABLE, "")


def complete(cli: click.Command, asked: str) -> int:
    """Print the completion script of a shell, or the words that may come next. Returns the exit code."""
    shell, _, what = asked.partition("_")
    if get_completion_class(shell) is None or what not in ASKED:
        known = ", ".join(f"{name}_source" for name in SHELLS)
        raise ParameterError(f"{VARIABLE} names an unknown shell or action", code="unknown-completion", hint=f"available: {known}")
    return shell_complete(cli, {}, "shoal", VARIABLE, asked)

"""Input of a command: files, or an SQL query to a database (`--sql` and `--from`).

A command gets one value: a tuple of paths, or a `Query`. Database addresses may contain passwords, so suggested commands are shown without
them.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from shoal.errors import ParameterError, ShoalError

if TYPE_CHECKING:
    from shoal.io.read.sql import Query

Command = Callable[..., Any]

FROM = "--from"


class _NonEmptyPath(click.Path):
    """A path. An empty word, such as an unset variable of the shell, does not mean the current directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or raise if there is no name."""
        if value == "":
            self.fail("the name of a file is empty", param, ctx)
        return super().convert(value, param, ctx)


_PATH = _NonEmptyPath(path_type=Path)


def _sql_options(command: Command, instead: str) -> Command:
    """Add the two options of a query, which replaces the input named by `instead`."""
    query = click.option("--sql", metavar="QUERY", help=f"Read the result of an SQL query from a database (--from) instead of {instead}.")
    place = click.option(
        FROM, "source", metavar="DATABASE", help="Database for --sql: duckdb:FILE, duckdb: (in memory) or postgresql://..."
    )
    return query(place(command))


files_argument = click.argument("input", nargs=-1, required=True, type=_PATH)


def input_argument(command: Command) -> Command:
    """Add the argument INPUT, or a query instead of it; the command gets either as `input`."""

    @wraps(command)
    def with_input(input: tuple[Path, ...], sql: str | None, source: str | None, **options: Any) -> Any:
        query = _query(sql, source)
        if query is None and not input:
            raise _missing("input")
        if query is not None and input:
            raise _two_inputs("INPUT")
        return command(input=input if query is None else query, **options)

    argument = click.argument("input", nargs=-1, required=False, metavar="INPUT...", type=_PATH)
    return argument(_sql_options(with_input, "INPUT"))


def original_option(command: Command) -> Command:
    """Add the option `--original`, or a query instead of it; the command gets either as `original`, or None."""

    @wraps(command)
    def with_original(original: tuple[Path, ...], sql: str | None, source: str | None, **options: Any) -> Any:
        query = None if _only_configured("sql", "source") else _query(sql, source)
        if query is not None and original:
            raise _two_inputs("--original")
        return command(original=query or original or None, **options)

    text = "The file the release was made from. Repeatable."
    return click.option("--original", multiple=True, type=_PATH, help=text)(_sql_options(with_original, "--original"))


def original_argument(command: Command) -> Command:
    """Add the arguments ORIGINAL and RELEASE; a query replaces the first. The command gets `original` and `release`."""

    @wraps(command)
    def with_paths(paths: tuple[Path, ...], sql: str | None, source: str | None, **options: Any) -> Any:
        query = None if len(paths) == 2 and _only_configured("sql", "source") else _query(sql, source)
        if query is not None and len(paths) == 2:
            raise _two_inputs("ORIGINAL")
        if len(paths) != 2 - (query is not None):
            raise _missing("paths") if len(paths) < 2 else click.UsageError("Too many arguments", click.get_current_context())
        return command(original=paths[:1] if query is None else query, release=paths[-1], **options)

    argument = click.argument("paths", nargs=-1, required=False, metavar="ORIGINAL RELEASE", type=_PATH)
    return argument(_sql_options(with_paths, "ORIGINAL"))


def _query(sql: str | None, source: str | None) -> Query | None:
    if sql is None and source is None:
        return None
    from shoal.io.read.sql import Query

    return Query.parse(sql, source)


def _only_configured(*names: str) -> bool:
    """Whether the query comes from an options file only, which describes how a release was made and not where an original is."""
    source_of = click.get_current_context().get_parameter_source
    return all(source_of(name) is not ParameterSource.COMMANDLINE for name in names)


def _missing(name: str) -> click.UsageError:
    context = click.get_current_context()
    parameter = next(one for one in context.command.params if one.name == name)
    return click.MissingParameter(ctx=context, param=parameter)


def _two_inputs(other: str) -> ParameterError:
    return ParameterError(f"{other} and --sql both name the data", code="options-conflict", hint="leave one of them out")


# -- inputs in titles and in suggested commands


def called(input: Any) -> str:
    """Return the name of an input for a title."""
    from shoal.io.read.paths import STDIN

    if not isinstance(input, tuple):
        return "SQL query"
    if len(input) > 1:
        return f"{len(input)} inputs"
    return "standard input" if str(input[0]) == STDIN else str(input[0].name)


def typed_input(input: Any) -> list[str]:
    """Return an input as arguments of a command, without passwords."""
    return list(map(str, input)) if isinstance(input, tuple) else ["--sql", input.sql, FROM, input.place.shown]


def files_of(input: Any) -> list[Path]:
    """Return the files that an input names."""
    if isinstance(input, tuple):
        return list(input)
    return [Path(input.place.address)] if input.place.is_file else []


def shown_command(words: Sequence[str]) -> str:
    """Format a suggested command, without passwords."""
    shown = list(words)
    for at, word in enumerate(words):
        if word == FROM and at + 1 < len(words):
            shown[at + 1] = _without_address(words[at + 1])
        elif word.startswith(f"{FROM}="):
            shown[at] = f"{FROM}={_without_address(word.removeprefix(f'{FROM}='))}"
    return shlex.join(shown)


def _without_address(source: str) -> str:
    from shoal.io.read.databases import Place

    try:
        return Place.parse(source).shown
    except ShoalError:
        return "DATABASE"

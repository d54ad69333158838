"""The command reference, made from the command line itself: a page for each command, and one for the options of each method."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from markup import as_rst, indented, rst_heading
from shoal.cli.main import COMMANDS, cli
from shoal.cli.method_command import GroupedCommand
from shoal.cli.options import method_options
from shoal.methods import METHODS, presets_of
from sources import write

FOLDER = "reference/commands"
OTHER = "Other options"


def write_commands(target: Path) -> None:
    """Write all pages of the command reference below a directory."""
    folder = target / FOLDER
    write(folder / "index.rst", _index())
    root = click.Context(cli, info_name="shoal")
    for name in COMMANDS:
        command = cli.get_command(root, name)
        assert command is not None
        write(folder / f"{name}.rst", "\n".join(_command(command, click.Context(command, info_name=name, parent=root))))
    write(folder / "method-options.rst", "\n".join(_methods()))


def _index() -> str:
    listed = [f":doc:`shoal {name} <{name}>`\n{indented(as_rst(text))}" for name, text in COMMANDS.items()]
    first = "All commands of shoal with all their options. ``shoal COMMAND --help`` shows the common ones in the terminal.\n"
    tree = ["", ".. toctree::", "   :hidden:", "", *(f"   {name}" for name in COMMANDS), "   method-options", ""]
    last = ":doc:`method-options`\n" + indented("The options that each method adds to ``shoal anonymize``.")
    codes = rst_heading("Exit codes", "-") + (
        "\n0: the command succeeded and all claims hold. 1: a problem with the options, the input or the output, or an interrupt. "
        "3: a claim does not hold. :doc:`/docs/errors` lists all errors.\n"
    )
    return "\n".join([rst_heading("Commands"), first, *listed, last, *tree, codes])


def _command(command: click.Command, ctx: click.Context, line: str = "=") -> Iterator[str]:
    """A command with its options; the commands below it follow as sections."""
    yield rst_heading(ctx.command_path, line)
    yield from _help(command)
    yield _usage(command, ctx)
    yield f".. program:: {ctx.command_path}\n"
    for heading, options in _grouped(command, ctx):
        yield from [f".. rubric:: {heading}\n"] if heading else []
        yield from (_option(option, ctx) for option in options)
    if ctx.info_name == "anonymize":
        yield "Each method adds its own options: :doc:`method-options`.\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            yield from _command(below, click.Context(below, info_name=name, parent=ctx), "-")


def _help(command: click.Command) -> Iterator[str]:
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        kept = paragraph.startswith("\b")  # lines that click does not wrap
        text = paragraph.removeprefix("\b\n")
        yield f"::\n\n{indented(text)}\n" if kept else f"{as_rst(' '.join(text.split()))}\n"


def _usage(command: click.Command, ctx: click.Context) -> str:
    """The usage as a block, in which long lines wrap."""
    return f".. code-block:: text\n   :class: usage\n\n   {' '.join([ctx.command_path, *command.collect_usage_pieces(ctx)])}\n"


def _grouped(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, list[click.Option]]]:
    """The options below the headings that the help has, and the others."""
    options = {str(one.name): one for one in command.get_params(ctx) if isinstance(one, click.Option) and not one.hidden}
    groups = command._groups if isinstance(command, GroupedCommand) else {}
    for heading, names in groups.items():
        yield heading, [options.pop(name) for name in names if name in options]
    yield (OTHER if groups else ""), list(options.values())


def _option(option: click.Option, ctx: click.Context) -> str:
    """One option with its names, values, default and description."""
    record = option.get_help_record(ctx)
    assert record is not None
    names, text = record
    return f".. option:: {names.replace(' / ', ', ')}\n\n{indented(as_rst(text))}\n"


def _methods() -> Iterator[str]:
    yield rst_heading("Options of each method")
    yield "Options of ``shoal anonymize`` that exist for some methods only. In Python they are arguments of the same name.\n"
    for name in METHODS:
        yield rst_heading(name, "-")
        kind = METHODS[name]
        yield f"{as_rst(kind.summary())}\n\nMore: :doc:`the method </docs/methods/{name}>`, :py:class:`shoal.methods.{kind.__name__}`.\n"
        yield f".. program:: shoal anonymize --method {name}\n"
        yield from _method_options(name, method_options(name))
        yield from _presets(name)


def _method_options(name: str, options: Sequence[click.Option]) -> Iterator[str]:
    command = click.Command("anonymize", params=list(options))
    ctx = click.Context(command, info_name="anonymize")
    yield from (_option(option, ctx) for option in options)


def _presets(name: str) -> Iterator[str]:
    found = presets_of(name).values()
    yield from [".. rubric:: Presets\n"] if found else []
    for one in found:
        about = f"{one.use} Not protected: {one.does_not_protect}"
        yield f"``{one.name}``\n{indented(as_rst(about) + f' Stands for ``{one.written}``.')}\n"

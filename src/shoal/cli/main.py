"""The command group: loads only the requested command and turns every failure into one line.

Exit codes: 0 done and all claims hold; 1 usage, input or interrupt; 3 a claim does not hold.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from shoal.cli.completion import VARIABLE, complete
from shoal.cli.interrupts import interrupted, interrupts, not_removed
from shoal.io import partial_outputs as unfinished
from shoal.util.wording import nearest, visible

COMMANDS = {
    "advise": "Propose how to publish a file, with measured utility and risk.",
    "look": "Show how a file is parsed and what it contains. Writes nothing.",
    "anonymize": "Anonymize a log or table and write a verified release.",
    "mask": "Mask an access log line by line, without a guarantee.",
    "audit": "Verify a release, including one made by another tool.",
    "compare": "Compare methods and settings on the same data.",
    "attack": "Measure disclosure risk by attacking a release.",
    "epsilon": "Test a claim of differential privacy by experiment.",
    "reconstruct": "Draw complete records consistent with a disassociated release.",
    "decode": "Decode a secret-sharing release.",
    "measure": "Compute metrics for an original and its release.",
    "bound": "Compute a lower bound on the loss of any k-anonymous release.",
    "taxonomy": "Build, learn, validate and show taxonomies.",
    "methods": "List the methods by what an attacker may know, or describe one.",
    "models": "List the privacy models, or describe one.",
    "metrics": "List the metrics and what they measure.",
    "generate": "Generate a realistic synthetic query log.",
    "reproduce": "Repeat the experiments of the papers behind the methods.",
    "studio": "Do all this on a local web page: drop a file, choose, publish.",
    "demo": "Anonymize a bundled sample, in seconds.",
    "doctor": "Check the installation and clean up after killed runs.",
}

# The goals of `shoal.evaluate.advise.goals`, which is too large to load for the help.
GOALS = {
    "baskets": "Share baskets with others.",
    "queries": "Publish what people searched for.",
    "histories": "Publish what each person did, one record per person.",
    "log": "Publish an access log that log tools can read.",
    "counts": "Publish statistics with noise.",
    "table": "Publish rows about people.",
    "documents": "Publish what documents are about.",
    "audit": "Verify a file made by somebody else.",
}
WIDEST_NAME = 11  # of a command or a goal
SECTIONS = {
    "Start": ("demo", "studio", "look", "advise"),
    "Publish": ("anonymize", "taxonomy", "mask"),
    "Check a release": ("audit", "attack", "epsilon", "measure", "reconstruct", "decode"),
    "Compare": ("compare", "bound", "reproduce", "generate"),
    "Reference": ("methods", "models", "metrics", "doctor"),
}
MODULES = dict.fromkeys(("methods", "models", "metrics"), "catalogue")
ATTRIBUTES = {name: f"{name}_command" for name in MODULES}


class LazyCommands(click.Group):
    """Loads a command's module when it is run, so that `--help` and `--version` answer at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands, in the order of a user's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Load the command of that name."""
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"shoal.cli.{MODULES.get(name, name)}"), ATTRIBUTES.get(name, "command"))
        interrupts.loading = False
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the goals and the list of commands without loading them."""
        _write_list(formatter, "Goals (`shoal advise FILE --for GOAL` finds the command for your file)", GOALS)
        for heading, names in SECTIONS.items():
            _write_list(formatter, heading, {name: COMMANDS[name] for name in names})

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the goals and commands first, and the two options last."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


def _write_list(formatter: click.HelpFormatter, heading: str, lines: Mapping[str, str]) -> None:
    """Write names and descriptions below a heading, in aligned columns."""
    with formatter.section(heading):
        formatter.write_dl(list(lines.items()), col_max=WIDEST_NAME, col_spacing=WIDEST_NAME - len(max(lines, key=len)) + 2)


def _print_version(ctx: click.Context, param: click.Parameter, requested: bool) -> None:
    if requested:
        from shoal import __version__

        click.echo(f"shoal {__version__}")
        ctx.exit()


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}, no_args_is_help=False)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version and exit.")
def cli() -> None:
    """Publish query logs, baskets, access logs and tables without exposing the people in them.

    Start with `shoal demo`. For your own file, `shoal advise FILE` proposes what to publish and prints the command. `shoal COMMAND
    --help` describes a command.
    """


def run(arguments: list[str]) -> int:
    """Run a command. Every failure becomes one line on the error stream and an exit code."""
    from shoal.errors import ShoalError

    try:
        answer = _invoke(arguments or ["--help"])
        sys.stdout.flush()
        return answer if isinstance(answer, int) else 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as asked:
        click.echo(asked.format_message())
        return 0
    except click.UsageError as error:
        return _fail(_usage(error))
    except click.ClickException as error:
        return _fail(error.format_message())
    except ShoalError as error:
        from shoal.cli.screen import in_shell

        return _fail(in_shell(error.marked), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return after_interrupt()
    except BrokenPipeError:
        return _nobody_reads()
    except OSError as error:
        # Messages of the operating system quote at most paths.
        return _fail(f"{error.filename or 'the output'}: {error.strerror or 'failed'}")
    except MemoryError:
        return _fail("out of memory")
    except BaseException as error:  # a panic of a foreign library is no Exception
        return _unexpected(error)


def _unexpected(error: BaseException) -> int:
    if interrupts.raised:  # an interrupt inside a library may surface as any kind of error
        return after_interrupt()
    if isinstance(error, SystemExit) or os.environ.get("SHOAL_DEBUG"):
        raise error
    # The message of a foreign error may quote data, so only its type is shown.
    return _fail(f"an unexpected error of kind {type(error).__name__} (set SHOAL_DEBUG=1 to see where)")


def _invoke(arguments: list[str]) -> Any:
    if os.environ.get(VARIABLE):
        return complete(cli)
    with cli.make_context("shoal", list(arguments)) as context:
        return cli.invoke(context)


def _usage(error: click.UsageError) -> str:
    """Describe a usage error, with suggestions and where the usage is documented."""
    message = error.format_message().rstrip(".")
    if error.ctx is None:
        return message
    if isinstance(error.ctx.command, click.Group) and message.startswith("No such command"):
        typed = message.split("'")[1]
        message = _with_nearest(f"No such command {typed!r}", typed, error.ctx.command.list_commands(error.ctx))
    elif isinstance(error, click.NoSuchOption):
        message = _no_option(error.option_name, error.ctx)
    elif isinstance(error, click.BadParameter) and error.param is not None and isinstance(error.param.type, click.Choice):
        typed = error.message.split("'")[1]
        message = _with_nearest(message, typed, [str(choice) for choice in error.param.type.choices])
    return f"{message} (see `{error.ctx.command_path} --help`)"


def _no_option(typed: str, context: click.Context) -> str:
    """Describe an unknown option: an argument of the same name is meant, or else the nearest option."""
    arguments = " ".join(one.make_metavar(context) for one in context.command.get_params(context) if isinstance(one, click.Argument))
    message = f"No such option: {typed}"
    if typed.removeprefix("--").upper() in re.findall(r"\w+", arguments):
        return f"{message}; it is an argument: {context.command_path} {arguments}"
    return _with_nearest(message, typed, _options(context))


def _with_nearest(message: str, typed: str, known: Iterable[str]) -> str:
    near = nearest(typed, known)
    return f"{message}; did you mean {near!r}?" if near else message


def _options(context: click.Context) -> list[str]:
    """Return the long form of all options."""
    every = [name for parameter in context.command.get_params(context) for name in (*parameter.opts, *parameter.secondary_opts)]
    return [name for name in every if name.startswith("--")]


def _nobody_reads() -> int:
    """End without a message if the reader of the output closed the pipe, as `head` does."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def after_interrupt() -> int:
    """Remove unfinished output, check that it is gone, and report it. Further interrupts are ignored meanwhile."""
    interrupts.ending = interrupts.raised = True
    _print_error(interrupted(unfinished.settle()))
    return 1


def _fail(message: str, code: int = 1) -> int:
    left = unfinished.settle()
    _print_error(f"{message}; {not_removed(left)}" if left else message)
    return code


def _print_error(message: str) -> None:
    with suppress(OSError):
        click.echo("shoal: " + visible(" ".join(message.split())), err=True)

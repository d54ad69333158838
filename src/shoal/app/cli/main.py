"""The command `shoal`: finds the command that was typed, loads only that, and turns every failure into one clear line.

Exit codes: 0 done and all claims hold; 1 usage, input or interrupt; 3 a claim does not hold.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

COMMANDS = {
    "anonymize": "Turn a log or table of records into a verified release.",
    "audit": "Judge a release, also one that another tool made.",
    "measure": "Numbers about an original and its release.",
    "taxonomy": "Check, draw and try out a hierarchy.",
    "methods": "What there is to anonymize with, and its parameters.",
    "models": "What can be promised of a release.",
    "metrics": "What can be measured of a release.",
    "generate": "Make a realistic synthetic query log.",
    "demo": "The whole path on a bundled sample, in seconds.",
    "doctor": "Versions, threads, kernels and optional parts.",
}


class LazyCommands(click.Group):
    """Loads a command's module when it is asked for, so that `--help` and `--version` answer at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of a user's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name."""
        if name not in COMMANDS:
            return None
        if ctx.resilient_parsing or "--help" in sys.argv[1:2]:
            return click.Command(name, help=COMMANDS[name])
        command: click.Command = import_module(f"shoal.app.cli.{name}").command
        return command


def _print_version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked:
        from shoal import __version__

        click.echo(f"shoal {__version__}")
        ctx.exit()


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Say the version.")
def cli() -> None:
    """Publish query logs, baskets and click streams without exposing the people in them.

    Start with `shoal demo`, then `shoal anonymize YOUR-LOG --out RELEASE`.
    """


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command; whatever goes wrong becomes one line on the error stream and an exit code."""
    from shoal.errors import ShoalError

    try:
        answer = cli.main(args=arguments or ["--help"], prog_name="shoal", standalone_mode=False)
        return answer if isinstance(answer, int) else 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        return _fail(error.format_message())
    except ShoalError as error:
        return _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted; nothing was written")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except MemoryError:
        return _fail("out of memory; nothing was written")
    except Exception as error:
        if os.environ.get("SHOAL_DEBUG"):
            raise
        # The message of a foreign error may quote the data, so only its kind is told.
        return _fail(f"an unexpected error of kind {type(error).__name__} (set SHOAL_DEBUG=1 to see where; nothing was written)")


def _fail(message: str, code: int = 1) -> int:
    click.echo("shoal: " + " ".join(message.split()), err=True)
    return code

"""shoal studio: the same as a local web page."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from shoal.cli.interrupts import interrupts
from shoal.cli.options import WholeNumber
from shoal.errors import ParameterError
from shoal.packages import insist_on_extra


@click.command("studio", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--root", type=click.Path(path_type=Path), metavar="DIR", help="Folder whose files can be opened by path, without an upload.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder that keeps uploads and jobs. [default: a temporary one, deleted at the end]",
)
@click.option("--demo", is_flag=True, help="Start with a bundled sample.")
@click.option("--port", type=WholeNumber(0, 65535), default=0, metavar="N", help="Port to listen on. [default: any free port]")
@click.option("--no-browser", is_flag=True, help="Print the address, but do not open a browser.")
@click.option(
    "--host", default="127.0.0.1", metavar="ADDRESS", help="Address to listen on, with --i-understand. [default: this machine only]"
)
@click.option("--i-understand", is_flag=True, help="Accept that --host lets other machines reach your data, without encryption.")
def command(root: Path | None, keep: Path | None, demo: bool, port: int, no_browser: bool, host: str, i_understand: bool) -> None:
    """Open a local web page on which you drop a file, choose a method with measured risk, and publish a verified release.

    The page is for this machine and this user only: the printed address contains a secret token. Nothing is sent anywhere.
    """
    insist_on_extra("studio")
    with interrupts.while_loading():
        from shoal.studio.server import StudioSettings, is_local, run_studio
    if not is_local(host) and not i_understand:
        raise ParameterError(
            f"--host {host!r} would let other machines reach your data, without encryption",
            code="not-local",
            hint="leave it out, or add --i-understand",
            value=host,
        )
    with suppress(KeyboardInterrupt):  # how a studio is ended
        run_studio(StudioSettings(root, keep, host, port, not no_browser, demo), click.echo)

"""shoal reconstruct: draw complete records consistent with a disassociated release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli import screen
from shoal.cli.options import declared_options, patience_option
from shoal.data.patience import allowing
from shoal.evaluate.option_defaults import Draws
from shoal.io.write.output_format import FRAME_FORMATS


@click.command("reconstruct", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("release", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="New output directory.")
@declared_options(Draws)
@click.option(
    "--to", "format", type=click.Choice([*FRAME_FORMATS, "transactions"]), default="csv", show_default=True, help="Output format."
)
@patience_option
def command(release: Path, out: Path, format: str, patience: float | None, **options: Any) -> None:
    """Draw random records consistent with the chunks of RELEASE, a release directory, for tools that need complete records. The claims
    of the release are verified first. The draw uses only the published chunks, so it discloses nothing more.
    """
    from shoal.evaluate.reconstruct import reconstruct
    from shoal.io.release_directory import ReleaseDirectory

    draws = Draws.parse({name: value for name, value in options.items() if value is not None})
    directory = ReleaseDirectory(out, force=None)
    screen.note(*directory.clear())
    directory.check()
    with allowing(patience):
        drawn = reconstruct(release, out, draws, format)
    rows = [(verdict.claim, f"{verdict.standing} for the chunks") for verdict in drawn.claims]
    screen.pairs(f"{out}: written", [*rows, ("reconstructions", f"{len(drawn.files):,} of {drawn.records:,} records each")])

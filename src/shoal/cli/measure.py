"""shoal measure: metrics of an original and its release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli import screen
from shoal.cli.config import config_option
from shoal.cli.config_command import ConfigCommand, options_for_original
from shoal.cli.input_options import original_option
from shoal.cli.options import WholeNumber, data_options, threads_option

MOST_PATTERNS = 100_000


@click.command("measure", cls=ConfigCommand, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("release", type=click.Path(path_type=Path))
@original_option
@click.option(
    "--metric",
    "-m",
    "names",
    multiple=True,
    metavar="NAME",
    help="Metric to compute (see `shoal metrics`). Repeatable. [default: all that apply]",
)
@click.option(
    "--patterns",
    type=WholeNumber(1, MOST_PATTERNS),
    help="Number of closed patterns that pattern_recall and pattern_distance compare. [default: 500]",
)
@data_options()
@threads_option
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    release: Path, original: Any, names: tuple[str, ...], patterns: int | None, threads: int | None, as_json: bool, **options: Any
) -> None:
    """Report the metrics of RELEASE. Without --original, print the values in its manifest; with it, compute them from the files.

    Release files do not contain the record-to-group mapping, so metrics that need it are available from the manifest only.
    """
    from shoal.evaluate.measure import insist_on_default_patterns, measured, recorded
    from shoal.metrics import METRICS
    from shoal.pipeline.manifest import Published
    from shoal.pipeline.request import original_options

    place = Published.at(release)
    preparation = original_options(options_for_original(options, original), original, place.manifest)
    if preparation is None:
        insist_on_default_patterns(patterns)
        numbers = recorded(place, names, lambda notes: screen.note(*notes))
    else:
        with screen.progress(threads):
            numbers = measured(place, original, preparation, names, lambda notes: screen.note(*notes), patterns=patterns)
    if as_json:
        screen.as_json(numbers)
    else:
        rows = [(name, screen.number(value), METRICS[name].summary if name in METRICS else "") for name, value in numbers.items()]
        screen.listing(["metric", "value", "description"], rows)

"""shoal anonymize: its options. The work is in `anonymize_run.py`, which is not loaded for the help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.auditing import CROSSING
from shoal.cli.config import config_option
from shoal.cli.input_options import input_argument
from shoal.cli.interrupts import interrupts
from shoal.cli.method_command import MethodCommand, help_all_option
from shoal.cli.options import (
    attack_options,
    data_options,
    no_guarantee_option,
    patience_option,
    rare_option,
    threads_option,
    verbose_option,
)
from shoal.engines import ENGINES
from shoal.io.write.output_format import LAYOUTS, LISTS, OUTPUT_FORMATS
from shoal.methods import METHODS

GROUPS = {
    "Input": ("format", "user", "time", "text", "item", "record"),
    "Privacy": ("method_k", "per"),
    "Method": ("method", "taxonomy", "items_table", "outliers"),
    "Output": ("out", "form", "verbose", "help_all"),
}


def _complete_methods(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete names of methods in the shell."""
    return [name for name in METHODS if name.startswith(incomplete)]


@click.command(
    "anonymize", cls=MethodCommand, groups=GROUPS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@input_argument
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="New directory for the release.")
@click.option(
    "--method",
    "-m",
    default=next(iter(METHODS)),
    show_default=True,
    metavar="NAME",
    shell_complete=_complete_methods,
    help=f"One of {len(METHODS)} methods; `shoal methods` lists them.",
)
@data_options()
@click.option(
    "--to",
    "form",
    type=click.Choice(list(OUTPUT_FORMATS)),
    metavar="NAME",
    help=f"{', '.join(OUTPUT_FORMATS)}. [default: depends on the method]",
)
@click.option("--layout", type=click.Choice(LAYOUTS), default=LISTS, help="One row per record (lists) or per item. [default: lists]")
@click.option("--to-sep", metavar="CHARACTER", help="Item separator in transaction files. [default: tab]")
@click.option(
    "--rules",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Reuse the recoding rules of an earlier release (its directory or rules.json).",
)
@click.option(
    "--claim", "-c", multiple=True, metavar="MODEL", help='Additional claim to verify, e.g. "km-anonymity(k=5, m=2)". Repeatable.'
)
@click.option("--bound", is_flag=True, help="Also compute a lower bound on the loss (slow).")
@attack_options
@no_guarantee_option
@click.option("--force", is_flag=True, help="Replace an existing release.")
@click.option(
    "--private-report",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write records before and after anonymization. Do not publish this file.",
)
@click.option(
    "--previous",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="RELEASE",
    help="Earlier release of the same people; counts what both expose together. Repeatable.",
)
@click.option(
    "--crossing",
    type=int,
    default=CROSSING,
    show_default=True,
    metavar="N",
    help="With --previous: report queries whose number of people differs by fewer than N between the releases.",
)
@click.option(
    "--exposed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="With --previous: largest accepted number of queries or people that both releases together disclose.",
)
@rare_option
@patience_option
@click.option("--engine", type=click.Choice(ENGINES), help="Execution engine. [default: this machine]")
@click.option("--master", metavar="URL", help="Spark master. [default: that of spark-submit, or local[*]]")
@threads_option
@click.option("--memory", metavar="SIZE", help="Memory limit, e.g. 2G; larger logs are spilled to disk next to the release.")
@help_all_option
@verbose_option
@click.option("--json", "as_json", is_flag=True, help="Print the manifest instead of the summary.")
@config_option
def command(**options: Any) -> None:
    """Write a verified release of INPUT (files with the same columns, a directory, a pattern, or - for stdin)."""
    with interrupts.while_loading():
        from shoal.cli.anonymize_run import write_release

    write_release(**options)

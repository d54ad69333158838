"""shoal demo: anonymize a bundled sample."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import click

from shoal.cli import screen
from shoal.cli.options import WholeNumber, verbose_option


@click.command("demo", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--out", "-o", type=click.Path(path_type=Path), default=Path("demo-release"), show_default=True, help="Output directory.")
@click.option("--k", "-k", type=WholeNumber(2), default=5, show_default=True, help="Minimum number of people per published record.")
@verbose_option
def command(out: Path, k: int, verbose: bool) -> None:
    """Anonymize a bundled synthetic query log and write a verified release. Replaces an earlier demo release."""
    from shoal.cli.print_result import print_release
    from shoal.methods import METHODS
    from shoal.pipeline.job import Job
    from shoal.pipeline.options import Preparation, Target

    method = next(iter(METHODS.values()))(k=k)
    with as_file(files("shoal.samples") / "queries.tsv.gz") as sample, screen.job_events() as events:
        done = Job(sample, method, Preparation(), metrics=["bound"], target=Target(out, force=True)).run(events)
    assert done.manifest is not None
    print_release(done.judged.verdicts, done.manifest, out, done.warnings, verbose=verbose)
    screen.note("for your own file: shoal advise YOUR-FILE")

"""shoal demo: the whole path on a bundled sample."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import click

from shoal.cli import screen
from shoal.cli.anonymize import announce, begin
from shoal.cli.print_result import show_outcome
from shoal.io.release_directory import ReleaseDirectory
from shoal.methods import METHODS
from shoal.pipeline.options import Preparation, Target
from shoal.pipeline.prepare import prepare
from shoal.pipeline.run import anonymize, publish


@click.command("demo", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--out", "-o", type=click.Path(path_type=Path), default=Path("demo-release"), show_default=True, help="Directory to write.")
@click.option("--k", "-k", type=click.IntRange(2), default=5, show_default=True, help="People behind every published record.")
def command(out: Path, k: int) -> None:
    """A bundled, made-up query log goes from raw text to a verified release. An older demo release is replaced."""
    method = next(iter(METHODS.values()))(k=k)
    begin(ReleaseDirectory(out, force=True))
    with as_file(files("shoal.pipeline") / "sample" / "queries.tsv.gz") as sample, screen.progress():
        prepared = prepare(sample, Preparation())
        announce(prepared)
        judged = anonymize(prepared, method, ["bound"])
        manifest = publish(judged, Target(out, force=True))
    show_outcome(judged.verdicts, manifest, out)
    screen.note("the same on your own log: shoal anonymize YOUR-LOG --out RELEASE")

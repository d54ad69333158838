"""shoal reproduce: repeat the experiments of a paper."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal.cli import screen
from shoal.cli.options import WholeNumber, threads_option
from shoal.packages import insist_on_extra

if TYPE_CHECKING:
    from shoal.evaluate.reproduce.experiment_page import Experiment

LARGEST = 10_000_000  # more than any of the papers had by far


@click.command("reproduce", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("paper")
@click.option("--out", type=click.Path(path_type=Path), help="Output directory for the page, figures and tables. [default: none]")
@click.option("--data", type=click.Path(path_type=Path, exists=True), help="Your own data: a file or directory. [default: generated data]")
@click.option("--size", type=WholeNumber(1, LARGEST), help="Size of the data. [default: depends on the paper]")
@click.option("--seed", type=WholeNumber(0), default=0, show_default=True, help="Random seed for data generation and sampling.")
@threads_option
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    paper: str, out: Path | None, data: Path | None, size: int | None, seed: int, threads: int | None, force: bool, as_json: bool
) -> None:
    """Repeat the experiments of PAPER, and report for each statement of the paper whether the results agree.

    \b
    thesis     Milani Fard 2010: Clump and Partition. --data: a query log; --size: people
    coherence  Xu and others 2008: (h,k,p)-coherence. --data: a directory with connect, retail, t40i10d100k; --size: transactions
    ssc        Liu and Wang 2010: SSC and LG(bag). --data: a query log; --size: people
    ares       Navarro-Arribas and Torra 2010: microaggregation. --data: a directory with documents, access, queries; --size: people

    The tables contain exact aggregates of the data. Do not publish them together with a release.
    """
    from shoal.evaluate.reproduce import PAPERS, reproduced
    from shoal.evaluate.reproduce.files import write_experiment
    from shoal.evaluate.reproduce.paper import ExperimentSize
    from shoal.io.experiment_files import ExperimentFiles
    from shoal.io.release_directory import insist_apart

    PAPERS[paper]  # an unknown one is refused before anything else
    files = ExperimentFiles(out, force=force) if out is not None else None
    if files is not None:
        insist_on_extra("reproduce")
        files.check()
        insist_apart(files.directory, [data] if data is not None else [])
        screen.note(*files.clear())
    with screen.progress(threads):
        experiment = reproduced(paper, ExperimentSize(size, data, seed))
    if files is not None:
        write_experiment(experiment, files, _typed(paper, data, size, seed))
    if as_json:
        screen.as_json(experiment.as_dict())
    else:
        show(experiment, out)


def show(experiment: Experiment, out: Path | None) -> None:
    """Print the statements of the paper, each with the result."""
    from shoal.evaluate.reproduce.files import PAGE

    screen.note(f"data: {experiment.data}", *experiment.notes)
    screen.listing(
        ["section", "statement", "measured", ""], [[one.place, one.statement, one.measured, one.verdict] for one in experiment.findings]
    )
    screen.lines("", f"{experiment.agreeing} of {len(experiment.findings)} statements of the paper agree")
    if out is not None:
        screen.lines(f"report: {out / PAGE}")


def _typed(paper: str, data: Path | None, size: int | None, seed: int) -> str:
    """Return the command that repeats this, for the page. A file is named without its directories."""
    options = {"data": None if data is None else data.name, "size": size, "seed": seed or None}
    words = [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
    return shlex.join(["shoal", "reproduce", paper, *words])

"""shoal anonymize: from a file to a verified release directory."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from shoal.auditing.earlier_releases import CROSSING, Series
from shoal.cli import screen
from shoal.cli.config import config_option, own_options
from shoal.cli.method_command import TYPED, MethodCommand, help_all_option
from shoal.cli.options import (
    DATA_PARAMETERS,
    asked_attempt,
    attack_options,
    data_options,
    input_argument,
    method_parameters,
    no_guarantee_option,
    patience_option,
    rare_option,
)
from shoal.cli.print_result import told
from shoal.cli.suggest_command import with_change
from shoal.data.patience import allowing
from shoal.errors import ParameterError
from shoal.evaluate.advise.advice import advice_on, changes
from shoal.evaluate.advise.trial import Route
from shoal.evaluate.attack.before_release import release_checks, unsure
from shoal.io.atomic_file import PrivateFile
from shoal.io.formula_check import formula_notes
from shoal.io.read.paths import STDIN
from shoal.io.release_directory import insist_apart
from shoal.io.rules_file import read_rules
from shoal.io.write.output_format import LAYOUTS, LISTS, OUTPUT_FORMATS, OutputForm, default_format, named_as_file
from shoal.kinds import summary_of
from shoal.methods import METHODS, Method
from shoal.pipeline.claims import claims_for
from shoal.pipeline.contract import insist_on_consent
from shoal.pipeline.job import Backend, Done, Job
from shoal.pipeline.manifest_schema import ENGINES
from shoal.pipeline.memory_limit import Memory
from shoal.pipeline.options import Preparation, Target, is_file
from shoal.pipeline.prepare import Prepared
from shoal.pipeline.request import chosen_method, preparation
from shoal.pipeline.reuse_rules import ruled_method
from shoal.pipeline.run import shown_to_publisher
from shoal.report.private_report import render_private

# A release is a directory: `--out x.csv` is refused with the command that was probably meant.


OUT, TO = ("--out", "-o"), ("--to",)


def refuse_file_name(out: Path, command: str, typed: Sequence[str]) -> None:
    """Raise where the directory to write is called like a file. `typed` are the words behind the command."""
    format = named_as_file(out)
    if format:
        directory = out.with_suffix("")
        meant = shlex.join([*command.split(), *_without(typed, (*OUT, *TO)), "--out", str(directory), "--to", format])
        raise ParameterError(
            f"--out names a directory, but {out.name} is the name of a file", code="output-not-a-directory", hint=f"type: {meant}"
        )


def _without(typed: Sequence[str], options: Sequence[str]) -> list[str]:
    """The words without these options and their values."""
    left, skip = [], False
    for word in typed:
        attached = any(word.startswith(f"{name}=" if name.startswith("--") else name) and word != name for name in options)
        if not skip and not attached and word not in options:
            left.append(word)
        skip = not skip and word in options
    return left


def asked_backend(engine: str | None, master: str | None, private_report: Path | None) -> Backend | None:
    """Where the job is done, if not by this process."""
    if engine is None and master is not None:
        raise ParameterError(
            "--master is for Spark, but the engine is this machine", code="option-not-applicable", hint="add --engine spark"
        )
    if engine is None:
        return None
    try:
        from shoal.cluster.run import SparkBackend
    except ImportError:
        raise ParameterError(
            "--engine spark needs pyspark and pyarrow", code="missing-package", hint="pip install 'shoal[spark]', and Java 17 or later"
        ) from None
    return SparkBackend(master, ("private-report",) if private_report is not None else ())


RECORDS_PUBLISHED = ("sets", "bags")  # kinds of tables that have records before and after


GROUPS = {
    "Input": ("format", "user", "time", "text", "item", "record", "count", "sep", "header"),
    "Privacy": ("method_k", "per", "gap", "bag"),
    "Method": ("method", "taxonomy", "unknown", "floor", "outliers"),
    "Output": ("out", "form", "force", "config", "help_all"),
}


def _methods_named(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The names of methods, for the shell to complete."""
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
    shell_complete=_methods_named,
    help=", ".join(METHODS) + ".",
)
@data_options()
@click.option(
    "--to",
    "form",
    type=click.Choice(list(OUTPUT_FORMATS)),
    metavar="NAME",
    help=f"{', '.join(OUTPUT_FORMATS)}. [default: parquet or accesslog]",
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
    help="Earlier release of the same people; counts what both together expose. Repeatable.",
)
@click.option(
    "--crossing",
    type=int,
    default=CROSSING,
    show_default=True,
    metavar="N",
    help="Smallest change, in people, of a query between two releases.",
)
@click.option(
    "--exposed", type=int, default=0, show_default=True, metavar="N", help="Number of queries or people exposed by --previous to accept."
)
@rare_option
@patience_option
@click.option("--engine", type=click.Choice(ENGINES), help="Execution engine. [default: this machine]")
@click.option("--master", metavar="URL", help="Spark master. [default: that of spark-submit, or local[*]]")
@click.option("--threads", type=click.IntRange(1, screen.MOST_THREADS), help="Number of threads. [default: all cores]")
@click.option("--memory", metavar="SIZE", help="Memory limit, e.g. 2G; larger logs are spilled to disk next to --out.")
@help_all_option
@click.option("--json", "as_json", is_flag=True, help="Print the manifest instead of a table.")
@config_option
def command(
    input: tuple[Path, ...],
    out: Path,
    method: str,
    form: str | None,
    layout: str,
    to_sep: str | None,
    rules: Path | None,
    claim: tuple[str, ...],
    bound: bool,
    no_guarantee: bool,
    force: bool,
    private_report: Path | None,
    previous: tuple[Path, ...],
    crossing: int,
    exposed: int,
    show_rare: bool,
    patience: float | None,
    engine: str | None,
    master: str | None,
    threads: int | None,
    memory: str | None,
    as_json: bool,
    **said: Any,
) -> None:
    """Write a verified release of INPUT: files with the same columns, a quoted glob pattern, or - for stdin."""
    found = None if rules is None else read_rules(rules)
    typed = method_parameters(said)
    chosen = chosen_method(method, typed) if found is None else ruled_method(found, typed)
    insist_on_consent(chosen, no_guarantee)
    further, attempt = claims_for(chosen, claim), asked_attempt(said, chosen)
    form = form or default_format(chosen.publishes)
    how = preparation(dict.fromkeys(DATA_PARAMETERS) | said, base=Preparation.default_for(chosen))
    how = replace(how, memory=Memory.asked(memory, out.absolute().parent))
    target = asked_target(out, form, to_sep, force, layout, chosen)
    insist_apart_from(files_read(input, rules, previous, how, typed), target.directory, private_report)
    backend = asked_backend(engine, master, private_report)
    private = None if backend is not None else private_page(private_report, target, chosen)
    checks = release_checks(Series(previous, crossing, exposed), attempt)
    metrics = ["bound"] if bound else []
    job = Job(input, chosen, how, None, further, metrics, found, no_guarantee, checks, target, threads, patience)
    with screen.naming(show_rare), screen.job_events() as events:
        if backend is not None:
            made = job.run_on(backend, events)
        else:
            done = job.run(events)
    if backend is not None:
        told(made.verdicts, made.manifest, target.directory, as_json=as_json)
        return
    if private is not None:
        private.write(render_private(done.judged.release, done.prepared.records))
        screen.warn(f"{private_report} shows what people typed: it is not for publication")
    shown = show_release(done, target, as_json=as_json)
    with allowing(patience):
        warn_of_little(shown, input, done.prepared, Route(chosen, done.prepared.how, further=further), threads, ruled=found is not None)


def show_release(done: Done, target: Target, *, as_json: bool) -> dict[str, Any]:
    """Show what was published and what to be careful about; returns the manifest with the numbers that only the publisher may see."""
    judged, manifest = done.judged, done.manifest
    assert manifest is not None
    screen.warn(*(formula_notes(judged.release, target.format) if as_json else ()))
    shown = manifest if as_json else shown_to_publisher(judged.publishable(), manifest)
    told(judged.verdicts, shown, target.directory, as_json=as_json)
    screen.warn(*unsure(shown))
    return shown


def asked_target(out: Path, form: str, to_sep: str | None, force: bool, layout: str, method: Method) -> Target:
    """Where the release goes, as the options say; refused where they do not fit one another or what the method publishes."""
    context = click.get_current_context()
    refuse_file_name(out, context.command_path, context.meta[TYPED])
    target = Target.asked(out, form, to_sep, force, layout)
    OutputForm(layout=layout).refuse_layout(method.publishes)
    return target


def files_read(
    inputs: Sequence[Path], rules: Path | None, previous: Sequence[Path], how: Preparation, typed: Mapping[str, Any]
) -> list[Path]:
    """Every file or release that the command reads: the input, and all that an option names."""
    context = click.get_current_context()
    config = own_options(context.command, context, list(context.meta[TYPED])).get("config")
    texts = [value for value in typed.values() if isinstance(value, str)]
    named = [
        *(path for path in inputs if str(path) != STDIN),
        *previous,
        *(path for path in (rules, config) if path is not None),
        *([how.taxonomy] if is_file(how.taxonomy) else []),
        *(word.partition("=")[2] for word in how.read.hierarchy),
        *(word for text in texts for word in (text, text.removeprefix("@")) if os.path.isfile(word)),  # noqa: PTH113 - texts of any length
    ]
    return [Path(name) for name in named if str(name)]


def insist_apart_from(files: Sequence[Path], *outputs: Path | None) -> None:
    """Raise if one of the outputs would replace a file that is read."""
    for output in outputs:
        if output is not None:
            insist_apart(output, files)


def private_page(path: Path | None, target: Target, method: Method) -> PrivateFile | None:
    """Where records before and after are written, if that was asked for; refused before the work where it cannot be."""
    if path is None:
        return None
    if method.publishes not in RECORDS_PUBLISHED:
        raise ParameterError(
            f"--private-report shows records, but the method {method.name} publishes {method.publishes}", code="option-not-applicable"
        )
    file = PrivateFile(path, target.directory, force=target.force)
    screen.note(*file.clear())
    file.check()
    return file


def warn_of_little(
    manifest: dict[str, Any], input: tuple[Path, ...], prepared: Prepared, route: Route, threads: int | None, *, ruled: bool
) -> None:
    """Where hardly a word is left: that it is so, and what would help, each with its measured risk and the command to type.

    Nothing is proposed for a release that was recoded by rules: these were found before, and a sample has none of its own.
    """
    warning = summary_of(manifest).warning
    if not warning:
        return
    screen.warn(warning)
    if ruled:
        return
    ctx = click.get_current_context()
    options = [(change, *made) for change in changes(prepared, route.method) if (made := with_change(ctx, change)) is not None]
    with screen.progress(threads):
        advice = advice_on(input, prepared.original.n_owners, route, options)
    lines = [f"  {one.change.why}; {one.worth}: {one.text}" for one in advice.proposed]
    screen.note(*([advice.heading, *lines] if lines else []), *advice.notes)

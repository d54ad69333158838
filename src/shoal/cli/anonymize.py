"""shoal anonymize: from a file to a verified release directory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from shoal.auditing.earlier_releases import CROSSING, Series
from shoal.cli import screen
from shoal.cli.attack_option import asked_attempt, attack_options
from shoal.cli.cluster import Asked, on_cluster
from shoal.cli.config import config_option
from shoal.cli.grouped_command import help_all_option
from shoal.cli.method_command import TYPED, MethodCommand
from shoal.cli.options import (
    DATA_PARAMETERS,
    data_options,
    input_argument,
    method_parameters,
    no_guarantee_option,
    patience_option,
    rare_option,
)
from shoal.cli.out_name import refuse_file_name
from shoal.cli.print_result import told
from shoal.cli.suggest_command import with_change
from shoal.data.patience import allowing
from shoal.errors import ParameterError
from shoal.evaluate.advise.advice import advice_on, changes
from shoal.evaluate.advise.trial import Route
from shoal.evaluate.attack.before_release import readied, unsure, withstood
from shoal.io.formula_check import formula_notes
from shoal.io.private_file import PrivateFile
from shoal.io.release_directory import ReleaseDirectory, insist_apart
from shoal.io.rules_file import read_rules
from shoal.io.write.output_format import LAYOUTS, LISTS, OUTPUT_FORMATS, OutputForm, default_format
from shoal.methods import METHODS, Method
from shoal.pipeline.announcements import announced, doubts
from shoal.pipeline.consent import insist_on_consent
from shoal.pipeline.further import claims_for
from shoal.pipeline.manifest_schema import ENGINES
from shoal.pipeline.memory_limit import Memory
from shoal.pipeline.options import Preparation, Target, is_file
from shoal.pipeline.prepare import Prepared
from shoal.pipeline.request import chosen_method, preparation
from shoal.pipeline.reuse_rules import ruled_method
from shoal.pipeline.run import Judged, anonymize, publish, shown_to_publisher
from shoal.privacy import Model
from shoal.report.private_report import render_private
from shoal.report.summaries import summary_of

RECORDS_PUBLISHED = ("sets", "bags")  # kinds of tables that have records before and after


GROUPS = {
    "Input": ("format", "user", "time", "text", "item", "record", "count", "sep", "header"),
    "What is protected": ("method_k", "per", "gap", "bag"),
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
    help=f"{', '.join(OUTPUT_FORMATS)}. [default: parquet; accesslog]",
)
@click.option("--layout", type=click.Choice(LAYOUTS), default=LISTS, help="A row is a record (lists) or an item of one.")
@click.option("--to-sep", metavar="CHARACTER", help="What separates items in transaction lines. [default: tab]")
@click.option(
    "--rules", type=click.Path(path_type=Path), metavar="FILE", help="Recode as a release before: its directory, or its rules.json."
)
@click.option("--claim", "-c", multiple=True, metavar="MODEL", help='Also judge by this, such as "km-anonymity(k=5, m=2)".')
@click.option("--bound", is_flag=True, help="Also prove what any release must lose; slow.")
@attack_options
@no_guarantee_option
@click.option("--force", is_flag=True, help="Replace an older release.")
@click.option("--private-report", type=click.Path(path_type=Path), metavar="FILE", help="Records before and after. Not to be published.")
@click.option(
    "--previous",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="RELEASE",
    help="Earlier release of the same people; what both tell together is counted. Once each.",
)
@click.option("--crossing", type=int, default=CROSSING, show_default=True, metavar="N", help="People by whom queries must come or go.")
@click.option("--exposed", type=int, default=0, show_default=True, metavar="N", help="Most queries or people that --previous may find.")
@rare_option
@patience_option
@click.option("--engine", type=click.Choice(ENGINES), help="Where the work is done. [default: this machine]")
@click.option("--master", metavar="URL", help="Spark's master. [default: spark-submit's, or local[*]]")
@click.option("--threads", type=click.IntRange(1, screen.MOST_THREADS), help="How many threads may work. [default: all cores]")
@click.option("--memory", metavar="SIZE", help="Most memory to take, as 2G: larger logs go to disk, beside --out.")
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
    """Turn INPUT into a release directory whose guarantee was verified before it was written. INPUT is
    a file, several with the same columns, a pattern in quotes, or - for standard input.
    """
    found = None if rules is None else read_rules(rules)
    typed = method_parameters(said)
    chosen = chosen_method(method, typed) if found is None else ruled_method(found, typed)
    insist_on_consent(chosen, no_guarantee)
    further, attempt = claims_for(chosen, claim), asked_attempt(said, chosen)
    form = form or default_format(chosen.publishes)
    how = preparation(dict.fromkeys(DATA_PARAMETERS) | said, base=Preparation.default_for(chosen))
    how = replace(how, memory=Memory.asked(memory, out.absolute().parent))
    target = apart(asked_target(out, form, to_sep, force, layout, chosen), private_report, input, how)
    others = (rules, claim, bound, private_report, previous, threads, attempt, memory, patience)
    if on_cluster(Asked(input, how, chosen, target), engine, master, others, as_json):
        return
    private = private_page(private_report, target, chosen)
    series = Series(previous, crossing, exposed)
    earlier = series.earlier(chosen.claims())
    begin(ReleaseDirectory(out, force=force))
    screen.warn(*doubts(chosen))
    with allowing(patience), screen.naming(show_rare), screen.progress(threads):
        ready = readied(attempt, input, how)
        prepared = ready.prepared
        announce(prepared, chosen.claims())
        judged = anonymize(prepared, chosen, ["bound"] if bound else [], further, found, no_guarantee=no_guarantee)
        for compared in series.compare(judged, earlier):
            (screen.warn if compared.exposed else screen.note)(*compared.told)
        judged = withstood(attempt, judged, ready, chosen, found, lambda notes: screen.note(*notes))
        manifest = publish(judged, target)
        if private is not None:
            private.write(render_private(judged.release, prepared.records))
            screen.warn(f"{private_report} shows what people typed: it is not for publication")
    shown = show_release(judged, manifest, target, as_json=as_json)
    warn_of_little(shown, input, prepared, chosen, threads)


def show_release(judged: Judged, manifest: dict[str, Any], target: Target, *, as_json: bool) -> dict[str, Any]:
    """Show what was published and what to be careful about; returns the manifest with the numbers that only the publisher may see."""
    screen.warn(*(formula_notes(judged.release, target.format) if as_json else ()))
    shown = manifest if as_json else shown_to_publisher(judged, manifest)
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


def apart(target: Target, private_report: Path | None, inputs: Sequence[Path], how: Preparation) -> Target:
    """The target, unless it or the private report would replace a file that is read."""
    files = [*(path for path in inputs if str(path) != "-"), *([Path(how.taxonomy)] if is_file(how.taxonomy) else [])]
    for output in (target.directory, *([] if private_report is None else [private_report])):
        insist_apart(output, files)
    return target


def private_page(path: Path | None, target: Target, method: Method) -> PrivateFile | None:
    """Where records before and after are written, if that was asked for; refused before the work where it cannot be."""
    if path is None:
        return None
    if method.publishes not in RECORDS_PUBLISHED:
        raise ParameterError(f"--private-report shows records, and the method {method.name} publishes {method.publishes}")
    file = PrivateFile(path, target.directory, force=target.force)
    screen.note(*file.clear())
    file.check()
    return file


def warn_of_little(
    manifest: dict[str, Any], input: tuple[Path, ...], prepared: Prepared, method: Method, threads: int | None = None
) -> None:
    """Where hardly a word is left: that it is so, and what would help, each with its measured risk and the command to type."""
    warning = summary_of(manifest).warning
    if not warning:
        return
    screen.warn(warning)
    ctx = click.get_current_context()
    options = [(change, *made) for change in changes(prepared, method) if (made := with_change(ctx, change)) is not None]
    with screen.progress(threads):
        advice = advice_on(input, prepared.original.n_owners, Route(method, prepared.how), options)
    lines = [f"  {one.change.why}; {one.worth}: {one.text}" for one in advice.proposed]
    screen.note(*([advice.heading, *lines] if lines else []), *advice.notes)


def begin(directory: ReleaseDirectory) -> None:
    """Before the work: what a killed run left is removed, and a release that could not be written is refused."""
    screen.note(*directory.clear())
    directory.check()


def announce(prepared: Prepared, claims: Sequence[Model] = ()) -> None:
    """How the input was read, and what was left out: before the method runs, which may take hours."""
    found = announced(prepared, claims)
    screen.note(*found.notes)
    screen.warn(*found.warnings)
    screen.note(*found.left_out)

"""The work of `shoal anonymize`, from a file to a verified release directory. `anonymize.py` declares the options."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.auditing import CROSSING
from shoal.cli import screen
from shoal.cli.config import CONFIG_FILE
from shoal.cli.input_options import files_of, shown_command
from shoal.cli.method_command import TYPED
from shoal.cli.options import (
    DATA_PARAMETERS,
    method_parameters,
    planned_attacks,
)
from shoal.cli.print_result import print_release
from shoal.data.patience import allowing
from shoal.errors import OutputError, ParameterError
from shoal.io.atomic_file import PrivateFile
from shoal.io.read.paths import STDIN
from shoal.io.release_directory import insist_apart
from shoal.io.write.cell_checks import formula_notes
from shoal.io.write.output_format import OutputForm, default_format, named_as_file
from shoal.methods import Method
from shoal.packages import insist_on_extra
from shoal.pipeline.claims import claims_for
from shoal.pipeline.contract import insist_on_consent
from shoal.pipeline.job import Backend, Done, Job, ReleaseCheck
from shoal.pipeline.options import Memory, Preparation, Target, is_file
from shoal.pipeline.request import chosen_method, parse_preparation
from shoal.pipeline.run import shown_to_publisher
from shoal.report.attacks import ATTACKS
from shoal.report.summary import FEW_WORDS
from shoal.util.wording import counted

if TYPE_CHECKING:
    from shoal.evaluate.attack.before_release import PlannedAttacks
    from shoal.io.rules_file import RulesFile

# A release is a directory: `--out x.csv` is rejected, with the command that was probably meant.


OUT, TO = ("--out", "-o"), ("--to",)


def refuse_file_name(out: Path, command: str, typed: Sequence[str]) -> None:
    """Raise if the output directory has the name of a file. `typed` are the arguments of the command."""
    format = named_as_file(out)
    if format:
        directory = out.with_suffix("")
        meant = shown_command([*command.split(), *_without(typed, (*OUT, *TO)), "--out", str(directory), "--to", format])
        raise ParameterError(
            f"--out names a directory, but {out.name} is the name of a file", code="output-not-a-directory", hint=f"type: {meant}"
        )


def _without(typed: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return the arguments without these options and their values."""
    left, skip = [], False
    for word in typed:
        attached = any(word.startswith(f"{name}=" if name.startswith("--") else name) and word != name for name in options)
        if not skip and not attached and word not in options:
            left.append(word)
        skip = not skip and word in options
    return left


def chosen_backend(engine: str | None, master: str | None, private_report: Path | None) -> Backend | None:
    """Return the backend that the options request; None for this process."""
    if engine is None and master is not None:
        raise ParameterError(
            "--master is for Spark, but the engine is this machine", code="option-not-applicable", hint="add --engine spark"
        )
    if engine is None:
        return None
    insist_on_extra("spark")
    from shoal.cluster.run import SparkBackend

    return SparkBackend(master, ("private-report",) if private_report is not None else ())


RECORDS_PUBLISHED = ("sets", "bags")  # kinds of tables that have records before and after


def write_release(
    input: Any,
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
    verbose: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Anonymize the input, verify the release, write it and show the result. If little is kept, propose alternatives."""
    typed = method_parameters(options)
    reused_rules, chosen = (None, chosen_method(method, typed)) if rules is None else method_of_rules(rules, typed)
    insist_on_consent(chosen, no_guarantee)
    further, attempt = claims_for(chosen, claim), planned_attacks(options, chosen)
    form = form or default_format(chosen.publishes)
    preparation = parse_preparation(dict.fromkeys(DATA_PARAMETERS) | options, base=Preparation.default_for(chosen))
    preparation = replace(preparation, memory=Memory.parse(memory, out.absolute().parent))
    target = chosen_target(out, form, to_sep, force, layout, chosen)
    insist_apart_from(files_read(input, rules, previous, preparation, typed), target.directory, private_report)
    backend = chosen_backend(engine, master, private_report)
    private = None if backend is not None else private_page(private_report, target, chosen)
    checks = checks_before_writing(previous, crossing, exposed, attempt)
    metrics = ["bound"] if bound else []
    job = Job(input, chosen, preparation, None, further, metrics, reused_rules, no_guarantee, checks, target, threads, patience)
    with screen.naming(show_rare), screen.job_events() as events:
        if backend is not None:
            released = job.run_on(backend, events)
        else:
            done = job.run(events)
    if backend is not None:
        print_release(released.verdicts, released.manifest, target.directory, released.warnings, as_json=as_json, verbose=verbose)
        return
    if private is not None:
        write_private_page(private, done, target)
        screen.warn(f"{private_report} shows what people typed; do not publish it")
    show_release(done, target, as_json=as_json, verbose=verbose)
    with allowing(patience):
        advise_on_little(job, done, verbose=verbose)


def write_private_page(private: PrivateFile, done: Done, target: Target) -> None:
    """Write the page with records before and after. The release is there already, which an error says."""
    from shoal.report.private_report import render_private

    page = render_private(done.judged.release, done.prepared.records)
    try:
        private.write(page)
    except OutputError as error:
        what = f"{target.directory} is verified and written, but {error.marked_message}"
        raise OutputError(what, code=error.code, hint=error.marked_hint) from None


def method_of_rules(file: Path, typed: Mapping[str, Any]) -> tuple[RulesFile, Method]:
    """Read the recoding rules of an earlier release. Return them with their method and its typed parameters."""
    from shoal.io.rules_file import read_rules
    from shoal.pipeline.reuse_rules import ruled_method

    rules = read_rules(file)
    return rules, ruled_method(rules, typed)


def checks_before_writing(previous: Sequence[Path], crossing: int, exposed: int, attempt: PlannedAttacks | None) -> Sequence[ReleaseCheck]:
    """Return the comparison with earlier releases and the attacks that the options request. Their modules are loaded only if needed."""
    if not previous and attempt is None and (crossing, exposed) == (CROSSING, 0):
        return ()
    from shoal.auditing.earlier_releases import Series
    from shoal.evaluate.attack.before_release import release_checks

    return release_checks(Series(tuple(previous), crossing, exposed), attempt)


def show_release(done: Done, target: Target, *, as_json: bool, verbose: bool) -> None:
    """Show the published numbers and warnings, with the numbers that only the publisher may see."""
    judged, manifest = done.judged, done.manifest
    assert manifest is not None
    screen.warn(*(formula_notes(judged.release, target.format) if as_json or not verbose else ()))
    shown = manifest if as_json else shown_to_publisher(judged.publishable(), manifest)
    print_release(judged.verdicts, shown, target.directory, done.warnings, as_json=as_json, verbose=verbose)
    if ATTACKS in shown:
        from shoal.evaluate.attack.before_release import unsure

        screen.warn(*unsure(shown))


def chosen_target(out: Path, form: str, to_sep: str | None, force: bool, layout: str, method: Method) -> Target:
    """Return the target of the release. Raise if the options contradict each other or do not fit what the method publishes."""
    context = click.get_current_context()
    refuse_file_name(out, context.command_path, context.meta[TYPED])
    target = Target.from_options(out, form, to_sep, force, layout)
    OutputForm(layout=layout).refuse_layout(method.publishes)
    return target


def files_read(input: Any, rules: Path | None, previous: Sequence[Path], preparation: Preparation, typed: Mapping[str, Any]) -> list[Path]:
    """Return every file or release that the command reads: the input and those that options name."""
    context = click.get_current_context()
    config = context.meta[CONFIG_FILE]
    texts = [value for value in typed.values() if isinstance(value, str)]
    named = [
        *(path for path in files_of(input) if str(path) != STDIN),
        *previous,
        *(path for path in (rules, config) if path is not None),
        *([preparation.taxonomy] if is_file(preparation.taxonomy) else []),
        *([preparation.read.items.source] if preparation.read.items is not None and isinstance(preparation.read.items.source, str) else []),
        *(word.partition("=")[2] for word in (*preparation.read.hierarchy, *preparation.read.item_sets)),
        *(word for text in texts for word in (text, text.removeprefix("@")) if os.path.isfile(word)),  # noqa: PTH113 - texts of any length
    ]
    return [Path(name) for name in named if str(name)]


def insist_apart_from(files: Sequence[Path], *outputs: Path | None) -> None:
    """Raise if an output would replace a file that is read."""
    for output in outputs:
        if output is not None:
            insist_apart(output, files)


def private_page(path: Path | None, target: Target, method: Method) -> PrivateFile | None:
    """Return where records before and after anonymization are written, if requested. Raise before the run if that is impossible."""
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


SHOWN_ADVICE = 1  # proposals, unless all are requested


def advise_on_little(job: Job, done: Done, *, verbose: bool) -> None:
    """If hardly any words are kept, show alternatives with their measured risk and the command; only the best ones unless `verbose`.

    After a short run no alternatives are tried, because that would take longer; the command that tries them is shown instead. Nothing is
    proposed for a release made with existing rules, because a sample has no rules of its own.
    """
    if job.rules is not None or all(warning.code != FEW_WORDS for warning in done.warnings):
        return
    from shoal.cli.suggest_command import advise_command, with_change
    from shoal.evaluate.advise.goals import seconds_after

    seconds = seconds_after(done.seconds)
    if not seconds:
        command = advise_command(click.get_current_context())
        screen.note(*([f"to measure alternatives that keep more, and their risk: {command}"] if command else []))
        return
    from shoal.evaluate.advise.changes import advice_on, changes
    from shoal.evaluate.advise.trial import Route

    ctx, prepared = click.get_current_context(), done.prepared
    route = Route(job.method, prepared.preparation, further=tuple(job.claims), made=done.judged)
    options = [
        (change, *command_and_route)
        for change in changes(prepared, route.method)
        if (command_and_route := with_change(ctx, change)) is not None
    ]
    with screen.progress(job.threads):
        advice = advice_on(job.data, prepared.original.n_owners, route, options, seconds)
    lines = [f"  {one.change.why}; {one.worth}: {one.text}" for one in advice.proposed]
    if verbose or not lines:
        screen.note(*([advice.heading, *lines] if lines else []), *advice.notes)
        return
    further = len(lines) - SHOWN_ADVICE
    more = [counted(further, "further alternative")] if further > 0 else []
    more += ["what is not proposed and why"] if advice.notes else []
    heading = f"{advice.heading.removesuffix(':')}; -v shows {' and '.join(more)}:" if more else advice.heading
    screen.note(heading, *lines[:SHOWN_ADVICE])

"""shoal attack: measure what an attacker can learn from a release, compared with the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.attacks import ATTACKS, ORIGINAL, RELEASE
from shoal.attacks.draw import QUICK_REMAKES, QUICK_TARGETS, Draw
from shoal.attacks.logs import LOG_ATTACKS
from shoal.attacks.scenarios import SCENARIO_ATTACKS, attack_called
from shoal.attacks.tables import TABLE_ATTACKS
from shoal.cli import screen
from shoal.cli.config import config_option
from shoal.cli.config_command import ConfigCommand, options_for_original
from shoal.cli.input_options import original_argument
from shoal.cli.options import data_options, declared_options, threads_option, verbose_option
from shoal.util.wording import counted, percent

if TYPE_CHECKING:
    from shoal.attacks.outcome import Interval, Outcome
    from shoal.evaluate.attack import Attacked

NAMES = [*ATTACKS, *LOG_ATTACKS, *SCENARIO_ATTACKS, *TABLE_ATTACKS]
SKIPPED = "skipped "  # how a note on an attack begins that could not be run
RATES = ["knowledge", ORIGINAL, RELEASE, "95% interval", "worst 1%", "guaranteed", ""]
COMPARED = ["knowledge", "guessing", "control", "excess", "precision if certain", "recall if certain"]


@click.command("attack", cls=ConfigCommand, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@original_argument
@click.option(
    "--attack",
    "-a",
    "names",
    multiple=True,
    type=click.Choice(NAMES),
    metavar="NAME",
    help=f"Run only this attack: {', '.join(NAMES)}. Repeatable.",
)
@click.option("--other-release", "others", multiple=True, type=click.Path(path_type=Path), help="Another release of ORIGINAL. Repeatable.")
@click.option("--sensitive", metavar="FILE | under:NODE", help="Sensitive items to infer, if no claim of RELEASE lists them.")
@click.option(
    "--reference", type=click.Path(path_type=Path), help="Plain-text log for the attack `tokens`. [default: the log of half of the people]"
)
@declared_options(Draw)
@click.option(
    "--quick",
    is_flag=True,
    help=f"Attack {QUICK_TARGETS} people, and remake the release for {QUICK_REMAKES}, unless other values are given.",
)
@data_options()
@threads_option
@config_option
@verbose_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    original: Any,
    release: Path,
    names: tuple[str, ...],
    others: tuple[Path, ...],
    sensitive: str | None,
    reference: Path | None,
    quick: bool,
    threads: int | None,
    verbose: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Attack RELEASE with partial knowledge about people in ORIGINAL, the file it was made from.

    Most attacks also run on the original, and on a control group: the release is made again without these people. The exit code is 3 if
    the success rate of an attack significantly exceeds the bound that a claim gives.
    """
    from shoal.evaluate.attack import attacked
    from shoal.evaluate.attack.scenario import OtherReleases
    from shoal.pipeline.manifest import Published
    from shoal.pipeline.request import original_options

    drawn = {p.name: value for p in Draw.parameters() if (value := options.pop(p.name)) is not None}
    fewer = {name: str(value) for name, value in Draw.quick_values().items()} if quick else {}
    draw = Draw.parse(fewer | drawn)
    place, others_and_reference = Published.at(release), OtherReleases.of(others, sensitive, reference)
    preparation = original_options(options_for_original(options, original), original, place.manifest)
    assert preparation is not None
    show_notes = partial(_print_notes, every=verbose or bool(names))
    on_estimate = screen.estimate_callback("the attacks take", "" if quick else "--quick attacks fewer people")
    with screen.progress(threads):
        result = attacked(place, original, preparation, names, draw, show_notes, others=others_and_reference, on_estimate=on_estimate)
    result = replace(result, quick=quick)
    if as_json:
        screen.as_json(result.as_dict())
    else:
        show(result, verbose=verbose)
        skipped = sum(note.startswith(SKIPPED) for note in result.notes) if not verbose and not names else 0
        screen.note(*([f"{counted(skipped, 'attack')} could not be run: -v says why"] if skipped else []))
    return 0 if result.holds else 3


def _print_notes(notes: Sequence[str], *, every: bool) -> None:
    """Print notes on how attacks are run. Notes on attacks that do not apply are printed only if `every` is set."""
    screen.note(*(note for note in notes if every or not note.startswith(SKIPPED)))


def show(attacked: Attacked, *, verbose: bool) -> None:
    """Print the strongest attack for each of three criteria, and the verdict; if `verbose`, first each attack with all its rates."""
    if attacked.quick:
        screen.lines(f"quick: a sample of at most {attacked.most_targets:,} people was attacked; intervals are wide")
    for name in attacked.attacks if verbose else ():
        before = {one.knowledge: one for one in attacked.outcomes if one.attack == name and one.subject == ORIGINAL}
        after = [one for one in attacked.outcomes if one.attack == name and one.subject == RELEASE]
        screen.lines("", f"{name} ({after[0].test}). {attack_called(name).story}")
        screen.listing(RATES, [_row(before.get(one.knowledge), one) for one in after])
        screen.listing(COMPARED, [_comparison_row(one) for one in after])
    screen.lines("")
    screen.listing(["criterion", RELEASE, "95% interval", "guaranteed", "strongest attack"], [_worst(one) for one in attacked.by_test])
    screen.lines("", *(_above(one) for one in attacked.outcomes if one.standing == "ABOVE THE PROMISE"))
    verdict = attacked.verdict
    screen.verdict_lines(verdict.promised, verdict.in_fact, severe=verdict.severe)
    screen.alarm(*attacked.alarms)


def _above(one: Outcome) -> str:
    """Describe in one line an attack that succeeds more often than guaranteed."""
    return f"ABOVE THE BOUND: {one.attack}, knowing {one.knowledge}: {percent(one.success.rate)}, {_promised(one)} is guaranteed"


def _row(before: Outcome | None, after: Outcome) -> list[str]:
    """Return the success rates before and after. Some attacks do not apply to the original."""
    rates = ["" if before is None else percent(before.success.rate), percent(after.success.rate), _interval(after.success)]
    standing = "" if after.ceiling is None else after.standing.removesuffix(" the promise")
    return [after.knowledge, *rates, percent(after.worst), _promised(after), standing]


def _comparison_row(one: Outcome) -> list[str]:
    """Return the rates for comparison, and the guesses of which the attacker is certain."""
    control = "" if one.control is None else percent(one.control.rate)
    sure = ["", ""] if one.sure is None else [_share(one.sure.precision), percent(one.sure.recall)]
    return [one.knowledge, percent(one.baseline, 2), control, _share(one.excess, signed=True), *sure]


def _worst(one: Outcome) -> list[str]:
    return [one.test, percent(one.success.rate), _interval(one.success), _promised(one), f"{one.attack}: {one.knowledge}"]


def _promised(one: Outcome) -> str:
    return "" if one.ceiling is None else f"at most {percent(one.ceiling)}"


def _share(rate: float | None, *, signed: bool = False) -> str:
    """Format a rate; empty if there is none. Negative rates have a sign, positive ones if `signed`."""
    if rate is None:
        return ""
    return ("-" if rate < 0 else "+" if signed and rate > 0 else "") + percent(abs(rate))


def _interval(interval: Interval) -> str:
    return f"{percent(interval.low)} to {percent(interval.high)}"

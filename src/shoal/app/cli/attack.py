"""shoal attack: what somebody could find out from a release, beside what they could from the original."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.app.attack import Attacked, Draw, attacked
from shoal.app.attack.scenario import Beside
from shoal.app.cli import screen
from shoal.app.cli.config import config_option
from shoal.app.cli.config_command import ConfigCommand, said_of_original
from shoal.app.cli.options import data_options, declared_options
from shoal.app.manifest import Published
from shoal.app.request import original_options
from shoal.attacks import ATTACKS
from shoal.attacks.intervals import Interval
from shoal.attacks.outcome import ORIGINAL, RELEASE, Outcome
from shoal.attacks.scenarios import SCENARIO_ATTACKS, attack_called
from shoal.counting import percent

NAMES = [*ATTACKS, *SCENARIO_ATTACKS]


@click.command("attack", cls=ConfigCommand, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.argument("original", type=click.Path(path_type=Path))
@click.argument("release", type=click.Path(path_type=Path))
@click.option(
    "--attack", "-a", "names", multiple=True, type=click.Choice([*ATTACKS, *SCENARIO_ATTACKS]), help="One of these only; give it once each."
)
@click.option(
    "--other-release", "others", multiple=True, type=click.Path(path_type=Path), help="Another release of ORIGINAL; give it once each."
)
@click.option("--sensitive", metavar="FILE | under:NODE", help="Items that an attacker looks for, where no claim of RELEASE lists them.")
@declared_options(Draw)
@data_options()
@click.option("--threads", type=click.IntRange(1, screen.MOST_THREADS), help="How many threads may work. [default: all cores]")
@config_option
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(
    original: Path,
    release: Path,
    names: tuple[str, ...],
    others: tuple[Path, ...],
    sensitive: str | None,
    threads: int | None,
    as_json: bool,
    **said: Any,
) -> int:
    """Attack RELEASE, knowing a little of people in ORIGINAL, the file that it was made from.

    Every attack is made on the original too, and on people who were left out. Exit code 3 where an attack succeeds for certain more often
    than a claim promises.
    """
    draw = Draw.parse({p.name: value for p in Draw.parameters() if (value := said.pop(p.name)) is not None})
    place, beside = Published.at(release), Beside.of(others, sensitive)
    how = original_options(said_of_original(said, (original,)), (original,), place.manifest)
    assert how is not None
    with screen.progress(threads):
        found = attacked(place, (original,), how, names, draw, lambda notes: screen.note(*notes), beside=beside)
    if as_json:
        screen.as_json(found.as_dict())
    else:
        show(found)
    return 0 if found.holds else 3


def show(found: Attacked) -> None:
    """Each attack's story, then a row for each kind of knowledge: the original beside the release."""
    for name in dict.fromkeys(one.attack for one in found.outcomes):
        before, after = ([one for one in found.outcomes if one.attack == name and one.subject == on] for on in (ORIGINAL, RELEASE))
        screen.lines("", f"{name} ({after[0].test}). {attack_called(name).story}")
        columns = ["known", ORIGINAL, RELEASE, "95 % interval", "worst 1 %", "guessing", "control", "promised", ""]
        screen.listing(columns, [_row(before[i] if before else None, one) for i, one in enumerate(after)])
    screen.lines("", _sentence(found))


def _row(before: Outcome | None, after: Outcome) -> list[str]:
    """A line of the listing; some attacks have nothing to say of the original."""
    control = "" if after.control is None else percent(after.control.rate)
    promised = "" if after.ceiling is None else f"at most {percent(after.ceiling)}"
    rates = [
        "" if before is None else percent(before.success.rate),
        percent(after.success.rate),
        _interval(after.success),
        percent(after.worst),
    ]
    standing = "" if after.ceiling is None else after.standing.removesuffix(" the promise")
    return [after.knowledge, *rates, percent(after.baseline, 2), control, promised, standing]


def _interval(interval: Interval) -> str:
    return f"{percent(interval.low)} to {percent(interval.high)}"


def _sentence(found: Attacked) -> str:
    above = [one for one in found.outcomes if one.standing == "ABOVE THE PROMISE"]
    if above:
        return f"{len(above)} of the attacks succeed more often than the release promises"
    if not found.outcomes:
        return "no attack was made"
    unsure = [one for one in found.outcomes if one.standing == "may be above the promise"]
    if unsure:
        return f"no attack is certainly above what the release promises; {len(unsure)} may be: more --targets would tell"
    return "no attack succeeds more often than the release promises"

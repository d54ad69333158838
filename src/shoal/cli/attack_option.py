"""The options of `shoal anonymize` that ask for attacks on the release before it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from shoal.attacks import ATTACKS
from shoal.evaluate.attack import Draw
from shoal.evaluate.attack.before_release import ALL, Attempt
from shoal.methods import Method

_DRAWN = ("targets", "control")
_HELP = f"Attack the release before it is written; names as in `shoal attack`, with commas between. [default: {', '.join(ATTACKS)}]"


def attack_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which attacks, on how many people, and how many are left out as a control group."""
    declared = {one.name: one for one in Draw.parameters()}
    for name in reversed(_DRAWN):
        told = f"With --attack: {declared[name].help}. [default: {declared[name].default}]"
        command = click.option(f"--{name}", metavar=declared[name].range.replace(" | ", "|"), help=told)(command)
    return click.option("--attack", is_flag=False, flag_value=ALL, metavar="[NAMES]", help=_HELP)(command)


def asked_attempt(said: dict[str, Any], method: Method) -> Attempt | None:
    """The attacks that the options ask for, which are taken out of `said`; refused where this method's releases are not attacked."""
    attempt = Attempt.asked(*(said.pop(name) for name in ("attack", *_DRAWN)))
    if attempt is not None:
        attempt.refuse(method)
    return attempt

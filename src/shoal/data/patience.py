"""The work limit for verifying a claim.

Some claims take astronomically long to verify: an attacker who knows 40 of 60 items knows one of 10^15 sets, and each would have to be
counted. So every judgement has a budget of steps. A step takes some nanoseconds of one core; steps are counted and not timed, so that the
same release gets the same verdict on every machine and with any number of threads. A judge that would need more stops and reports how far
it got; its claim is not verified: `Model.check` returns a verdict that does not hold.

A judge counts work that grows faster than the data: `run` calls a kernel that counts its own steps, `spend` counts those of Python, numpy
and Polars before they are done, and `insist_on_room` rejects a table of counts that would not fit into memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from shoal import kernels
from shoal.errors import OutOfPatience, ParameterError, option

STEPS = 100_000_000_000  # of a patience of 1, the default
LEAST, MOST = 1e-6, 1e6
TRIED = 0.02  # the share of a budget that is spent on a part of the work where all of it is certain to be too much
MOST_HELD = 100_000_000  # numbers, or pairs of numbers, that a judge keeps in memory at once
MOST_NAMED = 5_000_000  # sets of names that it keeps there

_patience: ContextVar[float] = ContextVar("shoal_patience", default=1.0)
_left: ContextVar[list[int] | None] = ContextVar("shoal_steps_left", default=None)


def patience() -> float:
    """Return the current patience, as a multiple of the default."""
    return _patience.get()


@contextmanager
def allowing(patience: float | None) -> Iterator[None]:
    """Context in which verification has this patience, a multiple of the default; None leaves it unchanged.

    Raises:
        ParameterError: `patience` is not a number from LEAST to MOST.
    """
    if patience is not None and (isinstance(patience, bool) or not isinstance(patience, int | float) or not LEAST <= patience <= MOST):
        raise ParameterError(
            f"{option('patience')} is a number from {LEAST:g} to {MOST:,.0f}, not {patience!r}",
            code="out-of-range",
            hint="1 is the default",
        )
    token = _patience.set(_patience.get() if patience is None else float(patience))
    try:
        yield
    finally:
        _patience.reset(token)


@contextmanager
def one_judgement() -> Iterator[None]:
    """Context for one judgement with a budget of its own."""
    token = _left.set([int(STEPS * _patience.get())])
    try:
        yield
    finally:
        _left.reset(token)


def steps_left() -> int | None:
    """Return the remaining steps of the current judgement; None outside of one, where work is not limited."""
    budget = _left.get()
    return None if budget is None else budget[0]


def curtail() -> None:
    """Reduce the budget to a small share, because all of the work would certainly exceed it."""
    budget = _left.get()
    if budget is not None:
        budget[0] = min(budget[0], int(STEPS * _patience.get() * TRIED))


def spend(steps: int, what: str) -> None:
    """Count steps that are about to be done.

    Args:
        steps: How many. They may be an upper bound, if it is close.
        what: What is not done if they are too many, for the message.

    Raises:
        OutOfPatience: Fewer are left.
    """
    budget = _left.get()
    if budget is None:
        return
    if steps > budget[0]:
        raise OutOfPatience(
            f"{what} takes about {large(steps)} steps, but only {large(budget[0])} are left", code="too-much-work", hint=advice()
        )
    budget[0] -= steps


def insist_on_room(entries: int, what: str, most: int = MOST_HELD) -> None:
    """Raise OutOfPatience if a judge would keep more than `most` entries in memory, whatever the patience."""
    if entries > most:
        raise OutOfPatience(f"{what} would keep {large(entries)} entries in memory, more than {large(most)}", code="too-much-memory")


def run(kernel: Callable[..., Any], *arguments: Any, label: str, what: str) -> Any:
    """Call a kernel of the judge with the remaining budget.

    Args:
        kernel: A kernel that counts its steps.
        arguments: What it is called with; the task is added here.
        label: The name of the work for the progress display.
        what: What is not done if it takes too long, for the message.

    Raises:
        OutOfPatience: It takes more steps than are left, or more memory than a judge may use.
    """
    budget = _left.get()
    left = None if budget is None else budget[0]
    try:
        answer, spent = kernels.run_within(left, kernel, *arguments, label=label)
    except kernels.Exceeded as stopped:
        if str(stopped) == "memory":
            raise OutOfPatience(f"{what} takes more memory than verification may use", code="too-much-memory") from None
        raise OutOfPatience(
            f"{what} takes more than the {large(left or 0)} steps that are left", code="too-much-work", hint=advice()
        ) from None
    if budget is not None:
        budget[0] -= spent
    return answer


def advice() -> str:
    """Return the hint how to allow more work."""
    return f"a larger patience than {patience():g} allows more"


def large(n: int) -> str:
    """Format a number briefly: 12,345, or 3.2 x 10^15."""
    if n < 10**12:
        return f"{n:,}"
    exponent = int(math.log10(n))
    return f"{10 ** (math.log10(n) - exponent):.1f} x 10^{exponent}"

"""What a job reports while it runs, and how it is cancelled.

A front end gives a job an `Events` and, if it wants to be able to stop it, a `Cancel`. Code inside the job calls `stage`, `note` and
`warn`; kernels and readers report their progress through `shoal.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from shoal import _kernels, kernels
from shoal.errors import Cancelled
from shoal.io.partial_outputs import own_outputs

READING, PREPARING, GROUPING, JUDGING = "reading", "preparing", "grouping", "judging"
MEASURING, WRITING, READING_BACK, REPORT = "measuring", "writing", "reading back", "report"
STAGES = (READING, PREPARING, GROUPING, JUDGING, MEASURING, WRITING, READING_BACK, REPORT)


class Events:
    """Receives what a job reports. Every method does nothing; override those you need.

    The methods are called in the threads that do the work, `progress` about twenty times a second at most.

    Example:
        >>> import shoal
        >>> class Stages(shoal.Events):
        ...     def stage(self, name, index, count):
        ...         print(f"{index} of {count}: {name}")
        >>> result = shoal.anonymize([["Apple"], ["Apple"]], k=2, taxonomy={"Food": ["Apple"]}, events=Stages())
        1 of 8: reading
        2 of 8: preparing
        3 of 8: grouping
        4 of 8: judging
        5 of 8: measuring
    """

    def stage(self, name: str, index: int, count: int) -> None:
        """A stage begins.

        Args:
            name: reading, preparing, grouping, judging, measuring, writing, reading back or report.
            index: Its number, from 1.
            count: The number of stages.
        """

    def progress(self, label: str, done: int, total: int, remark: str = "") -> None:
        """A part of the work is complete.

        Args:
            label: The name of the work.
            done: The number of units that are complete.
            total: The number of all units; 0 if unknown.
            remark: A short text about the state of the work; may be empty.
        """

    def note(self, line: str) -> None:
        """Something worth knowing, such as how the input was read.

        Args:
            line: One line of text, without user IDs or queries.
        """

    def warn(self, line: str) -> None:
        """Something that the user should act on.

        Args:
            line: One line of text, without user IDs or queries. A warning about a release that was made has an attribute `code`, such
                as `few-rows`, `unique-records` or `general-items`.
        """


class Cancel:
    """Stops a job, from any thread. A job that was cancelled raises `Cancelled` within a second and leaves nothing behind.

    Example:
        >>> import shoal
        >>> cancel = shoal.Cancel()
        >>> cancel.cancel()  # usually from another thread
        >>> shoal.anonymize([["Apple"], ["Apple"]], k=2, taxonomy={"Food": ["Apple"]}, cancel=cancel)
        Traceback (most recent call last):
            ...
        shoal.errors.Cancelled: the run was cancelled; nothing was left behind
        >>> cancel.cancelled
        True
    """

    def __init__(self) -> None:
        self.task = _kernels.Task()

    def cancel(self) -> None:
        """Request that the job stops."""
        self.task.cancel()

    @property
    def cancelled(self) -> bool:
        """Whether the job has been requested to stop."""
        return bool(self.task.cancelled)


_current: ContextVar[Events | None] = ContextVar("shoal_events", default=None)
_repeating: ContextVar[bool] = ContextVar("shoal_repeating", default=False)


@contextmanager
def running(events: Events | None, cancel: Cancel | None, threads: int | None = None) -> Iterator[None]:
    """Context in which code reports to `events`, stops when `cancel` is set, and owns the outputs that it creates.

    Raises:
        Cancelled: The work was cancelled.
    """
    token = _current.set(events)
    watch = None if events is None else events.progress
    try:
        with own_outputs(), kernels.using(threads=threads, watch=watch, whole=None if cancel is None else cancel.task):
            yield
    except _kernels.Cancelled:
        raise Cancelled("the run was cancelled; nothing was left behind", code="cancelled") from None
    finally:
        _current.reset(token)


@contextmanager
def within_stage() -> Iterator[None]:
    """Context of work that repeats earlier steps, such as an attack that prepares the data again: their stages are not reported."""
    token = _repeating.set(True)
    try:
        yield
    finally:
        _repeating.reset(token)


def stage(name: str) -> None:
    """Report that a stage begins."""
    kernels.checkpoint()
    events = _current.get()
    if events is not None and not _repeating.get():
        events.stage(name, STAGES.index(name) + 1, len(STAGES))


def note(*lines: str) -> None:
    """Report what is worth knowing."""
    events = _current.get()
    for line in lines if events is not None else ():
        events.note(line)  # type: ignore[union-attr]


def warn(*lines: str) -> None:
    """Report what the user should act on."""
    events = _current.get()
    for line in lines if events is not None else ():
        events.warn(line)  # type: ignore[union-attr]

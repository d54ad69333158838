"""Calling the C++ kernels: with how many threads, who watches the progress, and how Ctrl-C gets through.

A kernel runs in a thread of its own without the GIL. The calling thread waits in short intervals, so that a Ctrl-C arrives soon, cancels
the kernel through an atomic and leaves only after the kernel has stopped.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Protocol

from shoal import _kernels

MOST_THREADS = 1024  # more than any machine has use for
NAP_SECONDS = 0.05


class Watch(Protocol):
    """Is told how far a piece of work is, and perhaps a remark on how it goes."""

    def __call__(self, label: str, done: int, total: int, remark: str = "") -> None:
        """So much is done of a total, which is 0 where it is not known."""


@dataclass(frozen=True)
class Settings:
    """How kernels run in this context."""

    threads: int
    watch: Watch | None = None


def _all_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


_settings: ContextVar[Settings] = ContextVar("shoal_kernel_settings", default=Settings(threads=_all_cores()))  # noqa: B039 - frozen


def threads() -> int:
    """How many threads a kernel may use here."""
    return _settings.get().threads


@contextmanager
def using(threads: int | None = None, watch: Watch | None = None) -> Iterator[None]:
    """Kernels called inside use this many threads and report their progress to `watch(label, done, total)`."""
    now = _settings.get()
    token = _settings.set(replace(now, threads=threads or now.threads, watch=watch or now.watch))
    try:
        yield
    finally:
        _settings.reset(token)


def report(label: str, done: int, total: int) -> None:
    """Tell whoever watches how far a piece of work is that is not a kernel's; a total of 0 is not known."""
    watch = _settings.get().watch
    if watch is not None:
        watch(label, done, total)


def watched() -> bool:
    """Whether anybody watches the progress here."""
    return _settings.get().watch is not None


def run(kernel: Callable[..., Any], *arguments: Any, label: str = "", task: _kernels.Task | None = None, remark: str = "") -> Any:
    """The kernel's answer; its last argument, a Task, is added here. Steps of one piece of work share a task, and so its progress."""
    task = _kernels.Task() if task is None else task
    answer: list[Any] = []
    failure: list[BaseException] = []
    end = _End()

    def work() -> None:
        try:
            answer.append(kernel(*arguments, task))
        except BaseException as error:  # handed to the calling thread, which raises it
            failure.append(error)
        finally:
            end.come()

    started = False
    try:
        start_new_thread(work, ())
        started = True
        _wait(end, task, label, remark)
    except BaseException as error:
        # Python notices an interrupt after the call that starts the thread, never before; only where threads have run out there is none.
        if started or not isinstance(error, RuntimeError):
            _stop(end, task)
        failure.clear()  # it says only that the kernel was cancelled; kept, it would tie itself into a cycle
        raise
    if failure:
        raise failure.pop()
    return answer[0]


class _End:
    """The end of a kernel, which can be waited for whenever Ctrl-C comes.

    A bare lock and a flag: an interrupt inside Python's own Event, Thread.start or Thread.join leaves them broken, and a running thread
    taken for one that has ended.
    """

    def __init__(self) -> None:
        self.has_come = False
        self._bell = allocate_lock()
        self._bell.acquire()

    def come(self) -> None:
        """Said by the kernel's thread, once."""
        self.has_come = True
        self._bell.release()

    def wait(self) -> None:
        """Wait for it a moment."""
        self._bell.acquire(timeout=NAP_SECONDS)


def _wait(end: _End, task: Any, label: str, remark: str) -> None:
    watch = _settings.get().watch
    while not end.has_come:
        end.wait()
        if watch is not None and label:
            watch(label, task.done, task.total, *([remark] if remark else []))


def _stop(end: _End, task: Any) -> None:
    """Cancels the kernel and stays until it has stopped, however often the user presses Ctrl-C meanwhile."""
    task.cancel()
    while not end.has_come:
        with suppress(KeyboardInterrupt):
            end.wait()

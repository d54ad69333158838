"""Calls of the C++ kernels: number of threads, progress, cancelling and Ctrl-C.

A kernel runs in a separate thread without the GIL. The calling thread waits in short intervals, so that a Ctrl-C arrives soon, cancels the
kernel through an atomic and returns only after the kernel has stopped.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any, Protocol, TypeVar

from shoal import _kernels

M_ARENA_MAX = -8  # an option of mallopt, from malloc.h of glibc
MOST_THREADS = 1024  # more than any machine has use for
NAP_SECONDS = 0.05

Item = TypeVar("Item")


class Watch(Protocol):
    """Progress callback."""

    def __call__(self, label: str, done: int, total: int, remark: str = "") -> None:
        """`done` of `total` units are complete; `total` is 0 if unknown. `remark` is a note on the progress."""


@dataclass(frozen=True)
class KernelSettings:
    """Settings of kernels in the current context."""

    threads: int
    watch: Watch | None = None


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


_settings: ContextVar[KernelSettings] = ContextVar("shoal_kernel_settings", default=KernelSettings(threads=cores()))  # noqa: B039 - frozen

_whole: ContextVar[_kernels.Task | None] = ContextVar("shoal_whole_task", default=None)  # of which kernels here are a part


def threads() -> int:
    """Return the number of threads that a kernel may use in this context."""
    return _settings.get().threads


@contextmanager
def using(threads: int | None = None, watch: Watch | None = None, whole: _kernels.Task | None = None) -> Iterator[None]:
    """Context in which kernels use this many threads, report progress to `watch(label, done, total)`, and stop with the task `whole`."""
    now = _settings.get()
    token = _settings.set(replace(now, threads=threads or now.threads, watch=watch or now.watch))
    part = _whole.set(whole or _whole.get())
    try:
        yield
    finally:
        _whole.reset(part)
        _settings.reset(token)


def share_heaps() -> bool:
    """Let threads share one heap of the C library per core; called by programs of our own, before they compute.

    The C library of Linux gives threads heaps of their own, up to eight for each core, and memory that is freed in one is not used for
    another. A program that starts threads again and again would hold more and more. False if the C library has no such setting.
    """
    import ctypes  # loaded by Polars anyway, but not by every help

    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library
        return False
    return bool(set_option(M_ARENA_MAX, max(2, cores())))


def checkpoint() -> None:
    """Raise `Cancelled` if the current work was cancelled. Called often by work outside of kernels."""
    whole = _whole.get()
    if whole is not None and whole.cancelled:
        raise _kernels.Cancelled


def report(label: str, done: int, total: int) -> None:
    """Report the progress of work outside of kernels; a total of 0 means unknown. Raises `Cancelled` if the work was cancelled."""
    checkpoint()
    watch = watcher()
    if watch is not None:
        watch(label, done, total)


def watcher() -> Watch | None:
    """Return the current progress callback, or None."""
    return _settings.get().watch


def watched() -> bool:
    """Whether there is a progress callback."""
    return watcher() is not None


def run(kernel: Callable[..., Any], *arguments: Any, label: str = "", task: _kernels.Task | None = None, remark: str = "") -> Any:
    """Run a kernel and return its result; its last argument, a Task, is added here. Steps of one task share it, and so its progress."""
    checkpoint()
    running = Running(kernel, arguments, task)
    try:
        running.start()
        return running.answer(label, remark)
    finally:
        running.stop()


Exceeded = _kernels.OutOfPatience  # raised by `run_within`


def run_within(steps: int | None, kernel: Callable[..., Any], *arguments: Any, label: str = "") -> tuple[Any, int]:
    """Call a kernel that counts its steps, with a limit.

    Args:
        steps: The most that it may take; None for any number.
        kernel: The kernel.
        arguments: What it is called with; the task is added here.
        label: The name of the work for the progress display.

    Returns:
        The kernel's answer, and the number of steps it took.

    Raises:
        Exceeded: It needs more steps (the text of the error is `steps`), or too much memory (`memory`).
    """
    task = _kernels.Task()
    if steps is not None:
        task.allow(steps)
    return run(kernel, *arguments, label=label, task=task), task.spent


class Background:
    """Runs kernels in the background, one at a time. Leaving the block stops the running kernel.

    with Background() as background:
        background.begin(kernel, ...)
        ...
        answer = background.answer()
    """

    def __init__(self) -> None:
        self._running: Running | None = None

    def __enter__(self) -> Background:
        return self

    def begin(self, kernel: Callable[..., Any], *arguments: Any) -> None:
        """Start a kernel. The result of the previous one must have been taken."""
        self.stop()
        self._running = Running(kernel, arguments)
        self._running.start()

    def answer(self, label: str = "") -> Any:
        """Wait for the kernel and return its result; progress is reported under the label, if there is one."""
        if self._running is None:
            raise RuntimeError("no kernel was begun")
        return self._running.answer(label)

    def cancel(self) -> None:
        """Request the running kernel, if any, to stop."""
        if self._running is not None:
            self._running.cancel()

    def stop(self) -> None:
        """Stop the running kernel, if any."""
        if self._running is not None:
            self._running.stop()

    def __exit__(self, *failure: object) -> None:
        self.stop()


def ahead(*lanes: Iterator[Item]) -> Generator[Item, None, None]:
    """Yield the items of all lanes in turn, prefetched by a thread for each lane, with the settings of the current context.

    If fewer threads are allowed than there are cores, no threads are started: items are made on demand. The first exhausted lane ends the
    iteration. The iterator must be closed before the program ends, also after an error: kernels that are making an item are then cancelled.
    """
    if threads() < cores():
        yield from _by_turns(lanes)
        return
    last = object()
    with ExitStack() as open_lanes:
        makers = [(open_lanes.enter_context(Background()), _next_of(lane, last)) for lane in lanes]
        for background, following in makers:
            background.begin(following)
            open_lanes.callback(background.cancel)  # which comes first at the end: all are stopped before any is waited for
        for background, following in cycle(makers):
            if (item := background.answer()) is last:
                return
            background.begin(following)
            yield item


def _by_turns(lanes: Sequence[Iterator[Item]]) -> Iterator[Item]:
    """Yield an item of each lane in turn, until one is exhausted."""
    for lane in cycle(lanes):
        for item in lane:
            yield item
            break
        else:
            return


def _next_of(items: Iterator[Item], last: object) -> Callable[[_kernels.Task], Any]:
    """Return a function that makes the next item, or `last`, in a separate thread; its kernels are cancelled with its task."""
    context = copy_context()

    def following(task: _kernels.Task) -> Any:
        context.run(_whole.set, task)
        return context.run(next, items, last)

    return following


class Running:
    """A kernel running in a separate thread, with its Task as the last argument."""

    def __init__(self, kernel: Callable[..., Any], arguments: tuple[Any, ...], task: _kernels.Task | None = None) -> None:
        self._kernel, self._arguments = kernel, arguments
        self._task = _kernels.Task() if task is None else task
        self._answer: list[Any] = []
        self._failure: list[BaseException] = []
        self._end = _End()
        self._started = False

    def start(self) -> None:
        """Start the thread. Raises if no thread can be started."""
        # Python handles an interrupt after the call that starts the thread, never between these two statements.
        self._started = True
        try:
            start_new_thread(self._work, ())
        except RuntimeError:
            self._started = False
            raise

    def answer(self, label: str = "", remark: str = "") -> Any:
        """Return the kernel's result, or raise its error; report its progress to the callback."""
        _wait(self._end, self._task, label, remark)
        if self._failure:
            raise self._failure.pop()
        return self._answer.pop()

    def cancel(self) -> None:
        """Request the kernel to stop, if it is running."""
        if self._started and not self._end.is_reached:
            self._task.cancel()

    def stop(self) -> None:
        """Cancel the kernel, if it is running, and wait until it has stopped, even if the user presses Ctrl-C again."""
        self.cancel()
        if self._started:
            _insist(self._end)
        self._failure.clear()  # nobody asks for it any more; kept, it would tie itself into a cycle
        self._answer.clear()

    def _work(self) -> None:
        try:
            self._answer.append(self._kernel(*self._arguments, self._task))
        except BaseException as error:  # handed to the calling thread, which raises it
            self._failure.append(error)
        finally:
            self._arguments = ()  # what it worked on is not held by who waits for the answer
            self._end.mark()


class _End:
    """The end of a kernel, which can be waited for despite Ctrl-C.

    A bare lock and a flag: an interrupt inside Python's own Event, Thread.start or Thread.join leaves them in an inconsistent state, so
    that a running thread seems to have ended.
    """

    def __init__(self) -> None:
        self.is_reached = False
        self._bell = allocate_lock()
        self._bell.acquire()

    def mark(self) -> None:
        """Set the flag; called once by the kernel's thread."""
        self.is_reached = True
        self._bell.release()

    def wait(self) -> None:
        """Wait a short time for the end."""
        self._bell.acquire(timeout=NAP_SECONDS)


def _wait(end: _End, task: Any, label: str, remark: str) -> None:
    watch, whole = _settings.get().watch, _whole.get()
    while not end.is_reached:
        end.wait()
        if whole is not None and whole.cancelled:
            task.cancel()
        if watch is not None and label:
            total = task.total  # may be an estimate: work beyond it is not shown as more than all
            watch(label, min(task.done, total) if total else task.done, total, *([remark] if remark else []))
    if whole is not None and whole.cancelled:
        raise _kernels.Cancelled  # also if the kernel ended before it was stopped: nothing after it is needed


def _insist(end: _End) -> None:
    """Wait until the end despite interrupts, but not while the interpreter exits, which has ended all other threads."""
    while not end.is_reached and not sys.is_finalizing():
        with suppress(KeyboardInterrupt):
            end.wait()

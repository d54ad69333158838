"""Calling the C++ kernels: with how many threads, who watches the progress, and how Ctrl-C gets through.

A kernel runs in a thread of its own without the GIL. The calling thread waits in short naps, so that a Ctrl-C arrives at once, cancels the
kernel through an atomic and leaves only after the kernel has stopped.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from shoal import _kernels

NAP_SECONDS = 0.05

Watch = Callable[[str, int, int], None]


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


def run(kernel: Callable[..., Any], *arguments: Any, label: str = "") -> Any:
    """The kernel's answer; its last argument, a Task, is added here."""
    task = _kernels.Task()
    answer: list[Any] = []
    failure: list[BaseException] = []
    finished = threading.Event()

    def work() -> None:
        try:
            answer.append(kernel(*arguments, task))
        except BaseException as error:  # handed to the calling thread, which raises it
            failure.append(error)
        finally:
            finished.set()

    worker = threading.Thread(target=work, name=f"shoal-{label or 'kernel'}", daemon=True)
    worker.start()
    try:
        _wait(finished, task, label)
    except BaseException:
        _stop(finished, task)
        failure.clear()  # it says only that the kernel was cancelled; kept, it would tie itself into a cycle
        raise
    if failure:
        raise failure.pop()
    return answer[0]


def _wait(finished: threading.Event, task: Any, label: str) -> None:
    # An event, not the thread's join: in Python 3.11 a join that Ctrl-C breaks off takes a running thread for ended.
    watch = _settings.get().watch
    while True:
        over = finished.wait(NAP_SECONDS)
        if watch is not None and label:
            watch(label, task.done, task.total)
        if over:
            return


def _stop(finished: threading.Event, task: Any) -> None:
    """Cancels the kernel and stays until it has stopped, however often the user presses Ctrl-C meanwhile."""
    task.cancel()
    while not finished.is_set():
        with suppress(KeyboardInterrupt):
            finished.wait()

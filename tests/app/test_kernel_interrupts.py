"""Interrupts reach a kernel, and nobody leaves before it has stopped."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

from shoal import _kernels, kernels


class Stubborn:
    """A kernel that stops a while after it was told to."""

    def __init__(self) -> None:
        self.running = threading.Event()
        self.stopped = False

    def __call__(self, task: _kernels.Task) -> None:
        self.running.set()
        while not task.cancelled:
            time.sleep(0.005)
        time.sleep(0.2)
        self.stopped = True


def interrupt_when(running: threading.Event, times: int = 1) -> threading.Thread:
    def press() -> None:
        running.wait()
        for _ in range(times):
            time.sleep(0.05)
            signal.raise_signal(signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    return presser


@pytest.mark.parametrize("times", [1, 2], ids=["once", "impatiently"])
def test_an_interrupt_leaves_only_after_the_kernel_has_stopped(times):
    kernel = Stubborn()
    presser = interrupt_when(kernel.running, times)
    with pytest.raises(KeyboardInterrupt):
        kernels.run(kernel)
    assert kernel.stopped
    presser.join()


def test_a_failure_of_the_kernel_is_raised_where_it_was_called():
    def fails(task: _kernels.Task) -> None:
        raise OverflowError("too much")

    with pytest.raises(OverflowError, match="too much"):
        kernels.run(fails)


def test_the_watcher_sees_a_labelled_kernel_and_no_other():
    seen = []
    rows = np.array([0, 1], np.int64), np.array([0], np.int32), np.array([1], np.int32)
    with kernels.using(threads=1, watch=lambda label, done, total: seen.append(label)):
        kernels.run(_kernels.canonical_rows, *rows, False, 1, label="sorting")
        kernels.run(_kernels.canonical_rows, *rows, False, 1)
    assert set(seen) == {"sorting"}

"""Whenever a Ctrl-C comes while a kernel is called, what comes out is a KeyboardInterrupt, and the kernel has stopped."""

from __future__ import annotations

import random
import signal
import threading
import time

import pytest

from shoal import _kernels, kernels


def test_an_interrupt_at_any_moment_of_the_call():
    rng = random.Random(1)
    main = threading.main_thread().ident
    assert main is not None
    stopped = []

    def until_cancelled(task: _kernels.Task) -> None:
        running.set()
        while not task.cancelled:
            time.sleep(0)
        stopped.append(True)

    def press(wait: float) -> None:
        running.wait()
        time.sleep(wait)
        signal.pthread_kill(main, signal.SIGINT)

    for call in range(1, 301):
        running = threading.Event()
        presser = threading.Thread(target=press, args=(rng.random() * 0.0005,))
        presser.start()
        with pytest.raises(KeyboardInterrupt):
            kernels.run(until_cancelled)
        presser.join()
        assert len(stopped) == call

"""Handling of Ctrl-C, a closed terminal and `kill`: one line is printed, and no partial output is left.

While modules are loading, nothing is open yet, so the process exits at once (an interrupt inside an import can appear as any kind of
error). Later, the interrupt is raised as an exception, and unfinished output is removed during unwinding. One signal may be raised twice,
by a library (Polars) and by Python, the second time during the removal. So after unwinding it is checked whether anything is left.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

PATIENCE_SECONDS = 1.0


class Interrupts:
    """Handler of the signals that end a run."""

    def __init__(self) -> None:
        self.loading = True
        self.raised = False
        self.ending = False
        self._last = -PATIENCE_SECONDS

    def install(self) -> None:
        """Handle all of them, except those that the parent process ignores (as `nohup` does)."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)

    @contextmanager
    def while_loading(self) -> Iterator[None]:
        """Load the modules of a command before anything is open: an interrupt exits the process at once.

        Garbage collection is off meanwhile: modules leave no garbage, and the search for it takes a tenth of the time.
        """
        collecting, self.loading = gc.isenabled(), True
        gc.disable()
        try:
            yield
        finally:
            self.loading = False
            if collecting:
                gc.enable()

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Exit at once while loading, otherwise raise. A second Ctrl-C right after the first would only disturb the cleanup."""
        if self.loading:
            os.write(2, f"shoal: {interrupted([])}\n".encode())
            os._exit(1)
        if self.ending:
            return
        before, self._last = self._last, time.monotonic()
        if self._last - before >= PATIENCE_SECONDS:
            self.raised = True
            raise KeyboardInterrupt

    def over(self, code: int) -> None:
        """Exit without waiting for the release of memory, which may take long for gigabytes."""
        self.ending = True
        if self.raised:
            with suppress(OSError):
                sys.stdout.flush()
            os._exit(code)


interrupts = Interrupts()


def interrupted(left: Sequence[Path]) -> str:
    """Return the message after an interrupt: that nothing is left, which was checked, or what is left."""
    if not left:
        return "interrupted; all partial output was removed"
    return f"interrupted; {not_removed(left)}"


def not_removed(left: Sequence[Path]) -> str:
    """Return the unfinished output that could not be removed."""
    return f"{' and '.join(str(path) for path in left)} could not be removed; remove it manually"

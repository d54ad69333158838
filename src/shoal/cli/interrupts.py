"""What Ctrl-C, a closed terminal and `kill` do: one line, and nothing half-written.

While modules are loading nothing is open yet, so the process ends on the spot (an interrupt inside an import surfaces as any kind of
error); after that the interrupt is raised, and what is unfinished is removed on the way out. One signal may be raised twice, by a library
(Polars) and by Python, and the second one in the middle of the removal; so at the end, when nothing is raised any more, it is looked
whether anything is left.
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
    """The handler of the signals that end a run."""

    def __init__(self) -> None:
        self.loading = True
        self.raised = False
        self.ending = False
        self._last = -PATIENCE_SECONDS

    def install(self) -> None:
        """Handle all of them, except those that the caller had ignored (as `nohup` does)."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)

    @contextmanager
    def while_loading(self) -> Iterator[None]:
        """Load the modules of a command's work, before anything is open: an interrupt ends the process on the spot.

        Garbage is not collected meanwhile: modules leave none behind, and looking for it takes a tenth of the time.
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
        """End at once while loading; raise later. A second Ctrl-C right after the first would only disturb the cleaning up."""
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
        """All is done but leaving; who interrupted does not want to wait until gigabytes are given back one by one."""
        self.ending = True
        if self.raised:
            with suppress(OSError):
                sys.stdout.flush()
            os._exit(code)


interrupts = Interrupts()


def interrupted(left: Sequence[Path]) -> str:
    """What is said after an interrupt: that nothing is left, which was looked up, or what is."""
    if not left:
        return "interrupted; all partial output was removed"
    return f"interrupted; {not_removed(left)}"


def not_removed(left: Sequence[Path]) -> str:
    """What is left although it should not be."""
    return f"{' and '.join(str(path) for path in left)} could not be removed; remove it manually"

"""Where the command `shoal` begins: before anything large is loaded, it is settled what an interrupt and an odd terminal do.

Ctrl-C, a closed terminal and `kill` all end in one line and in nothing half-written. While modules are loading nothing is open yet, so the
process ends on the spot (an interrupt inside an import surfaces as any kind of error); after that the interrupt is raised, and what is
unfinished is removed on the way out. One signal may be raised twice, by a library (Polars) and by Python, and the second one in the middle
of the removal; so at the end, when nothing is raised any more, it is looked whether anything is left.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TextIO

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
        return "interrupted; nothing unfinished was left behind"
    return f"interrupted; {not_removed(left)}"


def not_removed(left: Sequence[Path]) -> str:
    """What is left although it should not be."""
    return f"{' and '.join(str(path) for path in left)} could not be removed, and should be removed by hand"


def main() -> None:
    """Run the command line and leave with its exit code."""
    interrupts.install()
    sys.stdout, sys.stderr = _usable(sys.stdout), _usable(sys.stderr)
    from shoal.app.cli.main import after_interrupt, run

    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # a second one, while the first was being answered
        code = after_interrupt()
    interrupts.over(code)
    sys.exit(code)


def _usable(stream: TextIO | None) -> TextIO:
    """A stream that takes any text: what its encoding lacks is escaped, and a closed one swallows."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - lives as long as the process
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return stream

"""Entry point of the command `shoal`: sets up interrupts and the terminal before anything large is loaded."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from shoal.cli.interrupts import interrupts


def main() -> None:
    """Run the command line and exit with its code."""
    interrupts.install()
    sys.stdout, sys.stderr = _usable(sys.stdout), _usable(sys.stderr)
    from shoal.cli.main import after_interrupt, run

    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # a second one, while the first was being answered
        code = after_interrupt()
    interrupts.over(code)
    sys.exit(code)


def _usable(stream: TextIO | None) -> TextIO:
    """Return a stream that accepts any text: characters outside its encoding are escaped, and a closed stream discards them."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - lives as long as the process
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return stream

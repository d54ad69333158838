"""Lines of standard input, for the processes of a studio that a thread listens in: the worker of a task and the preview of a file."""

from __future__ import annotations

import os
import sys


def read_line() -> bytes:
    """Return a line of standard input; empty at its end. It is not read through the buffer, whose lock would abort the interpreter at its
    end.
    """
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(sys.stdin.fileno(), 1)):
        line += byte
    return line

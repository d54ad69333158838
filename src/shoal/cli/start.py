"""Entry point of the command `shoal`: sets up interrupts and the terminal before anything large is loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from shoal.cli.interrupts import interrupts

SHARED = (
    "warning: {other} is installed too. It is another package with the same import name, and each overwrites files of the other: "
    "pip uninstall shoal, then pip install --force-reinstall shoal-privacy"
)


def main() -> None:
    """Run the command line and exit with its code."""
    interrupts.install()
    sys.stdout, sys.stderr = _usable(sys.stdout), _usable(sys.stderr)
    if other := another_shoal(sys.path):
        print(SHARED.format(other=other), file=sys.stderr)
    from shoal.cli.main import after_interrupt, run

    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # a second one, while the first was being answered
        code = after_interrupt()
    interrupts.over(code)
    sys.exit(code)


def another_shoal(places: Iterable[str]) -> str:
    """The distribution called `shoal` in one of these directories, with its version. Ours is called `shoal-privacy`.

    Directories are listed by hand, since `importlib.metadata` would take longer than the rest of the start.
    """
    for place in places:
        try:
            names = os.listdir(place or ".")  # noqa: PTH208 - pathlib is not loaded here
        except OSError:  # an archive, or a directory that is not there
            continue
        for name in names:
            if name.startswith("shoal-") and name.endswith(".dist-info"):
                return name.removesuffix(".dist-info").replace("-", " ")
    return ""


def _usable(stream: TextIO | None) -> TextIO:
    """Return a stream that accepts any text: characters outside its encoding are escaped, and a closed stream discards them."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - lives as long as the process
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return stream

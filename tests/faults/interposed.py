"""The library of failing calls: built with the machine's compiler, loaded before the C library, and set by this module."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

SOURCE = Path(__file__).with_name("interpose.c")
LOADED = "LD_PRELOAD"


class Calls(IntEnum):
    """Classes of calls, as the library numbers them."""

    WRITE, READ, CHANGE, MEMORY, CLOCK = range(5)


@dataclass(frozen=True)
class Failing:
    """Which call of a class fails after so many that succeed, with which error, once or from then on; by how much the clock jumps."""

    calls: Calls
    after: int
    error: int = 0
    lasting: bool = False
    jump: float = 0.0


def start_again_with_it(place: Path) -> None:
    """Build the library into a directory, and start this program again with it, unless it is loaded."""
    if "interpose.so" in os.environ.get(LOADED, ""):
        return
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise SystemExit("a C compiler is needed to let calls of the operating system fail")
    library = place / "interpose.so"
    subprocess.run([compiler, "-O2", "-fPIC", "-shared", "-o", library, SOURCE, "-ldl"], check=True)
    os.execve(sys.executable, sys.orig_argv, {**os.environ, LOADED: str(library)})


def let_fail(failing: Failing | None, below: Path) -> None:
    """Let a call fail, of files below a directory. With None all calls succeed and are counted."""
    library = ctypes.CDLL(None)
    library.fault_below(str(below).encode())
    what = failing or Failing(Calls.CLOCK, -1)
    library.fault_arm(int(what.calls), ctypes.c_long(what.after), what.error, int(what.lasting), ctypes.c_double(what.jump))


def calls_made() -> dict[str, int]:
    """How many calls of each class were made since the library was set."""
    library = ctypes.CDLL(None)
    library.fault_count.restype = ctypes.c_long
    return {calls.name: int(library.fault_count(int(calls))) for calls in Calls}

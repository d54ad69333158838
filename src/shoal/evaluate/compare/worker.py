"""The process of one cell: `python -m shoal.evaluate.compare.worker PREPARED CELL RESULT`.

Each cell has a process of its own, so that its time and memory are its own, and one that dies takes no other with it. What it is given was
written by the process that started it, for this one alone.
"""

from __future__ import annotations

import json
import sys

from shoal import kernels
from shoal.data.patience import allowing
from shoal.evaluate.compare.cell import worked
from shoal.evaluate.compare.grid import Cell
from shoal.evaluate.compare.worst_attack import Effort
from shoal.io.comparison_files import store, taken


def main(prepared: str, told: str, result: str) -> None:
    """Work on a cell and write what came out, whole or not at all."""
    said = json.loads(told)
    cell = Cell(said["method"], tuple((name, value) for name, value in said["settings"]), said["per"])
    with kernels.using(threads=said["threads"]), allowing(said["patience"]):
        given, periods = taken(prepared)
        store(result, worked(cell, given, periods, Effort(**said["effort"])))


if __name__ == "__main__":
    main(*sys.argv[1:])

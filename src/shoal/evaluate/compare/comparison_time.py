"""Expected duration of the cells of a comparison, and their order: methods are tried on two small samples of people.

Processor time is measured, so that other load does not count. What the first trial loads is part of the start of every cell.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence

import numpy as np

from shoal import kernels
from shoal.errors import ShoalError
from shoal.evaluate.compare.cell import worked
from shoal.evaluate.compare.grid import Cell
from shoal.evaluate.compare.shared_inputs import CellInputs
from shoal.evaluate.compare.worst_attack import AttackEffort
from shoal.methods import METHODS

FEW, SOME = 25, 100  # people of the two samples
LEAST_GROWTH, MOST_GROWTH = 0.5, 1.7  # the power of the number of people by which the time grows
SHORTEST_START, LONGEST_START = 0.4, 3.0  # seconds until the process of a cell begins to work
SECONDS = 4.0  # of the processor for all trials; methods for which there is no time left are taken to be as slow as the others


def expected_seconds(cells: Sequence[Cell], inputs: CellInputs, effort: AttackEffort, jobs: int, started: float) -> dict[Cell, float]:
    """Return about how many seconds each of these cells takes, with this many in parallel.

    Args:
        cells: The methods and settings.
        inputs: Their data.
        effort: How many people are attacked.
        jobs: How many cells run at the same time.
        started: The processor seconds that this process needed to start, as a cell's will.
    """
    with kernels.using(threads=max(1, kernels.threads() // jobs)):
        start = min(LONGEST_START, max(SHORTEST_START, started)) + _loading(cells[0], inputs, effort)
        end = time.process_time() + SECONDS
        measured = {cell.method: _of_method(cell, inputs, effort) for cell in _one_each(cells) if time.process_time() < end}
    typical = float(np.mean(list(measured.values())))
    return {cell: start + measured.get(cell.method, typical) for cell in cells}


# The order of cells: what is worth knowing first, and of that what is known soon.


USUAL_K, USUAL_KNOWN = 5, 2  # settings that most people choose


def in_order(cells: Sequence[Cell], seconds: Mapping[Cell, float]) -> list[Cell]:
    """Return the cells in the order in which they should run.

    The most usual setting of each method comes first, then settings by how far they are from the usual ones; cells that are equally
    usual are ordered by their expected time.
    """
    nearest = {cell.method: min(map(_unusual, _of_same_method(cell, cells))) for cell in _one_each(cells)}
    return sorted(cells, key=lambda cell: (_unusual(cell) > nearest[cell.method], _unusual(cell), seconds[cell]))


def _of_same_method(cell: Cell, cells: Sequence[Cell]) -> list[Cell]:
    return [other for other in cells if other.method == cell.method]


def _unusual(cell: Cell) -> float:
    """Return how far the numbers of a cell are from the usual ones, by their ratios."""
    usual = {"k": USUAL_K, METHODS[cell.method].known_items: USUAL_KNOWN}
    return sum(abs(math.log2(value / usual[name])) for name, value in cell.settings if name in usual and isinstance(value, int))


def _loading(cell: Cell, inputs: CellInputs, effort: AttackEffort) -> float:
    """Return by how many seconds the very first trial is slower than the second."""
    try:
        first, second = (_timed(cell, inputs, effort, FEW)[1] for _ in range(2))
    except ShoalError:
        return 0.0
    return max(0.0, first - second)


def _one_each(cells: Sequence[Cell]) -> list[Cell]:
    """Return the first cell of each method."""
    return [cell for n, cell in enumerate(cells) if all(cell.method != other.method for other in cells[:n])]


def _of_method(cell: Cell, inputs: CellInputs, effort: AttackEffort) -> float:
    """Return the seconds of a cell with all people, extrapolated from two samples."""
    try:
        first, second = (_timed(cell, inputs, effort, people) for people in (FEW, SOME))
    except ShoalError:
        return 0.0  # the cell will say why it is not possible
    (few, shorter), (some, longer), total = first[:2], second[:2], second[2]
    if some <= few or longer <= shorter:
        return float(longer * (total / max(1, some)) ** LEAST_GROWTH)
    growth = math.log(longer / shorter) / math.log(some / few)
    return float(longer * (total / some) ** min(MOST_GROWTH, max(LEAST_GROWTH, growth)))


def _timed(cell: Cell, inputs: CellInputs, effort: AttackEffort, people: int) -> tuple[int, float, int]:
    """Return the people of a sample, the seconds of the cell with it, and the number of all people."""
    prepared, periods, total = inputs.some(cell, people)
    begun = time.process_time()
    worked(cell, prepared, periods, effort)
    return min(people, total), time.process_time() - begun, total

"""One cell: a method is applied, its release judged, measured and attacked."""

from __future__ import annotations

import resource
import time
from typing import Any

from shoal.app.comparison.attacking import Effort, worst_attack
from shoal.app.comparison.coverage import coverage
from shoal.app.comparison.grid import Cell
from shoal.app.comparison.words import words_of
from shoal.app.pipeline import Judged, anonymize
from shoal.app.prepare import Prepared
from shoal.errors import ShoalError
from shoal.metrics import METRICS, measure

TASKS = ("pattern_recall", "count_error_1", "count_error_2", "count_error_3")


def worked(cell: Cell, prepared: Prepared, effort: Effort) -> dict[str, Any]:
    """What came out: numbers, or why the method refused. Seconds are of the processor, and of the method and its judge alone."""
    begun = time.process_time()
    try:
        judged = anonymize(prepared, cell.made())
    except ShoalError as error:
        return {"refused": error.message}
    seconds = time.process_time() - begun
    found = {"claims": [str(claim) for claim in judged.release.claims], "kind": min(judged.release.kinds), "seconds": seconds}
    found |= {**_coverage(judged), **judged.metrics, **_tasks(judged)}
    return {**found, **worst_attack(judged.release, judged.original, effort), "peak_mb": peak_mb()}


def peak_mb() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _coverage(judged: Judged) -> dict[str, float]:
    words = words_of(judged.release, judged.original)
    return {} if words is None else coverage(words)


def _tasks(judged: Judged) -> dict[str, float]:
    """What somebody who works with the release still gets right."""
    fit = [name for name in TASKS if METRICS[name].applies(judged.release.kinds, judged.original.shape)]
    return measure(judged.release, judged.original, fit) if fit else {}

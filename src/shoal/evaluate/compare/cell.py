"""One cell: a method is applied, its release judged, measured and attacked."""

from __future__ import annotations

import time
from typing import Any

from shoal.data.original import Original
from shoal.errors import ShoalError
from shoal.evaluate.compare.coverage import coverage
from shoal.evaluate.compare.forecast import forecasts
from shoal.evaluate.compare.grid import Cell
from shoal.evaluate.compare.periods import Periods
from shoal.evaluate.compare.words_kept import words_of
from shoal.evaluate.compare.worst_attack import Effort, worst_attack
from shoal.io.comparison_files import peak_mb
from shoal.metrics import METRICS, measure
from shoal.metrics.count_queries import errors_by_level
from shoal.pipeline.prepare import Prepared
from shoal.pipeline.run import Judged, anonymize
from shoal.report.alarms import WARNINGS, alarms_in

TASKS = (
    "pattern_recall",
    "pair_recall",
    "pair_error",
    "count_error_1",
    "count_error_2",
    "count_error_3",
    "cluster_agreement",
    "nearest_agreement",
)
SIZES = (1, 2, 3)  # of count queries at each level


def worked(cell: Cell, prepared: Prepared, periods: Periods | None, effort: Effort) -> dict[str, Any]:
    """What came out: numbers, or why the method refused. Seconds are of the processor; as the memory, those of method and judge alone."""
    begun = time.process_time()
    try:
        judged = anonymize(prepared, cell.made())
    except ShoalError as error:
        return {"refused": error.message}
    seconds = time.process_time() - begun
    found = {"claims": [str(claim) for claim in judged.release.claims], "kind": min(judged.release.kinds), "seconds": seconds}
    found |= {} if (peak := peak_mb()) is None else {"peak_mb": peak}
    found |= {**_coverage(judged), **judged.metrics, **_tasks(judged), **_by_level(judged), **_forecast(cell, periods)}
    warned = alarms_in(judged.release)
    found |= {WARNINGS: list(warned)} if warned else {}
    return {**found, **worst_attack(judged.release, judged.original, effort)}


def _coverage(judged: Judged) -> dict[str, float]:
    words = words_of(judged.release, judged.original)
    return {} if words is None else coverage(words)


def _tasks(judged: Judged) -> dict[str, float]:
    """What somebody who works with the release still gets right."""
    fit = [name for name in TASKS if METRICS[name].applies(judged.release.kinds, judged.original.shape)]
    promised = any(claim.generalized_groups is not None for claim in judged.release.claims)
    fit += ["bound"] if promised and judged.original.on_taxonomy else []
    return measure(judged.release, judged.original, fit) if fit else {}


def _by_level(judged: Judged) -> dict[str, float]:
    """The errors of counting at each level of the taxonomy."""
    if not isinstance(judged.original, Original) or not judged.release.of_records:
        return {}
    release = judged.original.aligned(judged.release)
    by_size = {size: errors_by_level(release, judged.original, size) for size in SIZES}
    return {f"count_error_{size}_level_{level}": error for size, found in by_size.items() for level, error in found.items()}


def _forecast(cell: Cell, periods: Periods | None) -> dict[str, Any]:
    """What a release of the earlier period is good for in the later one; why it could not be made."""
    if periods is None:
        return {}
    try:
        return dict(forecasts(anonymize(periods.earlier, cell.made()).release, periods))
    except ShoalError as error:
        return {"no_forecast": error.message}

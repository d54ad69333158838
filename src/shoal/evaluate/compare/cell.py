"""One cell of a comparison: a method is applied, and its release is verified, measured and attacked."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from dataclasses import astuple
from typing import Any

from shoal import kernels
from shoal.data.original import Original, TableOriginal
from shoal.data.patience import allowing
from shoal.errors import ShoalError
from shoal.evaluate.compare.grid import Cell
from shoal.evaluate.compare.later_period import EarlierPeriod, forecasts
from shoal.evaluate.compare.words_kept import coverage, words_of
from shoal.evaluate.compare.worst_attack import AttackEffort, worst_attack
from shoal.evaluate.hidden_words_trial import hidden_words
from shoal.io.comparison_files import peak_mb, store, taken
from shoal.io.read.options import ACCESSLOG
from shoal.metrics import METRICS, measure
from shoal.metrics.count_queries import errors_by_level
from shoal.pipeline.job import Job
from shoal.pipeline.prepare import Prepared
from shoal.pipeline.run import Judged
from shoal.report.alarms import WARNINGS, alarms_in
from shoal.report.comparison_charts import KEPT_OF
from shoal.report.facts import fewest_named
from shoal.report.topic_cells import TOPIC_CELLS, topic_cells
from shoal.taxonomy.topic_names import RARE_ROOT, ROOT
from shoal.taxonomy.tree_counts import published_items

TASKS = (
    "bits",
    "joint_bits",
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


def worked(cell: Cell, prepared: Prepared, periods: EarlierPeriod | None, effort: AttackEffort) -> dict[str, Any]:
    """Return the result: numbers, or why the method refused. Processor time and memory are those of method and verification alone."""
    begun = time.process_time()
    try:
        judged = Job(prepared, cell.made(), prepared.preparation).run().judged
    except ShoalError as error:
        return {"refused": error.message}
    seconds = time.process_time() - begun
    found = {"claims": [str(claim) for claim in judged.release.claims], "kind": min(judged.release.kinds), "seconds": seconds}
    found |= {} if (peak := peak_mb()) is None else {"peak_mb": peak}
    found |= {**_coverage(judged), **judged.metrics, **_tasks(judged), **_by_level(judged), **_forecast(cell, periods)}
    found |= _hidden(cell, prepared) if judged.release.of_records else {}
    warned = alarms_in(judged.release)
    found |= {WARNINGS: list(warned)} if warned else {}
    found |= _topics(judged)
    return {**found, **worst_attack(judged.release, judged.original, effort)}


def _coverage(judged: Judged) -> dict[str, Any]:
    """Return what is left: words as typed, or the detail of a table; and what the words are, if they are pages."""
    if isinstance(judged.original, TableOriginal):
        lost = judged.metrics.get("information_loss")
        return {} if lost is None else {"detail_kept": 1 - lost}
    words = words_of(judged.release, judged.original)
    pages = {KEPT_OF: "pages"} if judged.facts.get("format") == ACCESSLOG else {}
    return {} if words is None else {**coverage(words), **pages}


def _tasks(judged: Judged) -> dict[str, float]:
    """Return the quality of typical analyses on the release."""
    kinds, shape = judged.release.kinds, judged.original.shape
    fit = [name for name in TASKS if METRICS[name].applies(kinds, shape) and METRICS[name].fits(judged.release.adds_items)]
    promised = any(claim.generalized_groups is not None for claim in judged.release.claims)
    fit += ["bound"] if promised and judged.original.on_taxonomy else []
    return measure(judged.release, judged.original, fit) if fit else {}


def _by_level(judged: Judged) -> dict[str, float]:
    """Return the counting errors at each level of the taxonomy."""
    if not isinstance(judged.original, Original) or not judged.release.of_records:
        return {}
    release = judged.original.aligned(judged.release)
    by_size = {size: errors_by_level(release, judged.original, size) for size in SIZES}
    return {f"count_error_{size}_level_{level}": error for size, found in by_size.items() for level, error in found.items()}


def _topics(judged: Judged) -> dict[str, Any]:
    """Return the cells of the icicle of published topics, if records are on learned topics; names are those of enough published records."""
    original = judged.original
    if not isinstance(original, Original) or not judged.release.of_records or original.tree.names[0] not in (ROOT, RARE_ROOT):
        return {}
    published, copies = original.aligned(judged.release).published, judged.release.copies
    items = published_items(published, copies, original.tree)[0]
    fewest = fewest_named({"parameters": judged.release.parameters})
    cells = topic_cells(published, copies, original.tree, items >= max(1, fewest))
    return {TOPIC_CELLS: {"records": judged.release.n_records, "cells": [astuple(cell) for cell in cells]}} if cells else {}


def _forecast(cell: Cell, periods: EarlierPeriod | None) -> dict[str, Any]:
    """Return the quality of forecasts from a release of the earlier period, or why it could not be made."""
    if periods is None:
        return {}
    try:
        return dict(forecasts(Job(periods.earlier, cell.made(), periods.earlier.preparation).run().judged.release, periods))
    except ShoalError as error:
        return {"no_forecast": error.message}


def _hidden(cell: Cell, prepared: Prepared) -> dict[str, Any]:
    """Return how well a release of records without a fifth of their words predicts these words, or why it could not be made."""
    try:
        return dict(hidden_words(cell.made(), prepared))
    except ShoalError as error:
        return {"no_hidden_words": error.message}


# The process of one cell: `python -m shoal.evaluate.compare.cell PREPARED CELL RESULT`.
#
# Each cell has a process of its own, so that its time and memory are its own, and one that dies takes no other with it. What it is given
# was written by the process that started it, for this one alone. It ends with that process: the end of standard input tells.


def end_with_parent() -> None:
    """End this process at once when standard input ends; nothing but a hidden unfinished file can be left, which the next run removes."""
    os.read(sys.stdin.fileno(), 1)  # not by the buffer, whose lock the end of the interpreter would wait for
    os._exit(1)


def main(prepared: str, task: str, result: str) -> None:
    """Run a cell and write its result atomically."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    settings = json.loads(task)
    cell = Cell(settings["method"], tuple((name, value) for name, value in settings["settings"]), settings["per"])
    with kernels.using(threads=settings["threads"]), allowing(settings["patience"]):
        data, periods = taken(prepared)
        store(result, worked(cell, data, periods, AttackEffort(**settings["effort"])))


if __name__ == "__main__":
    kernels.share_heaps()
    main(*sys.argv[1:])

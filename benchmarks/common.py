"""What all benchmarks share: where data lies, how a run is timed, and how a table is printed.

Machines are shared and noisy, so what is reported are ratios of runs taken in turn in one process. Data sets lie in the directory that
SHOAL_DATA names (default: ../shared/data beside the checkout); a benchmark whose file is absent says so and skips it.
"""

from __future__ import annotations

import gc
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("SHOAL_DATA", ROOT.parent / "shared" / "data"))
RESULTS = ROOT / "benchmarks" / "results"


def data_file(name: str) -> Path | None:
    """The data set's path, or None with a line that says it is absent."""
    path = DATA / name
    if path.exists():
        return path
    print(f"skipped: {name} is not in {DATA}")
    return None


def seconds(work: Callable[[], Any], repeats: int = 3) -> float:
    """The shortest of a few runs, in seconds of wall time."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def fastest_in_turn(works: list[Callable[[], Any]], repeats: int) -> list[float]:
    """The shortest run of each, taken in turn, so that a noisy spell of the machine hits all of them."""
    best = [float("inf")] * len(works)
    for _ in range(repeats):
        for i, work in enumerate(works):
            best[i] = min(best[i], seconds(work, 1))
    return best


def peak_megabytes() -> float:
    """The most memory this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def forget_peak() -> float:
    """Forget the most memory held so far; returns what is held now, in megabytes."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak_since() -> float:
    """The most memory held since the peak was forgotten, in megabytes."""
    return _status("VmHWM")


def _status(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return float("nan")


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print rows as a plain table under a title."""
    print(f"\n{title}")
    if not rows:
        print("  nothing was measured")
        return
    columns = list(rows[0])
    cells = [[_cell(row.get(c, "")) for c in columns] for row in rows]
    widths = [max(len(c), *(len(line[i]) for line in cells)) for i, c in enumerate(columns)]
    print("  " + "  ".join(c.ljust(w) for c, w in zip(columns, widths, strict=True)))
    for line in cells:
        print("  " + "  ".join(v.rjust(w) if _number(v) else v.ljust(w) for v, w in zip(line, widths, strict=True)))


def _cell(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).replace(",", "").isdigit()

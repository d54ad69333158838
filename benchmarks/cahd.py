"""CAHD on the whole of BMS-WebView-1 and -2: reconstruction error, time and memory, beside a random order of records and the paper's words.

Sensitive items are drawn by a seed among those that are feasible at the largest p, as are the queries. Every release is judged by the model
privacy-degree, with the original at hand. The error is the mean of 100 queries for each of several draws of sensitive items. Seconds are of
the processor, of ordering and of forming groups; megabytes are the most that was held while a release was made.

Run:  SHOAL_DATA=... python benchmarks/cahd.py [errors] [searches] [items] [frequent]      all of them by default
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from common import data_file, forget_peak, peak_since, show
from shoal.data.bags import Bags, Ints
from shoal.data.items import Items
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.groups import GroupTable
from shoal.errors import GuaranteeNotMet
from shoal.io.read.formats import ReadOptions
from shoal.methods.cahd import CAHD
from shoal.metrics.reconstruction import reconstruction_error
from shoal.pipeline.contract import made_by
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare

DATA = ("BMS-WebView-1", "BMS-WebView-2")
DEGREES = (4, 6, 8, 10, 15, 20)
CHOSEN = (2, 4, 6, 8)
DRAWS = 3


@dataclass(frozen=True)
class Timed(CAHD):
    """The method, with the seconds of its two steps."""

    def order(self, known: Bags) -> Ints:
        return timed("order", lambda: CAHD.order(self, known))

    def formed(self, known: Bags, sensitive: Bags) -> Ints:
        return timed("groups", lambda: CAHD.formed(self, known, sensitive))


class AnyOrder(Timed):
    """The paper's search in a random order of the records."""

    def order(self, known: Bags) -> Ints:
        return np.random.default_rng(0).permutation(len(known)).astype(np.int64)


SECONDS: dict[str, float] = {}


def timed(step: str, work: Callable[[], Ints]) -> Ints:
    """The answer of a step, whose seconds are noted."""
    started = time.process_time()
    answer = work()
    SECONDS[step] = time.process_time() - started
    return answer


def clicks(name: str) -> Original | None:
    """Sessions of clicks, each one person's, names as they were typed."""
    path = data_file(f"{name}.dat.gz")
    how = Preparation(taxonomy="none", typed_names=True, read=ReadOptions(format="transactions"))
    return path and prepare(path, how).original  # type: ignore[return-value]


def drawn(original: Original, m: int, seed: int, p: int = max(DEGREES)) -> Items:
    """m items of those that at most one record in p holds."""
    held = np.bincount(original.bags.items, minlength=len(original.tree))
    feasible = np.flatnonzero((held > 0) & (held * p <= len(original.bags)))
    chosen = np.random.default_rng(seed).choice(feasible, m, replace=False)
    return Items(names=frozenset(original.tree.names[int(item)] for item in chosen))


def frequent(original: Original, m: int) -> Items:
    """The m most frequent items."""
    held = np.bincount(original.bags.items, minlength=len(original.tree))
    return Items(names=frozenset(original.tree.names[int(item)] for item in np.argsort(-held, kind="stable")[:m]))


def judged(method: CAHD, original: Original) -> Release:
    """The release of a method, if its claim holds."""
    release = made_by(method, original)
    for claim in release.claims:
        if not claim.check(release, original).holds:
            raise GuaranteeNotMet(f"{method.name} does not keep {claim}")
    return release


def errors(name: str, original: Original) -> None:
    """The error by p and r, with ten sensitive items, and what it costs."""
    rows: list[dict[str, Any]] = []
    for p in DEGREES:
        found = []
        for seed in range(DRAWS):
            forget_peak()
            release = judged(Timed(p=p, sensitive=drawn(original, 10, seed)), original)
            found.append([reconstruction_error(release, original, r, seed=seed) for r in CHOSEN] + [*SECONDS.values(), peak_since()])
        means = np.mean(found, axis=0)
        rounded = {f"r={r}": round(float(error), 4) for r, error in zip(CHOSEN, means, strict=False)}
        rows.append({"p": p, **rounded, "s order": round(means[-3], 2), "s groups": round(means[-2], 2), "MB": round(means[-1])})
    show(f"{name}: divergence with m = 10 sensitive items, the mean of {DRAWS} draws", rows)


def searches(name: str, original: Original) -> None:
    """The ways to choose whom to group, at r = 4 and r = 8."""
    ways: dict[str, Callable[..., CAHD]] = {
        "random order": lambda **how: AnyOrder(search="band", **how),
        "band (the paper)": lambda **how: Timed(search="band", **how),
        "content (default)": Timed,
    }
    rows = []
    for p in (4, 10, 20):
        for way, make in ways.items():
            releases = [(judged(make(p=p, sensitive=drawn(original, 10, seed)), original), seed) for seed in range(DRAWS)]
            rounded = {f"r={r}": _mean(reconstruction_error(made, original, r, seed=seed) for made, seed in releases) for r in (4, 8)}
            rows.append({"p": p, "search": way, **rounded})
    show(f"{name}: divergence by where similar records are looked for, m = 10", rows)


def items(name: str, original: Original) -> None:
    """The error by the number of sensitive items, at p = 10 and r = 4."""
    rows = []
    for m in (5, 10, 15, 20):
        releases = [(judged(Timed(p=10, sensitive=drawn(original, m, seed)), original), seed) for seed in range(DRAWS)]
        rows.append({"m": m, "r=4": _mean(reconstruction_error(made, original, 4, seed=seed) for made, seed in releases)})
    show(f"{name}: divergence by the number of sensitive items, p = 10", rows)


def most_frequent(name: str, original: Original) -> None:
    """The most frequent items as sensitive ones, at the largest feasible p: records in the largest group that holds one."""
    rows = []
    for m in (1, 5, 20):
        chosen = frequent(original, m)
        held = np.bincount(original.bags.items)
        p = len(original.bags) // int(held.max())
        for search in ("band", "content"):
            release = judged(Timed(p=p, sensitive=chosen, search=search), original)
            table = release.only(GroupTable)
            holding = table.rows.join(table.histogram.select("group").unique(), on="group", how="semi")
            largest = holding.group_by("group").len()["len"].max()
            rows.append(
                {"m": m, "p": p, "search": search, "largest group": largest, "r=4": _mean([reconstruction_error(release, original)])}
            )
    show(f"{name}: the most frequent items at the largest feasible p", rows)


def _mean(numbers: Any) -> float:
    return round(float(np.mean(list(numbers))), 4)


PARTS = {"errors": errors, "searches": searches, "items": items, "frequent": most_frequent}


def main() -> None:
    """Run the parts that are asked for on both data sets."""
    for name in DATA:
        original = clicks(name)
        for part in sys.argv[1:] or PARTS:
            if original is not None:
                PARTS[part](name, original)


if __name__ == "__main__":
    main()

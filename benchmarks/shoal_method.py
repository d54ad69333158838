"""The shoal method beside Clump and Partition: loss at several k, loss against time, and growth with the number of users.

    python benchmarks/shoal_method.py [--large] [--pictures] [--only-growth]

Clump runs with its printed criterion and r = 10 on one thread, shoal on all. Every ratio is of runs in one process; CPU seconds
are given beside wall seconds, because machines are shared. `--large` adds a log of 500,000 users; `--pictures` draws loss against
time into docs/images (extra `bench`).
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from common import ROOT, forget_peak, peak_since, show
from datasets import generated, groceries, lastfm
from shoal import kernels
from shoal.data.original import Original
from shoal.methods import Method
from shoal.methods.clump import Clump
from shoal.methods.partition import Partition
from shoal.methods.shoal import Shoal
from shoal.metrics.losses import loss
from shoal.taxonomy.bound import loss_lower_bound

USERS = 53_058  # as many as the thesis' first AOL subset
LARGE = 500_000


@dataclass(frozen=True)
class Run:
    """One method's loss on one data set, and what it took."""

    loss: float
    wall: float
    cpu: float


def run(method: Method, data: Original, threads: int | None = None) -> Run:
    with kernels.using(threads=threads):
        before = os.times()
        started = time.perf_counter()
        release = method.apply(data)
        wall = time.perf_counter() - started
        after = os.times()
    return Run(loss(release, data), wall, after.user - before.user + after.system - before.system)


def compare(name: str, data: Original) -> list[dict[str, Any]]:
    """Loss and time of each effort beside Clump's, at k = 5, 10 and 25; of each the shortest of three runs taken in turn."""
    rows = []
    for k in (5, 10, 25):
        bound = loss_lower_bound(data.bags, data.tree, k).normalised
        best: dict[str, Run] = {}
        for _ in range(3):
            found = {"clump": run(Clump(k=k, criterion="total", r=10), data, threads=1)}
            found |= {effort: run(Shoal(k=k, effort=effort), data) for effort in ("fast", "balanced")}
            best = {label: min(best.get(label, it), it, key=lambda r: r.wall) for label, it in found.items()}
        clump = best["clump"]
        row = {"data": name, "k": k, "clump": clump.loss, "clump s": clump.wall, "clump cpu": clump.cpu}
        for effort in ("fast", "balanced"):
            ours = best[effort]
            row |= {effort: ours.loss, f"{effort}/clump": ours.loss / clump.loss}
            row |= {f"{effort} s/clump": ours.wall / clump.wall, f"{effort} cpu/clump": ours.cpu / clump.cpu}
        rows.append(row | {"bound": bound})
    return rows


def growth(data: Original, repeats: int = 3) -> list[dict[str, Any]]:
    """Time per record over growing parts of one log, and the memory over the data; the shortest of runs taken in turn."""
    sizes = (LARGE // 10, USERS, LARGE // 5, LARGE // 2, LARGE)
    parts = {users: Original.on(data.bags.select(np.arange(users)), data.tree) for users in sizes}
    rows: dict[tuple[int, str], dict[str, Any]] = {}
    for _ in range(repeats):
        for users, part in parts.items():
            for effort in ("fast", "balanced"):
                held = forget_peak()
                found = run(Shoal(k=5, effort=effort), part)
                taken = max(peak_since() - held, rows.get((users, effort), {}).get("MB over data", 0.0))
                row = {"users": users, "effort": effort, "loss": found.loss, "wall s": found.wall, "cpu s": found.cpu}
                row |= {"wall us a user": 1e6 * found.wall / users, "cpu us a user": 1e6 * found.cpu / users}
                shortest = min(rows.get((users, effort), row), row, key=lambda r: r["wall s"])
                rows[users, effort] = shortest | {"MB over data": taken, "KB a user": 1024 * taken / users}
    for (_, effort), row in rows.items():
        for base in sizes[:2]:
            row[f"a user / {base:,}"] = row["wall us a user"] / rows[base, effort]["wall us a user"]
    return list(rows.values())


def curves(name: str, data: Original) -> list[dict[str, Any]]:
    """Loss against time of all three methods at k = 5."""
    tried: list[tuple[str, str, Method]] = [
        *(("Clump, printed criterion", f"r={r}", Clump(k=5, criterion="total", r=r)) for r in (1, 10, 100)),
        *(("Clump, least increase", f"r={r}", Clump(k=5, r=r)) for r in (1, 10, 100, 1000)),
        ("Partition, cuts", "", Partition(k=5)),
        ("Partition, least common generalization", "", Partition(k=5, publish_as="lcg")),
        *(("shoal", effort, Shoal(k=5, effort=effort)) for effort in ("fast", "balanced", "thorough")),
    ]
    points = []
    for method, setting, instance in tried:
        found = run(instance, data)
        points.append({"data": name, "method": method, "setting": setting, "loss": found.loss, "seconds": found.wall})
    return points


def draw(points: list[dict[str, Any]], bound: float, path: Path) -> None:
    """Loss against time as a picture, with the bound as a line."""
    import altair as alt
    import polars as pl

    base = alt.Chart(pl.DataFrame(points)).encode(
        x=alt.X("seconds:Q", scale=alt.Scale(type="log"), title="seconds, all threads"),
        y=alt.Y("loss:Q", scale=alt.Scale(domain=[0, 1]), title="loss (GGD per item occurrence)"),
        color=alt.Color("method:N", title=None, legend=alt.Legend(orient="bottom", columns=2, labelLimit=300)),
    )
    labels = base.mark_text(dy=-9, fontSize=9).encode(text="setting:N")
    line = alt.Chart(pl.DataFrame({"loss": [bound]})).mark_rule(strokeDash=[4, 3]).encode(y="loss:Q")
    chart = base.mark_line(point=True) + labels + line
    path.parent.mkdir(parents=True, exist_ok=True)
    chart.properties(width=460, height=300, title=f"{points[0]['data']}, k = 5; dashed: no method can lose less").save(path)


def main() -> None:
    """Measure and print; draw where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only-growth", action="store_true", help="leave out everything else")
    parser.add_argument("--pictures", action="store_true")
    options = parser.parse_args()
    if options.only_growth:
        show(f"growth to {LARGE:,} users", growth(generated(LARGE)))
        return
    sets = {"groceries": groceries(), "last.fm tags": lastfm(), f"generated log, {USERS:,} users": generated(USERS)}
    present = {name: data for name, data in sets.items() if data is not None}
    for name, data in present.items():
        show(f"{name}: {data.bags}", compare(name, data))
    if options.pictures:
        for name, data in present.items():
            points = curves(name, data)
            show(f"loss against time: {name}", points)
            bound = loss_lower_bound(data.bags, data.tree, 5).normalised
            draw(points, bound, ROOT / "docs" / "images" / f"loss-against-time-{name.split()[0].replace('.', '')}.svg")
    if options.large:
        show(f"growth to {LARGE:,} users", growth(generated(LARGE)))


if __name__ == "__main__":
    main()

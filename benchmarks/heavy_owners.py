"""What is lost where one person owns many records: shoal's efforts beside partition's forms, one record per event, k = 5.

    python benchmarks/heavy_owners.py [--k 5]

The data are a web server's log, read as addresses and paths, and made-up visits of which one person has no more than others, a third or a
half. Less is better in every column; seconds are of processor time, of one run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from common import data_file, show
from shoal.data.original import Original
from shoal.io.read.formats import ReadOptions
from shoal.methods import Method
from shoal.methods.partition import Partition
from shoal.methods.shoal import EFFORTS, Shoal
from shoal.metrics.losses import loss
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare

VISITS = 10_000
FORMS = ("words", "lcg", "bag", "set")
LOSSES = ("lm", "information")
AS_EVENTS = {"per": "event", "taxonomy": "paths"}


def visits(share: float, seed: int = 1) -> list[str]:
    """Lines of person and page: pages in folders, some visited far more often than others; the first person has this share of all."""
    rng = np.random.default_rng(seed)
    pages = np.array([f"/{a}/{b}/{c}" for a in range(8) for b in range(8) for c in range(12)])
    chance = 1 / np.arange(1, len(pages) + 1)
    seen = rng.permutation(pages)[rng.choice(len(pages), VISITS, p=chance / chance.sum())]
    others = rng.integers(1, VISITS // 6, VISITS)
    people = np.where(rng.random(VISITS) < share, 0, others)
    return [f"{person},{page}" for person, page in zip(people.tolist(), seen.tolist(), strict=True)]


def measured(original: Original, method: Method) -> tuple[str, float]:
    started = time.process_time()
    release = method.apply(original)
    return f"{loss(release, original):.4f}", time.process_time() - started


def row(name: str, path: Path, read: ReadOptions, node_loss: str, k: int) -> dict[str, Any]:
    """What every effort and every form loses on one data set, and how long the default takes."""
    original = prepare(path, Preparation(read=read, loss=node_loss, **AS_EVENTS)).records  # type: ignore[arg-type]
    found = {effort: measured(original, Shoal(k=k, effort=effort)) for effort in EFFORTS}
    found |= {f"partition, {form}": measured(original, Partition(k=k, publish_as=form)) for form in FORMS}
    seconds = f"{found['balanced'][1]:.2f}"
    return {"data": name, "loss": node_loss, **{label: lost for label, (lost, _) in found.items()}, "balanced, s": seconds}


def rows(k: int, folder: Path) -> Iterator[dict[str, Any]]:
    log = data_file("apache-combined-10k.log.gz")
    for node_loss in LOSSES if log else ():
        assert log is not None
        yield row("apache-combined-10k", log, ReadOptions(format="accesslog"), node_loss, k)
    for name, share in {"one as all others": 0.0, "one has a third": 1 / 3, "one has a half": 1 / 2}.items():
        path = folder / "visits.csv"
        path.write_text("\n".join(["user,page", *visits(share)]) + "\n", "utf-8")
        for node_loss in LOSSES:
            yield row(f"visits, {name}", path, ReadOptions(user="user", item="page"), node_loss, k)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k", type=int, default=5)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        show(f"Lost at k = {options.k}, one record per event", list(rows(options.k, Path(folder))))


if __name__ == "__main__":
    main()

"""How much a comparison saves by reading and preparing its data once, beside doing so for every cell.

    python benchmarks/compare.py [--users 20000]

The grid is the default one at k = 5 and 10 and 1 or 2 known items. Processor seconds: of one reading and preparing for the first cell; of
what a comparison does before its cells start, with the earlier periods that later guesses are learnt from; and of reading and preparing
for each cell by itself, of which every different one is measured once and counted as often as cells need it.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from common import data_file, peak_megabytes, show
from datasets import generated_log
from shoal.cli.options import DATA_PARAMETERS
from shoal.errors import ShoalError
from shoal.evaluate.compare.grid import Cell, ComparisonRequest, grid, prepared_for
from shoal.evaluate.compare.shared_inputs import CellInputs
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare


def data_sets(users: int) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Names, files and what is said of them."""
    taxonomy = data_file("groceries-taxonomy.tsv")
    if (path := data_file("groceries-baskets.csv")) and taxonomy:
        yield "groceries", path, {"taxonomy": str(taxonomy)}
    if path := data_file("excite-small.log.gz"):
        yield "Excite", path, {}
    if path := data_file("lastfm-tags.tsv.gz"):
        yield "last.fm", path, {}
    yield f"generated, {users:,} users", generated_log(users), {}


def used(work: Callable[[], Any]) -> float:
    """Processor seconds of a piece of work."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measured(name: str, path: Path, options: dict[str, Any]) -> dict[str, Any]:
    """One data set."""
    typed = {**dict.fromkeys(DATA_PARAMETERS), **options}

    def how(cell: Cell) -> Preparation:
        return prepared_for(cell, typed)

    cells = grid(ComparisonRequest(k=(5, 10), known=(1, 2))).where(how).cells
    prepare(path, how(cells[0]))  # WordNet is read from disk before anything is measured
    with TemporaryDirectory() as directory:
        inputs = CellInputs([path], how, keeper(Path(directory)))
        failed: dict[Cell, str] = {}
        once = used(lambda: [inputs.of(cell, failed) for cell in cells])
    ways = {repr(how(cell)): cell for cell in cells}
    each = {way: used(partial(attempted, path, how(cell))) for way, cell in ways.items()}
    times = Counter(repr(how(cell)) for cell in cells)
    alone = sum(each[way] * n for way, n in times.items())
    return {
        "data": name,
        "cells": len(cells),
        "readings": inputs.readings,
        "forms": inputs.preparations,
        "one read, s": f"{each[repr(how(cells[0]))]:.2f}",
        "compare, s": f"{once:.2f}",
        "every cell by itself, s": f"{alone:.2f}",
        "times": f"{alone / once:.1f}",
        "MB": f"{peak_megabytes():,.0f}",
    }


def attempted(path: Path, how: Preparation) -> None:
    """Read and prepare; a method that does not take this data is told so after as much work."""
    try:
        prepare(path, how)
    except ShoalError:
        return


def keeper(directory: Path) -> Callable[[object], Path]:
    """Lays things down for other processes, as a comparison does."""
    names = iter(range(1_000))

    def keep(thing: object) -> Path:
        place = directory / str(next(names))
        with place.open("wb") as file:
            pickle.dump(thing, file, protocol=5)
        return place

    return keep


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=20_000)
    options = parser.parse_args()
    show("reading and preparing, processor seconds", [measured(*one) for one in data_sets(options.users)])


if __name__ == "__main__":
    main()

"""The local directories of Spark for one run: shuffled rows and broadcast values, readable only by this user.

They are part of the unfinished output of the run, so that a later run removes them if this one is killed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from shoal.io import partial_outputs as unfinished
from shoal.io.release_directory import disk_errors

log = logging.getLogger("shoal.spark")
NAME, INSIDE = "shoal-spark", "spark"


@contextmanager
def local_directories(work: Path) -> Iterator[Callable[[Sequence[Path]], Sequence[Path]]]:
    """Yield a function that maps the configured local directories to those of this run, which are removed at the end.

    Without configured ones it is a directory inside `work`. Otherwise it is a marked directory inside each, where leftovers of killed runs
    are removed first.
    """
    begun: list[Path] = []

    def choose(configured: Sequence[Path]) -> Sequence[Path]:
        if not configured:
            place = work / INSIDE
            with disk_errors(str(place)):
                place.mkdir(mode=0o700)
            return [place.absolute()]
        for root in configured:
            with disk_errors(str(root)):
                root.mkdir(parents=True, exist_ok=True)
                for line in unfinished.clear(root):
                    log.info(line)
                begun.append(unfinished.begin(root / NAME))
        return [place.absolute() for place in begun]

    try:
        yield choose
    finally:
        for place in begun:
            unfinished.discard(place)

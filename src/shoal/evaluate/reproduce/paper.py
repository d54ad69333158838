"""A paper whose experiment can be repeated, and what is asked of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shoal.evaluate.reproduce.experiment_page import Experiment


@dataclass(frozen=True)
class ExperimentSize:
    """How large the experiment is to be (None: as the paper's default says), at least, on which data (None: generated), and its seed."""

    size: int | None = None
    data: Path | None = None
    seed: int = 0
    least: int = 1

    @property
    def settled_size(self) -> int:
        """The size, which is known when an experiment begins."""
        assert self.size is not None
        return self.size


@dataclass(frozen=True)
class Paper:
    """A paper's experiment: what `size` counts, its usual value and the least that makes sense, and how it is run.

    `data_sets` are the words with which the names of its data sets begin in a directory of the user's; without any the data is one file.
    """

    name: str
    counts: str
    size: int
    least: int
    run: Callable[[ExperimentSize], Experiment]
    data_sets: tuple[str, ...] = ()

"""A paper whose experiment can be repeated, and the settings of a repetition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shoal.evaluate.reproduce.experiment_page import Experiment


@dataclass(frozen=True)
class ExperimentSize:
    """The size of the experiment (None: the paper's default), its minimum, the data (None: generated), and the seed.

    `whole`: no size was requested, so files of the user are read completely where the paper did so.
    """

    size: int | None = None
    data: Path | None = None
    seed: int = 0
    least: int = 1
    whole: bool = False

    @property
    def settled_size(self) -> int:
        """The size, which is known when an experiment begins."""
        assert self.size is not None
        return self.size


@dataclass(frozen=True)
class Paper:
    """A paper's experiment: what `size` counts, its default and minimum, and how it is run.

    `data_sets` are the prefixes of its data sets' names in a user's directory; without any the data is one file.
    """

    name: str
    counts: str
    size: int
    least: int
    run: Callable[[ExperimentSize], Experiment]
    data_sets: tuple[str, ...] = ()

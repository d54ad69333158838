"""Experiments of the papers behind the methods, repeated on data at hand: one file for each paper, and their table."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import ParameterError
from shoal.evaluate.reproduce.page import Experiment
from shoal.evaluate.reproduce.paper import Asked, Paper
from shoal.io.experiment_files import insist_on_data_sets
from shoal.pipeline.keywords import spoken_in_python, using
from shoal.registry import Table

PAPERS: Table[Paper] = Table(
    "paper",
    {
        "thesis": "shoal.evaluate.reproduce.thesis:PAPER",
        "coherence": "shoal.evaluate.reproduce.coherence:PAPER",
        "ssc": "shoal.evaluate.reproduce.ssc:PAPER",
        "ares": "shoal.evaluate.reproduce.ares:PAPER",
    },
)


def reproduced(name: str, asked: Asked) -> Experiment:
    """The experiment of this paper, at the size and on the data that were asked for."""
    paper = PAPERS[name]
    size = paper.size if asked.size is None else asked.size
    if size < paper.least:
        raise ParameterError(f"the size is the number of {paper.counts}, and must be at least {paper.least:,}, not {size:,}", value=size)
    if asked.data is not None and paper.data_sets:
        insist_on_data_sets(asked.data, paper.data_sets)
    return paper.run(Asked(size, asked.data, asked.seed, paper.least))


def reproduce(
    paper: str, *, size: int | None = None, data: str | Path | None = None, seed: int = 0, threads: int | None = None
) -> Experiment:
    """The experiment of a paper, as `shoal reproduce` runs it: its `figures` with their rows, and its `findings`.

    A finding has what the paper says, what was seen, and whether that agrees.
    """
    with spoken_in_python(), using(threads):
        return reproduced(paper, Asked(size, None if data is None else Path(data), seed))

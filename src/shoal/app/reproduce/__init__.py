"""Experiments of the papers behind the methods, repeated on data at hand: one file for each paper, and their table."""

from __future__ import annotations

from shoal.app.reproduce.paper import Asked, Paper
from shoal.errors import ParameterError
from shoal.registry import Table
from shoal.report.experiments import Experiment

PAPERS: Table[Paper] = Table(
    "paper",
    {
        "thesis": "shoal.app.reproduce.thesis:PAPER",
        "coherence": "shoal.app.reproduce.coherence:PAPER",
        "ssc": "shoal.app.reproduce.ssc:PAPER",
        "ares": "shoal.app.reproduce.ares:PAPER",
    },
)


def reproduced(name: str, asked: Asked) -> Experiment:
    """The experiment of this paper, at the size and on the data that were asked for."""
    paper = PAPERS[name]
    size = paper.size if asked.size is None else asked.size
    if size < paper.least:
        raise ParameterError(f"the experiment of {name} needs a size of at least {paper.least:,}, not {size:,}", value=size)
    return paper.run(Asked(size, asked.data, asked.seed))

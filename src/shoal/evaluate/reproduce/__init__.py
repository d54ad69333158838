"""Repeated experiments of the papers behind the methods: one file per paper, and their table."""

from __future__ import annotations

from shoal.errors import ParameterError
from shoal.evaluate.reproduce.experiment_page import Experiment
from shoal.evaluate.reproduce.paper import ExperimentSize, Paper
from shoal.io.experiment_files import insist_on_data_sets
from shoal.registry import LazyTable

PAPERS: LazyTable[Paper] = LazyTable(
    "paper",
    {
        "thesis": "shoal.evaluate.reproduce.thesis:PAPER",
        "coherence": "shoal.evaluate.reproduce.coherence:PAPER",
        "ssc": "shoal.evaluate.reproduce.ssc:PAPER",
        "ares": "shoal.evaluate.reproduce.ares:PAPER",
    },
)


def reproduced(name: str, experiment_size: ExperimentSize) -> Experiment:
    """Run the experiment of this paper, with the requested size and data."""
    paper = PAPERS[name]
    size = paper.size if experiment_size.size is None else experiment_size.size
    if size < paper.least:
        raise ParameterError(
            f"the size is the number of {paper.counts}, and must be at least {paper.least:,}, not {size:,}", code="out-of-range", value=size
        )
    if experiment_size.data is not None and paper.data_sets:
        insist_on_data_sets(experiment_size.data, paper.data_sets)
    return paper.run(ExperimentSize(size, experiment_size.data, experiment_size.seed, paper.least, whole=experiment_size.size is None))

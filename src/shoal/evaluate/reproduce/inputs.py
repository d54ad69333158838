"""Data of experiments: a generated or given query log, with the requested number of people."""

from __future__ import annotations

import polars as pl

from shoal import kernels
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.original import Original
from shoal.errors import InputError, option
from shoal.evaluate.reproduce.paper import ExperimentSize
from shoal.io.read.dispatch import read
from shoal.io.read.options import ReadOptions
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare
from shoal.synthetic.querylog import QueryLog


def query_log(experiment_size: ExperimentSize, options: ReadOptions | None = None, like: str = "even") -> tuple[Log, str]:
    """Return the log of an experiment, and a short description; a generated one has early people as in `QueryLog.like`."""
    size, read_options = experiment_size.settled_size, options or ReadOptions()
    if experiment_size.data is None:
        log = read(generated(QueryLog(users=size, seed=experiment_size.seed, like=like)), read_options).data
        source = f" like the {like}'s" if like != "even" else ""
        text = f"a log{source} of {size:,} people from `shoal generate` with seed {experiment_size.seed}"
    else:
        log = read(experiment_size.data, read_options).data
        text = f"of {experiment_size.data.name}"
    if not isinstance(log, Log):
        raise InputError(
            "this experiment needs a query log, but the data is not one",
            code="wrong-kind-of-input",
            hint=f"name a log with {option('data')}",
        )
    first = first_people(log, size)
    found = first.frame["owner"].n_unique()
    if found < experiment_size.least:
        raise InputError(
            f"there are {found:,} people in the data, but the experiment needs at least {experiment_size.least:,}", code="too-few-people"
        )
    return first, text if experiment_size.data is None else f"the first {found:,} people {text}"


def generated(log: QueryLog) -> pl.DataFrame:
    """Return all rows of a generated log."""
    blocks, users = [], 0
    for rows, facts in log.blocks():
        blocks.append(rows)
        users += facts.users
        kernels.report("writing searches", users, log.users)
    return pl.concat(blocks)


def first_people(log: Log, n: int) -> Log:
    """Return the rows of the first n people, in order of appearance."""
    first = log.frame["owner"].unique(maintain_order=True).head(n)
    return Log(log.frame.filter(pl.col("owner").is_in(first.implode())), log.kind)


def on_wordnet(log: Log, *, as_sets: bool) -> Original:
    """Return a record of WordNet's nouns for every person with any, as in the papers: other words are dropped, the root is published."""
    original = prepare(log, Preparation(unknown="drop", loss="lm", floor=1, as_sets=as_sets)).records  # type: ignore[arg-type]
    return _of_records(original.bags.select((original.bags.lengths > 0).nonzero()[0]), original)


def first_records(original: Original, n: int) -> Original:
    """Return the first n records, on the same taxonomy."""
    return _of_records(original.bags.select(range(min(n, len(original.bags)))), original)


def _of_records(bags: Bags, original: Original) -> Original:
    return Original.on(bags, original.tree)

"""Features that a cluster does not support: one table, checked before anything is read, and printed in docs/scale.md.

`python scripts/cluster_limits.py` updates the table of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.cluster import itemset_counts
from shoal.data.node_loss import PEOPLE
from shoal.errors import ParameterError, option
from shoal.io.read.sql import Query
from shoal.io.write.output_format import LISTS
from shoal.methods import Method
from shoal.methods.bases.grouping import GroupingMethod
from shoal.methods.bases.noisy_counts import Mechanism
from shoal.methods.bases.recoding import RecodingMethod
from shoal.methods.bases.threshold import ThresholdMethod
from shoal.pipeline.job import Job
from shoal.pipeline.options import NO_TAXONOMY, TOPICS, TOPICS_AND_WORDNET, Preparation, is_file, is_topics, with_wordnet
from shoal.privacy.evidence.cluster_judging import JudgesSets

ONE_MACHINE = f"leave {option('engine')} out"
CODE = "not-on-a-cluster"


@dataclass(frozen=True)
class Limit:
    """Something that a cluster cannot do.

    Attributes:
        what: The option or feature.
        reason: Why, as the end of a sentence that begins with it.
        is_requested: Whether a job requests it.
        methods: The kinds of methods that it holds for.
        hint: What to do instead.
        code: The code of the error.
    """

    what: str
    reason: str
    is_requested: Callable[[Any], object]
    methods: tuple[type[Any], ...] = (Method,)
    hint: str = f"leave it out, or {ONE_MACHINE}"
    code: str = CODE

    def refusal(self, what: str = "") -> ParameterError:
        """Return the error, which may name the request more precisely."""
        return ParameterError(f"{what or self.what} {self.reason}", code=self.code, hint=self.hint)


def refuse(job: Job, other_options: Sequence[str] = ()) -> None:
    """Check a job against the table.

    Args:
        job: The job.
        other_options: Options that are not part of the job, such as `private-report`.

    Raises:
        ParameterError: A cluster cannot do it.
    """
    for name in other_options:
        raise OTHER_OPTIONS[name].refusal()
    for limit in LIMITS:
        if isinstance(job.method, limit.methods) and limit.is_requested(job):
            raise limit.refusal()


def _has_steps(job: Job) -> bool:
    return isinstance(job.method, ThresholdMethod | RecodingMethod | Mechanism | GroupingMethod)


def _size(method: RecodingMethod) -> int | None:
    """Return the size of the counted sets; None if supports do not determine what is published."""
    return method.counts_decide if method.published_from_below is None else method.published_from_below


def _counts_sets(job: Job) -> bool:
    method: Any = job.method
    return _size(method) is not None and all(claim.sets_to_count is not None for claim in JudgesSets.among(method.claims()))


def _joins_ranges(job: Job) -> bool:
    return all(claim.holds_of_unions and claim.group_size for claim in job.method.claims())


def _generalizes(job: Job) -> bool:
    """Whether items are placed on a taxonomy."""
    return not isinstance(job.method, RecodingMethod) or job.method.published_from_below is not None


def _has_chosen_taxonomy(preparation: Preparation) -> bool:
    """Whether workers can load the taxonomy, and records are placed on it."""
    return not preparation.typed_names and (
        preparation.taxonomy == "wordnet" or is_file(preparation.taxonomy) or is_topics(preparation.taxonomy)
    )


RUNS_HERE, WORKS_HERE = "runs on one machine only", "works on one machine only"
LIMITS = (
    Limit(option("items-table"), WORKS_HERE, lambda job: job.preparation.read.items is not None),
    Limit(option("min-support"), WORKS_HERE, lambda job: job.preparation.min_support is not None),
    Limit(option("rules"), WORKS_HERE, lambda job: job.rules is not None),
    Limit(option("claim"), WORKS_HERE, lambda job: job.claims),
    Limit(option("bound"), WORKS_HERE, lambda job: job.metrics),
    Limit(option("previous"), WORKS_HERE, lambda job: any(check.option == "previous" for check in job.checks)),
    Limit(option("attack"), WORKS_HERE, lambda job: any(check.option == "attack" for check in job.checks)),
    Limit(option("threads"), "is for one machine: a task has one thread", lambda job: job.threads is not None),
    Limit(option("memory"), "is for one machine: executors have limits of their own", lambda job: job.preparation.memory is not None),
    Limit(option("patience"), "is for one machine: workers count without a limit", lambda job: job.patience is not None),
    Limit(
        f"other formats than Parquet ({option('to')})",
        "are written on one machine only",
        lambda job: job.target and job.target.format != "parquet",
    ),
    Limit(
        f"other layouts than lists ({option('layout')})",
        "are written on one machine only",
        lambda job: job.target and job.target.layout != LISTS,
    ),
    Limit(option("sql"), "is for one machine: workers have no connection to the database", lambda job: isinstance(job.data, Query)),
    Limit(option("encoding"), "is for one machine: workers read UTF-8", lambda job: job.preparation.read.encoding is not None),
    Limit(
        "a taxonomy in memory",
        "cannot be sent to workers",
        lambda job: job.taxonomy is not None,
        hint="write it to a file first, or use wordnet",
    ),
    Limit("a method without steps for a cluster", RUNS_HERE, lambda job: not _has_steps(job), hint=ONE_MACHINE),
    Limit(
        "a search that is not divided into ranges of people (sensitive items, `seconds`, given ties)",
        RUNS_HERE,
        lambda job: not job.method.works_in_ranges,
        (GroupingMethod,),
    ),
    Limit(
        "a claim that does not hold for a union of ranges",
        "is judged on one machine only",
        lambda job: not _joins_ranges(job),
        (GroupingMethod,),
    ),
    Limit(option("outliers"), "are found on one machine only", lambda job: job.method.outliers > 0, (GroupingMethod,)),
    Limit(
        "a recoding that counts of itemsets do not decide (generalization, private items, weights, least loss)",
        RUNS_HERE,
        lambda job: not _counts_sets(job),
        (RecodingMethod,),
    ),
    Limit(
        f"an attacker who knows more than {itemset_counts.LARGEST} items",
        "is considered on one machine only",
        lambda job: (_size(job.method) or 0) > itemset_counts.LARGEST,
        (RecodingMethod,),
    ),
    Limit(
        f"records by {option('record')}",
        "are made on one machine only",
        lambda job: job.preparation.per == "record",
        (GroupingMethod, RecodingMethod),
    ),
    Limit(
        f"rules for words ({option('terms', placeholder='LIST')})",
        "are for one machine only",
        lambda job: bool(job.preparation.rules),
        hint="leave it out",
    ),
    Limit(
        f"topics of the data itself ({option('taxonomy', TOPICS)})",
        "are learned on one machine only with this method",
        lambda job: is_topics(job.preparation.taxonomy),
        (RecodingMethod,),
        hint="learn them from a part of the data with `shoal taxonomy learn`, and name the file",
    ),
    Limit(
        f"topics and WordNet as one taxonomy ({option('taxonomy', TOPICS_AND_WORDNET)})",
        "are joined on one machine only",
        lambda job: is_topics(job.preparation.taxonomy) and with_wordnet(job.preparation.taxonomy),
        hint="learn them from a part of the data with `shoal taxonomy learn`, and name the file",
    ),
    Limit(
        "a taxonomy that is made from the data, or none",
        "works on one machine only with this method",
        lambda job: _generalizes(job) and not _has_chosen_taxonomy(job.preparation),
        (GroupingMethod, RecodingMethod),
        hint=f"name WordNet or a file, or {ONE_MACHINE}",
    ),
    Limit(
        f"a loss over the whole taxonomy ({option('tree', 'whole')})",
        "is computed on one machine only",
        lambda job: _generalizes(job) and job.preparation.scope != "used",
        (GroupingMethod, RecodingMethod),
    ),
    Limit(
        f"a loss by the people of the data ({option('node-loss', PEOPLE)})",
        "is computed on one machine only",
        lambda job: _generalizes(job) and job.preparation.loss == PEOPLE,
        (GroupingMethod, RecodingMethod),
    ),
    Limit(
        "a taxonomy next to unchanged names",
        WORKS_HERE,
        lambda job: job.method.published_from_below is None and job.preparation.taxonomy != NO_TAXONOMY,
        (RecodingMethod,),
    ),
    Limit(
        "a threshold on other units than query and term, or with rare words, windows, times, columns or links",
        WORKS_HERE,
        lambda job: job.method.kept.claim.rows_to_count is None,
        (ThresholdMethod,),
    ),
    Limit(
        "a mechanism that takes people or queries in an order, or counts clicks",
        RUNS_HERE,
        lambda job: job.method.summed is None,
        (Mechanism,),
        hint=f"use {option('mechanism', 'weighted')}, without {option('clicks')}, or {ONE_MACHINE}",
    ),
    Limit(
        "a taxonomy for rows",
        WORKS_HERE,
        lambda job: job.preparation.taxonomy != NO_TAXONOMY,
        (ThresholdMethod, Mechanism),
    ),
)
"""Checked in this order."""

OTHER_OPTIONS = {
    "private-report": Limit(option("private-report"), "works on one machine only: records stay on the cluster", lambda job: False),
}
"""Options that are no part of a job."""

FORMATS = Limit(
    "input other than query logs and tables of delimited text or Parquet",
    "is read on one machine only",
    lambda job: False,
    hint=f"a cluster reads query logs and tables of delimited text or Parquet; {ONE_MACHINE}",
)
"""Found when the first rows are read, by `input_layout.py`."""

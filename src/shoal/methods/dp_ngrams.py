"""Differentially private sequences: runs of queries or pages that many people have, with noisy counts of people.

Chen, Acs and Castelluccia, "Differentially private sequential data publication via variable-length n-grams", CCS 2012, for the tree of
n-grams; Kim, Gopi, Kulkarni and Yekhanin, "Differentially private n-gram extraction", NeurIPS 2021, for selecting each length among runs
whose parts were selected, without a public list of queries. Guarantee: (epsilon, delta)-differential privacy of a person with all of their
rows. Time: O(rows * longest), and about 13 microseconds of noise per distinct run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.accounting import changed, gone
from shoal.data.claims import Model
from shoal.data.log import Log
from shoal.data.noise_record import COUNTS as COUNTED
from shoal.data.noise_record import SELECTION, NoisyStep
from shoal.data.original import LogOriginal
from shoal.data.tables.column_types import Slots
from shoal.data.tables.counts import COUNT, LONGEST, table_of_length
from shoal.methods.bases.noisy_counts import Mechanism, NoisyCounts, epsilon_parameter
from shoal.noise.budget_plan import LengthBudget, plan_of_lengths
from shoal.noise.mechanisms import as_published, limit_of, with_noise
from shoal.noise.per_person_bounds import OWNER, distinct_of_people
from shoal.noise.weights import equal_weights, whole_weights
from shoal.parameters import param
from shoal.privacy.differential_privacy import DifferentialPrivacy


@dataclass(frozen=True)
class DPNGrams(Mechanism):
    """Publishes runs of queries or pages that many people have, with noisy counts of people under differential privacy."""

    name = "dp-ngrams"
    paper = (
        'Chen, Acs and Castelluccia, "Differentially private sequential data publication via variable-length n-grams", CCS 2012; '
        'Kim, Gopi, Kulkarni and Yekhanin, "Differentially private n-gram extraction", NeurIPS 2021'
    )

    epsilon: float = epsilon_parameter()
    delta: float = param(1e-6, minimum=1e-15, maximum=0.01, help="probability that something of a single person is published")
    longest: int = param(3, minimum=1, maximum=LONGEST, help="length of the longest runs")
    cap: int = param(64, minimum=1, maximum=1000, help="maximum number of runs of each length per person that take part in the selection")
    count_cap: int = param(10, minimum=1, maximum=1000, help="maximum number of published runs of each length per person that are counted")
    counts: float = param(0.2, minimum=0.01, maximum=0.9, help="share of the budget for counts")

    @property
    def reads_times(self) -> bool:
        """True: they give the order of a person's rows."""
        return True

    def claims(self) -> tuple[Model, ...]:
        """Claim differential privacy of a person."""
        return (DifferentialPrivacy(epsilon=self.epsilon, delta=self.delta),)

    def noisy_steps(self) -> tuple[NoisyStep, ...]:
        """Return the noise of this budget."""
        return plan_of_lengths(LengthBudget(self.epsilon, self.delta, self.longest, self.cap, self.count_cap, self.counts))

    def columns_of(self, table: str) -> Slots:
        """Return a column for each place in a run, and the count."""
        length = next((n for n in range(1, LONGEST + 1) if table_of_length(n) == table), LONGEST)
        return (*((name,) for name in places(length)), (COUNT,))

    def counted(self, original: LogOriginal) -> NoisyCounts:
        """Select runs of one row, then of two rows that were both selected, and so on."""
        rows = in_order(original.log)
        steps = {(step.table, step.purpose): step for step in self.noisy_steps()}
        tables: dict[str, pl.DataFrame] = {}
        shorter: pl.DataFrame | None = None
        for length in range(1, self.longest + 1):
            name = table_of_length(length)
            runs = _grown(runs_of(rows, length), shorter)
            shorter = _selected(runs, steps[name, SELECTION])
            tables[name] = self._with_counts(runs, shorter, steps[name, COUNTED])
        outcomes = {"counted": changed(len(rows)), "dropped: nothing to count": gone(len(original.log) - len(rows))}
        first, *others = tables
        return NoisyCounts(tables[first], outcomes, more={name: tables[name] for name in others}, name=first)

    def _with_counts(self, runs: pl.DataFrame, found: pl.DataFrame, step: NoisyStep) -> pl.DataFrame:
        """Return the selected runs with noisy numbers of people."""
        among = runs.join(found, on=found.columns, how="semi", maintain_order="left")
        held = distinct_of_people(among, self.count_cap).counted_once()
        counts = held.table.with_columns(count=pl.Series(whole_weights(held, step.grid)))
        exact = found.join(counts, on=found.columns, how="left", maintain_order="left")["count"].fill_null(0)
        return found.with_columns(as_published(with_noise(exact.to_numpy(), step), step).alias(COUNT))


def places(length: int) -> tuple[str, ...]:
    """Return the columns of runs of this length."""
    return tuple(f"step{place}" for place in range(1, length + 1))


def in_order(log: Log) -> pl.DataFrame:
    """Return the rows that are not empty, by user and in the order of time; without times in the order of the log."""
    frame = log.without_repeats().frame.filter(pl.col("payload").str.strip_chars() != "")
    return frame.sort(OWNER, *(["time"] if log.timed else []), maintain_order=True).select(OWNER, "payload")


def runs_of(rows: pl.DataFrame, length: int) -> pl.DataFrame:
    """Return a user and the rows of each run of this length."""
    shifted = [pl.col("payload").shift(-place).over(OWNER).alias(name) for place, name in enumerate(places(length))]
    return rows.select(OWNER, *shifted).drop_nulls(places(length)[-1])


def _grown(runs: pl.DataFrame, shorter: pl.DataFrame | None) -> pl.DataFrame:
    """Return the runs whose first rows and last rows were selected as shorter runs."""
    if shorter is None:
        return runs
    names = [name for name in runs.columns if name != OWNER]
    for part in (names[:-1], names[1:]):
        runs = runs.join(shorter.rename(dict(zip(shorter.columns, part, strict=True))), on=part, how="semi", maintain_order="left")
    return runs


def _selected(runs: pl.DataFrame, step: NoisyStep) -> pl.DataFrame:
    """Return the runs whose noisy weight exceeds the threshold."""
    held = distinct_of_people(runs, step.cap)
    noisy = with_noise(equal_weights(held, step.grid), step)
    return held.table[np.flatnonzero(noisy > limit_of(step))]

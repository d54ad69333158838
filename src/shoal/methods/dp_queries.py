"""Differentially private queries: selected queries, terms, items or pairs with noisy counts of people, and noisy clicks.

Korolova, Kenthapadi, Mishra and Ntoulas, "Releasing search queries and clicks privately", WWW 2009, as the mechanism `korolova`. The others
select by the l2 norm: Gopi et al., "Differentially private set union", ICML 2020. Guarantee: (epsilon, delta)-differential privacy of a
person with all of their rows. Time: O(rows), and about 13 microseconds of noise per distinct value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.accounting import changed, gone
from shoal.data.bags import Ints
from shoal.data.claims import Model
from shoal.data.log import URL
from shoal.data.noise_record import COUNTS as COUNTED
from shoal.data.noise_record import GUIDE, SELECTION, NoisyStep
from shoal.data.original import LogOriginal
from shoal.data.tables.column_types import Slots
from shoal.data.tables.counts import COUNT
from shoal.errors import ParameterError, option
from shoal.methods.bases.noisy_counts import COUNTS, Mechanism, NoisyCounts, Summed, epsilon_parameter
from shoal.noise.budget_plan import CLICKS, CUTOFF, Budget, plan_of
from shoal.noise.counted_values import ITEM, QUERY, UNITS, clicked, columns_of, unit_of, values_of_log
from shoal.noise.mechanisms import as_published, limit_of, with_noise
from shoal.noise.per_person_bounds import PersonValues, distinct_of_people, first_of_people
from shoal.noise.weights import equal_weights, policy_weights, whole_weights
from shoal.parameters import param
from shoal.privacy.differential_privacy import DifferentialPrivacy

CAPS = {"policy": 64, "weighted": 64, "korolova": 2}  # mechanisms, and the default cap of each
WEIGHTS_ONLY = "count is the noisy weight by which a value was chosen, not a number of people: no budget was spent on counts"


@dataclass(frozen=True)
class DPQueries(Mechanism):
    """Publishes frequent queries, terms, items or pairs with noisy counts and clicks under differential privacy."""

    name = "dp-queries"
    paper = 'Korolova, Kenthapadi, Mishra and Ntoulas, "Releasing search queries and clicks privately", WWW 2009'
    takes_baskets = True

    epsilon: float = epsilon_parameter()
    delta: float = param(1e-6, minimum=1e-15, maximum=0.01, help="probability that something of a single person is published")
    unit: str | None = param(None, choices=UNITS, help="unit to count; a pair is two terms of a query or two items of a person")
    mechanism: str = param("policy", choices=tuple(CAPS), help="mechanism that selects the values to publish")
    cap: int | None = param(
        None,
        minimum=1,
        maximum=1000,
        help="maximum number of values per person that take part in the selection (default: 64, or 2 with korolova)",
    )
    count_cap: int = param(
        10, minimum=1, maximum=1000, help="maximum number of published values per person that are counted (korolova uses its cap)"
    )
    guide: float = param(
        0.2, minimum=0, maximum=0.9, help="share of the selection budget for a first pass that excludes values unlikely to be selected"
    )
    counts: float = param(0.2, minimum=0, maximum=0.9, help="share of the budget for counts (0: publish noisy weights instead)")
    clicks: float = param(0.0, minimum=0, maximum=0.9, help="share of the budget for clicked URLs of published queries")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.clicks and self.unit not in {None, QUERY}:
            raise ParameterError(
                f"clicks are counted for whole queries, not for a {self.unit}",
                code="option-not-applicable",
                hint=f"leave {option('clicks')} out",
            )

    @property
    def reads_clicks(self) -> bool:
        """Whether clicks are counted."""
        return self.clicks > 0

    def claims(self) -> tuple[Model, ...]:
        """Claim differential privacy of a person."""
        return (DifferentialPrivacy(epsilon=self.epsilon, delta=self.delta),)

    def noisy_steps(self) -> tuple[NoisyStep, ...]:
        """Return the noise of this budget."""
        shares = (self.counts, self.clicks, self.guide)
        return plan_of(Budget(self.epsilon, self.delta, self.mechanism, self.cap_in_force, self.count_cap, *shares))

    @property
    def cap_in_force(self) -> int:
        """The requested cap, or one that depends on the mechanism alone and not on any data."""
        return CAPS[self.mechanism] if self.cap is None else self.cap

    @property
    def summed(self) -> Summed | None:
        """How a cluster computes the sums: equal weights add up, but a policy processes people, and korolova a person's queries, in
        sequence.
        """
        if self.mechanism != "weighted" or self.clicks:
            return None
        caps = {GUIDE: None, SELECTION: self.cap_in_force, COUNTED: self.count_cap}
        return Summed(self.unit, caps, self._notes)

    @property
    def _notes(self) -> tuple[str, ...]:
        return () if self.counts else (WEIGHTS_ONLY,)

    def columns_of(self, table: str) -> Slots:
        """Return the counted columns and the count; without a unit, the whole payload is counted."""
        keys = (
            ((QUERY,), (URL,)) if table == CLICKS else tuple((name,) for name in columns_of(self.unit)) if self.unit else ((QUERY, ITEM),)
        )
        return (*keys, (COUNT,))

    def counted(self, original: LogOriginal) -> NoisyCounts:
        """Select values and count them; then, in the same way, URLs of clicks after the selected queries."""
        log = original.log
        unit = unit_of(log.kind, self.unit)
        if self.clicks and unit == ITEM:
            raise ParameterError(
                "clicks are counted for queries, but the input has items",
                code="option-not-applicable",
                hint=f"leave {option('clicks')} out",
            )
        values = self._published(values_of_log(log, unit), COUNTS)
        more = {CLICKS: self._published(clicked(log, values[QUERY]), CLICKS)} if self.clicks else {}
        present = int((log.frame["payload"].str.strip_chars() != "").sum())
        outcomes = {"counted": changed(present), "dropped: nothing to count": gone(len(log) - present)}
        return NoisyCounts(values, outcomes, self._notes, more)

    def _published(self, values: pl.DataFrame, table: str) -> pl.DataFrame:
        """Return the selected values of a table, with their noisy counts."""
        steps = {step.purpose: step for step in self.noisy_steps() if step.table == table}
        selection = steps[SELECTION]
        if GUIDE in steps:
            values = _promising(values, steps[GUIDE])
        held = (first_of_people if self.mechanism == "korolova" else distinct_of_people)(values, self.cap_in_force)
        chosen, scores = _chosen(held, selection)
        found = held.table[np.flatnonzero(chosen)]
        if COUNTED not in steps:
            return found.with_columns(count=as_published(scores[chosen], selection))
        return found.with_columns(count=self._noisy_counts(held, values, found, steps[COUNTED]))

    def _noisy_counts(self, held: PersonValues, values: pl.DataFrame, found: pl.DataFrame, step: NoisyStep) -> pl.Series:
        """Return the rounded noisy number of people with each published value or, with korolova, of its occurrences among what was kept."""
        if self.mechanism != "korolova":
            among = values.join(found, on=found.columns, how="semi", maintain_order="left", nulls_equal=True)
            held = distinct_of_people(among, self.count_cap).counted_once()
        counts = held.table.with_columns(count=pl.Series(whole_weights(held, step.grid)))
        exact = found.join(counts, on=found.columns, how="left", maintain_order="left", nulls_equal=True)["count"].fill_null(0)
        return as_published(with_noise(exact.to_numpy(), step), step)


def _promising(values: pl.DataFrame, guide: NoisyStep) -> pl.DataFrame:
    """Return the rows whose value probably has many people, according to the noisy guide."""
    held = distinct_of_people(values, None)
    noisy = with_noise(equal_weights(held, guide.grid), guide)
    wanted = held.table[np.flatnonzero(noisy > limit_of(guide))]
    return values.join(wanted, on=wanted.columns, how="semi", maintain_order="left", nulls_equal=True)


def _chosen(held: PersonValues, step: NoisyStep) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], Ints]:
    """Return which values reach the threshold with noise, and the noisy numbers of all of them."""
    assert step.threshold is not None
    assert step.cap is not None
    if step.weights == "policy":
        numbers, _ = policy_weights(held, step.threshold + CUTOFF * step.scale, step.cap)
    elif step.weights == "equal":
        numbers = equal_weights(held, step.grid)
    else:
        numbers = whole_weights(held, step.grid)
    noisy = with_noise(numbers, step)
    return noisy > limit_of(step), noisy

"""The noise of a whole release: how the budget is divided between the selection of values, their counts, and clicks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from shoal.data.noise_record import COUNTS, EQUAL, GAUSSIAN, GUIDE, LAPLACE, POLICY, SELECTION, WHOLE, NoisyStep
from shoal.data.tables.counts import table_of_length
from shoal.noise.mechanisms import GaussianPlan, Selecting, gaussian_plan, korolova_threshold, laplace_scale
from shoal.noise.weights import ROUNDING, policy_grid

VALUES, CLICKS = "counts", "clicks"  # the tables, by their names
CUTOFF = 5  # standard deviations above the threshold at which a policy gives no more weight to a value
GRID_OF_LAPLACE = 20
FINEST = 37  # so that a standard deviation is at least 2**37 grid points


@dataclass(frozen=True)
class Budget:
    """The requested budget."""

    epsilon: float
    delta: float
    mechanism: str
    cap: int
    count_cap: int
    counts: float
    clicks: float
    guide: float = 0.0

    @property
    def shares(self) -> list[tuple[str, float]]:
        """Return the tables and their shares of the budget."""
        return [(VALUES, 1 - self.clicks), *([(CLICKS, self.clicks)] if self.clicks else [])]


@cache
def plan_of(budget: Budget) -> tuple[NoisyStep, ...]:
    """Return all noisy steps, each selection before the counts of what it publishes. They depend on the budget alone, never on data."""
    return _by_laplace(budget) if budget.mechanism == "korolova" else _by_gaussian(budget)


def _by_gaussian(budget: Budget) -> tuple[NoisyStep, ...]:
    policy = budget.mechanism == "policy"
    sensitivity = 1 + ROUNDING if policy else 1.0
    chosen = (1 - budget.counts) * (1 - budget.guide)
    selecting = tuple(Selecting(share * chosen, budget.cap, sensitivity) for _, share in budget.shares)
    plan = gaussian_plan(budget.epsilon, budget.delta, selecting, guided=budget.guide > 0)
    steps = []
    for (table, share), found in zip(budget.shares, plan.selections, strict=True):
        steps += [_guide(budget, plan, table, share)] if budget.guide else []
        grid = policy_grid(found.threshold + CUTOFF * found.scale) if policy else _grid(found.scale)
        weights = POLICY if policy else EQUAL
        shape = (found.scale, grid, budget.cap, sensitivity, found.threshold)
        steps.append(NoisyStep(SELECTION, table, GAUSSIAN, weights, *shape))
        steps += [_gaussian_counts(budget, plan, table, share)] if budget.counts else []
    return tuple(steps)


def _guide(budget: Budget, plan: GaussianPlan, table: str, share: float) -> NoisyStep:
    """Return the guide: equal weights on all values of a person, with norm 1."""
    scale = plan.scale(share * (1 - budget.counts) * budget.guide, 1.0)
    return NoisyStep(GUIDE, table, GAUSSIAN, EQUAL, scale, _grid(scale), sensitivity=1.0)


def _gaussian_counts(budget: Budget, plan: GaussianPlan, table: str, share: float) -> NoisyStep:
    """Return the counts: a person adds 1 to at most `count_cap` numbers."""
    moved = math.sqrt(budget.count_cap)
    scale = plan.scale(share * budget.counts, moved)
    return NoisyStep(COUNTS, table, GAUSSIAN, WHOLE, scale, _grid(scale), budget.count_cap, moved)


def _grid(scale: float) -> int:
    """Return a grid fine enough for integer noise to be as good as Gaussian noise, and no finer, so that numbers may be large."""
    return FINEST - math.floor(math.log2(scale))


def _by_laplace(budget: Budget) -> tuple[NoisyStep, ...]:
    steps = []
    for table, share in budget.shares:
        epsilon, delta = budget.epsilon * share, budget.delta / len(budget.shares)
        chosen, counted = epsilon * (1 - budget.counts), epsilon * budget.counts
        threshold = korolova_threshold(budget.cap, chosen, delta)
        threshold = math.ceil(threshold * 2**GRID_OF_LAPLACE) / 2**GRID_OF_LAPLACE
        whole = (GRID_OF_LAPLACE, budget.cap, float(budget.cap))
        steps.append(NoisyStep(SELECTION, table, LAPLACE, WHOLE, laplace_scale(budget.cap, chosen), *whole, threshold))
        if counted:
            steps.append(NoisyStep(COUNTS, table, LAPLACE, WHOLE, laplace_scale(budget.cap, counted), *whole))
    return tuple(steps)


@dataclass(frozen=True)
class LengthBudget:
    """The budget of runs of 1 to `longest` rows, of which every length has the same share."""

    epsilon: float
    delta: float
    longest: int
    cap: int
    count_cap: int
    counts: float


@cache
def plan_of_lengths(budget: LengthBudget) -> tuple[NoisyStep, ...]:
    """Return a selection and counts for each length, from the shortest on. They depend on the budget alone, never on data."""
    share = 1 / budget.longest
    plan = gaussian_plan(budget.epsilon, budget.delta, (Selecting(share * (1 - budget.counts), budget.cap, 1.0),) * budget.longest)
    moved = math.sqrt(budget.count_cap)
    counting = plan.scale(share * budget.counts, moved)
    steps = []
    for length, found in enumerate(plan.selections, 1):
        shape = (found.scale, _grid(found.scale), budget.cap, 1.0, found.threshold)
        steps.append(NoisyStep(SELECTION, table_of_length(length), GAUSSIAN, EQUAL, *shape))
        steps.append(NoisyStep(COUNTS, table_of_length(length), GAUSSIAN, WHOLE, counting, _grid(counting), budget.count_cap, moved))
    return tuple(steps)

"""Population uniqueness: how many people who are unique in a table are unique in the population that it was drawn from.

An attacker with a list of the whole population is certain about a person only if nobody else there has the same quasi-identifiers. How many
people that are is estimated from the sizes of the classes in the sample, twice:

* Pitman's sampling formula (Hoshino, Journal of Official Statistics 17, 2001), whose two parameters are fitted by maximum likelihood.
  The probability that one of n people is alone in a class is the product of (theta + i - 1 + alpha) / (theta + i) for i = 1, ..., n - 1.
* Zayatz (Bureau of the Census, 1991): the population's classes have the distribution of sizes of the sample's classes, and the binomial
  distribution of the sampling fraction gives the probability that a class with one person in the sample has one in the population. In
  small samples most classes have one person, whatever the population: it is used for fractions above a tenth only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, gammaln

from shoal.attacks import Trial
from shoal.attacks.tables import TableAttack
from shoal.attacks.tables.known_table import KnownTable
from shoal.data.bags import Ints
from shoal.data.table import Floats
from shoal.util.wording import counted

STARTS = ((-2.0, 2.0), (0.0, 0.0), (2.0, 5.0))  # of the fit: the log-odds of alpha, and the logarithm of theta + alpha
SMALL = 0.1  # sampling fraction up to which Zayatz's estimate is far too large
FARTHEST = 20.0  # that the logarithm goes from 0


@dataclass(frozen=True)
class PopulationUnique(TableAttack):
    """Estimate of the people who are unique in the population."""

    name = "population-unique"
    test = "singling out"
    story = (
        "The attacker knows all quasi-identifiers of everybody in the population, of which the table is a sample, and is certain about a "
        "person who is alone in the table and in the population. How many of those alone in the table are alone in the population is "
        "estimated by the formulas of Pitman and of Zayatz."
    )
    needs_fraction = True

    def trials(self, table: KnownTable, targets: Ints) -> list[Trial]:
        """Estimate the probability of each person to be alone in the population."""
        if not table.quasi or table.fraction is None:
            return []
        label, people = published_classes(table)
        alone = people[label] == 1
        if table.own is None:  # nobody knows whose rows these are
            unique = np.full(len(targets), alone.mean() if len(alone) else 0.0)
        else:
            own = table.own[targets]
            unique = np.where(own >= 0, alone[own], False).astype(np.float64)
        baseline = table.guess * table.fraction
        chances = _chances(people[people > 0], table.fraction)
        return [Trial(f"all quasi-identifiers; {name}", None, unique * chance, baseline) for name, chance in chances.items()]

    def notes(self, original: KnownTable) -> list[str]:
        """Return the numbers of people who are alone in the original and in the population."""
        if not original.quasi or original.fraction is None:
            return []
        people = published_classes(original)[1]
        n, alone = int(people.sum()), int((people == 1).sum())
        found = [f"{alone * chance:,.0f} ({name})" for name, chance in _chances(people[people > 0], original.fraction).items()]
        everybody = round(n / original.fraction)
        note = f"{counted(alone, 'person is', 'people are')} unique among the {n:,} of the original"
        return [f"{note}; an estimated {' or '.join(found)} of them are unique among the {everybody:,} of the population"]


def _chances(sizes: Ints, fraction: float) -> dict[str, float]:
    """Return the probability, by each formula, that a class of one person in the sample has one person in the population."""
    chances = {"Pitman": pitman_chance(sizes, fraction)}
    return chances | ({"Zayatz": zayatz_chance(sizes, fraction)} if fraction > SMALL else {})


def published_classes(table: KnownTable) -> tuple[Ints, Ints]:
    """Return the class of each published row, rows being equal in all quasi-identifiers, and the number of people of each class."""
    label = np.zeros(len(table.quasi[0].shown), np.int64)
    for column in table.quasi:
        values = np.unique(column.shown, return_inverse=True)[1]
        label = np.unique(label * (int(values.max(initial=0)) + 1) + values, return_inverse=True)[1]
    n_classes = int(label.max(initial=-1)) + 1
    if table.own is None:
        return label, np.bincount(label, minlength=n_classes)
    published = np.flatnonzero(table.own >= 0)
    pairs = np.unique(np.stack([label[table.own[published]], table.owners[published]]), axis=1)
    return label, np.bincount(pairs[0], minlength=n_classes)


def zayatz_chance(sizes: Ints, fraction: float) -> float:
    """Return the probability that a class of one person in the sample has one person in the population."""
    values, often = np.unique(sizes, return_counts=True)
    alone = often * values * fraction * (1 - fraction) ** (values - 1)
    return float(often[0] * fraction / alone.sum()) if len(values) and values[0] == 1 else 0.0


def pitman_chance(sizes: Ints, fraction: float) -> float:
    """Return the same by Pitman's sampling formula."""
    n = int(sizes.sum())
    if not (sizes == 1).any():
        return 0.0
    if len(sizes) == n:  # nobody shares a class: the likelihood is largest if nobody ever does
        return 1.0
    alpha, theta = fitted_pitman(sizes)
    return float(np.exp(_log_alone(alpha, theta, n / fraction) - _log_alone(alpha, theta, n)))


def fitted_pitman(sizes: Ints) -> tuple[float, float]:
    """Return the alpha and theta under which classes of these sizes are most likely."""
    from scipy.optimize import minimize  # slow to load, and few attacks need it

    values, often = np.unique(sizes, return_counts=True)

    def loss(at: Floats) -> float:
        return -_log_likelihood(*_parameters(at), values, often)

    found = [minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-7, "maxiter": 400}) for start in STARTS]
    return _parameters(min(found, key=lambda one: float(one.fun)).x)


def _parameters(at: Floats) -> tuple[float, float]:
    alpha = float(np.clip(expit(at[0]), 1e-9, 1 - 1e-9))
    return alpha, float(np.exp(np.clip(at[1], -FARTHEST, FARTHEST))) - alpha


def _log_likelihood(alpha: float, theta: float, values: Ints, often: Ints) -> float:
    """Return the logarithm of the probability of these sizes, without what does not depend on alpha and theta."""
    n, classes = int(values @ often), int(often.sum())
    new = (classes - 1) * np.log(alpha) + gammaln(theta / alpha + classes) - gammaln(theta / alpha + 1)
    joined = float(often @ (gammaln(values - alpha) - gammaln(1 - alpha)))
    return float(new + joined - gammaln(theta + n) + gammaln(theta + 1))


def _log_alone(alpha: float, theta: float, n: float) -> float:
    """Return the logarithm of the probability that one of n people is alone in a class."""
    return float(gammaln(theta + alpha + n - 1) - gammaln(theta + alpha) - gammaln(theta + n) + gammaln(theta + 1))

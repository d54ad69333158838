"""Record linkage: the published row that is nearest to what is known, by distance or by probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.attacks import Trial
from shoal.attacks.tables import TableAttack
from shoal.attacks.tables.known_table import KnownTable
from shoal.data.bags import Ints
from shoal.data.table import Floats

ROUNDS = 30  # of expectation and maximization
SURE = 1e-6  # probabilities stay this far from 0 and 1


@dataclass(frozen=True)
class NearestRow(TableAttack):
    """Distance-based record linkage."""

    name = "nearest-row"
    test = "linking"
    story = (
        "The attacker knows all quasi-identifiers of a person and takes the nearest published row; numbers count in standard deviations."
    )

    def trials(self, table: KnownTable, targets: Ints) -> list[Trial]:
        """Take the nearest rows of each person."""
        if not table.quasi:
            return []
        success = np.array([table.chance(row, table.nearest(row)) for row in targets.tolist()])
        return [Trial("all quasi-identifiers", None, success, table.guess)]


@dataclass(frozen=True)
class ProbableRow(TableAttack):
    """Probabilistic record linkage (Fellegi and Sunter, 1969), with probabilities estimated by EM."""

    name = "probable-row"
    test = "linking"
    story = (
        "The attacker knows all quasi-identifiers of a person, compares which of them agree with a published row, learns from all pairs "
        "how much each agreement means (Fellegi and Sunter), and takes the row with the largest weight."
    )

    def trials(self, table: KnownTable, targets: Ints) -> list[Trial]:
        """Estimate the weight of each agreement, and take the heaviest rows of each person."""
        if not table.quasi:
            return []
        patterns = [np.stack([column.agree(row) for column in table.quasi], axis=1) for row in targets.tolist()]
        weights = agreement_weights(patterns, 1 / max(1, len(table.quasi[0].shown)))
        success = []
        for row, pattern in zip(targets.tolist(), patterns, strict=True):
            scores = pattern @ weights
            success.append(table.chance(row, np.flatnonzero(scores >= scores.max() - 1e-9)))
        return [Trial("all quasi-identifiers", None, np.array(success), table.guess)]


def agreement_weights(patterns: list[np.ndarray], share: float) -> Floats:
    """Return by how much each agreement speaks for a match: the log-odds of agreeing among matches and among other pairs, by EM."""
    kinds, counts = np.unique(np.concatenate(patterns), axis=0, return_counts=True)
    matching, other = np.full(kinds.shape[1], 0.9), np.clip((kinds * counts[:, None]).sum(axis=0) / counts.sum(), SURE, 1 - SURE)
    for _ in range(ROUNDS):
        yes, no = (np.prod(np.where(kinds, chance, 1 - chance), axis=1) for chance in (matching, other))
        belief = share * yes / np.maximum(share * yes + (1 - share) * no, 1e-300)
        expected = belief * counts
        matching = np.clip((kinds * expected[:, None]).sum(axis=0) / max(expected.sum(), 1e-300), SURE, 1 - SURE)
        rest = counts - expected
        other = np.clip((kinds * rest[:, None]).sum(axis=0) / max(rest.sum(), 1e-300), SURE, 1 - SURE)
    return np.asarray(np.log(matching / other) - np.log((1 - matching) / (1 - other)))

"""Disclosure of values: how close published numbers are to those of a person, and what a kept column reveals about those found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.attacks import Trial
from shoal.attacks.tables import TableAttack
from shoal.attacks.tables.known_table import KnownColumn, KnownTable
from shoal.data.bags import Ints
from shoal.data.table import Floats
from shoal.util.wording import percent

WIDTHS = (0.01, 0.05, 0.1)  # of intervals, as shares of all ranks on each side


@dataclass(frozen=True)
class ValueIntervals(TableAttack):
    """Interval disclosure by rank."""

    name = "value-intervals"
    test = "inference"
    story = (
        "The attacker knows the published row of a person and guesses that each number of the person lies in an interval around the "
        "published one, of a width in ranks. Success is the share of the person's numbers for which this is true."
    )

    def trials(self, table: KnownTable, targets: Ints) -> list[Trial]:
        """Compare the ranks of known and published numbers of each person."""
        numbers = [column for column in table.quasi if column.numeric]
        if not numbers or table.own is None:
            return []
        apart = np.array([_ranks_apart(column, table.own)[targets] for column in numbers])
        middle = np.array([_from_middle(column)[targets] for column in numbers])
        return [
            Trial(f"the row; within {percent(width, 0)} of the ranks", None, (apart <= width).mean(axis=0), float((middle <= width).mean()))
            for width in WIDTHS
        ]


def _ranks(column: KnownColumn, values: np.ndarray) -> Floats:
    """Return the ranks of values among the known ones, as a share; of equal ones the middle rank."""
    known = np.sort(column.known)
    return np.asarray((np.searchsorted(known, values, "left") + np.searchsorted(known, values, "right")) / (2 * max(1, len(known))))


def _ranks_apart(column: KnownColumn, own: Ints) -> Floats:
    published = own >= 0
    apart = np.ones(len(own))
    apart[published] = np.abs(_ranks(column, column.known[published]) - _ranks(column, column.shown[own[published]]))
    return apart


def _from_middle(column: KnownColumn) -> Floats:
    return np.abs(_ranks(column, column.known) - 0.5)


@dataclass(frozen=True)
class KeptValues(TableAttack):
    """Attribute disclosure through columns that are published unchanged."""

    name = "kept-values"
    test = "inference"
    story = (
        "The attacker knows all quasi-identifiers of a person, takes the nearest published rows, and guesses that the person has the value "
        "that most of them have in a column that was published unchanged."
    )

    def trials(self, table: KnownTable, targets: Ints) -> list[Trial]:
        """Guess each kept column from the nearest rows."""
        if not table.quasi or not table.kept:
            return []
        found = [table.nearest(row) for row in targets.tolist()]
        return [self._trial(column, targets, found) for column in table.kept]

    def _trial(self, column: KnownColumn, targets: Ints, found: list[Ints]) -> Trial:
        success = [_guessed(column.known[row], column.shown[rows]) for row, rows in zip(targets.tolist(), found, strict=True)]
        most = np.unique(column.shown, return_counts=True)
        common = most[0][int(np.argmax(most[1]))]
        return Trial(f"all quasi-identifiers; {column.name}", None, np.array(success), float((column.known[targets] == common).mean()))


def _guessed(true: np.generic, seen: np.ndarray) -> float:
    """Return the chance of guessing right, where equally frequent values are drawn from."""
    values, counts = np.unique(seen, return_counts=True)
    best = values[counts == counts.max()]
    return float(true in best) / len(best)

"""Record linkage by both kinds of knowledge: the attributes of a person and some items of the person's set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.attacks import Trial
from shoal.attacks.tables import TableAttack
from shoal.attacks.tables.known_table import ItemSetColumn, KnownTable
from shoal.data.bags import Ints

SIZES = (1, 2, 3)  # items that the attacker knows
ALONE = 2  # items that are known without anything else
SEED = 2013  # of the items that are known


@dataclass(frozen=True)
class RowAndItems(TableAttack):
    """Linkage by all attributes and a few items."""

    name = "row-and-items"
    test = "linking"
    needs_items = True
    story = (
        "The attacker knows all quasi-identifiers of a person and some items of the person's set, takes the published rows that match the "
        "quasi-identifiers best, and of these the rows that may have most of the known items. Once the items alone are known."
    )

    def trials(self, table: KnownTable, targets: Ints) -> list[Trial]:
        """Find each person by attributes and items, and by items alone."""
        if len(table.items) != 1:
            return []
        (items,) = table.items
        known = [drawn_items(items, row) for row in targets.tolist()]
        trials = []
        if table.quasi:
            near = [table.nearest(row) for row in targets.tolist()]
            trials = [self._trial(table, targets, known, near, size, "all quasi-identifiers and ") for size in SIZES]
        every = np.arange(items.n_rows)
        return [*trials, self._trial(table, targets, known, [every] * len(targets), ALONE, "")]

    def _trial(self, table: KnownTable, targets: Ints, known: list[Ints], candidates: list[Ints], size: int, prefix: str) -> Trial:
        """Take, of the candidates of each person, the rows that match most of the first known items."""
        (items,) = table.items
        success = []
        for row, some, rows in zip(targets.tolist(), known, candidates, strict=True):
            matched = items.matches(some[:size])[rows]
            success.append(table.chance(row, rows[matched == matched.max(initial=0)]))
        return Trial(f"{prefix}{size} {'item' if size == 1 else 'items'}", size, np.array(success), table.guess)


def drawn_items(items: ItemSetColumn, row: int) -> Ints:
    """Return the items of a row in a random order that depends on the row alone; the attacker knows the first of them."""
    held = items.of_row(row)
    return np.random.default_rng((SEED, row)).permutation(held)

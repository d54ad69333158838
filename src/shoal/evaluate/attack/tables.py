"""Attacks on a table of microdata: the original and the release as an attacker faces them, and the outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.attacks import ORIGINAL, RELEASE
from shoal.attacks.draw import Draw
from shoal.attacks.outcome import Outcome, outcome
from shoal.attacks.tables import TABLE_ATTACKS, TableAttack
from shoal.attacks.tables.known_table import KnownTable
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.evaluate.attack.attack_result import Attacked
from shoal.report.alarms import alarms_in


def attacks_on_table(original: TableOriginal, release: Release, names: Sequence[str], draw: Draw) -> Attacked:
    """Run the named attacks on tables, or all of them."""
    strangers = [name for name in names if name not in TABLE_ATTACKS]
    if strangers:
        raise ParameterError(
            f"the attack {strangers[0]} does not apply to tables",
            code="attack-not-applicable",
            hint=f"tables have {', '.join(TABLE_ATTACKS)}",
            value=strangers[0],
        )
    table = original.table
    own = None if release.secret is None else release.secret.rows()
    shown = KnownTable.of(table, release.only(RowTable).frame, own)
    targets = draw.some(np.arange(len(table)))
    outcomes: list[Outcome] = []
    notes: list[str] = []
    usual = [name for name, kind in TABLE_ATTACKS.items() if table.item_sets or not kind.needs_items]
    for name in names or usual:
        attack = TABLE_ATTACKS[name]()
        found = [
            one
            for subject, side in ((ORIGINAL, shown.itself), (RELEASE, shown))
            for one in _outcomes(attack, subject, side, targets, release)
        ]
        if not any(one.subject == RELEASE for one in found):
            notes.append(f"skipped {name}: the table has no such columns, or the row of each person is not known")
        else:
            outcomes += found
    return Attacked(tuple(outcomes), tuple(notes), alarms_in(release), draw.targets)


def _outcomes(attack: TableAttack, subject: str, table: KnownTable, targets: np.ndarray, release: Release) -> list[Outcome]:
    """Return the outcomes on the original or the release; only the release has a bound."""

    def ceiling(known: int | None) -> float | None:
        bounds = [bound for claim in release.claims if (bound := claim.ceiling(attack.test, known)) is not None]
        return min(bounds, default=None) if subject == RELEASE else None

    everybody = len(targets) == len(table) and table.own is not None
    lengths = np.full(len(targets), len(table.quasi))
    return [
        replace(outcome(subject, attack, trial, lengths, None, ceiling(trial.known)), everybody=everybody)
        for trial in attack.trials(table, targets)
    ]

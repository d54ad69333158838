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
from shoal.data.table import Table
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError, option
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
    blind = [name for name in names if TABLE_ATTACKS[name].needs_fraction and draw.sampling_fraction is None]
    if blind:
        raise ParameterError(
            f"the attack {blind[0]} needs the share of the population that the table has",
            code="missing-argument",
            hint=f"give {option('sampling-fraction', placeholder='SHARE')}",
            argument="sampling_fraction",
        )
    table = original.table
    own = None if release.secret is None else release.secret.rows()
    shown = KnownTable.of(table, release.only(RowTable).frame, own, draw.sampling_fraction)
    targets = draw.some(np.arange(len(table)))
    outcomes: list[Outcome] = []
    notes: list[str] = []
    usual = [name for name, kind in TABLE_ATTACKS.items() if _applies(kind, table, draw)]
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
            notes += attack.notes(shown.itself)
    return Attacked(tuple(outcomes), tuple(notes), alarms_in(release), draw.targets)


def _applies(kind: type[TableAttack], table: Table, draw: Draw) -> bool:
    """Whether an attack is run unless others are named."""
    return (bool(table.item_sets) or not kind.needs_items) and (draw.sampling_fraction is not None or not kind.needs_fraction)


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

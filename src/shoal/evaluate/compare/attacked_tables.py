"""The strongest attack on a released table of people, and what the release reveals of columns that are published unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.attacks import Trial
from shoal.attacks.outcome import Interval
from shoal.attacks.tables import TABLE_ATTACKS
from shoal.attacks.tables.known_table import KnownTable
from shoal.attacks.tables.value_disclosure import KeptValues
from shoal.data.bags import Ints
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Table
from shoal.data.tables.rows import RowTable
from shoal.evaluate.compare.tried_attacks import TOO_FEW, TriedAttack, strongest
from shoal.evaluate.option_defaults import NOT_ATTACKED
from shoal.report.facts import FEWEST_PEOPLE


def attacked_table(release: Release, original: TableOriginal, targets: int, seed: int) -> dict[str, Any]:
    """Return the rate of the strongest attack that finds a person's row, here and in the original, and what unchanged columns reveal."""
    people = _drawn(original.table, targets, seed)
    if len(people) < FEWEST_PEOPLE:
        return {NOT_ATTACKED: TOO_FEW}
    shown = _shown(release, original)
    found = _linked(shown, people)
    if not found:
        return {NOT_ATTACKED: "no column of the table is protected, so there is nothing to look for"}
    return {**strongest(found, _linked(shown.itself, people)), **_values_guessed(shown, people)}


def share_of_linked_people(release: Release, original: TableOriginal, targets: int, seed: int) -> Interval | None:
    """Return how many people's rows the strongest linkage finds; None if nothing is protected or no rows are published."""
    if release.kinds != {RowTable.kind}:
        return None
    found = _linked(_shown(release, original), _drawn(original.table, targets, seed))
    return max(found).rate if found else None


def _shown(release: Release, original: TableOriginal) -> KnownTable:
    """Return the published rows as an attacker knows them; the row of each person is known here, to tell whether a guess is right."""
    assert release.secret is not None
    return KnownTable.of(original.table, release.only(RowTable).frame, release.secret.rows())


def _drawn(table: Table, most: int, seed: int) -> Ints:
    """Draw rows of this many different people, one each."""
    mixed = np.random.default_rng(seed).permutation(len(table))
    _, first = np.unique(table.owners[mixed], return_index=True)
    return mixed[np.sort(first)][:most]


def _linked(table: KnownTable, people: Ints) -> list[TriedAttack]:
    """Run every attack that links people to rows."""
    attacks = (kind() for kind in TABLE_ATTACKS.values() if kind.test == "linking" and (table.items or not kind.needs_items))
    return [TriedAttack.of(attack, trial) for attack in attacks for trial in attack.trials(table, people)]


def _values_guessed(shown: KnownTable, people: Ints) -> dict[str, float]:
    """Return how often values of unchanged columns are guessed, of the column in which the release helps most; nothing without any."""
    trials = KeptValues().trials(shown, people)
    if not trials:
        return {}
    at = max(range(len(trials)), key=lambda n: _gain(trials[n]))
    raw = KeptValues().trials(shown.itself, people)[at]
    return {
        "value_rate": float(trials[at].success.mean()),
        "value_guess": float(trials[at].baseline),
        "value_original": float(raw.success.mean()),
    }


def _gain(trial: Trial) -> float:
    return float(trial.success.mean()) - trial.baseline

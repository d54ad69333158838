"""The strongest attack on a released table of people, and what the release reveals of columns that are published unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.attacks import Trial
from shoal.attacks.conclusion import AttackFinding, conclusion_of
from shoal.attacks.outcome import wilson
from shoal.attacks.tables import TABLE_ATTACKS, TableAttack
from shoal.attacks.tables.known_table import KnownTable
from shoal.attacks.tables.value_disclosure import KeptValues
from shoal.data.bags import Ints
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import Table
from shoal.data.tables.rows import RowTable
from shoal.evaluate.compare.defaults import NOT_ATTACKED
from shoal.report.alarms import IN_FACT, SEVERE
from shoal.report.facts import FEWEST_PEOPLE


def attacked_table(release: Release, original: TableOriginal, targets: int, seed: int) -> dict[str, Any]:
    """Return the rate of the strongest attack that finds a person's row, here and in the original, and what unchanged columns reveal."""
    table = original.table
    people = _drawn(table, targets, seed)
    if len(people) < FEWEST_PEOPLE:
        return {NOT_ATTACKED: f"fewer than {FEWEST_PEOPLE} people would be attacked, too few to report a rate"}
    assert release.secret is not None
    shown = KnownTable.of(table, release.only(RowTable).frame, release.secret.rows())
    attacks = [kind() for kind in TABLE_ATTACKS.values() if kind.test == "linking" and (table.item_sets or not kind.needs_items)]
    found, raw = (_findings(attacks, side, people) for side in (shown, shown.itself))
    if not found:
        return {NOT_ATTACKED: "no column of the table is protected, so there is nothing to look for"}
    (high, worst), (raw_high, original_worst) = (max(one, key=lambda pair: pair[0]) for one in (found, raw))
    verdict = conclusion_of([finding for _, finding in found])
    return {
        "worst_attack": f"{worst.attack}, {worst.knowledge}",
        "attack_rate": worst.rate,
        "attack_high": high,
        "attack_original": original_worst.rate,
        "attack_original_high": raw_high,
        IN_FACT: verdict.in_fact,
        **({SEVERE: 1} if verdict.severe else {}),
        **_values_guessed(shown, people),
    }


def _drawn(table: Table, most: int, seed: int) -> Ints:
    """Draw rows of this many different people, one each."""
    mixed = np.random.default_rng(seed).permutation(len(table))
    _, first = np.unique(table.owners[mixed], return_index=True)
    return mixed[np.sort(first)][:most]


def _findings(attacks: list[TableAttack], table: KnownTable, people: Ints) -> list[tuple[float, AttackFinding]]:
    """Return every attack with the upper end of the interval of its rate."""
    found = []
    for attack in attacks:
        for trial in attack.trials(table, people):
            rate = wilson(float(trial.success.sum()), len(people))
            finding = AttackFinding(attack.name, attack.test, trial.knowledge, rate.rate, False, "", len(people))
            found.append((rate.high, finding))
    return found


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

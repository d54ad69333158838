"""Differencing: compares a release with a person and one without; the difference discloses something about the person.

The release is made again without the person's records, as a publisher would after an erasure request. An attacker with both compares them:
published records that only the first has belong to the person, or to people whose records changed because of the person. The fewer they
are, the more they disclose. If one recoding is used everywhere and stays the same, it is exactly one record.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from shoal.attacks import Trial
from shoal.attacks.scenarios import Made, Scenario, ScenarioAttack, ScenarioTrial, Skipped, Tried
from shoal.attacks.scenarios.changed_records import without_person
from shoal.data.bags import Bags
from shoal.errors import ShoalError

Content = tuple[bytes, bytes]
Found = tuple[int, "Counter[Content]"]  # a record, and the published records that are missing without its owner

PUBLISHED = "a release without the person: published record found"
EXACT = "a release without the person: all items found"


@dataclass(frozen=True)
class Differencing(ScenarioAttack):
    """Somebody compares a release with one that was made without a person."""

    name = "differencing"
    test = "linking"
    story = (
        "A person asks to be removed, and the release is published again without that person. An attacker who kept the first release "
        "picks a record that is missing from the second and assumes that it is the person's. Control: another person was removed instead."
    )

    def runs(self, few: int, people: int, k: int) -> int:
        """Once without each of them."""
        return few

    def tried(self, scenario: Scenario) -> Tried:
        """Attack: the drawn record equals the person's published one; and it is the only one, with all of the person's items."""
        found, notes = _compared(scenario)
        if not found:
            raise Skipped("the release cannot be made without any of the attacked people")
        everyone = _contents(scenario.made)
        n = scenario.made.release.n_records
        records = np.array([record for record, _ in found], np.int64)
        lengths = scenario.lengths(records)
        trials = []
        for knowledge, exact in ((PUBLISHED, False), (EXACT, True)):
            right = [_chance(record, lost, everyone, scenario.made, exact) for record, lost in found]
            wrong = [_chance(record, lost, everyone, scenario.made, exact) for record, (_, lost) in _paired_wrongly(found)]
            single = np.array([lost.total() == 1 for _, lost in found])
            control = Trial(knowledge, None, np.array(wrong), 1 / n) if wrong else None
            trial = Trial(knowledge, None, np.array(right), 0.0 if exact else 1 / n, single)
            trials.append(ScenarioTrial(trial, lengths, control, test="inference" if exact else None))
        return Tried(tuple(trials), notes)


def _compared(scenario: Scenario) -> tuple[list[Found], tuple[str, ...]]:
    """Return for each person what is missing in the release without them; count people without whom it cannot be made."""
    scenario.insist_on_remakes()
    typed, found, failed = scenario.made.original.typed, [], 0
    full = Counter(_contents(scenario.made).values())
    for record in scenario.few.tolist():
        try:
            less = scenario.remake(without_person(typed, int(typed.owners[record])))
        except ShoalError:
            failed += 1
            continue
        published = scenario.made.original.bags.vocabulary
        found.append((record, full - Counter(_contents(less, published.codes(less.release.published.vocabulary.names)).values())))
    note = f"differencing: {failed:,} of {len(scenario.few):,} people were skipped: the release cannot be made without them"
    return found, (note,) if failed else ()


def _paired_wrongly(found: list[Found]) -> list[tuple[int, Found]]:
    """Pair each person with what is missing without the next one."""
    return [(record, found[(i + 1) % len(found)]) for i, (record, _) in enumerate(found)] if len(found) > 1 else []


def _contents(made: Made, codes: np.ndarray | None = None) -> dict[int, Content]:
    """Return the published content of each record, in a vocabulary for which `codes` has the items (-1: missing)."""
    published = made.original.aligned(made.release).published
    items = published.items if codes is None else codes[published.items]
    rows = [_content(published, items, row) for row in range(len(published))]
    return {record: rows[row] for record, row in enumerate(made.rows.tolist()) if row >= 0}


def _content(bags: Bags, items: np.ndarray, row: int) -> Content:
    span = slice(bags.indptr[row], bags.indptr[row + 1])
    order = np.argsort(items[span], kind="stable")
    return items[span][order].tobytes(), bags.counts[span][order].tobytes()


def _chance(record: int, lost: Counter[Content], everyone: dict[int, Content], made: Made, exact: bool) -> float:
    """Return the probability that a record drawn from the missing ones equals this one; `exact`: it is the only one, and unchanged."""
    alike = lost[everyone[record]]
    if not exact or not alike:
        return alike / max(1, lost.total())
    return float(lost.total() == 1 and everyone[record] == _content(made.original.bags, made.original.bags.items, record))

"""Intersection: two releases of the same people; a person who is alone in the intersection of two groups is found.

In each release a person belongs to a class of identically published records. An attacker who finds the class in both is left with the
people in both classes. Classes of k people may intersect in a single one: k-anonymity is guaranteed for each release, not for two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np

from shoal.attacks import Trial
from shoal.attacks.scenarios import Made, Scenario, ScenarioAttack, ScenarioTrial, Skipped, Tried
from shoal.attacks.scenarios.changed_records import classes_of
from shoal.data.bags import Ints
from shoal.errors import ShoalError

VARIED = {"seed": "one with another seed", "k": "one with k + 1"}


@dataclass(frozen=True)
class Intersection(ScenarioAttack):
    """Somebody finds a person's class in two releases, and draws one of the people who are in both."""

    name = "intersection"
    test = "linking"
    story = (
        "The same people are published twice. An attacker knows the group of a person in each release and picks one of the people "
        "who are in both groups. If nobody else is in both, the person is identified with certainty."
    )

    def runs(self, few: int, people: int, k: int) -> int:
        """Once for each parameter that differs, if there is no other release."""
        return len(VARIED) if few else 0

    def tried(self, scenario: Scenario) -> Tried:
        """Attack the release alone; with each other release; with all of them. Without others, with likely next releases."""
        own, lengths = classes_of(scenario.made), scenario.lengths(scenario.targets)
        others, notes = (list(scenario.others), ()) if scenario.others else _made_here(scenario)
        places = [(f"this release and {name}", joined(own, classes_of(made))) for name, made in others]
        if len(scenario.others) > 1:
            places.append(("all of them", reduce(joined, [own, *(classes_of(made) for _, made in others)])))
        drawn = ScenarioTrial(_drawn("the group in this release", own, scenario), lengths, ceiling=_promised(scenario))
        met = [trial(where, classes, scenario) for where, classes in places for trial in (_drawn, _alone)]
        return Tried((drawn, *(ScenarioTrial(one, lengths) for one in met)), notes)


def _promised(scenario: Scenario) -> float | None:
    """Return the guarantee of one release."""
    found = [limit for claim in scenario.claims if (limit := claim.ceiling("linking", None)) is not None]
    return min(found, default=None)


def _made_here(scenario: Scenario) -> tuple[list[tuple[str, Made]], tuple[str, ...]]:
    """Return releases of the same records by the same method with one parameter changed; report those that cannot be made."""
    scenario.insist_on_remakes()
    made, notes = [], []
    for name, words in VARIED.items():
        value = scenario.parameters.get(name)
        if isinstance(value, bool) or not isinstance(value, int):
            continue
        try:
            made.append((words, scenario.varied({name: value + 1})))
        except ShoalError as error:
            notes.append(f"intersection: another release, {words}, cannot be made ({error.message})")
    if not made:
        raise Skipped("there is no other release, and the method has no parameter that could differ in a second one")
    text = f"intersection: no other release was provided, so {' and '.join(words for words, _ in made)} was made"
    return made, (text, *notes)


def joined(one: Ints, other: Ints) -> Ints:
    """Return the intersection class of each record; -1 if it is missing in one release."""
    both = (one >= 0) & (other >= 0)
    pairs = np.unique(np.column_stack([one[both], other[both]]), axis=0, return_inverse=True)[1].ravel()
    found = np.full(len(one), -1, np.int64)
    found[both] = pairs
    return found


def _drawn(where: str, classes: Ints, scenario: Scenario) -> Trial:
    """Return the probability of drawing each person among the people of the class."""
    sizes = _sizes(classes, scenario)
    success = np.divide(1.0, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    return Trial(where, None, success, 1 / max(1, scenario.made.original.n_owners), sizes == 1)


def _alone(where: str, classes: Ints, scenario: Scenario) -> Trial:
    """Return who is alone in the class."""
    alone = _sizes(classes, scenario) == 1
    return Trial(f"{where}: alone in both", None, alone.astype(np.float64), 0.0, alone)


def _sizes(classes: Ints, scenario: Scenario) -> Ints:
    """Return the number of people in the class of each attacked person; 0 if the person is missing in a release."""
    people = dict(_people(classes, scenario.made.original.bags.owners))
    return np.array([people.get(int(classes[record]), 0) for record in scenario.targets], np.int64)


def _people(classes: Ints, owners: Ints) -> Iterator[tuple[int, int]]:
    """Count the distinct people in each class."""
    there = classes >= 0
    pairs = np.unique(np.column_stack([classes[there], owners[there]]), axis=0)
    yield from zip(*(values.tolist() for values in np.unique(pairs[:, 0], return_counts=True)), strict=True)

"""Canaries: invented words, planted with fewer than k people; none may be published.

Some are planted in copies of people's records, which are likely to be grouped with these people; others are the only words of invented
people. The release is made from the data with them, and the published canaries are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.attacks import Trial
from shoal.attacks.scenarios import Made, Scenario, ScenarioAttack, ScenarioTrial, Skipped, Tried
from shoal.attacks.scenarios.changed_records import with_people
from shoal.data.bags import Bags
from shoal.errors import ShoalError
from shoal.parameters import param
from shoal.util.numbers import distinct

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LONG = 16  # letters of a canary


@dataclass(frozen=True, eq=False)
class Canary:
    """A canary word, its people, and their other words."""

    word: str
    holders: int
    other_words: tuple[str, ...]


@dataclass(frozen=True)
class Canaries(ScenarioAttack):
    """Words of fewer than k made-up people are planted, and looked for in the release."""

    name = "canaries"
    test = "singling out"
    story = (
        "Before the release is made, items that nobody else has are planted in the data, each with fewer than k fictitious people: some in "
        "copies of real records, some in separate records. An attacker who finds such an item in the release has found these few people."
    )

    words: int = param(20, minimum=1, help="number of planted items of each kind")

    def runs(self, few: int, people: int, k: int) -> int:
        """Once, with all words."""
        return min(few, 1)

    def tried(self, scenario: Scenario) -> Tried:
        """Plant words of one person, and words of k - 1 people; all of them in one release."""
        scenario.insist_on_remakes()
        canaries = list(self._drawn(scenario))
        try:
            made = scenario.remake(with_people(scenario.made.original.typed, _records(canaries)))
        except ShoalError as error:
            raise Skipped(f"with canaries the release cannot be made ({error.message})") from None
        dropped = sum(_item(made, canary) < 0 for canary in canaries)
        note = f"canaries: {dropped:,} of {len(canaries):,} planted items were dropped in preparation"
        trials = [_trial(holders, canaries, made, scenario) for holders in dict.fromkeys(canary.holders for canary in canaries)]
        return Tried(tuple(trials), (note,) if dropped else ())

    def _drawn(self, scenario: Scenario) -> Iterator[Canary]:
        typed, chance = scenario.made.original.typed, np.random.default_rng(scenario.seed)
        taken = set(typed.vocabulary.names.to_list())
        for holders in sorted({1, scenario.k - 1}):
            for number in range(self.words):
                while (word := "".join(chance.choice(list(LETTERS), LONG))) in taken:
                    continue
                record = int(scenario.targets[number % len(scenario.targets)]) if number % 2 == 0 and len(scenario.targets) else None
                yield Canary(word, holders, () if record is None else tuple(typed.select([record]).to_polars()[0]))


def _records(canaries: list[Canary]) -> Bags:
    """Return the records of all people with a canary, one each."""
    return Bags.from_lists([canary.word, *canary.other_words] for canary in canaries for _ in range(canary.holders))


def _item(made: Made, canary: Canary) -> int:
    """Return the item of a canary after preparation, -1 if it was dropped."""
    code = made.original.typed.vocabulary.codes([canary.word])[0]
    return int(made.original.items[code])


def _trial(holders: int, canaries: list[Canary], made: Made, scenario: Scenario) -> ScenarioTrial:
    """Return which of the words of this many people are published."""
    planted = [canary for canary in canaries if canary.holders == holders]
    published = made.original.aligned(made.release).published
    shown = np.repeat(made.release.copies > 0, np.diff(published.indptr))
    there = set(distinct(published.items[shown]).tolist())
    found = np.array([float(_item(made, canary) in there) for canary in planted])
    people = "1 person" if holders == 1 else f"{holders:,} people"
    never = any((least := claim.item_holders) is not None and holders < least for claim in scenario.claims)
    lengths = np.array([1 + len(canary.other_words) for canary in planted], np.int64)
    return ScenarioTrial(Trial(f"a planted item of {people}", None, found, 0.0), lengths, ceiling=0.0 if never else None)

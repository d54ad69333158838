"""Planted people: before the release is made, the attacker adds k - 1 invented people with the items guessed about a person.

Groups consist of people with similar records, so the copies and the person are likely to be grouped; then the one member of the group who
is not the attacker's is the person. Copies also lift rare items over any threshold of k people. The result confirms the guess: to learn an
item, copies are planted with it, and the group's record shows whether the person has it too.

Copies for several people are planted in one release if these are few: at most one person in `SHARE` is invented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.attacks import Trial
from shoal.attacks.scenarios import Made, Scenario, ScenarioAttack, ScenarioTrial, Skipped, Tried
from shoal.attacks.scenarios.changed_records import classes_of, with_people
from shoal.data.bags import Bags, Ints, Small
from shoal.errors import ShoalError

SHARE = 20


@dataclass(frozen=True, eq=False)
class Guess:
    """What is planted for the user of a record: numbers of typed names with counts; the tested name, and whether the person has it."""

    record: int
    names: Ints
    counts: Small
    guessed: str | None = None
    held: bool = False


@dataclass(frozen=True, eq=False)
class PlantedGroup:
    """The group of the copies: its other members, and whether its record shows the tested item."""

    guess: Guess
    others: frozenset[int]
    shown: bool


Guessing = Callable[[Scenario, int, np.random.Generator], Guess]


@dataclass(frozen=True)
class PlantedPeople(ScenarioAttack):
    """Somebody plants k - 1 copies of what is guessed of a person, and looks who else is in their group."""

    name = "planted-people"
    test = "singling out"
    story = (
        "Before the data is collected, an attacker opens k - 1 accounts and repeats in each what a person is believed to have done. In "
        "the release, the group of these accounts has one member who is not planted: most likely the person. Control: the group of the "
        "accounts planted for someone else."
    )

    def runs(self, few: int, people: int, k: int) -> int:
        """Once for each kind of guess and each batch of people whose copies are planted at the same time."""
        at_once = max(1, people // (SHARE * max(1, k - 1)))
        return (len(GUESSES) + 1) * -(-few // at_once)

    def tried(self, scenario: Scenario) -> Tried:
        """Attack with the whole record guessed, half of it, and all of it except one tested item."""
        copies, n = scenario.k - 1, max(1, scenario.made.original.n_owners)
        scenario.insist_on_remakes()
        trials, failed = [], 0
        for words, guess in GUESSES.items():
            results, lost = _planted(scenario, copies, guess)
            failed += lost
            if results:
                trials.append(_singled_out(f"{words}, in {copies:,} planted copies", results, 1 / n, scenario))
        results, lost = _planted(scenario, copies, _question)
        if results:
            trials.append(_answered(f"all items but one, in {copies:,} planted copies with one more", results, scenario))
        if not trials:
            raise Skipped("with planted people the release cannot be made")
        note = f"planted-people: {failed + lost:,} trials were skipped: the release cannot be made with planted people"
        return Tried(tuple(trials), (note,) if failed + lost else ())


# -- guesses


def _whole(scenario: Scenario, record: int, chance: np.random.Generator) -> Guess:
    return Guess(record, *_held(scenario, record))


def _half(scenario: Scenario, record: int, chance: np.random.Generator) -> Guess:
    names, counts = _held(scenario, record)
    some = chance.permutation(len(names))[: max(1, len(names) // 2)]
    return Guess(record, names[some], counts[some])


def _question(scenario: Scenario, record: int, chance: np.random.Generator) -> Guess:
    """Return all items except one, and as test that one or, for every second person, an item that the person lacks."""
    original = scenario.made.original
    item_of, (names, counts) = original.items, _held(scenario, record)
    own, everyones = (some[item_of[some] >= 0] for some in (names, original.typed.items))
    if not len(own):
        return Guess(record, names, counts)
    strange = everyones[~np.isin(item_of[everyones], item_of[own])]
    hidden = int(chance.choice(own))
    held = int(np.flatnonzero(scenario.few == record)[0]) % 2 == 0 or not len(strange)
    guessed = hidden if held else int(chance.choice(strange))
    rest = item_of[names] != item_of[hidden]
    planted = np.append(names[rest], guessed), np.append(counts[rest], np.int32(1))
    return Guess(record, *planted, original.typed.vocabulary[guessed], held)


GUESSES: dict[str, Guessing] = {"the whole record": _whole, "half of the record": _half}


def _held(scenario: Scenario, record: int) -> tuple[Ints, Small]:
    """Return the typed names of a record, and their counts."""
    typed = scenario.made.original.typed
    span = slice(typed.indptr[record], typed.indptr[record + 1])
    return typed.items[span].astype(np.int64), typed.counts[span]


# -- results


def _planted(scenario: Scenario, copies: int, guessed: Guessing) -> tuple[list[PlantedGroup], int]:
    """Return the group of each person's copies, and the number of people for whom no release could be made."""
    typed, chance = scenario.made.original.typed, np.random.default_rng(scenario.seed)
    guesses = [guessed(scenario, int(record), chance) for record in scenario.few]
    at_once = max(1, typed.n_owners // (SHARE * copies))
    found: list[PlantedGroup] = []
    failed = 0
    for part in (guesses[start : start + at_once] for start in range(0, len(guesses), at_once)):
        try:
            made = scenario.remake(with_people(typed, _copies(part, copies, typed)))
        except ShoalError:
            failed += len(part)
            continue
        found += _results(part, copies, made, len(typed))
    return found, failed


def _copies(guesses: list[Guess], copies: int, typed: Bags) -> Bags:
    """Return the records of the invented people, one each."""
    planted = [guess for guess in guesses for _ in range(copies)]
    sizes = [len(guess.names) for guess in planted]
    names, counts = (np.concatenate(parts) for parts in ([guess.names for guess in planted], [guess.counts for guess in planted]))
    return Bags.from_rows(np.cumsum([0, *sizes]), names, counts, typed.vocabulary)


def _results(guesses: list[Guess], copies: int, made: Made, first: int) -> Iterator[PlantedGroup]:
    """Return the group of each person's copies, which follow all other records."""
    classes, owners = classes_of(made), made.original.bags.owners
    planted = frozenset(owners[first:].tolist())  # the copies for other people are the attacker's too
    for number, guess in enumerate(guesses):
        mine = np.arange(first + number * copies, first + (number + 1) * copies)
        group, others = _group(classes, owners, mine, planted)
        member = int(np.flatnonzero(classes == group)[0]) if others else None
        yield PlantedGroup(guess, others, member is not None and _shows(made, member, guess.guessed))


def _group(classes: Ints, owners: Ints, mine: Ints, planted: frozenset[int]) -> tuple[int, frozenset[int]]:
    """Return the class with most of a person's copies (of ties, the one with the fewest people), and its members who are not planted."""
    best = (0, 0, -1, frozenset[int]())
    for group, inside in zip(*np.unique(classes[mine], return_counts=True), strict=True):
        if group >= 0 and (others := frozenset(owners[classes == group].tolist()) - planted):
            best = max(best, (int(inside), -len(others), int(group), others), key=lambda one: one[:2])
    return best[2], best[3]


def _shows(made: Made, record: int, name: str | None) -> bool:
    """Whether the published record of this one has the item of a typed name."""
    if name is None:
        return False
    item = made.original.items[made.original.typed.vocabulary.codes([name])[0]]
    published, row = made.original.aligned(made.release).published, made.rows[record]
    return bool((published.items[published.indptr[row] : published.indptr[row + 1]] == item).any())


def _singled_out(knowledge: str, results: list[PlantedGroup], baseline: float, scenario: Scenario) -> ScenarioTrial:
    """Draw the person from the members of the group who are not planted; as control, the next person."""
    owners = scenario.made.original.bags.owners
    people = np.array([result.guess.record for result in results], np.int64)

    def chances(whom: Ints) -> npt.NDArray[np.float64]:
        met = zip(owners[whom].tolist(), results, strict=True)
        return np.array([1 / len(result.others) if owner in result.others else 0.0 for owner, result in met])

    sure = np.array([len(result.others) == 1 for result in results])
    control = Trial(knowledge, None, chances(np.roll(people, -1)), baseline) if len(people) > 1 else None
    return ScenarioTrial(Trial(knowledge, None, chances(people), baseline, sure), scenario.lengths(people), control)


def _answered(knowledge: str, results: list[PlantedGroup], scenario: Scenario) -> ScenarioTrial:
    """Answer whether the person has the tested item by whether the group's record shows it; at random without a group."""
    right = np.array([float(result.shown == result.guess.held) if result.others else 0.5 for result in results])
    sure = np.array([len(result.others) == 1 for result in results])
    lengths = scenario.lengths(np.array([result.guess.record for result in results], np.int64))
    return ScenarioTrial(Trial(knowledge, None, right, 0.5, sure), lengths, test="inference")

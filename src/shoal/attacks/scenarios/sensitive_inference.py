"""Sensitive inference and homogeneity: the attacker knows harmless items of a person, or the published record, and infers a sensitive item.

The best matching published records are the candidates, and the sensitive item that most of them show is the guess; if they show none, the
most popular one. If the person is among the candidates, the person is indistinguishable from them, and the guess is correct with the
probability that a candidate has the item: this is what a claim bounds. Otherwise the guess is correct or wrong, as for the control group.

An attacker who knows the published record itself is left with its class: the people whose records are published identically. The most
frequent sensitive item among them is the best guess. If all of them have one, the class is homogeneous, and the guess is certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal.attacks import Trial
from shoal.attacks.attacker_view import Scene
from shoal.attacks.matching import Matcher
from shoal.attacks.scenarios import Made, Scenario, ScenarioAttack, ScenarioTrial, Tried
from shoal.attacks.scenarios.changed_records import classes_of
from shoal.attacks.scenarios.sensitive_targets import SoughtItems, harmless, held_in
from shoal.data.bags import Bags, Ints
from shoal.data.release import Release, Secret
from shoal.errors import ParameterError
from shoal.util.numbers import distinct

if TYPE_CHECKING:
    import scipy.sparse as sp

Floats = npt.NDArray[np.float64]

SIZES = (1, 2, 4, None)  # harmless items that are known; none: all of them
BLOCK = 64  # people at a time
OF_RECORD, HOMOGENEOUS = "the published record, and what its people hold", "the published record: all of its people hold one"

CLAIMED = ", of the items of the claim"


@dataclass(frozen=True)
class SensitiveInference(ScenarioAttack):
    """An attacker who knows harmless items of a person guesses a sensitive one from the records that fit best."""

    name = "sensitive-inference"
    test = "inference"
    story = (
        "A neighbour knows some harmless items of a person, or which published record is the person's, and wants to know whether "
        "the person has a sensitive item. He guesses the sensitive item that is most frequent in the best matching records."
    )

    def tried(self, scenario: Scenario) -> Tried:
        """Attack by increasing numbers of harmless items, and by the published record; also on the original.

        If a claim names only some of the sensitive items, the attack is repeated for these: only they are covered.
        """
        found, claimed = _on_both(scenario, SoughtItems.of(scenario)), SoughtItems.of_narrower_claim(scenario)
        if claimed is not None:
            found += [one.renamed(one.trial.knowledge + CLAIMED) for one in _on_both(scenario, claimed)]
        return Tried(tuple(found))


def _on_both(scenario: Scenario, sought: SoughtItems) -> list[ScenarioTrial]:
    """Return the original itself, and the release."""
    original = scenario.made.original
    rows = np.arange(len(original.bags))
    raw = Made(original, Release.of_bags(original.bags, np.ones(len(rows), np.int64), secret=Secret(rows)))
    return [*_trials(scenario, raw, sought, promised=False), *_trials(scenario, scenario.made, sought, promised=True)]


def _trials(scenario: Scenario, made: Made, sought: SoughtItems, *, promised: bool) -> list[ScenarioTrial]:
    """Run all kinds of knowledge on one subject; for the original there is no guarantee and no control."""
    lengths, reader = scenario.lengths(scenario.targets), Reader(made, sought)
    strangers = _strangers(scenario, sought) if promised else None
    repeat = made.original.bags.owners_repeat  # then a claim about classes says nothing of people in several of them
    found = []
    for size in SIZES:
        trial = reader.by_items(scenario.targets, size, scenario.seed)
        ceiling = sought.promised("sensitive inference", size) if promised and not repeat else None
        control = None if strangers is None else strangers.by_strangers(size, scenario.seed)
        found.append(ScenarioTrial(trial, lengths, control, ceiling, on_original=not promised))
    share = reader.by_class()[scenario.targets]
    ceiling = sought.promised("sensitive record", None) if promised else None
    certain = np.asarray(share == 1)
    by_record = Trial(OF_RECORD, None, share, reader.popular, certain)
    homogeneous = Trial(HOMOGENEOUS, None, certain.astype(np.float64), float(reader.popular == 1), certain)
    return [
        *found,
        ScenarioTrial(by_record, lengths, None, ceiling, on_original=not promised),
        ScenarioTrial(homogeneous, lengths, None, None, on_original=not promised),
    ]


class Reader:
    """Reads a release for sensitive items."""

    def __init__(self, made: Made, sought: SoughtItems) -> None:
        self.made, self.meant = made, sought.meant_by(made.original)
        self.scene = Scene.of_release(made.release, made.original)
        self.matcher = Matcher(self.scene)
        self.held = held_in(made.original.bags, self.meant)  # records x items
        self.shown = held_in(self.scene.published, self.meant)  # rows x items
        self._columns, self._last = self.held.tocsc(), (-1, np.zeros(0, bool))
        self._there, self._repeat = made.rows >= 0, made.original.bags.owners_repeat
        self.owners = np.unique(made.original.bags.owners, return_inverse=True)[1]
        holders = _of_people(self.held, self.owners).sum(axis=0)
        self.commonest = int(np.asarray(holders).ravel().argmax())
        self.popular = float(np.asarray(holders).max()) / max(1, int(self.owners.max(initial=-1)) + 1)

    def known(self, records: Bags, size: int | None, seed: int) -> list[Ints]:
        """Draw this many harmless items of each record; all of them if there are fewer."""
        chance, good = np.random.default_rng(seed), harmless(self.meant)
        found = []
        for start, end in zip(records.indptr[:-1], records.indptr[1:], strict=True):
            items = records.items[start:end].astype(np.int64)
            found.append(np.sort(chance.permutation(items[good[items]])[:size]))
        return found

    def by_items(self, targets: Ints, size: int | None, seed: int) -> Trial:
        """Return the probability that a candidate has the guessed item; if the target is not a candidate, whether the target has it."""
        success, sure = np.zeros(len(targets)), np.zeros(len(targets), bool)
        guesses = self.guesses(self.known(self.made.original.bags.select(targets), size, seed))
        for number, (record, (rows, guess, certain)) in enumerate(zip(targets, guesses, strict=True)):
            among = bool(rows[self.made.rows[record]])
            success[number] = self._share(rows, guess) if among else float(self._holders(guess)[record])
            sure[number] = certain
        return Trial(_words(size), size, success, self.popular, sure)

    def by_class(self) -> Floats:
        """Return for each record the share of the people of its class with the most frequent sensitive item; 0 if it is suppressed."""
        classes = classes_of(self.made)
        there = np.flatnonzero(classes >= 0)
        if not len(there):
            return np.zeros(len(classes))
        # A person counts once in a class, however many records it has there.
        pairs, place = np.unique(np.column_stack([classes[there], self.owners[there]]), axis=0, return_inverse=True)
        holding = _of_people(self.held[there], place.ravel())
        people = np.bincount(pairs[:, 0])
        holders = _of_people(holding, pairs[:, 0], add=True).toarray().max(axis=1)
        share = np.zeros(len(classes))
        share[there] = (holders / np.maximum(1, people))[classes[there]]
        return share

    def guesses(self, known: list[Ints]) -> list[tuple[npt.NDArray[np.bool_], int, bool]]:
        """Return for each person the best matching rows, the guessed item, and whether all of them show it."""
        found, copies = [], self.scene.copies
        for start in range(0, len(known), BLOCK):
            matches = self.matcher.best(known[start : start + BLOCK], with_rows=True)
            for person in range(len(known[start : start + BLOCK])):
                rows = np.full(len(copies), bool(matches.unfitted[person]))
                rows[matches.rows[matches.starts[person] : matches.starts[person + 1]]] = True
                counts = np.asarray(copies[rows] @ self.shown[rows]).ravel()
                shown = bool(len(counts) and counts.max() > 0)
                guess = int(counts.argmax()) if shown else self.commonest
                found.append((rows, guess, shown and counts.max() == copies[rows].sum()))
        return found

    def _share(self, rows: npt.NDArray[np.bool_], item: int) -> float:
        """Return the share of the people behind these rows with an item in one of the records there."""
        inside = np.flatnonzero(self._there & rows[self.made.rows])
        holding = inside[self._holders(item)[inside]]
        people, holders = self._people(inside), self._people(holding)
        return holders / people if people else 0.0

    def _people(self, records: Ints) -> int:
        return len(distinct(self.owners[records])) if self._repeat else len(records)

    def _holders(self, item: int) -> npt.NDArray[np.bool_]:
        """Return which records have an item; cached, because the same one is usually guessed again."""
        if self._last[0] != item:
            self._last = item, self._columns[:, [item]].toarray().ravel() > 0
        return self._last[1]


@dataclass(frozen=True, eq=False)
class _Strangers:
    """People who were left out, and the release of the others."""

    records: Bags
    reader: Reader

    def by_strangers(self, size: int | None, seed: int) -> Trial:
        """Return whether each of them has the guessed item."""
        held = held_in(self.records, self.reader.meant)
        guesses = self.reader.guesses(self.reader.known(self.records, size, seed))
        right = np.array([float(held[number, guess]) for number, (_, guess, _) in enumerate(guesses)])
        return Trial(_words(size), size, right, self.reader.popular)


def _strangers(scenario: Scenario, sought: SoughtItems) -> _Strangers | None:
    """Return None if nobody was left out, or if the others lack the sensitive items."""
    if scenario.left_out is None:
        return None
    records, made = scenario.left_out
    try:
        return _Strangers(records.select(np.flatnonzero(records.lengths > 0)), Reader(made, sought))
    except ParameterError:
        return None


def _words(size: int | None) -> str:
    return "all items that are not sensitive" if size is None else f"{size} harmless item{'s' if size > 1 else ''}"


def _of_people(held: sp.csr_matrix, people: Ints, *, add: bool = False) -> sp.csr_matrix:
    """Aggregate records by items to people by items: whether any of their records has it, or how many do."""
    import scipy.sparse as sp

    n = int(people.max(initial=-1)) + 1
    person_of_record = sp.csr_matrix((np.ones(len(people), np.int64), (people, np.arange(len(people)))), shape=(n, len(people)))
    counts = person_of_record @ held
    return sp.csr_matrix(counts if add else (counts > 0).astype(np.int64))

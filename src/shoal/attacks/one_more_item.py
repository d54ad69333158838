"""One more item: the attacker knows all items of a person except one, and guesses it from the matching records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.attacks import RecordAttack, Trial
from shoal.attacks.attacker_view import People, Scene
from shoal.attacks.best_matches import BestMatches
from shoal.attacks.matching import Matcher
from shoal.data.bags import Ints
from shoal.util.numbers import distinct

NOTHING = -1


class HiddenItem(NamedTuple):
    """The known items of a person, and the unknown one."""

    known: Ints
    item: int


@dataclass(frozen=True)
class OneMoreItem(RecordAttack):
    """An attacker who knows all items of a person but one guesses that one from the records that fit best."""

    name = "one-more-item"
    test = "inference"
    story = (
        "A friend knows all items of a person's record but one. He looks for the best matching records and guesses "
        "the additional item that is most frequent in them."
    )

    def trials(self, scene: Scene, people: People, seed: int) -> list[Trial]:
        """Attack with one kind of knowledge: all items except a random one."""
        matcher, hidden = Matcher.shared(scene), _hidden(people, seed)
        popular = np.argsort(-scene.holders, kind="stable")
        success = np.zeros(len(people))
        for place in (block.place for block in matcher.blocks(people)):
            known = [one.known for one in hidden[place]]
            guesses = _guesses(matcher, matcher.best(known, with_rows=True), known)
            success[place] = [guess == one.item for guess, one in zip(guesses, hidden[place], strict=True)]
        naive = [_most_popular(popular, one.known) == one.item for one in hidden]
        return [Trial("all items but one", None, success, float(np.mean(naive)) if naive else 0.0)]


def _hidden(people: People, seed: int) -> list[HiddenItem]:
    """Draw an item of each person; people without items are never guessed correctly."""
    chance = np.random.default_rng(seed)
    found = []
    for person in range(len(people)):
        held = people.items(person)
        item = int(held[chance.integers(len(held))]) if len(held) else NOTHING - 1
        found.append(HiddenItem(held[held != item], item))
    return found


def _guesses(matcher: Matcher, matches: BestMatches, known: list[Ints]) -> list[int]:
    """Return for each person the item most frequent in the best matching records, other than the known ones."""
    import scipy.sparse as sp

    scene, rows = matcher.scene, distinct(matches.rows)
    shape = len(matches), len(rows)
    best = sp.csr_matrix((scene.copies[matches.rows], np.searchsorted(rows, matches.rows), matches.starts), shape=shape)
    few = scene.published.select(rows)
    present = sp.csr_matrix((np.ones(len(few.items), np.int64), few.items, few.indptr), shape=(len(rows), len(scene.tree)))
    held = (best @ present).tocsr()
    found = []
    for person, items in enumerate(known):
        counts = matcher.held.copy() if matches.unfitted[person] else held[person].toarray().ravel()
        counts[items] = 0
        counts[scene.holders == 0] = 0  # a node that represents other items is no item of anybody
        found.append(int(counts.argmax()) if counts.any() else NOTHING)
    return found


def _most_popular(popular: Ints, known: Ints) -> int:
    """Return the most popular item that is not known already."""
    first = popular[: len(known) + 1]
    return int(first[~np.isin(first, known)][0])

"""One more item: the attacker knows all items of a person but one, and guesses that one from the records that fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.attacks import RecordAttack, Trial
from shoal.attacks.matching import Matcher
from shoal.attacks.scene import People, Scene
from shoal.data.bags import Ints

NOTHING = -1


@dataclass(frozen=True)
class OneMoreItem(RecordAttack):
    """Somebody who knows all items of a person but one guesses that one from the records that fit best."""

    name = "one-more-item"
    test = "inference"
    story = (
        "A friend knows everything in a person's record but one thing. He looks for the records that fit best what he knows, and guesses "
        "the thing that most of them hold beyond it."
    )

    def trials(self, scene: Scene, people: People, seed: int) -> list[Trial]:
        """One kind of knowledge: all items but one, drawn at random."""
        matcher, chance = Matcher(scene), np.random.default_rng(seed)
        popular = np.argsort(-scene.holders, kind="stable")
        success, naive = np.zeros(len(people)), np.zeros(len(people))
        for person in range(len(people)):
            held = people.items(person)
            if len(held):
                hidden = int(held[chance.integers(len(held))])
                known = held[held != hidden]
                success[person] = _guess(matcher, known) == hidden
                naive[person] = _most_popular(popular, known) == hidden
        return [Trial("all items but one", None, success, float(naive.mean()) if len(people) else 0.0)]


def _guess(matcher: Matcher, known: Ints) -> int:
    """The item, published as people have it, that stands most often in the best fitting records beside what is known."""
    scene = matcher.scene
    held = matcher.best(matcher.scores(known))[matcher.row_of]
    copies = scene.copies[matcher.row_of[held]]
    counts = np.bincount(scene.published.items[held], weights=copies, minlength=len(scene.tree))
    counts[known] = 0
    counts[scene.holders == 0] = 0  # a node that stands for others is no item of anybody
    return int(counts.argmax()) if counts.any() else NOTHING


def _most_popular(popular: Ints, known: Ints) -> int:
    """The most popular item that is not known already."""
    first = popular[: len(known) + 1]
    return int(first[~np.isin(first, known)][0])

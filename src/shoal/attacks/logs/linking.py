"""Linking of records by similarity: which published record is most similar to a known one?

Similarity is the cosine of weight vectors: an item weighs more the fewer published records have it, and long records have no advantage.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.attacks import Chances, Trial
from shoal.attacks.attacker_view import People, Scene
from shoal.attacks.logs import LinkingAttack
from shoal.attacks.matching import Matcher
from shoal.attacks.scores import Scores
from shoal.data.bags import Bags, Ints

WORSE_THAN_ANY = 1
AT_ONCE = 16  # people whose similarity to every published record is held at a time


@dataclass(frozen=True, eq=False)
class Linkable:
    """A scene, people whose published records are searched for, and a known record of each, in the vocabulary of the scene.

    `own` are the published rows of the known records themselves, which do not count as answers; -1 for none.
    """

    scene: Scene
    people: People
    known: Bags
    own: Ints | None = None

    @property
    def guessing(self) -> float:
        """The success rate of drawing a record at random."""
        return self.people.rows_each / max(1, self.scene.n_records - (self.own is not None))


def linked(one: Linkable, knowledge: str, eccentricity: float) -> Trial:
    """Return each person's probability that the most similar record is theirs."""
    matcher = Matcher(one.scene)
    success: Chances = np.zeros(len(one.people))
    claimed: npt.NDArray[np.bool_] = np.zeros(len(one.people), bool)
    for block in matcher.blocks(one.people, AT_ONCE):
        place = block.place
        scores = _without_own(matcher.likeness(one.known.select(np.arange(place.start, place.stop))), one, place)
        success[place] = block.chance(scores)
        claimed[place] = scores.stands_out(eccentricity)
    return Trial(knowledge, None, success, one.guessing, claimed)


def _without_own(scores: Scores, one: Linkable, place: slice) -> Scores:
    """Return the scores with the known records themselves below all others."""
    import scipy.sparse as sp

    if one.own is None:
        return scores
    own = one.own[place]
    there = own >= 0
    starts = np.concatenate([[0], np.cumsum(there)])
    mask = sp.csr_matrix((np.ones(int(there.sum()), np.int64), own[there], starts), shape=scores.matrix.shape)
    return Scores((scores.matrix - scores.matrix.multiply(mask) - WORSE_THAN_ANY * mask).tocsr(), one.scene)


# -- personas: rows of one person have several pseudonyms, or none; the attacker joins them again
#
# Adar, "User 4XXXXX9: anonymizing query logs", WWW 2007 workshop on Query Log Analysis, splits people by topics; others give a new
# pseudonym for each session or day, or delete ids. What is left to an attacker is what the parts have in common: words, and times that
# are published.


@dataclass(frozen=True)
class Personas(LinkingAttack):
    """Somebody who has the rows of one pseudonym looks for another pseudonym of the same person."""

    name = "personas"
    test = "linking"
    story = (
        "A person's rows are published under several pseudonyms, or without any. An attacker takes the rows of one pseudonym and looks for "
        "the most similar other one, by words and by the minutes of its queries."
    )


# Profile over time: the attacker knows a person's earlier queries, and searches for the person in a release of a later period.


@dataclass(frozen=True)
class ProfileOverTime(LinkingAttack):
    """An attacker who knows what people did earlier finds them again in a release of a later period."""

    name = "profile-over-time"
    test = "linking"
    story = (
        "An employer has the log of his network from some months ago, with names. A release covers the months after. For each person he "
        "looks for the published record that is most similar to the old one. Or he has only one day, the last of each person."
    )

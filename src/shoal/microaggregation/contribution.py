"""Aggregation by contribution: who asked more gives more queries to the common history, and rather those that they repeat.

Of member i with |Q_i| queries the contribution is |Q_i| / sum |Q_j|, and the quota the contribution times |Q_i|. Members choose from their
texts, the most repeated first: a text is taken with a probability of contribution times repetitions, until the quota is reached. Quotas are
rounded so that their sum is that of all, rounded. Where a list ends before the quota is reached it is gone through again without what was
taken; a text that several members could give is given once for every asking that enough of them share.
"""

from __future__ import annotations

import numpy as np

from shoal.data.bags import Ints
from shoal.microaggregation.histories import Histories
from shoal.microaggregation.history_aggregation import Matches

MOST_ROUNDS = 1000  # through a list whose texts are hardly ever taken


def quotas(sizes: Ints) -> Ints:
    """How many queries members with so many queries give: by largest remainders, so that the sum is the rounded sum of all quotas."""
    total = int(sizes.sum())
    squares = sizes * sizes
    wanted = (2 * int(squares.sum()) + total) // (2 * total)
    whole = squares // total
    short = wanted - int(whole.sum())
    given = whole.copy()
    given[np.argsort(-(squares % total), kind="stable")[:short]] += 1
    return given


def contributed(histories: Histories, members: Ints, matches: Matches, least: int, chance: np.random.Generator) -> Ints:
    """The matches that the members give, none of fewer than `least` of them."""
    sizes = histories.sizes[members]
    shared = matches.people >= least
    left = {text: np.flatnonzero((matches.text == text) & shared)[::-1].tolist() for text in np.unique(matches.text[shared]).tolist()}
    whose = np.repeat(np.arange(len(members)), sizes)
    taken: list[int] = []
    for member, quota in enumerate(quotas(sizes).tolist()):
        texts, repeats = np.unique(matches.text[matches.match[whose == member]], return_counts=True)
        order = np.lexsort((texts, -repeats))
        own = [(int(texts[i]), int(repeats[i])) for i in order if int(texts[i]) in left]
        taken += _given(own, quota, float(sizes[member] / sizes.sum()), left, chance)
    return np.array(taken, np.int64)


def _given(
    own: list[tuple[int, int]], quota: int, contribution: float, left: dict[int, list[int]], chance: np.random.Generator
) -> list[int]:
    """What one member gives: texts with their repetitions, most repeated first."""
    given: list[int] = []
    for _ in range(MOST_ROUNDS):
        refused = []
        for text, repeats in own:
            if len(given) >= quota:
                return given
            if not left[text]:
                continue
            if chance.random() < min(1.0, contribution * repeats):
                given.append(left[text].pop())
            else:
                refused.append((text, repeats))
        own = refused
        if not own:
            break
    return given

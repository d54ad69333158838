"""Clusters of people by the user distance of microaggregation, as the ARES report forms them: k-means over trees of queries.

A centre is the common history of its cluster. The first centre is the history nearest to that of everybody, each further one the history
farthest from all centres before it, so the centres of few clusters are the first of those of many. Or centres begin at given people.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.data.table import Floats
from shoal.microaggregation.histories import Histories
from shoal.microaggregation.query_tree_space import Forest, Weights

COMPARED = 16  # queries of each person, the most popular first
ROUNDS = 3


class UserClusters:
    """The people of a log, to be clustered into at most `most` clusters, whose centres begin at `starts`, or far apart."""

    def __init__(self, log: Log, most: int, starts: Sequence[int] | None = None, rounds: int = ROUNDS) -> None:
        self._histories, self._rounds = Histories.of(log), rounds
        self._space = Forest(self._histories, Weights(), "words", COMPARED).space(np.arange(len(self._histories)))
        self._first, self._alike = _alike(self._histories)
        self._apart = self._far_apart(most) if starts is None else self._begun_at(starts[:most])

    @property
    def owners(self) -> Ints:
        """The number of each person, in the order of the clusters."""
        return self._histories.owners

    @property
    def different(self) -> int:
        """The number of different histories, which is the maximum number of clusters."""
        return len(self._first)

    def labels(self, clusters: int) -> Ints:
        """Return the cluster of each person, after a few rounds of Lloyd's algorithm."""
        label: Ints = np.argmin(self._apart[:clusters], axis=0)[self._alike]
        for _ in range(self._rounds - 1):
            centres = [self._space.centroid(np.flatnonzero(label == cluster)) for cluster in np.unique(label)]
            fresh = np.argmin([self._distances(centre) for centre in centres], axis=0)[self._alike]
            if np.array_equal(fresh, label):
                break
            label = fresh
        return label

    def _distances(self, centre: object) -> Floats:
        """To each different history."""
        return self._space.distances(centre, self._first)  # type: ignore[arg-type]

    def _begun_at(self, starts: Sequence[int]) -> Floats:
        """Return the distances of all different histories to those of these people."""
        place = {owner: number for number, owner in enumerate(self._histories.owners.tolist())}
        return np.array([self._distances(self._space.point(place[owner])) for owner in starts])

    def _far_apart(self, most: int) -> Floats:
        """Return the distances of all different histories to those that centres begin at."""
        starts = [int(np.argmin(self._distances(self._space.centroid(np.arange(len(self._histories))))))]
        apart = [self._distances(self._space.point(int(self._first[starts[0]])))]
        away = apart[0].copy()
        while len(starts) < most and away.max() > 0:
            starts.append(int(np.argmax(away)))
            apart.append(self._distances(self._space.point(int(self._first[starts[-1]]))))
            away = np.minimum(away, apart[-1])
        return np.array(apart)


def _alike(histories: Histories) -> tuple[Ints, Ints]:
    """One person of each different history, and the different history of each person."""
    contents = []
    for begin, end in zip(histories.starts[:-1], histories.starts[1:], strict=True):
        clicks = slice(histories.clicks[begin], histories.clicks[end])
        parts = (histories.text[begin:end], histories.time[begin:end], histories.rank[clicks], histories.url[clicks])
        contents.append(tuple(part.tobytes() for part in parts))
    number = {content: i for i, content in enumerate(dict.fromkeys(contents))}
    alike = np.array([number[content] for content in contents], np.int64)
    return np.unique(alike, return_index=True)[1].astype(np.int64), alike

"""Interests of synthetic users: a few topics each, and a set of nouns of known size from them and from general vocabulary.

A topic is a subtree of WordNet, that is an interval of the nouns; users of a topic share related words. Nouns are drawn without replacement
until a user has the wanted number of different ones, so that their mean number is the requested one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shoal.data.bags import Ints, Small
from shoal.data.taxonomy import Taxonomy
from shoal.synthetic.chance import Floats, LongTailed, Weighted, waits, zipf
from shoal.synthetic.words import Nouns

SMALLEST_TOPIC, LARGEST_TOPIC = 20, 200
MOST_TOPICS = 5
# The share of a user's nouns that belong to one of the topics.
FOCUS = 0.6
# The spread of the logarithm of a user's number of nouns, and the most nouns as a multiple of the mean.
SPREAD, LONGEST = 1.0, 40


@dataclass(frozen=True, eq=False)
class NounTopics:
    """Intervals of the nouns, and their popularity. Number 0 is all nouns: general vocabulary."""

    low: Ints
    high: Ints
    popularity: Weighted

    def __len__(self) -> int:
        return len(self.low)


@dataclass(frozen=True, eq=False)
class Interests:
    """For each user: the number of nouns, the number of topics, and which (0 if there is none)."""

    sizes: Ints
    counts: Ints
    topics: Ints

    def topic_of(self, users: Ints, uniform: Floats) -> Ints:
        """Return one of each user's topics."""
        return self.topics[users, (uniform * self.counts[users]).astype(np.int64)]


def topics(taxonomy: Taxonomy, nouns: Nouns, n: int, rng: np.random.Generator) -> NounTopics:
    """Return the n heaviest of the largest subtrees that are small enough, with random weights."""
    low = np.searchsorted(nouns.node, np.arange(len(taxonomy)))
    high = np.searchsorted(nouns.node, taxonomy.end)
    size = high - low
    wide = size[taxonomy.parent] > LARGEST_TOPIC
    roots = np.flatnonzero((size >= SMALLEST_TOPIC) & (size <= LARGEST_TOPIC) & wide)
    weight = (nouns.popularity.reach[high] - nouns.popularity.reach[low])[roots] * waits(rng.random(len(roots)))
    chosen = roots[np.argsort(-weight, kind="stable")[:n]]
    everything = np.zeros(1, np.int64), np.full(1, len(nouns.node))
    return NounTopics(
        np.concatenate([everything[0], low[chosen]]),
        np.concatenate([everything[1], high[chosen]]),
        Weighted(np.concatenate([[0.0], zipf(len(chosen), 0.7, 5.0)])),
    )


def sizes(mean: float, nouns: Nouns) -> LongTailed:
    """Return the distribution of the number of nouns per user."""
    return LongTailed(mean, SPREAD, min(int(mean * LONGEST) + 1, len(nouns.node) // 10))


def interests(n: int, sizes: Callable[[Floats], Ints], topics: NounTopics, rng: np.random.Generator) -> Interests:
    """Draw the interests of n users."""
    counts = 1 + np.minimum((1.2 * waits(rng.random(n))).astype(np.int64), MOST_TOPICS - 1)
    return Interests(sizes(rng.random(n)), counts, topics.popularity.draw(rng.random((n, MOST_TOPICS))))


def draw_nouns(who: Interests, topics: NounTopics, nouns: Nouns, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Draw users, their nouns and the topic of each noun: `sizes[u]` different nodes for user u.

    Ordered by user and within a user by topic.
    """
    none = np.zeros(0, np.int64)
    user, noun, topic = none, none, none
    finished: list[tuple[Ints, Ints, Ints]] = []
    missing = who.sizes
    while (short := np.flatnonzero(missing)).size:
        users = np.repeat(short, 2 * missing[short] + 4)
        about = np.where(rng.random(len(users)) < FOCUS, who.topic_of(users, rng.random(len(users))), 0)
        drawn = nouns.popularity.draw(rng.random(len(users)), topics.low[about], topics.high[about])
        user, noun, topic = np.append(user, users), np.append(noun, drawn), np.append(topic, about)
        kept = _first_different(user, nouns.node[noun], who.sizes)
        user, noun, topic = user[kept], noun[kept], topic[kept]
        missing = who.sizes - np.bincount(np.concatenate([user, *(f[0] for f in finished)]), minlength=len(who.sizes))
        full = missing[user] == 0
        finished.append((user[full], noun[full], topic[full]))
        user, noun, topic = user[~full], noun[~full], topic[~full]
    user, noun, topic = (np.concatenate(parts) for parts in zip(*finished, strict=True))
    order = np.lexsort((topic, user))
    return user[order], noun[order], topic[order]


def _first_different(user: Ints, node: Small, sizes: Ints) -> Ints:
    """Return the positions of each user's first `sizes` different nodes, ordered by user and then as drawn."""
    _, first = np.unique(user * (int(node.max(initial=0)) + 1) + node, return_index=True)
    first.sort()
    first = first[np.argsort(user[first], kind="stable")]
    owner = user[first]
    rank = np.arange(len(first)) - np.searchsorted(owner, owner)
    return np.asarray(first[rank < sizes[owner]])

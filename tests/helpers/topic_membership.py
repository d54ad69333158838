"""Membership attack on the names of learned topics: from the names alone, was a person in the data that they were learned from?

The people of a log are split in two halves at random, again and again: topics are learned from one half, and the other half is the control
group. The attacker knows everything that each person searched for, how many people of the log use each word, and many names that were
learned from other random halves. From these halves it is estimated how often a word of so many people is in a name if a certain one of
its people is in the half, and if not. The likelihood ratio over the words of a person then ranks all people, and the upper half of them
is guessed to be in. Guessing at random is right in half of the cases.

All names of the tree are given to the attacker, also those that a release would not publish. For comparison the attacker may be given the
list of all words that enough people use, which other methods publish.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from shoal.data.bags import Bags
from shoal.taxonomy.learned import learn_topics
from shoal.taxonomy.topic_names import SEPARATOR

Z = 1.96
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Words = Callable[[Flags], Flags]  # from the people of a half to the words that are published of it
Published = Callable[[Bags, int], Flags]


@dataclass(frozen=True)
class Membership:
    """The share of right guesses with its interval over all trials, and the share of people whose absence alone changes a name."""

    right: float
    low: float
    high: float
    trials: int
    changed: float


def names_of_topics(contexts: Bags, fewest: int) -> Flags:
    """Which words are in the name of a topic."""
    topics = learn_topics(contexts, fewest)
    tree = topics.taxonomy(fewest=fewest)
    inner = np.unique(tree.parent[1:])[1:]
    used = {word for node in inner for word in tree.names[int(node)].split(SEPARATOR)}
    return np.array([name in used for name in contexts.vocabulary.names])


def words_of_enough(contexts: Bags, fewest: int) -> Flags:
    """Which words enough people use."""
    return np.asarray(contexts.people_per_item >= fewest)


def attacked(
    contexts: Bags,
    fewest: int,
    shadows: int,
    trials: int,
    left_out: int = 0,
    seed: int = 0,
    published: Published = names_of_topics,
) -> Membership:
    """Attack what is published of random halves of the people.

    Args:
        contexts: Sessions or records of everybody.
        fewest: The number of people behind each word of a name.
        shadows: How many halves the attacker learns names from, to know what to expect.
        trials: How many halves are attacked.
        left_out: How many people are left out of a half one by one, for an attacker who knows everybody else's data.
        seed: Seed of all halves.
        published: Which words are published of a half.
    """
    rng = np.random.default_rng(seed)
    people, owner = np.unique(contexts.owners, return_inverse=True)
    held = words_of_people(contexts, owner, len(people))
    holders = np.asarray(held.sum(0)).ravel().astype(np.int64)

    def words(inside: Flags) -> Flags:
        return published(contexts.select(np.flatnonzero(inside[owner])), fewest)

    expected = _expected(held, holders, words, rng, shadows)
    right = []
    for _ in range(trials):
        inside = _half(len(people), rng)
        named = words(inside)
        score = _scores(held, holders, named, expected)
        order = np.lexsort((rng.random(len(people)), -score))
        guessed = np.zeros(len(people), bool)
        guessed[order[: inside.sum()]] = True
        right.append(float((guessed == inside).mean()))
    mean, reach = float(np.mean(right)), Z * float(np.std(right, ddof=1)) / trials**0.5
    return Membership(mean, mean - reach, mean + reach, trials, _changed(len(people), words, rng, left_out))


def words_of_people(contexts: Bags, owner: Counts, people: int) -> sp.csr_matrix:
    """Which person uses which word, as ones."""
    whose = np.repeat(owner, np.diff(contexts.indptr))
    pairs = np.unique(np.stack([whose, contexts.items.astype(np.int64)]), axis=1)
    return sp.csr_matrix((np.ones(pairs.shape[1]), (pairs[0], pairs[1])), shape=(people, len(contexts.vocabulary)))


def _half(people: int, rng: np.random.Generator) -> Flags:
    inside = np.zeros(people, bool)
    inside[rng.permutation(people)[: people // 2]] = True
    return inside


def _expected(held: sp.csr_matrix, holders: Counts, words: Words, rng: np.random.Generator, shadows: int) -> tuple[Numbers, Numbers]:
    """How often a word of so many people is in a name: if one of its people is in the half, and if that one is not."""
    most = int(holders.max()) + 1
    hits, tries = np.ones((2, most)), np.full((2, most), 2.0)
    for _ in range(shadows):
        inside = _half(held.shape[0], rng)
        named = words(inside)
        for side, those in enumerate((~inside, inside)):
            pairs = np.asarray(held[those].sum(0)).ravel()
            np.add.at(tries[side], holders, pairs)
            np.add.at(hits[side], holders, pairs * named)
    rates = hits / tries
    return rates[0], rates[1]


def _scores(held: sp.csr_matrix, holders: Counts, named: Flags, expected: tuple[Numbers, Numbers]) -> Numbers:
    """The logarithm of the likelihood ratio of each person."""
    absent, present = (rates[holders] for rates in expected)
    ratio = np.where(named, np.log(present / absent), np.log((1 - present) / (1 - absent)))
    return np.asarray(held @ ratio)


def _changed(people: int, words: Words, rng: np.random.Generator, left_out: int) -> float:
    """The share of people without whom a half would have other words in names."""
    if not left_out:
        return float("nan")
    inside = _half(people, rng)
    whole = words(inside)
    chosen = rng.permutation(np.flatnonzero(inside))[:left_out]
    return float(np.mean([not np.array_equal(whole, words(inside & (np.arange(people) != one))) for one in chosen]))

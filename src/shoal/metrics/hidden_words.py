"""Hidden items: how well a release predicts the other items of its people.

The test hides a fifth of the distinct items of each person and makes the release from the rest. It then computes for each person the
probability of every item: its popularity, multiplied by a factor that depends on the published record of the person.

The factor depends on the lowest node above the item that the published record contains or implies. The fewer people have something below
this node, the larger the factor should be. Its actual size is estimated on one half of the published records and used for the other half.
Nodes with about as many people, and items with about as many people, share one estimate. So a taxonomy gains nothing by fine categories
that are unrelated to what people have.

Two numbers result. The gain is the probability of the hidden items relative to popularity alone, in bits per item. The recall is the share
of hidden items among the 20 likeliest items. Items that are published in the record are not guessed. Which items are hidden depends on the
content of the records, not on their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints, Small, Vocabulary
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.people_below import people_below
from shoal.text.terms import in_one_case
from shoal.util.numbers import distinct, mixed

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

SHARE = 5  # one word in this many is hidden
GUESSES = 20
NODE_CLASSES = 12  # of nodes by their people: more than a half of all, more than a quarter and so on
WORD_CLASSES = 10  # of words by their people: none, one, two or three and so on
PRIOR = 2.0  # hidden words that are taken for seen in each class, as often as by popularity
UNSEEN = 0.5  # pseudocount of people who have each word, because a word may be hidden from all its holders
MOST_RECORDS = 2_000  # different published records that are tried, evenly chosen
DEVIATES = 1.96  # half of a 95% interval
TINY = 1e-300  # instead of a sum of nothing


@dataclass(frozen=True, eq=False)
class HiddenWords:
    """Records without their hidden items; and the hidden pairs of a person and an item of `items`, whose names are sorted."""

    rest: Bags
    owners: Ints
    words: Ints
    names: pl.Series


@dataclass(frozen=True)
class Guessed:
    """What came out: gain in bits per hidden item, recall of the record and of popularity alone, each with its 95% interval."""

    hidden: int
    gain: float
    gain_low: float
    gain_high: float
    recall: float
    recall_low: float
    recall_high: float
    popular_recall: float

    @property
    def beats_popularity(self) -> bool:
        """Whether the records predict more than popularity alone, beyond chance."""
        return self.gain_low > 0


# -- hiding


def hide_words(records: Bags) -> HiddenWords:
    """Hide a fifth of the different items of each person, at least one of two or more. Items that differ in case alone are one item."""
    words = in_one_case(records.vocabulary.names)
    names = Vocabulary(words.unique().sort())
    held = _pairs(records, names.codes(words), len(names))
    different = distinct(held)
    people, word = different // len(names), different % len(names)
    hidden = _chosen(people, word)
    return HiddenWords(_without(records, np.isin(held, different[hidden])), people[hidden], word[hidden], names.names)


def without(records: Bags, hidden: HiddenWords) -> Bags:
    """Other records of the same people, such as their sessions, without the hidden items."""
    codes = Vocabulary(hidden.names).codes(in_one_case(records.vocabulary.names))
    held = _pairs(records, codes, len(hidden.names))
    return _without(records, np.isin(held, hidden.owners * len(hidden.names) + hidden.words))


def _pairs(records: Bags, codes: Small, n_words: int) -> Ints:
    """Return a number for the person and the item of each entry."""
    return np.asarray(np.repeat(records.owners, np.diff(records.indptr)) * n_words + codes[records.items])


def _without(records: Bags, removed: Mask) -> Bags:
    kept = np.where(removed, -1, records.items).astype(np.int32)
    return Bags.from_rows(records.indptr, kept, records.counts, records.vocabulary, records.owners)


def _chosen(people: Ints, words: Ints) -> Mask:
    """Return which pairs, sorted by person and item, are hidden: those with the smallest hashes of item and of all items of the person."""
    first = np.flatnonzero(np.diff(people, prepend=-1))
    lengths = np.diff(np.append(first, len(people)))
    whole = np.add.reduceat(mixed(words.astype(np.uint64)), first) if len(first) else np.zeros(0, np.uint64)
    person = np.repeat(np.arange(len(first)), lengths)
    keys = mixed(words.astype(np.uint64) ^ mixed(whole)[person])
    order = np.lexsort((words, keys, person))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - first[person]
    most = np.where(lengths > 1, np.maximum(1, lengths // SHARE), 0)
    return np.asarray(place < most[person])


# -- guessing


class Guesser:
    """Gives every item a probability, by popularity alone and by what a set of published nodes makes likely."""

    def __init__(self, original: Original, hidden: HiddenWords, taxonomy: Taxonomy | None = None) -> None:
        """`original` has the records without the hidden items. An item that none of them has is looked up in `taxonomy`."""
        self._tree = original.tree
        names = Vocabulary(hidden.names)
        codes = names.codes(in_one_case(original.typed.vocabulary.names))
        self._node = _nodes_of_words(original, codes, hidden.names, taxonomy)
        self._alone = np.bincount(self._node, minlength=len(self._tree)) == 1
        self._leaf = self._tree.end == np.arange(len(self._tree)) + 1
        share = np.maximum(1, people_below(original.bags, self._tree)) / max(1, original.n_owners)
        self._node_class = np.clip(np.floor(-np.log2(share)), 0, NODE_CLASSES - 1).astype(np.int64)
        held = original.typed.relabelled(codes, names, as_sets=True)
        holders = held.people_per_item
        self._popularity = (holders + UNSEEN) / (holders + UNSEEN).sum()
        self._word_class = np.minimum(np.floor(np.log2(2 * holders + 1)), WORD_CLASSES - 1).astype(np.int64)

    @cached_property
    def _levels(self) -> list[Ints]:
        return [np.flatnonzero(self._tree.depth == level) for level in range(1, self._tree.height + 1)]

    def guess(self, items: Small) -> tuple[Floats, Ints]:
        """Of each item its probability by popularity, and its class with that of the lowest node above it that these items make true."""
        tree, published = self._tree, np.zeros(len(self._tree), np.int64)
        published[items] = 1
        true, lowest = tree.sum_up(published) > 0, np.zeros(len(tree), np.int64)
        for level in self._levels:
            lowest[level] = np.where(true[level], level, lowest[tree.parent[level]])
        known = self._alone & self._leaf & (published > 0)
        left = np.where(known[self._node], 0.0, self._popularity)
        return left / max(left.sum(), TINY), self._word_class * NODE_CLASSES + self._node_class[lowest][self._node]


def _nodes_of_words(original: Original, codes: Small, names: pl.Series, taxonomy: Taxonomy | None) -> Ints:
    """Return the node of each item: that of the records; else the lowest node of the tree above it in the taxonomy; else the root."""
    found = np.full(len(names), -1, np.int64)
    there = (original.items >= 0) & (codes >= 0)
    found[codes[there]] = original.items[there]
    absent = np.flatnonzero(found < 0)
    if taxonomy is not None and len(absent):
        here = original.tree.names.codes(taxonomy.names.names).astype(np.int64)
        above = taxonomy.nodes(names.gather(absent)).astype(np.int64)
        while len(late := np.flatnonzero((above >= 0) & (here[above] < 0))):
            above[late] = taxonomy.parent[above[late]]
        found[absent] = np.where(above >= 0, here[above], 0)
    return np.maximum(found, 0)


# -- the result


def guess_hidden(release: Release, original: Original, hidden: HiddenWords, taxonomy: Taxonomy | None = None) -> Guessed | None:
    """Guess the hidden items from a release of the rest.

    Args:
        release: The release of records without their hidden items, as it was made.
        original: These records.
        hidden: What was hidden.
        taxonomy: The whole taxonomy that records were put on, if it does not come from them.

    Returns:
        The result; None if nothing was hidden or the release does not say which record became which.
    """
    if release.secret is None or not release.of_records or not len(hidden.words):
        return None
    guesser = Guesser(original, hidden, taxonomy)
    trials = _trials(original.aligned(release).published, release.secret.rows(), original.bags.owners, hidden)
    sums = [_class_sums(guesser, trial) for trial in trials]
    lifts = [_lifts(sums[1 - half :: 2]) for half in (0, 1)]
    found = np.concatenate([_tried(guesser, trial, lifts[n % 2]) for n, trial in enumerate(trials)], axis=1)
    person = np.concatenate([trial.owners for trial in trials])
    return Guessed(len(person), *_interval(found[0], person), *_interval(found[1], person), float(found[2].mean()))


@dataclass(frozen=True, eq=False)
class _Trial:
    """Published items, and the hidden items of the people who are published so."""

    items: Small
    owners: Ints
    words: Ints


def _trials(published: Bags, rows: Ints, owners: Ints, hidden: HiddenWords) -> list[_Trial]:
    """Return the hidden items by what is published of their people; people of whom nothing is published are one trial."""
    seen = pl.DataFrame({"owner": owners, "row": rows}).filter(pl.col("row") >= 0).group_by("owner").agg(pl.col("row").unique().sort())
    pairs = pl.DataFrame({"owner": hidden.owners, "word": hidden.words}).join(seen, on="owner", how="left")
    by_rows = pairs.group_by("row").agg(pl.col("owner", "word").sort_by("owner", "word")).sort("row", nulls_last=False)
    chosen = np.unique(np.linspace(0, len(by_rows) - 1, min(len(by_rows), MOST_RECORDS)).astype(np.int64))
    found = []
    for own, people, words in by_rows[chosen].iter_rows():
        items = [published.items[published.indptr[row] : published.indptr[row + 1]] for row in own or ()]
        found.append(_Trial(distinct(np.concatenate([np.zeros(0, np.int32), *items])), np.array(people), np.array(words)))
    return found


def _class_sums(guesser: Guesser, trial: _Trial) -> Floats:
    """Return how many hidden items are in each class of items and nodes, and how many would be by popularity alone."""
    popularity, classes = guesser.guess(trial.items)
    expected = len(trial.words) * np.bincount(classes, weights=popularity, minlength=WORD_CLASSES * NODE_CLASSES)
    return np.stack([np.bincount(classes[trial.words], minlength=len(expected)), expected])


def _lifts(sums: Sequence[Floats]) -> Floats:
    """Return how many times likelier than others of its class an item is below a node of each class."""
    seen, expected = np.sum([np.zeros((2, WORD_CLASSES * NODE_CLASSES)), *sums], axis=0).reshape(2, WORD_CLASSES, NODE_CLASSES)
    expected *= seen.sum(axis=1, keepdims=True) / np.maximum(expected.sum(axis=1, keepdims=True), TINY)
    return np.asarray((seen + PRIOR) / (expected + PRIOR)).ravel()


def _tried(guesser: Guesser, trial: _Trial, lifts: Floats) -> Floats:
    """Of each hidden item its gain over popularity in bits, whether it is among the likeliest items, and whether among the most popular."""
    popularity, classes = guesser.guess(trial.items)
    probability = popularity * lifts[classes]
    gain = np.log2(lifts[classes[trial.words]] / max(float(probability.sum()), TINY))
    return np.stack([gain, _among(trial.words, probability), _among(trial.words, popularity)])


def _among(words: Ints, probability: Floats) -> Floats:
    """1 for items among those of the highest probability; of equal ones those that come first."""
    best = np.argsort(-probability, kind="stable")[:GUESSES]
    return np.isin(words, best).astype(np.float64)


def _interval(values: Floats, person: Ints) -> tuple[float, float, float]:
    """Return the mean over all items with its 95% interval, in which people are drawn, not items."""
    mean = float(values.mean())
    person_of_entry = np.unique(person, return_inverse=True)[1]
    spread = np.bincount(person_of_entry, weights=values - mean)
    half = DEVIATES * float(np.sqrt((spread**2).sum())) / len(values)
    return mean, mean - half, mean + half

"""A taxonomy learned from the data: words that people use in the same sessions or records lie below the same topic.

Topics are found from the whole vocabulary down (`topic_tree`): each is split in two by the company that its words keep (`company`), so that
both sides have enough holders. A narrow topic is split by its people, until a few words are left: words that the same people have go to
different sides, so that people who share a topic mostly share both sides of it, and groups have more topics in common. Only words of enough
people name topics; what has none is a part of a topic.
Company is that of words of two people or more, and each word counts by its people, so rare words hardly shape the tree; they are placed
below the topic that fits them best. Words that never occur with one of two people or more, neither in a session nor in a record, are apart,
in parts of neighbours in the alphabet.

The tree depends on which people have which words together: not on the order of rows or words, the names of people, threads or the machine.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.errors import TaxonomyError
from shoal.taxonomy.company import Company, company_of
from shoal.taxonomy.topic_names import CANDIDATES, RARE_ROOT, ROOT, clear_in_names, insist_on_numbers, insist_on_words, topic_names

FEWEST_PEOPLE = 10  # who hold each word of a name, unless something else is given: twice the usual k
BALANCE = 0.4  # share of the holders that each side of a split has at least
NARROW, HELD = 12, 0.75  # a topic is narrow if it has a twelfth of all holders at most, and of them no more than this share of the people
NARROWER = 2_000  # nor more holders than these: the more people there are, the finer are topics that groups have in common
SMALLEST = 3  # words of a topic that is split only if both sides have a word to name them


@dataclass(frozen=True, eq=False)
class Topics:
    """A learned taxonomy: its topics in preorder, the topic of each word (-1 for none) and the names of the topics. Words are sorted."""

    parent: Small
    topic: Small
    titles: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    people: Ints
    fewest: int
    others: int  # the topic of words without company, or the number of topics if there is none

    @property
    def n_topics(self) -> int:
        """How many topics are named by words of their own, without the root."""
        return sum(map(bool, self.titles))

    @cached_property
    def names(self) -> list[str]:
        """The names of all topics but the root."""
        return topic_names(self.parent.tolist(), self.titles, self.others)

    def has_rare(self, name: str) -> bool:
        """Whether this is a word of too few people to name a topic."""
        place = bisect_left(self.words, name)
        return place < len(self.words) and self.words[place] == name and bool(self.people[place] < self.fewest)

    @property
    def without_company(self) -> npt.NDArray[np.bool_]:
        """Which words occur with no widely held word."""
        return np.asarray((self.topic < 0) | (self.topic >= self.others))

    def taxonomy(self, loss: str = DEFAULT_LOSS, fewest: int = 1) -> Taxonomy:
        """Return the tree of the topics and of the words that at least `fewest` people have."""
        root = ROOT if fewest >= self.fewest else RARE_ROOT
        above = self.parent.tolist()
        names = [root, *self.names]
        placed = np.flatnonzero((self.topic >= 0) & (self.people >= fewest))
        words_in = np.bincount(self.topic[placed], minlength=len(above))
        alone = {n for n in range(1, len(above)) if words_in[n] == 1}  # their only word lies below the topic above
        filled = self._words_below(words_in)
        parents: dict[str, str | None] = {root: None}
        parents |= {names[n]: names[up] for n, up in enumerate(above) if n and n not in alone and filled[n]}
        topic_of = [above[topic] if topic in alone else topic for topic in self.topic[placed].tolist()]
        parents |= {self.words[word]: names[topic] for word, topic in zip(placed.tolist(), topic_of, strict=True)}
        return Taxonomy.from_parents(parents, loss)

    def _words_below(self, words_in: Ints) -> Ints:
        """Return how many words lie below each topic, which comes before those below it."""
        found = words_in.copy()
        for topic in range(len(found) - 1, 0, -1):
            found[self.parent[topic]] += found[topic]
        return found

    def without(self, words: npt.NDArray[np.bool_]) -> Topics:
        """Return the same topics without these words."""
        return replace(self, topic=np.where(words, -1, self.topic).astype(np.int32))


def learn_topics(contexts: Bags, fewest: int = FEWEST_PEOPLE, wider: Bags | None = None) -> Topics:
    """Learn topics from sessions or records.

    Args:
        contexts: Words that occur together, with the people who used them.
        fewest: The number of people who have each word that names a topic; a topic without two such words is not split.
        wider: Whole records of the same words, for those that occur with no widely held word in `contexts`.

    Returns:
        The topics.

    Raises:
        TaxonomyError: No two words of enough people occur together, or a word looks like the name of a topic.
    """
    names = contexts.vocabulary.names.to_list()
    insist_on_words(names)
    company = company_of(contexts)
    if wider is not None:
        company = company.filled(company_of(wider, company.lonely))
    by_name = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    ordered = _reordered(company, by_name)
    words = tuple(names[i] for i in by_name)
    may_name = (ordered.people >= fewest) & np.array([clear_in_names(word) for word in words], bool)
    frequent = may_name & ~ordered.lonely
    if frequent.sum() < 2:
        raise TaxonomyError(
            f"no topics can be learned: fewer than two words that {fewest} people use occur together",
            code="nothing-to-learn",
            hint="give more data, or another taxonomy",
            value=int(frequent.sum()),
        )
    rows = _kernels.Rows(ordered.indptr, ordered.features, ordered.ties)
    people = kernels.run(_kernels.people_of_words, contexts.view, contexts.owners, _inverse(by_name), label="learning topics")
    bounds = _kernels.TopicBounds(balance=BALANCE, smallest=SMALLEST, titles=CANDIDATES, narrow=_narrow(people[1]))
    parent, topic, title_ptr, title = kernels.run(
        _kernels.topic_tree,
        rows,
        ordered.n_features,
        _kernels.Rows(*people),
        frequent.astype(np.uint8),
        bounds,
        kernels.threads(),
        label="learning topics",
    )
    found = [title[a:b] for a, b in pairwise(title_ptr)]
    others, lonely = len(parent), np.flatnonzero(ordered.lonely)
    if len(lonely):
        above, parts = _halved(lonely, ordered.people)
        parent = np.concatenate([parent, np.where(above < 0, 0, above + others)]).astype(np.int32)
        for number, part in enumerate(parts):
            topic[part] = others + number  # parts come after what they are a part of
            named = part[may_name[part]]
            found.append(named[np.argsort(-ordered.people[named], kind="stable")][:CANDIDATES])
    titles = tuple(tuple(words[w] for w in one) for one in found)
    topics = Topics(parent, topic, titles, words, ordered.people, fewest, others)
    insist_on_numbers(topics.names, topics.has_rare)
    return topics


def _halved(words: Ints, people: Ints) -> tuple[Ints, list[Ints]]:
    """Parts of neighbouring words, halved again and again so that both halves have as many holders: the part above each, and its words."""
    above, parts, pending = list[int](), list[Ints](), [(-1, words)]
    while pending:
        over, part = pending.pop()
        above.append(over)
        parts.append(part)
        if len(part) > SMALLEST:
            holders = np.cumsum(people[part])
            middle = min(int(np.searchsorted(holders, holders[-1] / 2)) + 1, len(part) - 1)
            pending += [(len(parts) - 1, part[middle:]), (len(parts) - 1, part[:middle])]
    return np.array(above, np.int64), parts


def _narrow(holders: Small) -> int:
    """Return how many holders a narrow topic has at most, each counted once for each word; given are those of all words."""
    return min(len(holders) // NARROW, int(HELD * np.count_nonzero(np.bincount(holders))), NARROWER)


def _inverse(order: Ints) -> Small:
    """Return the place of each word in this order."""
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place


def _reordered(company: Company, order: Ints) -> Company:
    """Return the same with words in this order."""
    lengths = np.diff(company.indptr)[order]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.repeat(company.indptr[order] - indptr[:-1], lengths) + np.arange(indptr[-1])
    return Company(indptr, company.features[places], company.ties[places], company.n_features, company.people[order])

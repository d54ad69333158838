"""A taxonomy learned from the data: words that people use in the same sessions or records lie below the same topic.

Topics are found from the whole vocabulary down (`topic_tree`): each is split in two by the company that its words keep (`company`). Only
words of enough people name topics. Company is that of words of two people or more, and each word counts by its people, so rare words hardly
shape the tree; they are placed below the topic that fits them best. A word that never occurs with one of two people or more, neither in a
session nor in a record, is not in the tree, and is treated as any term that a taxonomy does not list.

The tree depends on which people hold which words together: not on the order of rows or words, the names of people, threads or the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count, pairwise

import numpy as np
import numpy.typing as npt

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints, Small
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.errors import TaxonomyError
from shoal.taxonomy.company import Company, company_of
from shoal.util.wording import counted

ROOT = "(any topic)"
RARE_ROOT = "(any topic, with rare words)"  # of a tree that also has words of fewer people
FEWEST_PEOPLE = 10  # who hold each word of a name, unless something else is given: twice the usual k
TITLES, CANDIDATES = 3, 12  # words of a name, and words that it is chosen from
SEPARATOR = " / "
MORE = "..."  # follows the only word of a name
BALANCE = 0.2  # share of the holders that each side of a split has at least


@dataclass(frozen=True, eq=False)
class Topics:
    """A learned taxonomy: its topics in preorder, the topic of each word (-1 for none) and the names of the topics."""

    parent: Small
    topic: Small
    titles: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    people: Ints
    fewest: int

    @property
    def n_topics(self) -> int:
        """How many topics were found, without the root."""
        return len(self.parent) - 1

    def taxonomy(self, loss: str = DEFAULT_LOSS, fewest: int = 1) -> Taxonomy:
        """Return the tree of the topics and of the words that at least `fewest` people hold."""
        root = ROOT if fewest >= self.fewest else RARE_ROOT
        names, above = [root, *self._names()], self.parent.tolist()
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
        """How many words lie below each topic, which comes before those below it."""
        found = words_in.copy()
        for topic in range(len(found) - 1, 0, -1):
            found[self.parent[topic]] += found[topic]
        return found

    def without(self, words: npt.NDArray[np.bool_]) -> Topics:
        """The same topics without these words."""
        return replace(self, topic=np.where(words, -1, self.topic).astype(np.int32))

    def _names(self) -> Iterator[str]:
        """The name of each topic but the first, none of which is a word of the data or is used twice."""
        taken: set[frozenset[str]] = set()
        words = set(self.words)
        for titles in self.titles[1:]:
            choice = next(one for one in _choices(titles) if frozenset(one) not in taken and SEPARATOR.join(one) not in words)
            taken.add(frozenset(choice))
            yield SEPARATOR.join(choice)


def learn_topics(contexts: Bags, fewest: int = FEWEST_PEOPLE, wider: Bags | None = None) -> Topics:
    """Learn topics from sessions or records.

    Args:
        contexts: Words that occur together, with the people who used them.
        fewest: The number of people who hold each word that names a topic; a topic without two such words is not split.
        wider: Whole records of the same words, for those that occur with no widely held word in `contexts`.

    Returns:
        The topics.

    Raises:
        TaxonomyError: No two words of enough people occur together, or a word looks like the name of a topic.
    """
    names = contexts.vocabulary.names.to_list()
    _insist_on_words(names)
    company = company_of(contexts)
    if wider is not None:
        company = company.filled(company_of(wider, company.lonely))
    by_name = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    ordered = _reordered(company, by_name)
    named = np.array([names[i] != MORE for i in by_name], bool)  # an item of dots looks like the dots after the only word
    frequent = (ordered.people >= fewest) & (np.diff(ordered.indptr) > 0) & named
    if frequent.sum() < 2:
        raise TaxonomyError(
            f"no topics can be learned: fewer than two words that {fewest} people use occur together",
            code="nothing-to-learn",
            hint="give more data, or another taxonomy",
            value=int(frequent.sum()),
        )
    rows = _kernels.Rows(ordered.indptr, ordered.features, ordered.ties)
    said = (BALANCE, CANDIDATES, kernels.threads())
    parent, topic, title_ptr, title = kernels.run(
        _kernels.topic_tree, rows, ordered.n_features, ordered.people, frequent.astype(np.uint8), *said, label="learning topics"
    )
    words = tuple(names[i] for i in by_name)
    titles = tuple(tuple(words[w] for w in title[a:b]) for a, b in pairwise(title_ptr))
    return Topics(parent, topic, titles, words, ordered.people, fewest)


def _insist_on_words(names: list[str]) -> None:
    """Raise if a word looks like a name of a topic: published names would be ambiguous, and their people could not be counted."""
    alike = sum(SEPARATOR in name or name in (ROOT, RARE_ROOT) for name in names)
    if alike:
        raise TaxonomyError(
            f"{counted(alike, 'item')} cannot be distinguished from names of topics, which contain {SEPARATOR!r}",
            code="items-like-topics",
            hint="replace the slash in these items, or give another taxonomy",
            value=alike,
        )


def _reordered(company: Company, order: Ints) -> Company:
    """The same with words in this order."""
    lengths = np.diff(company.indptr)[order]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.repeat(company.indptr[order] - indptr[:-1], lengths) + np.arange(indptr[-1])
    return Company(indptr, company.features[places], company.ties[places], company.n_features, company.people[order])


def _choices(titles: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Words for a name, from the most typical ones: the first three; else two and another; else these and a number."""
    first = titles[:TITLES]
    yield first if len(first) > 1 else (*first, MORE)
    yield from ((*first[: TITLES - 1], other) for other in titles[TITLES:])
    yield from ((*first[:-1], f"{first[-1]} ({number})") for number in count(2))

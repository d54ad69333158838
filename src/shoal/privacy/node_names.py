"""Node names: every word in the name of a published topic is used by enough people.

Topics that are learned from the data are named by words of the data, as in `music / lyrics / song`. A name is published wherever the topic
is, so its words are published too, whoever holds them. This model reads the published names as a reader does, and counts the people who
hold each of their words in the original. It knows nothing of how topics are found or named.

A name has two or three different words between slashes. Instead of a second word it may have dots; the last word may have a number in
brackets, which tells two topics apart. No item of the data has a slash between blanks, so from the files alone it is known what is a name.
A part of all topics, or of the words that occur with no other, has a fixed name with a number, and no word of the data.

Where words of few people lie below categories of WordNet, these are published too. Everybody knows their names, but a category is called
`dog (kinds)` if dog is also a word below a topic: then that word counts as one of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from shoal.data.claims import Verdict, verified_if
from shoal.data.original import SUPPRESSED
from shoal.data.release import Release
from shoal.parameters import param
from shoal.privacy.evidence.cluster_judging import JudgesNames
from shoal.util.wording import counted

if TYPE_CHECKING:
    from shoal.data.bags import Bags
    from shoal.data.original import Original
    from shoal.data.tables import PublishedTable

BETWEEN, DOTS = " / ", "..."
NUMBER = re.compile(r" \(\d+\)$")
WITHOUT_WORDS = re.compile(r"\((any topic|other words)\)( \(\d+\))?")
FEWEST_WORDS, MOST_WORDS = 2, 3
WORDNET, KINDS = "wordnet", " (kinds)"
NAMED = 5  # rare words that a verdict names, for those who ask
FILES_ONLY = "who holds a word that is published only in names of topics is known with the original alone"
NONE = "no name of a topic is published"


@dataclass(frozen=True)
class NodeNames(JudgesNames):
    """Each word in the name of a published topic is used by enough people."""

    name = "node-names"
    protects = "The names of topics contain no word of few people, such as a name or an address that one person typed."
    does_not_protect = (
        "Words of that many people are published in names, however sensitive they are, and so is the fact that people use them together. "
        "It says nothing about the records themselves."
    )
    limits = "It does not cover the records, only the names of topics in them."
    reads_names: ClassVar[bool] = True
    level_words: ClassVar[Mapping[str, str]] = {
        "people": "people who use the rarest word in a name",
        "records": "records in which the rarest word of a name is published itself",
    }
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} word in the name of a topic is used by {least} {people}",
        "records": "{every} word in the name of a topic occurs in {least} {records}",
    }
    promised_by = {"people": "people"}  # noqa: RUF012 (never changed)

    people: int = param(10, minimum=2, help="minimum number of people who have each word in the name of a published topic")
    categories: str | None = param(None, choices=(WORDNET,), help="public taxonomy whose categories are published next to topics")

    def not_checked(self, table: PublishedTable, *, with_original: bool) -> Mapping[str, str]:
        """Names alone are judged."""
        fields = (name for columns in table.columns_of_parts().values() for name in columns)
        return dict.fromkeys(fields, "apart from names of topics")

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count the people who have each word; from the files alone, the records in which it is published itself."""
        shown = _records_per_item(release)
        names = [item for item in shown if BETWEEN in item]
        if original is None:
            return self._from_files(names, shown)
        held = _people_per_word(original.bags)
        names = [item for item in shown if item not in held]
        tree = original.tree
        empty = {tree.names[0], SUPPRESSED, *([] if tree.unlisted is None else [tree.names[tree.unlisted]])}
        renamed, names = self._without_categories([name for name in names if name not in empty and not WITHOUT_WORDS.fullmatch(name)])
        return self._against(names, renamed, held)

    def words_to_count(self, names: Iterable[str]) -> set[str]:
        """Return all words that a part of a name may be: with the number at its end, or without it."""
        parts = {part for name in names for part in name.split(BETWEEN)}
        return parts | {NUMBER.sub("", part) for part in parts}

    def judge_names(self, names: Sequence[str], people: Mapping[str, int]) -> Verdict:
        """Count the people who have each word, as workers did."""
        renamed, left = self._without_categories([name for name in names if not WITHOUT_WORDS.fullmatch(name)])
        return self._against(left, renamed, people)

    def judge_published_names(self, names: Sequence[str], records: Mapping[str, int]) -> Verdict:
        """Count the records in which each word is published itself, as workers did."""
        return self._from_files([name for name in names if BETWEEN in name], records)

    def _without_categories(self, names: list[str]) -> tuple[set[str], list[str]]:
        """Return the words of the data that categories show by being renamed, and the names that are no categories."""
        if self.categories is None:
            return set(), names
        from shoal.taxonomy.wordnet import wordnet

        public = set(wordnet().names.names.to_list())
        plain = {name: _without_suffix(name) for name in names}
        return {word for name, word in plain.items() if word in public and word != name}, [n for n in names if plain[n] not in public]

    def _against(self, names: list[str], renamed: set[str], held: Mapping[str, int]) -> Verdict:
        broken = _malformed(names)
        words = _words_of(names, held) | renamed
        few = sorted(word for word in words if held.get(word, 0) < self.people)
        if few:
            broken.append(f"{_words(len(few))} used by fewer than {self.people:,} people")
        level = {"people": min(held.get(word, 0) for word in words)} if words else {}
        notes = () if names else (NONE,)
        rare = tuple(f"too few people use {word!r}" for word in few[:NAMED])
        return Verdict(str(self), verified_if(not broken), level, tuple(broken), notes, rare=rare)

    def _from_files(self, names: list[str], shown: Mapping[str, int]) -> Verdict:
        words = _words_of(names, shown)
        level = {"records": min(shown.get(word, 0) for word in words)} if words else {}
        if broken := _malformed(names):
            return Verdict(str(self), "fails", level, tuple(broken))
        if not words:
            return Verdict(str(self), "verified", level, notes=(NONE,))
        few = sum(shown.get(word, 0) < self.people for word in words)
        if not few:
            return Verdict(str(self), "verified", level)
        return Verdict(str(self), "not checkable", level, unchecked=f"{FILES_ONLY}: {counted(few, 'word')}")


def _records_per_item(release: Release) -> dict[str, int]:
    """Return how many published records have each item, by its name."""
    published = release.published
    copies = np.repeat(release.copies, np.diff(published.indptr))
    counts = np.bincount(published.items, weights=copies, minlength=len(published.vocabulary)).astype(np.int64)
    found = np.flatnonzero(counts)
    return dict(zip(published.vocabulary.names.gather(found).to_list(), counts[found].tolist(), strict=True))


def _people_per_word(bags: Bags) -> dict[str, int]:
    """Return how many different people have each word of the original."""
    rows = pl.DataFrame({"item": bags.items, "owner": np.repeat(bags.owners, np.diff(bags.indptr))})
    counts = rows.unique().group_by("item").len()
    return dict(zip(bags.vocabulary.names.gather(counts["item"]).to_list(), counts["len"].to_list(), strict=True))


def _malformed(names: Iterable[str]) -> list[str]:
    """Return what is wrong with the names themselves: more or fewer words than names have, a word twice, two names of the same words."""
    parts = [name.split(BETWEEN) for name in names]
    wrong = sum(not FEWEST_WORDS <= len(words) <= MOST_WORDS or not all(words) for words in parts)
    repeated = sum(len(set(words)) < len(words) for words in parts)
    alike = len(parts) - len({frozenset(words) for words in parts})
    broken = []
    if wrong:
        broken.append(f"{_items(wrong)} neither an item of the original nor a name of two or three words")
    if repeated:
        broken.append(f"{counted(repeated, 'name of a topic has', 'names of topics have')} a word twice")
    if alike:
        broken.append(f"{counted(alike, 'name of a topic has', 'names of topics have')} the words of another one")
    return broken


def _words_of(names: Iterable[str], known: Mapping[str, int]) -> set[str]:
    """Return the words of all names, without the numbers that tell names apart; a word that is known with its number is itself."""
    found = set()
    for name in names:
        words = name.split(BETWEEN)
        if len(words) == FEWEST_WORDS and words[-1] == DOTS:
            words.pop()
        last = words[-1]
        words[-1] = last if last in known else NUMBER.sub("", last)
        found |= set(words)
    return found


def _without_suffix(name: str) -> str:
    while name.endswith(KINDS):
        name = name.removesuffix(KINDS)
    return name


def _words(n: int) -> str:
    return f"{counted(n, 'word')} in names of topics {'is' if n == 1 else 'are'}"


def _items(n: int) -> str:
    return f"{counted(n, 'published item')} {'is' if n == 1 else 'are'}"

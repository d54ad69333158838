"""Puts misspelt words next to the words that they vary, in learned topics: a step that was tried and left out of learning (docs/topics.md).

A rare word is a variant of a much more widely held word if one edit makes the one the other (a letter inserted, deleted or substituted, or
two neighbours exchanged) and if both keep similar company: the cosine of their ties to widely held words is large enough. It is then below
the same topic. All other words stay where they are, and so do the names of topics.

Candidates are found by deleting letters: if one edit separates two words, then they are equal after at most one letter of each is left out.
So the search takes time in proportion to the letters of the vocabulary, and not to pairs of words. Numbers that decide are whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.taxonomy.company import Company, company_of
from shoal.taxonomy.learned import Topics

SHORTEST, LONGEST = 5, 40  # letters of words that are compared
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # of fingerprints; pairs of equal fingerprints are compared letter by letter
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class VariantRules:
    """Which words are compared, and when they agree."""

    rare: int = 10  # a variant is held by fewer people, so that it never names a topic
    common: int = 5  # people who hold the word that is varied, at least
    ratio: int = 4  # times as many people as hold the variant, at least
    tenths: int = 1  # of the cosine at which two words agree


def company_of_words(contexts: Bags, wider: Bags | None) -> Company:
    """Return the ties of words as topics are learned from them."""
    company = company_of(contexts)
    return company if wider is None else company.filled(company_of(wider, company.lonely))


def spelling_variants(words: Sequence[str], company: Company, rules: VariantRules) -> dict[int, int]:
    """Return the word that each variant varies: the one that agrees best; of several the most widely held; of these the first by name."""
    pairs = near_pairs(words, company, rules)
    best: dict[int, tuple[Fraction, int, str, int]] = {}
    for (rare, common), (dot, product) in zip(pairs.tolist(), agreements(company, pairs), strict=True):
        if 100 * dot * dot >= rules.tenths**2 * product:
            this = (Fraction(-dot * dot, product), -int(company.people[common]), words[common], common)
            best[rare] = min(best.get(rare, this), this)
    return {rare: found[-1] for rare, found in best.items()}


def place_variants(topics: Topics, variants: Mapping[str, str]) -> Topics:
    """Return the same topics with each variant below the topic of the word that it varies, which may be a variant itself."""
    number, topic = {word: n for n, word in enumerate(topics.words)}, topics.topic.copy()
    for variant in sorted(variants, key=lambda word: (-topics.people[number[word]], word)):
        topic[number[variant]] = topic[number[variants[variant]]]
    return replace(topics, topic=topic)


def one_edit(first: str, second: str) -> bool:
    """Whether one letter inserted, deleted or substituted, or two neighbours exchanged, make two words equal that are not."""
    same = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    one, two = first[same:], second[same:]
    if len(one) != len(two):
        return one[1:] == two if len(one) > len(two) else two[1:] == one
    return bool(one) and (one[1:] == two[1:] or (one[1::-1] == two[:2] and one[2:] == two[2:]))


def near_pairs(words: Sequence[str], company: Company, rules: VariantRules) -> Ints:
    """Return the pairs of a rare word with ties and a much more widely held word that one edit separates, in order."""
    fits = np.array([SHORTEST <= len(word) <= LONGEST and not any(map(str.isdigit, word)) for word in words], bool) & ~company.lonely
    rare, common = fits & (company.people < rules.rare), fits & (company.people >= rules.common)
    tables = [_deletions(words, np.flatnonzero(some).tolist(), name) for some, name in ((rare, "rare"), (common, "common"))]
    pairs = tables[0].join(tables[1], on="key").select("rare", "common").unique().sort("rare", "common").to_numpy()
    pairs = pairs[company.people[pairs[:, 1]] >= rules.ratio * company.people[pairs[:, 0]]]
    return pairs[np.array([one_edit(words[a], words[b]) for a, b in pairs.tolist()], bool)]


def _deletions(words: Sequence[str], chosen: list[int], name: str) -> pl.DataFrame:
    """Return fingerprints of each of these words, whole and without each of its letters."""
    keys, whose = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for length, some in groupby(sorted(chosen, key=lambda word: len(words[word])), lambda word: len(words[word])):
        alike = list(some)
        letters = np.array([words[word] for word in alike], f"U{length}").view(np.uint32).reshape(-1, length).astype(np.uint64)
        keys.append(_without_a_letter(letters).ravel())
        whose.append(np.repeat(np.array(alike, np.int64), length + 1))
    return pl.DataFrame({"key": np.concatenate(keys), name: np.concatenate(whose)})


def _without_a_letter(letters: Keys) -> Keys:
    """Return fingerprints of words of one length, given by rows, without each of their letters, and of the whole words."""
    n, length = letters.shape
    powers = np.concatenate([[np.uint64(1)], np.full(length, MULTIPLIER).cumprod(dtype=np.uint64)])
    begins, ends = np.zeros((n, length + 1), np.uint64), np.zeros((n, length + 1), np.uint64)
    for at in range(length):
        begins[:, at + 1] = begins[:, at] * MULTIPLIER + letters[:, at]
        ends[:, at + 1] = ends[:, at] + letters[:, length - 1 - at] * powers[at]
    left = np.arange(length)[::-1]  # letters after the one that is left out
    return np.column_stack([begins[:, :-1] * powers[left] + ends[:, left], begins[:, -1]])


def agreements(company: Company, pairs: Ints) -> list[tuple[int, int]]:
    """Return of each pair the product of their ties, and the product of their squared lengths, in whole numbers."""
    ties = company.ties.astype(np.int64)
    sums = np.concatenate([[0], np.cumsum(ties * ties)])
    squares = np.diff(sums[company.indptr])
    rows = {word: _row(company, word) for word in np.unique(pairs).tolist()}
    found = []
    for one, two in pairs.tolist():
        dot = sum(tie * rows[two].get(feature, 0) for feature, tie in rows[one].items())
        found.append((dot, int(squares[one]) * int(squares[two])))
    return found


def _row(company: Company, word: int) -> dict[int, int]:
    begin, end = company.indptr[word : word + 2].tolist()
    return dict(zip(company.features[begin:end].tolist(), company.ties[begin:end].tolist(), strict=True))

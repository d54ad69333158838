"""Tokens: words were replaced by tokens, the same word by the same token; the attacker has another log, in which words can be read.

Kumar, Novak, Pang and Tomkins, "On anonymizing query logs via token-based hashing", WWW 2007. How often a token occurs, in which places,
and beside which others, is compared with words of the other log. Counts are compared by the squares of differences of their roots, which
are about as large by chance for rare as for frequent words. Tokens are assigned to words so that all differences together are smallest:
first the most frequent ones by counts that need no names; then again and again by the company of tokens that are assigned with the largest
lead, more and more of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.attacks import Trial
from shoal.attacks.logs import TokenAttack
from shoal.attacks.logs.corpus import Hashed
from shoal.data.bags import Ints
from shoal.parameters import param

Floats = npt.NDArray[np.float64]

BANDS = (10, 50, 100, 500)  # so many of the most frequent tokens
FIRST, GROWTH, ROUNDS = 60, 1.3, 4  # tokens that are assigned first; more each time; rounds with as many
CANDIDATES, MORE = 1.5, 20  # for so many tokens there are so many words to choose from: times as many, and some more
COMPANY = 100  # largest numbers of common texts that are compared before any token has a word
SURE, FEWEST = 0.7, 10  # the share of assigned tokens whose company counts, and how many at least


@dataclass(frozen=True)
class Tokens(TokenAttack):
    """Somebody with another log reads the tokens of the most frequent words."""

    name = "tokens"
    test = "inference"
    story = (
        "Words were replaced by tokens. An attacker has a plain-text log of the same period. He counts how often each token occurs, "
        "at which position of a query and next to which others, and matches each token to the word with the most similar counts."
    )

    lead: float = param(10.0, minimum=0, help="lead over other words that makes the attacker certain")

    def trials(self, hashed: Hashed) -> list[Trial]:
        """The most frequent tokens, more and more of them."""
        tokens = hashed.tokens.frequent(min(BANDS[-1], int((hashed.tokens.frequencies > 0).sum())))
        words = hashed.words.frequent(_candidates(len(tokens)))
        if not len(tokens) or len(words) < len(tokens):
            tokens = tokens[: len(words)]
        found, lead = assigned(hashed, tokens, words)
        by_rank = words[: len(tokens)]
        right, naive = words[found] == hashed.truth[tokens], by_rank == hashed.truth[tokens]
        trials = []
        for n in [band for band in BANDS if band < len(tokens)] + [len(tokens)]:
            guessing = float(naive[:n].mean()) if n else 0.0
            trials.append(Trial(f"the {n:,} most frequent", None, right[:n].astype(np.float64), guessing, lead[:n] > self.lead))
        return trials


def assigned(hashed: Hashed, tokens: Ints, words: Ints) -> tuple[Ints, Floats]:
    """The place among the words that each token is taken for, and by how much other words and tokens are less alike."""
    from scipy.optimize import linear_sum_assignment

    scale = len(hashed.tokens) / max(1, len(hashed.words))
    plain = _apart(hashed, tokens, words, scale)
    company = _company(hashed, tokens, words, scale)
    n = min(FIRST, len(tokens))
    differences = _first_differences(plain, company, n)
    found = linear_sum_assignment(differences)[1]
    while True:
        for _ in range(ROUNDS):
            differences = _differences(plain, company, n, found, _most_certain(differences, found))
            before, found = found, linear_sum_assignment(differences)[1]
            if len(before) == len(found) and (before == found).all():
                break
        if n == len(tokens):
            return found, _leads(differences, found)
        n = min(len(tokens), int(n * GROWTH) + 1)


def _apart(hashed: Hashed, tokens: Ints, words: Ints, scale: float) -> Floats:
    """How far tokens and words are apart in what can be counted of each for itself."""
    both = zip(hashed.tokens.statistics(tokens), hashed.words.statistics(words), strict=True)
    return np.asarray(np.sum([(np.sqrt(one)[:, None] - np.sqrt(other * scale)[None, :]) ** 2 for one, other in both], axis=0))


def _company(hashed: Hashed, tokens: Ints, words: Ints, scale: float) -> list[tuple[Floats, Floats]]:
    """Roots of how often each two tokens, and each two words, are together."""
    both = zip(hashed.tokens.together(tokens), hashed.words.together(words), strict=True)
    return [(np.sqrt(one), np.sqrt(other * scale)) for one, other in both]


def _first_differences(plain: Floats, company: list[tuple[Floats, Floats]], n: int) -> Floats:
    """Differences that need no names: of the counts themselves, and of the largest numbers of common texts, whoever shares them."""
    width = min(plain.shape[1], _candidates(n))
    found = plain[:n, :width].copy()
    for tokens, words in company:
        most = min(COMPANY, len(tokens), len(words))
        one, other = -np.sort(-tokens[:n], axis=1)[:, :most], -np.sort(-words[:width], axis=1)[:, :most]
        found += _squared(one, other)
    return found


def _differences(plain: Floats, company: list[tuple[Floats, Floats]], n: int, found: Ints, certain: Ints) -> Floats:
    """Differences of the counts themselves, and of the company of tokens that are assigned already."""
    width = min(plain.shape[1], _candidates(n))
    return plain[:n, :width] + sum(_squared(one[:n][:, certain], other[:width][:, found[certain]]) for one, other in company)


def _squared(one: Floats, other: Floats) -> Floats:
    """The squared distance of every row of the one from every row of the other."""
    return np.asarray((one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)[None, :] - 2 * one @ other.T)


def _leads(differences: Floats, found: Ints) -> Floats:
    """By how much the next best word of each token, or token of its word, is less alike."""
    tokens = np.arange(len(found))
    others = differences.copy()
    others[tokens, found] = np.inf
    next_best = np.minimum(others.min(axis=1, initial=np.inf), others[:, found].min(axis=0, initial=np.inf))
    return np.asarray(next_best - differences[tokens, found])


def _most_certain(differences: Floats, found: Ints) -> Ints:
    """The tokens that are assigned with the largest lead."""
    return np.argsort(-_leads(differences, found), kind="stable")[: max(FEWEST, int(SURE * len(found)))]


def _candidates(n: int) -> int:
    return int(n * CANDIDATES) + MORE

"""Tokens: words were replaced by tokens, equal words by equal tokens; the attacker has another, plain-text log.

Kumar, Novak, Pang and Tomkins, "On anonymizing query logs via token-based hashing", WWW 2007. The frequency, positions and co-occurrences
of a token are compared with those of words in the other log. Counts are compared by squared differences of their square roots, whose random
variation is similar for rare and frequent words. Tokens are assigned to words such that the sum of all differences is minimal: first the
most frequent ones by statistics that need no names; then repeatedly by co-occurrences with an increasing number of the tokens assigned with
the largest margin.
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

BANDS = (10, 50, 100, 500)  # number of the most frequent tokens
FIRST, GROWTH, ROUNDS = 60, 1.3, 4  # tokens that are assigned first; more each time; rounds with as many
CANDIDATES, MORE = 1.5, 20  # words to choose from for n tokens: a multiple of n, and some more
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
        """Attack increasing numbers of the most frequent tokens."""
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
    """Return the index of the word assigned to each token, and its margin over other words and tokens."""
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
    """Return the distances of tokens and words in their own statistics."""
    both = zip(hashed.tokens.statistics(tokens), hashed.words.statistics(words), strict=True)
    return np.asarray(np.sum([(np.sqrt(one)[:, None] - np.sqrt(other * scale)[None, :]) ** 2 for one, other in both], axis=0))


def _company(hashed: Hashed, tokens: Ints, words: Ints, scale: float) -> list[tuple[Floats, Floats]]:
    """Return the square roots of the co-occurrence counts of tokens, and of words."""
    both = zip(hashed.tokens.together(tokens), hashed.words.together(words), strict=True)
    return [(np.sqrt(one), np.sqrt(other * scale)) for one, other in both]


def _first_differences(plain: Floats, company: list[tuple[Floats, Floats]], n: int) -> Floats:
    """Return distances that need no names: of the statistics, and of the sorted largest co-occurrence counts."""
    width = min(plain.shape[1], _candidates(n))
    found = plain[:n, :width].copy()
    for tokens, words in company:
        most = min(COMPANY, len(tokens), len(words))
        one, other = -np.sort(-tokens[:n], axis=1)[:, :most], -np.sort(-words[:width], axis=1)[:, :most]
        found += _squared(one, other)
    return found


def _differences(plain: Floats, company: list[tuple[Floats, Floats]], n: int, found: Ints, certain: Ints) -> Floats:
    """Return distances of the statistics, and of co-occurrences with tokens that are assigned already."""
    width = min(plain.shape[1], _candidates(n))
    return plain[:n, :width] + sum(_squared(one[:n][:, certain], other[:width][:, found[certain]]) for one, other in company)


def _squared(one: Floats, other: Floats) -> Floats:
    """Return the squared distances between the rows of both matrices."""
    return np.asarray((one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1)[None, :] - 2 * one @ other.T)


def _leads(differences: Floats, found: Ints) -> Floats:
    """Return the margin of each assignment over the next best word of its token, or token of its word."""
    tokens = np.arange(len(found))
    others = differences.copy()
    others[tokens, found] = np.inf
    next_best = np.minimum(others.min(axis=1, initial=np.inf), others[:, found].min(axis=0, initial=np.inf))
    return np.asarray(next_best - differences[tokens, found])


def _most_certain(differences: Floats, found: Ints) -> Ints:
    """Return the tokens assigned with the largest margin."""
    return np.argsort(-_leads(differences, found), kind="stable")[: max(FEWEST, int(SURE * len(found)))]


def _candidates(n: int) -> int:
    return int(n * CANDIDATES) + MORE

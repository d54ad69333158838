"""The words of synthetic searches: WordNet's nouns by frequency, and invented words that WordNet lacks.

Brands and people are composed of syllables, so that no real one is meant; the other unknown words are misspelled nouns and product codes.
No unknown word is a form of a noun, so a reader of the log finds exactly the intended nouns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.data.bags import Small
from shoal.data.taxonomy import Taxonomy
from shoal.synthetic.chance import Floats, Weighted, zipf
from shoal.taxonomy.wordnet import irregular_forms, lemmas
from shoal.text.terms import is_stop_word

# Fitted so that 53,058 users with 21 nouns each use some 19,000 nouns, as in the search log of the papers.
NOUN_EXPONENT, NOUN_SHIFT = 1.0, 20.0
# Beyond a kernel that everybody knows, words fall off faster.
KERNEL, KERNEL_EXPONENT = 6_000, 3.0
# How far a noun's rank among searches strays from its rank in books.
STRAY = 1.5

STRANGERS = 60_000
STRANGER_EXPONENT, STRANGER_SHIFT = 0.85, 5.0
MISSPELT, CODES = 0.3, 0.05

ONSETS = [
    "b",
    "br",
    "c",
    "cl",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gr",
    "h",
    "j",
    "k",
    "kl",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "z",
    "sh",
]
VOWELS = ["a", "e", "i", "o", "u", "ai", "ee", "ia", "io", "oo"]
CODAS = ["", "", "", "", "n", "r", "l", "s", "x", "m", "nd", "ck"]


@dataclass(frozen=True, eq=False)
class Nouns:
    """Nouns of one word in the order of their nodes, so that those of a subtree are contiguous."""

    words: pl.Series
    plurals: pl.Series
    node: Small
    popularity: Weighted


def nouns(taxonomy: Taxonomy, rng: np.random.Generator) -> Nouns:
    """Return the nouns of searches; names, and nouns whose plural means another noun, stay singular."""
    table = lemmas().filter(pl.col("lemma").str.contains("^[a-z]{2,}$"))
    table = table.filter(~is_stop_word(table["lemma"])).sort("node", "lemma")
    common = table.select("lemma", "uses", "senses", length=pl.col("lemma").str.len_bytes()).with_row_index("at")
    ranked = common.sort("uses", "senses", "length", "lemma", descending=[True, True, False, False])["at"].to_numpy()
    strayed = np.log(np.arange(len(table)) + 1.0) + STRAY * (rng.random(len(table)) * 2 - 1)
    weights = np.empty(len(table))
    weights[ranked[np.argsort(strayed, kind="stable")]] = _noun_weights(len(table))
    many = plural(table["lemma"])
    usable = (pl.Series(taxonomy.nodes(many)) == table["node"]) & ~table["proper"] & ~is_stop_word(many)
    plurals = pl.select(pl.when(usable).then(many).otherwise(table["lemma"])).to_series()
    return Nouns(table["lemma"], plurals, table["node"].to_numpy(), Weighted(weights))


def _noun_weights(n: int) -> Floats:
    weights = zipf(n, NOUN_EXPONENT, NOUN_SHIFT)
    beyond = np.maximum(np.arange(n) / KERNEL, 1.0) ** (NOUN_EXPONENT - KERNEL_EXPONENT)
    return np.asarray(weights * beyond)


def plural(words: pl.Series) -> pl.Series:
    """Return the plural of each noun, by the list of irregular ones or by the rules of spelling."""
    irregular = irregular_forms().unique("base", keep="first", maintain_order=True)
    table = pl.DataFrame({"base": words}).join(irregular, on="base", how="left", maintain_order="left")
    word = pl.col("base")
    regular = (
        pl.when(word.str.contains("(s|x|z|ch|sh)$"))
        .then(word + "es")
        .when(word.str.contains("[^aeiou]y$"))
        .then(word.str.strip_suffix("y") + "ies")
        .when(word.str.contains("(^|wo|police|sales|fire|fisher|gentle)man$"))
        .then(word.str.strip_suffix("man") + "men")
        .otherwise(word + "s")
    )
    return table.select(pl.coalesce("form", regular)).to_series()


def strangers(taxonomy: Taxonomy, known: Nouns, rng: np.random.Generator) -> pl.Series:
    """Return invented words, the popular first; none is a form of a noun or a stop word."""
    misspelt, codes = int(STRANGERS * MISSPELT), int(STRANGERS * CODES)
    kinds = [
        _unknown(_syllables(rng, STRANGERS), taxonomy, STRANGERS - misspelt - codes),
        _unknown(_misspelt(known, rng, 2 * misspelt), taxonomy, misspelt),
        _unknown(_codes(rng, 2 * codes), taxonomy, codes),
    ]
    words = pl.concat(kinds).unique(maintain_order=True)
    # Misspellings and codes are rare, each by itself: a later place among the ranks.
    ranks = rng.random(len(words)) + (np.arange(len(words)) >= len(kinds[0])) * 0.3
    return words.gather(np.argsort(ranks, kind="stable"))


def stranger_weights(n: int) -> Floats:
    """Return the popularity of each unknown word."""
    return zipf(n, STRANGER_EXPONENT, STRANGER_SHIFT)


def _unknown(words: pl.Series, taxonomy: Taxonomy, n: int) -> pl.Series:
    fresh = words.unique(maintain_order=True)
    free = (pl.Series(taxonomy.nodes(fresh)) < 0) & ~is_stop_word(fresh) & (fresh.str.len_bytes() >= 3)
    return fresh.filter(free).head(n)


def _syllables(rng: np.random.Generator, n: int) -> pl.Series:
    def syllable() -> pl.Series:
        return _any(rng, ONSETS, n) + _any(rng, VOWELS, n)

    third = pl.select(pl.when(pl.Series(rng.random(n) < 0.5)).then(syllable()).otherwise(pl.lit(""))).to_series()
    return syllable() + syllable() + third + _any(rng, CODAS, n)


def _misspelt(known: Nouns, rng: np.random.Generator, n: int) -> pl.Series:
    """Return nouns with a letter left out, doubled or exchanged with the next."""
    words = known.words.gather(known.popularity.draw(rng.random(n)))
    at = (rng.random(n) * (words.str.len_bytes().to_numpy() - 1)).astype(np.int64) + 1
    parts = pl.DataFrame({"word": words, "at": at, "kind": (rng.random(n) * 3).astype(np.int64)})
    word, place = pl.col("word"), pl.col("at")
    head, letter, tail = word.str.slice(0, place), word.str.slice(place, 1), word.str.slice(place + 1)
    swapped = word.str.slice(0, place - 1) + letter + word.str.slice(place - 1, 1) + tail
    doubled = head + letter + letter + tail
    kind = pl.when(pl.col("kind") == 0).then(head + tail).when(pl.col("kind") == 1).then(doubled).otherwise(swapped)
    return parts.select(kind).to_series()


def _codes(rng: np.random.Generator, n: int) -> pl.Series:
    letters = _any(rng, ONSETS, n) + _any(rng, ["x", "z", "t", "s", "d"], n)
    return letters + pl.Series((rng.random(n) * 990 + 10).astype(np.int64)).cast(pl.String)


def _any(rng: np.random.Generator, choices: list[str], n: int) -> pl.Series:
    return pl.Series(choices).gather((rng.random(n) * len(choices)).astype(np.int64))

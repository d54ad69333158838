"""Queries of synthetic users: one to three of their nouns, with function words, unknown words, plurals and shorter first attempts.

Unknown words make up a requested share of all terms. Half of them are in a query of nouns, the others alone: a person's name, or a brand
that people look for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal.data.bags import Ints, Small
from shoal.synthetic.chance import Flags, Weighted, zipf
from shoal.synthetic.interests import Interests, NounTopics, draw_nouns
from shoal.synthetic.words import Nouns

MOST_NOUNS = 3
NEW_QUERY = 0.35
PLURAL = 0.3
GLUED, LED = 0.2, 0.08
SHARE_WITH_NOUNS = 0.5
A_NAME = 0.3
OF_A_TOPIC, BRANDS_OF_A_TOPIC = 0.5, 40
SHORTER_FIRST = 0.3

GLUE = ["of", "for", "in", "and", "with", "the"]
LEADS = ["how to", "what is", "where is", "the", "my", "about"]
SITE_HEADS = ["", "", "", "www.", "www.", "http://www."]
BARE = 2  # the first forms, in which the site's ending is left out as well
ENDINGS = [".com", ".com", ".com", ".org", ".net"]

# The places of a query's parts: a lead, a stranger, up to three nouns with glue after the first, a stranger.
LEAD, FRONT, FIRST, GLUE_AT, SECOND, THIRD, BACK = range(7)
NOUN_PLACES = np.array([FIRST, SECOND, THIRD])
WORD_PLACES = np.array([FRONT, FIRST, SECOND, THIRD, BACK])


@dataclass(frozen=True, eq=False)
class Language:
    """The vocabulary of users, each word by number; 0 is no word."""

    nouns: Nouns
    topics: NounTopics
    strangers: pl.Series
    stranger_popularity: Weighted

    @cached_property
    def parts(self) -> pl.Series:
        """Every word with the space before it."""
        words = [self.nouns.words, self.nouns.plurals, self.strangers, pl.Series(GLUE), pl.Series(LEADS)]
        spaced = [(pl.Series([" "]) + w).alias("") for w in words]
        return pl.concat([pl.Series("", [""]), *spaced])

    @cached_property
    def sites(self) -> pl.Series:
        """The site of each unknown word."""
        return self.strangers + pl.Series(ENDINGS).gather(np.arange(len(self.strangers)) % len(ENDINGS))

    @property
    def first_plural(self) -> int:
        """The number of the first plural; singulars begin at 1."""
        return 1 + len(self.nouns.words)

    @property
    def first_stranger(self) -> int:
        """The number of the first unknown word."""
        return 1 + 2 * len(self.nouns.words)

    @property
    def first_glue(self) -> int:
        """The number of the first function word; the leading words follow them."""
        return self.first_stranger + len(self.strangers)

    def spelled(self, codes: Small) -> pl.Series:
        """Return the text of each row of word numbers."""
        columns = [self.parts.gather(codes[:, place]) for place in range(codes.shape[1])]
        return pl.select(pl.concat_str(columns).str.strip_chars_start(" ")).to_series()


@dataclass(frozen=True, eq=False)
class Searches:
    """The searches of each user: the number of its text, and of the text of a shorter attempt before it, or -1.

    `subject` determines the sites found; `seeks_site` is the unknown word whose own site is sought, or -1.
    """

    user: Ints
    text: Ints
    shorter: Ints
    texts: pl.Series
    subject: Ints
    seeks_site: Ints


def search(who: Interests, language: Language, unknown: float, rng: np.random.Generator) -> Searches:
    """Draw the searches of some users, for nouns in the order of users and then for unknown words."""
    user, codes = _phrases(who, language, rng)
    stranger_user, stranger = _strangers(who, language, unknown, rng)
    query, place, alone = _placed(user, stranger_user, rng)
    end = np.where(rng.random(len(query)) < 0.5, FRONT, BACK)
    codes[query, end] = language.first_stranger + stranger[place]

    divisible = np.count_nonzero(codes[:, WORD_PLACES], axis=1) > 1
    tried = divisible & (rng.random(len(user)) < SHORTER_FIRST)
    shorter = np.where(tried, len(user) + np.cumsum(tried) - 1, -1)
    alone_texts, sites = _alone(stranger[alone], language, rng)
    texts = pl.concat([language.spelled(codes), language.spelled(_shortened(codes[tried])), alone_texts])
    n_texts = len(user) + int(tried.sum())
    return Searches(
        user=np.concatenate([user, stranger_user[alone]]),
        text=np.concatenate([np.arange(len(user)), n_texts + np.arange(len(alone))]),
        shorter=np.concatenate([shorter, np.full(len(alone), -1)]),
        texts=texts,
        subject=np.concatenate([codes[:, FIRST].astype(np.int64), language.first_stranger + stranger[alone]]),
        seeks_site=np.concatenate([np.full(len(user), -1), sites]),
    )


def _phrases(who: Interests, language: Language, rng: np.random.Generator) -> tuple[Ints, Small]:
    """Combine neighbouring nouns of a user and topic to a query: its user, and the numbers of its words."""
    user, noun, topic = draw_nouns(who, language.topics, language.nouns, rng)
    n = len(noun)
    starts = rng.random(n) < NEW_QUERY
    starts |= np.diff(user, prepend=-1) != 0
    starts |= np.diff(topic, prepend=-1) != 0
    starts |= _since(starts) % MOST_NOUNS == 0
    query = np.cumsum(starts) - 1
    codes = np.zeros((int(starts.sum()), 7), np.int32)
    form = np.where(rng.random(n) < PLURAL, language.first_plural, 1)
    codes[query, NOUN_PLACES[_since(starts)]] = form + noun
    q = len(codes)
    glue = language.first_glue + (rng.random(q) * len(GLUE)).astype(np.int32)
    codes[:, GLUE_AT] = np.where((codes[:, SECOND] > 0) & (rng.random(q) < GLUED), glue, 0)
    lead = language.first_glue + len(GLUE) + (rng.random(q) * len(LEADS)).astype(np.int32)
    codes[:, LEAD] = np.where(rng.random(q) < LED, lead, 0)
    return user[starts], codes


def _since(starts: Flags) -> Ints:
    """Return the distance to the last start."""
    at = np.arange(len(starts))
    return at - np.maximum.accumulate(np.where(starts, at, 0))


def _strangers(who: Interests, language: Language, unknown: float, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw users and the unknown words they search for: those of one of their topics, or any."""
    terms_each = 1 + (1 - SHARE_WITH_NOUNS) * A_NAME
    ratio = unknown / (1 - unknown) / terms_each
    counts = (who.sizes * ratio + rng.random(len(who.sizes))).astype(np.int64)
    user = np.repeat(np.arange(len(counts)), counts)
    n = len(user)
    topic = who.topic_of(user, rng.random(n))
    local = Weighted(zipf(BRANDS_OF_A_TOPIC, 1.0, 1.0)).draw(rng.random(n))
    topical = (topic * BRANDS_OF_A_TOPIC + local) % len(language.strangers)
    anything = language.stranger_popularity.draw(rng.random(n))
    return user, np.where(rng.random(n) < OF_A_TOPIC, topical, anything)


def _placed(user: Ints, stranger_user: Ints, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Return queries of nouns, the unknown word in each of them, and the unknown words that are queries by themselves."""
    n = len(stranger_user)
    begin, end = np.searchsorted(user, stranger_user), np.searchsorted(user, stranger_user, side="right")
    query = begin + (rng.random(n) * (end - begin)).astype(np.int64)
    willing = np.flatnonzero(rng.random(n) < SHARE_WITH_NOUNS)
    chosen, first = np.unique(query[willing], return_index=True)
    stays = np.ones(n, bool)
    stays[willing[first]] = False
    return chosen, willing[first], np.flatnonzero(stays)


def _shortened(codes: Small) -> Small:
    """Return the queries without their last noun, or without the unknown word if there is only one noun."""
    fewer = codes.copy()
    third, second = fewer[:, THIRD] > 0, fewer[:, SECOND] > 0
    fewer[third, THIRD] = 0
    fewer[second & ~third, SECOND] = 0
    fewer[~second, FRONT] = 0
    fewer[~second, BACK] = 0
    fewer[fewer[:, SECOND] == 0, GLUE_AT] = 0
    return fewer


def _alone(stranger: Ints, language: Language, rng: np.random.Generator) -> tuple[pl.Series, Ints]:
    """Return texts of searches for a name or a site, and the unknown word whose site is sought."""
    n = len(stranger)
    name = rng.random(n) < A_NAME
    surname = language.strangers.gather(language.stranger_popularity.draw(rng.random(n)))
    word, site = language.strangers.gather(stranger), language.sites.gather(stranger)
    form = (rng.random(n) * len(SITE_HEADS)).astype(np.int64)
    text = (
        pl.when(pl.Series(name))
        .then(word + pl.lit(" ") + surname)
        .when(pl.Series(form < BARE))
        .then(word)
        .otherwise(pl.Series(SITE_HEADS).gather(form) + site)
    )
    return pl.select(text.alias("")).to_series(), np.where(name, -1, stranger)

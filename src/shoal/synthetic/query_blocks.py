"""The rows of a synthetic query log, a block of users at a time."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from datetime import date, timedelta
from functools import lru_cache

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.synthetic.chance import Floats, LongTailed, Weighted
from shoal.synthetic.interests import interests, sizes, topics
from shoal.synthetic.searches import Language, search
from shoal.synthetic.sessions import DAY, clicks, events
from shoal.synthetic.words import nouns, stranger_weights, strangers
from shoal.taxonomy.wordnet import wordnet

FIRST_DAY = date(2006, 3, 1)
BLOCK = 2_048
OF_WORDS, OF_USERS = 0, 1  # the streams of random numbers
ID_STEP = 9

# Mean nouns of the users from this number on, as a multiple of the mean of all: with 20.93 nouns in the mean of 53,058 users they give the
# densities of Table 6.1 of the thesis, as exactly as it prints them.
EVEN = ((0, 1.0),)
TABLE_6_1 = ((0, 52.5), (1_000, 45.5), (10_000, 27.4), (20_000, 14.9), (30_000, 12.7), (40_000, 7.5))
THESIS = tuple((first, nouns / 20.93) for first, nouns in TABLE_6_1)


@dataclass(frozen=True)
class GeneratedFacts:
    """Statistics of a log, or of a block of it. `nouns` counts a noun once for each user."""

    rows: int
    users: int
    queries: int
    clicks: int
    nouns: int

    def __add__(self, other: GeneratedFacts) -> GeneratedFacts:
        return GeneratedFacts(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, eq=False)
class World:
    """What all users of a log have in common."""

    language: Language
    lengths: tuple[tuple[int, LongTailed], ...]
    sites: pl.Series
    times_of_day: pl.Series


@lru_cache(maxsize=1)  # it takes longer to draw than a small log, and another size of the same log has the same one
def world_of(seed: int, n_topics: int, nouns_per_user: float, like: str) -> World:
    """Draw what all users of a log have in common."""
    rng = numbers(seed, OF_WORDS)
    taxonomy = wordnet()
    known = nouns(taxonomy, rng)
    made_up = strangers(taxonomy, known, rng)
    language = Language(known, topics(taxonomy, known, n_topics, rng), made_up, Weighted(stranger_weights(len(made_up))))
    midnight = pl.Series(np.arange(DAY, dtype=np.int64) * 1_000_000_000).cast(pl.Time)
    return World(
        language=language,
        lengths=tuple((first, sizes(nouns_per_user * share, known)) for first, share in (THESIS if like == "thesis" else EVEN)),
        sites=pl.Series(["http://www."]) + language.sites,
        times_of_day=midnight.dt.to_string("%H:%M:%S"),
    )


def block(unknown: float, world: World, first: int, n: int, rng: np.random.Generator) -> tuple[pl.DataFrame, GeneratedFacts]:
    """Generate the rows of a block's first n users. The whole block is drawn, so that they do not depend on n."""
    who = interests(BLOCK, lambda uniform: _sizes(world, first, uniform), world.language.topics, rng)
    searches = search(who, world.language, unknown, rng)
    happened = events(searches, rng)
    opened = clicks(happened, searches, len(world.sites), rng)
    ids = (first + np.arange(BLOCK)) * ID_STEP + 1 + (rng.random(BLOCK) * ID_STEP).astype(np.int64)

    user = searches.user[happened.search]
    queries = int(np.searchsorted(user, n))
    rows = int(np.searchsorted(opened.event, queries))
    event, rank = opened.event[:rows], pl.Series(opened.rank[:rows])
    without = rank == 0
    frame = pl.DataFrame(
        {
            "AnonID": ids[user[event]],
            "Query": searches.texts.gather(happened.text[event]),
            "QueryTime": _written_times(happened.second[event], world.times_of_day),
            "ItemRank": rank.set(without, None),
            "ClickURL": world.sites.gather(opened.site[:rows]).set(without, None),
        }
    )
    return frame, GeneratedFacts(rows, n, queries, rows - int(without.sum()), int(who.sizes[:n].sum()))


def _sizes(world: World, first: int, uniform: Floats) -> Ints:
    """Draw the number of nouns of the users of a block, by their place in the log."""
    user = first + np.arange(len(uniform))
    found = np.zeros(len(uniform), np.int64)
    for begin, lengths in world.lengths:
        found = np.where(user >= begin, lengths.draw(uniform), found)
    return found


def _written_times(second: Ints, times_of_day: pl.Series) -> pl.Series:
    days = pl.Series([str(FIRST_DAY + timedelta(d)) + " " for d in range(int(second.max(initial=0)) // DAY + 1)])
    return days.gather(second // DAY) + times_of_day.gather(second % DAY)


def numbers(seed: int, *stream: int) -> np.random.Generator:
    """Return the random number generator of a stream."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=stream)))

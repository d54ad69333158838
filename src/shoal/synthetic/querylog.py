"""Synthetic query logs in the format of AOL's, at any size: for trying things out, for benchmarks, for
showing without exposing.

Users have a few topics of WordNet each and a long-tailed number of nouns, and search for them in sessions;
see `interests`, `searches` and `sessions`. Users are made in blocks of fixed size, each with random numbers
of its own, so that memory stays flat, the same seed gives the same bytes, and a larger log begins with the
smaller one.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import IO, ClassVar, cast

import numpy as np
import polars as pl

from shoal import unfinished
from shoal.data.bags import Ints
from shoal.errors import OutputError
from shoal.parameters import Declared, param
from shoal.synthetic.chance import LongTailed, Weighted
from shoal.synthetic.interests import interests, sizes, topics
from shoal.synthetic.searches import Language, search
from shoal.synthetic.sessions import DAY, clicks, events
from shoal.synthetic.words import nouns, stranger_weights, strangers
from shoal.taxonomy.wordnet import wordnet

HEADER = b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
FIRST_DAY = date(2006, 3, 1)
BLOCK = 2_048
OF_WORDS, OF_USERS = 0, 1  # the streams of random numbers
ID_STEP = 9

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class GeneratedFacts:
    """What was written. `nouns` counts a noun once for each user."""

    rows: int
    users: int
    queries: int
    clicks: int
    nouns: int


@dataclass(frozen=True)
class QueryLog(Declared):
    """A query log of users with topics, sessions and clicks."""

    name: ClassVar[str] = "querylog"

    users: int = param(10_000, minimum=1, help="people in the log")
    seed: int = param(0, minimum=0, help="the same seed gives the same log")
    nouns_per_user: float = param(21.0, minimum=1, maximum=200, help="different nouns of WordNet a user looks for, on average")
    topics: int = param(200, minimum=1, maximum=500, help="topics there are; each user has one to five of them")
    unknown: float = param(0.35, minimum=0, maximum=0.9, help="share of the terms that WordNet does not have")

    def write(self, path: Path, *, force: bool = False, progress: Progress | None = None) -> GeneratedFacts:
        """Writes the log, packed where the name ends in .gz. A file that is there stays, unless `force`."""
        with _written(path, force) as out:
            out.write(HEADER)
            done = GeneratedFacts(0, 0, 0, 0, 0)
            for rows, facts in _blocks(self):
                rows.write_csv(out, separator="\t", include_header=False, quote_style="never")
                done = _sum(done, facts)
                if progress is not None:
                    progress("writing searches", done.users, self.users)
        return done


def generate(
    path: Path,
    users: int,
    seed: int = 0,
    *,
    nouns_per_user: float = 21.0,
    topics: int = 200,
    unknown: float = 0.35,
    force: bool = False,
    progress: Progress | None = None,
) -> GeneratedFacts:
    """Writes a synthetic query log; `QueryLog` says what the numbers mean."""
    return QueryLog(users, seed, nouns_per_user, topics, unknown).write(path, force=force, progress=progress)


@dataclass(frozen=True, eq=False)
class _World:
    """What all users of a log have in common."""

    language: Language
    lengths: LongTailed
    sites: pl.Series
    times_of_day: pl.Series


def _world(log: QueryLog) -> _World:
    rng = _numbers(log.seed, OF_WORDS)
    taxonomy = wordnet()
    known = nouns(taxonomy, rng)
    made_up = strangers(taxonomy, known, rng)
    language = Language(known, topics(taxonomy, known, log.topics, rng), made_up, Weighted(stranger_weights(len(made_up))))
    midnight = pl.Series(np.arange(DAY, dtype=np.int64) * 1_000_000_000).cast(pl.Time)
    return _World(
        language=language,
        lengths=sizes(log.nouns_per_user, known),
        sites=pl.Series(["http://www."]) + language.sites,
        times_of_day=midnight.dt.to_string("%H:%M:%S"),
    )


def _blocks(log: QueryLog) -> Iterator[tuple[pl.DataFrame, GeneratedFacts]]:
    world = _world(log)
    for first in range(0, log.users, BLOCK):
        rng = _numbers(log.seed, OF_USERS, first // BLOCK)
        yield _block(log, world, first, min(BLOCK, log.users - first), rng)


def _block(log: QueryLog, world: _World, first: int, n: int, rng: np.random.Generator) -> tuple[pl.DataFrame, GeneratedFacts]:
    """The rows of a block's first n users. The whole block is drawn, so that they do not depend on n."""
    who = interests(BLOCK, world.lengths, world.language.topics, rng)
    searches = search(who, world.language, log.unknown, rng)
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


def _written_times(second: Ints, times_of_day: pl.Series) -> pl.Series:
    days = pl.Series([str(FIRST_DAY + timedelta(d)) + " " for d in range(int(second.max(initial=0)) // DAY + 1)])
    return days.gather(second // DAY) + times_of_day.gather(second % DAY)


def _numbers(seed: int, *stream: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=stream)))


def _sum(a: GeneratedFacts, b: GeneratedFacts) -> GeneratedFacts:
    return GeneratedFacts(a.rows + b.rows, a.users + b.users, a.queries + b.queries, a.clicks + b.clicks, a.nouns + b.nouns)


@contextmanager
def _written(path: Path, force: bool) -> Iterator[IO[bytes]]:
    """A file that appears under its name only when it is complete."""
    if path.suffix in {".zst", ".bz2", ".xz", ".zip", ".parquet"}:
        raise OutputError(f"a query log cannot be written as {path.suffix}", hint="name it .tsv or .tsv.gz")
    if path.is_dir():
        raise OutputError(f"{path} is a directory", hint="name a file")
    if path.exists() and not force:
        raise OutputError(f"{path} is there already", hint="overwrite it with --force")
    if not path.parent.is_dir():
        raise OutputError(f"there is no directory {path.parent}")
    partial = unfinished.begin(path, directory=False)
    try:
        with partial.open("wb") as file:
            # Without name and time in its head, so that the same log is the same bytes.
            packed = gzip.GzipFile("", "wb", 6, file, mtime=0) if path.suffix == ".gz" else None
            yield cast(IO[bytes], packed or file)
            if packed:
                packed.close()
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        unfinished.discard(partial)

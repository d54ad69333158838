"""Several published records of one person: pseudonyms per topic, day or session, or rows without pseudonyms."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import polars as pl

from shoal.attacks import RELEASE
from shoal.attacks.attacker_view import Owned, People, Scene
from shoal.attacks.draw import Draw
from shoal.attacks.logs.linking import Linkable
from shoal.attacks.scenarios import Skipped
from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import ShoalError
from shoal.evaluate.attack.case import Case
from shoal.evaluate.attack.linking_subjects import Linking
from shoal.evaluate.attack.stage import published_log, stage_of, words_of
from shoal.taxonomy.place_terms import as_typed

SLOT = timedelta(minutes=10)  # a period with at least one query is one item
WORDS, WITH_TIMES = "the words of one", "the words and times of one"


def personas(case: Case, draw: Draw) -> list[Linking]:
    """Return one published record of each person with several, to find another one of them."""
    original, release = case.prepared.original, case.release
    if not isinstance(original, LogOriginal) or not release.tables_of(RowTable):
        raise Skipped("it applies to rows of a log, but this release contains records")
    if release.secret is None and case.method is not None:  # under a fresh key it is another one, which discloses as much
        release = _renumbered(case)
    table = release.tables_of(RowTable)[0]
    owned = stage_of(original, release).owned
    if owned is None:
        raise Skipped("the release cannot be made again, so it is not known which pseudonyms are one person's")
    theirs = owned.select(draw.some(np.flatnonzero(owned.sizes > 1)))
    if not len(theirs):
        raise Skipped("nobody has several pseudonyms")
    shown = published_log(table)
    known = theirs.starts[:-1] + (np.random.default_rng(draw.seed).random(len(theirs)) * theirs.sizes).astype(np.int64)
    words = words_of(shown)
    found = {WORDS: _linkable(words, theirs, known)}
    if shown.timed and not shown.frame["time"].null_count():
        found[WITH_TIMES] = _linkable(joined_records(words, slots_of(shown)), theirs, known)
    return [Linking(RELEASE, found, {}, case.release.claims)]


def _renumbered(case: Case) -> Release:
    try:
        return case.made_of(np.ones(len(case.source.owners), bool))[1]
    except ShoalError as error:
        raise Skipped(f"the release cannot be made again ({error.message})") from None


def slots_of(log: Log) -> Bags:
    """Return one record per user of a log: the time intervals of the user's queries."""
    slots = log.frame.select(owner="owner", payload=pl.col("time").dt.truncate(SLOT).dt.to_string("\0at %Y-%m-%d %H:%M"))
    return Log(slots, "item").bags("user").as_sets()


def joined_records(one: Bags, other: Bags) -> Bags:
    """Merge two records of each user; no item is in both."""
    names = Vocabulary(pl.concat([one.vocabulary.names, other.vocabulary.names]))
    sizes = np.diff(one.indptr), np.diff(other.indptr)
    starts = np.concatenate([[0], np.cumsum(sizes[0] + sizes[1])])
    first = np.arange(len(one.items)) + np.repeat(starts[:-1] - one.indptr[:-1], sizes[0])
    second = np.arange(len(other.items)) + np.repeat(starts[:-1] + sizes[0] - other.indptr[:-1], sizes[1])
    items, counts = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)
    items[first], items[second] = one.items, other.items + len(one.vocabulary)
    counts[first], counts[second] = one.counts, other.counts
    return Bags.from_rows(starts, items, counts, names, one.owners)


def _linkable(records: Bags, theirs: Owned, known: Ints) -> Linkable:
    """Return published records, one known per person, whose others are searched for."""
    placed, own = as_typed(records), theirs.rows[known]
    left = np.delete(np.arange(len(theirs.rows)), known)
    others = Owned(theirs.starts - np.arange(len(theirs.starts)), theirs.rows[left])
    scene, held = Scene.of_world(placed.bags, placed.tree), placed.bags.select(own)
    return Linkable(scene, People(held, others), held, own)

"""The attack that goes worst for people, on releases whose records are those of people; others say why they were not attacked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal.app.comparison.words import typed_words
from shoal.attacks import ATTACKS
from shoal.attacks.intervals import wilson
from shoal.attacks.scene import People, Scene
from shoal.data.bags import Bags, Ints
from shoal.data.log import Log
from shoal.data.original import AnyOriginal, Original
from shoal.data.original_rows import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.data.tables.chunks import ChunkTable
from shoal.data.tables.columns import ITEMS
from shoal.data.tables.counts import CountTable
from shoal.data.tables.groups import GroupTable
from shoal.data.tables.profiles import ProfileTable
from shoal.data.tables.rows import RowTable
from shoal.taxonomy.placing import as_typed

NOT_ATTACKED = "not_attacked"
WHY_NOT: Mapping[str, str] = {
    ChunkTable.kind: "records were taken apart: there is no published record to be found",
    CountTable.kind: "counts are published: there is no published record to be found",
    RowTable.kind: "rows are published alone: nothing tells which are one person's, and attacks look for a person's record",
}


@dataclass(frozen=True)
class Effort:
    """How many people are attacked in each cell, and the seed by which they are drawn."""

    targets: int = 200
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Exposed:
    """The records of people, the records that are published, and which is whose (-1: withheld)."""

    scene: Scene
    records: Bags
    rows: Ints


def worst_attack(release: Release, original: AnyOriginal, effort: Effort) -> dict[str, Any]:
    """Its rate and the upper end of its interval, or why there is none. Guessed items are left to `shoal attack`."""
    expose = _BY_KIND.get(min(release.kinds))
    exposed = None if expose is None else expose(release, original)
    if exposed is None:
        return {NOT_ATTACKED: WHY_NOT.get(min(release.kinds), "no attack is made on what is published")}
    chosen = _drawn(exposed, effort)
    people = People(exposed.records.select(chosen), exposed.rows[chosen])
    worst = (0.0, 0.0, "")
    for attack in (kind() for kind in ATTACKS.values() if kind.test != "inference"):
        for trial in attack.trials(exposed.scene, people, effort.seed):
            rate = wilson(float(trial.success.sum()), len(people))
            worst = max(worst, (rate.high, rate.rate, f"{attack.name}, {trial.knowledge}"), key=lambda one: one[0])
    return {"worst_attack": worst[2], "attack_rate": worst[1], "attack_high": worst[0]}


def _drawn(exposed: Exposed, effort: Effort) -> Ints:
    """Records that hold something and were published, of so many different people, one each."""
    there = np.flatnonzero((exposed.rows >= 0) & (exposed.records.lengths > 0))
    mixed = np.random.default_rng(effort.seed).permutation(there)
    _, first = np.unique(exposed.records.owners[mixed], return_index=True)
    return mixed[np.sort(first)][: effort.targets]


def _records(release: Release, original: Original) -> Exposed:
    return Exposed(Scene.of_release(release, original), original.bags, _rows(release))


def _groups(release: Release, original: Original) -> Exposed:
    """Rows are records without some of their items; nothing hides whose they are."""
    table = release.only(GroupTable.kind)
    assert isinstance(table, GroupTable)
    held = Bags.from_polars(table.rows[ITEMS])
    return _exposed(original, held, _rows(release))


def _linked(release: Release, original: LogOriginal) -> Exposed | None:
    """All rows of a pseudonym are one record, where a person has one pseudonym."""
    table = next(iter(release.tables.values()))
    assert isinstance(table, RowTable)
    if table.pseudonyms is None or not table.has_unit:
        return None
    numbers = table.frame[table.pseudonyms]
    people = as_typed(typed_words(original.log), None, as_sets=True)
    whose = _pseudonym_of_people(table, release, original)
    if whose is None:
        return None
    published = typed_words(Log(pl.DataFrame({"owner": numbers.cast(pl.Int64), "payload": table.frame[table.unit]}), original.log.kind))
    rows = np.where(np.isin(whose, published.owners), np.searchsorted(published.owners, whose), -1)
    return _exposed(people, published, rows)


def _pseudonym_of_people(table: RowTable, release: Release, original: LogOriginal) -> Ints | None:
    """The pseudonym of each person, by rising owner, -1 for none; None where a person has several."""
    rows = _rows(release)
    if isinstance(table, ProfileTable):
        return rows
    assert table.pseudonyms is not None
    owner = original.log.frame["owner"].filter(pl.Series(rows >= 0))
    pairs = pl.DataFrame({"owner": owner, "as": table.frame[table.pseudonyms].gather(rows[rows >= 0])}).unique()
    if pairs["owner"].is_duplicated().any():
        return None
    every = original.log.frame.select(pl.col("owner").unique().sort())
    return every.join(pairs, on="owner", how="left", maintain_order="left")["as"].fill_null(-1).to_numpy().astype(np.int64)


def _exposed(original: Original, published: Bags, rows: Ints) -> Exposed:
    """Published records of words as typed, beside the records of people over the same words."""
    placed = published.relabelled(original.bags.vocabulary.codes(published.vocabulary.names), original.bags.vocabulary)
    scene = Scene(placed, np.ones(len(placed), np.int64), original.tree, original.bags)
    return Exposed(scene, original.bags, rows)


def _rows(release: Release) -> Ints:
    assert release.secret is not None
    return release.secret.rows()


_BY_KIND: Mapping[str, Callable[[Release, Any], Exposed | None]] = {
    BagTable.kind: _records,
    GroupTable.kind: _groups,
    ProfileTable.kind: _linked,
    RowTable.kind: _linked,
}

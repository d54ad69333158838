"""The attacker's view of a release and its original: published records, and which of them belong to whom.

Published records stay unchanged. In a published log, the rows of one pseudonym form one record; without pseudonyms every row is one. Its
items are the words of its queries, in lower case and without stop words, or whole items. If neither queries nor items are published, but
other columns such as URLs (by the unit `url`), the values of these columns are the items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.attacks.attacker_view import Owned, People, Scene
from shoal.data.bags import Bags, Ints, Vocabulary
from shoal.data.log import Kind, Log
from shoal.data.original import AccessOriginal, AnyOriginal, LogOriginal, Original
from shoal.data.release import Release
from shoal.data.tables.access_log import PAGE, AccessTable
from shoal.data.tables.profiles import ProfileTable
from shoal.data.tables.rows import PAYLOAD, RowTable
from shoal.errors import InputError
from shoal.methods.bases.log_rows import USER
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import records_of
from shoal.taxonomy.place_terms import as_typed
from shoal.taxonomy.urls import url_taxonomy
from shoal.util.numbers import distinct

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stage:
    """A scene; the original records of people, in its vocabulary; and the published rows of each, if known."""

    scene: Scene
    records: Bags
    owned: Owned | None

    def people(self, numbers: Ints) -> People:
        """Return these records, one per person."""
        return People(self.records.select(numbers), None if self.owned is None else self.owned.select(numbers))

    def known(self, records: Bags) -> Bags:
        """Return records of another vocabulary in that of the scene; other items are left out."""
        names = self.scene.tree.names
        return records.relabelled(names.codes(records.vocabulary.names), names)

    def drawn(self, seed: int, most: int) -> Ints:
        """Draw non-empty published records of this many different people, one each."""
        published = None if self.owned is None else self.owned.sizes > 0
        return one_of_each_person(self.records, seed, most, published)


def one_of_each_person(records: Bags, seed: int, most: int, among: Mask | None = None) -> Ints:
    """Draw non-empty records, of all or some of them, of this many different people."""
    held = records.lengths > 0
    mixed = np.random.default_rng(seed).permutation(np.flatnonzero(held if among is None else held & among))
    _, first = np.unique(records.owners[mixed], return_index=True)
    return mixed[np.sort(first)][:most]


def raw_stage(original: AnyOriginal, strangers: Bags | None = None) -> Stage:
    """Return the stage in which the original itself is published. For a log, `strangers` are records of other people, whose words get
    numbers too.
    """
    if isinstance(original, Original):
        records, scene = original.bags, Scene.of_raw(original)
    else:
        placed = _world(words_of(_log(original)), strangers)
        records, scene = placed.bags, Scene.of_world(placed.bags, placed.tree)
    return Stage(scene, records, Owned.one_each(np.arange(len(records))))


def stage_of(original: AnyOriginal, release: Release, strangers: Bags | None = None) -> Stage:
    """Return the stage of a release of this original; the mapping is known if the release still has it. `strangers` as for the original."""
    rows = None if release.secret is None else release.secret.rows()
    if isinstance(original, Original):
        return Stage(Scene.of_release(release, original), original.bags, None if rows is None else Owned.one_each(rows))
    log, tables = _log(original), release.tables_of(RowTable)
    if len(tables) != 1:
        held = ", ".join(sorted(release.kinds))
        raise InputError(f"attacks on a log work on rows and profiles, but this release has {held}", code="attack-not-applicable")
    (table,) = tables
    shown = published_log(table)
    records, published = words_of(log), words_of(shown)
    world = _world(records, published, strangers)
    placed = published.relabelled(world.tree.names.codes(published.vocabulary.names), world.tree.names)
    scene = Scene(placed, np.ones(len(placed), np.int64), world.tree, world.bags)
    return Stage(scene, world.bags, None if rows is None else _owned(log, table, shown, rows))


def linked_stage(log: Log, links: Ints) -> Stage:
    """Return the stage of rows of a log published unchanged, with these links instead of users."""
    frame = log.frame.select("owner", "payload")
    records, published = words_of(Log(frame, log.kind)), words_of(Log(frame.with_columns(owner=pl.Series(links)), log.kind))
    world = _world(records, published)
    placed = published.relabelled(world.tree.names.codes(published.vocabulary.names), world.tree.names)
    owners = frame["owner"].to_numpy()
    people, linked = distinct(owners), distinct(links)
    owned = Owned.of_pairs(np.searchsorted(people, owners), np.searchsorted(linked, links), len(people))
    return Stage(Scene(placed, np.ones(len(placed), np.int64), world.tree, world.bags), world.bags, owned)


def visits_stage(original: AccessOriginal, release: Release) -> Stage:
    """Return the stage of a published access log: the pages of each published address are one record, on the folders of all pages."""
    log, table = original.log, release.only(AccessTable)
    assert release.secret is not None
    shown = published_visits(table)
    records, published = words_of(log), words_of(shown)
    tree = url_taxonomy(records.vocabulary) if records.vocabulary.names.str.contains("/").any() else as_typed(records).tree
    placed, world = (one.relabelled(tree.names.codes(one.vocabulary.names), tree.names) for one in (published, records))
    owners, addresses = log.frame["owner"].to_numpy(), table.frame["address"].to_numpy()[release.secret.rows()]
    people, pseudonyms = distinct(owners), distinct(shown.frame["owner"].to_numpy())
    owned = Owned.of_pairs(np.searchsorted(people, owners), np.searchsorted(pseudonyms, addresses), len(people))
    return Stage(Scene(placed, np.ones(len(placed), np.int64), tree, world), world, owned)


def published_visits(table: AccessTable) -> Log:
    """Return the pages of a published access log, with addresses as users."""
    pages = table.frame["request"].str.extract(PAGE).fill_null("")
    return Log(pl.DataFrame({"owner": table.frame["address"], "payload": pages}), "item")


def records_in(original: AnyOriginal) -> Bags:
    """Return the records of people in an original."""
    return original.bags if isinstance(original, Original) else words_of(_log(original))


def owners_repeat(original: AnyOriginal) -> bool:
    """Whether somebody owns several attacked records; in a log all rows of a person are one record."""
    return isinstance(original, Original) and original.bags.owners_repeat


def published_log(table: RowTable) -> Log:
    """Return published rows as a log with pseudonyms as users; without them every row has its own user."""
    frame = table.frame
    if USER not in frame.columns:
        owner = pl.int_range(len(frame), dtype=pl.Int64, eager=True)
    else:
        owner = frame[USER] if frame[USER].dtype == pl.Int64 else frame[USER].rank("dense").cast(pl.Int64)
    times = {"time": frame["time"]} if table.columns.get("time") == "time" else {}
    return Log(pl.DataFrame({"owner": owner, **times, "payload": values_of(frame, shown_columns(table))}), kind_of(table))


def kind_of(table: RowTable) -> Kind:
    """Return whether the rows contain queries or whole items."""
    return "text" if table.has_unit and table.unit == PAYLOAD["text"] else "item"


def shown_columns(table: RowTable) -> list[str]:
    """Return the column of queries or items or, without these, all other text columns except pseudonyms."""
    if table.has_unit:
        return [table.unit]
    found = [name for name, kind in table.columns.items() if kind == "text" and name != USER]
    if not found:
        raise InputError("attacks on rows of a log need a published column of text", code="attack-not-applicable")
    return found


def values_of(frame: pl.DataFrame, columns: Sequence[str]) -> pl.Series:
    """Return the values of these columns in each row as one text; empty if any of them is empty."""
    return frame.select(pl.concat_str(columns, separator=" + ").fill_null("").alias("payload")).to_series()


def facing(log: Log, table: RowTable) -> Log:
    """Return the log with the published values in place of its queries, if the release has neither queries nor items."""
    if table.has_unit:
        return log
    columns = shown_columns(table)
    missing = [name for name in columns if name not in log.frame.columns]
    if missing:
        raise InputError(f"the release shows the column {missing[0]!r}, which the original was read without", code="missing-column")
    return replace(log, frame=log.frame.with_columns(values_of(log.frame, columns)), kind="item")


def words_of(log: Log) -> Bags:
    """One record for each owner of a log, by rising number: the words of all queries in lower case, or all items."""
    plain = replace(log, frame=log.frame.select(name for name in ("owner", "time", "payload") if name in log.frame.columns))
    return records_of(plain, Preparation()).folded


def _world(records: Bags, *others: Bags | None) -> Original:
    """Records in a vocabulary that has the names of other records too."""
    parts = [records, *(one for one in others if one is not None)]
    names = Vocabulary(pl.concat([part.vocabulary.names.rename("item") for part in parts]).unique())
    return as_typed(records.relabelled(names.codes(records.vocabulary.names), names))


def _log(original: AnyOriginal) -> Log:
    if not isinstance(original, LogOriginal):
        raise InputError("attacks work on records of items and on rows of logs", code="attack-not-applicable")
    return original.log


def _owned(log: Log, table: RowTable, shown: Log, rows: Ints) -> Owned:
    """Return the published records of each person: the numbers of their pseudonyms, in order."""
    pseudonyms = distinct(shown.frame["owner"].to_numpy())
    owners = log.frame["owner"].to_numpy()
    people = distinct(owners)
    if table.kind == ProfileTable.kind:  # one pseudonym for each person
        there = rows >= 0
        return Owned.of_pairs(np.flatnonzero(there), np.searchsorted(pseudonyms, rows[there]), len(people))
    kept = np.flatnonzero(rows >= 0)
    theirs = shown.frame["owner"].to_numpy()[rows[kept]]
    return Owned.of_pairs(np.searchsorted(people, owners[kept]), np.searchsorted(pseudonyms, theirs), len(people))

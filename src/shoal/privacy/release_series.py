"""What two releases of the same people reveal together.

Releases of queries: which queries came, went or changed by few people. A query that is not published was asked by fewer people than the
threshold, one that is by as many or more. So whoever has both releases learns of a new query how many people at least asked it in between,
and of one that is gone how many no longer do. Rows are published as often as they were asked: a query with two more rows was asked by one
or two more people. Whoever also knows who joined or left in between then knows what these few asked.

Releases of groups: where groups of the one meet groups of the other in few people.

Somebody who finds a person in a group of an earlier release and in a group of a new one is left with the people who are in both. Who is in
a group of the new release is known while it is made. Where the earlier release can be made again (`exact_meetings`) that is known about it
too. Else only its files are known: its group may hold whoever's record its published record generalizes. So it is counted, for each
group of the one and of the other, how many people of the new group the earlier one fits. The people who were in both are among them.
Where these are fewer than k, and one of them fits no other group of the earlier release, the two surely meet in fewer than k people; where
all of them fit others too, they perhaps do. Where more people fit than were there, a meeting of few goes unseen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data import patience
from shoal.data.bags import Ints
from shoal.data.original import LogOriginal, Original
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.privacy.equivalence_classes import Candidates, classes_of, identical_records

# -- releases of queries


CAME, WENT, CHANGED = "came", "went", "changed"


def told_by_comparing(earlier: Release, release: Release, original: LogOriginal, threshold: int) -> pl.DataFrame:
    """The queries of which the two releases tell something together: `query`, `how`, and `people`, who may be all that are behind it.

    The earlier release publishes what `threshold` people asked. Of queries that came or went `people` is the smallest number of people that
    explains it, of those with another number of rows the largest. A query that came or went because the thresholds differ, and needs
    nobody for it, is not among them.
    """
    then = _rows_per_query(earlier).rename({"rows": "then"})
    now = _rows_per_query(release).join(_people_published(release, original), on="query", how="left")
    both = now.join(then, on="query", how="full", coalesce=True)
    both = both.join(_people_asking(original), on="query", how="left")
    asked = pl.coalesce("published", "asking", pl.lit(0, pl.Int64))
    told = both.with_columns(
        how=pl.when(pl.col("then").is_null())
        .then(pl.lit(CAME))
        .when(pl.col("rows").is_null())
        .then(pl.lit(WENT))
        .otherwise(pl.lit(CHANGED)),
        people=pl.when(pl.col("then").is_null())
        .then(asked - (threshold - 1))
        .when(pl.col("rows").is_null())
        .then(threshold - asked)
        .otherwise((pl.col("rows") - pl.col("then")).abs()),
    )
    return told.filter(pl.col("people") > 0).select("query", "how", "people").sort("how", "people", "query")


def _rows_per_query(release: Release) -> pl.DataFrame:
    table = _table(release)
    return table.frame.select(query=table.unit).group_by("query").agg(rows=pl.len().cast(pl.Int64))


def _people_published(release: Release, original: LogOriginal) -> pl.DataFrame:
    """The people behind each published query, by the rows that became it."""
    assert release.secret is not None
    table, rows = _table(release), release.secret.rows()
    shown = rows >= 0
    owners = original.log.frame["owner"].filter(pl.Series(shown))
    pairs = pl.DataFrame({"query": table.frame[table.unit].gather(rows[shown]), "owner": owners}).unique()
    return pairs.group_by("query").agg(published=pl.len().cast(pl.Int64))


def _people_asking(original: LogOriginal) -> pl.DataFrame:
    """The people who asked each query of the original, published or not."""
    pairs = original.log.frame.select("owner", query="payload").unique()
    return pairs.group_by("query").agg(asking=pl.len().cast(pl.Int64))


def _table(release: Release) -> RowTable:
    return release.only(RowTable)


# -- releases of groups


PAIRS_AT_ONCE = 4_000_000

_FEW = {"old": pl.Int64(), "new": pl.Int64(), "record": pl.Int64(), "owner": pl.Int64()}


@dataclass(frozen=True, eq=False)
class Meetings:
    """How many people stand where groups meet in fewer than k people: `sure`ly, and beside them `perhaps`.

    `rows` are the published rows, of the earlier release and of the new one, where they surely do. `unfitting` published records of the
    earlier release generalize nobody's record.
    """

    sure: int
    perhaps: int
    unfitting: int
    rows: tuple[tuple[int, int], ...]


def meetings(earlier: Release, release: Release, original: Original, k: int) -> Meetings:
    """Compare a release that was just made with an earlier one, whose names may be others than those of the original.

    Raises OutOfPatience where that takes more work than one judgement may take.
    """
    with patience.one_judgement():
        return _meetings(earlier, release, original, k)


def _meetings(earlier: Release, release: Release, original: Original, k: int) -> Meetings:
    group, label = _groups(release)
    known = _Known.of(earlier, original)
    fits, few = np.zeros(len(group), np.int64), [pl.DataFrame(schema=_FEW)]
    unfitting = known.strange
    for old, records, fitting_none in known.pairs():
        unfitting += fitting_none
        fits += np.bincount(records, minlength=len(fits))
        few.append(_met_by_few(old, records, group, original.bags.owners, k))
        patience.insist_on_room(sum(map(len, few)), "comparing the groups of two releases")
    met = pl.concat(few)
    sure = met.filter(pl.Series(fits[met["record"].to_numpy()] == 1))
    people, everyone, pairs = sure["owner"].n_unique(), met["owner"].n_unique(), _pairs(sure)
    return Meetings(people, everyone - people, unfitting, tuple(zip(pairs["old"], _rows(label, pairs["new"]), strict=True)))


def exact_meetings(earlier: Release, release: Release, original: Original, k: int) -> Meetings:
    """The same where it is known which record became which in both."""
    (was, old), (group, label) = _groups(earlier), _groups(release)
    records = np.flatnonzero(was >= 0)
    met = _met_by_few(was[records], records, group, original.bags.owners, k)
    pairs = _pairs(met)
    return Meetings(met["owner"].n_unique(), 0, 0, tuple(zip(_rows(old, pairs["old"]), _rows(label, pairs["new"]), strict=True)))


def _groups(release: Release) -> tuple[Ints, Ints]:
    """The group of each record, -1 where it is not published, and that of each published row."""
    assert release.secret is not None
    rows, label = release.secret.rows(), classes_of(release).label
    return np.where(rows >= 0, label[rows], -1), label


def _pairs(met: pl.DataFrame) -> pl.DataFrame:
    """The pairs of groups, each once."""
    return met.select("old", "new").unique().sort("old", "new")


def _rows(label: Ints, groups: pl.Series) -> list[int]:
    """A published row of each of these groups."""
    held, first = np.unique(label, return_index=True)
    found: list[int] = first[np.searchsorted(held, groups.to_numpy())].tolist()
    return found


def _met_by_few(old: Ints, records: Ints, group: Ints, owners: Ints, k: int) -> pl.DataFrame:
    """Of these pairs of an earlier row and a record that it fits, those whose two groups meet in fewer than k people."""
    met = pl.DataFrame({"old": old, "new": group[records], "record": records, "owner": owners[records]}, schema=_FEW)
    return met.filter((pl.col("new") >= 0) & (pl.col("owner").n_unique().over("old", "new") < k))


@dataclass(frozen=True, eq=False)
class _Known:
    """An earlier release in the vocabulary of the original: one row of each sort of identical records; `strange` sorts hold other names."""

    release: Release
    original: Original
    rows: Ints
    strange: int

    @classmethod
    def of(cls, earlier: Release, original: Original) -> _Known:
        codes, published = original.codes(earlier), earlier.published
        record = np.repeat(np.arange(len(published)), np.diff(published.indptr))
        strange = np.bincount(record[codes[published.items] < 0], minlength=len(published)) > 0
        _, first = np.unique(identical_records(published), return_index=True)
        aligned = earlier.republished(published.relabelled(codes, original.bags.vocabulary))
        return cls(aligned, original, first[~strange[first]], int(strange[first].sum()))

    def pairs(self) -> Iterator[tuple[Ints, Ints, int]]:
        """Row by row of the earlier release, many at once: pairs of a row and a record that it generalizes; how many rows have none."""
        candidates = Candidates(self.original)
        batch: list[tuple[int, Ints]] = []
        pairs = 0
        for row in self.rows:
            batch.append((int(row), candidates.of(self.release, int(row))))
            pairs += len(batch[-1][1])
            if pairs >= PAIRS_AT_ONCE:
                yield self._generalized(batch)
                batch, pairs = [], 0
        if batch:
            yield self._generalized(batch)

    def _generalized(self, batch: list[tuple[int, Ints]]) -> tuple[Ints, Ints, int]:
        old = np.repeat([row for row, _ in batch], [len(records) for _, records in batch]).astype(np.int64)
        records = np.concatenate([records for _, records in batch])
        views = self.original.bags.view, self.release.published.view
        arguments = *views, records, old, self.original.tree.view, kernels.threads()
        what = "comparing the people of this release with those of an earlier one"
        good = patience.run(_kernels.generalizes_pairs, *arguments, label="comparing", what=what).astype(bool)
        return old[good], records[good], len(batch) - len(np.unique(old[good]))

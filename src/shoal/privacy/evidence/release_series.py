"""What two releases of the same people disclose together.

Releases of queries: queries that appeared, disappeared or changed by few people. An unpublished query was issued by fewer people than the
threshold, a published one by at least as many. So an attacker with both releases learns, for a new query, a lower bound on the number of
people who issued it in between and, for a query that disappeared, on those who no longer did. Rows are published as often as they were
issued: a query with two more rows was issued by one or two more people. An attacker who also knows who joined or left in between then knows
what these few people searched for.

Releases of groups: groups of the one that intersect groups of the other in few people.

An attacker who finds a person in a group of an earlier release and in a group of a new one is left with the people in both. The members of
a new group are known while it is made. If the earlier release can be made again (`exact_meetings`), so are its members. Otherwise only its
files are known: a group may contain anyone whose record its published record generalizes. So for each pair of groups, the people of the new
group that the earlier one fits are counted. The people in both are among them. If they are fewer than k, and one of them fits no other
group of the earlier release, the groups certainly intersect in fewer than k people; if all of them also fit other groups, they possibly do.
If more people fit than were in the group, a small intersection goes unnoticed.
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
from shoal.privacy.evidence.equivalence_classes import Candidates, classes_of, identical_records

# -- releases of queries


APPEARED, DISAPPEARED, CHANGED = "came", "went", "changed"


def disclosed_by_comparing(earlier: Release, release: Release, original: LogOriginal, threshold: int) -> pl.DataFrame:
    """Return the queries about which the two releases disclose something together: `query`, `how`, and the number of `people` behind it.

    The earlier release publishes queries of `threshold` people. For queries that appeared or disappeared, `people` is the minimum number
    that explains it; for those with another number of rows, the maximum. Queries whose change is explained by different thresholds alone
    are not included.
    """
    then = _rows_per_query(earlier).rename({"rows": "then"})
    now = _rows_per_query(release).join(_people_published(release, original), on="query", how="left")
    both = now.join(then, on="query", how="full", coalesce=True)
    both = both.join(_people_asking(original), on="query", how="left")
    holders = pl.coalesce("published", "asking", pl.lit(0, pl.Int64))
    changes = both.with_columns(
        how=pl.when(pl.col("then").is_null())
        .then(pl.lit(APPEARED))
        .when(pl.col("rows").is_null())
        .then(pl.lit(DISAPPEARED))
        .otherwise(pl.lit(CHANGED)),
        people=pl.when(pl.col("then").is_null())
        .then(holders - (threshold - 1))
        .when(pl.col("rows").is_null())
        .then(threshold - holders)
        .otherwise((pl.col("rows") - pl.col("then")).abs()),
    )
    return changes.filter(pl.col("people") > 0).select("query", "how", "people").sort("how", "people", "query")


def _rows_per_query(release: Release) -> pl.DataFrame:
    table = _table(release)
    return table.frame.select(query=table.unit).group_by("query").agg(rows=pl.len().cast(pl.Int64))


def _people_published(release: Release, original: LogOriginal) -> pl.DataFrame:
    """Return the people behind each published query, by the rows mapped to it."""
    assert release.secret is not None
    table, rows = _table(release), release.secret.rows()
    shown = rows >= 0
    owners = original.log.frame["owner"].filter(pl.Series(shown))
    pairs = pl.DataFrame({"query": table.frame[table.unit].gather(rows[shown]), "owner": owners}).unique()
    return pairs.group_by("query").agg(published=pl.len().cast(pl.Int64))


def _people_asking(original: LogOriginal) -> pl.DataFrame:
    """Return the people who issued each query of the original, published or not."""
    pairs = original.log.frame.select("owner", query="payload").unique()
    return pairs.group_by("query").agg(asking=pl.len().cast(pl.Int64))


def _table(release: Release) -> RowTable:
    return release.only(RowTable)


# -- releases of groups


PAIRS_AT_ONCE = 4_000_000

_FEW = {"old": pl.Int64(), "new": pl.Int64(), "record": pl.Int64(), "owner": pl.Int64()}


@dataclass(frozen=True, eq=False)
class Meetings:
    """The number of people in intersections of fewer than k people: `sure`, and in addition `perhaps`.

    `rows` are the published rows of the earlier and the new release that certainly intersect so. `unfitting` counts published records of
    the earlier release that generalize nobody's record.
    """

    sure: int
    perhaps: int
    unfitting: int
    rows: tuple[tuple[int, int], ...]


def meetings(earlier: Release, release: Release, original: Original, k: int) -> Meetings:
    """Compare a new release with an earlier one, whose names may differ from those of the original.

    Raises OutOfPatience if that takes more work than one judgement may take.
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
    """Do the same if the record-to-group mapping of both releases is known."""
    (was, old), (group, label) = _groups(earlier), _groups(release)
    records = np.flatnonzero(was >= 0)
    met = _met_by_few(was[records], records, group, original.bags.owners, k)
    pairs = _pairs(met)
    return Meetings(met["owner"].n_unique(), 0, 0, tuple(zip(_rows(old, pairs["old"]), _rows(label, pairs["new"]), strict=True)))


def _groups(release: Release) -> tuple[Ints, Ints]:
    """Return the group of each record, -1 if it is not published, and that of each published row."""
    assert release.secret is not None
    rows, label = release.secret.rows(), classes_of(release).label
    return np.where(rows >= 0, label[rows], -1), label


def _pairs(met: pl.DataFrame) -> pl.DataFrame:
    """Return the distinct pairs of groups."""
    return met.select("old", "new").unique().sort("old", "new")


def _rows(label: Ints, groups: pl.Series) -> list[int]:
    """Return a published row of each of these groups."""
    held, first = np.unique(label, return_index=True)
    found: list[int] = first[np.searchsorted(held, groups.to_numpy())].tolist()
    return found


def _met_by_few(old: Ints, records: Ints, group: Ints, owners: Ints, k: int) -> pl.DataFrame:
    """Return the pairs of an earlier row and a record that it fits whose groups intersect in fewer than k people."""
    met = pl.DataFrame({"old": old, "new": group[records], "record": records, "owner": owners[records]}, schema=_FEW)
    return met.filter((pl.col("new") >= 0) & (pl.col("owner").n_unique().over("old", "new") < k))


@dataclass(frozen=True, eq=False)
class _Known:
    """An earlier release in the vocabulary of the original: one row per distinct record; `strange` ones contain other names."""

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
        """Yield pairs of an earlier row and a record that it generalizes, in batches; also count rows without any."""
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

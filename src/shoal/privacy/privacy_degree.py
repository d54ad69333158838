"""Privacy degree (Ghinita, Tao and Kalnis): in every group at most one record in p contains the same sensitive item.

Groups are published in two parts: records without their sensitive items, and the number of occurrences of each sensitive item in the group.
An attacker who knows the row of a person learns only the histogram: any f of the |G| rows may contain an item, so a row contains it with
probability f / |G|. If a person has c rows in the group, one of them contains it with probability at most c * f / |G|. So with the
original, |G| / (c * f) must be at least p for the largest c of the group.

Everything is counted from the published tables by code of the judge. With the original, the rows must be its records without the sensitive
items, with multiplicities, and the histograms together must count every sensitive occurrence. If the record-to-row mapping is known, every
row and every histogram is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.items import Items
from shoal.data.release import Release
from shoal.data.tables.groups import GroupTable
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.evidence.claimed_item_roles import roles_of
from shoal.util.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import Original
    from shoal.data.tables import PublishedTable


# -- frequency of sensitive items in groups
#
# Contents are compared as sorted lists of the numbers that the original's vocabulary has for the names; a name that it lacks is -1.


@dataclass(frozen=True, eq=False)
class RecordParts:
    """The original by records: `entries` has distinct rows of `record`, `item` and `code`; `sensitive` are names."""

    entries: pl.DataFrame
    owners: Ints
    sensitive: pl.Series

    @cached_property
    def held(self) -> pl.DataFrame:
        """Pairs of a record and a sensitive item."""
        return self.entries.filter(pl.col("item").is_in(self.sensitive.implode()))

    @cached_property
    def contents(self) -> pl.DataFrame:
        """The `content` of every non-empty record, without its sensitive items."""
        exact = self.entries.filter(~pl.col("item").is_in(self.sensitive.implode()))
        every = self.entries.select(pl.col("record").unique())
        return every.join(_contents(exact), on="record", how="left").with_columns(pl.col("content").fill_null(""))

    def owners_of(self, rows: Ints, table: GroupTable) -> pl.DataFrame:
        """Return the `group` and the `owner` of each published row, by the row of each record."""
        shown = np.flatnonzero((rows >= 0) & (rows < table.n_rows)) if len(rows) == len(self.owners) else np.zeros(0, np.int64)
        return pl.DataFrame({"group": table.rows["group"].gather(rows[shown]), "owner": self.owners[shown]})


def parts_of_original(original: Original, sensitive: pl.Series) -> RecordParts:
    """Split the records as typed into two parts."""
    bags = original.typed
    code = bags.items.astype(np.int64)
    record = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    return RecordParts(pl.DataFrame({"record": record, "code": code, "item": bags.vocabulary.names.gather(code)}), bags.owners, sensitive)


@dataclass(frozen=True, eq=False)
class Degree:
    """Counts for each group and sensitive item: `rows`, `holders`, and the maximum `rows_of_one` person (1 if unknown)."""

    shares: pl.DataFrame
    groups: int
    rows: int
    people: int | None

    @property
    def holding(self) -> int:
        """Groups with a sensitive item."""
        return self.shares["group"].n_unique()

    @property
    def achieved(self) -> dict[str, float]:
        """The minimum degree of a group, rounded down, and the rows and people of the smallest group with a sensitive item."""
        if not len(self.shares):
            return {}
        smallest = self.shares.select("rows", least=pl.col("rows") * 10**6 // pl.col("holders") // pl.col("rows_of_one")).min()
        rows, least = (int(value) for value in smallest.row(0))
        return {"p": least / 10**6, "records": rows, **({} if self.people is None else {"people": self.people})}


def degree_of(table: GroupTable, owners: pl.DataFrame | None) -> Degree:
    """Count rows and holders of every group with a sensitive item; with the users of rows, also their rows per group."""
    sizes = table.rows.group_by("group").agg(pl.len().cast(pl.Int64).alias("rows"))
    shares = table.histogram.select("group", holders="count").join(sizes, on="group")
    if owners is None:
        return Degree(shares.with_columns(rows_of_one=pl.lit(1, pl.Int64)), len(sizes), table.n_rows, None)
    each = owners.group_by("group", "owner").agg(pl.len().cast(pl.Int64).alias("n"))
    people = each.group_by("group").agg(pl.len().cast(pl.Int64).alias("people"), pl.col("n").max().alias("rows_of_one"))
    joined = shares.join(people, on="group", how="left").with_columns(pl.col("rows_of_one").fill_null(1), pl.col("people").fill_null(0))
    fewest = joined["people"].min()
    return Degree(joined, len(sizes), table.n_rows, int(fewest) if isinstance(fewest, int) else 0)


def strange_rows(table: GroupTable, parts: RecordParts) -> list[str]:
    """Return rows that are no original record without its sensitive items, and records without a row."""
    sides = [_published(table, parts).select("content", side=pl.lit(1)), parts.contents.select("content", side=pl.lit(-1))]
    surplus = pl.concat(sides).group_by("content").agg(pl.col("side").sum())["side"]
    added, lost = int(surplus.clip(0).sum()), int(-surplus.clip(None, 0).sum())
    if not added and not lost:
        return []
    return [f"{counted(added, 'row')} too many and {counted(lost, 'record')} missing, compared with the original without sensitive items"]


def strange_totals(table: GroupTable, parts: RecordParts) -> list[str]:
    """Return sensitive items whose total in the histograms differs from the original."""
    totals = table.histogram.group_by("item").agg(pl.col("count").sum().alias("counted"))
    true = parts.held.group_by("item").agg(pl.len().cast(pl.Int64).alias("true"))
    both = totals.join(true, on="item", how="full").with_columns(pl.col("counted", "true").fill_null(0))
    wrong = both.filter(pl.col("counted") != pl.col("true"))
    return [f"{counted(len(wrong), 'item')} counted more or less often than in the original"] if len(wrong) else []


def wrong_groups(table: GroupTable, parts: RecordParts, rows: Ints) -> list[str]:
    """Return a fault unless every record is in its row, and every histogram is that of the records of its group."""
    shown = np.flatnonzero(rows >= 0)
    if len(rows) != len(parts.owners) or sorted(rows[shown].tolist()) != list(range(table.n_rows)):
        return ["records were lost or added without being accounted for"]
    pairs = pl.DataFrame({"record": shown, "row": rows[shown]})
    published = _published(table, parts).with_row_index("row").cast({"row": pl.Int64})
    compared = pairs.join(published, on="row").join(parts.contents, on="record", how="left", suffix="_before")
    other = compared.filter(pl.col("content") != pl.col("content_before").fill_null("")).height
    groups = pairs.with_columns(group=table.rows["group"].gather(rows[shown]))
    true = parts.held.join(groups, on="record").group_by("group", "item").agg(pl.len().cast(pl.Int64).alias("true"))
    both = table.histogram.join(true, on=["group", "item"], how="full", coalesce=True)
    wrong = both.filter(pl.col("count").fill_null(0) != pl.col("true").fill_null(0))["group"].n_unique()
    defects = [f"{counted(other, 'row')} different from the record that they represent"] if other else []
    return defects + ([f"{counted(wrong, 'histogram')} different from that of the records of the group"] if wrong else [])


def _published(table: GroupTable, parts: RecordParts) -> pl.DataFrame:
    """Return the `content` of each row, in order."""
    names = parts.entries.select("item", "code").unique()
    items = table.rows.select("items").with_row_index("record").cast({"record": pl.Int64})
    entries = items.drop_nulls().explode("items", empty_as_null=False).rename({"items": "item"})
    coded = entries.join(names, on="item", how="left").with_columns(pl.col("code").fill_null(-1))
    return (
        items.select("record")
        .join(_contents(coded), on="record", how="left", maintain_order="left")
        .select(pl.col("content").fill_null(""))
    )


def _contents(entries: pl.DataFrame) -> pl.DataFrame:
    """Return the sorted codes of each record as one text."""
    return entries.group_by("record").agg(pl.col("code").sort().cast(pl.String).str.join(",").alias("content"))


# -- the model


@dataclass(frozen=True)
class PrivacyDegree(Model):
    """At most one in p records of a group has the same sensitive item."""

    name = "privacy-degree"
    protects = (
        "An attacker who knows which published row belongs to a person, but no sensitive item of anyone in its group, infers any one "
        "of the sensitive items with probability at most 1/p."
    )
    does_not_protect = (
        "The records themselves: all items that are not sensitive are published exactly, so an attacker who knows a few of them finds "
        "the row and reads the others. An attacker who knows a sensitive item of one member can rule it out for the others. An "
        "attacker who knows that groups are formed around a row with a sensitive item may guess which row that was. The probability "
        "that a row has at least one of several sensitive items may exceed 1/p. A person with rows in several groups is at risk in "
        "each of them."
    )
    limits = (
        "It does not protect the records themselves: all items that are not sensitive are published exactly, and an attacker who "
        "knows a few of them finds the row."
    )
    judges = frozenset({"groups"})
    level_sentences = {"p": "a sensitive item occurs in up to 1 of every {n} records of a group"}  # noqa: RUF012 (never changed)

    p: int = param(10, minimum=2, help="privacy degree: at most one in p records of a group has the same sensitive item")
    items: Items | None = param(None, help="sensitive items (default: all that are counted per group)")

    def not_checked(self, table: PublishedTable, *, with_original: bool) -> Mapping[str, str]:
        """Return what remains open: rows are published exactly and compared with the original; only the method knows the records of a
        group.
        """
        if with_original:
            return {"group": "which rows form a group", "count": "only the totals of each item"}
        return {"group": "which rows form a group", "items": "published as they are", "item": ""}

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count rows and occurrences of every group; with the original, compare both parts with it and count people."""
        table = release.only(GroupTable)
        if not table.of_items:
            return Verdict(str(self), "fails", {}, ("the tables contain more than groups, items and counts, which cannot be verified",))
        if self.items is not None and not self.items.known:
            raise ParameterError(
                "the file of sensitive items was not read",
                code="file-not-read",
                hint="shoal.io.read.parameter_files.with_files_read reads it",
            )
        parts = None if original is None else self._parts(original, table)
        rows = None if release.secret is None else release.secret.rows()
        degree = degree_of(table, None if parts is None or rows is None else parts.owners_of(rows, table))
        broken = [*self._below(degree), *self._named(table, parts)]
        if parts is not None:
            broken += [*strange_rows(table, parts), *strange_totals(table, parts)]
            broken += [] if rows is None else wrong_groups(table, parts, rows)
        return Verdict(str(self), verified_if(not broken), degree.achieved, tuple(broken), tuple(_notes(degree, original, rows is None)))

    def _parts(self, original: Original, table: GroupTable) -> RecordParts:
        """Split the original by the items that the claim names, or by those that the histograms count."""
        names = original.typed.vocabulary
        if self.items is None:
            return parts_of_original(original, table.histogram["item"].unique())
        roles = roles_of(names, self.items, None, original.taxonomy, strict=True)
        return parts_of_original(original, names.names.filter(pl.Series(roles.private)))

    def _below(self, degree: Degree) -> Iterator[str]:
        few = degree.shares.filter(pl.col("holders") > pl.col("rows") // self.p // pl.col("rows_of_one"))
        if len(few):
            n = few["group"].n_unique()
            yield f"in {n:,} of {degree.groups:,} groups more than one row in {self.p:,} holds the same sensitive item"
        repeated = few.filter(pl.col("rows_of_one") > 1)["group"].n_unique()
        if repeated:
            yield f"in {repeated:,} of them a person owns several rows"

    def _named(self, table: GroupTable, parts: RecordParts | None) -> Iterator[str]:
        """Return sensitive items that occur in a row."""
        wanted = parts.sensitive if parts is not None else pl.Series(sorted(self.items.names or ()) if self.items else [], dtype=pl.String)
        counted = pl.concat([wanted, table.histogram["item"]]).unique()
        shown = table.rows["items"].explode(empty_as_null=False)
        n = int(shown.is_in(counted.implode()).sum())
        if n:
            yield f"sensitive items occur in rows {n:,} times"


def _notes(degree: Degree, original: Original | None, alone: bool) -> Iterator[str]:
    yield f"{degree.groups:,} groups of {degree.rows:,} rows were counted, {degree.holding:,} of them with sensitive items"
    if original is not None and alone and original.typed.owners_repeat:
        yield "people have several records, but files do not contain user IDs, so rows were counted"

"""Privacy degree (Ghinita, Tao and Kalnis): in every group at most one record in p holds the same sensitive item.

Published are groups in two parts: records without their sensitive items, and how often each sensitive item occurs in the group. Whoever
knows which row is a person's learns of the sensitive items what the histogram says: any f of the |G| rows may be those that hold an item,
so a row holds it with a chance of f / |G|. Of a person with c rows in the group one of them holds it with a chance of at most c * f / |G|;
so with the original |G| / (c * f) is asked to be p, with the largest c of the group.

All is counted from the published tables by code of the judge's own. With the original the rows must be its records without the sensitive
items, each as often, and the histograms together count every sensitive occurrence; where it is known which record became which row, every
single row and every histogram is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.items import Items
from shoal.data.release import Release
from shoal.data.tables.groups import GroupTable
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.claimed_item_roles import roles_of
from shoal.privacy.group_origins import Degree, Parts, degree_of, parts_of_original, strange_rows, strange_totals, wrong_groups

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import Original
    from shoal.data.tables import PublishedTable


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

    p: int = param(10, minimum=2, help="privacy degree: at most one in p records of a group has the same sensitive item")
    items: Items | None = param(None, help="sensitive items (default: all that are counted per group)")

    def not_checked(self, table: PublishedTable, *, beside_original: bool) -> Mapping[str, str]:
        """Rows are published exactly, and compared with the original; which records form a group only the method knows."""
        if beside_original:
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

    def _parts(self, original: Original, table: GroupTable) -> Parts:
        """The original in two parts, by the items that the claim names, or by what the histograms count."""
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

    def _named(self, table: GroupTable, parts: Parts | None) -> Iterator[str]:
        """Sensitive items that stand in a row."""
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

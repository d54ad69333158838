"""Shared terms: no published term belongs to one person only.

Methods that publish original terms (a medoid, an elected term) may publish a name or an address typed by one member of a group. Under this
model, enough people of the group typed every published term, or a term below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.release import Release
from shoal.parameters import param
from shoal.privacy.evidence.equivalence_classes import classes_of

if TYPE_CHECKING:
    from shoal.data.original import Original
    from shoal.data.taxonomy import Taxonomy


@dataclass(frozen=True)
class SharedTerms(Model):
    """Several people of a group typed each published term or a term below it."""

    name = "shared-terms"
    protects = "A term that only one person of a group wrote, such as a name or an address, is not published in that form."
    does_not_protect = (
        "The people who wrote the same rare term may be one family, and what many people wrote is published however revealing it is."
    )
    limits = (
        "It does not bound the probability of linking a person to a record, and what several people wrote is published however "
        "revealing it is."
    )
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} published term was used by {least} {people}",
        "records": "{every} published term occurs in {least} {records}",
    }
    promised_by = {"people": "owners", "records": "owners"}  # noqa: RUF012 (never changed)

    owners: int = param(2, minimum=1, help="minimum number of people in the group who have each published term")

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count for every published term the people of its class with it or a term below it.

        If the groups are not known, all people of the original are counted; without the original, the records with the term.
        """
        published = _published_terms(release)
        if original is None:
            held = published.group_by("node").agg(pl.col("copies").sum().alias("n"))
            return self._verdict(held, "records", "who wrote a term is known only with the original; records with the term were counted")
        if release.secret is None:
            holders = _holders(original.bags, np.zeros(len(original.bags), np.int64), original.tree)
            everyone = published.with_columns(pl.lit(0, pl.Int64).alias("group"))
            return self._verdict(
                _counted(everyone, holders), "people", "the groups are not known; people of the whole original were counted"
            )
        rows = release.secret.rows()
        if len(rows) != len(original.bags):
            return Verdict(str(self), "fails", {}, ("the release does not refer to the records of this original",))
        group = np.where(rows >= 0, classes_of(release).label[rows], -1) if len(release.published) else rows
        return self._verdict(_counted(published, _holders(original.bags, group, original.tree)), "people")

    def _verdict(self, held: pl.DataFrame, counted: str, *notes: str) -> Verdict:
        """Return the verdict for the numbers of holders of every published term, in people or in records."""
        if held.is_empty():
            return Verdict(str(self), "verified", {}, (), (*notes, "no term is published"))
        short = int((held["n"] < self.owners).sum())
        terms = f"{short:,} published {'term is' if short == 1 else 'terms are'}"
        witness = (f"{terms} used by fewer than {self.owners:,} {counted}",) if short else ()
        return Verdict(str(self), verified_if(not short), {counted: int(held["n"].to_numpy().min())}, witness, notes)


def _published_terms(release: Release) -> pl.DataFrame:
    """Return class, term and multiplicity of everything published."""
    sizes = np.diff(release.published.indptr)
    return pl.DataFrame(
        {
            "group": np.repeat(classes_of(release).label, sizes),
            "node": release.published.items.copy(),
            "copies": np.repeat(release.copies, sizes),
        }
    ).filter(pl.col("group") >= 0)


def _counted(published: pl.DataFrame, holders: pl.DataFrame) -> pl.DataFrame:
    """Count the people of its group with each published term."""
    joined = published.select("group", "node").unique().join(holders, on=["group", "node"], how="left")
    return joined.group_by("group", "node").agg(pl.col("owner").drop_nulls().n_unique().cast(pl.Int64).alias("n"))


def _holders(bags: Bags, group: Ints, taxonomy: Taxonomy) -> pl.DataFrame:
    """Return group, user and node for every node at or above an item of a record."""
    sizes = np.diff(bags.indptr)
    now = pl.DataFrame({"group": np.repeat(group, sizes), "owner": np.repeat(bags.owners, sizes), "node": bags.items.copy()}).filter(
        pl.col("group") >= 0
    )
    found = [now]
    while len(now):
        above = taxonomy.parent[now["node"].to_numpy()]
        now = now.with_columns(pl.Series("node", above)).filter(pl.col("node") >= 0).unique()
        found.append(now)
    return pl.concat(found).unique()

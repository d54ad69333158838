"""Shared terms: no published term is one person's alone.

Methods that publish original terms (a medoid, an elected term) may publish a name or an address that one member of a group typed. Under
this model every published term is held by enough people of the group: they typed it, or something below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.data.release import Release
from shoal.parameters import param
from shoal.privacy import Model, Verdict
from shoal.privacy.classes import classes_of

if TYPE_CHECKING:
    from shoal.taxonomy.ground import Grounding
    from shoal.taxonomy.tree import Taxonomy


@dataclass(frozen=True)
class SharedTerms(Model):
    """Every published term was typed, itself or something below it, by several people of its group."""

    name = "shared-terms"
    protects = "What only one person of a group wrote, such as a name or an address, is not published as they wrote it."
    does_not_protect = (
        "People who wrote the same rare term may be one family. It can only be judged with the original at hand: "
        "a file alone does not tell who wrote what."
    )

    owners: int = param(2, minimum=1, help="people of the group who hold each published term")

    def check(self, release: Release, original: Grounding | None = None) -> Verdict:
        """With the original, count for every published term the people of its class who hold it or something below it."""
        if original is None or release.secret is None:
            n = release.n_records
            holds = self.owners <= 1 or n == 0
            return Verdict(str(self), holds, {}, () if holds else ("who holds which term is only known with the original",))
        fewest, short = _fewest_holders(release, original, self.owners)
        broken = (f"{short:,} published terms are held by fewer than {self.owners:,} people of their group",) if short else ()
        return Verdict(str(self), not short, {"owners": fewest}, broken)


def _fewest_holders(release: Release, original: Grounding, wanted: int) -> tuple[int, int]:
    """The least number of people who hold a published term of their class, and how many terms stay below the wanted number."""
    label = classes_of(release).label
    published = release.published
    entry_class = np.repeat(label, np.diff(published.indptr))
    terms = pl.DataFrame({"group": entry_class, "node": published.items}).filter(pl.col("group") >= 0).unique()
    if terms.is_empty():
        return 0, 0
    rows = release.secret.rows() if release.secret is not None else np.empty(0, np.int64)
    held = _held_nodes(original.bags, np.where(rows >= 0, label[rows], -1), original.taxonomy)
    people = terms.join(held, on=["group", "node"], how="left").group_by("group", "node").agg(pl.col("owner").drop_nulls().n_unique())
    found = people["owner"].to_numpy()
    return int(found.min()), int((found < wanted).sum())


def _held_nodes(bags: Bags, group: Ints, taxonomy: Taxonomy) -> pl.DataFrame:
    """Group, owner and node for every node that lies above an item of a record, or is one."""
    sizes = np.diff(bags.indptr)
    frames = []
    now = pl.DataFrame(
        {"group": np.repeat(group, sizes), "owner": np.repeat(bags.owners, sizes), "node": bags.items.copy()}
    ).filter(pl.col("group") >= 0)
    while len(now):
        now = now.unique()
        frames.append(now)
        above = taxonomy.parent[now["node"].to_numpy()]
        now = now.with_columns(pl.Series("node", above)).filter(pl.col("node") >= 0)
    return pl.concat(frames).unique() if frames else now

"""What models of sensitive values count in records: classes of records that are alike without their sensitive items.

The value of a record is the set of its sensitive items, and no such item is a value too. A model that bounds how sure an attacker is of
one item counts the holders of each item instead, whatever else their records contain.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.items import Items
from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.privacy.evidence.claimed_item_roles import sensitive_items
from shoal.privacy.evidence.equivalence_classes import people_not_counted

SEVERAL = people_not_counted("records")
LOST = "records were lost or added without being accounted for"


def rows_of_records(release: Release, items: Items | None, original: AnyOriginal | None) -> tuple[pl.DataFrame, list[str]]:
    """Return one row for each published record and sensitive item of it: its `class`, `owner`, `item` (null: none), `value`; and notes.

    Records are in one class if their other items are identical, with their counts.
    """
    if items is None or not items.known:
        raise ParameterError("the claim names no sensitive items", code="items-not-named", hint="write items=FILE or items=under:NODE")
    bags = release.published
    taxonomy = None if original is None else getattr(original, "taxonomy", None)
    roles = sensitive_items(bags.vocabulary, items, taxonomy, strict=False)
    entries = pl.DataFrame(
        {
            "record": np.repeat(np.arange(len(bags)), np.diff(bags.indptr)),
            "item": bags.items.astype(np.int64),
            "n": bags.counts.astype(np.int64),
            "hidden": roles.private[bags.items],
        }
    ).sort("record", "item")
    known = entries.filter(~pl.col("hidden")).group_by("record").agg(known=pl.concat_str("item", pl.lit("*"), "n").str.join(" "))
    value = entries.filter("hidden").group_by("record").agg(value=pl.col("item").cast(pl.String).str.join(" "), item=pl.col("item"))
    records = pl.DataFrame({"record": np.arange(len(bags))}).join(known, on="record", how="left").join(value, on="record", how="left")
    records = records.with_columns(pl.col("known").fill_null("").rank("dense").alias("class"), pl.col("value").fill_null(""))
    people, note = _people(release, original)
    rows = pl.DataFrame({"record": people[0], "owner": people[1]}).join(records, on="record")
    several = rows.select("class", "owner", "value", "item").explode("item")
    named = bags.vocabulary.names.gather(several["item"].fill_null(0)) if len(bags.vocabulary) else pl.Series([], dtype=pl.String)
    shown = several.with_columns(item=pl.when(pl.col("item").is_not_null()).then(named) if len(named) else pl.lit(None, pl.String))
    return shown, [*roles.notes, *([note] if note else [])]


def _people(release: Release, original: AnyOriginal | None) -> tuple[tuple[Ints, Ints], str]:
    """Return the published record and the person of each copy, and a note if people are unknown."""
    shown = release.published
    copies = np.repeat(np.arange(len(shown)), release.copies).astype(np.int64)
    bags = getattr(original, "bags", None)
    if original is None and shown.owners_repeat and len(copies) == len(shown):
        return (copies, shown.owners.astype(np.int64)), ""
    if bags is None or release.secret is None:
        return (copies, np.arange(len(copies))), SEVERAL if bags is not None and bags.owners_repeat else ""
    rows = release.secret.rows()
    of = np.flatnonzero(rows >= 0)
    if len(rows) != len(bags) or not np.array_equal(np.bincount(rows[of], minlength=len(shown)), release.copies):
        return (copies, np.arange(len(copies))), LOST
    return (rows[of].astype(np.int64), bags.owners[of].astype(np.int64)), ""

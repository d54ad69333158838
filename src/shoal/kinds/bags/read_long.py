"""Records from a long table: one row per item of a record, optionally with its count and its level in the taxonomy.

A row without an item and with count 0 is an empty record. If equal items have equal levels, the level adds no information; otherwise it is
a column that no claim covers.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from shoal import _kernels, kernels
from shoal.data.bags import Bags, Small, Vocabulary
from shoal.errors import InputError
from shoal.io.extra_columns import extra_columns_of, numbering_note, numbers_rows
from shoal.io.read.columns import plain
from shoal.kinds.bags.published_records import Notes, PublishedRecords, codes_of

RECORD_NAMES = {"record", "recordid", "id", "tid", "transaction", "transactionid", "basket", "user", "userid", "row"}
ITEM_NAMES = {"item", "itemid", "itemname", "term", "value", "product"}
COUNT_NAMES = {"count", "n", "quantity", "copies"}
LEVEL_NAMES = {"level"}
LONG_NAMES = RECORD_NAMES | ITEM_NAMES | COUNT_NAMES | LEVEL_NAMES

_LONG = {"record": RECORD_NAMES, "item": ITEM_NAMES, "count": COUNT_NAMES, "level": LEVEL_NAMES}


def record_column(frame: pl.DataFrame) -> str:
    """Return the record column of a long table."""
    return next(name for name in frame.columns if plain(name) in RECORD_NAMES)


def from_long(path: Path, frame: pl.DataFrame, notes: Notes, before: int = 0) -> PublishedRecords:
    """Return the records of a long table; `before` is the number of records in the files before it."""
    roles = {role: name for name in frame.columns for role, known in _LONG.items() if plain(name) in known}
    named = frame[roles["item"]].cast(pl.String)
    present = pl.select(pl.when(named != "").then(named)).to_series()
    counts = _counts(path, frame[roles["count"]], present) if "count" in roles else np.ones(len(frame), np.int32)
    notes.append("one row per record and item: " + ", ".join(f"{role} = {name!r}" for role, name in roles.items()))
    ids = frame[roles["record"]]
    records, items = codes_of(ids), _kernels.Interner()
    codes = kernels.run(items.encode, present.__arrow_c_stream__())
    order = np.argsort(records, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(records))])
    bags = Bags.from_rows(indptr, codes[order], counts[order], Vocabulary(items.strings()))
    spelled = (roles["count"],) if "count" in roles and _odd_spelling(frame[roles["count"]], counts) else ()
    return PublishedRecords(bags, extra_columns=_extra_columns(frame, roles, notes, before), levels=_levels(frame, roles), spelled=spelled)


def _levels(frame: pl.DataFrame, roles: dict[str, str]) -> pl.DataFrame | None:
    """Return the distinct pairs of an item and its level."""
    if "level" not in roles:
        return None
    return frame.select(item=pl.col(roles["item"]).cast(pl.String), level=pl.col(roles["level"]).cast(pl.String)).unique()


def _counts(path: Path, written: pl.Series, items: pl.Series) -> Small:
    """Parse counts: whole numbers of 1 or more, or 0 without an item."""
    numbers = written.cast(pl.String).str.strip_chars().cast(pl.Int32, strict=False)
    fewest = items.is_not_null().cast(pl.Int32)
    wrong = np.flatnonzero((numbers.is_null() | (numbers < fewest)).to_numpy())
    if len(wrong):
        raise InputError(f"{path} has counts that are not positive numbers, first in row {wrong[0] + 1:,}", code="invalid-counts")
    return numbers.to_numpy().astype(np.int32)


def _odd_spelling(written: pl.Series, counts: Small) -> bool:
    """Whether counts are not written as plain numbers, but e.g. as 01 or +1."""
    return bool((written.cast(pl.String) != pl.Series(counts).cast(pl.String)).any())


def _extra_columns(frame: pl.DataFrame, roles: dict[str, str], notes: Notes, before: int) -> tuple[str, ...]:
    """Return the columns that no model covers: all except items, counts, record numbers, and levels determined by the items."""
    judged = {roles[role] for role in ("item", "count") if role in roles}
    if numbers_rows(frame[roles["record"]].unique(maintain_order=True), before):
        judged.add(roles["record"])
        notes.extend(numbering_note([roles["record"]]))
    if "level" in roles and frame.select(roles["item"], roles["level"]).n_unique() == frame[roles["item"]].n_unique():
        judged.add(roles["level"])
        notes.append(f"{roles['level']!r} depends only on the item and is ignored")
    telling, numbering = extra_columns_of(frame, judged)
    notes.extend(numbering_note(numbering))
    return telling

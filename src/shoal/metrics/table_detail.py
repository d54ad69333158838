"""What is left of a table whose attributes and item sets were generalized: detail of the attributes, items as typed, loss of items."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.data.original import TableOriginal
from shoal.data.release import Release
from shoal.data.table import ITEM_SEPARATOR
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import ParameterError
from shoal.metrics import Metric
from shoal.privacy.evidence.generalized_columns import penalty


def attribute_detail(release: Release, original: TableOriginal) -> float:
    """Return 1 minus the normalized certainty penalty, averaged over rows and attributes; 1 if there are no attributes."""
    frame = release.only(RowTable).frame
    kept = []
    for attribute in original.table.quasi:
        texts = _column(frame, attribute.name)
        penalties = {text: penalty(attribute, text) for text in texts.unique().to_list()}
        kept.append(1 - sum(penalties[text] for text in texts.to_list()) / max(1, len(texts)))
    return sum(kept) / len(kept) if kept else 1.0


def items_kept(release: Release, original: TableOriginal) -> float:
    """Return the share of items that are published as typed in the row of their person."""
    total = sum(sets.occurrences for sets in original.item_sets)
    shown = 0
    for at, before in enumerate(original.item_sets):
        names, owns = _published(release, original, at)
        seen = set(zip(owns.tolist(), names.to_list(), strict=True))
        words = before.vocabulary.names.gather(before.items).to_list()
        shown += sum(pair in seen for pair in zip(_row_of_each(before).tolist(), words, strict=True))
    return shown / total if total else 1.0


def item_loss(release: Release, original: TableOriginal) -> float:
    """Return the mean node loss of the items: 0 as typed, 1 if suppressed; items published as one node share it."""
    total = sum(sets.occurrences for sets in original.item_sets)
    left = 0.0
    for at, attribute in enumerate(original.table.item_sets):
        assert attribute.tree is not None
        names, _ = _published(release, original, at)
        left += _worth(attribute.tree, names)
    return 1 - left / total if total else 0.0


def _worth(tree: Taxonomy, names: pl.Series) -> float:
    """Return the sum over published items of 1 minus the loss of their node."""
    nodes = tree.names.codes(names)
    if (nodes < 0).any():
        raise ParameterError("a published item is not in the taxonomy", code="release-not-of-original")
    return float((1 - tree.loss[nodes]).sum())


def _column(frame: pl.DataFrame, name: str) -> pl.Series:
    if name not in frame.columns:
        raise ParameterError(f"the release lacks the column {name!r} of the original", code="release-not-of-original")
    return frame[name].cast(pl.String).fill_null("")


def _published(release: Release, original: TableOriginal, at: int) -> tuple[pl.Series, Ints]:
    """Return the published items of a column, and the original row of each (its published row if the mapping is not known)."""
    cells = _column(release.only(RowTable).frame, original.table.item_sets[at].name)
    if release.secret is not None:
        cells = cells.gather(release.secret.rows())
    held = pl.DataFrame({"row": np.arange(len(cells)), "item": cells.str.split(ITEM_SEPARATOR)})
    held = held.explode("item", empty_as_null=True).filter(pl.col("item") != "")
    return held["item"], held["row"].to_numpy()


def _row_of_each(sets: Bags) -> Ints:
    return np.repeat(np.arange(len(sets)), np.diff(sets.indptr))


ATTRIBUTE_DETAIL = Metric(
    "attribute_detail",
    "detail of the attributes that is left: 1 minus the normalized certainty penalty",
    "higher",
    attribute_detail,
    highest=1.0,
    kinds=frozenset({"rows"}),
    takes=frozenset({"table with items"}),
)
ITEMS_KEPT = Metric(
    "items_kept",
    "share of the items that are published as typed",
    "higher",
    items_kept,
    highest=1.0,
    needs_groups=True,
    kinds=frozenset({"rows"}),
    takes=frozenset({"table with items"}),
    shares=("kept",),
)
ITEM_LOSS = Metric(
    "item_loss",
    "mean loss of the items: 0 as typed, 1 suppressed",
    "lower",
    item_loss,
    highest=1.0,
    kinds=frozenset({"rows"}),
    takes=frozenset({"table with items"}),
)

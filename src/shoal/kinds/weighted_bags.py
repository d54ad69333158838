"""Weighted bags: lists of items and lists of weights, joined with `;` in CSV and Excel; one row per item in the long layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal.data.original import DocumentOriginal
from shoal.data.release import Release
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.errors import InputError, ShoalError
from shoal.io.extra_columns import numbers_rows
from shoal.io.joined_cells import JOINED, joined, split_joined
from shoal.io.published_frames import differing_under, raw_frame
from shoal.io.read.delimited import JOINER
from shoal.io.write.cell_checks import refuse_ambiguous, refuse_empty
from shoal.io.write.frame_files import frame_bytes
from shoal.io.write.output_format import (
    FRAME_FORMATS,
    LISTS,
    LONG,
    OUTPUT_FORMATS,
    FileFact,
    OutputForm,
    insist_on_format,
    write_pieces,
)
from shoal.kinds import FileFacts, Kind
from shoal.kinds.bags.write import long_frame
from shoal.privacy.evidence.equivalence_classes import classes_of_vectors
from shoal.report.facts import Facts, sizes_of
from shoal.report.histograms import tally
from shoal.report.summary import Summary, published_rows, share_in
from shoal.report.verdict_text import Tile, promised_group
from shoal.util.wording import percent


def write(table: WeightedBagTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """Write one file; the form's separator does not apply."""
    insist_on_format(form.format, FRAME_FORMATS, table.kind)
    separator = JOINER if form.format in JOINED and form.layout == LISTS else ""
    names = table.flat["item"].unique()
    refuse_ambiguous(names, form.format, separator)
    frame = table.shuffled()
    if form.layout == LONG:
        refuse_empty(names)
        frame = long_frame(frame, form.levels)
    elif separator:
        frame = frame.with_columns(joined(frame[name].cast(pl.List(pl.String)), separator) for name in ("items", "weights"))
    path = directory / f"{name}{OUTPUT_FORMATS[form.format]}"
    digest = write_pieces(path, [frame_bytes(frame, form.format)])
    return (FileFact(path.name, table.n_rows, digest, form.format, separator, name, table.kind, layout=form.layout),)


# Read weighted bags back.


COLUMNS = ["record", "items", "weights"]
LONG_COLUMNS = ["record", "item", "weight"]


def read(directory: Path, files: Sequence[FileFacts], own: bool) -> WeightedBagTable:
    """Read the records of a file; in CSV and Excel, lists are joined with the declared separator."""
    (file,) = files
    path = directory / file["name"]
    frame = raw_frame(path, file["format"], own)
    if not frame.width:
        return WeightedBagTable(_listed(pl.DataFrame(schema={"items": pl.List(pl.String), "weights": pl.List(pl.Float64)})))
    long = file.get("layout") == "long"
    wanted = LONG_COLUMNS if long else COLUMNS
    if frame.columns[: len(wanted)] != wanted or frame.columns[len(wanted) :] not in ([], ["level"] * long):
        raise InputError(
            f"{path.name} has other columns than {', '.join(wanted)}",
            code="columns-differ",
            hint="a release is verified as a whole or not at all",
        )
    records = frame["record"].unique(maintain_order=True) if long else frame["record"]
    extra_columns = (*(() if numbers_rows(records) else ("record",)), *frame.columns[len(wanted) :])  # documents have no levels
    try:
        if long:
            return WeightedBagTable(_gathered(frame), extra_columns)
        return WeightedBagTable(
            _listed(_split(frame, file.get("separator") or JOINER) if file["format"] in JOINED else frame), extra_columns
        )
    except (pl.exceptions.PolarsError, ShoalError):
        raise InputError(f"{path.name} does not have one weight for each item", code="invalid-table") from None


def _split(frame: pl.DataFrame, separator: str) -> pl.DataFrame:
    return frame.select(split_joined(frame[name].fill_null(""), separator) for name in ("items", "weights"))


def _gathered(frame: pl.DataFrame) -> pl.DataFrame:
    """Collect lists from a row per item; a row without an item is an empty record."""
    if "level" in frame.columns and frame.select("item", "level").n_unique() != frame["item"].n_unique():
        raise ShoalError("equal items have different levels", code="invalid-table")
    typed = frame.select("record", pl.when(pl.col("item") != "").then("item"), pl.col("weight").cast(pl.Float64))
    lists = typed.group_by("record", maintain_order=True).agg(pl.col("item", "weight").drop_nulls())
    return _listed(lists.rename({"item": "items", "weight": "weights"}))


def _listed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(pl.col("items").cast(pl.List(pl.String)), pl.col("weights").cast(pl.List(pl.Float64)))


def count_differing(released: WeightedBagTable, read_back: WeightedBagTable) -> int:
    """Count the weighted items in records without a counterpart, and the difference in the number of empty records."""
    empty = abs(_empty(released) - _empty(read_back))
    return empty + differing_under("record", released.flat, read_back.flat)


def _empty(table: WeightedBagTable) -> int:
    return int((table.frame["items"].list.len() == 0).sum())


# Facts about published document vectors: groups of identical ones.


def facts_of_documents(manifest: Mapping[str, Any], release: Release, original: DocumentOriginal) -> Facts:
    """Return the facts of vectors published for these documents."""
    table = release.only(WeightedBagTable)
    sizes = classes_of_vectors(table)[1]
    return Facts(
        manifest=manifest,
        published=table.n_rows,
        parts=("groups",),
        sizes=sizes_of(sizes),
        group_sizes=tally(sizes, cut=promised_group(manifest.get("claims", []))),
    )


def summary_of_documents(manifest: Mapping[str, Any]) -> Summary:
    """Summarize documents: their distance from the vectors published for them."""
    lost = share_in(manifest.get("metrics", {}), "semantic_loss")
    if lost is None:
        return Summary(lines=published_rows(manifest))
    measured = "distances in the taxonomy" if "taxonomy" in manifest["input"] else "WordNet distances"
    line = ("loss", f"{percent(lost)} of the semantic variance (SSE / SST on {measured})")
    tile = Tile("Loss", percent(lost), "of the semantic variance; 100% is a single vector for all documents")
    return Summary(lines=(*published_rows(manifest), line), tile=tile)


KIND = Kind(WeightedBagTable, write, read, count_differing, {"documents": facts_of_documents}, {"documents": summary_of_documents})

"""The canonical bytes of a table file: its content is read as the judges read it, and written again by the writer of its kind."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data.tables.access_log import SCHEMA
from shoal.data.tables.column_types import ITEMS
from shoal.errors import InputError, OutputError, ShoalError
from shoal.io.canonical.findings import Finding, carries
from shoal.io.canonical.parquet_file import parquet_findings
from shoal.io.canonical.text import differences
from shoal.io.canonical.workbook import own_workbook_findings
from shoal.io.joined_cells import JOINED, joined
from shoal.io.published_frames import declared, raw_frame, read_frame
from shoal.io.read.access_logs.access_log_lines import cut
from shoal.io.read.delimited import JOINER
from shoal.io.read.source import content_of
from shoal.io.write.cell_checks import refuse_ambiguous
from shoal.io.write.frame_files import frame_bytes, frames_digest
from shoal.io.write.output_format import LONG, Levels, OutputForm
from shoal.kinds.access_log import log_lines
from shoal.kinds.bags.read import read_published
from shoal.kinds.bags.write import LISTED, ROWS_AT_ONCE, by_name, list_frames, long_frame, long_pieces, record_pieces
from shoal.kinds.weighted_bags import read as read_weighted
from shoal.util.numbers import distinct

Facts = Mapping[str, Any]
OWN_FORM = frozenset({"bags", "weighted bags", "access log"})  # all other kinds are frames whose columns the manifest declares
_FRESH_ADDRESS = r"^10(\.(0|[1-9]\d{0,2})){3}$"
_ROWS = carries("bytes:rows", "rows, numbers of records or types of columns that are not as the writer writes them")


@dataclass(frozen=True)
class TableForm:
    """What a table file contains beyond its content, its number of rows, and whether its bytes are those of the present writer."""

    findings: tuple[Finding, ...]
    rows: int = 0
    identical: bool = True


def table_form(directory: Path, facts: Facts, before: int) -> TableForm:
    """Compare a table file with the writer's output for its content.

    Args:
        directory: The release directory.
        facts: What the manifest says about the file.
        before: The rows of the same table in files before this one.
    """
    path = directory / facts["name"]
    if facts["kind"] not in OWN_FORM and "columns" not in facts:
        return TableForm((carries("bytes:columns", "columns whose types the manifest does not declare"),))
    if facts["format"] == "parquet":
        return _parquet_form(path, facts, before)
    found = content_of(path)
    try:
        canonical = canonical_bytes(directory, facts, found)
    except OutputError as error:
        return TableForm((carries("bytes:text", f"names that the writer would refuse: {error.message}"),))
    except ShoalError as error:
        features = differences(found, b"", only_features=True)
        return TableForm((*features, carries("bytes:text", f"content that the writer does not write: {error.message}")))
    except pl.exceptions.PolarsError:
        return TableForm((carries("bytes:text", "content that the writer does not write"),))
    if facts["format"] == "xlsx":
        return TableForm(own_workbook_findings(found, canonical), identical=found == canonical)
    return TableForm(tuple(differences(found, canonical)))


def canonical_bytes(directory: Path, facts: Facts, content: bytes) -> bytes:
    """Return the writer's output for the content of a file that is not Parquet."""
    if facts["kind"] == "access log":
        return _access_log(content)
    if facts["kind"] == "bags":
        return b"".join(_records(directory / facts["name"], facts))
    if facts["kind"] == "weighted bags":
        return frame_bytes(_weighted(directory, facts), facts["format"])
    frame = read_frame(directory, facts, True)
    return frame_bytes(_joined_lists(frame, facts), facts["format"])


# -- kinds of tables


def _records(path: Path, facts: Facts) -> Iterator[bytes]:
    """Yield the pieces of a file of records in their present order."""
    format, separator = facts["format"], facts.get("separator", "")
    bags = by_name(read_published(path, format, separator or None, facts.get("layout"), own=True).bags)
    refuse_ambiguous(bags.vocabulary.names.gather(distinct(bags.items)), format, separator)
    rows = np.arange(len(bags), dtype=np.int64)
    if facts.get("layout") == LONG:
        return long_pieces(bags, rows, OutputForm(format, layout=LONG, levels=_levels(raw_frame(path, format, True))))
    return record_pieces(bags, rows, format, separator)


def _levels(frame: pl.DataFrame) -> Levels | None:
    """Return the levels of items in a file of the long layout."""
    if "level" not in frame.columns:
        return None
    pairs = frame.select(pl.col("item").cast(pl.String), pl.col("level").cast(pl.Int64)).drop_nulls("item").unique("item")
    known = dict(pairs.iter_rows())
    return lambda names: pl.Series([known.get(name) for name in names], dtype=pl.Int64)


def _weighted(directory: Path, facts: Facts) -> pl.DataFrame:
    """Return records with weights as the writer produces them."""
    table = read_weighted(directory, [facts], True)
    frame = table.ordered(np.arange(table.n_rows, dtype=np.int64))
    if facts.get("layout") == LONG:
        return long_frame(frame, _levels(raw_frame(directory / facts["name"], facts["format"], True)))
    if facts["format"] in JOINED:
        return frame.with_columns(joined(frame[name].cast(pl.List(pl.String)), facts["separator"]) for name in ("items", "weights"))
    return frame


def _joined_lists(frame: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    lists = [name for name, word in facts["columns"].items() if word == ITEMS] if facts["format"] in JOINED else []
    return frame.with_columns(joined(frame[name], facts.get("separator", JOINER)) for name in lists)


def _access_log(content: bytes) -> bytes:
    """Return the lines in their present order, which is by time."""
    try:
        lines = pl.Series(content.decode().removesuffix("\n").split("\n"), dtype=pl.String)
    except UnicodeDecodeError:
        raise InputError("it is not UTF-8 text", code="not-utf8") from None
    fields = cut(lines).select(*SCHEMA)
    if fields["time"].null_count():
        raise InputError("lines that are not of an access log", code="not-an-access-log")
    if not fields["address"].str.contains(_FRESH_ADDRESS).all():
        raise InputError("addresses outside the network 10.0.0.0/8", code="address-outside-network")
    combined = not fields["agent"].null_count()
    ordered = fields.sort("time", maintain_order=True)
    return b"".join(line.encode() + b"\n" for line in log_lines(ordered, combined=combined))


# -- Parquet


def _parquet_form(path: Path, facts: Facts, before: int) -> TableForm:
    found = content_of(path)
    try:
        frame = pl.read_parquet(io.BytesIO(found))
        canonical = _canonical_frame(path, frame, facts, before)
    except (pl.exceptions.PolarsError, ShoalError):
        return TableForm((_ROWS,))
    if frame.schema != canonical.schema or not frame.equals(canonical):
        return TableForm((_ROWS, *parquet_findings(found, frame)), len(frame), False)
    digest = hashlib.sha256(found).hexdigest()
    if any(written(canonical) == digest for written in _writers(facts)):
        return TableForm((), len(frame))
    return TableForm(parquet_findings(found, frame), len(frame), False)


def _canonical_frame(path: Path, frame: pl.DataFrame, facts: Facts, before: int) -> pl.DataFrame:
    """Return the frame that the writer would produce, with this content in this order."""
    long, kind = facts.get("layout") == LONG, facts["kind"]
    if kind == "weighted bags":
        return _weighted(path.parent, facts)
    if kind != "bags":
        return declared(frame, facts, path)
    if not long:
        lists = _sorted_lists(frame["items"].cast(pl.List(pl.String)))
        return pl.DataFrame({"record": np.arange(before + 1, before + len(frame) + 1), "items": lists}, schema=LISTED)
    (piece,) = _records(path, facts)
    return pl.read_parquet(io.BytesIO(piece))


def _sorted_lists(lists: pl.Series) -> pl.Series:
    """Return lists without nulls, sorted by name. Sorted lists, as in every release, are not sorted again, which would be slow."""
    if not lists.null_count():
        flat = lists.explode(empty_as_null=False)
        falling = (flat > flat.shift(-1)).fill_null(False).to_numpy().copy()
        ends = np.cumsum(lists.list.len().to_numpy(), dtype=np.int64)
        falling[ends[ends > 0] - 1] = False
        if not falling.any() and not flat.null_count():
            return lists
    return lists.fill_null([]).list.drop_nulls().list.sort()


def _writers(facts: Facts) -> list[Callable[[pl.DataFrame], str]]:
    """Return how a table of this kind is written on one machine and by several workers."""
    writers: list[Callable[[pl.DataFrame], str]] = [_digest_of_frame]
    if facts["kind"] == "bags" and facts.get("layout") != LONG:
        writers.insert(0, _digest_of_lists)
    return writers


def _digest_of_frame(frame: pl.DataFrame) -> str:
    return hashlib.sha256(frame_bytes(frame, "parquet")).hexdigest()


def _digest_of_lists(frame: pl.DataFrame) -> str:
    rows = np.arange(len(frame), dtype=np.int64)
    return frames_digest(io.BytesIO(), LISTED, list_frames(frame["items"], rows), ROWS_AT_ONCE)

"""Rows of the input on the workers: lines or columns become events, and the events of a person become a record.

The rules are those of one machine. Tasks read plain text on a file system themselves, part by part; other text comes line by line from
Spark. In both cases a byte order mark at the start of a file is dropped, and one elsewhere belongs to its line.

The kernel that splits files on one machine splits each line. Lines are separated before, so a field must not contain a line end.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from shoal.cluster.arrow_schemas import EVENTS, RECORD, RECORDS, TYPED, UNKNOWN, list_array
from shoal.data.bags import Bags, Ints
from shoal.data.log import COUNT, Log, whole_items
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError
from shoal.io.read.byte_ranges import Span, lines_in, without_line
from shoal.io.read.event_rows import NO_TIME, collected
from shoal.io.read.formats import Layout
from shoal.io.read.source import HEAD, Source
from shoal.pipeline.options import Preparation, load_taxonomy
from shoal.pipeline.prepare import records_of
from shoal.taxonomy.place_terms import UNLISTED, place_terms
from shoal.text.terms import in_one_case
from shoal.util.numbers import distinct

PARTITION = Path("a part of the input")
PARTS = 1 << 40  # records of a partition, at most: they are numbered behind the number of the partition
NAMES_AT_ONCE = 10_000
LINE_ENDS = (b"\n", b"\r\n")


@dataclass(frozen=True)
class Input:
    """The layout of the input, and the common first line of its files, if any."""

    layout: Layout
    preparation: Preparation
    header: bytes = b""
    spans: tuple[Span, ...] = ()  # of plain files, that the tasks read

    @property
    def options(self) -> Any:
        """The options for reading a partition: user IDs are kept as written, because only all partitions together show different
        spellings.
        """
        return replace(self.preparation.reading, owners="exact")


@dataclass(frozen=True)
class EventGrouping:
    """How events become the log of some people: whether they have texts, which of them are one event, and which users are one person."""

    preparation: Preparation
    text: bool
    drops_repeats: bool
    by_spelling: bool


@dataclass(frozen=True)
class Placing(EventGrouping):
    """How events of a person become records on the taxonomy; a taxonomy from a file is sent along, WordNet is part of the program."""

    file_taxonomy: Taxonomy | None = None

    @property
    def taxonomy(self) -> Taxonomy:
        """The whole taxonomy."""
        return _loaded(self.preparation.taxonomy, self.preparation.loss) if self.file_taxonomy is None else self.file_taxonomy


@cache
def _loaded(name: str, loss: str) -> Taxonomy:
    """Load once for all tasks of a worker."""
    return load_taxonomy(name, loss)[0]


# -- rows


def events_of_lines(shared: Input, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return the events of some lines, each with its line end, and a tally of them."""
    lines = table.column("line").cast(pa.large_binary())
    rows = (
        lines.filter(pc.invert(pc.is_in(lines, pa.array([shared.header + end for end in LINE_ENDS], lines.type))))
        if shared.header
        else lines
    )
    yield from _events_of_text(shared, b"".join(map(_bytes_of, rows.chunks)), len(lines) - len(rows))


def events_of_spans(shared: Input, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return the events of parts of files, given by number, and a tally of each."""
    for number in table.column("id").to_pylist():
        text, headers = lines_in(shared.spans[number]), 0
        if shared.header:
            text, headers = without_line(text, shared.header, LINE_ENDS)
        yield from _events_of_text(shared, text, headers)


def _events_of_text(shared: Input, text: bytes, headers: int) -> Iterator[pa.Table | str]:
    source = Source(PARTITION, "", text[:HEAD], len(text) <= HEAD, pipe=io.BytesIO(text))
    yield from _events(replace(shared, layout=replace(shared.layout, header=False)), source, headers)


def _bytes_of(lines: pa.LargeBinaryArray) -> memoryview:
    """Return lines concatenated in memory."""
    _, offsets, content = lines.buffers()
    bounds = np.frombuffer(offsets, np.int64)[[lines.offset, lines.offset + len(lines)]]
    return memoryview(content)[bounds[0] : bounds[1]]


def owner_places(partitions: int, table: pa.Table) -> Ints:
    """Return the partition of each event: that of its user, however spelled."""
    keys = pl.from_arrow(table.column("key"))
    assert isinstance(keys, pl.Series)
    return (keys.hash(seed=0) % partitions).to_numpy().astype(np.int64)


def events_of_rows(shared: Input, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return the events of some rows of a table, and a tally of them."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    yield from _events(shared, Source(PARTITION, "", b"", True, is_parquet=True, table=frame), 0)


def _events(shared: Input, source: Source, headers: int) -> Iterator[pa.Table | str]:
    collector, tally = collected(source, shared.layout, shared.options)
    frame = collector.events()
    counts = dict(tally.defects.frozen().counts)
    facts = {"blank": tally.blank, "repeated": tally.repeated, "defects": counts, "headers": headers}
    yield json.dumps(facts)
    if frame is None:
        return
    columns = {"key": frame["key"], "payload": frame["payload"]}
    if "time" in frame.columns:
        columns["time"] = frame["time"].to_physical()
    if COUNT in frame.columns:
        columns["count"] = frame[COUNT]
    if (frame["name"] != frame["key"]).any():
        columns["name"] = frame["name"]
    yield pl.DataFrame(columns).to_arrow().cast(pa.schema([EVENTS.field(name) for name in columns]))


# -- records


def record_places(table: pa.Table) -> Ints:
    """Return the partition in which each record was made."""
    return np.asarray(table.column("record").to_numpy() // PARTS, np.int64)


def kept_records(placing: Placing, part: int, table: pa.Table) -> Iterator[pa.Table | str]:
    """Return the records of all people whose events are here, on the whole taxonomy, the names of their words, and their sums."""
    if not len(table):
        yield RECORDS.empty_table()
        return
    log, sums = log_of(placing, table)
    records = records_of(log, placing.preparation)
    rules: dict[str, Any] = {
        "unknown": "drop" if placing.preparation.unknown == "drop" else "keep",
        "scope": "whole",
        "as_sets": placing.preparation.as_sets,
    }
    original = place_terms(records.bags, placing.taxonomy, **rules, fold=records.texts, stop_words=records.stop_words)
    yield json.dumps(sums | sums_of(original))
    known = len(placing.taxonomy)
    _refuse_marked(original.tree.names.names.gather(distinct(original.bags.items[original.bags.items >= known])))
    yield _records(original, known, part)
    typed = original.typed.vocabulary.names
    lacking = typed.filter(pl.Series((original.items < 0) | (original.items >= known)))
    yield from _names(typed, TYPED)
    yield from _names(in_one_case(lacking).unique() if records.texts else lacking, UNKNOWN)


def log_of(grouping: EventGrouping, table: pa.Table) -> tuple[Log, dict[str, int]]:
    """Return the events as a log without repeated ones, and the number of users, as written and normalized."""
    events = pl.from_arrow(table)
    assert isinstance(events, pl.DataFrame)
    key = events["key"]
    name = events.select(pl.coalesce("name", "key")).to_series() if "name" in events.columns else key
    owner, n = _ranked(key if grouping.by_spelling else name)
    users = {"written": n if name is key else name.n_unique(), "folded": n if name is key else key.n_unique()}
    columns: dict[str, pl.Series] = {"owner": pl.Series(owner), "payload": events["payload"]}
    if "time" in events.columns and events["time"].null_count() < len(events):
        columns["time"] = _with_distinct_times(events["time"]).cast(pl.Datetime("us"))
    if "count" in events.columns:
        columns[COUNT] = events["count"]
    log = Log(pl.DataFrame(columns), "text" if grouping.text else "item")
    once = log.without_repeats() if grouping.drops_repeats else log
    return once, users | {"used": len(once), "repeated": len(log) - len(once)}


def _ranked(names: pl.Series) -> tuple[Ints, int]:
    """Return the rank of each name among the distinct ones, from 0, and their number: sorted once per name, not per row."""
    assert not names.null_count()  # an event has an owner
    found = whole_items(names)
    ranks = np.empty(len(found.vocabulary), np.int64)
    ranks[found.vocabulary.names.arg_sort().to_numpy()] = np.arange(len(ranks))
    return ranks[found.items], len(ranks)


def _with_distinct_times(times: pl.Series) -> pl.Series:
    """Return the times; unreadable ones get distinct values, so that their rows are not repeats."""
    return times.to_frame().select(pl.coalesce("time", NO_TIME - pl.int_range(pl.len()))).to_series()


def sums_of(original: Original) -> dict[str, int]:
    """Return sums over records."""
    bags = original.bags
    present = bags.lengths > 0
    return {
        **asdict(original.steps),
        "records": len(bags),
        "present": int(present.sum()),
        "owners": bags.n_owners,
        "people": len(distinct(bags.owners[present])),
        "typed": original.typed.occurrences,
        "occurrences": bags.occurrences,
        "several": int(bags.owners_repeat),
        "more_than_once": int(bags.counts.max(initial=1) > 1),
    }


def _records(original: Original, known: int, part: int) -> pa.Table:
    bags = original.bags
    rows = np.repeat(np.arange(len(bags)), np.diff(bags.indptr))
    spelled = _aligned(bags, original.spelled, rows)
    listed = bags.items < known
    columns: dict[str, Any] = {
        "kind": np.full(len(bags), RECORD, np.int32),
        "record": part * PARTS + np.arange(len(bags), dtype=np.int64),
        "owner": part * PARTS + bags.owners,
    }
    for mask, items, prefix in ((listed, "nodes", ""), (~listed, "words", "word_")):
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[mask], minlength=len(bags)))])
        held = bags.items[mask]
        values = held if items == "nodes" else original.tree.names.names.gather(held).to_arrow().cast(pa.string())
        columns[items] = list_array(indptr, values)
        columns[f"{prefix}counts"] = list_array(indptr, bags.counts[mask])
        columns[f"{prefix}spelled"] = list_array(indptr, spelled[mask])
    return pa.table({name: columns[name] for name in RECORDS.names}, RECORDS)


def _aligned(bags: Bags, spelled: Bags, rows: Ints) -> Any:
    """Count the occurrences of each entry that were typed exactly as their item is named."""
    if spelled is bags:
        return bags.counts.copy()
    width = len(bags.vocabulary)
    mine = rows * width + bags.items
    theirs = np.repeat(np.arange(len(spelled)), np.diff(spelled.indptr)) * width + spelled.items
    found = np.zeros(len(mine), np.int32)
    found[np.searchsorted(mine, theirs)] = spelled.counts
    return found


def _refuse_marked(words: pl.Series) -> None:
    """Raise if an unknown term could be confused with one that was marked to distinguish it from a node of the taxonomy."""
    if words.str.ends_with(UNLISTED).any():
        raise InputError(
            f"some items end in {UNLISTED}, which is reserved on a cluster",
            code="reserved-item-name",
            hint="rename them, or run on one machine",
        )


def _names(names: pl.Series, kind: int) -> Iterator[pa.Table]:
    """Return occurring names, so that distinct ones can be counted."""
    lists = [names[at : at + NAMES_AT_ONCE].to_list() for at in range(0, len(names), NAMES_AT_ONCE)]
    if lists:
        yield rows_with_column(RECORDS, "words", lists, kind)


def rows_with_column(schema: pa.Schema, column: str, values: list[Any], kind: int | None = None) -> pa.Table:
    """Return rows in which only one column is set."""
    n = len(values)
    columns = {field.name: pa.nulls(n, field.type) for field in schema} | {column: pa.array(values, schema.field(column).type)}
    if kind is not None:
        columns["kind"] = pa.array([kind] * n, pa.int32())
    return pa.table(columns, schema)

"""The layout of a cluster's input, and the accounting of its rows.

The layout is detected from the first rows of the first non-empty file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

import polars as pl

from shoal.cluster.exchange import NumberedPartitions, Rows, Sent, Step, sent, stored
from shoal.cluster.limits import FORMATS
from shoal.cluster.read_events import EventGrouping, Input, events_of_lines, events_of_rows, events_of_spans, owner_places
from shoal.cluster.spark import Cluster, spark_errors
from shoal.data.accounting import Ledger, gone, kept
from shoal.errors import InputError, option
from shoal.io.read.byte_ranges import first_lines_of, size_of, spans_of
from shoal.io.read.columns import notes_on_spelling
from shoal.io.read.encodings import marked_encoding
from shoal.io.read.formats import Layout, find_layout
from shoal.io.read.frames_in_memory import in_memory
from shoal.io.read.json_array import begins_array
from shoal.io.read.options import CLICKS
from shoal.io.read.result import SKIPPING
from shoal.io.read.source import Source
from shoal.pipeline.events import PREPARING, READING, stage
from shoal.pipeline.options import Preparation

if TYPE_CHECKING:
    from shoal.cluster.spark import Work

FIRST = 500  # rows that tell how the others are written
PARQUET = (".parquet", ".parq")
COMPRESSED = (".gz", ".bz2", ".deflate", ".snappy", ".lz4", ".zst", ".zstd")  # what Spark unpacks, by the names of files
PATTERN, HIDDEN = frozenset("*?[]{}\\:"), ("_", ".")  # what Spark takes for a pattern or a URL, and the names of files that it skips
SUPPORTED_FORMATS = ("querylog", "table")

Way = TypeVar("Way", bound=EventGrouping)


@dataclass(frozen=True)
class ClusterInput:
    """The partitions of the input that tasks read, or a Spark data frame; how a partition is processed, and facts about all of them."""

    source: NumberedPartitions | Rows
    work: Work
    input: Input
    files: int
    called: str
    rows: Ledger = field(default_factory=lambda: Ledger(0))
    notes: tuple[str, ...] = ()
    defects: Mapping[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int | None:
        """The bytes that tasks read themselves; None if Spark reads."""
        return sum(span.end - span.start for span in self.input.spans) if self.input.spans else None

    @property
    def text(self) -> bool:
        """Whether rows contain texts, and not items."""
        return "text" in self.input.layout.places

    @property
    def drops_repeats(self) -> bool:
        """Whether rows with equal user, time and text are one event."""
        layout = self.input.layout
        return layout.format == "querylog" and "time" in layout.places and not {"record", "count", *CLICKS} & layout.places.keys()

    def sent_to_owners(self, cluster: Cluster) -> Sent:
        """Send all events such that those of one person are in one partition."""
        cluster.expect(self.source.frame if isinstance(self.source, Rows) else None, self.size)
        parts = cluster.partitions
        return sent(cluster, "events", [(self.source, self.work)], self.input, partial(owner_places, parts), parts)

    def gathering(self, kind: type[Way], *more: Any) -> Way:
        """Return how rows of this input are gathered by user, with further settings of this kind of gathering."""
        preparation = self.input.preparation
        return kind(preparation, self.text, self.drops_repeats, preparation.read.owners == "folded", *more)

    def with_totals(self, sums: Counter[str], defects: Mapping[str, int]) -> ClusterInput:
        """Return the input with the accounting of its rows. Raise if too many are defective, none could be used, or spellings of user IDs
        are undecided.
        """
        read, total = self.input.preparation.read, sum(defects.values())
        if defects and read.strict:
            raise InputError(
                f"{self.called} has malformed rows: {_listed(defects)}", code="defective-rows", hint=SKIPPING, defects=dict(defects)
            )
        if not sums["used"]:
            raise InputError(
                f"{self.called} has no usable row: {_listed(defects) or 'it has no rows'}",
                code="no-usable-rows",
                hint=f"see {option('format')} and {option('sep')}",
            )
        rows = sums["used"] + sums["repeated"] + total
        if total > read.malformed * rows:
            what = f"{total:,} of {rows:,} rows of {self.called} are malformed: {_listed(defects)}"
            raise InputError(
                what,
                code="too-many-malformed-rows",
                hint=f"see {option('format')}, {option('sep')} and the column options",
                defects=dict(defects),
            )
        if self.input.header and sums["headers"] != self.files:
            raise InputError(
                f"{self.called} repeats its header inside a file, or a file has none",
                code="header-repeated",
                hint=f"leave {option('engine')} out",
            )
        spelling = notes_on_spelling(sums["written"], sums["folded"], read.owners, self.called)
        parts = {"used": kept(sums["used"]), "repeated clicks": gone(sums["repeated"]), "blank lines": gone(sums["blank"])}
        parts |= {f"malformed: {reason}": gone(n) for reason, n in defects.items()}
        ledger = Ledger(sum(part.n for part in parts.values()), parts)
        return replace(self, rows=ledger, notes=(*self.input.layout.notes, *spelling), defects=dict(defects))


def stored_by_user(cluster: Cluster, data: Any, preparation: Preparation, work: Work, name: str) -> tuple[Step, Counter[str], ClusterInput]:
    """Send the events of the input to the partitions of their users, and store under a name what the work makes of them.

    Returns:
        Where it is stored, the sums over all events, and the input with the accounting of its rows.
    """
    found = find_input(cluster, data, preparation)
    events = found.sent_to_owners(cluster)
    stage(PREPARING)
    made, words = stored(cluster, events, work, found.gathering(EventGrouping), name)
    sums, defects = tallied([*events.words, *words])
    return made, sums, found.with_totals(sums, defects)


def tallied(words: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
    """Return the sums of all tallies, and the defective rows by reason."""
    sums: Counter[str] = Counter()
    defects: Counter[str] = Counter()
    for word in words:
        tally = json.loads(word)
        defects.update(tally.pop("defects", {}))
        sums.update(tally)
    return sums, defects


def find_input(cluster: Cluster, data: Any, preparation: Preparation) -> ClusterInput:
    """Open the input at paths, or a Spark data frame."""
    stage(READING)
    if not isinstance(data, list | tuple | str | Path):
        return _of_frame(data, preparation, 1, "the frame")
    paths = [str(path) for path in ([data] if isinstance(data, str | Path) else data)]
    with spark_errors():
        if all(path.rstrip("/").lower().endswith(PARQUET) for path in paths):
            frame = cluster.parquet(paths)
            return _of_frame(frame, preparation, len(frame.inputFiles()), paths[0])
        return _of_lines(cluster, paths, preparation)


def _of_frame(frame: Any, preparation: Preparation, files: int, called: str) -> ClusterInput:
    with spark_errors():
        first = pl.from_arrow(frame.limit(FIRST).toArrow())
    assert isinstance(first, pl.DataFrame)
    layout = _checked(find_layout(in_memory(first), preparation.reading))
    columns = [layout.columns[at] for at in layout.places.values()]
    return ClusterInput(Rows(frame.select(*(f"`{name}`" for name in columns))), events_of_rows, Input(layout, preparation), files, called)


def _of_lines(cluster: Cluster, paths: list[str], preparation: Preparation) -> ClusterInput:
    lines, plain = None, _single_files(paths) if cluster.paths_are_local else []
    files = [file.as_uri() for file in plain]
    if not plain:
        lines = cluster.lines(paths)
        files = sorted(lines.inputFiles())
        plain = _plain_files(files)
    if plain:
        beginnings = (first_lines_of(file, FIRST) for file in plain)
    else:
        beginnings = ([bytes(row[0]) for row in cluster.lines([unquote(file)]).limit(FIRST).collect()] for file in files)
    first = next(filter(None, beginnings), None)
    if first is None:
        raise InputError(f"{paths[0]} is empty" if len(files) == 1 else f"all {len(files)} files of the log are empty", code="empty-input")
    head = b"".join(first).removeprefix(b"\xef\xbb\xbf")
    if marked_encoding(head) or begins_array(head, Path(paths[0]), named_json=False):
        raise FORMATS.refusal()
    layout = _checked(find_layout(Source(Path(paths[0]), "", head, False), preparation.reading))
    header = head.split(b"\n", 1)[0].rstrip(b"\r") if layout.header else b""
    called = paths[0] if len(files) == 1 else f"the log of {len(files)} files"
    if not plain:
        return ClusterInput(Rows(lines), events_of_lines, Input(layout, preparation, header), len(files), called)
    spans = spans_of(plain, cluster.span_bytes(sum(map(size_of, plain))))
    return ClusterInput(
        NumberedPartitions(len(spans)), events_of_spans, Input(layout, preparation, header, tuple(spans)), len(files), called
    )


def _single_files(paths: Sequence[str]) -> list[Path]:
    """Return the files, if every path is the name of a different one that Spark would read just so: then Spark need not look for them."""
    files = sorted({Path(path).absolute() for path in paths}, key=Path.as_uri)
    odd = any(set(path) & PATTERN or Path(path).name.startswith(HIDDEN) or path.lower().endswith(COMPRESSED) for path in paths)
    return files if not odd and len(files) == len(paths) and all(file.is_file() for file in files) else []


def _plain_files(files: Sequence[str]) -> list[Path]:
    """Return the files, if all of them are on a file system and not compressed by name: then tasks read them without Spark."""
    places = [urlsplit(file) for file in files]
    if all(place.scheme == "file" and not place.netloc and not unquote(place.path).lower().endswith(COMPRESSED) for place in places):
        return [Path(unquote(place.path)) for place in places]
    return []


def _checked(layout: Layout) -> Layout:
    if layout.format not in SUPPORTED_FORMATS or layout.container not in ("delimited", "parquet"):
        raise FORMATS.refusal(f"{layout.format} in {layout.container}")
    return layout


def _listed(defects: Mapping[str, int]) -> str:
    return "; ".join(f"{n:,} x {reason}" for reason, n in defects.items())

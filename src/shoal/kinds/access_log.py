"""Access logs in the common or the combined format. Times are in UTC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal.data.tables.access_log import SCHEMA, AccessTable, numbered_addresses
from shoal.errors import InputError
from shoal.io.published_frames import differing_under
from shoal.io.read.access_logs.access_log_lines import cut
from shoal.io.read.source import content_of
from shoal.io.write.output_format import ACCESSLOG, OUTPUT_FORMATS, FileFact, OutputForm, insist_on_format, write_pieces
from shoal.kinds import FileFacts, Kind, facts_of_manifest
from shoal.report.summary import Summary, published_rows
from shoal.report.verdict_text import Tile
from shoal.util.wording import percent

_TIME = "%d/%b/%Y:%H:%M:%S +0000"


def write(table: AccessTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """Write one file; separator and layout do not apply."""
    form.refuse_layout(table.kind)
    insist_on_format(form.format, (ACCESSLOG,), table.kind)
    path = directory / f"{name}{OUTPUT_FORMATS[form.format]}"
    lines = log_lines(table.shuffled(), combined=table.combined)
    digest = write_pieces(path, [line.encode() + b"\n" for line in lines])
    return (FileFact(path.name, len(lines), digest, form.format, "", name, table.kind),)


def log_lines(frame: pl.DataFrame, *, combined: bool) -> list[str]:
    """Format the rows as lines."""
    fields = frame.select(
        "address",
        pl.col("time").dt.strftime(_TIME),
        "request",
        "status",
        pl.col("size").cast(pl.String).fill_null("-"),
        "referrer",
        "agent",
    )
    common = pl.format('{} - - [{}] "{}" {} {}', "address", "time", "request", "status", "size")
    line = pl.format('{} "{}" "{}"', common, "referrer", "agent") if combined else common
    return fields.select(line).to_series().to_list()


# Read a published access log. Every line must be well-formed.


NOTHING = "-"  # a field that holds nothing


def read(directory: Path, files: Sequence[FileFacts], own: bool) -> AccessTable:
    """Read the rows of a file and number its addresses."""
    (file,) = files
    try:
        lines = content_of(directory / file["name"]).decode().splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{file['name']} is not UTF-8 text", code="not-utf8") from None
    fields = cut(pl.Series(lines, dtype=pl.String))
    defective = int(fields["time"].is_null().sum())
    if defective or not lines:
        what = f"{file['name']} has {defective:,} lines that are not lines of an access log" if lines else f"{file['name']} is empty"
        raise InputError(what, code="not-an-access-log", hint="a release is verified as a whole or not at all")
    numbers = numbered_addresses(fields["address"])
    ranked = fields["address"].rank("dense").cast(pl.Int64) if numbers is None else numbers
    frame = fields.with_columns(ranked).select(*SCHEMA)
    if frame["agent"].null_count() not in {0, len(frame)}:
        raise InputError(f"{file['name']} has lines in the common and in the combined format", code="mixed-log-formats")
    return AccessTable(frame, _extra_columns(fields, fresh=numbers is not None))


def _extra_columns(fields: pl.DataFrame, *, fresh: bool) -> tuple[str, ...]:
    """Return the fields that no claim covers and that carry information: not `-`, addresses numbered from 1, or a single time zone."""
    named = {"ident": "ident", "auth": "authuser"}
    telling = [name for field, name in named.items() if (fields[field] != NOTHING).any()]
    zones = ["time zone"] if fields["zone"].n_unique() > 1 else []
    return (*([] if fresh else ["address"]), *telling, *zones)


def count_differing(released: AccessTable, read_back: AccessTable) -> int:
    """Count the rows without a counterpart, ignoring addresses."""
    return differing_under("address", released.frame, read_back.frame)


def summary_of_accesslog(manifest: Mapping[str, Any]) -> Summary:
    """Summarize an access log: sessions found, and shares of browsers."""
    metrics = manifest.get("metrics", {})
    ratio, clicks, sessions = (metrics.get(name) for name in ("session_ratio", "browser_clicks", "browser_sessions"))
    if ratio is None or clicks is None or sessions is None:
        return Summary(lines=published_rows(manifest))
    moved = f"shares of browsers moved by {percent(clicks)} (of clicks) and {percent(sessions)} (of sessions)"
    line = ("changed", f"{ratio:.2f} times as many sessions as in the original; {moved}")
    return Summary(
        lines=(*published_rows(manifest), line),
        tile=Tile("Changed", percent(sessions), "moved between browsers, in shares of sessions"),
    )


KIND = Kind(AccessTable, write, read, count_differing, {"access log": facts_of_manifest}, {"access log": summary_of_accesslog})

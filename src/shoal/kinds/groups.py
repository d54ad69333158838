"""Groups in two parts, NAME_rows and NAME_histogram. In CSV and Excel the items of a row are joined with `;` in one cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.groups import GROUP, PARTS, GroupTable
from shoal.errors import InputError, ShoalError
from shoal.io.joined_cells import joined
from shoal.io.published_frames import differing_under, read_frame
from shoal.io.read.delimited import JOINER
from shoal.io.write.frame_files import write_with_lists
from shoal.io.write.output_format import FileFact, OutputForm
from shoal.kinds import FileFacts, Kind
from shoal.kinds.bags.report import file_facts, forms
from shoal.kinds.release_warnings import single_person_words
from shoal.report.facts import Facts, sizes_of
from shoal.report.histograms import tally
from shoal.report.summary import AS_TYPED, NOT_MEASURED, Summary, share_in
from shoal.report.verdict_text import Tile
from shoal.util.wording import counted


def write(table: GroupTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """Write one file per part; the form's separator and layout do not apply."""
    form.refuse_layout(table.kind)
    return tuple(
        write_with_lists(frame, directory, f"{name}_{part}", form.format, table=name, kind=table.kind, part=part)
        for part, frame in zip(PARTS, table.shuffled(), strict=True)
    )


# Read groups with two parts back.


PART = "\0part"


def read(directory: Path, files: Sequence[FileFacts], own: bool) -> GroupTable:
    """Read both parts, each from its file."""
    found = {file.get("part"): read_frame(directory, file, own) for file in files}
    if found.keys() != {"rows", "histogram"}:
        raise InputError("groups are written as rows and histogram, but one of them is missing", code="missing-part")
    try:
        return GroupTable(found["rows"], found["histogram"])
    except ShoalError as error:
        raise InputError(f"the files contain no groups: {error.marked_message}", code=error.code) from None


def count_differing(released: GroupTable, read_back: GroupTable) -> int:
    """Count the rows and counts of groups without a counterpart with the same rows and histogram."""
    return differing_under(GROUP, _whole(released), _whole(read_back))


def _whole(table: GroupTable) -> pl.DataFrame:
    """Stack both parts; columns with the same name in both are renamed."""
    parts = []
    for part, frame in (("rows", table.rows), ("histogram", table.histogram)):
        lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
        flat = frame.with_columns(joined(frame[name].list.sort(), JOINER) for name in lists)
        named = flat.rename({name: f"{part} {name}" for name in flat.columns if name != GROUP})
        parts.append(named.select(GROUP, *sorted(name for name in named.columns if name != GROUP)).with_columns(pl.lit(part).alias(PART)))
    return pl.concat(parts, how="diagonal")


# Facts about groups in two parts: their sizes, and how often sensitive items occur in them.


def facts_of_groups(manifest: Mapping[str, Any], release: Release, original: Original) -> Facts:
    """Return the sizes of the groups with sensitive items; the other records are not divided into groups of a fixed size."""
    table = release.only(GroupTable)
    holding = table.rows.join(table.histogram.select(GROUP).unique(), on=GROUP, how="semi")
    sizes = holding.group_by(GROUP).len()["len"].to_numpy().astype("int64")
    return Facts(manifest=manifest, published=table.n_rows, parts=("counted_groups",), sizes=sizes_of(sizes), group_sizes=tally(sizes))


def summary_of_groups(manifest: Mapping[str, Any]) -> Summary:
    """Summarize records whose sensitive items are counted per group: the share as typed, and the error of the groups."""
    shares = forms(manifest.get("accounting", {}).get("occurrences", {"in": 0}), str(manifest.get("method")))
    as_typed = next((share.value for share in shares if share.name == AS_TYPED), None)
    facts, error = file_facts(manifest), share_in(manifest.get("metrics", {}), "reconstruction_kl")
    lines = (("published", f"{counted(facts['rows'], 'record')} in {counted(facts['groups'], 'group')}"),) if "groups" in facts else ()
    if error is None:
        return Summary(shares, lines, NOT_MEASURED, as_typed)
    note = "mean KL divergence of reconstructed from actual sensitive items; 0 is the original"
    return Summary(shares, (*lines, ("error", f"{error:.3g}: {note}")), Tile("Reconstruction error", f"{error:.3g}", note), as_typed)


KIND = Kind(GroupTable, write, read, count_differing, {"sets": facts_of_groups}, {"sets": summary_of_groups}, (single_person_words,))

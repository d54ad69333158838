"""Kinds of published tables: one descriptor each, with everything that shoal does with a table of that kind.

Adding a kind takes a class in `data/tables`, a module here with its `KIND`, and a line in each of the two tables of kinds.
See docs/adding-a-kind.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.data.input_shapes import ITEM_SETS, Shape
from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.data.tables import PublishedTable
from shoal.errors import InputError, ParameterError, ReleaseWarning
from shoal.io.write.output_format import LISTS, FileFact, Levels, OutputForm
from shoal.registry import LazyTable
from shoal.report.facts import Facts
from shoal.report.page import render
from shoal.report.summary import NOT_PUBLISHED, Summary, published_rows

FileFacts = Mapping[str, Any]  # what a manifest says of a file; it may be wrong, so a reader judges what it reads
Manifest = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """How tables of one kind are written, read back, compared and reported.

    Attributes:
        table: The class of the tables.
        write: Writes a table (table, directory, name, form) in random order. The first file holds the rows.
        read: Reads a table back (directory, files, whether this process wrote them itself).
        count_differing: Counts the rows of either table that have no counterpart in the other, whatever the order and the fresh numbers.
        facts: What a report shows, by the shape of the original.
        summaries: The summary made from a manifest, by the shape of the original.
        warnings: Warnings about a release with such a table that need its original; none by default.
        attacked: The shapes of originals for which there are attacks on such tables; none by default.
    """

    table: type[PublishedTable]
    write: Callable[[Any, Path, str, OutputForm], tuple[FileFact, ...]]
    read: Callable[[Path, Sequence[FileFacts], bool], PublishedTable]
    count_differing: Callable[[Any, Any], int]
    facts: Mapping[Shape, Callable[[Manifest, Release, Any], Facts]]
    summaries: Mapping[Shape, Callable[[Manifest], Summary]]
    warnings: tuple[Callable[[Release, AnyOriginal], Iterator[ReleaseWarning]], ...] = ()
    attacked: tuple[Shape, ...] = ()


KINDS: LazyTable[Kind] = LazyTable(
    "kind of table",
    {
        "bags": "shoal.kinds.bags:KIND",
        "weighted bags": "shoal.kinds.weighted_bags:KIND",
        "rows": "shoal.kinds.rows:KIND",
        "counts": "shoal.kinds.counts:KIND",
        "groups": "shoal.kinds.groups:KIND",
        "chunks": "shoal.kinds.chunks:KIND",
        "access log": "shoal.kinds.access_log:KIND",
        "profiles": "shoal.kinds.profiles:KIND",
    },
)


# -- files


def write_table(table: PublishedTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """Write a table to files named after it."""
    return KINDS[table.kind].write(table, directory, name, form)


def write_release(
    release: Release, directory: Path, format: str = "parquet", sep: str = "\t", layout: str = LISTS, levels: Levels | None = None
) -> tuple[FileFact, ...]:
    """Write all tables of a release."""
    form = OutputForm(format, sep, layout, levels)
    return tuple(file for name, table in release.tables.items() for file in write_table(table, directory, name, form))


def read_tables(directory: Path, files: Sequence[FileFacts], *, own: bool = False) -> dict[str, PublishedTable]:
    """Read the tables of these files, by name, in the order of the files."""
    grouped: dict[tuple[str, str], list[FileFacts]] = {}
    for file in files:
        grouped.setdefault((file["table"], file["kind"]), []).append(file)
    if len({name for name, _ in grouped}) < len(grouped):
        raise InputError(
            "there are tables of two kinds under one name", code="duplicate-table", hint="a release is verified as a whole or not at all"
        )
    return {name: KINDS[kind].read(directory, facts, own) for (name, kind), facts in grouped.items()}


def rows_differing(released: Mapping[str, PublishedTable], read_back: Mapping[str, PublishedTable]) -> int:
    """Count the rows of either set of tables that have no counterpart in the other."""
    return sum(_count_differing(released.get(name), read_back.get(name)) for name in released.keys() | read_back.keys())


def _count_differing(released: PublishedTable | None, read_back: PublishedTable | None) -> int:
    if released is None or read_back is None or released.kind != read_back.kind:
        return max(1, sum(table.n_rows for table in (released, read_back) if table is not None))
    return KINDS[released.kind].count_differing(released, read_back)


# -- reports


def facts_of(manifest: Manifest, release: Release, original: AnyOriginal) -> Facts:
    """Return the facts for the report of a release made from this original."""
    if len(release.tables) != 1:
        raise ParameterError(f"a report is about one table, not {len(release.tables)}", code="report-not-possible")
    (table,) = release.tables.values()
    known = KINDS[table.kind].facts
    if original.shape not in known:
        raise ParameterError(f"there is no report of {table.kind} made from {original.shape}", code="report-not-possible")
    return known[original.shape](manifest, release, original)


def facts_of_manifest(manifest: Manifest, release: Release, original: AnyOriginal) -> Facts:
    """Return the facts for a kind whose report shows only what the manifest contains."""
    return Facts(manifest=manifest, published=release.n_rows)


def shape_of_input(manifest: Manifest) -> Any:
    """Return the shape that a manifest records for its input; None if it records none."""
    shape = manifest.get("read_as", manifest.get("records_as"))
    return "table with items" if shape == "table" and ITEM_SETS in manifest else shape


def summary_of(manifest: Manifest) -> Summary:
    """Summarize a release by its manifest."""
    kinds = {file["kind"] for file in manifest.get("files", []) if "kind" in file}
    if "counts" in manifest:
        return Summary(lines=published_rows(manifest), tile=NOT_PUBLISHED)
    read = manifest.get("input", {})
    shape = shape_of_input(read)
    known = {name: make for kind in kinds if len(kinds) == 1 for name, make in KINDS[kind].summaries.items()}
    return known[shape](manifest) if shape in known else summary_of_rows(manifest)


def summary_of_rows(manifest: Manifest) -> Summary:
    """Return the summary for a kind of which only the number of rows is known."""
    return Summary(lines=published_rows(manifest))


def kind_warnings(release: Release, original: AnyOriginal) -> tuple[ReleaseWarning, ...]:
    """Return the warnings that need the original, as declared by the kinds of tables of a release."""
    return tuple(warning for kind in sorted(release.kinds) for check in KINDS[kind].warnings for warning in check(release, original))


def is_attackable(manifest: Manifest) -> bool:
    """Whether there are attacks on a release of such tables, made from such an input."""
    facts = manifest["input"]
    shape = shape_of_input(facts)
    return all(shape in KINDS[file["kind"]].attacked for file in manifest["files"] if "kind" in file)


def render_report(facts: Facts) -> str:
    """Render the report of a release as one HTML document."""
    return render(facts, summary_of(facts.manifest))

"""Pictures of a report: each chart with the table of its numbers, for whoever does not see it or wants to read it exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.report.charts import Column, Mark, histogram
from shoal.report.facts import Facts, QueryFacts
from shoal.report.histograms import Histogram
from shoal.report.number_format import count, plural
from shoal.report.verdict_text import promised_group


@dataclass(frozen=True)
class Picture:
    """A chart as SVG, and its numbers: the names of the columns and the rows below them."""

    svg: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def group_picture(facts: Facts) -> Picture:
    """How many groups there are of each size, with the promised size marked."""
    k = promised_group(facts.manifest.get("claims", []))
    found, sizes = facts.group_sizes, facts.sizes
    columns = [
        Column(b.tick, n, None, f"{plural(n, 'group')} of {b.label} records", "short" if k and b.low < k else "")
        for b, n in zip(found.bins, found.counts, strict=True)
    ]
    mark = Mark(found.bin_of(k), f"guaranteed: {count(k)}") if k else None
    desc = f"{plural(sizes.groups, 'group')} of {count(sizes.smallest)} to {count(sizes.largest)} records"
    drawn = histogram("Groups by size", desc, columns, "records in the group", mark)
    return Picture(drawn, ("Records in the group", "Groups"), _rows(found))


def query_picture(found: QueryFacts) -> Picture:
    """How many queries have how many rows, before and after."""
    told = f"{plural(found.after, 'published query', 'published queries')}, {count(found.before)} in the original"
    return _before_after("Queries by rows", found.sizes, "query", "rows of the query", told=told, many="queries")


def length_picture(facts: Facts) -> Picture:
    """Record lengths before and after."""
    return _before_after("Records by length", facts.lengths, "record", "items in the record")


def level_picture(facts: Facts) -> Picture:
    """Levels of items before and after."""
    axis = "level in the taxonomy: 1 is the root"
    return _before_after("Item occurrences by level", facts.levels, "occurrence", axis)


def _before_after(title: str, found: Histogram, noun: str, axis: str, *, told: str = "", many: str = "") -> Picture:
    columns = [
        Column(b.tick, n, was, f"{b.label}: {plural(was, noun, many)} before, {count(n)} after")
        for b, n, was in zip(found.bins, found.counts, found.before or (), strict=True)
    ]
    name = f"{axis[0].upper()}{axis[1:].partition(':')[0]}"
    drawn = histogram(title, told or f"{plural(len(columns), 'column')}, each before and after", columns, axis)
    return Picture(drawn, (name, "Before", "After"), _rows(found))


def _rows(found: Histogram) -> tuple[tuple[str, ...], ...]:
    sides: Sequence[Sequence[int]] = [found.counts] if found.before is None else [found.before, found.counts]
    return tuple((b.label, *(count(side[i]) for side in sides)) for i, b in enumerate(found.bins))

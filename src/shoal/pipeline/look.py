"""Preview of an input: how it is parsed, its people, its coverage by a taxonomy, and what a release would protect.

Nothing is written. Of a large file only the first part is read unless all of it is requested, and `Look.part` says how much. The examples
hold words of the input as they are: they are for who holds the input already. Owners are never among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from shoal.data.bags import Bags, Ints
from shoal.data.log import Log
from shoal.data.table import Table
from shoal.data.taxonomy import Taxonomy
from shoal.errors import InputError, ShoalError, option
from shoal.io.read.dispatch import Reading, read
from shoal.io.read.items_table import cells_of, with_items
from shoal.io.read.options import MICRODATA, ReadOptions
from shoal.io.read.paths import Paths
from shoal.io.read.source import Portion
from shoal.pipeline.claims import protection_by_per
from shoal.pipeline.options import NO_TAXONOMY, Preparation, is_generated, made_from_data, made_note
from shoal.pipeline.prepare import FEWEST_KNOWN, Records, rare_note, records_of, taxonomy_of
from shoal.taxonomy.item_catalogue import LevelFacts, level_facts
from shoal.taxonomy.tree_drawing import coverage
from shoal.taxonomy.urls import has_paths
from shoal.util.wording import counted, percent

FIRST_PART = Portion(16 << 20, rows=250_000)  # of a file, unpacked
AS_TABLE = "no column has a known name, so this is read as a table of people"
EXAMPLES = 3
SHOWN_ITEMS = 8
FEWEST_SHOWN = 5  # people who share a value that is shown as an example

Example = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class LargestOwner:
    """The person with the most rows: this person's numbers of rows and records."""

    rows: int
    records: int


@dataclass(frozen=True)
class TaxonomyCoverage:
    """How many of the items the taxonomy contains; `refused` if `anonymize` would reject so low a coverage by default."""

    taxonomy: str
    items: int
    items_known: int
    occurrences: int
    occurrences_known: int
    refused: bool


@dataclass(frozen=True)
class Look:
    """What `shoal.look` found in data. All numbers are about the rows that were read.

    Attributes:
        format: The format of the data.
        columns: The columns by their roles; for microdata, the role of each column.
        part: The share of the file that was read; 0 if only a part was read of standard input, whose size is not known.
        rows: Numbers of rows: read, used, malformed.
        people: Number of people.
        records: Number of records.
        items: Number of different items; for microdata, of columns.
        occurrences: Number of occurrences of items.
        largest_owner: Rows and records of the person with the most rows.
        known: How many of the items are in the taxonomy; None without a taxonomy.
        protects: For each way of making records (`per`), what a release would protect.
        examples: A few records, as pairs of an item and its count; for microdata, rows, as pairs of a column and its value. Values that
            fewer than 5 people share are left out, unless rare ones were requested.
        more: For each example, the number of pairs left out because there are too many.
        rare: For each example, the number of pairs left out because few people share the value.
        notes: How the data was read.
        defects: Rows that were left out, and why.
        levels: For each level of a product table, what publishing items at this level would give; empty without such a table.
        density: Share of all pairs of a record and an item in which the record has the item; for microdata 1. Milani Fard's thesis divides
            by the leaves of the taxonomy instead of the items of the data.

    Example:
        >>> import shoal
        >>> found = shoal.look({"user": ["ann", "ann", "ben"], "item": ["Apple", "Milk", "Beer"]}, taxonomy="none")
        >>> found.columns, found.people, found.largest_owner.rows
        ({'user': 'user', 'item': 'item'}, 2, 2)
    """

    format: str
    columns: Mapping[str, str]
    part: float
    rows: Mapping[str, int]
    people: int
    records: int
    items: int
    occurrences: int
    largest_owner: LargestOwner
    known: TaxonomyCoverage | None
    protects: Mapping[str, str]
    examples: tuple[Example, ...]
    more: tuple[int, ...]
    rare: tuple[int, ...]
    notes: tuple[str, ...]
    defects: tuple[str, ...]
    levels: tuple[LevelFacts, ...] = ()
    density: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        """Return all attributes as a dictionary that can be written as JSON."""
        return asdict(self)

    def _repr_html_(self) -> str:
        """HTML for notebooks: how the data was read and what it contains, without the examples."""
        rows = [
            ("format", self.format),
            *([("columns", ", ".join(f"{role} = {name}" for role, name in self.columns.items()))] if self.columns else []),
            ("rows", ", ".join(f"{number:,} {name}" for name, number in self.rows.items())),
            ("people", f"{self.people:,}"),
            ("records", f"{self.records:,} with {counted(self.items, 'distinct item')}"),
            *((per, words) for per, words in self.protects.items()),
            *(("left out", line) for line in self.defects),
        ]
        part = "" if self.part >= 1 else f", the first {percent(self.part, 0)}" if self.part else ", the first rows"
        from shoal.report.notebook import facts_page  # loads charts, which only a notebook needs

        return facts_page(f"Preview{part}; the attribute examples has records", rows)


def look(
    input: Paths | Any,
    requested: Preparation | None = None,
    *,
    whole: bool = False,
    taxonomy: Taxonomy | None = None,
    show_rare: bool = False,
) -> Look:
    """Describe data in memory or a file. Only the first part of a large file is read unless `whole` is set.

    The taxonomy may be `taxonomy` as a tree. Examples hold values of few people only with `show_rare`.
    """
    preparation = requested or Preparation()
    items = preparation.read.items
    if items is not None:
        cells_of(items)
    # Levels are compared by the items as the log has them, so the product table is joined afterwards.
    reading = _read(input, replace(preparation.reading, items=None), None if whole else FIRST_PART)
    return look_at(replace(reading, options=replace(reading.options, items=items)), preparation, taxonomy, show_rare=show_rare)


def _read(input: Paths | Any, options: ReadOptions, at_most: Portion | None) -> Reading:
    """Read the input; lines without a known header as a table of people, if they can be read as one, which a note states."""
    try:
        return read(input, options, at_most)
    except InputError as error:
        if error.code != "unrecognized-input" or options.format is not None or options.items is not None:
            raise
        with suppress(ShoalError):
            reading = read(input, replace(options, format=MICRODATA), at_most)
            return replace(reading, notes=(*reading.notes, f"{AS_TABLE}: {option('format', MICRODATA)} states it"))
        raise


def look_at(reading: Reading, preparation: Preparation, taxonomy: Taxonomy | None = None, *, show_rare: bool = False) -> Look:
    """Describe data that has already been read."""
    fewest = 1 if show_rare else FEWEST_SHOWN
    if isinstance(reading.data, Table):
        return _table(reading, reading.data, fewest)
    fitting, noted = preparation.fitted(reading.format)
    joined = with_items(reading)
    if joined.items is not None:
        taxonomy = joined.items.catalogue.taxonomy
    assert isinstance(joined.data, Log | Bags)
    levels = () if joined.items is None else level_facts(records_of(reading.data, fitting).bags, joined.items.catalogue, FEWEST_SHOWN)
    return _records(replace(joined, notes=(*joined.notes, *noted)), joined.data, fitting, taxonomy, fewest, levels)


def _records(
    reading: Reading, data: Log | Bags, preparation: Preparation, taxonomy: Taxonomy | None, fewest: int, levels: tuple[LevelFacts, ...]
) -> Look:
    records = records_of(data, preparation).supported(preparation.min_support)
    bags = records.bags
    known, notes = _known(records, preparation, taxonomy)
    if preparation.min_support is not None:
        notes = (*notes, rare_note(records, preparation.min_support))
    whole = [bags.record(i) for i in _examples(bags)]
    common = set(bags.vocabulary.names.filter(bags.people_per_item >= fewest))
    examples = [{item: n for item, n in example.items() if item in common} for example in whole]
    items = int((np.bincount(bags.items, minlength=len(bags.vocabulary)) > 0).sum())
    return Look(
        format=reading.format,
        columns=dict(reading.roles),
        part=reading.part,
        rows=reading.rows.as_dict(),
        people=bags.n_owners,
        records=len(bags),
        items=items,
        occurrences=bags.occurrences,
        largest_owner=_largest(data.frame["owner"].to_numpy() if isinstance(data, Log) else bags.owners, bags.owners),
        known=known,
        protects=protection_by_per(data, preparation.pause, timed=reading.timed),
        examples=tuple(tuple((item, f"{n:,}") for item, n in list(example.items())[:SHOWN_ITEMS]) for example in examples),
        more=tuple(max(0, len(example) - SHOWN_ITEMS) for example in examples),
        rare=tuple(len(example) - len(shown) for example, shown in zip(whole, examples, strict=True)),
        notes=(*reading.notes, *notes),
        defects=tuple(reading.defects.described()),
        levels=levels,
        density=len(bags.items) / (len(bags) * items) if items else 0.0,
    )


def _table(reading: Reading, table: Table, fewest: int) -> Look:
    rows, columns = range(min(EXAMPLES, len(table))), table.attributes
    common = {column.name: _people_per_value(column.values, table.owners) >= fewest for column in columns}
    shown = [[column for column in columns if common[column.name][row]] for row in rows]
    return Look(
        format=reading.format,
        columns={column.name: "quasi-identifier" if column.quasi else "unchanged" for column in columns},
        part=reading.part,
        rows=reading.rows.as_dict(),
        people=table.n_owners,
        records=len(table),
        items=len(columns),
        occurrences=len(table) * len(columns),
        largest_owner=_largest(table.owners, table.owners),
        known=None,
        protects={},
        examples=tuple(tuple((column.name, str(column.values[row])) for column in shown[row][:SHOWN_ITEMS]) for row in rows),
        more=tuple(max(0, len(shown[row]) - SHOWN_ITEMS) for row in rows),
        rare=tuple(len(columns) - len(shown[row]) for row in rows),
        notes=reading.notes,
        defects=tuple(reading.defects.described()),
    )


def _people_per_value(values: pl.Series, owners: Ints) -> Ints:
    """For each row, return the number of people who share its value."""
    frame = pl.DataFrame({"value": values, "owner": owners})
    return frame.select(pl.col("owner").n_unique().over("value")).to_series().to_numpy()


def _known(records: Records, preparation: Preparation, taxonomy: Taxonomy | None) -> tuple[TaxonomyCoverage | None, tuple[str, ...]]:
    if preparation.taxonomy == NO_TAXONOMY:
        return None, ()
    if taxonomy is None and _would_have_all(records, preparation):
        items, occurrences = int((records.folded.item_counts() > 0).sum()), records.folded.occurrences
        known = TaxonomyCoverage(preparation.taxonomy, items, items, occurrences, occurrences, refused=False)
        return known, (made_note(preparation.taxonomy),)
    tree, notes = taxonomy_of(records, preparation) if taxonomy is None else (taxonomy, ())
    covered = coverage(records.folded, tree, 0)
    refused = preparation.unknown is None and covered.occurrences_covered < FEWEST_KNOWN * covered.occurrences
    return TaxonomyCoverage(
        preparation.taxonomy, covered.terms, covered.terms_covered, covered.occurrences, covered.occurrences_covered, refused
    ), notes


def _would_have_all(records: Records, preparation: Preparation) -> bool:
    """Whether the taxonomy is made from these items and can be made: then it has all of them, and need not be made to be sure."""
    words = records.folded_words
    return made_from_data(preparation.taxonomy) and len(words) > 0 and (is_generated(preparation.taxonomy) or has_paths(words))


def _largest(of_rows: Ints, of_records: Ints) -> LargestOwner:
    owners, rows = np.unique(of_rows, return_counts=True)
    most = int(rows.argmax())
    return LargestOwner(int(rows[most]), int((of_records == owners[most]).sum()))


def _examples(bags: Bags) -> list[int]:
    """Return the first non-empty records, of different people if possible."""
    filled = np.flatnonzero(bags.lengths > 0)
    _, first = np.unique(bags.owners[filled], return_index=True)
    chosen = [int(filled[at]) for at in sorted(first)[:EXAMPLES]]
    others = (int(i) for i in filled[: 2 * EXAMPLES] if i not in chosen)
    return [*chosen, *others][:EXAMPLES]

"""Rows of a log or of microdata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl

from shoal.data.bags import Small, frequencies, number_strings
from shoal.data.fresh import fresh_order
from shoal.data.log import people_from_zero
from shoal.data.original import LogOriginal, TableOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import PAYLOAD, RowTable
from shoal.errors import InputError
from shoal.io.published_frames import differing, differing_under, read_frame
from shoal.io.write.frame_files import write_frame
from shoal.io.write.output_format import FileFact, OutputForm
from shoal.kinds import FileFacts, Kind
from shoal.methods import fate_of
from shoal.privacy.evidence.microdata_evidence import classes_of_rows
from shoal.report.facts import FEWEST_PEOPLE, Facts, QueryFacts, fewest_people, sizes_of, spreads_of
from shoal.report.histograms import compare_shared, tally
from shoal.report.summary import Summary, SummaryShare, published_rows, share_in
from shoal.report.verdict_text import Tile, lack_of, promised_group
from shoal.util.wording import percent

ROWS_AT_ONCE = 1 << 18  # whose texts are compared together
_WRITTEN: WeakKeyDictionary[RowTable, Small] = WeakKeyDictionary()  # the numbers of queries or items in the order of their rows in a file


def write(table: RowTable, directory: Path, name: str, form: OutputForm) -> tuple[FileFact, ...]:
    """Write one file; separator and layout do not apply."""
    form.refuse_layout(table.kind)
    order = fresh_order(table.n_rows)
    if _has_texts(table):
        _WRITTEN[table] = table.numbered_unit[1][order]
    frame = table.in_order(order).with_fresh_pseudonyms()
    return (write_frame(frame, directory, name, form.format, table=name, kind=table.kind, pseudonyms=table.pseudonyms or ""),)


# Read rows of a log or of microdata back.


def read(directory: Path, files: Sequence[FileFacts], own: bool) -> RowTable:
    """Read the rows of a file, or of several files with parts of a table. Pseudonyms are unique within one file."""
    frames = [read_frame(directory, file, own) for file in files]
    pseudonyms = files[0].get("pseudonyms")
    if len(files) > 1 and (any(file.get("pseudonyms") for file in files) or any(frame.schema != frames[0].schema for frame in frames)):
        raise InputError(
            "parts of a table have other columns, or pseudonyms of their own",
            code="columns-differ",
            hint="a release is verified as a whole or not at all",
        )
    return RowTable(pl.concat(frames), pseudonyms)


def count_differing(released: RowTable, read_back: RowTable) -> int:
    """Count the rows without a counterpart, ignoring pseudonyms."""
    if released.pseudonyms != read_back.pseudonyms:
        return max(1, released.n_rows + read_back.n_rows)
    numbered = _has_texts(released) and released.columns == read_back.columns
    if numbered:
        _number_as_written(released, read_back)
    if numbered and len(released.columns) == 1:
        return _differing_queries(released, read_back)
    frames = _numbered(released, read_back) if numbered else (released.frame, read_back.frame)
    if released.pseudonyms is None:
        return differing(*frames)
    return differing_under(released.pseudonyms, *frames)


def _has_texts(table: RowTable) -> bool:
    """Whether there is one column of queries or items, and it is text: a table of other data may use these names differently."""
    return [table.columns[name] for name in PAYLOAD.values() if name in table.columns] == ["text"]


def _numbered(released: RowTable, read_back: RowTable) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of both tables with a number in place of each query or item: the same for the same text."""
    numbers = _common_numbers(released, read_back)
    own, theirs = (pl.Series(table.unit, number.astype(np.int64)) for table, number in zip((released, read_back), numbers, strict=True))
    return released.others.hstack([own]), read_back.others.hstack([theirs])


def _number_as_written(released: RowTable, read_back: RowTable) -> None:
    """Number the queries or items of a table that was read as those of the one that was written, if all rows are equal in their order."""
    texts, numbers = released.numbered_unit[0], _WRITTEN.pop(released, None)
    if numbers is None or len(numbers) != read_back.n_rows or numbers.min(initial=0) < 0:
        return
    column, parts = read_back.frame[read_back.unit], range(0, len(numbers), ROWS_AT_ONCE)
    if all(column.slice(start, ROWS_AT_ONCE).equals(texts.gather(numbers[start : start + ROWS_AT_ONCE])) for start in parts):
        vars(read_back)["numbered_unit"] = texts, numbers


def _common_numbers(released: RowTable, read_back: RowTable) -> tuple[Small, Small]:
    """Return the number of the query or item of each row of both tables, the same for the same text; -1 for a row without one."""
    (names, own), (others, theirs) = released.numbered_unit, read_back.numbered_unit
    if names is others:
        return own, theirs
    number = number_strings(pl.concat([names, others], rechunk=False))[1][len(names) :]
    return own, np.append(number, np.int32(-1))[theirs]  # the last place is that of rows without a text


def _differing_queries(released: RowTable, read_back: RowTable) -> int:
    """Count the rows of tables with queries or items alone that have no counterpart."""
    own, theirs = _common_numbers(released, read_back)
    n = max(int(own.max(initial=-1)), int(theirs.max(initial=-1))) + 1
    often, again = (frequencies(numbers, n) for numbers in (own, theirs))
    without, also_without = len(own) - int(often.sum()), len(theirs) - int(again.sum())
    return int(np.abs(often - again).sum()) + abs(without - also_without)


# Facts about published rows of a log: the number of distinct queries, their frequencies, and the most frequent ones.


MOST_QUERIES = 10


def facts_of_log(manifest: Mapping[str, Any], release: Release, original: LogOriginal) -> Facts:
    """Return the facts of rows published for this log."""
    (table,) = release.tables_of(RowTable)
    if not table.has_unit:
        return Facts(manifest=manifest, published=release.n_rows)
    fewest = fewest_people(manifest)
    queries = query_facts(table, original, fewest, unguaranteed=bool(lack_of(manifest)))
    return Facts(manifest=manifest, published=release.n_rows, parts=("queries",), queries=queries, fewest=fewest)


def query_facts(table: RowTable, original: LogOriginal, fewest: int, *, unguaranteed: bool = False) -> QueryFacts:
    """Return the facts of published rows of this log. Bars of the original count queries of at least `fewest` people.

    Without a guarantee, only queries of many people are named.
    """
    names, numbers = table.numbered_unit
    rows = pl.DataFrame({"query": names, "n": frequencies(numbers, len(names))})
    texts = original.log.texts
    filled = (texts.vocabulary.names != "").to_numpy()
    often = frequencies(texts.items, len(filled))
    before = np.sort(often[filled & (often > 0)])
    items, owners = texts.items, original.log.others["owner"].to_numpy()
    if not filled.all():
        issued = filled[items]
        items, owners = items[issued], owners[issued]
    return QueryFacts(
        before=len(before),
        after=len(rows),
        sizes=compare_shared(before, (often, items, people_from_zero(owners)), rows["n"].to_numpy(), fewest),
        frequent=_most_frequent(_common(rows, original) if unguaranteed else rows),
    )


def _most_frequent(rows: pl.DataFrame) -> tuple[tuple[str, int], ...]:
    """Return the queries with the most rows, of equals by name."""
    if len(rows) > MOST_QUERIES:
        n = rows["n"].to_numpy()
        rows = rows.filter(pl.col("n") >= np.partition(n, len(n) - MOST_QUERIES)[len(n) - MOST_QUERIES])
    return tuple(rows.sort("n", "query", descending=[True, False]).head(MOST_QUERIES).iter_rows())


def _common(rows: pl.DataFrame, original: LogOriginal) -> pl.DataFrame:
    """Return the published queries of many different people, ignoring case."""
    issued = original.log.frame.filter(pl.col("payload") != "")
    folded = issued.select("owner", query=pl.col("payload").str.to_lowercase())
    many = folded.group_by("query").agg(pl.col("owner").n_unique()).filter(pl.col("owner") >= FEWEST_PEOPLE)
    return rows.filter(pl.col("query").str.to_lowercase().is_in(many["query"].implode()))


# Facts about published microdata: groups of rows with equal quasi-identifiers, and each column's mean and spread before and after.


def facts_of_microdata(manifest: Mapping[str, Any], release: Release, original: TableOriginal) -> Facts:
    """Return the facts of rows published for this table."""
    table = release.only(RowTable)
    names = [attribute.name for attribute in original.table.quasi]
    numeric = [attribute.name for attribute in original.table.quasi if attribute.kind == "numeric"]
    if not table.holds_numbers(numeric) or not set(names) <= set(table.columns):  # an audit may be given any table
        return Facts(manifest=manifest, published=table.n_rows)
    sizes = classes_of_rows(table.frame, names).sizes
    return Facts(
        manifest=manifest,
        published=table.n_rows,
        parts=("groups", "columns"),
        sizes=sizes_of(sizes),
        group_sizes=tally(sizes, cut=promised_group(manifest.get("claims", []))),
        spreads=spreads_of(table, original.table, fewest_people(manifest)),
    )


# Summaries of published rows: of a log, what is left of its queries and people; of an access log, how sessions and
# browsers changed; of microdata, what is lost of its dispersion.


AS_TYPED = "as typed"
OTHERWISE = "in another form"  # of the method's own, such as hashed
WORDS = {AS_TYPED: (("as typed",), "same"), "in lower case": (("lower-cased",), "near"), "as categories": (("generalized",), "changed")}


def summary_of_log(manifest: Mapping[str, Any]) -> Summary:
    """Summarize a log: the queries and people that are left."""
    metrics = manifest.get("metrics", {})
    queries, people = share_in(metrics, "queries_kept"), share_in(metrics, "people_kept")
    if queries is None or people is None:
        return Summary(lines=published_rows(manifest))
    note = f"of the distinct queries; {percent(people)} of the people issued one of them"
    lines = (*published_rows(manifest), ("kept", f"{percent(queries)} {note}"))
    words = _forms_of_words(manifest.get("accounting", {}).get("words", {}), str(manifest.get("method", "")))
    as_typed = next((share.value for share in words if share.name == AS_TYPED), None)
    return Summary(words, lines, Tile("Kept", percent(queries), note), as_typed, "words")


def _forms_of_words(ledger: Mapping[str, int], method: str) -> tuple[SummaryShare, ...]:
    """Return the words of the log by the form in which they are published; empty if the method does not account for words."""
    whole = ledger.get("in", 0)
    forms = {name: sum(ledger.get(part, 0) for part in parts) for name, (parts, _) in WORDS.items()}
    known = {part for parts, _ in WORDS.values() for part in parts}
    others = sum(n for part, n in ledger.items() if part not in {"in", *known} and fate_of(part, method) == "changed")
    forms |= {OTHERWISE: others} if others else {}
    forms["suppressed"] = whole - sum(forms.values())
    tones = {name: tone for name, (_, tone) in WORDS.items()} | {OTHERWISE: "vague0"}
    return tuple(SummaryShare(name, n, whole, tones.get(name, "gone0")) for name, n in forms.items()) if whole else ()


def summary_of_microdata(manifest: Mapping[str, Any]) -> Summary:
    """Summarize microdata: the share of the dispersion lost by group means."""
    lost = share_in(manifest.get("metrics", {}), "information_loss")
    if lost is None:
        return Summary(lines=published_rows(manifest))
    line = ("loss", f"{percent(lost)} of the variance (SSE / SST on standardized values)")
    tile = Tile("Loss", percent(lost), "of the variance; 0% is the original, 100% a single mean for all rows")
    return Summary(lines=(*published_rows(manifest), line), tile=tile)


def facts_of_items(manifest: Mapping[str, Any], release: Release, original: TableOriginal) -> Facts:
    """Return the facts of rows published for a table with item sets: the sizes of classes of rows with the same attributes."""
    table = release.only(RowTable)
    names = [attribute.name for attribute in original.table.quasi]
    if not names or not set(names) <= set(table.columns):
        return Facts(manifest=manifest, published=table.n_rows)
    sizes = classes_of_rows(table.frame, names).sizes
    cut = promised_group(manifest.get("claims", []))
    parts = ("groups",)
    return Facts(manifest=manifest, published=table.n_rows, parts=parts, sizes=sizes_of(sizes), group_sizes=tally(sizes, cut=cut))


def summary_of_items(manifest: Mapping[str, Any]) -> Summary:
    """Summarize a table with item sets: what is left of its items and of its attributes."""
    metrics = manifest.get("metrics", {})
    items, detail = share_in(metrics, "items_kept"), share_in(metrics, "attribute_detail")
    if items is None or detail is None:
        return Summary(lines=published_rows(manifest))
    note = f"of the items as typed, and {percent(detail)} of the detail of the attributes"
    return Summary(lines=(*published_rows(manifest), ("kept", f"{percent(items)} {note}")), tile=Tile("Kept", percent(items), note))


KIND = Kind(
    RowTable,
    write,
    read,
    count_differing,
    {"log": facts_of_log, "table": facts_of_microdata, "table with items": facts_of_items},
    {"log": summary_of_log, "table": summary_of_microdata, "table with items": summary_of_items},
    attacked=("sets", "bags", "log", "table with items"),
)

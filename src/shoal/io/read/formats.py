"""Detection of a file's format, separator and column roles.

They are detected from name, header and first lines unless the user states them. Every guess is reported; an ambiguous file is rejected,
with a hint how to resolve it.

A table with an unknown header also looks like lines of items. Read as transactions, every row would be a person, and its IDs would be
published as items. So lines are read as transactions only if nothing about the first lines looks like a table or a log: their numbers of
fields differ, the first one is not a header, and no field is a time, an address or a user.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from shoal import _kernels
from shoal.errors import InputError, ParameterError, option
from shoal.io.read.access_logs.access_log_lines import looks_like_access_log
from shoal.io.read.columns import (
    described_columns,
    find_roles,
    known_as_header,
    knows_any,
    listed_roles,
    missing_columns,
    no_header,
    not_records,
    not_transactions,
    numbered_roles,
    owners_among,
    owners_next_to_lists,
    plain,
    several_lists,
    unsure_of_header,
)
from shoal.io.read.conversations import holds_prompts, json_conversations, nested_conversations, prompt_roles
from shoal.io.read.delimited import BLANKS, guess_separator, has_quotes, one_byte, separator_name, separators_in
from shoal.io.read.json_lines import DefectiveLine, keys_once, loads_with, value_of
from shoal.io.read.options import ACCESSLOG, FORMATS, PROMPTS, ReadOptions
from shoal.io.read.parquet import schema_of
from shoal.io.read.result import ENCODING_HINT
from shoal.io.read.source import EXCEL, Source

# -- evidence against transactions


LINES = 2000  # that are looked at
# Maximum share of lines with the same number of fields; among real baskets, clicks and sales it is at most a fifth.
SAME_WIDTH = 0.75
# Maximum share of lines with a single field; among real click streams it is at most a half.
SINGLE = 0.95
# Maximum share of lines with a time or an address.
LOGGED = 0.1
# Below this number, lines may all begin with a unique item by chance.
ENOUGH_LINES = 10
NAMED_ROWS = 50  # that are looked at for the names of columns
MOST_COLUMNS = 200  # whose names are returned

_NAME = re.compile(r"(?=.*[^\W\d])[^\x00-\x1f]{1,60}")
_COMMENT = re.compile(r"\s*(#|//|--|%)")
_LOGGED = {
    "times": re.compile(r"\d:\d\d:\d\d|\d{4}[-/.]\d\d[-/.]\d\d|\b\d\d?[-/.]\d\d?[-/.]\d{4}\b|\b\d\d?/[A-Z][a-z]{2}/\d{4}"),
    "network addresses": re.compile(r"(?<![\d.])\d{1,3}(\.\d{1,3}){3}(?![\d.])"),
    "e-mail addresses": re.compile(r"[^\s@,;|]@[^\s@,;|]+\.[^\W\d]{2,}"),
}

Rows = Sequence[Sequence[str]]


def against_transactions(source: Source, separator: str | None, *, header: bool | None) -> str:
    """Return what about a file's lines looks like a table or a log; empty if nothing does. `header` is the user's option."""
    lines = first_lines(source)
    between = guess_separator([line.encode() for line in lines]) if separator is None else separator
    rows = _rows(source, between)
    return (
        _comment(lines)
        or _log(lines)
        or _table(source, lines)
        or _single(rows, between)
        or ("" if header is False else _header(rows))
        or _owned(rows)
    )


def against_records(rows: Rows) -> str:
    """Return what about lists of items in memory looks like rows of a table or a log; empty if nothing does."""
    width, n = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
    if width > 1 and n >= SAME_WIDTH * len(rows):
        return f"{'' if n == len(rows) else 'nearly '}all its lists have {width} items, like rows of a table"
    return _log([", ".join(row) for row in rows]) or _owned(rows)


def looks_like_header(rows: Rows) -> bool:
    """Whether the first line may be a header: words, none of which occurs again."""
    if not rows or not all(_NAME.fullmatch(name) for name in rows[0]):
        return False
    names = set(rows[0])
    return not any(names.intersection(row) for row in rows[1:])


def first_lines(source: Source) -> list[str]:
    """Return the first non-empty lines that were read completely."""
    lines = source.head.decode("utf-8", "replace").split("\n")
    whole = lines if source.whole or len(lines) == 1 else lines[:-1]
    return [line.rstrip("\r") for line in whole if line.strip()][:LINES]


def _rows(source: Source, separator: str) -> list[list[str]]:
    """Return the fields of all well-formed lines."""
    dialect = _kernels.Dialect(separator, has_quotes(separator))
    found = _kernels.first_records(source.head, dialect, source.whole, LINES)
    return [fields for defect, fields, _, _ in found if not defect and any(fields)]


def _comment(lines: Sequence[str]) -> str:
    """Whether lines look like comments: items may begin with a #, but then many do."""
    marked = sum(_COMMENT.match(line) is not None for line in lines)
    first = bool(lines) and _COMMENT.match(lines[0]) is not None
    return "its first line looks like a comment" if first and marked * 2 <= len(lines) else ""


def _log(lines: Sequence[str]) -> str:
    held = [what for what, shape in _LOGGED.items() if sum(shape.search(line) is not None for line in lines) > LOGGED * len(lines)]
    return f"its lines hold {' and '.join(held)}, as a log's do" if held else ""


def _table(source: Source, lines: Sequence[str]) -> str:
    """Try all possible field separators, with and without quoting: a stray quote spoils all fields.

    A separator that all lines have equally often comes before one that nearly all have, such as the comma of decimal numbers.
    """
    nearly = ""
    for separator in ("\t", ",", ";", "|", BLANKS):
        by_signs = [len(line.split(separator) if separator else line.split()) for line in lines]
        for widths in (by_signs, [len(row) for row in _rows(source, separator)]):
            width, n = Counter(widths).most_common(1)[0] if widths else (0, 0)
            seen = f"all its lines have {width} fields (separated by {separator_name(separator)}), as a table's do"
            if width > 1 and n == len(widths):
                return seen
            if width > 1 and n >= SAME_WIDTH * len(widths):
                nearly = nearly or f"nearly {seen}"
    return nearly


def _single(rows: Rows, separator: str) -> str:
    alone = sum(len(row) == 1 for row in rows)
    few = not rows or alone < SINGLE * len(rows)
    return "" if few else f"its lines have a single field each (separated by {separator_name(separator)})"


def _header(rows: Rows) -> str:
    return "its first line looks like a header" if looks_like_header(rows) else ""


def _owned(rows: Rows) -> str:
    """Whether lines are a user followed by items: the first field never occurs elsewhere."""
    longer = [row for row in rows if len(row) > 1]
    if len(longer) < ENOUGH_LINES or {row[0] for row in longer} & {item for row in longer for item in row[1:]}:
        return ""
    return "the first field of its lines never occurs elsewhere in them, like a user ID"


# -- formats


__all__ = ["FORMATS", "Layout", "ReadOptions", "find_layout", "first_records", "guess"]

AOL = ("anonid", "query", "querytime", "itemrank", "clickurl")
AOL_FIELDS = (3, 5)  # copies of the log whose trailing tabs were stripped have rows of three fields
SAMPLE = 50

_AOL_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_EXCITE_TIME = re.compile(r"\d{12}")

Sample = list[list[str]]


@dataclass(frozen=True)
class Layout:
    """How to read a file. `places` has the column of each role; `notes` describe what was detected.

    `turn_time` is the key of the time of a conversation's turn, empty if turns have none.
    """

    format: str
    container: str
    places: Mapping[str, int] = field(default_factory=dict)
    columns: Sequence[str] = ()
    separator: str = ""
    header: bool = False
    fields: tuple[int, int] = (1, 1)
    dash_is_empty: bool = False
    turn_time: str = ""
    notes: tuple[str, ...] = ()

    def dialect(self) -> _kernels.Dialect:
        """Return the dialect with which the kernels split its lines."""
        return _kernels.Dialect(self.separator, has_quotes(self.separator))


def guess(path: str | Path) -> tuple[str, str]:
    """Return the format of a file and the note about it."""
    layout = find_layout(Source.of_data(path), ReadOptions())
    return layout.format, layout.notes[0]


def column_names(path: Path, sep: str | None = None, encoding: str | None = None, header: bool | None = None) -> list[str]:
    """Return the names of the columns before anybody has assigned roles,
    or their numbers from 1 if the first line does not look like names; empty if lines differ in length.

    Args:
        path: A file.
        sep: The separator, if it is known.
        encoding: The encoding of a text file, if it is known.
        header: Whether the first line has names, if it is known.
    """
    source = Source.of_data(path, None, encoding)
    try:
        if source.is_parquet:
            return list(schema_of(source))[:MOST_COLUMNS]
        if source.is_json_lines:
            return json_names(source)[0][:MOST_COLUMNS]
        lines = first_lines(source)
        if not lines:
            return []
        between = "," if source.compression == EXCEL else separators_in(lines[0])[0] if sep is None else one_byte(sep)
        rows = first_records(source, between, NAMED_ROWS)
    finally:
        source.close()
    if not rows or len({len(row) for row in rows}) > 1:
        return []
    names = [name.strip() for name in rows[0]]
    named = (looks_like_header(rows) or knows_any(names)) if header is None else header
    return (names if named else [str(n + 1) for n in range(len(names))])[:MOST_COLUMNS]


def find_layout(source: Source, options: ReadOptions) -> Layout:
    """Return how to read this file, by the options and its content."""
    layout = _layout(source, options)
    if options.site_links is not None and layout.format != ACCESSLOG:
        raise ParameterError(
            f"{option('site-links')} is for access logs, but the format is {layout.format}",
            code="option-not-applicable",
            hint="leave it out",
        )
    return layout


def _layout(source: Source, options: ReadOptions) -> Layout:
    if options.format == ACCESSLOG and (source.is_parquet or source.is_json_lines):
        raise InputError(
            f"{source.path} has no lines of an access log",
            code="not-an-access-log",
            hint="an access log is a text file, plain, gzip or zstd",
        )
    if source.is_parquet:
        schema = schema_of(source)
        lists = [name for name, kind in schema.items() if isinstance(kind, pl.List)]
        prompts = _of_prompts(source, options, "parquet", list(schema), nested_conversations(schema))
        return prompts or _of_named(source, options, "parquet", list(schema), lists)
    if source.is_json_lines:
        names, lists = json_names(source)
        prompts = _of_prompts(source, options, "jsonl", names, json_conversations(_objects(source)))
        return prompts or _of_named(source, options, "jsonl", names, lists)
    if options.format == PROMPTS:
        raise InputError(f"{source.path} has no conversations in JSON or Parquet", code="no-conversations")
    if options.format is None and source.stem.endswith(".json"):
        raise InputError(
            f"{source.path} is neither a JSON array of objects nor JSON lines",
            code="not-json-lines",
            hint='write an array such as [{"user": "u1", "item": "Milk"}], or one object per line',
        )
    try:
        return _of_text(source, options)
    except InputError:
        if _is_utf8(source):
            raise
        raise InputError(f"{source.path} begins with a line that is not UTF-8", code="not-utf8", hint=ENCODING_HINT) from None


def _is_utf8(source: Source) -> bool:
    """Whether the first line is UTF-8; otherwise its header cannot be read."""
    try:
        source.head.lstrip(b"\r\n").split(b"\n", 1)[0].decode()
    except UnicodeDecodeError as error:
        return not source.whole and b"\n" not in source.head and error.end == len(source.head)  # cut within a character
    return True


def _of_text(source: Source, options: ReadOptions) -> Layout:
    """Return how to read the lines of a text."""
    if options.wanted_format == "transactions":
        return _of_transactions(source, options)
    if options.format == ACCESSLOG or _is_access_log(source, options):
        return Layout(ACCESSLOG, "delimited", notes=(_announced(ACCESSLOG, options, "its lines"),))
    return _of_columns(source, options)


def _is_access_log(source: Source, options: ReadOptions) -> bool:
    """Whether the lines are those of an access log and no option contradicts; the option user may name the user field."""
    silent = options.wanted_format is None and options.sep is None and options.header is None and options.time is None
    return silent and looks_like_access_log(first_lines(source)[:SAMPLE])


# -- delimited columns


def _of_columns(source: Source, options: ReadOptions) -> Layout:
    first = source.head.lstrip(b"\r\n").split(b"\n", 1)[0].decode("utf-8", "replace")
    separators = [one_byte(options.sep)] if options.sep is not None else separators_in(first)
    for separator in separators:
        sample = first_records(source, separator, SAMPLE)
        if sample:
            layout = _without_header(source, sample, separator, options) or _with_header(sample, separator, options)
            if layout is not None:
                return layout
    sample = first_records(source, separators[0], SAMPLE)
    has_names = options.header is not False and looks_like_header(sample)
    if sample and (options.header or (has_names and known_as_header(sample[0], options))):
        raise missing_columns(source, options, sample[0], surely_names=True)
    if options.wanted_format is None and not options.named:
        return _of_unknown_lines(source, options)
    raise missing_columns(source, options, sample[0], surely_names=False) if has_names else no_header(source, sample)


def _of_unknown_lines(source: Source, options: ReadOptions) -> Layout:
    """Return the layout of lines without a known header: transactions, unless they look like a table or a log."""
    separator = None if options.sep is None else one_byte(options.sep)
    seen = against_transactions(source, separator, header=options.header)
    if seen:
        raise not_transactions(source, seen)
    return _of_transactions(source, options)


def _with_header(sample: Sample, separator: str, options: ReadOptions) -> Layout | None:
    names = sample[0]
    roles = find_roles(names, options) if options.header is not False else {}
    if not roles:
        return None
    aol = tuple(plain(name) for name in names) == AOL
    fields = AOL_FIELDS if aol else (len(names), len(names))
    by = "AOL's header" if aol else "its header"
    return _delimited(options, by, roles, names, separator, header=True, fields=fields, dash_is_empty=aol)


def _without_header(source: Source, sample: Sample, separator: str, options: ReadOptions) -> Layout | None:
    width = len(sample[0])
    roles = numbered_roles(width, options)
    if roles:
        header = knows_any(sample[0]) if options.header is None else options.header
        if options.header is None and not header and looks_like_header(sample):
            raise unsure_of_header(source)
        names = sample[0] if header else []
        return _delimited(options, "numbered fields", roles, names, separator, header=header, fields=(width, width))
    if options.header or options.named or options.wanted_format == "table":
        return None
    if _mostly(sample, _is_aol):
        roles = {"user": 0, "time": 2, "text": 1} | ({"rank": 3, "url": 4} if options.needs_clicks else {})
        by = "AOL's columns without a header"
        return _delimited(options, by, roles, [], separator, header=False, fields=AOL_FIELDS, dash_is_empty=True)
    if _mostly(sample, _is_excite):
        roles = {"user": 0, "time": 1, "text": 2}
        by = "Excite's columns without a header"
        return _delimited(options, by, roles, [], separator, header=False, fields=(3, 3))
    return None


def _is_aol(record: list[str]) -> bool:
    few, most = AOL_FIELDS
    return few <= len(record) <= most and record[0].isdigit() and _AOL_TIME.fullmatch(record[2]) is not None


def _is_excite(record: list[str]) -> bool:
    return len(record) == 3 and _EXCITE_TIME.fullmatch(record[1]) is not None


def _mostly(sample: Sample, test: Callable[[list[str]], bool]) -> bool:
    """Whether the first record and most of the others pass; a few may be malformed."""
    return test(sample[0]) and sum(map(test, sample)) * 5 >= len(sample) * 4


def _delimited(
    options: ReadOptions,
    by: str,
    roles: Mapping[str, int],
    names: Sequence[str],
    separator: str,
    *,
    header: bool,
    fields: tuple[int, int],
    dash_is_empty: bool = False,
) -> Layout:
    format = "querylog" if "text" in roles else "table"
    columns = f"{described_columns(roles, names)}; separated by {separator_name(separator)}"
    return Layout(
        format,
        "delimited",
        roles,
        names,
        separator,
        header,
        fields,
        dash_is_empty,
        notes=(_announced(format, options, by), columns if header else f"{columns}; no header"),
    )


# -- Parquet and JSON


def json_names(source: Source) -> tuple[list[str], list[str]]:
    """Return the keys of the first objects, and those with lists."""
    objects = _objects(source)
    names = dict.fromkeys(name for value in objects for name in value)
    lists = dict.fromkeys(name for value in objects for name, held in value.items() if isinstance(held, list))
    return list(names), list(lists)


def _objects(source: Source) -> list[dict[str, Any]]:
    """Return the first lines that are JSON objects."""
    found, loads = [], loads_with(keys_once(frozenset()))
    lines = source.head.split(b"\n")
    for line in (lines if source.whole else lines[:-1])[:SAMPLE]:
        try:
            value = value_of(line.decode(), loads)
        except (DefectiveLine, UnicodeDecodeError):
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def _of_prompts(
    source: Source, options: ReadOptions, container: str, names: Sequence[str], named_roles: Mapping[str, str]
) -> Layout | None:
    """Return how to read a file of conversations; None if it is not one."""
    if not names or not holds_prompts(source, names, named_roles, options):
        return None
    roles = prompt_roles(source, names, named_roles, options)
    turns = names[roles["text"]]
    key = "" if options.time is not None else named_roles[turns]
    columns = list(names)
    if key and "time" not in roles:
        roles["time"] = len(columns)
        columns.append(f"{turns}.{key}")
    notes = [_announced(PROMPTS, options, "its conversations"), f"columns: {listed_roles(roles, columns)}"]
    notes.append("events are turns typed by people; turns of models are skipped")
    if key and roles["time"] < len(names):
        notes.append(f"the time of an event is that of its turn ({key!r}) if present, otherwise that of its conversation")
    return Layout(PROMPTS, container, roles, columns, turn_time=key, notes=tuple(notes))


def _of_named(source: Source, options: ReadOptions, container: str, names: Sequence[str], lists: Sequence[str]) -> Layout:
    if not names:
        raise InputError(
            f"{source.path} does not have one JSON object per line",
            code="not-json-lines",
            hint='give lines such as {"user": "u1", "item": "Milk"}',
        )
    if not source.is_file and (options.sep is not None or options.header is not None):
        raise InputError(
            f"{source.path} has neither separators nor a header line",
            code="option-not-applicable",
            hint=f"leave {option('sep')} and {option('header')} out",
        )
    called = {"parquet": source.container, "jsonl": "a JSON array" if source.array else "JSON lines"}[container]
    roles = find_roles(names, options) if options.wanted_format != "transactions" else {}
    if roles:
        format = "querylog" if "text" in roles else "table"
        notes = (
            _announced(format, options, f"its columns ({called})"),
            described_columns(roles, names),
        )
        return Layout(format, container, roles, names, notes=notes)
    column = options.item or ("items" if "items" in lists else lists[0] if len(lists) == 1 else "")
    if column in lists and (options.format == "transactions" or not options.named):
        if options.format is None and owners_among(names):
            raise owners_next_to_lists(source, owners_among(names))
        if options.format is None:
            _refuse_rows(source)
        by = f"a column of lists ({called})"
        notes = (
            _announced("transactions", options, by),
            f"items: the lists in {column!r}; one record per person",
        )
        return Layout("transactions", container, {"item": names.index(column)}, names, notes=notes)
    sure = container == "parquet" or known_as_header(names, options)
    if len(lists) > 1 and not options.named:
        raise several_lists(source, lists if sure else [])
    raise missing_columns(source, options, names, surely_names=sure)


def _refuse_rows(source: Source) -> None:
    """Raise if unnamed lists look like rows of a table: read as records, every row would be a person."""
    if source.plain_lists and source.table is not None:
        seen = against_records([row for (row,) in source.table.lazy().head(LINES).collect().iter_rows()])
        if seen:
            raise not_records(source, seen)


# -- transactions


def _of_transactions(source: Source, options: ReadOptions) -> Layout:
    lines = [line for line in source.head.split(b"\n")[:1000] if line.strip()]
    separator = guess_separator(lines) if options.sep is None else one_byte(options.sep)
    origin = "detected" if options.sep is None else "specified"
    items = f"items separated by {separator_name(separator)} ({origin}); each line is the record of one person"
    notes = (_announced("transactions", options, "lines without known columns"), items)
    return Layout("transactions", "delimited", separator=separator, header=bool(options.header), notes=notes)


# -- shared


def first_records(source: Source, separator: str, limit: int) -> Sample:
    """Return the fields of the first well-formed records; none if the very first line is malformed."""
    dialect = _kernels.Dialect(separator, has_quotes(separator))
    found = _kernels.first_records(source.head, dialect, source.whole, limit)
    if not found or found[0][0]:
        return []
    return [fields for defect, fields, _, _ in found if not defect]


def _announced(format: str, options: ReadOptions, by: str) -> str:
    return f"format {format} (specified)" if options.format else f"format {format}, detected from {by}"

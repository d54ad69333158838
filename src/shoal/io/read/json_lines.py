"""JSON lines: decoded by Polars in batches, and line by line where Polars is not reliable.

Polars does not report which line it rejects, takes the first of two equal keys, converts lists and Booleans to text, and unpaired
surrogates to NUL. So it gets only lines that are certainly free of all that (`_is_plain`); what it rejects, and all other lines, are read
one by one, so that defects get their line numbers. Both ways give the same values, which a test compares on random lines.
"""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from shoal.data.bags import Ints
from shoal.io.read.delimited import text_lines
from shoal.io.read.result import Tally
from shoal.io.read.source import Source

FEWEST_LINES = 32  # a refused piece of no more lines is read line by line

LINE, TEXT, FORM = "\0line", "\0text", "\0form"  # no key that is wanted bears these names
AS_TEXT, AS_WHOLE, AS_DECIMAL = range(3)  # the forms of a value: "1", 1, 1.0

# Unpaired surrogates, characters that Python treats as blanks and Polars does not, and keys with an escape.
_ODD = r'\\u(?:[dD][89a-fA-F]|00[01])|\\[^"]*"\s*:'
_INTEGER = r"(?:0|-?[1-9]\d{0,14})"
_STRING = r'"(?:[^"\\]|\\.)*"'
_ITEM = rf"(?:{_STRING}|{_INTEGER})"
NATURAL = r"(?:0|[1-9]\d{0,14})"
LIST = rf"\[\s*(?:{_ITEM}(?:\s*,\s*{_ITEM})*)?\s*\]"

NO_LINE = pl.col(TEXT).is_null()  # the lines that Polars may decode, where it may decode none

Row = tuple[Any, ...]


class DefectiveLine(Exception):
    """A line without a row, and the reason."""


@dataclass(frozen=True)
class Wanted:
    """What to read from each line: columns with their types, the lines that Polars may decode, and the function for a single line.

    If Polars finds nothing under a key, the line is read again by itself, unless `optional`: then the value is empty. `form` returns the
    JSON type of the first value of the lines that Polars decodes, as a further column FORM; `row` returns it too. `once` are the keys that
    no object may have twice; None: all keys.
    """

    schema: dict[str, pl.DataType]
    plain: pl.Expr
    row: Callable[[Any], Row]
    once: frozenset[str] | None = None
    optional: bool = False
    form: pl.Expr | None = None

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """The columns of a frame and their types."""
        return self.schema | ({} if self.form is None else {FORM: pl.Int64()})


def json_frames(source: Source, wanted: Wanted, tally: Tally) -> Iterator[tuple[pl.DataFrame, Ints]]:
    """Yield the wanted columns of all lines that have them, in file order, and the number (from 0) of each line."""
    for texts, lines in text_lines(source, tally):
        frame = pl.DataFrame({LINE: lines, TEXT: texts})
        plain = frame.select(wanted.plain).to_series()
        parts = list(_decoded(frame.filter(plain), wanted, tally))
        if not plain.all():
            parts.append(_line_by_line(frame.filter(~plain), wanted, tally))
        found = pl.concat(parts).sort(LINE)
        yield found.drop(LINE), found[LINE].to_numpy()


def _decoded(frame: pl.DataFrame, wanted: Wanted, tally: Tally) -> Iterator[pl.DataFrame]:
    """Decode with Polars, splitting a rejected batch in halves, until it is small enough to be read line by line."""
    if len(frame) <= FEWEST_LINES:
        yield _line_by_line(frame, wanted, tally)
        return
    found = decoded(frame[TEXT], wanted.schema)
    if found is not None:
        lacking = found.select(pl.any_horizontal(pl.all().is_null())).to_series() & (not wanted.optional)
        if wanted.form is not None:
            written = frame.select(wanted.form.cast(pl.Int64)).to_series()
            # A key inside of another object is not a key of the line.
            found = found.with_columns(pl.when(pl.nth(0).is_null()).then(AS_TEXT).otherwise(written).cast(pl.Int64).alias(FORM))
        yield found.insert_column(0, frame[LINE]).filter(~lacking)
        yield _line_by_line(frame.filter(lacking), wanted, tally)
        return
    half = len(frame) // 2
    yield from _decoded(frame[:half], wanted, tally)
    yield from _decoded(frame[half:], wanted, tally)


def decoded(texts: pl.Series, schema: dict[str, pl.DataType]) -> pl.DataFrame | None:
    """Return a row per line, null if a key is missing; None if Polars rejects any of the lines."""
    content = texts.str.join("\n").item().encode()
    try:
        found = pl.read_ndjson(io.BytesIO(content), schema=schema)
    except pl.exceptions.PolarsError:  # its message may hold data
        return None
    return found if len(found) == len(texts) else None


def _line_by_line(frame: pl.DataFrame, wanted: Wanted, tally: Tally) -> pl.DataFrame:
    rows, loads = [], loads_with(keys_once(wanted.once))
    for line, written in frame.iter_rows():
        try:
            rows.append((line, *wanted.row(value_of(written, loads))))
        except DefectiveLine as defect:
            tally.defects.add(str(defect), [line])
    return pl.DataFrame(rows, schema={LINE: pl.Int64(), **wanted.columns}, orient="row")


Pairs = list[tuple[str, Any]]


def keys_once(names: frozenset[str] | None) -> Callable[[Pairs], dict[str, Any]]:
    """Return a hook for objects that rejects these keys, or any key, if an object has one twice: which value is meant is not known."""

    def hook(pairs: Pairs) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            repeated = {name for name, times in Counter(name for name, _ in pairs).items() if times > 1}
            if names is None or repeated & names:
                raise DefectiveLine("a key twice")
        return found

    return hook


def loads_with(hook: Callable[[Pairs], dict[str, Any]]) -> Callable[[str], Any]:
    """Return a parser with this hook for objects. NaN, which some libraries write for a missing value, is null as in a frame."""
    return partial(json.loads, object_pairs_hook=hook, parse_constant=_constant)


def _constant(name: str) -> float | None:
    return None if name == "NaN" else float(name)


def value_of(written: str, loads: Callable[[str], Any]) -> Any:
    """Parse a value. Raise if it is not JSON, or contains an unpaired surrogate."""
    try:
        value = loads(written)
        if "\\u" in written:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise DefectiveLine("half a character") from None
    except (ValueError, RecursionError):
        raise DefectiveLine("not JSON") from None
    return value


# -- columns with one value per line


def text_values(names: Sequence[str]) -> Wanted:
    """Read one text or number per line under each of these keys, as text without surrounding blanks; a missing one is empty.

    The text does not show the JSON type, so the type of the first one is kept.
    """
    value = rf'(?:"|null\s*[,}}]|{_INTEGER}(?:\.0{{1,3}})?\s*[,}}])'

    def row(value: Any) -> Row:
        if not isinstance(value, dict):
            raise DefectiveLine("not a JSON object")
        values = [value.get(name) for name in names]
        if any(isinstance(v, (list, dict, bool)) for v in values):
            raise DefectiveLine("neither text nor number")
        return (*map(plain_text, values), written_form(values[0]))

    schema: dict[str, pl.DataType] = {name: pl.String() for name in names}
    return Wanted(schema, _is_plain(names, value), row, once=frozenset(names), optional=True, form=_form(names[0]))


def _form(name: str) -> pl.Expr:
    """Return the JSON type of the value under this key in a plain line."""
    key = rf'"{pl.escape_regex(name)}"\s*:\s*'
    number = pl.when(pl.col(TEXT).str.contains(rf"{key}-?\d+\.")).then(AS_DECIMAL).otherwise(AS_WHOLE)
    return pl.when(pl.col(TEXT).str.contains(rf"{key}-?\d")).then(number).otherwise(AS_TEXT)


def written_form(value: Any) -> int:
    """Return the JSON type of a value: text, integer or float."""
    return {int: AS_WHOLE, float: AS_DECIMAL}.get(type(value), AS_TEXT)


def plain_text(value: str | float | None) -> str:
    """Return a value as text without surrounding blanks: a missing one is empty, an integer has no point. Raise if it is infinite."""
    _insist_on_finite(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value).strip()


def _insist_on_finite(value: Any) -> None:
    if isinstance(value, float) and math.isinf(value):
        raise DefectiveLine("an infinite number")


# -- lists of items


def item_lists(name: str) -> Wanted:
    """Read the list of items under this key."""

    def row(value: Any) -> Row:
        items = json_items(value.get(name) if isinstance(value, dict) else None)
        if items is None:
            raise DefectiveLine("no list of items")
        return (items,)

    return Wanted({name: pl.List(pl.String())}, _is_plain([name], LIST), row, once=frozenset({name}))


def json_items(value: Any) -> list[str] | None:
    """Return a JSON list of strings or numbers as item names; None if it is anything else. Raise if a number is infinite."""
    if not isinstance(value, list) or not all(isinstance(i, (str, int, float)) and not isinstance(i, bool) for i in value):
        return None
    for item in value:
        _insist_on_finite(item)
    return [str(item) for item in value]


def _is_plain(names: Sequence[str], value: str) -> pl.Expr:
    """Match lines with each of these keys once, with a value of this pattern, and nothing unusual."""
    plain = holds_nothing_odd(pl.col(TEXT))
    for name in names:
        if json.dumps(name, ensure_ascii=False) != f'"{name}"':  # written with an escape
            return NO_LINE
        key = rf'"{pl.escape_regex(name)}"\s*:'
        plain &= (pl.col(TEXT).str.count_matches(key) == 1) & pl.col(TEXT).str.contains(rf"{key}\s*{value}")
    return plain


def holds_nothing_odd(texts: pl.Expr) -> pl.Expr:
    """Match lines without unpaired surrogates, blanks that only Python knows, and keys with an escape."""
    return ~texts.str.contains(_ODD)

"""What is in a file: its format, its separator and which columns play which part, guessed from name and header where nobody says.

Every guess becomes an announcement. A file that could be read in two ways is refused, with a hint on how to say which is meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shoal import _kernels
from shoal.errors import InputError, ParameterError
from shoal.io.source import Source

FORMATS = ("querylog", "table", "transactions")
ROLES = ("user", "time", "text", "item")

# Names under which a column is recognised, in small letters and without blanks, dashes and underscores.
KNOWN = {
    "user": {"user", "anonid", "userid", "uid", "owner", "ownerid", "customer", "customerid", "client", "clientid", "member", "memberid"},
    "time": {"time", "querytime", "timestamp", "datetime", "date", "when", "ts"},
    "text": {"query", "text", "querytext", "searchterm", "searchterms", "keywords", "q"},
    "item": {"item", "itemid", "itemname", "tag", "product", "productid", "sku", "movieid", "term", "word", "article"},
}
AOL = ("anonid", "query", "querytime", "itemrank", "clickurl")
SEPARATORS = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar", "": "blanks", " ": "blank"}

_AOL_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_EXCITE_TIME = re.compile(r"\d{12}")
_NAME = re.compile(r"[^\W\d][\w .:/()-]{0,40}")


@dataclass(frozen=True)
class ReadOptions:
    """What the user says about a file; None leaves it to be found out. Columns are named, or numbered from 1 where there is no header."""

    format: str | None = None
    user: str | None = None
    time: str | None = None
    text: str | None = None
    item: str | None = None
    sep: str | None = None
    header: bool | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise ParameterError(f"no format is called {self.format!r}", hint=f"there are {', '.join(FORMATS)}", value=self.format)
        if self.text is not None and self.item is not None:
            raise ParameterError("a file has a text column (querylog) or an item column (table), not both")

    def named(self, role: str) -> str | None:
        """The column that the user named for a role."""
        found: str | None = getattr(self, role)
        return found

    @property
    def wanted_format(self) -> str | None:
        """The format that was named, or that follows from the named columns."""
        implied = "querylog" if self.text is not None else "table" if self.item is not None else None
        return self.format or implied


@dataclass(frozen=True)
class Layout:
    """How a file is to be read. `places` gives the column of each role; `notes` say what was guessed."""

    format: str
    container: str
    places: Mapping[str, int] = field(default_factory=dict)
    columns: Sequence[str] = ()
    separator: str = ""
    quoted: bool = False
    header: bool = False
    fields: tuple[int, int] = (1, 1)
    dash_is_empty: bool = False
    notes: tuple[str, ...] = ()

    def dialect(self) -> _kernels.Dialect:
        """How the kernels are to cut its lines."""
        return _kernels.Dialect(self.separator, self.quoted)


def guess(path: str | Path) -> tuple[str, str]:
    """The format of a file and the line that announces it."""
    layout = find_layout(Source.of(path), ReadOptions())
    return layout.format, layout.notes[0]


def find_layout(source: Source, options: ReadOptions) -> Layout:
    """How this file is to be read, by what the user says and what the file shows."""
    if source.is_parquet:
        return _of_parquet(source, options)
    if source.stem.endswith((".jsonl", ".ndjson")) or source.head.lstrip()[:1] == b"{":
        return _of_jsonl(source, options)
    if options.wanted_format == "transactions":
        return _of_transactions(source, options)
    return _of_columns(source, options)


# -- delimited columns


def _of_columns(source: Source, options: ReadOptions) -> Layout:
    for separator in _separators_to_try(source, options):
        sample = first_records(source, separator, quoted=separator != "\t", limit=50)
        if not sample:
            continue
        layout = _without_header(sample, separator, options) or _with_header(sample, separator, options)
        if layout is not None:
            return layout
    if options.wanted_format is None and options.user is None:
        return _of_transactions(source, options)
    raise _no_columns(source, options)


def _separators_to_try(source: Source, options: ReadOptions) -> list[str]:
    if options.sep is not None:
        return [one_byte(options.sep)]
    first = source.head.lstrip(b"\r\n").split(b"\n", 1)[0].decode("utf-8", "replace")
    present = [s for s in "\t,;|" if s in first]
    return sorted(present, key=lambda s: -first.count(s)) or ["\t"]


def _with_header(sample: list[list[str]], separator: str, options: ReadOptions) -> Layout | None:
    if options.header is False:
        return None
    header = sample[0]
    roles, format = _roles(header, options)
    if not roles:
        return None
    aol = tuple(plain(name) for name in header) == AOL
    notes = [
        _announced(format, options, "AOL's columns" if aol else "its header"),
        f"columns: {_listed_roles(roles, header)}; separated by {separator_name(separator)}",
    ]
    return Layout(
        format,
        "delimited",
        roles,
        header,
        separator,
        quoted=separator != "\t",
        header=True,
        fields=(3, 5) if aol else (len(header), len(header)),
        dash_is_empty=aol,
        notes=tuple(notes),
    )


def _without_header(sample: list[list[str]], separator: str, options: ReadOptions) -> Layout | None:
    if options.header:
        return None
    numbers = {role: options.named(role) for role in ROLES if options.named(role) is not None}
    if numbers and all(str(n).isdigit() for n in numbers.values()) and "user" in numbers and ("text" in numbers or "item" in numbers):
        return _by_numbers(sample, separator, options, {role: int(str(n)) - 1 for role, n in numbers.items()})
    if numbers or options.wanted_format not in {None, "querylog"}:
        return None
    width = {len(record) for record in sample}
    if all(len(r) >= 3 and r[0].isdigit() and _AOL_TIME.fullmatch(r[2]) for r in sample) and width <= {3, 4, 5}:
        return _headless("AOL's columns", separator, options, {"user": 0, "text": 1, "time": 2}, (3, 5))
    if width == {3} and all(_EXCITE_TIME.fullmatch(r[1]) for r in sample):
        return _headless("Excite's columns", separator, options, {"user": 0, "time": 1, "text": 2}, (3, 3))
    return None


def _headless(what: str, separator: str, options: ReadOptions, places: dict[str, int], fields: tuple[int, int]) -> Layout:
    notes = (
        _announced("querylog", options, f"{what} without a header"),
        f"columns: {', '.join(f'{role} = field {at + 1}' for role, at in places.items())}; separated by {separator_name(separator)}",
    )
    aol = fields == (3, 5)
    return Layout(
        "querylog", "delimited", places, (), separator, separator != "\t", False, fields, dash_is_empty=aol, notes=notes
    )


def _by_numbers(sample: list[list[str]], separator: str, options: ReadOptions, places: dict[str, int]) -> Layout:
    width = len(sample[0])
    for role, at in places.items():
        if not 0 <= at < width:
            raise InputError(f"there is no field {at + 1} for the {role}: the first line has {width} fields", value=at + 1, limit=width)
    format = "querylog" if "text" in places else "table"
    listed = ", ".join(f"{role} = field {at + 1}" for role, at in places.items())
    notes = (_announced(format, options, "the numbered fields"), f"no header; columns: {listed}; separated by {separator_name(separator)}")
    return Layout(format, "delimited", places, (), separator, separator != "\t", False, (width, width), notes=notes)


def _no_columns(source: Source, options: ReadOptions) -> InputError:
    separators = _separators_to_try(source, options)
    sample = first_records(source, separators[0], quoted=separators[0] != "\t", limit=50)
    header = sample[0] if sample else []
    wanted = ", ".join(f"--{role} {options.named(role)}" for role in ROLES if options.named(role)) or "a user column and a text or item column"
    if not _looks_like_header(sample):
        return InputError(
            f"{source.path} has no header with the needed columns ({wanted}): its first line holds data ({len(header)} fields)",
            hint="number the fields from 1, as in --user 1 --text 3",
        )
    return missing_columns(source, options, header)


# -- Parquet and JSON lines


def _of_parquet(source: Source, options: ReadOptions) -> Layout:
    import polars as pl

    schema = pl.read_parquet_schema(source.path)
    lists = [name for name, kind in schema.items() if isinstance(kind, pl.List)]
    return _of_named(source, options, "parquet", list(schema), lists)


def _of_jsonl(source: Source, options: ReadOptions) -> Layout:
    names: dict[str, None] = {}
    lists: dict[str, None] = {}
    for line in source.head.split(b"\n")[: 50 if source.whole else -1][:50]:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            names.update(dict.fromkeys(record))
            lists.update({name: None for name, value in record.items() if isinstance(value, list)})
    if not names:
        raise InputError(f"{source.path} does not hold JSON objects, one a line")
    return _of_named(source, options, "jsonl", list(names), list(lists))


def _of_named(source: Source, options: ReadOptions, container: str, names: list[str], lists: list[str]) -> Layout:
    called = {"parquet": "Parquet", "jsonl": "JSON lines"}[container]
    roles, format = _roles(names, options)
    if roles and options.wanted_format != "transactions":
        notes = (_announced(format, options, f"its columns ({called})"), f"columns: {_listed_roles(roles, names)}")
        return Layout(format, container, roles, names, notes=notes)
    column = options.item or ("items" if "items" in lists else lists[0] if len(lists) == 1 else None)
    if column in lists and options.wanted_format in {None, "transactions"}:
        notes = (_announced("transactions", options, f"a column of lists ({called})"), f"items: the lists in {column!r}")
        return Layout("transactions", container, {"item": names.index(column)}, names, notes=notes)
    raise missing_columns(source, options, names)


# -- transactions


def _of_transactions(source: Source, options: ReadOptions) -> Layout:
    separator = one_byte(options.sep) if options.sep is not None else guess_separator(source)
    says = "given" if options.sep is not None else "guessed"
    notes = (
        _announced("transactions", options, "one record a line"),
        f"items separated by {separator_name(separator)} ({says}); each line is one person's record",
    )
    return Layout(
        "transactions", "delimited", {}, (), separator, quoted=separator in {",", ";"}, header=bool(options.header), notes=notes
    )


def guess_separator(source: Source) -> str:
    """What stands between the items of transaction lines: tab, comma, semicolon, or blanks ("") where none of those occurs."""
    lines = [line for line in source.head.split(b"\n")[:1000] if line.strip()]
    having = {sep: sum(sep.encode() in line for line in lines) for sep in "\t,;"}
    best = max(having, key=lambda sep: having[sep])
    return best if having[best] else ""


# -- columns and their roles


def _roles(names: Sequence[str], options: ReadOptions) -> tuple[dict[str, int], str]:
    """The column of each role and the format they make; no roles where the user or the payload cannot be found."""
    found = {role: _column(names, role, options) for role in ROLES}
    wanted = options.wanted_format
    payload = {"querylog": "text", "table": "item"}.get(wanted or "") or ("text" if found["text"] is not None else "item")
    if found["user"] is None or found[payload] is None or (options.time is not None and found["time"] is None):
        return {}, ""
    chosen = {role: at for role, at in found.items() if at is not None and role in {"user", "time", payload}}
    if len(set(chosen.values())) < len(chosen):
        raise ParameterError(f"one column cannot play two parts: {_listed_roles(chosen, names)}")
    return chosen, "querylog" if payload == "text" else "table"


def _column(names: Sequence[str], role: str, options: ReadOptions) -> int | None:
    named = options.named(role)
    if named is not None:
        at = [i for i, name in enumerate(names) if name == named]
        if len(at) > 1:
            raise InputError(f"the header has {len(at)} columns called {named!r}", hint="rename all but one", value=named)
        return at[0] if at else None
    at = [i for i, name in enumerate(names) if plain(name) in KNOWN[role]]
    if len(at) > 1:
        listed = ", ".join(repr(names[i]) for i in at)
        raise InputError(f"several columns could be the {role}: {listed}", hint=f"name one with --{role}")
    return at[0] if at else None


def missing_columns(source: Source, options: ReadOptions, names: Sequence[str]) -> InputError:
    """The error that says which columns were wanted and which there are."""
    named = {role: options.named(role) for role in ROLES if options.named(role) is not None}
    absent = [repr(name) for name in named.values() if name not in names]
    what = f"no column {' and no column '.join(absent)}" if absent else "no columns that could be the user and the text or item"
    there = ", ".join(repr(name) for name in names)
    return InputError(f"{source.path} has {what}; it has {there}", hint="name them with --user, --time and --text or --item", columns=list(names))


def _looks_like_header(sample: list[list[str]]) -> bool:
    """Whether the first line names columns: all words, none of which comes again below as a value of its column."""
    if not sample or not all(_NAME.fullmatch(name) for name in sample[0]):
        return False
    return not any(value == name for record in sample[1:] for name, value in zip(sample[0], record, strict=False))


def first_records(source: Source, separator: str, *, quoted: bool, limit: int) -> list[list[str]]:
    """The fields of the first records that are sound."""
    found = _kernels.first_records(source.head, _kernels.Dialect(separator, quoted), source.whole, limit)
    return [[field.decode() for field in fields] for fields, _, _ in found]


def plain(name: str) -> str:
    """A column name in small letters, without blanks, dashes and underscores."""
    return re.sub(r"[\s_-]", "", name).lower()


def one_byte(sep: str) -> str:
    """A separator as the user writes it: one character, `tab` or `\\t`, `comma`, `blanks`..."""
    words = {name: sep for sep, name in SEPARATORS.items()} | {"\\t": "\t", "space": " ", "whitespace": ""}
    found = words.get(sep, sep)
    if len(found.encode()) > 1 or found in {"\n", "\r", '"', "\0"}:
        raise ParameterError(f"a separator is one ASCII character, not {sep!r}", hint="or one of tab, comma, semicolon, blanks", value=sep)
    return found


def separator_name(separator: str) -> str:
    """The separator in words."""
    return SEPARATORS.get(separator, repr(separator))


def _announced(format: str, options: ReadOptions, by: str) -> str:
    return f"format {format} (as asked)" if options.format else f"format {format}, recognised by {by}"


def _listed_roles(roles: Mapping[str, int], names: Sequence[str]) -> str:
    return ", ".join(f"{role} = {names[at]!r}" for role, at in roles.items())

"""The rows of a raw input in plain Python: which can be used, whose they are, and how many are malformed and why.

Written from docs/reading.md; nothing is imported from shoal.
"""

from __future__ import annotations

import ipaddress
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from fuzz.case import Case
from helpers.checker import Row, read_tree

AOL = ["AnonID", "Query", "QueryTime", "ItemRank", "ClickURL"]
OF_AOL = {"AnonID": "user", "QueryTime": "time"}
USERS = {"querylog": "user", "table": "user", "prompts": "user", "documents": "author"}
MOST_MALFORMED = 0.1


@dataclass
class Raw:
    """The rows that can be used, with the person in the column `user`, and the reasons why others cannot.

    `spellings` are the user IDs as written, without surrounding blanks. A row with several defects has several reasons. `shares_names`:
    two nodes of the taxonomy have one name. `unusable`: a table of people has a cell that cannot be used.
    """

    rows: list[Row] = field(default_factory=list)
    defects: list[set[str]] = field(default_factory=list)
    blank: int = 0
    spellings: set[str] = field(default_factory=set)
    shares_names: bool = False
    unusable: bool = False

    @property
    def reasons(self) -> Counter[str] | None:
        """The number of malformed rows by reason; None if a row has several, of which one is counted."""
        return Counter(next(iter(one)) for one in self.defects) if all(len(one) == 1 for one in self.defects) else None


def read_raw(case: Case, directory: Path) -> Raw:
    """The rows of all inputs of a case."""
    raw = Raw(shares_names=_shares_names(directory / case.text("taxonomy", "")))
    for name in case.inputs:
        for row, broken in _rows(case, directory / name, raw):
            defects = broken or (_missing(case, row) if row is not None else set())
            if defects or row is None:
                raw.defects.append(defects)
            else:
                raw.rows.append(row)
    raw.unusable = case.form == "microdata" and has_unusable_cells(case, directory, raw.rows)
    if user := user_column(case):
        raw.spellings = {row[user] for row in raw.rows}
        folds = case.said.get("owners") == "folded"
        raw.rows = [{**row, user: one_spelling(row[user]) if folds else row[user]} for row in raw.rows]
    return raw


def user_column(case: Case) -> str:
    """The column of the user; empty if there is none, or if addresses are users, which have one spelling."""
    if case.form == "accesslog":
        return "auth" if case.said.get("user") == "auth" else ""
    if case.form == "microdata":
        return case.text("user", "")
    return "" if case.form == "documents" and "user" not in case.said else USERS.get(case.form, "")


def _shares_names(path: Path) -> bool:
    """Whether a file is a taxonomy of which two nodes have one name."""
    if path.suffix not in {".json", ".tsv"} or not path.is_file():
        return False
    if path.suffix == ".tsv":
        names = [line.split("\t")[0] for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        names = list(_names_in(json.loads(path.read_text(encoding="utf-8"))))
    return len(set(names)) < len(names)


def _names_in(tree: dict[str, Any]) -> Iterator[str]:
    for name, below in tree.items():
        yield name
        yield from _names_in(below)


# -- one person


def one_spelling(name: str) -> str:
    """A user ID without capitals, quotes around it, repeated blanks, invisible characters, Unicode forms, and forms of numbers."""
    seen = "".join(letter for letter in name if not _is_invisible(letter))
    text = " ".join(unicodedata.normalize("NFKC", seen).upper().lower().replace("i\u0307", "i").split())
    for quote in "\"'":
        if len(text) > 1 and text[0] == text[-1] == quote:
            text = text[1:-1].strip()
    if not re.fullmatch(r"[+-]?(\d+\.?|\d*\.\d+)(e[+-]?\d{1,3})?", text):
        return text
    number = Decimal(text).normalize()
    return f"{number if number else Decimal(0):f}"


INVISIBLE = "\u034f\u115f\u1160\u3164\uffa0" + "".join(map(chr, range(0xFE00, 0xFE10)))  # joiners, fillers, variation selectors


def _is_invisible(letter: str) -> bool:
    is_control = unicodedata.category(letter) == "Cc" and letter not in "\t\n\v\f\r\x85"
    return is_control or unicodedata.category(letter) == "Cf" or letter in INVISIBLE


def canonical_address(written: str) -> str | None:
    """An address in its normal spelling, None if it is none."""
    try:
        found = ipaddress.ip_address(written.strip("[]"))
    except ValueError:
        host = written.lower().rstrip(".")
        is_host = re.fullmatch(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?", host) and not re.fullmatch(r"[0-9]+(\.[0-9]+)+", host)
        return host if is_host and host.isascii() else None
    inside = found.ipv4_mapped if found.version == 6 else None
    return str(inside or found).partition("%")[0]


# -- files


def _rows(case: Case, path: Path, raw: Raw) -> Iterator[tuple[Row | None, set[str]]]:
    """Each row of a file that is not blank, with its defects; None where it has no columns."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        yield from ((_texts(row, case), set()) for row in pq.read_table(path).to_pylist())
        return
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    if case.form == "lines":
        yield from _item_lines(case, data, raw)
        return
    if case.form == "accesslog" or path.suffix == ".jsonl":
        for line in data.removesuffix(b"\n").split(b"\n"):
            defect = "binary bytes" if b"\0" in line else "" if _is_utf8(line) else "not UTF-8"
            text = line.removesuffix(b"\r").decode("utf-8", "replace").strip(" \t")
            if not text:
                raw.blank += 1
            elif defect:
                yield None, {defect}
            else:
                yield _access(case, text) if case.form == "accesslog" else _json(case, text)
        return
    yield from _delimited(case, path, data, raw)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _item_lines(case: Case, data: bytes, raw: Raw) -> Iterator[tuple[Row | None, set[str]]]:
    """Transactions: a line is the record of one person."""
    for fields, broken in split_records(data, case.text("sep", ",").encode(), quoted=True, trimmed=True):
        if fields == [""] and not broken:
            raw.blank += 1
        elif broken:
            yield None, {broken}
        else:
            yield {"items": tuple(item for item in fields if item)}, set()


# -- delimited text


def _delimited(case: Case, path: Path, data: bytes, raw: Raw) -> Iterator[tuple[Row | None, set[str]]]:
    separator = b"," if path.suffix == ".csv" else b"\t"
    trimmed = case.form != "microdata"
    quoted = path.suffix == ".csv" or case.form == "microdata"
    records = list(split_records(data, separator, quoted=quoted, trimmed=trimmed))
    if not records:
        return
    header = [name.strip() for name in records[0][0]]
    fewest, most = (3, 5) if header == AOL else (len(header), len(header))
    for fields, broken in records[1:]:
        empty = fields == [""] or (case.form == "microdata" and len(fields) == most and not any(field.strip() for field in fields))
        if empty and not broken:
            raw.blank += 1
        elif broken or not fewest <= len(fields) <= most:
            yield None, {broken or ("too few fields" if len(fields) < fewest else "too many fields")}
        else:
            row = dict(zip(header, [*fields, *[""] * (len(header) - len(fields))], strict=True))
            wanted = [name for name in header if name in wanted_columns(case, header)]
            repeats = all(
                row[name].strip("" if case.form == "microdata" else '\ufeff"').strip("\ufeff \t").lower() == name.lower() for name in wanted
            )
            blanks = None if case.form == "microdata" else " \t"
            named = {**row, user: row[user].strip(blanks)} if (user := user_column(case)) in row else row
            yield {OF_AOL.get(name, name): value for name, value in named.items()}, {"repeated header"} if repeats else set()


def split_records(data: bytes, separator: bytes, *, quoted: bool, trimmed: bool) -> Iterator[tuple[list[str], str]]:
    """The fields of each record, or what is wrong with it. If quotes are misused, only the first line of the record is given up."""
    at = 0
    while at < len(data):
        end = _find(data, b"\n", at)
        if not quoted or b'"' not in data[at:end]:
            fields, stop, broken = data[at:end].removesuffix(b"\r").split(separator), end, ""
        else:
            fields, stop, broken = _quoted(data, at, separator, trimmed)
        after = (end if broken else stop) + 1
        if not broken:
            broken = "binary bytes" if b"\0" in data[at:stop] else "" if _is_utf8(data[at:stop]) else "not UTF-8"
        blanks = " \t".replace(separator.decode(), "") if trimmed else ""
        texts = [one.decode("utf-8", "replace") for one in fields]
        yield [text.strip(blanks) if blanks else text for text in texts], broken
        at = after


def _quoted(data: bytes, at: int, separator: bytes, trimmed: bool) -> tuple[list[bytes], int, str]:
    blank = rb"[ \t]*" if trimmed else b""
    closed = re.compile(blank + rb'"((?:[^"]|"")*)"' + blank + rb"(?:\r(?=\n|\Z))?(?=" + re.escape(separator) + rb"|\n|\Z)")
    fields: list[bytes] = []
    while True:
        if begins := re.compile(blank + b'"').match(data, at):
            found = closed.match(data, at)
            if not found:
                return [], at, "quote never closed" if _never(data, begins.end()) else "misplaced quote"
            fields.append(found[1].replace(b'""', b'"'))
            at = found.end()
        else:
            stop = min(_find(data, separator, at), _find(data, b"\n", at))
            ends = data[stop : stop + 1] != separator
            fields.append(data[at:stop].removesuffix(b"\r") if ends else data[at:stop])
            at = stop
        if at >= len(data) or data[at : at + 1] == b"\n":
            return fields, at, ""
        at += 1


def _find(data: bytes, what: bytes, at: int) -> int:
    """The next place of these bytes, or the end."""
    found = data.find(what, at)
    return len(data) if found < 0 else found


def _never(data: bytes, at: int) -> bool:
    """Whether no single quote follows: only doubled ones."""
    return b'"' not in data[at:].replace(b'""', b"")


# -- JSON lines


def _json(case: Case, text: str) -> tuple[Row | None, set[str]]:
    wanted = wanted_columns(case)
    try:
        pairs = json.loads(text, object_pairs_hook=_Object, parse_constant=lambda name: None if name == "NaN" else math.inf)
    except (ValueError, RecursionError):
        return None, {"not JSON"}
    if "\\u" in text and not _is_whole(pairs):
        return None, {"half a character"}
    if not isinstance(pairs, _Object):
        return None, {"not a JSON object"}
    defects = set()
    if pairs.repeated & (wanted if case.form != "prompts" else pairs.repeated):
        defects.add("a key twice")
    if any(isinstance(pairs.get(name), (list, dict, bool)) for name in wanted - {"conversation"}):
        defects.add("neither text nor number")
    if any(isinstance(pairs.get(name), float) and math.isinf(pairs[name]) for name in wanted):
        defects.add("an infinite number")
    return (None if defects else _texts(pairs, case)), defects


class _Object(dict[str, Any]):
    """A JSON object that knows which keys it had twice."""

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        found = list(pairs)
        super().__init__(found)
        self.repeated = {name for name, n in Counter(name for name, _ in found).items() if n > 1}


def _is_whole(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _texts(row: dict[str, Any], case: Case) -> Row:
    """Values as a text file has them; those of microdata as they are, but for the user."""
    plain = case.form == "microdata"
    user = user_column(case)
    return {name: value if (plain and name != user) or name == "conversation" else _text(value) for name, value in row.items()}


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


# -- rows


def wanted_columns(case: Case, header: Iterable[str] = ()) -> set[str]:
    """The columns that are read, as far as they matter for defects."""
    if case.form == "microdata":
        return set(header)
    of_form = {
        "table": {"user", "item"},
        "querylog": {"user", "AnonID", "query", "Query"},
        "prompts": {"user", "conversation"},
        "documents": {case.text("user", ""), "text"},
    }
    options = {"count": {"qty"}, "record": {"basket"}}
    return of_form.get(case.form, set()).union(*(names for option, names in options.items() if option in case.said))


def insists_on_times(case: Case) -> bool:
    """Whether rows without a readable time cannot be used: if records are sessions, or the column of times is named."""
    return "time" in case.said or (case.said.get("per") == "session" and "record" not in case.said)


def _missing(case: Case, row: Row) -> set[str]:
    """What a row lacks. Its time is replaced by one in the usual form, and its count by a usual number."""
    if case.form in {"lines", "accesslog", "microdata"}:
        return set()
    if (user := user_column(case)) and not row.get(user):
        return {"no user"}
    found = set()
    if case.form == "table" and not row.get("item"):
        found.add("no item")
    if row.get("time") or insists_on_times(case):
        time = read_time(str(row.get("time", "") or row.get("timestamp", "")))
        if time is None and insists_on_times(case):
            found.add("unreadable time")
        elif "time" in row:
            row["time"] = str(time) if time else ""
    if "record" in case.said and not row.get("basket"):
        found.add("no record")
    if "count" in case.said:
        count = re.fullmatch(r"\+?0*([1-9][0-9]*)(\.0*)?", str(row.get("qty", "")).strip())
        if not str(row.get("qty", "")).strip():
            found.add("no count")
        elif not count or int(count[1]) >= 2**31:
            found.add("count is not a whole number of 1 or more")
        else:
            row["qty"] = int(count[1])
    return found


TIME = re.compile(r"([0-9]{4})([-/])([0-9]{2})\2([0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?)?")


def read_time(text: str) -> datetime | None:
    """A time in the form that cases have, or seconds since 1970; a leap second is the second after it."""
    if re.fullmatch(r"[0-9]{1,7}|[0-9]{9,10}", text.strip()):
        return datetime(1970, 1, 1) + timedelta(seconds=int(text))
    found = TIME.fullmatch(text.strip().removesuffix("Z"))
    if not found:
        return None
    year, _, month, day, hour, minute, second = (int(part) if part and part.isdigit() else 0 for part in found.groups())
    try:
        time = datetime(year, month, day, hour, minute, min(second, 59))
    except ValueError:
        return None
    return time + timedelta(seconds=1) if second == 60 else time if second < 60 else None


# -- access logs

_TEXT = r'"((?:[^"\\]|\\.)*)"'
LINE = re.compile(rf'(\S+) (\S+) ([^\["]+?) \[([^\]]+)\] {_TEXT} ([1-9][0-9][0-9]) ([0-9]{{1,18}}|-)(?: {_TEXT} {_TEXT})?')
REQUEST = re.compile(r"[A-Za-z][A-Za-z0-9_-]* ((?:/|[A-Za-z][A-Za-z0-9+.-]*://).*?|\*|[^\s/:]+:[0-9]+)(?: HTTP/[0-9](?:\.[0-9])?)?")


def _access(case: Case, text: str) -> tuple[Row | None, set[str]]:
    """The fields of a line of an access log, with the address in its normal spelling and the time in Greenwich."""
    found = LINE.fullmatch(text)
    if not found:
        return None, {"not a line of an access log"}
    address, ident, auth, stamp, request, status, size, referrer, agent = found.groups()
    if auth.startswith("- ") or _is_address(ident):
        return None, {"not a line of an access log"}
    time = _server_time(stamp)
    if time is None:
        return None, {"unreadable time"}
    by_name = case.said.get("user") == "auth"
    nobody = address.lower() in {"-", "unknown"}
    if auth == "-" if by_name else nobody:
        return None, {"no user"}
    plain = address if nobody else canonical_address(address)
    if plain is None:
        return None, {"not an address"}
    asked = REQUEST.fullmatch(request)
    page = asked[1] if asked else "(broken request)"
    row = {"address": plain, "ident": ident, "auth": auth.strip(), "time": time, "request": request, "page": page}
    return row | {"status": status, "size": size, "referrer": referrer, "agent": agent}, set()


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return False
    return True


def _server_time(stamp: str) -> datetime | None:
    leap = ":60 " in stamp
    try:
        time = datetime.strptime(stamp.replace(":60 ", ":59 "), "%d/%b/%Y:%H:%M:%S %z").astimezone(UTC)
    except ValueError:
        return None
    return time + timedelta(seconds=leap)


# -- cells of microdata

NUMBER = re.compile(r" *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)? *")


def has_unusable_cells(case: Case, directory: Path, rows: list[Row]) -> bool:
    """Whether a table of people has a row without a user, or a cell that is no finite number, level or node where one is needed."""
    kinds = {kind: case.text(kind, "").partition("=") for kind in ("nominal", "ordinal", "hierarchy", "item-sets")}
    others = {case.text(kind, "") for kind in ("keep-column", "drop-column", "user")} | {name for name, _, _ in kinds.values()}
    fits: dict[str, Callable[[Any], bool]] = {name: _is_number for name in (rows[0] if rows else ()) if name not in others}
    for kind, (name, _, argument) in kinds.items():
        if name and kind == "nominal":
            fits[name] = lambda cell: cell not in {"", None}
        elif name and kind == "ordinal":
            fits[name] = argument.split("|").__contains__
        elif name:
            nodes = read_tree(directory / argument).parent
            fits[name] = lambda cell, nodes=nodes: all(item.strip(" ") in nodes for item in str(cell or "").split("|") if item.strip(" "))
            if kind == "hierarchy":
                fits[name] = nodes.__contains__
    user = user_column(case)
    return any((user and not row[user]) or not all(fit(row[name]) for name, fit in fits.items()) for row in rows)


def _is_number(cell: Any) -> bool:
    if isinstance(cell, str):
        return NUMBER.fullmatch(cell) is not None and math.isfinite(float(cell))
    return isinstance(cell, int | float) and math.isfinite(cell)


# -- what must be refused


def must_refuse(case: Case, raw: Raw) -> list[str]:
    """Why no release may be made of this input."""
    found = ["the taxonomy has a name twice"] if raw.shares_names else []
    if not raw.rows:
        found.append("no row can be used")
    if len({one_spelling(name) for name in raw.spellings}) < len(raw.spellings) and "owners" not in case.said:
        found.append("user IDs differ in spelling only")
    if raw.unusable or (raw.defects and (case.flag("strict") or case.form == "microdata")):
        found.append("rows are malformed")
    if len(raw.defects) > float(case.text("malformed", str(MOST_MALFORMED))) * (len(raw.rows) + len(raw.defects)):
        found.append("too many rows are malformed")
    return found

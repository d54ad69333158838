"""Odd inputs: what files of real systems hold, and what shoal must count, refuse or read as documented.

Each function changes the files of a case that was made, and returns whether it could. The checker reads the files by itself.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzz.case import SCRIPTS, Case

ODD = 0.35  # share of the cases whose input is not unusual already
AGAIN = {"shuffled", "copied", "doubled"}  # steps that write the rows of the input again
Line = bytes


class Sheet:
    """The rows of the first input of a case, without the header; those of Parquet are objects."""

    def __init__(self, case: Case, directory: Path, rng: random.Random) -> None:
        self.case, self.rng = case, rng
        self.path = directory / case.inputs[0]
        self.kind = "log" if case.form == "accesslog" else "lines" if case.form == "lines" else self.path.suffix[1:].replace("txt", "tsv")
        content = b"" if self.kind == "parquet" else self.path.read_bytes()
        self.head, self.lines = [], content.splitlines(keepends=True)
        if self.is_delimited:
            self.head, self.lines = self.lines[:1], self.lines[1:]

    @property
    def is_delimited(self) -> bool:
        """Whether it is a table with a header and separators."""
        return self.kind in {"csv", "tsv"}

    @property
    def names(self) -> list[str]:
        """The columns of a table with a header."""
        return self.head[0].decode().rstrip("\n").split("\t" if self.kind == "tsv" else ",")

    def at(self, name: str) -> int:
        """The place of the column of this role; of AOL's names too."""
        return next(place for place, found in enumerate(self.names) if found in {name, {"user": "AnonID", "query": "Query"}.get(name)})

    def write(self) -> bool:
        """Write the file again."""
        self.path.write_bytes(b"".join([*self.head, *self.lines]))
        return True

    def insert(self, lines: list[Line]) -> bool:
        """Put each of these lines somewhere into the file."""
        for line in lines:
            self.lines.insert(self.rng.randrange(len(self.lines) + 1), line)
        return self.write()

    def some_lines(self) -> list[Line]:
        """One to four lines of the file."""
        return [self.rng.choice(self.lines) for _ in range(self.rng.choice([1, 1, 2, 4]))]

    def some_objects(self) -> list[dict[str, Any]]:
        """The same lines of JSON."""
        return [json.loads(line) for line in self.some_lines()]


def made_odd(case: Case, directory: Path) -> str:
    """Make the input of a case odd, where this was drawn, and return in which way."""
    rng = random.Random(f"odd {case.number}")
    if case.twist or rng.random() >= ODD or not (directory / case.inputs[0]).is_file():
        return ""
    names = list(ODDITIES)
    rng.shuffle(names)
    for name in names:
        if ODDITIES[name](Sheet(case, directory, rng)):
            case.then = [step for step in case.then if step not in AGAIN]
            if case.form != "microdata" and "malformed" not in case.said and rng.random() < 0.7:
                case.said["malformed"] = "0.9"
            return name
    return ""


# -- lines


def repeated_headers(sheet: Sheet) -> bool:
    """Files that were joined with their headers, some in capitals, one of them perhaps with a byte order mark."""
    if not sheet.is_delimited:
        return False
    rng, head = sheet.rng, sheet.head[0]
    forms = [head, head, b"\xef\xbb\xbf" + head, head.upper(), head.title()]
    forms += [b"\t".join(b'"%s"' % name for name in head.rstrip().split(b"\t")) + b"\n"] if sheet.kind == "tsv" else []
    return sheet.insert([rng.choice(forms) for _ in range(rng.choice([1, 1, 2]))])


def line_ends(sheet: Sheet) -> bool:
    """Blank lines, carriage returns, a byte order mark, no end of the last line: nothing of it is a defect."""
    if sheet.kind == "parquet":
        return False
    if sheet.rng.random() < 0.5:
        sheet.insert(
            [sheet.rng.choice([b"\n", b"\r\n", b"  \n"] if sheet.case.form not in {"lines", "microdata"} else [b"\n"]) for _ in range(3)]
        )
    if sheet.rng.random() < 0.5:
        sheet.head, sheet.lines = ([line.replace(b"\n", b"\r\n") for line in part] for part in (sheet.head, sheet.lines))
    if sheet.rng.random() < 0.3:
        sheet.lines[-1] = sheet.lines[-1].rstrip(b"\r\n") or b"\n"
    if sheet.rng.random() < 0.4 and sheet.head:
        sheet.head[0] = b"\xef\xbb\xbf" + sheet.head[0]
    return sheet.write()


def broken_lines(sheet: Sheet) -> bool:
    """Lines with bytes that are no text, or with too few or too many fields."""
    if sheet.kind == "parquet":
        return False
    lines = []
    for line in sheet.some_lines():
        body = line.rstrip(b"\n")
        ways = [body + b"\xff", b"\xc3" + body, body + b"\0", body[: len(body) // 2] + b"\xed\xa0\x80" + body[len(body) // 2 :]]
        if sheet.is_delimited:
            separator = b"\t" if sheet.kind == "tsv" else b","
            ways += [body + separator * 5 + b"x", b"qy3canary"]
        if sheet.kind == "csv":
            ways += [b'"qy3canary', b'"qy3canary"x,y', b'qy3canary,"x" y']
        lines.append(sheet.rng.choice(ways) + b"\n")
    return sheet.insert(lines)


def odd_json(sheet: Sheet) -> bool:
    """Lines that are not JSON, no objects, or that have a key twice, a value of another type, or half a character."""
    if sheet.kind != "jsonl":
        return False
    lines = []
    for held in sheet.some_objects():
        wanted = next(name for name in held if name in {"item", "query", "text", "conversation"})
        user = next(name for name in held if name in {"user", "author"})
        plain = json.dumps(held)[:-1]
        ways = [
            *(f'{plain}, "{name}": {value}}}' for name in (wanted, user) for value in ('"qy4canary"', "null", json.dumps(held[name]))),
            *(json.dumps({**held, user: value}) for value in (float("inf"), True, ["qy4canary"], {"id": 1})),
            f'{plain}, "qy4canary": 1, "qy4canary": 2}}',  # of a key that is not read
            f'{plain}, "further": NaN, "other": Infinity, "third": "\\ud83e\\udd80"}}',
            f'{plain}, "further": "\\ud800"}}',
            *(f"{plain}, {user}: 1e999}}".replace(f"{user}:", f'"{user}":') for _ in range(1)),
            *("[]", "null", "7", '"qy4canary"', plain, f"{plain}}}}}", "qy4canary"),
        ]
        lines.append(sheet.rng.choice(ways).encode() + b"\n")
    return sheet.insert(lines)


def missing_values(sheet: Sheet) -> bool:
    """Rows without a user, or without an item: empty cells, null, NaN, or no such key."""
    if sheet.case.form in {"lines", "accesslog", "microdata"} or sheet.kind == "parquet":
        return False
    lines = []
    for line in sheet.some_lines():
        if sheet.kind == "jsonl":
            held = json.loads(line)
            name = sheet.rng.choice([name for name in held if name in {"user", "author", "item"}])
            way = sheet.rng.choice(["NaN", "NaN", "NaN", "null", '""', '"  "', ""])
            rest = {key: value for key, value in held.items() if key != name}
            lines.append((json.dumps(rest)[:-1] + (f', "{name}": {way}' if way else "") + "}\n").encode())
        else:
            separator = b"\t" if sheet.kind == "tsv" else b","
            cells = line.rstrip(b"\n").split(separator)
            name = sheet.rng.choice([name for name in ("user", "item") if name in sheet.names or name == "user"])
            cells[sheet.at(name)] = sheet.rng.choice([b"", b"  "])
            lines.append(separator.join(cells) + b"\n")
    return sheet.insert(lines)


def odd_parquet(sheet: Sheet) -> bool:
    """User IDs that are numbers with a fraction, as they become where one is missing; NaN and infinite ones, and items that are missing."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    case, rng = sheet.case, sheet.rng
    if sheet.kind != "parquet" or case.form not in {"table", "querylog"} or "private-of" in case.said or len(case.inputs) > 1:
        return False
    rows = pq.read_table(sheet.path).to_pylist()
    fresh = {owner: float(rng.randrange(10**11, 10**12)) for owner in case.owners}
    rows = [{**row, "user": fresh.get(row["user"])} for row in rows]
    for _ in range(rng.choice([1, 1, 2, 4])):
        odd = {"user": rng.choice([math.nan, math.inf, -math.inf, None])}
        odd = {"item": None} if "item" in rows[0] and rng.random() < 0.2 else odd
        rows.insert(rng.randrange(len(rows) + 1), {**rng.choice(rows), **odd})
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    types = {"user": rng.choice([pa.float64(), pa.float64(), pa.dictionary(pa.int32(), pa.float64())])}
    pq.write_table(pa.table({name: pa.array(values, types.get(name)) for name, values in columns.items()}), sheet.path)
    case.owners = [str(int(number)) for number in fresh.values()]
    return True


# -- people


def spellings(sheet: Sheet) -> bool:
    """User IDs in many scripts that differ in capitals, blanks, quotes or invisible characters: one person or two, as `--owners` says."""
    case = sheet.case
    begins = ["", "", *SCRIPTS, "ß", "ﬁ", "İ", "ς", "Ǆ"]
    fresh = {owner: f"{sheet.rng.choice(begins)}{owner}" for owner in case.owners}
    if not _renamed(sheet, lambda owner: fresh[owner], as_numbers=False):
        return False
    case.owners = list(fresh.values())
    return _spelled(sheet, _variants)


def numbers(sheet: Sheet) -> bool:
    """User IDs that are numbers, in several forms of one number."""
    case = sheet.case
    fresh = {owner: str(sheet.rng.randrange(10**11, 10**12)) for owner in case.owners}  # so long that they stand nowhere else
    if not _renamed(sheet, lambda owner: fresh[owner], as_numbers=False):
        return False
    case.owners = list(fresh.values())
    return _spelled(sheet, _forms)


def _variants(rng: random.Random, name: str) -> str:
    at = rng.randrange(1, len(name))
    ways = [name.upper(), name.capitalize(), f" {name}  ", f"{name}\u00ad", f"\ufeff{name}", f"{name}\ufe0f", f'"{name}"']
    return rng.choice([*ways, *(f"{name[:at]}{letter}{name[at:]}" for letter in "\u200b\u3164\x7f")])


def _forms(rng: random.Random, name: str) -> str:
    return rng.choice([f"0{name}", f"{name}.0", f"+{name}", f"{name[0]}.{name[1:]}e{len(name) - 1}", f" {name}", f"{name}.", name])


def _spelled(sheet: Sheet, variants: Callable[[random.Random, str], str]) -> bool:
    """Write some of the user IDs in another way."""
    rng, case = sheet.rng, sheet.case
    share = rng.choice([0.05, 0.3, 0.6])
    written: set[str] = set()

    def other(owner: str) -> str:
        name = variants(rng, owner) if rng.random() < share else owner
        written.add(name.strip())
        return name

    if not _renamed(sheet, other):
        return False
    case.owners = sorted({*case.owners, *written})
    if "owners" not in case.said and rng.random() < 0.8:
        case.said["owners"] = rng.choice(["folded", "folded", "exact"])
    return True


def _renamed(sheet: Sheet, rename: Callable[[str], str], *, as_numbers: bool = True) -> bool:
    """Write the user ID of each row by a function of it; not if another file has them too, or there are none."""
    case = sheet.case
    known = set(case.owners)
    if case.form in {"lines", "accesslog"} or "private-of" in case.said or not known or sheet.kind == "parquet" or len(case.inputs) > 1:
        return False
    user = {"documents": "author", "microdata": case.text("user", "")}.get(case.form, "user")
    if not user:
        return False
    sheet = Sheet(case, sheet.path.parent, sheet.rng)
    if sheet.kind == "jsonl":
        rows = [json.loads(line) for line in sheet.lines]
        renamed = [{**row, user: rename(row[user]) if row[user] in known else row[user]} for row in rows]
        texts = [json.dumps(row, ensure_ascii=False) for row in renamed]
        if as_numbers:
            texts = [_without_quotes(sheet.rng, text, row, user) for text, row in zip(texts, renamed, strict=True)]
        sheet.lines = [f"{text}\n".encode() for text in texts]
        return sheet.write()
    separator, place = "\t" if sheet.kind == "tsv" else ",", sheet.at(user)
    for number, line in enumerate(sheet.lines):
        cells = line.decode().rstrip("\n").split(separator)
        if any('"' in cell for cell in cells[: place + 1]):
            continue
        cells[place] = rename(cells[place]) if cells[place] in known else cells[place]
        sheet.lines[number] = (separator.join(cells) + "\n").encode()
    return sheet.write()


def _without_quotes(rng: random.Random, text: str, row: dict[str, Any], user: str) -> str:
    """A line of JSON, in which a user ID that is a number may be written without quotes, as 7 or 7.0."""
    name = row[user]
    if not name.isdigit() or name.startswith("0") or rng.random() < 0.4:
        return text
    return text.replace(f'"{user}": "{name}"', f'"{user}": {rng.choice([name, f"{name}.0", f"{name}e0"])}')


def addresses(sheet: Sheet) -> bool:
    """Lines of an access log with a virtual host or a proxy in front, ports, no address, or another spelling of an address."""
    if sheet.kind != "log":
        return False
    case, lines = sheet.case, []
    for line in sheet.some_lines():
        address, _, rest = line.decode().partition(" ")
        ways = [
            *(f"{host} {address} {rest}" for host in ("shop.example.org:443", "shop.example.org", "-", "10.0.0.1")),
            *(f"{written} {rest}" for written in (f"{address}:50001", f"{address},", f"{address},10.0.0.1", "-", "unknown", "010.1.1.1")),
            f"{address}, 10.0.0.1 {rest}",
            f"{address}\u200b {rest}",
            *("qy5canary\n", f"{address} - -\n", rest, line.decode().rstrip("\n") + ' "more"\n'),
        ]
        lines.append(sheet.rng.choice(ways).encode())
    for number, line in enumerate(sheet.lines):
        address, _, rest = line.decode().partition(" ")
        if sheet.rng.random() < 0.3:
            written = sheet.rng.choice(_spelled_addresses(address))
            case.owners = sorted({*case.owners, written})
            sheet.lines[number] = f"{written} {rest}".encode()
    return sheet.insert(lines)


def _spelled_addresses(address: str) -> list[str]:
    if ":" in address:
        head, _, tail = address.rpartition("::")
        return [address.upper(), f"[{address}]", f"{head}:0:0:0:0:{int(tail, 16):04x}"]
    if address.replace(".", "").isdigit():
        return [f"::ffff:{address}", f"::FFFF:{address}"]
    return [address.upper(), f"{address}.", address.capitalize()]


# -- taxonomies


def shared_names(sheet: Sheet) -> bool:
    """A name that two nodes of the taxonomy have."""
    given = sheet.case.text("taxonomy", "")
    path = sheet.path.parent / given
    if not given.startswith("tree."):
        return False
    if given == "tree.tsv":
        head, *edges = path.read_text().splitlines()
        child, above = sheet.rng.choice(edges).split("\t")
        others = {name for edge in edges for name in edge.split("\t")} - {child, above}
        if others:
            path.write_text("\n".join([head, *edges, f"{child}\t{sheet.rng.choice(sorted(others))}"]) + "\n")
        return bool(others)
    tree = json.loads(path.read_text(encoding="utf-8"))
    nodes = _nodes(tree)
    # A node below another one of its name is no defect.
    pairs = [
        (name, below) for name, held in nodes for other, below in nodes if name not in below and other not in dict(_nodes({name: held}))
    ]
    if not pairs:
        return False
    name, below = sheet.rng.choice(pairs)
    below[name] = {}
    path.write_text(json.dumps(tree), encoding="utf-8")
    return True


def _nodes(tree: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [found for name, below in tree.items() for found in [(name, below), *_nodes(below)]]


# -- times


def times(sheet: Sheet) -> bool:
    """Leap seconds, and times that nobody can read."""
    case, rng = sheet.case, sheet.rng
    if case.form not in {"table", "querylog"} or "per" not in case.said or case.text("taxonomy", "").startswith("topics"):
        return False
    if sheet.kind not in {"csv", "tsv", "jsonl"} or b"time" not in (sheet.head or sheet.lines)[0]:
        return False
    lines = []
    for line in sheet.some_lines():
        day = rng.choice(["2016-12-31", "2020-01-02"])
        time = rng.choice([f"{day} 23:59:60", f"{day} 23:59:60", f"{day} 24:00:00", f"{day} 23:60:00", "2021-02-29", "", "yesterday"])
        if sheet.kind == "jsonl":
            lines.append((json.dumps({**json.loads(line), "time": time}) + "\n").encode())
        else:
            separator = "\t" if sheet.kind == "tsv" else ","
            cells = line.decode().rstrip("\n").split(separator)
            cells = [time if name == "time" else cell for name, cell in zip(sheet.names, cells, strict=False)]
            lines.append((separator.join(cells) + "\n").encode())
    return sheet.insert(lines)


# -- any damage


PLAIN = {"k", "format", "to", "json", "threads", "malformed"}  # options with which a query is a text, and times do not matter


def mutated(sheet: Sheet) -> bool:
    """Bits that were flipped, lines that were cut, repeated, or joined."""
    case, rng = sheet.case, sheet.rng
    reads_words = case.form in {"querylog", "prompts", "documents"} and not (case.method == "threshold" and case.said.keys() <= PLAIN)
    if reads_words or case.text("taxonomy", "").startswith(("wordnet", "topics")) or sheet.kind == "parquet" or not sheet.lines:
        return False
    for _ in range(rng.choice([1, 1, 2, 5])):
        WAYS[rng.randrange(len(WAYS))](rng, sheet.lines)
    return sheet.write()


def _flipped(rng: random.Random, lines: list[Line]) -> None:
    number = rng.randrange(len(lines))
    line = lines[number]
    if line:
        at = rng.randrange(len(line))
        lines[number] = line[:at] + bytes([line[at] ^ 1 << rng.randrange(8)]) + line[at + 1 :]


def _cut(rng: random.Random, lines: list[Line]) -> None:
    number = rng.randrange(len(lines))
    at = rng.randrange(len(lines[number]) + 1)
    lines[number] = rng.choice([lines[number][at:], lines[number][:at] + b"\n"])


def _repeated(rng: random.Random, lines: list[Line]) -> None:
    at = rng.randrange(len(lines))
    part = lines[at : at + rng.randint(1, 5)]
    place = rng.randrange(len(lines) + 1)
    lines[place:place] = part


def _joined(rng: random.Random, lines: list[Line]) -> None:
    """Two halves of lines become one line, or one line becomes two."""
    one, other = rng.choice(lines), rng.choice(lines)
    number = rng.randrange(len(lines))
    lines[number] = one[: rng.randrange(len(one) + 1)] + other[rng.randrange(len(other) + 1) :]


WAYS = (_flipped, _flipped, _cut, _repeated, _joined)


ODDITIES: dict[str, Callable[[Sheet], bool]] = {
    "repeated headers": repeated_headers,
    "line ends": line_ends,
    "broken lines": broken_lines,
    "odd JSON": odd_json,
    "missing values": missing_values,
    "odd Parquet": odd_parquet,
    "spellings": spellings,
    "numbers as user IDs": numbers,
    "addresses": addresses,
    "shared names": shared_names,
    "times": times,
    "mutated": mutated,
}

"""An independent checker: reads the raw input and the written release, and recounts every claim in plain Python.

It imports nothing of shoal. Slow, and straight from the definitions. This module reads files; `fuzz/check` recounts.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

Bag = Counter[str]
Row = dict[str, Any]
UNLISTED = "(unlisted)"


# -- hierarchies


@dataclass
class Tree:
    """The hierarchy as its file draws it, with unknown terms below a node of their own.

    Where the names of inner nodes are the program's own, as for a generated taxonomy, `open` is set: a name that is not known may then
    stand above everything, so that only numbers of items are compared for it.
    """

    parent: dict[str, str | None]
    shelf: str = ""
    open: bool = False

    @property
    def root(self) -> str:
        return next(name for name, above in self.parent.items() if above is None)

    def path(self, name: str) -> list[str]:
        """The name and all above it."""
        if name not in self.parent:
            return [self.root] if self.open else [name]
        found: list[str] = []
        at: str | None = name
        while at is not None:
            found.append(at)
            at = self.parent[at]
        return found

    def counts(self, bag: Bag) -> Bag:
        """Occurrences in the subtree of every node."""
        found: Bag = Counter()
        for name, n in bag.items():
            for node in self.path(name):
                found[node] += n
        return found

    def generalizes(self, published: Bag, original: Bag) -> bool:
        """Hall's condition on a tree: no subtree is told to hold more than it holds."""
        told, held = self.counts(published), self.counts(original)
        return all(n <= held[node] for node, n in told.items())

    def below(self, node: str) -> set[str]:
        """The node and everything below it."""
        return {name for name in self.parent if node in self.path(name)}

    def used(self, items: Iterable[str]) -> Tree:
        """The part of the tree that these items need."""
        kept = {node for item in items for node in self.path(item)} | {self.root}
        return Tree({name: above for name, above in self.parent.items() if name in kept}, self.shelf, self.open)

    @property
    def leaves(self) -> set[str]:
        """The nodes that nothing lies below."""
        return set(self.parent) - {above for above in self.parent.values() if above is not None}


def read_tree(path: Path) -> Tree:
    """A hierarchy in nested objects, or in a table of edges."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".json":
        rows = [re.split("[\t,]", line) for line in text.splitlines()]
        edges = [(row[0], row[1]) for row in rows if row[:2] != ["child", "parent"]]
        parent: dict[str, str | None] = {}
        for child, above in edges:
            parent.setdefault(above, None) if above else None
            parent[child] = above or None
        return Tree(parent)
    parent = {}

    def walk(node: Any, above: str | None) -> None:
        for name, under in node.items():
            parent[name] = above
            walk(under, name)

    walk(json.loads(text), None)
    return Tree(parent)


def with_unknown(tree: Tree, terms: Iterable[str]) -> Tree:
    """Unknown terms hang below `(unlisted)`, a child of the root; where a node or a term has that name, it is marked until it is free."""
    strange = sorted(term for term in set(terms) if term not in tree.parent)
    if not strange:
        return tree
    shelf = UNLISTED
    while shelf in tree.parent or shelf in strange:
        shelf += f" {UNLISTED}"
    return Tree({**tree.parent, shelf: tree.root, **dict.fromkeys(strange, shelf)}, shelf, tree.open)


def tree_of_paths(items: Iterable[str]) -> Tree:
    """Folders of pages: a page lies below its folders, one with a query string below `page?*`, and so does the page itself beside it."""
    root = "\0root"
    parent: dict[str, str | None] = {root: None}
    known = set(items)
    asked = {item.split("?", 1)[0] for item in known if "?" in item}
    for item in sorted(known):
        page = item.split("?", 1)[0]
        folders = [page[: at + 1] + "*" for at, letter in enumerate(page) if letter == "/"]
        chain = [*folders, *([f"{page}?*"] if page in asked else []), item]
        for above, name in zip([root, *chain], chain, strict=False):
            parent.setdefault(name, above)
    return Tree(parent, open=True)


def flat_tree(items: Iterable[str]) -> Tree:
    """No hierarchy at all: nothing is above an item."""
    return Tree({"\0root": None, **dict.fromkeys(sorted(set(items)), "\0root")}, open=True)


# -- raw input


@dataclass(frozen=True)
class Record:
    """A raw record and whose it is."""

    owner: str
    items: tuple[str, ...]


def read_table(path: Path) -> list[Row]:
    """The rows of a CSV, TSV, JSON lines or Parquet file, with empty cells as empty texts."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        rows: list[Row] = pq.read_table(path).to_pylist()
    elif path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        text = path.read_text(encoding="utf-8")
        tabs: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
        rows = list(csv.DictReader(io.StringIO(text), **({} if path.suffix == ".csv" else tabs)))
    return [{name: "" if value is None else value for name, value in row.items()} for row in rows]


def lines_of(path: Path, sep: str) -> list[Record]:
    """Transactions: a person a line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Record(str(n), tuple(item.strip() for item in line.split(sep) if item.strip())) for n, line in enumerate(lines)]


@dataclass(frozen=True)
class Event:
    """A row of a log: whose, when, and the items or the text."""

    owner: str
    time: datetime
    items: tuple[str, ...]
    basket: str = ""


def records_from(events: Iterable[Event], per: str, gap: timedelta) -> list[Record]:
    """A record per user, session, event or named basket."""
    of: dict[str, list[Event]] = {}
    for event in events:
        of.setdefault(event.owner, []).append(event)
    found = []
    for owner, happened in of.items():
        records: dict[str, list[str]] = {}
        last, session = None, 0
        for at, event in enumerate(sorted(happened, key=lambda event: event.time)):
            session += last is not None and event.time - last > gap
            last = event.time
            key = {"user": "", "session": str(session), "event": str(at), "record": event.basket}[per]
            records.setdefault(key, []).extend(event.items)
        found += [Record(owner, tuple(items)) for items in records.values()]
    return found


def duration(text: str) -> timedelta:
    """A duration such as 30m."""
    return timedelta(seconds=int(text[:-1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[text[-1]])


# -- releases


@dataclass
class Release:
    """A release directory: its manifest, and the rows of each of its files of tables by name, values as they can be compared."""

    directory: Path
    manifest: dict[str, Any]
    tables: dict[str, list[Row]] = field(default_factory=dict)

    @classmethod
    def read(cls, directory: Path) -> Release:
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
        files = [fact for fact in manifest["files"] if "table" in fact]
        return cls(directory, manifest, {Path(fact["name"]).stem: rows_written(directory / fact["name"], fact) for fact in files})

    def fact(self, stem: str) -> dict[str, Any]:
        """What the manifest says of a file of a table."""
        return next(fact for fact in self.manifest["files"] if Path(fact["name"]).stem == stem and "table" in fact)

    @property
    def bags(self) -> list[Bag]:
        """The published records."""
        return bags_written(self.tables["records"], self.fact("records"))


def rows_written(path: Path, fact: dict[str, Any]) -> list[Row]:
    """The rows of a published file; times as text, empty cells as None."""
    form = fact["format"]
    if form == "jsonl":
        rows = [json.loads(line) for line in _lines(path)]
    elif form == "parquet":
        import pyarrow.parquet as pq

        rows = pq.read_table(path).to_pylist()
    elif form == "csv":
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    elif form == "xlsx":
        rows = _sheet(path)
    elif form == "transactions":
        return [{"items": [item for item in line.split(fact["separator"]) if item]} for line in _lines(path)]
    else:
        return [{"line": line} for line in _lines(path)]
    kinds = fact.get("columns", {})
    return [{name: _plain(value, kinds.get(name, "")) for name, value in row.items()} for row in rows]


def _lines(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8").split("\n")[:-1]


def _sheet(path: Path) -> list[Row]:
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True)
    try:
        names, *rows = [[cell.value for cell in row] for row in book.worksheets[0].iter_rows()]
    finally:
        book.close()
    return [dict(zip(names, row + [None] * (len(names) - len(row)), strict=True)) for row in rows]


def _plain(value: Any, kind: str) -> Any:
    """A value as other formats have it: numbers as numbers, times as text, nothing as None."""
    if value is None or (value == "" and kind != "items"):
        return None
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if kind == "integer":
        return int(value)
    if kind == "number":
        return float(value)
    if kind == "time" and isinstance(value, str):
        return value.split(".")[0]
    return value


def bags_written(rows: list[Row], fact: dict[str, Any]) -> list[Bag]:
    """Published records in either layout."""
    if fact.get("layout") != "long":
        return [Counter(items_in(row["items"], fact.get("separator", ""))) for row in rows]
    found: dict[str, Bag] = {}
    for row in rows:
        bag = found.setdefault(str(row["record"]), Counter())
        if row["item"] is not None:
            bag[str(row["item"])] += int(row["count"])
    return list(found.values())


def items_in(cell: Any, separator: str) -> list[str]:
    """The items of a cell: a list, or a text in which they are joined by the rules of CSV."""
    if cell is None:
        return []
    if isinstance(cell, list):
        return [str(item) for item in cell]
    return next(csv.reader([cell], delimiter=separator or ";"), [])


def everything_in(directory: Path) -> Iterator[tuple[str, str]]:
    """All that can be read in the files of a directory, packed or not, by the names of the files."""
    for place in sorted(directory.rglob("*")):
        if place.is_dir():
            continue
        yield place.name, place.name
        if place.suffix == ".parquet":
            import pyarrow.parquet as pq

            file = pq.ParquetFile(place)
            cells = [value for row in file.read().to_pylist() for value in row.values() if isinstance(value, str | list)]
            yield place.name, f"{file.schema_arrow.metadata} {file.metadata.metadata} {cells}"
        elif place.suffix == ".xlsx":
            with zipfile.ZipFile(place) as packed:
                for member in packed.namelist():
                    yield place.name, packed.read(member).decode("utf-8", "replace")
        else:
            yield place.name, place.read_text(encoding="utf-8", errors="replace")


# -- claims

_PART = re.compile(r'\s*([\w-]+)=("(?:[^"\\]|\\.)*"|[^,]*)(?:,|$)')


def values_of(claim: str) -> tuple[str, dict[str, str]]:
    """The name of a model and its parameters: `name(parameter=value)`, with values in quotes where they hold commas."""
    found = re.fullmatch(r"([\w-]+)(?:\((.*)\))?", claim, re.DOTALL)
    assert found, claim
    values = {}
    for name, value in _PART.findall(found[2] or ""):
        values[name] = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value
    return found[1], values

"""Inputs full of canaries for every method, and a search for canaries in everything that a release publishes.

A canary is a text that occurs nowhere else, such as `qzw07a`. Each comes in two spellings that differ in their last letter only, so that
two inputs can differ in chosen canaries and in nothing else: not in lengths, not in the order of names.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
import random
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from shoal.methods import METHODS

CANARY = re.compile(r"qz[a-z]\d\d[ab]", re.IGNORECASE)
PEOPLE = 24
NOUNS = ("dog", "cat", "house", "tree", "river", "music", "bread", "guitar", "tennis", "garden")


class Spelling:
    """How canaries are spelled in one input: those in `renamed` end with b, all others with a."""

    def __init__(self, renamed: Collection[str] = ()) -> None:
        self.renamed = frozenset(renamed)

    def __call__(self, kind: str, number: int = 0) -> str:
        stem = f"qz{kind}{number:02}"
        return stem + ("b" if stem in self.renamed else "a")


def word_holders() -> dict[int, list[int]]:
    """Who holds which word: six words of many people, four of two people each, ten of one person each."""
    chance = random.Random(7)
    held = {word: sorted(chance.sample(range(PEOPLE), 10)) for word in range(6)}
    held |= {word: [2 * word % PEOPLE, (2 * word + 5) % PEOPLE] for word in range(6, 10)}
    return held | {word: [(3 * word) % PEOPLE] for word in range(10, 20)}


def words_of(person: int) -> list[int]:
    return [word for word, people in word_holders().items() if person in people]


# -- one input of each shape


def baskets(name: Spelling, directory: Path) -> list[str]:
    """Rows of a person, an item and a remark that no option names."""
    rows = [(name("u", person), name("w", word), name("r", word)) for person in range(PEOPLE) for word in words_of(person)]
    return [_table(directory / f"{name('f')}.csv", ("customer", "product", name("c")), rows), "--user", "customer", "--item", "product"]


def paths(name: Spelling, directory: Path) -> list[str]:
    """The same with items that are paths; rare folders too."""
    rows = [
        (name("u", person), f"/shop/{name('d', word % 7)}/{name('w', word)}.html") for person in range(PEOPLE) for word in words_of(person)
    ]
    return [_table(directory / f"{name('f')}.csv", ("customer", "product"), rows), "--user", "customer", "--item", "product"]


def searches(name: Spelling, directory: Path) -> list[str]:
    """A query log with clicks; queries of one or two nouns, and canaries among them."""
    rows = []
    for person in range(PEOPLE):
        for n in range(6):
            query = f"{NOUNS[(person % 3 + n) % 5]} {NOUNS[5 + n % 3]}" if n % 2 else NOUNS[(person + n) % 6]
            click = ("1", "http://shared.example/page") if n % 3 else ("", "")
            rows.append((name("u", person), query, f"2006-03-{1 + n:02} 10:{person % 4:02}:00", *click))
        for word in words_of(person):
            click = ("2", f"http://{name('h', word)}.example/{name('p', word)}")
            rows.append((name("u", person), f"{name('w', word)} house", f"2006-03-{1 + word % 9:02} 11:{person:02}:00", *click))
    place = directory / f"{name('f')}.tsv"
    head = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"
    place.write_text("\n".join([head, *("\t".join(row) for row in rows)]) + "\n")
    return [str(place)]


def visits(name: Spelling, directory: Path) -> list[str]:
    """An access log with user names, and rare pages, referrers and agents."""
    lines = []
    for person in range(PEOPLE):
        pages = [f"/shop/{(person % 4 + n) % 4}.html" for n in range(3)] + [
            f"/{name('d', w)}/{name('w', w)}.html" for w in words_of(person)
        ]
        for n, page in enumerate(pages):
            agent = (
                f"{name('g', person)}/1.0" if person % 5 == 0 else "Mozilla/5.0 (X11; Linux x86_64; rv:24.0) Gecko/20100101 Firefox/24.0"
            )
            refers = f"http://{name('h', person)}.example/{name('p', person)}" if n % 2 else "http://shared.example/shop/"
            when = f"{17 + n % 3}/May/2015:{8 + person % 6:02}:{(7 * person + n) % 60:02}:{(11 * person) % 60:02} +0000"
            lines.append(
                f'203.0.113.{person + 1} - {name("u", person)} [{when}] "GET {page} HTTP/1.1" 200 {500 + n} "{refers}" "{agent}"\n'
            )
    place = directory / f"{name('f')}.log"
    place.write_text("".join(lines))
    return [str(place)]


def microdata(name: Spelling, directory: Path) -> list[str]:
    """Ages, incomes, jobs with some of one person, towns of a hierarchy, and a column that is dropped."""
    chance = random.Random(5)
    rows = []
    for person in range(PEOPLE):
        job = name("w", 10 + person) if person % 6 == 0 else f"job{person % 2}"
        towns = (name("t", person % 4), f"town{person % 2}")
        rows.append((name("u", person), str(20 + 2 * person), str(chance.randint(20, 90)), job, towns[person % 3 > 0], name("r", person)))
    nodes = [(name("t", n), name("n", n % 2)) for n in range(4)] + [("town0", "north"), ("town1", "north")]
    nodes += [(name("n", 0), "land"), (name("n", 1), "land"), ("north", "land")]
    tree = _table(directory / f"{name('x')}.csv", ("child", "parent"), nodes)
    data = _table(directory / f"{name('f')}.csv", ("person", "age", "income", "job", "town", name("c")), rows)
    roles = ["--quasi", "age,income", "--nominal", "job", "--hierarchy", f"town={tree}", "--drop-column", name("c")]
    return [data, "--format", "microdata", "--user", "person", *roles]


def item_table(name: Spelling, directory: Path) -> list[str]:
    """Ages, towns of a hierarchy with some of one person, baskets with words of one person, and a column that is dropped."""
    rows = []
    for person in range(PEOPLE):
        items = ["bread", name("w", 10 + person) if person % 6 == 0 else "milk"]
        town = name("t", person % 4) if person % 3 == 0 else f"town{person % 2}"
        rows.append((name("u", person), str(20 + 2 * person), town, "|".join(items), name("r", person)))
    nodes = [(name("t", n), name("n", n % 2)) for n in range(4)] + [("town0", "north"), ("town1", "north")]
    nodes += [(name("n", 0), "land"), (name("n", 1), "land"), ("north", "land")]
    towns = _table(directory / f"{name('x')}.csv", ("child", "parent"), nodes)
    food = [(name("w", 10 + person), name("n", 3)) for person in range(0, PEOPLE, 6)] + [
        (name("n", 3), "food"),
        ("milk", "food"),
        ("bread", "food"),
    ]
    shop = _table(directory / f"{name('x', 2)}.csv", ("child", "parent"), food)
    data = _table(directory / f"{name('f')}.csv", ("person", "age", "town", "basket", name("c")), rows)
    roles = ["--quasi", "age", "--hierarchy", f"town={towns}", "--item-sets", f"basket={shop}", "--drop-column", name("c")]
    return [data, "--format", "microdata", "--user", "person", *roles]


def numbers(name: Spelling, directory: Path) -> list[str]:
    """Ages and incomes alone, and a column that is dropped."""
    rows = [(name("u", person), str(20 + 2 * person), str(100 - 3 * person), name("r", person)) for person in range(PEOPLE)]
    data = _table(directory / f"{name('f')}.csv", ("person", "age", "income", name("c")), rows)
    return [data, "--format", "microdata", "--user", "person", "--quasi", "age,income", "--drop-column", name("c")]


def documents(name: Spelling, directory: Path) -> list[str]:
    """A folder of texts of nouns, with canaries among their words and in the names of their files."""
    folder = directory / name("f")
    folder.mkdir()
    for person in range(12):
        text = [NOUNS[(person // 3 + n) % len(NOUNS)] for n in range(6)] + [name("w", word) for word in words_of(person)]
        (folder / f"{name('u', person)}.txt").write_text(" ".join(text * 2))
    return [str(folder), "--format", "documents"]


def _table(place: Path, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    place.write_text("\n".join(",".join(row) for row in (head, *rows)) + "\n")
    return str(place)


# -- files next to the input


def tree_file(name: Spelling, directory: Path) -> str:
    """A taxonomy of all words, with nodes and words that nobody uses."""
    rows = [(name("w", word), name("n", word % 5)) for word in range(20)] + [(name("w", 90), name("n", 91))]
    rows += [(name("n", node), name("n", 10 + node % 2)) for node in (*range(5), 91)]
    rows += [(name("n", 10), "everything"), (name("n", 11), "everything")]
    return _table(directory / f"{name('x')}.csv", ("child", "parent"), rows)


def list_file(name: Spelling, directory: Path, words: Iterable[int] = (1, 12, 13)) -> str:
    """A list of words, of many people and of one."""
    place = directory / f"{name('l')}.txt"
    place.write_text("".join(f"{name('w', word)}\n" for word in words))
    return str(place)


def weights_file(name: Spelling, directory: Path) -> str:
    place = directory / f"{name('y')}.txt"
    place.write_text("".join(f"{name('w', word)}\t{1 + word % 3}\n" for word in range(20)))
    return str(place)


def config_file(name: Spelling, directory: Path) -> str:
    """A file of options with a comment."""
    place = directory / f"{name('o')}.toml"
    place.write_text(f"# {name('q', 1)} asked for this\nk = 3\n")
    return str(place)


# -- cases

Words = Callable[[Spelling, Path], list[str]]


@dataclass(frozen=True)
class Case:
    """A method on an input, with options; `loose` names the kinds of files that depend on more than what is published."""

    method: str
    input: Words
    options: Words = field(default=lambda name, directory: [])
    label: str = ""
    formats: tuple[str, ...] = ("csv",)
    loose: tuple[str, ...] = ()

    def typed(self, name: Spelling, directory: Path, format: str, out: Path) -> list[str]:
        """The command."""
        kind = METHODS[self.method]
        k = ["--k", "3"] if "k" in {parameter.name for parameter in kind.parameters()} else []
        consent = ["--no-guarantee"] if kind.guarantees_nothing else []
        words = [*self.input(name, directory), "--method", self.method, *k, *consent, *self.options(name, directory)]
        form, *layout = format.split()
        return ["anonymize", *words, "--to", form, *(["--layout", *layout] if layout else []), "--out", str(out)]

    def __str__(self) -> str:
        return f"{self.method}{f' {self.label}' if self.label else ''} as {', '.join(self.formats)}"


def _on(taxonomy: str, *more: str) -> Words:
    return lambda name, directory: ["--taxonomy", tree_file(name, directory) if taxonomy == "file" else taxonomy, *more]


def _with_list(option: str, words: tuple[int, ...] = (1, 12, 13), *more: str, taxonomy: str = "") -> Words:
    def options(name: Spelling, directory: Path) -> list[str]:
        on = _on(taxonomy)(name, directory) if taxonomy else []
        return [option, list_file(name, directory, words), *on, *more]

    return options


BY_SHAPE: dict[str, Words] = {
    "sets": baskets,
    "log": searches,
    "access log": visits,
    "table": microdata,
    "table with items": item_table,
    "documents": documents,
}
OWN_INPUT: dict[str, Words] = {
    "microaggregation": numbers,
    "perturbation": numbers,
}  # methods that do not take the usual input of their shape
EVERY = ("parquet", "csv", "jsonl", "xlsx")
OF_RECORDS = (*EVERY, "transactions", "parquet long", "csv long")
ALL_FORMATS = {"shoal": OF_RECORDS, "hghs": OF_RECORDS[:2], "disassociation": EVERY, "cahd": EVERY, "threshold": EVERY, "mdav": EVERY[:3]}
ALL_FORMATS |= {
    "document-vectors": EVERY,
    "dp-queries": EVERY,
    "diffpart": EVERY,
    "user-microaggregation": EVERY,
    "accesslog-mdav": ("accesslog",),
}
LOOSE = {"secret-sharing": ("rows",)}  # its table holds every query sealed under a key

# What a method needs to run at all, and options that put more into the files. A method that is not here runs with its defaults.
OPTIONS: dict[str, list[tuple[str, Words]]] = {
    "shoal": [
        ("generated", _on("generated")),
        ("wordnet", lambda name, directory: ["--config", config_file(name, directory), "--unknown", "keep"]),
        ("outliers", _on("file", "--outliers", "0.1", "--floor", "2")),
        ("sensitive", _with_list("--sensitive", (12, 13), "--h", "0.5", taxonomy="file")),
        ("attack", _on("file", "--attack", "--targets", "10", "--control", "0.2")),
    ],
    "coherence": [
        ("", lambda name, directory: []),
        ("private", _with_list("--private", (0, 1), "--h", "0.9", "--p", "1")),
        ("weights", lambda name, directory: ["--il", "weights", "--weights", weights_file(name, directory)]),
        ("generalize", _on("file", "--generalize")),
    ],
    "tds": [("", lambda name, directory: []), ("private", _with_list("--private", (0, 1)))],
    "cahd": [("", _with_list("--sensitive", (6, 12, 13), "--p", "2"))],
    "suppress-control": [("", _with_list("--sensitive")), ("generated", _with_list("--sensitive", taxonomy="generated"))],
    "td-control": [("", _with_list("--sensitive", taxonomy="file"))],
    "disassociation": [("", lambda name, directory: [])],
    "k-delta": [("", lambda name, directory: [])],
    "threshold": [
        ("", lambda name, directory: []),
        ("words", lambda name, directory: ["--words", "3"]),
        ("url", lambda name, directory: ["--unit", "url"]),
        ("links", lambda name, directory: ["--link", "person", "--times", "day"]),
    ],
    "query-cores": [("", lambda name, directory: []), ("words", lambda name, directory: ["--theta", "0.3", "--word-people", "3"])],
    "dp-queries": [("", lambda name, directory: ["--epsilon", "8", "--delta", "0.001"])],
    "dp-ngrams": [("", lambda name, directory: ["--epsilon", "8", "--delta", "0.001"])],
    "diffpart": [("", lambda name, directory: ["--epsilon", "20", "--generalized"])],
    "accesslog-mdav": [(per, lambda name, directory, per=per: ["--per", per]) for per in ("owner", "session", "row")],
}
GLOBAL = ("apriori", "direct", "optimal", "vertical", "hghs", "km", "local")


def cases() -> Iterator[Case]:
    """Every method, so that a new one joins by being in the table of methods."""
    for method, kind in METHODS.items():
        shape = next(shape for shape in BY_SHAPE if shape in kind.takes)
        default = [("", _on("file") if shape == "sets" else lambda name, directory: [])]
        for number, (label, options) in enumerate(OPTIONS.get(method, default)):
            formats = ALL_FORMATS.get(method, ("csv",)) if number == 0 else ALL_FORMATS.get(method, ("csv",))[:1]
            yield Case(method, OWN_INPUT.get(method, BY_SHAPE[shape]), options, label, formats, LOOSE.get(method, ()))
        if method in GLOBAL:
            yield Case(method, BY_SHAPE[shape], _on("generated"), "generated", ("jsonl",))
            yield Case(method, paths, _on("paths"), "paths", ("csv",))


# -- what a release publishes, and what must not be in it


def files_of(release: Path) -> dict[str, bytes]:
    return {place.name: place.read_bytes() for place in sorted(release.iterdir())}


def texts_of(name: str, content: bytes) -> Iterator[str]:
    """Everything that can be read in a file: its bytes in three encodings, and what is packed in it."""
    yield from (content.decode(encoding, "ignore") for encoding in ("latin-1", "utf-16-le", "utf-16-be"))
    if name.endswith(".html"):
        yield unquote(html.unescape(content.decode()))
    if name.endswith(".json"):
        yield json.dumps(json.loads(content), ensure_ascii=False)
    if name.endswith(".xlsx"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            members = [(one.filename, packed.read(one).decode("utf-8", "ignore"), one.comment, one.extra) for one in packed.infolist()]
        yield str(members)
    if name.endswith(".parquet"):
        found = pq.ParquetFile(io.BytesIO(content))
        yield f"{found.schema_arrow.metadata} {found.metadata.metadata} {found.metadata.to_dict()} {found.read().to_pylist()}"


def canaries_in(texts: Iterable[str]) -> set[str]:
    """The stems of all canaries in these texts, whatever their case."""
    return {found.lower()[:-1] for text in texts for found in CANARY.findall(text)}


def published_canaries(release: Path) -> set[str]:
    """Canaries in the cells of the published tables: words that are published on purpose."""
    tables = [file for file in json.loads((release / "manifest.json").read_text())["files"] if "table" in file]
    return canaries_in(cell for file in tables for cell in _cells(release / file["name"]))


def _cells(place: Path) -> Iterator[str]:
    if place.suffix == ".parquet":
        yield str(pl.read_parquet(place).rows())
    elif place.suffix == ".xlsx":
        yield str(pl.read_excel(place).rows())
    else:
        yield place.read_text()


def disguises(canary: str) -> Iterator[str]:
    """Other spellings of a text that give it away: encoded, or as a digest that fits no other text."""
    for text in {canary, canary.upper(), f"{canary}\n", f"{canary}.html"}:
        raw = text.encode()
        yield from (raw.hex(), base64.b64encode(raw).decode().rstrip("="), base64.b32encode(raw).decode().rstrip("="))
        for digest in (hashlib.md5, hashlib.sha1, hashlib.sha224, hashlib.sha256, hashlib.sha384, hashlib.sha512, hashlib.blake2b):
            yield digest(raw).hexdigest()[:16]
            yield base64.b64encode(digest(raw).digest()).decode()[:16]
        yield f"{zlib.crc32(raw):08x}"


def digests_of_files(directory: Path) -> Iterator[str]:
    """Digests of the input and of all files next to it."""
    for place in (one for one in directory.rglob("*") if one.is_file()):
        raw = place.read_bytes()
        yield from (digest(raw).hexdigest()[:16] for digest in (hashlib.md5, hashlib.sha1, hashlib.sha256, hashlib.sha512))


class Stream:
    """Random bytes that are the same in every run, in place of the operating system's."""

    def __init__(self) -> None:
        self._chance = np.random.default_rng(1)

    def __call__(self, n: int) -> bytes:
        return self._chance.bytes(n)


class NoNoise:
    """In place of OpenDP: counts without noise."""

    def __getattr__(self, name: str) -> Any:
        return NoNoise()

    def __call__(self, *given: Any, **named: Any) -> Any:
        return given[0] if given and isinstance(given[0], list) else NoNoise()

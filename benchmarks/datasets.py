"""The data sets that benchmarks measure on, as records of taxonomy nodes. Whatever file is absent is said and skipped."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from common import RESULTS, data_file
from shoal.data.original import Original
from shoal.io.read.formats import ReadOptions
from shoal.io.synthetic_log import generate
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare

LINES = ReadOptions(format="transactions")
LASTFM = ReadOptions(user="user", time="time", text="tag")  # words of tags
TAGS = ReadOptions(user="user", time="time", item="tag")  # whole tags, as `shoal compare` reads them
GRAINS = ("user", "session", "event")


def with_lm(**how: Any) -> Preparation:
    """Prepared under LM without a floor, as the literature measures losses, so that tables of different versions can be compared."""
    from shoal.data.taxonomy import Floor  # versions before limits of generality have none, and do not come here

    return Preparation(loss="lm", floor=Floor(level=1), **how)


def generated_log(users: int) -> Path:
    """A made-up query log, written once and used again."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"log-{users}.tsv"
    if not path.exists():
        generate(path, users)
    return path


def generated(users: int) -> Original:
    """The same on WordNet's nouns, unknown terms dropped."""
    return prepare(generated_log(users), with_lm(unknown="drop")).records


def groceries() -> Original | None:
    """Baskets on their own taxonomy."""
    taxonomy = data_file("groceries-taxonomy.tsv")
    return None if taxonomy is None else _read("groceries-baskets.csv", with_lm(read=LINES, taxonomy=str(taxonomy), unknown="refuse"))


def lastfm() -> Original | None:
    """Tags of last.fm's users, on WordNet's nouns."""
    return _read("lastfm-tags.tsv.gz", with_lm(read=LASTFM, unknown="drop"))


def excite() -> Original | None:
    """A small search log, on WordNet's nouns."""
    return _read("excite-small.log.gz", with_lm(unknown="drop"))


def news() -> Original | None:
    """Documents as bags of WordNet's nouns."""
    return _read("bbc-news.jsonl.gz", with_lm(read=ReadOptions(user="id", text="text"), unknown="drop", as_sets=False))


def clicks() -> Original | None:
    """BMS-WebView-2 on the hierarchy that others use for it."""
    hierarchy = data_file("BMS-WebView-2.hierarchy.txt.gz")
    return None if hierarchy is None else _read("BMS-WebView-2.dat.gz", with_lm(read=LINES, taxonomy=str(hierarchy)))


def numbered_items(name: str) -> Original | None:
    """Transactions of numbers, on a generated taxonomy."""
    return _read(name, with_lm(read=LINES, taxonomy="generated"))


def web_server() -> Original | None:
    """A web server's log: the pages of each address, on a generated taxonomy."""
    path = data_file("apache-combined-10k.log.gz")
    if path is None:
        return None
    with TemporaryDirectory() as directory:
        table = Path(directory) / "visits.tsv"
        with gzip.open(path, "rt", errors="replace") as log:
            table.write_text("who\tpage\n" + "".join(f"{who}\t{page}\n" for who, page in _visits(log)))
        how = with_lm(read=ReadOptions(user="who", item="page"), taxonomy="generated")
        return prepare(table, how).records


def _visits(log: Iterator[str]) -> Iterator[tuple[str, str]]:
    for line in log:
        request = line.split('"')[1].split()
        if len(request) > 1:
            yield line.split(" ", 1)[0], request[1]


def _read(name: str, how: Preparation) -> Original | None:
    path = data_file(name)
    return None if path is None else prepare(path, how).records


ALL: dict[str, Callable[[], Original | None]] = {
    "Excite": excite,
    "last.fm tags": lastfm,
    "BBC news": news,
    "web server": web_server,
    "groceries": groceries,
    "mushroom": lambda: numbered_items("mushroom.dat.gz"),
    "BMS-WebView-1": lambda: numbered_items("BMS-WebView-1.dat.gz"),
    "BMS-WebView-2": clicks,
    "connect": lambda: numbered_items("connect.dat.gz"),
    "retail": lambda: numbered_items("retail.dat.gz"),
    "T10I4D100K": lambda: numbered_items("T10I4D100K.dat.gz"),
    "T40I10D100K": lambda: numbered_items("T40I10D100K-regenerated.dat.gz"),
    "generated, 53,058 users": lambda: generated(53_058),
}


@dataclass(frozen=True)
class Source:
    """A data set: its file, how it is read, its taxonomy, and what one record of it may be."""

    path: Path
    read: ReadOptions
    taxonomy: str = "wordnet"
    grains: tuple[str, ...] = GRAINS


def sources(users: int) -> dict[str, Source]:
    """The data sets that are at hand, by name."""
    found = {}
    if path := data_file("excite-small.log.gz"):
        found["Excite"] = Source(path, ReadOptions())
    if path := data_file("lastfm-tags.tsv.gz"):
        found["last.fm"] = Source(path, TAGS, grains=("user",))
    path, taxonomy = data_file("groceries-baskets.csv"), data_file("groceries-taxonomy.tsv")
    if path and taxonomy:
        found["groceries"] = Source(path, LINES, str(taxonomy), ("user",))
    found[f"generated, {users:,} users"] = Source(generated_log(users), ReadOptions())
    return found

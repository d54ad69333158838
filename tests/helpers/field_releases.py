"""A release of every kind of table, made from data of enough people that an order can be told from chance."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path

from helpers.accesslog import CHROME, FIREFOX, line
from helpers.cli import FOOD, baskets
from helpers.documents import some_texts
from shoal.cli.main import run

PEOPLE = 90


@dataclass(frozen=True)
class Made:
    """How a release is made: its input, the words of the command, and what an audit is told of the original and of a guarantee."""

    source: str
    words: tuple[str, ...]
    beside: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()

    @property
    def original(self) -> tuple[str, ...]:
        """What an audit is told where the original is at hand."""
        return ("--original", self.source, *self.beside, *self.alone)


def _log(seed: int = 3) -> str:
    """Queries of people, three of whom share each query, with days and clicks; people stand in the order of their numbers."""
    rng = random.Random(seed)
    rows = ["user,time,query,rank,url"]
    for user in range(1, PEOPLE + 1):
        for n in range(4):
            topic = (user - 1 + n) // 3
            day, second = 1 + n % 3, rng.randrange(3600)
            rows.append(f"{user},2006-03-{day:02} 10:{second // 60:02}:{second % 60:02},topic{topic} shop,{n + 1},http://e.org/{topic}")
    return "\n".join(rows) + "\n"


def _many() -> str:
    """Queries that many people share, with clicks, for counts with noise."""
    rows = ["user,query,url"]
    for user in range(600):
        for n in range(3):
            rows.append(f"u{user},word{(user + n) % 12} city{(user + n) % 12},http://e.org/{(user + n) % 12}")
    return "\n".join(rows) + "\n"


def _access(agent: bool) -> str:
    """Requests of addresses, neighbours with the same pages."""
    return "".join(
        line(
            f"192.0.{person // 100 + 1}.{person % 100 + 1}",
            f"17/May/2015:{10 + person // 50:02}:{person % 50:02}:{page:02} +0000",
            f"{'POST' if page == 2 else 'GET'} /shop/{person // 3 + page}/index.html HTTP/1.0",
            status=(200, 404, 301)[page],
            size=str(500 + 10 * page),
            referrer="http://example.org/shop/",
            agent=(FIREFOX if person % 2 else CHROME) if agent else None,
        )
        for person in range(PEOPLE)
        for page in range(3)
    )


def _people(rows: int = 120) -> str:
    rng = random.Random(4)
    lines = [f"p{n},{18 + n % 60},{1000 + 7 * n + rng.random():.2f},town{n // 10}" for n in range(rows)]
    return "who,age,income,town\n" + "\n".join(lines) + "\n"


def _baskets(n: int = 120) -> str:
    """Lines of items in which neighbours are alike; a few hold something sensitive."""
    return "".join(" ".join([f"i{k // 6}", f"i{k // 6 + 1}", f"j{k // 9}", *(["guitar"] if k % 30 == 0 else [])]) + "\n" for k in range(n))


def _documents(n: int = 40) -> str:
    return "".join(json.dumps({"id": f"d{i}", "text": text}) + "\n" for i, text in enumerate(some_texts(n, 1)))


def _shop(n: int = 120) -> str:
    """People with an age and a basket; neighbours have the same items."""
    return "age,basket\n" + "".join(f"{20 + k // 6},{'|'.join([f'i{k // 12}', f'j{k // 6 % 2}'])}\n" for k in range(n))


def _goods(n: int = 120) -> str:
    return "".join(f"{item},goods\n" for item in sorted({f"i{k // 12}" for k in range(n)} | {"j0", "j1"})) + "goods,\n"


SOURCES = {
    "shop.csv": _shop,
    "goods.csv": _goods,
    "log.csv": _log,
    "many.csv": _many,
    "access.log": lambda: _access(True),
    "common.log": lambda: _access(False),
    "people.csv": _people,
    "lines.txt": _baskets,
    "documents.jsonl": _documents,
    "baskets.txt": lambda: baskets(60),
    "food.csv": lambda: FOOD,
    "key.txt": lambda: "0123456789abcdef" * 4 + "\n",
}
CLICKED = ("--rank", "rank", "--url", "url")
DP = ("--method", "dp-queries", "--epsilon", "8", "--delta", "0.001")
LINES = ("--format", "transactions")
OPEN = ("--no-guarantee",)

RELEASES: dict[str, Made] = {
    "records": Made("baskets.txt", ("--taxonomy", "food.csv", "--k", "3", "--to", "csv"), ("--taxonomy", "food.csv")),
    "long": Made("baskets.txt", ("--taxonomy", "food.csv", "--k", "3", "--to", "jsonl", "--layout", "long"), ("--taxonomy", "food.csv")),
    "lists": Made("lines.txt", (*LINES, "--method", "km", "--taxonomy", "generated", "--k", "2", "--m", "1", "--to", "parquet"), LINES),
    "access": Made("access.log", ("--method", "accesslog-mdav", "--k", "3")),
    "common": Made("common.log", ("--method", "accesslog-mdav", "--k", "3")),
    "linked": Made(
        "log.csv",
        ("--method", "threshold", "--k", "3", "--link", "person", "--times", "day", "--columns", "url", "--to", "csv", *CLICKED),
    ),
    "unlinked": Made("log.csv", ("--method", "threshold", "--k", "3", "--columns", "url", "--to", "jsonl", *CLICKED)),
    "queries": Made("log.csv", ("--method", "infrequent", "--k", "3", "--to", "parquet")),
    "profiles": Made("log.csv", ("--method", "user-microaggregation", "--k", "3", "--to", "csv", *CLICKED)),
    "histories": Made("log.csv", ("--method", "user-microaggregation", "--k", "3", "--to", "parquet", *CLICKED)),
    "counts": Made("many.csv", (*DP, "--to", "csv")),
    "clicks": Made("many.csv", (*DP, "--clicks", "0.4", "--url", "url", "--to", "jsonl")),
    "pairs": Made("many.csv", (*DP, "--unit", "pair", "--to", "parquet")),
    "groups": Made("lines.txt", (*LINES, "--method", "cahd", "--p", "3", "--sensitive", "items:guitar", "--to", "csv"), LINES),
    "chunks": Made("lines.txt", (*LINES, "--method", "disassociation", "--k", "3", "--cluster", "12", "--to", "csv"), LINES),
    "vectors": Made("documents.jsonl", ("--method", "document-vectors", "--k", "3", "--to", "csv")),
    "microdata": Made("people.csv", ("--method", "mdav", "--k", "3", "--user", "who", "--keep-column", "town", "--to", "csv")),
    "remedies": Made("log.csv", ("--method", "old-remedies", *OPEN, "--to", "csv"), alone=OPEN),
    "sheet": Made("log.csv", ("--method", "threshold", "--k", "3", "--link", "person", "--to", "xlsx")),
    "counted sheet": Made("many.csv", (*DP, "--to", "xlsx")),
    "tokens": Made("log.csv", ("--method", "old-remedies", "--key", "key.txt", *OPEN, "--to", "csv"), alone=OPEN),
    "shares": Made("log.csv", ("--method", "secret-sharing", "--k", "3", *OPEN, "--to", "jsonl"), alone=OPEN),
}

HONEST: dict[str, Made] = {
    **RELEASES,
    "categories": Made("log.csv", ("--method", "category-microaggregation", "--taxonomy", "generated", "--k", "3")),
    "topics": Made("log.csv", ("--method", "split-personality", "--taxonomy", "generated", "--level", "2", *OPEN), alone=OPEN),
    "centroids": Made("people.csv", ("--method", "microaggregation", "--k", "3", "--user", "who", "--keep-column", "town")),
    "sessions": Made("access.log", ("--method", "accesslog-mdav", "--k", "3", "--per", "session")),
    "single rows": Made("common.log", ("--method", "accesslog-mdav", "--k", "3", "--per", "row")),
    "weights": Made("many.csv", (*DP, "--counts", "0", "--unit", "term")),
    "runs": Made("many.csv", ("--method", "dp-ngrams", "--epsilon", "8", "--delta", "0.001")),
    "noisy sets": Made(
        "baskets.txt", (*LINES, "--taxonomy", "food.csv", "--method", "diffpart", "--epsilon", "8"), (*LINES, "--taxonomy", "food.csv")
    ),
    "counted items": Made("lines.txt", (*LINES, *DP, "--unit", "pair"), LINES),
    "words": Made("log.csv", ("--method", "threshold", "--k", "3", "--unit", "term", "--link", "day", "--times", "day", "--to", "jsonl")),
    "similar queries": Made("log.csv", ("--method", "query-cores", "--k", "3", "--to", "csv")),
    "columns": Made("log.csv", ("--method", "threshold", "--k", "3", "--unit", "url", "--columns", "rank=ranges", *CLICKED)),
    "ages and baskets": Made(
        "shop.csv",
        ("--format", "microdata", "--method", "kkm", "--k", "3", "--quasi", "age", "--item-sets", "basket=goods.csv"),
        ("--item-sets", "basket=goods.csv"),
    ),
    "perturbed": Made("people.csv", ("--method", "perturbation", "--user", "who", "--keep-column", "town", *OPEN), alone=OPEN),
    "long vectors": Made("documents.jsonl", ("--method", "document-vectors", "--k", "3", "--layout", "long")),
}


def make(place: Path, name: str) -> None:
    """Make the release of this name in a directory, with its sources beside it."""
    for source, content in SOURCES.items():
        if not (place / source).exists():
            (place / source).write_text(content())
    made = HONEST[name]
    words = ["anonymize", made.source, *made.words, "--out", name]
    assert run(words) == 0, words

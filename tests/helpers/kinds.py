"""A small release of every kind of published table, for tests of what is shown of them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import shoal
from helpers.accesslog import visits
from helpers.cli import ITEMS
from helpers.documents import some_texts
from shoal.api.result import Result

FOOD = {"Food": {"Fruit": ["Apple", "Orange", "Banana"], "Meat": ["Beef", "Chicken"], "Dairy": ["Milk", "Cheese", "Butter"]}}
WORDS = ("dog", "cat", "house", "tree", "car", "river", "music", "bread", "guitar")


def baskets(n: int = 60) -> list[list[str]]:
    chance = random.Random(1)
    return [sorted(chance.sample(ITEMS, chance.randint(1, 4))) for _ in range(n)]


def searches(people: int = 40) -> pl.DataFrame:
    chance = random.Random(2)
    rows = [
        (
            f"u{user}",
            f"2006-03-0{1 + n} 10:{user % 60:02}:00",
            " ".join(chance.sample(WORDS[: 2 + 3 * (n % 3)], 1 + n % 2)),
            1,
            "http://a.example/x",
        )
        for user in range(people)
        for n in range(4)
    ]
    return pl.DataFrame(rows, schema=["user", "time", "query", "rank", "url"], orient="row")


def people_table(n: int = 60) -> pl.DataFrame:
    chance = np.random.default_rng(3)
    return pl.DataFrame(
        {"age": chance.integers(18, 90, n), "income": chance.normal(40, 9, n).round(2), "job": chance.choice(["a", "b"], n)}
    )


def _of_bags(at: Path) -> Result:
    return shoal.anonymize(baskets(), k=3, taxonomy=FOOD, attack=True, control=0.3)


def _of_documents(at: Path) -> Result:
    place = at / "papers.jsonl"
    place.write_text("".join(json.dumps({"text": text}) + "\n" for text in some_texts(12)))
    return shoal.anonymize(place, "document-vectors", format="documents", k=3)


def _of_accesslog(at: Path) -> Result:
    place = at / "access.log"
    place.write_text(visits(24))
    return shoal.anonymize(place, "accesslog-mdav", k=3)


KINDS: dict[str, Callable[[Path], Result]] = {
    "bags": _of_bags,
    "rows": lambda at: shoal.anonymize(searches(), "infrequent", k=3, attack="known-items", control=0),
    "profiles": lambda at: shoal.anonymize(searches(), "user-microaggregation", k=3),
    "groups": lambda at: shoal.anonymize(baskets(), "cahd", p=2, sensitive="items:Beef"),
    "chunks": lambda at: shoal.anonymize(baskets(), "disassociation", k=3, m=2),
    "weighted bags": _of_documents,
    "access log": _of_accesslog,
    "microdata": lambda at: shoal.anonymize(people_table(), "mdav", k=3, quasi=["age", "income"], drop_column=["job"]),
    "counts": lambda at: shoal.anonymize(searches(400), "dp-queries", epsilon=8.0, delta=1e-4),
    "no guarantee": lambda at: shoal.anonymize(searches(), "old-remedies", no_guarantee=True),
}

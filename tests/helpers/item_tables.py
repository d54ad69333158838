"""Small tables with attributes of all kinds and a set of items in each row, and a plain recount of (k, k^m)-anonymity."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from shoal.data.bags import Vocabulary
from shoal.data.original import TableOriginal
from shoal.data.table import Attribute, Hierarchy, Table
from shoal.data.taxonomy import Taxonomy

FOOD = {
    "Food": None,
    "Fruit": "Food",
    "Apple": "Fruit",
    "Pear": "Fruit",
    "Drink": "Food",
    "Milk": "Drink",
    "Beer": "Drink",
    "Wine": "Drink",
    "Bread": "Food",
}
ITEMS = ["Apple", "Pear", "Milk", "Beer", "Wine", "Bread", "Fruit"]
TOWNS = ["Ulm", "Munich", "Kiel"]
REGIONS = Hierarchy(Vocabulary(["Germany", "South", "Ulm", "Munich", "North", "Kiel"]), np.array([-1, 0, 1, 1, 0, 4], np.int32))
LEVELS = ("low", "middle", "high")


def item_table(rows: int, seed: int, people: int | None = None, kinds: str = "numeric ordinal nominal hierarchical") -> TableOriginal:
    """Rows of random values and sets of up to four items, of so many people (one each by default)."""
    rng = random.Random(seed)
    drawn: dict[str, Attribute] = {
        "numeric": Attribute("age", "numeric", pl.Series([float(rng.randint(20, 60)) for _ in range(rows)], dtype=pl.Float64)),
        "ordinal": Attribute("school", "ordinal", pl.Series([rng.choice(LEVELS) for _ in range(rows)], dtype=pl.String), levels=LEVELS),
        "nominal": Attribute("sex", "nominal", pl.Series([rng.choice("fmx") for _ in range(rows)], dtype=pl.String)),
        "hierarchical": Attribute(
            "town", "hierarchical", pl.Series([rng.choice(TOWNS) for _ in range(rows)], dtype=pl.String), hierarchy=REGIONS
        ),
    }
    sets = ["|".join(sorted(rng.sample(ITEMS, rng.choice([0, 1, 2, 2, 3, 4])))) for _ in range(rows)]
    basket = Attribute("basket", "items", pl.Series(sets, dtype=pl.String), tree=Taxonomy.from_parents(dict(FOOD)))
    owners = np.array([rng.randrange(people) for _ in range(rows)]) if people else np.arange(rows)
    return TableOriginal(Table((*(drawn[kind] for kind in kinds.split()), basket), owners.astype(np.int64)))


def fewest(rows: list[dict[str, Any]], names: list[str], items: str, m: int, people: list[Any] | None = None) -> int:
    """The people with the rarest class and set of up to m items of it, by counting every set of every row."""
    holders: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for number, row in enumerate(rows):
        held = [item for item in row[items].split("|") if item]
        for size in range(m + 1):
            for some in combinations(sorted(held), size):
                holders[tuple(row[name] for name in names), some].add(number if people is None else people[number])
    return min(map(len, holders.values()), default=0)


def content(frame: pl.DataFrame) -> Counter[tuple[Any, ...]]:
    """The rows of a table, in no order."""
    return Counter(frame.rows())

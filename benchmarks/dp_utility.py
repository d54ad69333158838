"""What is left under differential privacy and under k-anonymity: count queries, frequent pairs and hidden items, of the same people.

    python benchmarks/dp_utility.py [groceries] [lastfm] [--runs N] [--guessed N]

One item in five of each person is hidden (at least one of two or more), and a release is made of the rest. It is reduced to numbers of
people with an item and with a pair of items as typed; categories are left out. A pair that an analyst cannot count in a release is not
measured. Count queries: mean relative error of 300 items and 300 pairs, each drawn from a random person; errors are relative to the true
number, or to 0.1 % of the people if that is larger. Patterns: how many of the 50 most frequent pairs are among the 50 most frequent
published ones. Hidden items: in how many people's lists of the 20 items that the release suggests a hidden one is found, items of
which the person is known to have excluded; a suggestion is rated by the published pairs with known items, then by the published number.
"""

from __future__ import annotations

import argparse
import heapq
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

import shoal
from common import data_file, show
from dp import tags
from shoal.data.bags import Bags, Vocabulary
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.tables.counts import COUNT, CountTable
from shoal.data.taxonomy import Taxonomy
from shoal.io.read.taxonomies import read_taxonomy
from shoal.methods import METHODS
from shoal.taxonomy.generated import generated

Person = tuple[str, ...]  # items in the order of time
QUERIES, BEST, SUGGESTED = 300, 50, 20
MOST_PAIRED = 60  # items of a record of which pairs are counted


@dataclass
class Numbers:
    """Published numbers of people with an item, and with a pair of items; None where a release has none."""

    items: Counter[str] | None = None
    pairs: Counter[tuple[str, str]] | None = None
    near: dict[str, Counter[str]] = field(default_factory=dict)

    def neighbours(self, item: str) -> Counter[str]:
        """Return the items that are published in a pair with this one."""
        if not self.near and self.pairs:
            for (a, b), n in self.pairs.items():
                self.near.setdefault(a, Counter())[b] = n
                self.near.setdefault(b, Counter())[a] = n
        return self.near.get(item, Counter())


def of_records(records: Iterable[tuple[Iterable[str], int]]) -> Numbers:
    """Count items and pairs in records, each of which so many people have."""
    items: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for record, n in records:
        held = sorted(set(record))[:MOST_PAIRED]
        for item in held:
            items[item] += n
        for pair in combinations(held, 2):
            pairs[pair] += n
    return Numbers(items, pairs)


def noisy(name: str, people: list[Person], taxonomy: Taxonomy, **values: Any) -> dict[str, pl.DataFrame]:
    """Make a release with noise, and return its tables."""
    lengths = [len(person) for person in people]
    frame = pl.DataFrame({"owner": np.repeat(np.arange(len(people)), lengths), "payload": [item for person in people for item in person]})
    method = METHODS[name](**values)
    release = method.apply(LogOriginal(Log(frame, "item"), taxonomy if method.needs_taxonomy else None))
    return {name: table.frame for name, table in release.tables.items() if isinstance(table, CountTable)}


def single(frame: pl.DataFrame) -> Counter[str]:
    return Counter({row[0]: row[1] for row in frame.rows() if row[1] > 0})


def paired(frame: pl.DataFrame) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for first, second, n in frame.rows():
        if n > 0 and first != second:
            found[min(first, second), max(first, second)] += n
    return found


def by_items(people: list[Person], taxonomy: Taxonomy, epsilon: float) -> Numbers:
    return Numbers(single(noisy("dp-queries", people, taxonomy, epsilon=epsilon, delta=1e-5)["counts"]))


def by_pairs(people: list[Person], taxonomy: Taxonomy, epsilon: float) -> Numbers:
    return Numbers(pairs=paired(noisy("dp-queries", people, taxonomy, epsilon=epsilon, delta=1e-5, unit="pair")["counts"]))


def by_parts(people: list[Person], taxonomy: Taxonomy, epsilon: float) -> Numbers:
    frame = noisy("diffpart", people, taxonomy, epsilon=epsilon)["counts"]
    return of_records(zip(frame["items"].to_list(), frame[COUNT].to_list(), strict=True))


def by_runs(people: list[Person], taxonomy: Taxonomy, epsilon: float) -> Numbers:
    tables = noisy("dp-ngrams", people, taxonomy, epsilon=epsilon, delta=1e-5, longest=2)
    return Numbers(single(tables["length1"]), paired(tables["length2"]))


def by_groups(method: str, **values: Any) -> Callable[[list[Person], Taxonomy, float], Numbers]:
    def release(people: list[Person], taxonomy: Taxonomy, epsilon: float) -> Numbers:
        del epsilon
        made = shoal.anonymize(Bags.from_lists([list(person) for person in people]), method, taxonomy=taxonomy, **values).release
        typed = {item for person in people for item in person}
        records = made.published.to_polars().to_list()
        return of_records(([item for item in record if item in typed], int(n)) for record, n in zip(records, made.copies, strict=True))

    return release


ROUTES: dict[str, tuple[Callable[[list[Person], Taxonomy, float], Numbers], tuple[float, ...]]] = {
    "dp-queries, items": (by_items, (1.0, 3.0)),
    "dp-queries, pairs": (by_pairs, (1.0, 3.0)),
    "diffpart": (by_parts, (1.0, 3.0)),
    "dp-ngrams, runs of 2": (by_runs, (1.0, 3.0)),
    "k-anonymity (shoal, k = 5)": (by_groups("shoal", k=5), (0.0,)),
    "k^m-anonymity (km, k = 5, m = 2)": (by_groups("km", k=5, m=2), (0.0,)),
}


# -- measures


def error(found: Counter[Any] | None, true: Counter[Any], values: list[Any], people: int) -> float | None:
    """Return the mean relative error of the asked numbers."""
    if found is None:
        return None
    return float(np.mean([abs(found[one] - true[one]) / max(true[one], people / 1000) for one in values]))


def patterns(found: Counter[Any] | None, true: Counter[Any]) -> float | None:
    if found is None:
        return None
    return len({pair for pair, _ in found.most_common(BEST)} & {pair for pair, _ in true.most_common(BEST)}) / BEST


def suggestions(found: Numbers, known: Person) -> set[str]:
    """Return the items that a release suggests for a person of whom some items are known."""
    together: Counter[str] = Counter()
    for item in set(known):
        together.update(found.neighbours(item))
    popular = found.items or Counter()
    names = (set(together) | set(popular)) - set(known)
    return set(heapq.nsmallest(SUGGESTED, names, key=lambda name: (-together[name], -popular[name], name)))


def hidden_found(found: Numbers, tried: list[tuple[Person, set[str]]]) -> float:
    return float(np.mean([bool(suggestions(found, known) & hidden) for known, hidden in tried]))


def divided(people: list[Person], rng: random.Random) -> list[tuple[Person, set[str]]]:
    """Hide one item in five of each person who has two or more."""
    found = []
    for person in people:
        items = sorted(set(person))
        hidden = set(rng.sample(items, max(1, len(items) // 5))) if len(items) > 1 else set()
        found.append((tuple(item for item in person if item not in hidden), hidden))
    return found


def measured(people: list[Person], taxonomy: Taxonomy, runs: int, guessed: int, left_out: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Return a line for each way to publish, as means over the runs."""
    rng = random.Random(0)
    parts = divided(people, rng)
    rng.shuffle(parts)
    known = [person for person, _ in parts]
    tried = [(person, hidden) for person, hidden in parts if hidden][:guessed]
    true = of_records((person, 1) for person in known)
    assert true.items is not None
    assert true.pairs is not None
    several = [sorted(set(person))[:MOST_PAIRED] for person in known if len(set(person)) > 1]
    items = [rng.choice(rng.choice(known)) for _ in range(QUERIES)]
    pairs = [tuple(sorted(rng.sample(rng.choice(several), 2))) for _ in range(QUERIES)]
    lines = [_line("the data itself", "", [true], (true, items, pairs, len(known)), tried)]
    for name, (route, epsilons) in ROUTES.items():
        for epsilon in epsilons if name not in left_out else ():
            found = [route(known, taxonomy, epsilon) for _ in range(runs if epsilon else 1)]
            lines.append(_line(name, f"{epsilon:g}" if epsilon else "", found, (true, items, pairs, len(known)), tried))
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


def percent(values: list[float | None]) -> str:
    """The mean in percent; nothing where it was not measured."""
    known = [value for value in values if value is not None]
    return f"{100 * float(np.mean(known)):.0f}%" if len(known) == len(values) else ""


def _line(name: str, epsilon: str, found: list[Numbers], truth: tuple[Numbers, list[Any], list[Any], int], tried: Any) -> dict[str, Any]:
    true, items, pairs, people = truth
    assert true.items is not None
    assert true.pairs is not None
    runs = "runs" in name  # pairs one after another are no pairs of a person
    columns: dict[str, list[float | None]] = {
        "items": [error(one.items, true.items, items, people) for one in found],
        "pairs": [None if runs else error(one.pairs, true.pairs, pairs, people) for one in found],
        "patterns": [None if runs else patterns(one.pairs, true.pairs) for one in found],
        "hidden": [hidden_found(one, tried) for one in found],
    }
    means = {column: percent(values) for column, values in columns.items()}
    return {"release": name, "epsilon": epsilon, **means}


def groceries() -> tuple[list[Person], Taxonomy] | None:
    """Baskets, and their public taxonomy of categories."""
    places = data_file("groceries-baskets.csv"), data_file("groceries-taxonomy.tsv")
    if places[0] is None or places[1] is None:
        return None
    taxonomy = read_taxonomy(places[1]).taxonomy
    return [tuple(line.split(",")) for line in places[0].read_text().splitlines()], taxonomy


def lastfm() -> tuple[list[Person], Taxonomy] | None:
    """Tags of people in the order of time, and a taxonomy of all tags as if their list were public."""
    log = tags()
    if log is None:
        return None
    people = log.frame.group_by("owner", maintain_order=True).agg("payload")["payload"].to_list()
    names = Vocabulary(log.frame["payload"].unique().sort())
    return [tuple(person) for person in people], generated(names, 8, "lm")


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", default=["groceries", "lastfm"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--guessed", type=int, default=2000, help="people for whom items are suggested")
    options = parser.parse_args()
    for name in options.data:
        found = {"groceries": groceries, "lastfm": lastfm}[name]()
        if found is None:
            print(f"{name}: not here")
            continue
        left_out = ("dp-ngrams, runs of 2",) if name == "groceries" else ()
        show(f"{name}: {len(found[0]):,} people", measured(*found, options.runs, options.guessed, left_out))


if __name__ == "__main__":
    main()

"""An independent checker: reads the raw input and the written release, and recounts every claim in plain Python.

It imports nothing of shoal. Slow, and straight from the definitions.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

GAP = timedelta(minutes=30)
CLAIM = re.compile(r"([\w-]+)\((.*)\)$")
Bag = Counter[str]


@dataclass(frozen=True)
class Record:
    """A raw record and whose it is."""

    owner: str
    items: tuple[str, ...]


@dataclass
class Tree:
    """The hierarchy as its file draws it, with unknown terms below a node of their own."""

    parent: dict[str, str | None]

    def path(self, name: str) -> list[str]:
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


def read_tree(path: Path, unknown: set[str]) -> Tree:
    parent: dict[str, str | None] = {}

    def walk(node: Any, above: str | None) -> None:
        if isinstance(node, str):
            parent[node] = above
        elif isinstance(node, list):
            for child in node:
                walk(child, above)
        else:
            for name, below in node.items():
                parent[name] = above
                walk(below, name)

    walk(json.loads(path.read_text()), None)
    tree = Tree(parent)
    strange = sorted(term for term in unknown if term not in parent)
    if strange:
        _hang(tree, strange)
    return tree


def _hang(tree: Tree, strange: list[str]) -> None:
    """Unknown terms hang below `(unlisted)`, a child of the root; where a node or a term has that name, it is marked until it is free."""
    root = next(name for name, above in tree.parent.items() if above is None)
    shelf = "(unlisted)"
    while shelf in tree.parent or shelf in strange:
        shelf += " (unlisted)"
    tree.parent[shelf] = root
    tree.parent.update(dict.fromkeys(strange, shelf))


def read_lines(path: Path) -> list[Record]:
    """Transactions: a person a line."""
    lines = path.read_text().splitlines()
    return [Record(str(n), tuple(i.strip() for i in line.split(",") if i.strip())) for n, line in enumerate(lines)]


def read_events(path: Path, per: str) -> list[Record]:
    """A table of user, item and time: a record per user, session or event."""
    events: dict[str, list[tuple[datetime, str]]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            events.setdefault(row["user"], []).append((datetime.fromisoformat(row["time"]), row["item"]))
    found = []
    for owner, happened in events.items():
        records: list[list[str]] = []
        last = None
        for time, item in sorted(happened):
            if last is None or per == "event" or (per == "session" and time - last > GAP):
                records.append([])
            records[-1].append(item)
            last = time
        found += [Record(owner, tuple(items)) for items in records]
    return found


def read_release(directory: Path) -> tuple[dict[str, Any], list[Bag]]:
    manifest = json.loads((directory / "manifest.json").read_text())
    rows = [json.loads(line) for line in (directory / "records.jsonl").read_text().splitlines()]
    return manifest, [Counter(row["items"]) for row in rows]


def values_of(claim: str) -> tuple[str, dict[str, str]]:
    found = CLAIM.match(claim)
    assert found, claim
    return found[1], dict(part.split("=", 1) for part in found[2].split(", ") if part)


NOTHING_LEFT = "withheld: nothing in common"


@dataclass(frozen=True)
class Case:
    """All that a recount needs."""

    originals: list[Record]  # records that hold something, in the names that may be published
    bags: list[Bag]
    tree: Tree
    private: frozenset[str]
    sensitive: frozenset[str]
    suppresses: bool  # items are kept or suppressed everywhere, and never generalized


def wrong_claims(case: Case, manifest: dict[str, Any], published: list[Bag]) -> list[str]:
    """Every claim of the manifest that a recount does not find."""
    wrong = []
    if not manifest["claims"]:
        wrong.append("no claim is made")
    for stated in manifest["claims"]:
        model, values = values_of(stated["model"])
        if not stated["holds"]:
            wrong.append(f"{model} is published although it does not hold")
        wrong += [f"{model}: {line}" for line in RECOUNTS[model](case, published, values, stated["achieved"])]
    withheld = manifest.get("accounting", {}).get("records", {}).get(NOTHING_LEFT, 0)
    if len(published) + withheld != len(case.bags):
        wrong.append(f"{len(published)} records are published and {withheld} withheld of {len(case.bags)}")
    if withheld and not all(published):
        wrong.append("some records that nothing is left of are published, and some are not")
    return wrong


def classes(published: list[Bag]) -> Counter[tuple[tuple[str, int], ...]]:
    return Counter(tuple(sorted(bag.items())) for bag in published)


def recount_k(case: Case, published: list[Bag], values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    k, sizes = int(values["k"]), classes(published)
    smallest = min(sizes.values(), default=0)
    wrong = [] if smallest >= k else [f"a class of {smallest}"]
    if smallest != achieved["records"]:
        wrong.append(f"states {achieved['records']} records, has {smallest}")
    return wrong


def recount_generalization(case: Case, published: list[Bag], values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    wrong = recount_k(case, published, values, achieved)
    kinds = [Counter(dict(content)) for content in classes(published)]
    below = [[i for i, bag in enumerate(case.bags) if case.tree.generalizes(kind, bag)] for kind in kinds]
    for candidates in below:
        if len({case.originals[i].owner for i in candidates}) < int(values["k"]):
            wrong.append("a class that could not stand for k people")
    wanted = [candidates for candidates, n in zip(below, classes(published).values(), strict=True) for _ in range(n)]
    if not _matches(wanted):
        wrong.append("a published record that generalizes no original of its own")
    return wrong


def _matches(wanted: list[list[int]]) -> bool:
    """Whether each can be given one of its candidates, all different."""
    taken: dict[int, int] = {}

    def place(who: int, tried: set[int]) -> bool:
        for candidate in wanted[who]:
            if candidate not in tried:
                tried.add(candidate)
                if candidate not in taken or place(taken[candidate], tried):
                    taken[candidate] = who
                    return True
        return False

    return all(place(who, set()) for who in range(len(wanted)))


def recount_shared(case: Case, published: list[Bag], values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    holders: dict[str, set[str]] = {}
    for record, bag in zip(case.originals, case.bags, strict=True):
        for node in case.tree.counts(bag):
            holders.setdefault(node, set()).add(record.owner)
    terms = {term for bag in published for term in bag}
    rare = sum(len(holders.get(term, ())) < int(values["owners"]) for term in terms)
    return [f"{rare} terms of too few people"] if rare else []


def recoded(case: Case, published: list[Bag]) -> list[tuple[str, frozenset[str]]] | None:
    """Whose record became which, where items were suppressed everywhere or nowhere; None if that is not what happened."""
    shown = {item for bag in published for item in bag}
    expected = [frozenset(bag) & shown for bag in case.bags]
    if any(n > 1 for bag in published for n in bag.values()):
        return None
    if Counter(expected) != Counter(frozenset(bag) for bag in published):
        return None
    return [(record.owner, items) for record, items in zip(case.originals, expected, strict=True)]


def recount_coherence(case: Case, published: list[Bag], values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    people = recoded(case, published)
    if case.suppresses and people is None:
        return ["published records are not the originals under one suppression"]
    if people is None:
        people = [(str(n), frozenset(bag)) for n, bag in enumerate(published)]
    k, h, p = int(values["k"]), Fraction(values["h"]), int(values["p"])
    known = sorted({item for _, items in people for item in items} - case.private)
    wrong = []
    for size in range(min(p, 3) + 1):
        for chosen in combinations(known, size):
            cohort = [(owner, items) for owner, items in people if items >= set(chosen)]
            if not cohort:
                continue
            holders = {owner for owner, _ in cohort}
            if len(holders) < k:
                wrong.append(f"a set of {size} held by {len(holders)}")
            for hidden in case.private:
                having = [owner for owner, items in cohort if hidden in items]
                if len(having) > h * len(cohort) or len(set(having)) > h * len(holders):
                    wrong.append(f"a set of {size} gives a private item away")
    return wrong


def recount_public(case: Case, published: list[Bag], values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    people = recoded(case, published)
    if people is None:
        return ["published records are not the originals under one suppression"]
    behind: dict[frozenset[str], set[str]] = {}
    for owner, items in people:
        behind.setdefault(items - case.private, set()).add(owner)
    small = sum(len(owners) < int(values["k"]) for owners in behind.values())
    return [f"{small} public parts of too few people"] if small else []


def recount_sensitive(case: Case, published: list[Bag], values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """From the files alone: no sensitive item, nor anything below it, is named."""
    if Fraction(values["h"]) >= 1:
        return []
    named = sum(bool(case.sensitive & set(case.tree.path(item))) for bag in published for item in bag)
    return [f"{named} sensitive items are named"] if named else []


RECOUNTS = {
    "k-anonymity": recount_generalization,
    "vocabulary-k-anonymity": recount_k,
    "shared-terms": recount_shared,
    "coherence": recount_coherence,
    "public-k-anonymity": recount_public,
    "sensitive-share": recount_sensitive,
}

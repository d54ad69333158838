"""Recounts of records that were taken apart: chunks of clusters, and groups with histograms of sensitive items."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

from fuzz.check.records import Facts, sets_within
from helpers.checker import Release, Row, items_in

Chunk = dict[int, set[str]]  # sub-records by their numbers


def chunks_in(rows: list[Row], whole: str) -> dict[int, dict[int, Chunk]]:
    """The chunks of each cluster, or joint cluster."""
    found: dict[int, dict[int, Chunk]] = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
    for row in rows:
        found[row[whole]][row["chunk"]][row["subrecord"]].add(str(row["item"]))
    return found


class Apart:
    """A release of chunks."""

    def __init__(self, release: Release) -> None:
        tables = release.tables
        self.records = {row["cluster"]: row["records"] for row in tables["chunks_clusters"]}
        self.joint = {row["cluster"]: row["joint"] for row in tables["chunks_clusters"]}
        self.chunks = chunks_in(tables["chunks_subrecords"], "cluster")
        self.shared = chunks_in(tables["chunks_shared"], "joint")
        self.terms: dict[int, set[str]] = defaultdict(set)
        for row in tables["chunks_terms"]:
            self.terms[row["cluster"]].add(str(row["item"]))

    def of(self, cluster: int) -> list[Chunk]:
        return list(self.chunks[cluster].values())

    @property
    def published(self) -> Counter[str]:
        """How often each term stands in a chunk; in a term chunk it stands once."""
        told: Counter[str] = Counter()
        for chunks in [*self.chunks.values(), *self.shared.values()]:
            told.update(item for chunk in chunks.values() for items in chunk.values() for item in items)
        for terms in self.terms.values():
            told.update(terms)
        return told


def recount_chunks(facts: Facts, release: Release, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """The conditions on every cluster, and that the terms are those of the records."""
    k, m = int(values["k"]), int(values["m"])
    apart = Apart(release)
    wrong = [line for cluster in apart.records for line in _cluster(apart, cluster, k, m)]
    for joint, chunks in apart.shared.items():
        total = sum(n for cluster, n in apart.records.items() if apart.joint[cluster] == joint)
        wrong += [line for chunk in chunks.values() for line in _chunk(chunk, total, k, m)]
        if _bound(list(chunks.values()), 0, total, k, m):
            wrong.append("terms of shared chunks certainly meet in few records")
    return [*wrong, *_origins(facts, release, apart, k)]


def _cluster(apart: Apart, cluster: int, k: int, m: int) -> Iterator[str]:
    n, chunks = apart.records[cluster], apart.of(cluster)
    if n < k:
        yield f"a cluster of {n} records"
    for chunk in chunks:
        yield from _chunk(chunk, n, k, m)
    joint = list(apart.shared[apart.joint[cluster]].values()) if apart.joint[cluster] in apart.shared else []
    places = Counter(item for chunk in [*chunks, *joint] for item in set().union(*chunk.values()))
    places.update(apart.terms[cluster])
    if any(count > 1 for item, count in places.items()):
        yield "a term stands in two chunks of a cluster"
    if not apart.terms[cluster]:
        sizes = [len(chunk) for chunk in chunks]
        if sum(sizes) < n:
            yield "records would have to be empty"
        for h in range(2, min(m, len(sizes)) + 1):
            for known in combinations(range(len(sizes)), h):
                if 0 < _most_meeting(sizes, known, n) < k:
                    yield "terms of several chunks may meet in fewer than k records"
    if _bound(chunks, len(apart.terms[cluster]), n, k, m):
        yield "terms of several chunks certainly meet in fewer than k records"


def _chunk(chunk: Chunk, n: int, k: int, m: int) -> Iterator[str]:
    if len(chunk) > n:
        yield "a chunk has more sub-records than its cluster has records"
    parts = [frozenset(items) for items in chunk.values()]
    for known in sets_within(parts, m):
        if known and sum(part >= known for part in parts) < k:
            yield f"a set of {len(known)} terms stands in too few sub-records"


def _most_meeting(sizes: list[int], known: tuple[int, ...], n: int) -> int:
    """The most records that hold sub-records of all these chunks, where every record must hold something."""
    for j in range(min(sizes[i] for i in known), 0, -1):
        filled = sum(size - j if i in known else min(size, n - j) for i, size in enumerate(sizes))
        if filled >= n - j:
            return j
    return 0


def _bound(chunks: list[Chunk], terms: int, n: int, k: int, m: int) -> bool:
    """Whether terms of several chunks stand together in some, but fewer than k, records of every reconstruction."""
    supports: list[dict[int, set[int]]] = []
    for chunk in chunks:
        parts = [frozenset(items) for items in chunk.values()]
        held: dict[int, set[int]] = {0: {n}}
        for known in sets_within(parts, m - 1):
            if known:
                held.setdefault(len(known), set()).add(sum(part >= known for part in parts))
        supports.append(held)
    supports += [{0: {n}, 1: {1}}] * min(terms, m)
    return _leaves_few(supports, n, k, m)


def _leaves_few(supports: list[dict[int, set[int]]], n: int, k: int, m: int) -> bool:
    """Whether up to m terms of at least two chunks leave some, but fewer than k, records; records without a set add up at worst."""
    reached: dict[tuple[int, int], set[int]] = {(0, 0): {0}}  # known terms and chunks they are of (two stand for more), to records without
    for held in supports:
        for (size, chunks), without in list(reached.items()):
            for more, counts in held.items():
                if more and size + more <= m:
                    added = {lacking + n - count for lacking in without for count in counts if lacking + n - count < n}
                    place = (size + more, min(2, chunks + 1))
                    reached[place] = reached.get(place, set()) | added
    return any(n - lacking < k for (_, chunks), without in reached.items() if chunks == 2 for lacking in without)


def recount_words(facts: Facts, release: Release, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """Every published word is of at least k people."""
    people: dict[str, set[str]] = defaultdict(set)
    for record, bag in zip(facts.originals, facts.bags, strict=True):
        for item in bag:
            people[item].add(record.owner)
    found = [len(people[item]) for item in Apart(release).published]
    wrong = ["a word of too few people is published"] if any(n < int(values["k"]) for n in found) else []
    if found and "people" in achieved and achieved["people"] != min(found):
        wrong.append(f"{achieved['people']} people are stated for the rarest word of {min(found)}")
    return wrong


def _origins(facts: Facts, release: Release, apart: Apart, k: int) -> Iterator[str]:
    """The terms of all records, each as often, but for rare ones that the release says it withholds."""
    held = Counter(item for bag in facts.bags for item in bag)
    people: dict[str, set[str]] = defaultdict(set)
    for record in facts.originals:
        for item in record.items:
            people[item].add(record.owner)
    withholds = release.manifest["parameters"].get("rare_words") == "withhold"
    tied = release.manifest["accounting"].get("occurrences", {}).get("suppressed: tied to others", 0)
    told, loose = apart.published, set().union(*apart.terms.values(), set())
    for item, n in held.items():
        if item not in told and not (withholds and len(people[item]) < k):
            tied -= n
            if tied < 0:
                yield "a word is not published"
        elif item in told and (told[item] > n or (item not in loose and told[item] != n)):
            yield "a word is published more or less often than it was typed"
    if told.keys() - held.keys():
        yield "a word that nobody typed"
    if withholds and any(len(people[item]) < k for item in told):
        yield "a word of fewer than k people is published"
    gone = sum(n for part, n in release.manifest["accounting"]["records"].items() if part.startswith("withheld"))
    if sum(apart.records.values()) + gone != len(facts.bags) + facts.empty:
        yield "other numbers of records"
    if len(apart.records) == 1:
        yield from _projected(facts, apart)


def _projected(facts: Facts, apart: Apart) -> Iterator[str]:
    """Of one cluster every chunk holds just what the records hold of its terms."""
    (cluster,) = apart.records
    for chunk in [*apart.of(cluster), *apart.shared.get(apart.joint[cluster], {}).values()]:
        terms = set().union(*chunk.values())
        parts = Counter(part for bag in facts.bags if (part := frozenset(bag) & terms))
        if parts != Counter(frozenset(items) for items in chunk.values()):
            yield "a chunk is not what the records hold of its terms"


# -- groups


def recount_degree(facts: Facts, release: Release, values: dict[str, str], achieved: dict[str, Any]) -> list[str]:
    """Of p rows of a group at most one holds a sensitive item; rows are the records without these; totals agree."""
    p = int(values["p"])
    rows, counts = release.tables["records_rows"], release.tables["records_histogram"]
    separator = release.fact("records_rows").get("separator", "")
    parts = [frozenset(items_in(row["items"], separator)) for row in rows]
    sizes = Counter(row["group"] for row in rows)
    sensitive = {item for meant in facts.sensitive for item in meant}
    least = min((Fraction(sizes[line["group"]], line["count"]) for line in counts), default=None)
    wrong = ["an item is counted too often"] if least is not None and least < p else []
    if any(part & sensitive for part in parts):
        wrong.append("a sensitive item stands in a row")
    if Counter(parts) != Counter(frozenset(bag) - sensitive for bag in facts.bags):
        wrong.append("other rows than the records without sensitive items")
    told: Counter[str] = Counter()
    for line in counts:
        told[str(line["item"])] += line["count"]
    if told != Counter(item for bag in facts.bags for item in bag if item in sensitive):
        wrong.append("other totals")
    if set().union(*rows, *counts) - {"group", "items", "item", "count"}:
        wrong.append("further columns")
    return wrong

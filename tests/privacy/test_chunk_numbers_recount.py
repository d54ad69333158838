"""The numbers of clusters and chunks against a recount in plain Python: full chunks, shared chunks, people with several records."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest

from helpers.chunks import chunk_release, chunk_table
from shoal.data.bags import Bags
from shoal.data.tables.chunks import CHUNK, CLUSTER, ITEM, JOINT, SUBRECORD
from shoal.privacy.disassociated_km_anonymity import DisassociatedKmAnonymity
from shoal.privacy.evidence.chunk_evidence import ClusterChunks, Joint, both_parts, count_chunk_sets
from shoal.privacy.evidence.known_sets import AttackerKnowledge
from shoal.taxonomy.place_terms import as_typed


def test_clusters_without_records_or_chunks() -> None:
    assert not ClusterChunks(0).overfull() and not ClusterChunks(0).left_empty()
    assert Joint().support == 1 and not Joint().overfull() and not Joint().bound_to_meet()
    two = [ClusterChunks(1), ClusterChunks(1)]
    for sizes, overfull in (((1, 2), False), ((2, 2), False), ((1, 3), True), ((3, 1), True)):
        assert Joint(1, two, [[("a",)] * n for n in sizes]).overfull() == overfull


def _full(rng: random.Random, letters: str, n: int) -> list[tuple[str, ...]]:
    """The sub-records of a chunk in which most of n records have most of the letters."""
    records = [tuple(letter for letter in letters if rng.random() < 0.9) for _ in range(n)]
    return [record for record in records if record] or [(letters[0],)]


def _sets(chunk: list[tuple[str, ...]]) -> list[tuple[int, int]]:
    """The size of each set of terms of a chunk, and in how many sub-records it is."""
    known = {some for row in chunk for size in range(1, len(row) + 1) for some in combinations(row, size)}
    return [(len(some), sum(set(some) <= set(row) for row in chunk)) for some in known]


@pytest.mark.parametrize("parts", [("ab", "cd"), ("abc", "def"), ("a", "b", "cd"), ("a", "b", "c", "d")], ids="-".join)
def test_terms_of_full_chunks_that_certainly_meet(parts: tuple[str, ...]) -> None:
    """The fewest records with a set are n minus those that each chunk may lack: sets of several sizes, and of two chunks and more."""
    rng = random.Random(len("".join(parts)) * 10 + len(parts))
    outcomes = Counter[bool]()
    for _ in range(60):
        n = rng.randint(5, 9)
        chunks = [_full(rng, letters, n) for letters in parts]
        terms = [rng.randint(n - 2, n) for _ in range(rng.choice([0, 0, 1]))]
        options = [[(0, 0), *_sets(chunk)] for chunk in chunks] + [[(0, 0), (1, held)] for held in terms]
        certain: dict[int, set[int]] = defaultdict(set)
        for choice in product(*options):
            held = [a for size, a in choice if size]
            if len(held) > 1:
                certain[sum(size for size, _ in choice)].add(n - sum(n - a for a in held))
        for m in range(1, 6):
            for few in range(1, 5):
                expected = any(0 < least <= few for size, several in certain.items() if size <= m for least in several)
                assert ClusterChunks(n, chunks, terms).certain_in_few(m, few) == expected, (n, m, few, chunks, terms)
                outcomes[expected] += 1
    assert min(outcomes.values()) > 100


@pytest.mark.parametrize("support", [1, 3])
def test_shared_terms_that_must_meet_by_counting(support: int) -> None:
    """Each term of a shared chunk with each term of another chunk: of the clusters together, or a term of a term chunk."""
    rng = random.Random(support)
    outcomes = Counter[bool]()
    for _ in range(300):
        clusters = [ClusterChunks(rng.randint(2, 4), [], [1] * (rng.random() < 0.3)) for _ in range(rng.randint(1, 2))]
        n = sum(cluster.records for cluster in clusters)
        for cluster in clusters:
            rows = [rng.choice(["ab", "a", "b"]) for _ in range(rng.randint(0, min(2, cluster.records)))]
            cluster.chunks = [[tuple(row) for row in rows]] if rows else []
        shared = [
            [rng.choice([tuple(letters), (letters[0],)]) for _ in range(rng.randint(1, n))]
            for letters in rng.sample(["cd", "ef", "gh"], rng.randint(1, 3))
        ]
        held = [Counter(term for row in chunk for term in row) for chunk in shared]
        own = Counter(term for cluster in clusters for chunk in cluster.chunks for row in chunk for term in row)
        others = [*own.values(), *([support] if any(cluster.terms for cluster in clusters) else [])]
        several = [x + y for one, two in combinations(held, 2) for x in one.values() for y in two.values()]
        expected = any(both > n for both in [*several, *(x + y for one in held for x in one.values() for y in others)])
        expected |= any(x > n for one in held for x in one.values())
        assert Joint(support, clusters, shared).bound_to_meet() == expected, (clusters, shared)
        outcomes[expected] += 1
    assert min(outcomes.values()) > 50


def test_the_default_support_is_one_person() -> None:
    for n, meets in ((2, False), (3, True)):
        assert Joint(clusters=[ClusterChunks(3, terms=[1])], shared=[[("a",)] * n]).bound_to_meet() == meets


def test_terms_in_chunks_and_in_term_chunks_beside_the_original() -> None:
    """A term chunk has a term at least once; a term that is in none must occur exactly as often as in the original."""
    records = [["a", "b"], ["a", "b"], ["a"], ["a", "c"]]
    original = as_typed(Bags.from_lists(records))
    claim = DisassociatedKmAnonymity(k=2, m=1)

    def wrong(first: tuple[int, list[list[str]], str], second: tuple[int, list[list[str]], str]) -> int:
        verdict = claim.check(chunk_release(first, second), original)
        said = [witness for witness in verdict.witnesses if "as often as in the original" in witness]
        return int(said[0].split()[0]) if said else 0

    assert wrong((2, [["a", "a"]], "b"), (2, [], "ac")) == 0
    assert wrong((2, [["a", "a", "a"]], "b"), (2, [], "ac")) == 0, "three and at least one are at most four"
    assert wrong((2, [["a"] * 4], "b"), (2, [], "ac")) == 1, "four and at least one are not"
    assert wrong((2, [["a", "a"]], "b"), (2, [["a", "a"]], "c")) == 0
    assert wrong((2, [["a", "a"]], "b"), (2, [["a"]], "c")) == 1
    assert wrong((2, [["a", "a", "a"]], "b"), (2, [["a", "a"]], "c")) == 1
    assert wrong((2, [["a", "a"]], "b"), (2, [["z"]], "acz")) == 1, "a strange term in both kinds of chunks counts once"
    assert wrong((2, [["a", "a"]], "bz"), (2, [["y"]], "ac")) == 2
    assert wrong((2, [["a", "a"]], ""), (2, [], "a")) == 2, "b and c are lost"


@pytest.mark.parametrize(("k", "m"), [(2, 1), (2, 2), (3, 3)])
def test_sets_of_a_chunk_by_people(k: int, m: int) -> None:
    """Some people have several records, nobody has, or one person has all: sets are counted by people if they are known."""
    rng = random.Random(k + m)
    seen = Counter[str]()
    for _ in range(25):
        n = rng.randint(3, 9)
        owners = {"nobody": list(range(n)), "some": [rng.randrange(n) for _ in range(n)], "one": [4] * n, "unknown": None}
        kind = rng.choice(list(owners))
        rows = [(0, int(item == "c"), i, item) for i in range(n) for item in "abc" if rng.random() < 0.8] or [(0, 0, 0, "a")]
        shared = [(0, 0, i, "d") for i in range(n) if rng.random() < 0.8]
        frames = [
            pl.DataFrame(part, schema={whole: pl.Int64, CHUNK: pl.Int64, SUBRECORD: pl.Int64, ITEM: pl.String}, orient="row")
            for part, whole in ((rows, CLUSTER), (shared, JOINT))
        ]
        known = owners[kind]
        counts = count_chunk_sets(both_parts(*frames), AttackerKnowledge(k, m), None if known is None else np.array(known, np.int64))
        content: dict[tuple[str, int, int], set[str]] = defaultdict(set)
        for part, several in (("r", rows), ("s", shared)):
            for _, chunk, i, item in several:
                content[part, chunk, i].add(item)
        people: dict[tuple[object, ...], set[object]] = defaultdict(set)
        for (part, chunk, i), items in content.items():
            for size in range(m + 1):
                for some in combinations(sorted(items), size):
                    name = (part, chunk, i) if known is None else known[i]
                    people[(part, chunk, *some) if some else ()].add(name)
        expected_sets = 0
        for size in range(m + 1):
            here = [len(of) for some, of in people.items() if max(0, len(some) - 2) == size]
            few = sum(x < k for x in here)
            expected_sets += len(here)
            if few:
                break
        found = counts.found
        assert (found.unsafe, found.sets) == (few, expected_sets), (kind, rows, shared, known)
        seen[f"{kind} {bool(few)}"] += 1
    assert len(seen) >= 4 and len({kind.split()[1] for kind in seen}) == 2, seen


def test_records_of_one_person_are_one_person() -> None:
    table = chunk_table((3, [["a", "a", "a"]], ""))
    entries = both_parts(table.subrecords, table.shared)
    for owners, few in ((None, 0), ([0, 1, 2], 0), ([5, 5, 6], 0), ([5, 5, 5], 1)):
        found = count_chunk_sets(entries, AttackerKnowledge(2, 1), None if owners is None else np.array(owners, np.int64)).found
        assert found.unsafe == few and found.people == (owners is not None and len(set(owners)) < 3)

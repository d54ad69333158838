"""Judges of chunks against a recount in plain Python: chunks made of random records, true and tampered, with and without the mapping."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.chunks import chunk_release, chunk_table, keeps_promise
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.data.tables.chunks import PARTS, SCHEMAS, ChunkTable
from shoal.privacy.disassociated_km_anonymity import DisassociatedKmAnonymity
from shoal.privacy.evidence.chunk_evidence import ClusterChunks, Joint, joints_of, misplaced
from shoal.privacy.evidence.chunk_words import holder_bounds, known_holders, people_of_published
from shoal.privacy.word_support import WordSupport
from shoal.taxonomy.place_terms import as_typed

Record = frozenset[str]


@dataclass
class Case:
    """Records of users in clusters; the chunk of each term of a cluster: a number, `t` for the term chunk, `s` for the shared one."""

    records: list[Record]
    owners: list[int]
    cluster: list[int]  # of each record, -1 if it is withheld
    home: dict[tuple[int, str], Any]
    joined: bool
    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        clusters = sorted({c for c in self.cluster if c >= 0})
        self.rows = {part: [] for part in PARTS}
        for c in clusters:
            members = [i for i, of in enumerate(self.cluster) if of == c]
            self.rows["clusters"].append((c, 0 if self.joined else c, len(members)))
            for i in members:
                for term in sorted(self.records[i]):
                    home = self.home[c, term]
                    if home == "t":
                        self.rows["terms"].append((c, term))
                    elif home == "s":
                        self.rows["shared"].append((0, 0, i, term))
                    else:
                        self.rows["subrecords"].append((c, home, i, term))
        self.rows["terms"] = sorted(set(self.rows["terms"]))

    @property
    def table(self) -> ChunkTable:
        return ChunkTable(**{part: pl.DataFrame(self.rows[part], schema=dict(SCHEMAS[part]), orient="row") for part in PARTS})

    @property
    def original(self) -> Original:
        return as_typed(Bags.from_lists([sorted(record) for record in self.records], self.owners))

    def release(self, *, secret: bool = True) -> Release:
        place = {c: row for row, (c, _, _) in enumerate(self.rows["clusters"])}
        rows = np.array([place.get(c, -1) for c in self.cluster], np.int64)
        return Release({"chunks": self.table}, secret=Secret(rows) if secret else None)


def drawn(rng: random.Random) -> Case:
    n, several = rng.randint(2, 9), rng.choice([1, 2, 2])
    letters = "abcdef"[: rng.randint(2, 6)]
    records = [frozenset(rng.sample(letters, rng.randint(0 if rng.random() < 0.2 else 1, min(3, len(letters))))) for _ in range(n)]
    cluster = [-1 if not record else rng.randrange(several) for record in records]
    if not any(c >= 0 for c in cluster):
        records[0], cluster[0] = frozenset("a"), 0
    joined = len(set(cluster) - {-1}) == 2 and rng.random() < 0.8
    shared = {letter for letter in letters if joined and rng.random() < 0.4}
    home = {(c, letter): "s" if letter in shared else rng.choice([0, 0, 1, "t"]) for c in range(several) for letter in letters}
    return Case(records, [rng.choice([3, 10 + i, 10 + i]) for i in range(n)], cluster, home, joined)


def chunks_of(case: Case) -> dict[tuple[Any, ...], dict[int, set[str]]]:
    found: dict[tuple[Any, ...], dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for part in ("subrecords", "shared"):
        for whole, chunk, record, item in case.rows[part]:
            found[part, whole, chunk][record].add(item)
    return found


def rarest(case: Case, m: int, owners: list[int] | None) -> list[int]:
    """The people with each set of up to m terms of one chunk, and the empty set."""
    counts = []
    whole: set[Any] = set()
    for chunk in chunks_of(case).values():
        sets: dict[Any, set[int]] = defaultdict(set)
        for record, terms in chunk.items():
            whole.add((id(chunk), record) if owners is None else owners[record])
            for size in range(1, m + 1):
                for some in combinations(sorted(terms), size):
                    sets[some].add(record if owners is None else owners[record])
        counts += [len(of) for of in sets.values()]
    return [*counts, *([len(whole)] if counts else [])]


@pytest.mark.parametrize(("k", "m"), [(2, 1), (2, 2), (3, 2), (2, 3)])
def test_what_true_chunks_reach(k: int, m: int) -> None:
    rng = random.Random(10 * k + m)
    for _ in range(12):
        case = drawn(rng)
        claim = DisassociatedKmAnonymity(k=k, m=m)
        sizes = Counter(c for c in case.cluster if c >= 0)
        people = {c: len({case.owners[i] for i, of in enumerate(case.cluster) if of == c}) for c in sizes}
        repeat = len(set(case.owners)) < len(case.owners)
        for original in (None, case.original):
            known = original is not None and repeat
            verdict = claim.check(case.release(), original)
            counts = rarest(case, m, case.owners if known else None)
            fewest = min([*(people if known else sizes).values(), *counts])
            assert verdict.achieved.keys() == {"people" if known else "records", "m"}
            if min([*counts, k]) >= k:
                assert verdict.achieved["people" if known else "records"] == fewest
            text = " ".join(verdict.witnesses)
            assert "not those of the original" not in text and "in no chunk" not in text and "in no cluster" not in text
            few = sum(n < k for n in (people if known else sizes).values())
            assert (f"{few} cluster" in text and "of fewer than k people" in text) == (few > 0)
            assert ("occur in a chunk only in sub-records of fewer than" in text) == (min([*counts, k]) < k)
            assert verdict.holds == (not verdict.witnesses)


def test_sets_that_were_counted() -> None:
    verdict = DisassociatedKmAnonymity(k=2, m=2).check(chunk_release((4, [["ab", "ab", "a", "a"]], "t")))
    assert verdict.notes == ("4 sets of items of a chunk were counted, by records",)
    verdict = DisassociatedKmAnonymity(k=3, m=2).check(chunk_release((4, [["ab", "ab", "a", "a"]], "t")))
    assert verdict.rare == ("{b} occurs in a chunk for only 2",)
    assert "1 sets of 1 item occur in a chunk only in sub-records of fewer than 3 people" in verdict.witnesses
    assert DisassociatedKmAnonymity(k=2, m=2).check(chunk_release((3, [], "tu"))).achieved == {"records": 3, "m": 2}


def test_tampered_chunks_differ_from_the_original() -> None:
    rng = random.Random(4)
    seen: set[str] = set()
    for _ in range(45):
        case = drawn(rng)
        claim, secret = DisassociatedKmAnonymity(k=2, m=1), case.release().secret
        true = {part: list(rows) for part, rows in case.rows.items()}
        kind = rng.choice(["subrecords", "shared", "terms", "clusters", "lost", "withheld"])
        if kind == "withheld":
            shown = [i for i, c in enumerate(case.cluster) if c >= 0]
            rows = secret.rows().copy()
            rows[rng.choice(shown)] = -1
            secret = Secret(rows)
        elif kind == "clusters":
            c, joint, n = case.rows["clusters"][0]
            case.rows["clusters"][0] = (c, joint, n + 1)
        elif not case.rows.get("subrecords" if kind == "lost" else kind):
            continue
        elif kind == "lost":
            term = rng.choice(case.rows["subrecords"])[3]
            case.rows["subrecords"] = [row for row in case.rows["subrecords"] if row[3] != term]
        elif kind == "terms":
            c, _ = rng.choice(case.rows["terms"])
            case.rows["terms"].append((c, "zzz"))
        else:
            row = rng.choice(case.rows[kind])
            case.rows[kind].remove(row)
        verdict = claim.check(Release({"chunks": case.table}, secret=secret), case.original)
        text = " ".join(verdict.witnesses)
        says = {
            "subrecords": "sub-records of record chunks are not those",
            "shared": "sub-records of shared chunks are not those",
            "terms": "1 items of term chunks are not those of the original",
            "clusters": "2 sizes of clusters are not those of the original",
            "lost": "in no chunk of their cluster",
            "withheld": "1 non-empty records are in no cluster",
        }[kind]
        still = kind in {"subrecords", "shared"} and not any(one[3] == row[3] and one[0] == row[0] for one in case.rows[kind])
        if still:
            says = "1 occurrences are in no chunk of their cluster"
        if kind == "lost":
            n = sum(item == term for *_, item in true["subrecords"])
            assert f"{n} occurrences are in no chunk" in text
        assert says in text and not verdict.holds, (kind, verdict.witnesses)
        seen.add(kind)
    assert len(seen) == 6


def test_chunks_are_compared_as_far_as_possible_without_the_mapping() -> None:
    rng = random.Random(5)
    kinds = set()
    for _ in range(45):
        case = drawn(rng)
        if len(case.rows["clusters"]) == 1:
            continue
        verdict = DisassociatedKmAnonymity(k=2, m=1).check(case.release(secret=False), case.original)
        assert any("files do not contain the records of a cluster" in note for note in verdict.notes)
        assert any("people have several records" in note for note in verdict.notes) == (len(set(case.owners)) < len(case.owners))
        text = " ".join(verdict.witnesses)
        assert "as often as in the original" not in text and "but the original has" not in text
        more = rng.choice([0, 1])
        for _ in range(rng.choice([0, 1, 2])):
            if case.rows["subrecords"]:
                case.rows["subrecords"].remove(rng.choice(case.rows["subrecords"]))
        c, joint, n = case.rows["clusters"][0]
        case.rows["clusters"][0] = (c, joint, n + more)
        listed = {term for _, term in case.rows["terms"]}
        held = Counter(x for record in case.records for x in record)
        told = Counter(x for *_, x in (*case.rows["subrecords"], *case.rows["shared"]))
        least = Counter(term for _, term in case.rows["terms"])
        bad = sum(told[x] + least[x] > held[x] or (x not in listed and told[x] != held[x]) for x in {*held, *told, *least})
        verdict = DisassociatedKmAnonymity(k=2, m=1).check(case.release(secret=False), case.original)
        assert (f"{bad} items do not occur as often as in the original" in verdict.witnesses) == (bad > 0)
        filled = sum(map(bool, case.records))
        said = f"the clusters have {filled + more} records, but the original has {filled}"
        assert (said in verdict.witnesses) == bool(more)
        kinds.add((bool(bad), more))
    assert len(kinds) == 4


def test_one_cluster_has_all_records() -> None:
    case = Case(
        [frozenset("a"), frozenset("ab"), frozenset(), frozenset("b")], [0, 1, 2, 3], [0, 0, -1, 0], {(0, "a"): 0, (0, "b"): 1}, False
    )
    verdict = DisassociatedKmAnonymity(k=2, m=1).check(case.release(secret=False), case.original)
    assert verdict.holds and not any("files do not contain" in note for note in verdict.notes)
    assert misplaced(case.table) == 0
    case.rows["terms"].append((0, "a"))
    assert misplaced(case.table) == 1
    assert "1 item of a cluster in several of its chunks" in DisassociatedKmAnonymity(k=2, m=1).check(case.release()).witnesses


# -- words


@pytest.mark.parametrize("k", [2, 3])
def test_words_of_chunks(k: int) -> None:
    rng = random.Random(50 + k)
    for _ in range(10):
        case = drawn(rng)
        words = {item for *_, item in (*case.rows["subrecords"], *case.rows["shared"], *case.rows["terms"])}
        shown = Counter(item for *_, item in (*case.rows["subrecords"], *case.rows["shared"]))
        size = {c: n for c, _, n in case.rows["clusters"]}
        least = {word: shown[word] + sum(term == word for _, term in case.rows["terms"]) for word in words}
        most = {word: shown[word] + sum(size[c] for c, term in case.rows["terms"] if term == word) for word in words}
        bounds = {word: (low, high) for word, low, high in holder_bounds(case.table).iter_rows()}
        assert bounds == {word: (least[word], most[word]) for word in words}
        for support in (1, 2, 4):
            known = {(c, word): n for c, word, n in known_holders(case.table, support).iter_rows()}
            assert known == {(c, word): max(1, support - (most[word] - size[c])) for c, word in case.rows["terms"]}
        alone = WordSupport(k=k).check(case.release())
        few, unknown = sum(n < k for n in most.values()), sum(n < k for n in least.values())
        assert alone.standing == ("fails" if few else "not checkable" if unknown else "verified")
        assert alone.achieved == {"records": min(least.values())}
        assert (f"{few} published item" in " ".join(alone.witnesses)) == bool(few)
        people = {word: len({case.owners[i] for i, record in enumerate(case.records) if word in record}) for word in words}
        assert dict(people_of_published(case.table, case.original.bags).iter_rows()) == people
        short = sorted(word for word, n in people.items() if n < k)
        beside = WordSupport(k=k).check(case.release(), case.original)
        assert (beside.holds, beside.achieved) == (not short, {"people": min(people.values())})
        assert beside.rare == tuple(f"too few people have {word!r}" for word in short[:5])
        assert (f"{len(short)} published item" in " ".join(beside.witnesses)) == bool(short)
        for support in (2, 3):
            claim = DisassociatedKmAnonymity(k=2, m=1, support=support)
            verdict = claim.check(case.release(), case.original)
            rare = sum(n < support for n in people.values())
            assert (f"{rare} published item" in " ".join(verdict.witnesses)) == bool(rare)


def test_unpublished_words_are_left_out_where_words_have_support() -> None:
    case = Case([frozenset("ab"), frozenset("a"), frozenset("ac")], [0, 1, 2], [0, 0, 0], {(0, letter): 0 for letter in "abc"}, False)
    case.rows["subrecords"] = [row for row in case.rows["subrecords"] if row[3] == "a"]
    assert DisassociatedKmAnonymity(k=2, m=2, support=3).check(case.release(), case.original).holds
    assert not DisassociatedKmAnonymity(k=2, m=2).check(case.release(), case.original).holds
    assert not DisassociatedKmAnonymity(k=2, m=2, support=4).check(case.release(), case.original).holds
    verdict = WordSupport(k=2).check(chunk_release((1, [["a", "b", "c", "d", "e", "f"]], "")), case.original)
    assert len(verdict.rare) == 5 and "5 published items of fewer than 2 people" in verdict.witnesses


# -- numbers of clusters


def test_clusters_by_definition() -> None:
    full = ClusterChunks(3, [[("a",)] * 3, [("b",)] * 2])
    assert (full.overfull(), full.left_empty(), full.has_terms, full.sizes) == (False, False, False, [3, 2])
    assert ClusterChunks(2, [[("a",)] * 3]).overfull()
    assert ClusterChunks(4, [[("a",)] * 3]).left_empty() and not ClusterChunks(3, [[("a",)] * 3]).left_empty()
    assert not ClusterChunks(4, [[("a",)] * 3], [1]).left_empty()
    assert not ClusterChunks(4).overfull() and ClusterChunks(1).left_empty()
    assert Joint(1, [ClusterChunks(2), ClusterChunks(1)], [[("a",)] * 3]).records == 3
    assert not Joint(1, [ClusterChunks(2), ClusterChunks(1)], [[("a",)] * 3]).overfull()
    assert Joint(1, [ClusterChunks(2)], [[("a",)] * 3]).overfull() and not Joint(1, [ClusterChunks(2)]).overfull()


@pytest.mark.parametrize(
    ("shared", "own", "terms", "support", "meets"),
    [
        ([["a"] * 2], [["b"] * 2], False, 1, False),
        ([["a"] * 2], [["b"] * 3], False, 1, True),
        ([["a"] * 2, ["c"] * 2], [["b"]], False, 1, False),
        ([["a"] * 2, ["c"] * 3], [["b"]], False, 1, True),
        ([["a"] * 3], [["b"]], False, 1, False),
        ([["a"] * 3], [["b"]], True, 1, False),
        ([["a"] * 3], [["b"]], True, 2, True),
        ([["a"] * 4], [], False, 1, False),
        ([["a"] * 4], [], True, 1, True),
    ],
    ids=range(9),
)
def test_shared_terms_that_are_bound_to_meet(shared: list[list[str]], own: list[list[str]], terms: bool, support: int, meets: bool) -> None:
    """Two clusters of two records, of which one may have a term chunk."""
    one = ClusterChunks(2, [[(item,) for item in chunk] for chunk in own])
    other = ClusterChunks(2, [], [1] if terms else [])
    assert Joint(support, [one, other], [[(item,) for item in chunk] for chunk in shared]).bound_to_meet() == meets


def test_joint_clusters_of_a_table() -> None:
    table = chunk_table((2, [["a", "a"]], "t"), (3, [["b"]], ""), shared=[["c", "cd"]])
    clusters, (joint,) = joints_of(table, 4)
    assert [cluster.records for cluster in clusters.values()] == [2, 3] and joint.records == 5
    assert [sorted(map(sorted, chunk)) for chunk in joint.shared] == [[["c"], ["c", "d"]]]
    assert all(cluster.shares for cluster in clusters.values()) and joint.support == 4
    assert clusters[0].terms == [4] and clusters[1].terms == []
    apart, none = joints_of(chunk_table((2, [["a", "a"]], "t")))
    assert none == [] and not apart[0].shares and apart[0].terms == [1]


@pytest.mark.parametrize("support", [1, 2])
def test_numbers_against_all_reconstructions(support: int) -> None:
    rng = random.Random(support)
    outcomes = Counter[bool]()
    for _ in range(40):
        n, k, m = rng.randint(2, 4), rng.choice([2, 2, 3]), rng.choice([1, 2, 3])
        letters = rng.sample("abc", rng.randint(1, 3))
        chunks = [[letter] * rng.randint(min(k, n), n) for letter in letters]
        if rng.random() < 0.4 and len(chunks) > 1:
            chunks[0] = ["".join(letters[0] + "x" * (i < 2)) for i in range(len(chunks[0]))]
        cluster = (n, chunks, rng.choice(["", "t", "tu"] if support > 1 else ["", "t"]))
        verdict = DisassociatedKmAnonymity(k=k, m=m, support=support if support > 1 else None).check(chunk_release(cluster))
        expected = keeps_promise(k, m, cluster, support=support)
        assert verdict.holds == expected, (k, m, cluster, verdict.witnesses)
        outcomes[expected] += 1
    assert min(outcomes.values()) > 4


def test_terms_that_may_meet_by_counting() -> None:
    """Of a set of chunks, j records can hold terms of all of them if the other sub-records suffice to fill the other records."""
    rng = random.Random(7)
    outcomes = Counter[bool]()
    for _ in range(300):
        k, m, n = rng.choice([2, 3]), rng.randint(1, 4), rng.randint(3, 9)
        sizes = [rng.randint(k, max(k, n)) for _ in range(rng.randint(1, 4))]
        if max(sizes) > n or sum(sizes) < n:
            continue

        def can(chosen: tuple[int, ...], j: int, sizes: list[int] = sizes, n: int = n) -> bool:
            rest = sum(min(size, n - j) for at, size in enumerate(sizes) if at not in chosen)
            return sum(sizes[at] - j for at in chosen) + rest >= n - j

        several = [some for h in range(2, min(m, len(sizes)) + 1) for some in combinations(range(len(sizes)), h)]
        expected = any(can(some, 1) and not can(some, k) for some in several)
        cluster = ClusterChunks(n, [[("a",)] * size for size in sizes])
        assert cluster.possible_in_few(k, m) == expected, (k, m, n, sizes)
        assert not ClusterChunks(n, cluster.chunks, [1]).possible_in_few(k, m)
        outcomes[expected] += 1
    assert min(outcomes.values()) > 10


def test_terms_that_certainly_meet_by_counting() -> None:
    rng = random.Random(8)
    outcomes = Counter[bool]()
    for _ in range(300):
        n, m, few = rng.randint(2, 7), rng.randint(1, 4), rng.randint(1, 3)
        chunks = [
            [tuple(sorted(rng.sample(letters, rng.randint(1, len(letters))))) for _ in range(rng.randint(1, n))]
            for letters in rng.sample(["a", "bc", "def"], rng.randint(0, 3))
        ]
        terms = [rng.randint(1, n) for _ in range(rng.randint(0, 2))]
        options = [[(0, 0)] for _ in chunks]
        for option, chunk in zip(options, chunks, strict=True):
            known = {some for row in chunk for size in range(1, len(row) + 1) for some in combinations(row, size)}
            option += [(len(some), sum(set(some) <= set(row) for row in chunk)) for some in known]
        options += [[(0, 0), (1, held)] for held in terms]
        expected = False
        for choice in product(*options):
            held = [a for size, a in choice if size]
            certain = n - sum(n - a for a in held)
            expected |= len(held) > 1 and sum(size for size, _ in choice) <= m and 0 < certain <= few
        assert ClusterChunks(n, chunks, terms).certain_in_few(m, few) == expected, (n, m, few, chunks, terms)
        outcomes[expected] += 1
    assert min(outcomes.values()) > 10


def test_one_term_does_not_meet_another() -> None:
    release = chunk_release((2, [["a", "a"]], ""), (2, [["b", "b"]], ""), shared=[["c", "c", "c"]])
    assert DisassociatedKmAnonymity(k=2, m=1).check(release).holds
    verdict = DisassociatedKmAnonymity(k=2, m=2).check(release)
    assert verdict.witnesses == ("1 cluster whose shared items are bound to meet others",)
    wide = chunk_release((2, [["a", "a", "a"]], ""), (2, [["b", "b"]], ""), shared=[["c"] * 5])
    assert "2 clusters with more sub-records in a chunk than records" in DisassociatedKmAnonymity(k=2, m=1).check(wide).witnesses

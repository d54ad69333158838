"""What every method that takes records apart owes, on every small data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import DATASETS, Dataset, on, on_nodes
from helpers.errors import refuses
from shoal import _kernels, kernels
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.data.tables.chunks import ChunkTable
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible
from shoal.itemsets.shared_chunks import Chunking, refined
from shoal.kinds import rows_differing
from shoal.methods import METHODS, Method
from shoal.methods.disassociation import table_of
from shoal.metrics import measure
from shoal.pipeline.contract import made_by
from shoal.privacy.disassociated_km_anonymity import DisassociatedKmAnonymity
from shoal.privacy.word_support import WordSupport

APART = [name for name in METHODS if METHODS[name].publishes == "chunks"]
SIZES: list[dict[str, Any]] = [{"k": 2}, {"k": 3, "m": 1}, {"k": 2, "m": 3, "cluster": 12}, {"k": 3, "cluster": 20}, {"k": 2, "cluster": 1}]
TRIED = [{**values, "rare_words": how} for values in SIZES for how in ("withhold", "publish")]


def _cases() -> Iterator[Any]:
    for name in APART:
        for values in TRIED:
            told = ", ".join(f"{key}={value}" for key, value in values.items())
            for data in DATASETS:
                if values["rare_words"] == "withhold" and not frequent(original_of(data), values["k"]):
                    continue
                yield pytest.param(METHODS[name](**values), data, id=f"{name}({told}) on {data}")


def frequent(original: Original, k: int) -> set[str]:
    """The words that at least k people hold, counted from plain lists."""
    people: dict[str, set[int]] = {}
    for owner, items in zip(original.bags.owners.tolist(), original.bags.to_polars().to_list(), strict=True):
        for item in items:
            people.setdefault(item, set()).add(owner)
    return {item for item, owners in people.items() if len(owners) >= k}


def original_of(name: str, bags: Bags | None = None) -> Original:
    data: Dataset = DATASETS[name]()
    return on_nodes((data.bags if bags is None else bags).as_sets(), data.taxonomy)


every_method_on_every_dataset = pytest.mark.parametrize(("method", "name"), list(_cases()))


def run(method: Method, original: Original) -> tuple[Release, ChunkTable]:
    release: Release = method.apply(original)
    table = release.only(ChunkTable)
    assert isinstance(table, ChunkTable)
    return release, table


def shoal_original(records: list[list[str]]) -> Original:
    taxonomy = Taxonomy.from_parents({"all": None, **{item: "all" for record in records for item in record}})
    return on_nodes(on(taxonomy, records), taxonomy)


def test_there_is_such_a_method() -> None:
    assert APART == ["disassociation"]


@every_method_on_every_dataset
def test_the_claims_hold_with_the_original_and_from_the_tables_alone(method: Method, name: str) -> None:
    original = original_of(name)
    release, table = run(method, original)
    assert release.claims == method.claims()
    for claim in release.claims:
        for verdict in (claim.check(release, original), claim.check(Release({"chunks": table}), original)):
            assert verdict.standing == "verified", verdict.witnesses
        alone = claim.check(Release({"chunks": table}))
        assert alone.standing == "verified" or (alone.standing == "not checkable" and isinstance(claim, WordSupport)), alone


@every_method_on_every_dataset
def test_words_of_few_people_are_published_only_where_that_was_chosen(method: Method, name: str) -> None:
    original = original_of(name)
    _, table = run(method, original)
    shown = {item for part in (table.subrecords, table.shared, table.terms) for item in part["item"].to_list()}
    if method.values()["rare_words"] == "publish":
        assert shown == {item for items in original.bags.to_polars().to_list() for item in items}
    else:
        assert shown <= frequent(original, method.values()["k"])
        assert shown


@every_method_on_every_dataset
def test_every_occurrence_is_published_in_the_cluster_of_its_record(method: Method, name: str) -> None:
    """Counted from plain lists: record by record, cluster by cluster."""
    original = original_of(name)
    release, table = run(method, original)
    assert release.secret is not None
    shown = {item for part in (table.subrecords, table.shared, table.terms) for item in part["item"].to_list()}
    held: dict[int, Counter[str]] = {}
    for row, typed in zip(release.secret.rows().tolist(), original.bags.to_polars().to_list(), strict=True):
        items = [item for item in typed if item in shown]
        assert (row == -1) == (not items)
        if items:
            held.setdefault(row, Counter()).update(items)
    told: dict[int, Counter[str]] = {}
    for cluster, item in table.subrecords.select("cluster", "item").iter_rows():
        told.setdefault(cluster, Counter())[item] += 1
    for cluster, item in table.terms.iter_rows():
        assert told.setdefault(cluster, Counter())[item] == 0
        told[cluster][item] = held[cluster][item]
    joint = dict(table.clusters.select("cluster", "joint").iter_rows())
    shared = Counter(table.shared.select("joint", "item").rows())
    assert shared == Counter((joint[c], i) for c, items in held.items() for i in items.elements() if (joint[c], i) in shared)
    for cluster, items in held.items():
        told.setdefault(cluster, Counter()).update({i: n for i, n in items.items() if (joint[cluster], i) in shared})
    assert told == held


@every_method_on_every_dataset
def test_the_account_tells_how_words_stand(method: Method, name: str) -> None:
    original = original_of(name)
    release = made_by(method, original)
    table = release.only(ChunkTable)
    assert isinstance(table, ChunkTable)
    assert release.accounting is not None
    ledger = release.accounting.occurrences
    lengths = table.subrecords.group_by("cluster", "chunk", "subrecord").len()["len"].to_list()
    lengths += table.shared.group_by("joint", "chunk", "subrecord").len()["len"].to_list()
    assert ledger["together with others"] == sum(n for n in lengths if n > 1)
    assert ledger["alone in a chunk"] == sum(n for n in lengths if n == 1)
    records = original.bags.to_polars().to_list()
    words = frequent(original, method.values()["k"]) if method.values()["rare_words"] == "withhold" else {i for r in records for i in r}
    rare = sum(item not in words for items in records for item in items)
    assert ledger.total == original.bags.occurrences
    assert ledger.parts["suppressed: rare items"].n == rare
    assert ledger.total == ledger.of_fate("kept") + rare + ledger.parts["suppressed: tied to others"].n
    assert not ledger.parts["suppressed: tied to others"].n or method.values()["rare_words"] == "withhold"
    numbers = measure(release, original)
    assert numbers["kept"] == pytest.approx(ledger.of_fate("kept") / max(1, ledger.total))
    assert numbers["together"] <= numbers["in_chunks"] <= 1


@every_method_on_every_dataset
def test_neither_threads_nor_the_order_of_records_nor_the_numbers_of_people_matter(method: Method, name: str) -> None:
    data = DATASETS[name]()
    _, table = run(method, original_of(name))
    rng = np.random.default_rng(5)
    for threads in (1, 2):
        mixed = data.bags.select(rng.permutation(len(data.bags)))
        numbers = rng.permutation(int(data.bags.owners.max()) + 1)
        renumbered = Bags(*(a.copy() for a in mixed.rows), numbers[mixed.owners], mixed.vocabulary)
        with kernels.using(threads=threads):
            _, other = run(method, original_of(name, renumbered))
        assert rows_differing({"t": table}, {"t": other}) == 0


@pytest.mark.parametrize("name", APART)
def test_more_people_than_there_are_cannot_be_asked_for(name: str) -> None:
    for data in ("food", "owners repeat", "with empty"):
        original = original_of(data)
        people = len(np.unique(original.bags.owners[original.bags.lengths > 0]))
        run(METHODS[name](k=people, rare_words="publish"), original)  # type: ignore[call-arg]
        with refuses("too-few-people"):
            run(METHODS[name](k=people + 1), original)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", APART)
def test_numbers_of_published_parts_are_fresh_and_do_not_go_together(name: str) -> None:
    """The number that a record's part has in one chunk says nothing about its number in another."""
    records = [["a", "b"], ["a", "b"], ["a"], ["b", "c"], ["c"], ["c", "d"], ["d"], ["d", "a"]] * 30
    release = METHODS[name](k=2, m=2).apply(shoal_original(records))  # type: ignore[call-arg]
    table = release.only(ChunkTable)
    assert isinstance(table, ChunkTable)
    first, second = table.shuffled()[0], table.shuffled()[0]
    assert not first.equals(second)
    assert rows_differing({"t": table}, {"t": ChunkTable(*table.shuffled())}) == 0
    per_chunk = first.group_by("cluster", "chunk").agg(pl.col("subrecord").unique().sort())
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in per_chunk["subrecord"].to_list())


def test_terms_that_are_rare_in_every_cluster_are_shared() -> None:
    """Two clusters of records around a and around b; c and d stand together in two records of each, which is enough in both only.

    So do a and b, each of which all records of one cluster hold: in its term chunk there, and in half of all records.
    """
    around = [["a", f"x{i % 2}"] for i in range(8)], [["b", f"y{i % 2}"] for i in range(8)]
    records = [*around[0], *around[1], *[["a", "c", "d"]] * 2, *[["b", "c", "d"]] * 2, *[["a", "e"], ["b", "f"], ["a", "g"], ["b", "h"]]]
    clusters = np.array([0 if "a" in record else 1 for record in records])
    original = shoal_original([sorted(record) for record in records])
    bags = original.bags
    alone = Chunking(bags, clusters, _chunks(bags, clusters, k=3))
    found = refined(alone, 3, 2)
    names = bags.vocabulary.names.gather(bags.items)
    assert set(names.filter(pl.Series(found.in_shared))) == {"a", "b", "c", "d"}
    table = table_of(found)
    assert Counter(table.shared["item"].to_list()) == {"a": 12, "b": 12, "c": 4, "d": 4}
    assert table.clusters["joint"].n_unique() == 1
    release = Release({"chunks": table}, secret=Secret(clusters))
    assert DisassociatedKmAnonymity(k=3, m=2).check(release, original).holds
    assert found.together >= alone.together + 8


def _chunks(bags: Bags, clusters: Any, k: int) -> Any:
    return kernels.run(_kernels.chunks_of_terms, bags.view, bags.owners, clusters, _kernels.ChunkPlan(k=k, m=2))


@pytest.mark.parametrize("name", APART)
def test_where_every_word_is_rare_nothing_is_published(name: str) -> None:
    with refuses("nothing-to-publish", limit=5):
        run(METHODS[name](k=5), shoal_original([[f"word{i}"] for i in range(20)]))  # type: ignore[call-arg]


@pytest.mark.parametrize("name", APART)
def test_words_of_small_data_are_left_out_where_they_would_be_bound_to_meet(name: str) -> None:
    """Of eight records six hold a and five b, and three hold both: knowing that five people hold each, they are bound to meet."""
    records = [["a"]] * 3 + [["a", "b"]] * 3 + [["b"]] * 2
    original = shoal_original(records)
    release, _ = run(METHODS[name](k=5), original)  # type: ignore[call-arg]
    assert release.accounting is not None
    assert release.accounting.occurrences.parts["suppressed: tied to others"].n > 0
    assert all(claim.check(release, original).standing == "verified" for claim in release.claims)


@given(st.data(), st.integers(2, 5), st.integers(1, 3), st.sampled_from([0, 1, 8]))
@settings(max_examples=40)
def test_random_records_of_people_with_several_give_verified_releases_without_rare_words(
    data: st.DataObject, k: int, m: int, cluster: int
) -> None:
    """Words and people are counted from plain lists; every claim is verified with the original, and none fails from the tables alone."""
    words = "abcdefg"
    records = data.draw(st.lists(st.lists(st.sampled_from(words), unique=True, max_size=5), min_size=k, max_size=20))
    owners = np.array(data.draw(st.lists(st.integers(0, 12), min_size=len(records), max_size=len(records))), np.int64)
    bags = shoal_original([list(words), *map(sorted, records)]).bags.select(np.arange(1, len(records) + 1))
    taxonomy = Taxonomy.from_parents({"all": None, **dict.fromkeys(words, "all")})
    original = on_nodes(Bags(*(a.copy() for a in bags.rows), owners, bags.vocabulary), taxonomy)
    try:
        release, table = run(METHODS[APART[0]](k=k, m=m, cluster=cluster), original)  # type: ignore[call-arg]
    except Infeasible:
        assert not frequent(original, k)
        return
    shown = {item for part in (table.subrecords, table.shared, table.terms) for item in part["item"].to_list()}
    assert shown <= frequent(original, k)
    for claim in release.claims:
        assert claim.check(release, original).standing == "verified"
        assert claim.check(Release({"chunks": table})).holds

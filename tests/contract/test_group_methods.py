"""What every method owes that publishes records in groups of two parts. A new one joins by being in the table of methods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.claims import hold_everywhere
from shoal import kernels
from shoal.data.bags import Bags
from shoal.data.items import plain_values
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.tables.groups import GroupTable
from shoal.errors import Infeasible, ShoalError
from shoal.kinds import read_tables, rows_differing, write_release
from shoal.methods import METHODS, Method
from shoal.pipeline.contract import made_by
from shoal.taxonomy.place_terms import as_typed

SENSITIVE = ["s0", "s1", "s2"]


def some(seed: int, n: int, owners: int | None = None) -> Bags:
    """Records of a few of nine items; one in six holds a sensitive item, some hold two, some nothing else."""
    rng = np.random.default_rng(seed)
    records = [[f"i{x}" for x in set(rng.integers(0, 9, rng.integers(0, 5)).tolist())] for _ in range(n)]
    for record in records:
        if rng.random() < 1 / 6:
            record.extend(rng.choice(SENSITIVE, rng.integers(1, 3), replace=False).tolist())
    records[0] += SENSITIVE
    return Bags.from_lists(records, None if owners is None else rng.integers(0, owners, n))


DATA = {
    "one record a person": some(1, 60),
    "owners repeat": some(2, 90, 40),
    "a heavy owner": Bags.from_lists(some(3, 60).to_polars().to_list(), [max(0, n - 20) for n in range(60)]),
    "all alike": Bags.from_lists([["i0", "i1"]] * 20 + [["i0", "i1", *SENSITIVE]] * 4),
    "nothing but sensitive items": Bags.from_lists([["s0"]] * 5 + [["s1"]] * 5 + [["s2"]] * 5 + [["i1"]] * 5),
    "empty ones": Bags.from_lists([*some(4, 40).to_polars().to_list(), [], []]),
    "names with separators": Bags.from_lists(
        [[f"a;b{i % 3}", 'q"u,o', f"line\n{i % 2}", *(["s0", "s1", "s2"] if i % 8 == 0 else [])] for i in range(24)]
    ),
}
TRIED: dict[str, list[dict[str, Any]]] = {
    "cahd": [{"p": 2}, {"p": 4}, {"p": 3, "search": "band"}, {"p": 3, "search": "band", "alpha": 1}],
}


def _cases() -> Iterator[Any]:
    for name, kind in METHODS.items():
        if kind.publishes != GroupTable.kind:
            continue
        for values in TRIED.get(name, [{}]):
            told = ", ".join(f"{key}={value}" for key, value in values.items())
            for data in DATA:
                yield pytest.param(kind(sensitive=SENSITIVE, **values), data, id=f"{name}({told}) on {data}")


every_method_on_every_dataset = pytest.mark.parametrize(("method", "name"), list(_cases()))


def original(name: str) -> Original:
    return as_typed(DATA[name], as_sets=True)


def groups_of(release: Release) -> Counter[Any]:
    """The multiset of groups: each as its rows and its histogram, in one order."""
    table = release.only(GroupTable)
    assert isinstance(table, GroupTable)
    rows: dict[int, list[Any]] = {}
    for group, items in table.rows.rows():
        rows.setdefault(group, []).append(tuple(sorted(items)))
    counts: dict[int, list[Any]] = {}
    for group, item, count in table.histogram.rows():
        counts.setdefault(group, []).append((item, count))
    return Counter((tuple(sorted(members)), tuple(sorted(counts.get(group, [])))) for group, members in rows.items())


@every_method_on_every_dataset
def test_claims_hold_with_and_without_the_original_and_the_groups(method: Method, name: str) -> None:
    before = original(name)
    release = made_by(method, before)
    assert {verdict.standing for verdict in hold_everywhere(release, before)} == {"verified"}


@every_method_on_every_dataset
def test_counted_by_hand_every_group_has_its_degree_and_different_people(method: Method, name: str) -> None:
    before = original(name)
    release = made_by(method, before)
    table = release.only(GroupTable)
    assert isinstance(table, GroupTable)
    assert release.secret is not None
    rows, p = release.secret.rows().tolist(), method.values()["p"]
    members: dict[int, list[int]] = {}
    for record, row in enumerate(rows):
        if row >= 0:
            members.setdefault(table.rows["group"][row], []).append(record)
            exact = {item for item in before.typed.record(record) if item not in SENSITIVE}
            assert set(table.rows["items"][row]) == exact
    told = {(group, item): count for group, item, count in table.histogram.rows()}
    true: Counter[tuple[int, str]] = Counter()
    for group, records in members.items():
        true += Counter((group, item) for r in records for item in before.typed.record(r) if item in SENSITIVE)
    assert told == dict(true)
    for (group, _), count in told.items():
        owners = [int(before.typed.owners[r]) for r in members[group]]
        assert count * p <= len(owners) == len(set(owners))


@every_method_on_every_dataset
def test_neither_threads_nor_the_order_of_records_nor_names_of_people_matter(method: Method, name: str) -> None:
    with kernels.using(threads=1):
        one = groups_of(made_by(method, original(name)))
    rng = np.random.default_rng(7)
    lists, owners = DATA[name].to_polars().to_list(), DATA[name].owners
    for threads in (1, 2):
        order, numbers = rng.permutation(len(lists)), rng.permutation(int(owners.max()) + 1)
        shuffled = Bags.from_lists([lists[i][::-1] for i in order], numbers[owners[order]])
        with kernels.using(threads=threads):
            assert groups_of(made_by(method, as_typed(shuffled, as_sets=True))) == one


@every_method_on_every_dataset
def test_everything_is_accounted_for_and_the_input_is_not_changed(method: Method, name: str) -> None:
    before = original(name)
    arrays = [array.copy() for array in before.bags.rows]
    release = made_by(method, before)
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before.bags.rows, strict=True))
    assert release.accounting is not None
    empty = int((before.bags.lengths == 0).sum())
    assert release.accounting.records.as_dict().get("withheld: empty", 0) == empty
    assert release.n_rows == len(before.bags) - empty
    sensitive = sum(item in SENSITIVE for record in before.bags.to_polars().to_list() for item in record)
    assert release.accounting.occurrences["counted per group"] == sensitive
    assert release.accounting.occurrences["kept"] == before.bags.occurrences - sensitive
    assert (release.method, release.parameters) == (method.name, plain_values(method.values()))


@pytest.mark.parametrize(("method", "name"), [case for case in _cases() if "search" not in str(case.id)])
@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl", "xlsx"])
def test_what_is_written_is_read_back(tmp_path: Path, method: Method, name: str, form: str) -> None:
    release = made_by(method, original(name))
    files = [file.as_dict() for file in write_release(release, tmp_path, form)]
    seen = read_tables(tmp_path, files, own=True)
    assert rows_differing(release.tables, seen) == 0
    assert groups_of(Release(seen)) == groups_of(release)
    assert all(claim.check(Release(seen)).holds for claim in release.claims)


@pytest.mark.parametrize("name", [name for name, kind in METHODS.items() if kind.publishes == GroupTable.kind])
def test_more_than_there_is_cannot_be_asked_for(name: str) -> None:
    for data, bags in DATA.items():
        with pytest.raises(Infeasible):
            made_by(METHODS[name](p=1 + bags.n_owners, sensitive=SENSITIVE), original(data))  # type: ignore[call-arg]
    with pytest.raises(ShoalError):
        made_by(METHODS[name](p=2, sensitive=SENSITIVE), as_typed(Bags.from_lists([]), as_sets=True))  # type: ignore[call-arg]

"""Orders of the original that numbers may follow: names with ties, long numbers, originals of another kind, columns of mixed values."""

from __future__ import annotations

import random
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.accesslog import FIREFOX
from helpers.documents import vectors
from shoal.data.log import Log
from shoal.data.original import AccessOriginal, LogOriginal, TableOriginal
from shoal.data.table import Attribute, Table
from shoal.data.tables.access_log import SCHEMA, AccessTable
from shoal.data.tables.rows import RowTable
from shoal.data.tables.weighted_bags import WeightedBagTable
from shoal.privacy.evidence.fresh_numbers import orders_of, people_in_order


def log_of(owners: list[int], names: list[str] | None = None) -> LogOriginal:
    frame = pl.DataFrame({"owner": owners, "payload": [f"q{owner}" for owner in owners]})
    return LogOriginal(Log(frame, names=None if names is None else pl.Series(names)))


def places(original: LogOriginal) -> dict[str, dict[int, int]]:
    return {order: dict(frame.select("owner", "place").iter_rows()) for order, frame in people_in_order(original).items()}


def test_people_are_in_the_order_of_their_first_rows() -> None:
    owners = random.Random(1).sample(range(3000), 3000)
    found = places(log_of(owners + owners[::-1]))
    assert found == {"the order of people in the original": {owner: i for i, owner in enumerate(owners)}}


def test_names_and_their_numbers() -> None:
    first, by_name, by_number = (
        "the order of people in the original",
        "the order of the original's names",
        "the order of the numbers in the original's names",
    )
    names = ["b10", "a9", "c9", "d100"]
    found = places(log_of([2, 0, 3, 1], names))
    assert found == {first: {2: 0, 0: 1, 3: 2, 1: 3}, by_name: {1: 1, 0: 2, 2: 3, 3: 4}, by_number: {1: 1, 2: 1, 0: 2, 3: 3}}
    for strange in ("x", "1x", "x-", "99999999999999999999"):
        assert by_number not in places(log_of([0, 1, 2, 3], [*names[:3], strange])), strange


def access(addresses: list[str]) -> AccessOriginal:
    n = len(addresses)
    columns: dict[str, list[Any]] = {
        **{"owner": list(range(n)), "time": [None] * n, "payload": [f"/page{i}" for i in range(n)], "visitor": list(range(n))},
        **{"address": addresses, "method": ["GET"] * n, "protocol": ["HTTP/1.1"] * n},
        **{"status": [200] * n, "size": [1] * n, "referrer": ["-"] * n, "agent": [FIREFOX] * n},
    }
    return AccessOriginal(Log(pl.DataFrame(columns, schema_overrides={"time": pl.Datetime("us")})))


def shown(n: int) -> AccessTable:
    plain = {"address": range(1, n + 1), "time": [datetime(2024, 1, 1)] * n, "request": [f"GET /page{i} HTTP/1.1" for i in range(n)]}
    rest = {"status": [200] * n, "size": [1] * n, "referrer": ["-"] * n, "agent": [FIREFOX] * n}
    return AccessTable(pl.DataFrame(plain | rest, schema=dict(SCHEMA)))


def test_addresses_are_in_the_order_of_their_numbers() -> None:
    """Octets have three digits at most; a longer label of a host is as it is."""
    found = places(access(["10.0.0.10", "9.0.0.200", "10.0.0.9", "10.0.0.100", "bbb.org", "aaaa.org"]))
    names = found["the order of the original's names"]
    assert sorted(names, key=lambda owner: names[owner]) == [1, 2, 0, 3, 5, 4]


def test_an_original_of_another_kind_is_not_compared() -> None:
    n = 60
    original = access([f"10.0.0.{i}" for i in range(n)])
    assert orders_of(shown(n), original).faults
    for other in (LogOriginal(original.log), vectors(["dog cat", "cat horse"])):
        told = orders_of(shown(n), other)
        assert (told.faults, told.not_compared) == ([], list(shown(n).random_orders))
    table = RowTable(pl.DataFrame({"user": range(1, n + 1), "query": [f"/page{i}" for i in range(n)]}), "user")
    told = orders_of(table, vectors(["dog cat", "cat horse"]))
    assert (told.faults, told.not_compared) == ([], list(table.random_orders))
    weighted = WeightedBagTable(pl.DataFrame({"items": [["cat", "dog"]], "weights": [[0.5, 0.5]]}))
    told = orders_of(weighted, original)
    assert (told.faults, told.not_compared) == ([], list(weighted.random_orders))


def with_numbers(numbers: list[int], names: list[str]) -> list[str]:
    """Each person has a query and a pseudonym; rows are shuffled, in the original and in the release."""
    owners = random.Random(3).sample(range(len(numbers)), len(numbers))
    rows = [(number, f"q{owner}") for owner, number in enumerate(numbers)]
    random.Random(9).shuffle(rows)
    table = RowTable(pl.DataFrame(rows, schema={"user": pl.Int64, "query": pl.String}, orient="row"), "user")
    return orders_of(table, log_of(owners, names)).faults


def test_a_few_pseudonyms_must_follow_every_step_of_an_order() -> None:
    """Names whose numbers occur twice have no strict order."""
    mixed = random.Random(4).sample(range(12), 12)
    once, twice = [f"{'bac'[i % 3]}{i}" for i in mixed], [f"{'ba'[i % 2]}{i // 2}" for i in mixed]
    for numbers in ([i + 1 for i in mixed], [12 - i for i in mixed]):
        assert with_numbers(numbers, once) == ["the pseudonyms of 12 people follow the order of the numbers in the original's names"]
        assert with_numbers(numbers, twice) == []


def test_many_pseudonyms_need_not_follow_every_step() -> None:
    """Two of 60 are exchanged: by chance, the others follow no order either."""
    mixed = random.Random(5).sample(range(60), 60)
    names = [f"{'bac'[i % 3]}{i}" for i in mixed]
    numbers = [i + 1 for i in mixed]
    one, two = numbers.index(10), numbers.index(20)
    numbers[one], numbers[two] = 20, 10
    found = with_numbers(numbers, names)
    assert len(found) == 1 and "the pseudonyms" in found[0] and "the order of the numbers in the original's names" in found[0]


def microdata(typed: list[Any], published: list[Any]) -> bool:
    kind = "numeric" if isinstance(typed[0], float) else "nominal"
    original = TableOriginal(Table((Attribute("a", kind, pl.Series(typed)),), np.arange(len(typed))))
    return bool(orders_of(RowTable(pl.DataFrame({"a": published})), original).faults)


@pytest.mark.parametrize("n", [40, 60])
def test_columns_are_compared_as_numbers_or_else_as_texts(n: int) -> None:
    values = random.Random(n).sample(range(n), n)
    numbers, texts = [float(value) for value in values], [f"t{value:02}" for value in values]
    moved = [value + 95.0 for value in numbers]  # texts of which have another order
    assert microdata(numbers, moved) and microdata(numbers, [f"{value:.1f}" for value in moved])
    assert microdata([value + 100 for value in numbers], [f"{value + 100}..{value + 101}" for value in values])
    assert microdata(texts, texts) and not microdata(texts, sorted(texts))
    assert not microdata(numbers, sorted(moved)) and not microdata(numbers, sorted(f"{value}..{value}" for value in values))
    assert not microdata(texts, moved) or sorted(map(str, moved)) == sorted(moved)

"""Random orders and numbers that hide people come from the operating system, and every one is as likely."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

import shoal
from helpers.kinds import FOOD, baskets, searches
from helpers.leaks import Stream
from shoal.cluster.write_files import random_places
from shoal.data import fresh
from shoal.data.fresh import fresh_order


def test_the_source_is_the_operating_system() -> None:
    assert fresh.entropy is os.urandom


def test_nothing_that_hides_people_uses_another_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [shoal.anonymize(baskets(), k=3, taxonomy=FOOD), shoal.anonymize(searches(), "user-microaggregation", k=3)]
    made += [shoal.anonymize(baskets(), "disassociation", k=3), shoal.anonymize(baskets(), "cahd", p=2, sensitive="items:Beef")]

    def refused(*given: object) -> None:
        raise AssertionError("this generator can be predicted by whoever learns its state")

    monkeypatch.setattr(np.random, "default_rng", refused)
    for result in made:
        assert any(len(frame) for name, table in result.release.tables.items() for frame in table.frames(name).values())
    assert len(set(random_places(1_000).tolist())) == 1_000


@pytest.mark.parametrize("n", [0, 1, 2, 3, 16, 1_000])
def test_an_order_is_that_of_the_keys(n: int) -> None:
    """Whole keys decide, also where their beginnings are the same."""
    keys = np.frombuffer(np.random.default_rng(n).bytes(8 * n), np.uint64)
    near = np.random.default_rng(n).permutation(np.arange(n, dtype=np.uint64) + (np.arange(n, dtype=np.uint64) % 3 << np.uint64(50)))
    for some in (keys, near):
        assert fresh._order_of(some).tolist() == np.argsort(some).tolist()


def test_every_order_is_as_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "entropy", Stream())
    seen = Counter(tuple(fresh_order(3).tolist()) for _ in range(6_000))
    assert len(seen) == 6
    assert all(850 < n < 1_150 for n in seen.values()), seen


def test_equal_keys_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows with equal keys would stay in the order of the data."""
    keys: Iterator[list[int]] = iter([[5, 5, 1], [9, 2, 4]])
    monkeypatch.setattr(fresh, "entropy", lambda n: np.array(next(keys), np.uint64).tobytes())
    assert fresh_order(3).tolist() == [1, 2, 0]

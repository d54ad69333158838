"""Ranges formed side by side: the same groups, in the same order, as one range after the other."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from helpers.data import numbered, tree
from shoal import kernels
from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy
from shoal.engines import ranges
from shoal.engines.ranges import formed_in_ranges
from shoal.methods.shoal import Shoal


@pytest.fixture
def several_ranges(monkeypatch: pytest.MonkeyPatch) -> tuple[Bags, Taxonomy]:
    """Records of 400 people on a tree of four tops with five leaves each, which are cut into ranges of at least 30."""
    monkeypatch.setattr(ranges, "SMALLEST_RANGE", 30)
    taxonomy = tree([-1, *(node for top in range(4) for node in [0, *[6 * top + 1] * 5])])
    rng = np.random.default_rng(5)
    leaves = [node for node in range(1, 25) if node % 6 != 1]
    return numbered(taxonomy, [rng.choice(leaves, rng.integers(1, 9)).tolist() for _ in range(400)]), taxonomy


def formed(bags: Bags, taxonomy: Taxonomy, threads: int, form: Any = None) -> tuple[Ints, Bags]:
    with kernels.using(threads=threads):
        return formed_in_ranges(form or Shoal(k=3).form_groups, bags, taxonomy, 3)


def test_side_by_side_as_one_after_the_other(several_ranges: tuple[Bags, Taxonomy]) -> None:
    groups, published = formed(*several_ranges, threads=1)
    again, alike = formed(*several_ranges, threads=2 * kernels.cores())
    assert np.array_equal(groups, again)
    assert all(np.array_equal(a, b) for a, b in zip(published.rows, alike.rows, strict=True))


class Counting:
    """Forms one group of each range, and knows how many ranges were worked on at a time, and how many in all."""

    def __init__(self, together: int) -> None:
        self.meeting, self.lock = threading.Barrier(together), threading.Lock()
        self.now, self.most, self.ranges = 0, 0, 0

    def __call__(self, records: Bags, taxonomy: Taxonomy) -> tuple[Ints, Bags]:
        with self.lock:
            self.now, self.ranges = self.now + 1, self.ranges + 1
            self.most, begins = max(self.most, self.now), self.ranges <= self.meeting.parties
        if begins:
            self.meeting.wait(20)
        with self.lock:
            self.now -= 1
        return np.zeros(len(records), np.int64), records.select([0])


def test_one_at_a_time_where_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    with kernels.using(threads=8):
        assert ranges._lanes() == 2
        monkeypatch.setattr(ranges, "in_use", object)  # some shelf that is not memory
        assert ranges._lanes() == 1


@pytest.mark.parametrize(("threads", "at_a_time"), [(1, 1), (2 * kernels.cores(), 2)])
def test_two_at_a_time_unless_one_thread_is_all(several_ranges: tuple[Bags, Taxonomy], threads: int, at_a_time: int) -> None:
    form = Counting(at_a_time)
    groups, published = formed(*several_ranges, threads=threads, form=form)
    assert (form.most, form.ranges > 3) == (at_a_time, True)
    assert len(published) == form.ranges == len(np.unique(groups))

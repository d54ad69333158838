"""Microaggregation on tables: never above MDAV, more effort never loses more, and what the parameters do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.table import Table
from shoal.methods.mdav import MDAV
from shoal.methods.microaggregation import EFFORTS, Microaggregation
from shoal.microaggregation.attributes import information_loss


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 4), st.booleans(), st.integers(0, 5))
def test_more_effort_never_loses_more(drawn, k, columns, repeated, seed):
    rng = np.random.default_rng(drawn)
    n = int(rng.integers(k, 60))
    owners = np.r_[np.arange(k), rng.integers(0, n, n - k)] if repeated else np.arange(n)
    table = Table.from_numbers(rng.normal(size=(n, columns)), owners=owners)
    methods = [MDAV(k=k), *(Microaggregation(k=k, effort=effort, seed=seed) for effort in EFFORTS)]
    losses = [information_loss(table.numbers, method.grouped(table)) for method in methods]
    assert all(after <= before + 1e-12 for before, after in pairwise(losses))


@pytest.mark.parametrize("rows", [0, 1, 500, 1_000, 1_500, 10_000, 15_000, 10**6, 10**9])
def test_a_greater_effort_has_no_fewer_rounds(rows):
    rounds = [effort.rounds_for(rows) for effort in EFFORTS.values()]
    assert rounds == sorted(rounds)


def test_another_seed_is_another_search():
    table = Table.from_numbers(np.random.default_rng(3).normal(size=(400, 4)))
    groups = [Microaggregation(k=3, seed=seed).grouped(table).tolist() for seed in (0, 0, 1)]
    assert groups[0] == groups[1]
    assert groups[0] != groups[2]

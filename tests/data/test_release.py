"""Releases: what is to be published, and what must never be written."""

from __future__ import annotations

import copy
import pickle
from collections import Counter

import numpy as np
import pytest

from shoal.data.bags import Bags
from shoal.data.release import Release, Secret


def release() -> Release:
    bags = Bags.from_lists([["a"], ["b"]])
    return Release.of_bags(bags, np.array([3, 2]), secret=Secret(np.array([0, 0, 0, 1, 1])))


def test_the_groups_are_never_written() -> None:
    made = release()
    assert repr(made.secret) == "Secret(...)"
    with pytest.raises(TypeError, match="never written"):
        pickle.dumps(made.secret)
    with pytest.raises(TypeError, match="never written"):
        copy.deepcopy(made.secret)
    assert "0" not in repr(made.secret)


def test_copies_and_groups_do_not_change() -> None:
    made = release()
    with pytest.raises(ValueError, match="read-only"):
        made.copies[0] = 9
    assert made.secret is not None
    with pytest.raises(ValueError, match="read-only"):
        made.secret.rows()[0] = 9


def test_rows_are_written_in_an_order_of_their_own() -> None:
    made = Release.of_bags(Bags.from_lists([[str(i)] for i in range(50)]), np.full(50, 2))
    one, other = made.shuffled_rows().tolist(), made.shuffled_rows().tolist()
    assert Counter(one) == Counter(other) == Counter(dict.fromkeys(range(50), 2))
    assert one != other
    assert made.n_records == 100


def test_a_release_of_which_only_the_records_are_known() -> None:
    made = Release.from_records(Bags.from_lists([["a"], ["a"], ["b"]]))
    assert made.n_records == 3
    assert made.secret is None
    assert made.claims == ()

"""A sample of people by what they hold: against plain counting, and the same for any order, names and division of the data."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.data.bags import Bags
from shoal.taxonomy.sampled_people import CLASSES, chosen_owners, class_counts, classes_for, person_classes


def random_rows(seed: int) -> tuple[list[list[str]], list[int]]:
    random = np.random.default_rng(seed)
    rows = [[f"w{word}" for word in random.choice(30, random.integers(0, 5), replace=False)] for _ in range(200)]
    return rows, random.integers(0, 80, 200).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_the_class_of_a_person_depends_on_what_the_person_holds_alone(seed: int) -> None:
    rows, owners = random_rows(seed)
    people, classes = person_classes(Bags.from_lists(rows, owners))
    assert people.tolist() == sorted(set(owners))
    order = np.random.default_rng(seed + 9).permutation(len(rows))
    renamed = [1000 - 3 * owners[i] for i in order]
    again = dict(zip(*(found.tolist() for found in person_classes(Bags.from_lists([rows[i][::-1] for i in order], renamed))), strict=True))
    assert [again[1000 - 3 * person] for person in people.tolist()] == classes.tolist()
    for person, found in zip(people[:10].tolist(), classes.tolist(), strict=False):  # as a worker sees it
        own = [row for row, owner in zip(rows, owners, strict=True) if owner == person]
        assert person_classes(Bags.from_lists(own, [0] * len(own)))[1].tolist() == [found]


def test_as_many_classes_as_are_needed() -> None:
    rows, owners = random_rows(5)
    bags = Bags.from_lists(rows, owners)
    classes = person_classes(bags)[1]
    counts = class_counts(classes)
    for wanted in (2, 20, len(classes)):
        needed = classes_for(counts, wanted)
        chosen = chosen_owners(bags, needed)
        assert len(chosen) == (classes < needed).sum() >= wanted
        assert (classes < needed - 1).sum() < wanted
    assert classes_for(counts, 10_000) == CLASSES
    assert len(chosen_owners(bags, CLASSES)) == len(classes)

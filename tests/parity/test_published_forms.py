"""In which form words are published: the kernel against all assignments there are, and against the definition of the shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import twins
from helpers.data import forests, numbered, numbers_of, tree, trees
from shoal import _kernels, kernels
from shoal.taxonomy.tree_counts import meet

MANY = settings(deadline=None, max_examples=150)
FORMS = ("own", "parent", "higher", "top")
NONE = (0, 0, 0, 0)


def form(parent: Sequence[int], item: int, node: int, top: set[int]) -> int | None:
    """The form in which a published node tells of an item, as a place in FORMS."""
    if node == item:
        return 0
    if node not in twins.up(tuple(parent), item):
        return None
    return 3 if node in top else 1 if parent[item] == node else 2


def assignments(parent: Sequence[int], record: Sequence[int], published: Sequence[int], top: set[int]) -> Iterator[tuple[int, ...]]:
    """The counts of every assignment of published nodes to items of the record, each item and each node at most once."""
    if not published:
        yield NONE
        return
    for rest in assignments(parent, record, published[1:], top):
        yield rest
    for i, item in enumerate(record):
        found = form(parent, item, published[0], top)
        if found is not None:
            for rest in assignments(parent, [*record[:i], *record[i + 1 :]], published[1:], top):
                yield tuple(n + (place == found) for place, n in enumerate(rest))


def brute_force(parent: Sequence[int], record: Sequence[int], published: Sequence[int], top: set[int]) -> tuple[int, ...]:
    """The most specific assignment: the first form as often as possible, then the second, and so on."""
    return max(assignments(parent, record, published, top))


def counted(parent: Sequence[int], records: list[list[int]], published: list[list[int]], rows: list[int], top: set[int], threads: int = 1):
    taxonomy = tree(parent)
    marks = np.array([v in top for v in range(len(parent))], np.uint8)
    originals, shown = numbered(taxonomy, records), numbered(taxonomy, published)
    arguments = originals.view, shown.view, np.array(rows, np.int64), taxonomy.view, marks, threads
    return kernels.run(_kernels.published_forms, *arguments)


def tops(parent: Sequence[int]) -> st.SearchStrategy[set[int]]:
    """The root, and perhaps a child of it: what stands above terms that a taxonomy lacks."""
    children = [v for v, above in enumerate(parent) if above == 0]
    return st.sampled_from([{0}, *({0, child} for child in children)])


@MANY
@given(trees(7), st.data())
def test_the_counts_are_those_of_the_most_specific_assignment(parent: tuple[int, ...], data) -> None:
    """For any two bags, also where the published one does not generalize the record."""
    items = st.lists(st.integers(0, len(parent) - 1), max_size=4)
    record, published, top = data.draw(items), data.draw(items), data.draw(tops(parent))
    assert counted(parent, [record], [published], [0], top) == brute_force(parent, record, published, top)


@MANY
@given(trees(7), st.data())
def test_the_most_specific_assignment_gives_up_no_match(parent: tuple[int, ...], data) -> None:
    """As many occurrences are told of as in any assignment: so what is not told of is well defined too."""
    items = st.lists(st.integers(0, len(parent) - 1), max_size=4)
    record, published, top = data.draw(items), data.draw(items), data.draw(tops(parent))
    found = counted(parent, [record], [published], [0], top)
    assert sum(found) == max(sum(counts) for counts in assignments(parent, record, published, top))


@MANY
@given(forests(records=(1, 6)), st.data(), st.sampled_from([1, 2]))
def test_groups_are_the_sums_of_their_records(case: tuple[tuple[int, ...], list[list[int]]], data, threads: int) -> None:
    """Least common generalizations tell of each member as many occurrences as they hold; withheld records count nothing."""
    parent, records = case
    top = data.draw(tops(parent))
    groups = data.draw(st.lists(st.integers(-1, 2), min_size=len(records), max_size=len(records)))
    taxonomy = tree(parent)
    published = [list(row) for row in numbers_of(meet(numbered(taxonomy, records), taxonomy, groups))]
    found = counted(parent, records, published, groups, top, threads)
    alone = [counted(parent, [r], [published[g]], [0], top) for r, g in zip(records, groups, strict=True) if g >= 0]
    assert found == tuple(map(sum, zip(NONE, *alone, strict=True)))
    assert sum(found) == sum(len(published[g]) for g in groups if g >= 0)


def test_repeated_items_are_counted_as_often_as_they_stand_there() -> None:
    parent = (-1, 0, 1, 1, 0)
    assert counted(parent, [[2, 2, 2, 3, 4]], [[0, 1, 1, 2]], [0], {0}) == (1, 2, 0, 1)
    assert counted(parent, [[2, 2, 2, 3, 4]], [[0, 1, 1, 2]], [0], {0, 1}) == (1, 0, 0, 3)

"""Clump and Partition as kernels, group by group against plain Python twins."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers import twins
from helpers.data import forests, numbered, numbers_of, tree
from shoal import _kernels, kernels
from shoal.methods.bases.grouping import content_order
from shoal.methods.clump import Clump
from shoal.taxonomy.tree_counts import tree_counts

SOME = settings(deadline=None, max_examples=120)

Case = tuple[tuple[int, ...], list[list[int]]]

cases = forests(nodes=9, records=(2, 12), items=(1, 4))


def people(data: st.DataObject, n: int) -> list[int]:
    """Owners: all different, some with several records, or one with most of them."""
    most = data.draw(st.sampled_from([None, 3, 6, 0]))
    if most is None:
        return list(range(n))
    if most == 0:
        return [0 if data.draw(st.integers(0, 9)) < 6 else i for i in range(n)]
    return data.draw(st.lists(st.integers(0, most), min_size=n, max_size=n))


@SOME
@given(cases, st.data())
def test_clump(case: Case, data: st.DataObject) -> None:
    parent, records = case
    owners = people(data, len(records))
    k, r = data.draw(st.integers(2, 4)), data.draw(st.sampled_from([1, 2, 10]))
    total, by_length, printed = data.draw(st.booleans()), data.draw(st.booleans()), data.draw(st.booleans())
    assume(len(set(owners)) >= k)
    taxonomy = tree(parent)
    assume(taxonomy.n_leaves > 1)
    bags = numbered(taxonomy, records, owners)
    order = data.draw(st.permutations(range(len(records))))
    counts = tree_counts(bags, taxonomy)
    scored, sequence = counts.scored(bags.owners, k, bags.owners_repeat), np.array(order, np.int64)
    options = _kernels.ClumpOptions(r=r, total=total, by_length=by_length)
    twin = twins.Clump(parent, numbers_of(bags), owners, order, k=k, r=r, total=total, by_length=by_length, printed=printed)
    if not printed:
        assert kernels.run(_kernels.clump, scored, sequence, options).tolist() == twin.run()
        return
    found, (indptr, nodes, copies) = kernels.run(_kernels.clump_printed, scored, bags.view, taxonomy.view, sequence, options)
    assert found.tolist() == twin.run()
    published = [tuple(np.repeat(nodes[begin:end], copies[begin:end]).tolist()) for begin, end in pairwise(indptr.tolist())]
    assert published == [twin.generalized(members) if members else () for members in twin.members]


@pytest.mark.parametrize("order", ["descending", "ascending", "random"])
def test_clump_takes_records_in_the_order_of_their_length(order: str) -> None:
    rng = np.random.default_rng(3)
    taxonomy = tree([-1, 0, 1, 1, 0, 4, 4])
    bags = numbered(taxonomy, [rng.integers(0, 7, rng.integers(1, 5)).tolist() for _ in range(30)])
    found = Clump(order=order)._assignment_order(bags)
    assert sorted(found.tolist()) == list(range(30))
    lengths = bags.lengths[found].tolist()
    if order == "random":
        assert lengths not in (sorted(lengths), sorted(lengths, reverse=True))
        assert found.tolist() == Clump(order=order)._assignment_order(bags).tolist()
        assert found.tolist() != Clump(order=order, seed=1)._assignment_order(bags).tolist()
    else:
        assert lengths == sorted(lengths, reverse=order == "descending")


def test_clump_with_fewer_owners_than_k_has_no_answer() -> None:
    taxonomy = tree([-1, 0, 0])
    bags = numbered(taxonomy, [[1], [2], [1], [2]], [0, 0, 1, 1])
    counts = tree_counts(bags, taxonomy)
    order = np.arange(4)
    arguments = counts.scored(bags.owners, 3, owners_repeat=True), order, _kernels.ClumpOptions(r=10, total=False)
    with pytest.raises(_kernels.Infeasible, match="fewer than k owners"):
        kernels.run(_kernels.clump, *arguments)


@SOME
@given(cases, st.data())
def test_partition(case: Case, data: st.DataObject) -> None:
    parent, records = case
    owners = people(data, len(records))
    k, tries, split = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 3)), data.draw(st.booleans())
    assume(len(set(owners)) >= k)
    taxonomy = tree(parent)
    bags = numbered(taxonomy, records, owners)
    order = data.draw(st.permutations(range(len(records))))
    labels, (indptr, nodes, counts) = kernels.run(
        _kernels.partition,
        bags.view,
        taxonomy.view,
        taxonomy.leaves,
        np.array(order, np.int64),
        bags.owners,
        _kernels.PartitionOptions(k=k, tries=tries, recurse_leftover=split, owners_repeat=bags.owners_repeat),
    )
    found = set()
    for g in range(len(indptr) - 1):
        span = slice(indptr[g], indptr[g + 1])
        cut = tuple(zip(nodes[span].tolist(), counts[span].tolist(), strict=True))
        found.add((frozenset(np.flatnonzero(labels == g).tolist()), cut))
    twin = twins.Partition(parent, numbers_of(bags), owners, k=k, tries=tries, split_leftover=split)
    expected = {
        (frozenset(part), tuple(sorted((c.node, min(twin.covered(i, c) for i in part)) for c in cut))) for part, cut in twin.run(order)
    }
    assert found == expected


@SOME
@given(forests(nodes=7, records=(2, 10), items=(1, 3)), st.data())
def test_the_content_order_tells_owners_apart_without_their_numbers(case: Case, data: st.DataObject) -> None:
    """Shuffled records of renumbered owners come in one order, up to owners who are alike in everything."""
    parent, records = case
    n = len(records)
    owners = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    shuffle = data.draw(st.permutations(range(n)))
    renumbered = data.draw(st.permutations(range(4)))

    def pattern(some: list[list[int]], people: list[int]) -> list[tuple[tuple[int, ...], int]]:
        bags = numbered(tree(parent), some, people)
        order = content_order(bags).tolist()
        contents = [numbers_of(bags)[i] for i in order]
        return list(zip(contents, twins.first_appearance([people[i] for i in order]), strict=True))

    there = pattern(records, owners)
    here = pattern([records[i] for i in shuffle], [renumbered[owners[i]] for i in shuffle])
    assert there == here
    assert Counter(content for content, _ in there) == Counter(tuple(sorted(record)) for record in records)

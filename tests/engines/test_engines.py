"""Engines: what each operation owes, and that the shoal method finds the same groups on any of them."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import forests, numbered, tree
from helpers.engines import PlainEngine, noise
from shoal import _kernels, kernels
from shoal.data.bags import Bags, Ints
from shoal.data.taxonomy import Taxonomy
from shoal.engines.local_engine import LocalEngine, Things
from shoal.methods.bases.group_search import Groups, GroupSearch, Search
from shoal.methods.bases.grouping import content_order
from shoal.taxonomy.tree_counts import tree_counts

ENGINES = [LocalEngine, PlainEngine]
SEARCH = {
    "grow": _kernels.GrowOptions(candidates=4),
    "refine": _kernels.RefineOptions(neighbours=4, depth=3, together=3, worst=50, worth=1),
}


def topics(n: int, seed: int, owners: int | None = None) -> tuple[Bags, Taxonomy]:
    """Records of two to six leaves, mostly below one of twenty nodes, in content order; many of them several times."""
    taxonomy = tree([-1, *(parent for topic in range(20) for parent in (0, *[1 + 6 * topic] * 5))])
    rng = np.random.default_rng(seed)
    leaves = np.flatnonzero(np.isin(np.arange(len(taxonomy)), taxonomy.parent, invert=True))
    records = []
    for _ in range(n):
        first = rng.integers(0, 20) * 5
        mine = leaves[first + rng.integers(0, 5, rng.integers(1, 4))]
        records.append([*mine.tolist(), *rng.choice(leaves, rng.integers(0, 3)).tolist()])
    people = None if owners is None else rng.integers(0, owners, n).tolist()
    bags = numbered(taxonomy, records, people)
    return bags.select(content_order(bags)), taxonomy


def search(k: int, seed: int = 0) -> Search:
    """Small blocks, so that there are many of both kinds."""
    return Search(k=k, block=64, refine_block=16, rounds=3, seed=seed, **SEARCH)  # type: ignore[arg-type]


def found_by(engine: LocalEngine, bags: Bags, taxonomy: Taxonomy, how: Search) -> list[list[int]]:
    groups = GroupSearch(tree_counts(bags, taxonomy), bags.owners, bags.owners_repeat, how, engine).run()
    assert sorted(groups.members.tolist()) == list(range(len(bags)))
    return [part.tolist() for part in np.split(groups.members, groups.starts[1:-1])]


@pytest.mark.parametrize("k", [2, 5, 11])
@pytest.mark.parametrize("owners", [None, 900, 40])
def test_another_engine_finds_the_same_groups(k: int, owners: int | None) -> None:
    bags, taxonomy = topics(1500, seed=k, owners=owners)
    here = found_by(LocalEngine(), bags, taxonomy, search(k))
    assert found_by(PlainEngine(), bags, taxonomy, search(k)) == here
    assert len(here) > 1


def test_threads_do_not_matter() -> None:
    bags, taxonomy = topics(1500, seed=1)
    found = []
    for threads in (1, 2, 5):
        with kernels.using(threads=threads):
            found.append(found_by(LocalEngine(), bags, taxonomy, search(4)))
    assert found[0] == found[1] == found[2]
    assert found_by(LocalEngine(), bags, taxonomy, search(4, seed=9)) != found[0]


def test_what_is_made_of_a_block_depends_on_its_rows_alone() -> None:
    bags, taxonomy = topics(600, seed=2)
    block = np.arange(3, 600, 7)
    whole, part = scored(bags, taxonomy, 4), scored(bags.select(block), taxonomy, 4)
    (starts, members), left = kernels.run(_kernels.grow_block, whole, block, SEARCH["grow"])
    (alone, rows), rest = kernels.run(_kernels.grow_block, part, np.arange(len(block)), SEARCH["grow"])
    assert starts.tolist() == alone.tolist()
    assert members.tolist() == block[rows].tolist() and left.tolist() == block[rest].tolist()
    (one, first), changes = kernels.run(_kernels.refine_block, whole, starts, members, SEARCH["refine"], 7, -1.0)
    (two, second), same = kernels.run(_kernels.refine_block, part, alone, rows, SEARCH["refine"], 7, -1.0)
    assert one.tolist() == two.tolist() and first.tolist() == block[second].tolist() and changes == same > 0


def scored(bags: Bags, taxonomy: Taxonomy, k: int) -> _kernels.Scored:
    counts = tree_counts(bags, taxonomy)
    return _kernels.Scored(_kernels.Rows(*counts.rows), counts.lengths, bags.owners, counts.weights, counts.units, k, bags.owners_repeat)


def things(bags: Bags, taxonomy: Taxonomy) -> Things:
    counts = tree_counts(bags, taxonomy)
    return Things(_kernels.Rows(*counts.rows), counts.lengths, counts.weights, counts.units)


@settings(deadline=None, max_examples=50)
@given(forests(nodes=12, records=(1, 30), items=(1, 6)), st.integers(1, 12), st.integers(0, 3), st.data())
def test_blocks_hold_all_that_was_chosen_and_are_equally_full(
    instance: tuple[tuple[int, ...], list[list[int]]], size: int, cut: int, data: st.DataObject
) -> None:
    taxonomy = tree(instance[0])
    bags = numbered(taxonomy, instance[1])
    chosen = np.array(sorted(data.draw(st.sets(st.integers(0, len(bags) - 1), min_size=1))), np.int64)
    blocks = LocalEngine().split(things(bags, taxonomy), chosen, size, cut)
    assert sorted(np.concatenate(blocks).tolist()) == chosen.tolist()
    assert len(blocks) == max(1, (len(chosen) + size // 2) // size)
    assert max(map(len, blocks)) - min(map(len, blocks)) <= 1
    assert [b.tolist() for b in PlainEngine().split(things(bags, taxonomy), chosen, size, cut)] == [b.tolist() for b in blocks]


@given(st.lists(st.integers(0, 2**64 - 1), min_size=3, max_size=3))
def test_noise_is_the_same_everywhere(numbers: list[int]) -> None:
    assert _kernels.noise(*numbers) == noise(*numbers)


def test_an_engine_that_loses_records_is_found_out() -> None:
    class Forgetful(PlainEngine):
        def split(self, things: Things, chosen: Ints, size: int, cut: int = 0) -> list[Ints]:
            return [block[:-1] for block in super().split(things, chosen, size, cut)]

    bags, taxonomy = topics(300, seed=1)
    with pytest.raises(RuntimeError, match="lost records"):
        GroupSearch(tree_counts(bags, taxonomy), bags.owners, False, search(3), Forgetful()).run()


@pytest.mark.parametrize("engine", ENGINES)
def test_kinds_are_counted(engine: type[LocalEngine]) -> None:
    rows = _kernels.Rows(np.array([0, 1, 2, 4, 5, 5]), np.array([3, 4, 3, 4, 3], np.int32), np.array([1, 1, 1, 1, 1], np.int32))
    kinds = engine().count(rows)
    assert kinds.kind.tolist() == [0, 1, 2, 0, 3]
    assert kinds.times.tolist() == [2, 1, 1, 1]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("blocks", [0, 1, 50])
def test_answers_come_in_the_order_of_the_blocks(engine: type[LocalEngine], blocks: int) -> None:
    here = engine()
    with kernels.using(threads=4):
        answers = here.map(lambda block, task: block * block, range(blocks))
    assert here.gather(answers) == [b * b for b in range(blocks)]


def test_blocks_are_worked_on_side_by_side() -> None:
    meeting = threading.Barrier(3, timeout=20)
    with kernels.using(threads=3):
        LocalEngine().map(lambda block, task: meeting.wait(), range(3))


def test_where_no_thread_can_be_had_the_work_is_done_all_the_same() -> None:
    with kernels.using(threads=4), mock.patch("shoal.engines.local_engine.Thread.start", side_effect=RuntimeError):
        assert LocalEngine().map(lambda block, task: block + 1, range(9)) == list(range(1, 10))


def test_a_failure_is_raised_and_ends_the_work() -> None:
    begun: list[int] = []

    def fail_at_five(block: int, task: _kernels.Task) -> None:
        begun.append(block)
        if block == 5:
            raise LookupError("five")

    with kernels.using(threads=2), pytest.raises(LookupError, match="five"):
        LocalEngine().map(fail_at_five, range(100_000))
    assert len(begun) < 100_000


def test_ctrl_c_stops_all_threads() -> None:
    ended: list[int] = []

    def until_cancelled(block: int, task: _kernels.Task) -> None:
        try:
            while True:
                time.sleep(0.002)
                task.step()
        finally:
            ended.append(block)

    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    with kernels.using(threads=3), pytest.raises(KeyboardInterrupt):
        LocalEngine().map(until_cancelled, range(3))
    assert sorted(ended) == [0, 1, 2]


def test_steps_of_one_search_share_one_progress() -> None:
    seen: list[tuple[str, int, int]] = []
    bags, taxonomy = topics(1500, seed=1)
    with kernels.using(watch=lambda *news: seen.append(news[:3])):
        found_by(LocalEngine("clustering"), bags, taxonomy, search(5))
    whole = 2 * 1500 + 3 * (1500 + 300)
    totals = [total for label, _, total in seen if label == "clustering"]
    assert set(totals[totals.index(whole) :]) == {whole}  # once the work is known, it stays the same to the end
    done = [done for label, done, total in seen if label == "clustering" and total == whole]
    assert done == sorted(done)


def test_more_steps_than_expected_are_not_shown_as_more_than_all() -> None:
    seen: list[tuple[int, int]] = []

    def work(block: int, task: _kernels.Task) -> None:
        task.step(30)
        time.sleep(0.3)

    engine = LocalEngine("working")
    engine.expect(20)
    with kernels.using(watch=lambda *news: seen.append(news[1:3])):
        engine.map(work, [0])
    assert seen
    assert set(seen) == {(20, 20)}


def groupings() -> Iterator[tuple[Groups, list[list[int]]]]:
    rng = np.random.default_rng(0)
    for n in (0, 1, 7):
        lists = [rng.integers(0, 50, rng.integers(1, 5)).tolist() for _ in range(n)]
        flat = np.array([r for group in lists for r in group], np.int64)
        yield Groups.of_sizes(np.array([len(group) for group in lists], np.int64), flat), lists


def as_lists(groups: Groups) -> list[list[int]]:
    return [groups.members[a:b].tolist() for a, b in zip(groups.starts, groups.starts[1:], strict=False)]


def test_groups_are_lists_of_lists() -> None:
    for groups, lists in groupings():
        assert as_lists(groups) == lists and len(groups) == len(lists)
        assert as_lists(Groups.joined([groups, groups])) == lists + lists
        back = np.arange(len(lists))[::-1]
        assert as_lists(groups.select(back)) == lists[::-1]
        assert [group for part in groups.in_ranges(3) for group in as_lists(part)] == lists
        assert groups.labels.tolist() == [g for g, group in enumerate(lists) for _ in group]
        if lists:
            joined = groups.with_newcomers(np.array([0, len(lists) - 1, 0]), np.array([91, 92, 93]))
            wanted = [list(group) for group in lists]
            wanted[0].append(91), wanted[-1].append(92), wanted[0].append(93)
            assert as_lists(joined) == wanted

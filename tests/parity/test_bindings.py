"""What the bindings refuse: no array from Python, however wrong, lets a kernel read or write beyond its memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shoal import _kernels, kernels

GOOD = ([0, 2, 3], [0, 2, 1], [1, 1, 2])
PARENT, END = [-1, 0, 0], [3, 2, 3]
BAD_ROWS: dict[str, tuple[list[int], list[int], list[int]]] = {
    "no start": ([], [], []),
    "starts behind 0": ([1, 2, 3], [0, 2, 1], [1, 1, 2]),
    "ends too early": ([0, 1, 2], [0, 2, 1], [1, 1, 2]),
    "ends too late": ([0, 2, 9], [0, 2, 1], [1, 1, 2]),
    "starts that fall": ([0, 3, 2, 3], [0, 2, 1], [1, 1, 2]),
    "fewer counts than ids": ([0, 2, 3], [0, 2, 1], [1, 1]),
    "an id below 0": ([0, 2, 3], [-1, 2, 1], [1, 1, 2]),
    "unsorted ids": ([0, 2, 3], [2, 0, 1], [1, 1, 2]),
    "repeated ids": ([0, 2, 3], [2, 2, 1], [1, 1, 2]),
    "a count of 0": ([0, 2, 3], [0, 2, 1], [1, 0, 2]),
    "a count below 0": ([0, 2, 3], [0, 2, 1], [1, -1, 2]),
}


def wide(values: list[int]) -> Any:
    return np.array(values, np.int64)


def narrow(values: list[int]) -> Any:
    return np.array(values, np.int32)


def rows(given: tuple[list[int], list[int], list[int]] = GOOD) -> Any:
    return _kernels.Rows(wide(given[0]), narrow(given[1]), narrow(given[2]))


def tree(parent: list[int] = PARENT, end: list[int] = END) -> Any:
    return _kernels.Tree(narrow(parent), narrow(end), narrow([0, 1, 1]))


def measure(parent: list[int] = PARENT, end: list[int] = END, level: list[int] | None = None) -> Any:
    return _kernels.Measure(narrow(parent), narrow(end), wide(level or [1, 2, 2]), False, 1, 4, 4)


def scored(given: tuple[list[int], list[int], list[int]] = GOOD, k: int = 2) -> Any:
    return _kernels.Scored(rows(given), wide([2, 2]), wide([0, 1]), wide([0, 1, 1]), 1, k, False)


def match_index(given: tuple[list[int], list[int], list[int]] = GOOD) -> Any:
    return _kernels.MatchIndex(rows(given), narrow(PARENT), wide([0, 1, 1]), wide([1, 1]))


CUTS = _kernels.CutTree(narrow([1]), narrow([3]), wide([1]), narrow([-1]), narrow([-2]))
CLUMP = _kernels.ClumpOptions(r=1, total=False)
PARTITION = _kernels.PartitionOptions(k=2, tries=1, recurse_leftover=True, owners_repeat=False)
MOLES = _kernels.MoleQuestion(k=2, h_numerator=1, h_denominator=2, p=2, achieved=False)
RULES = _kernels.RuleQuestion(size=1, largest=1, numerator=1, denominator=2, most=5, work=10**6)
COMPANY = _kernels.CompanyBounds(features=3, longest=200, enough=9, strongest=9, smoothing=0.75, units=32)
TOPICS = _kernels.TopicBounds(balance=0.2, smallest=6, titles=3, narrow=0)
RECODING = _kernels.RecodingPlan(k=2, m=1, suppressed=1, start="by size", undo=False, suppress=False, local=False)
SENSES = _kernels.Senses(_kernels.Rows(wide([0, 1, 2, 3]), narrow([0, 1, 2]), narrow([1, 2, 2])), narrow([1, 2, 2]))
SETS = _kernels.SetQuestion(size=1, k=2, h_numerator=1, h_denominator=2, most_examples=5)


def with_rows(given: tuple[list[int], list[int], list[int]]) -> dict[str, Callable[[], Any]]:
    """A call of every kernel that takes rows in canonical form, right but for these rows of two records."""
    run, up, end = kernels.run, narrow(PARENT), narrow(END)
    order, people, role, zeros = wide([0, 1]), wide([0, 1]), np.ones(3, np.uint8), wide([0, 0])
    lengths, weight = wide([2, 2]), wide([0, 1, 1])
    words = (wide([1, 2, 3]), narrow([0, 1, 2]), role)  # their fingerprints, numbers as features, and which are wanted

    def r() -> Any:
        return rows(given)

    return {
        "selected_rows": lambda: run(_kernels.selected_rows, r(), order, 1),
        "identical_rows": lambda: run(_kernels.identical_rows, r(), 1),
        "content_order": lambda: run(_kernels.content_order, r(), zeros, 1),
        "owners_per_item": lambda: run(_kernels.owners_per_item, r(), people, 3),
        "shared_occurrences": lambda: run(_kernels.shared_occurrences, r(), rows(), order, 1),
        "content_hashes": lambda: run(_kernels.content_hashes, r(), 2, 1),
        "leaves_of": lambda: run(_kernels.leaves_of, r(), CUTS, 1),
        "tree_counts": lambda: run(_kernels.tree_counts, r(), up, end, narrow([0, 1, 2]), 1),
        "min_sums": lambda: run(_kernels.min_sums, r(), order, order, weight, 1),
        "meet_groups": lambda: run(_kernels.meet_groups, r(), tree(), wide([0, 2]), order, 1),
        "published_forms": lambda: run(_kernels.published_forms, r(), rows(), order, tree(), 0 * role, 1),
        "covering_nodes": lambda: run(_kernels.covering_nodes, r(), rows(), order, tree(), 1),
        "partition": lambda: run(_kernels.partition, r(), tree(), wide([2, 1, 1]), order, people, PARTITION),
        "clump_printed": lambda: run(_kernels.clump_printed, scored(), r(), tree(), order, CLUMP),
        "Scored": lambda: scored(given),
        "coordinates": lambda: run(_kernels.coordinates, r(), lengths, weight, 1, 1),
        "join_leftovers": lambda: run(_kernels.join_leftovers, scored(), r(), wide([1, 1]), wide([1])),
        "generalizes": lambda: run(_kernels.generalizes, r(), rows(), order, tree(), 1),
        "generalizes_pairs": lambda: run(_kernels.generalizes_pairs, r(), rows(), order, order, tree(), 1),
        "row_classes": lambda: run(_kernels.row_classes, r(), 1),
        "known_sets": lambda: run(_kernels.known_sets, r(), order, wide([]), role, 0 * role, SETS, 1),
        "greatest_certainty": lambda: run(_kernels.greatest_certainty, r(), order, wide([]), role, role, -1, 1),
        "breaching_rules": lambda: run(_kernels.breaching_rules, r(), wide([]), role, role[:0], RULES, 1),
        "minimal_moles": lambda: run(_kernels.minimal_moles, r(), role, wide([]), MOLES, 1),
        "hit_rare_pairs": lambda: run(_kernels.hit_rare_pairs, r(), wide([]), 2, 2, weight, 1),
        "itemset_supports": lambda: run(_kernels.itemset_supports, r(), role, wide([]), wide([0, 1]), narrow([1]), 1),
        "term_set_distances": lambda: run(_kernels.term_set_distances, measure(), r(), rows(), order, order, 0, 1),
        "nearest_distances": lambda: run(_kernels.nearest_distances, measure(), r(), rows(), 1),
        "nearest_term_sets": lambda: run(_kernels.nearest_term_sets, measure(), r(), order),
        "joined_centre": lambda: run(_kernels.joined_centre, measure(), r(), order),
        "cluster_term_sets": lambda: run(_kernels.cluster_term_sets, measure(), r(), order, people, 2, 20),
        "cluster_by_matched_terms": lambda: run(_kernels.cluster_by_matched_terms, measure(), r(), order, people, 2, 20),
        "represent": lambda: run(_kernels.represent, measure(), r(), rows(), order),
        "clusters_by_terms": lambda: run(_kernels.clusters_by_terms, r(), people, 1, 1),
        "chunks_of_terms": lambda: run(_kernels.chunks_of_terms, r(), people, zeros, _kernels.ChunkPlan(k=1, m=2)),
        "recode_rare_sets": lambda: run(_kernels.recode_rare_sets, r(), wide([]), tree(), weight, role, RECODING),
        "PublishedRecords": lambda: _kernels.PublishedRecords(r(), wide([]), 3, 2, 1),
        "matched_similarities": lambda: run(_kernels.matched_similarities, SENSES, r(), 1),
        "band_order": lambda: run(_kernels.band_order, r(), 3),
        "private_groups": lambda: run(_kernels.private_groups, rows(), r(), 3, people, 2, 6, 0),
        "company": lambda: run(_kernels.company, r(), people, *words, COMPANY, 1),
        "people_of_words": lambda: run(_kernels.people_of_words, r(), people, narrow([0, 1, 2])),
        "topic_tree": lambda: run(_kernels.topic_tree, r(), 3, rows(), np.ones(2, np.uint8), TOPICS, 1),
        "top_closed": lambda: run(_kernels.top_closed, r(), wide([1, 1]), 5, 1),
        "MatchIndex": lambda: match_index(given),
        "possible_rows": lambda: run(_kernels.possible_rows, match_index(), r(), 1),
    }


KERNELS = sorted(with_rows(GOOD))
# They compare ids, or make room for the highest one, and are given nothing to look up by them.
COMPARE_ONLY = {
    "clusters_by_terms",
    "chunks_of_terms",
    "selected_rows",
    "identical_rows",
    "row_classes",
    "content_hashes",
    "content_order",
    "leaves_of",
    "top_closed",
    "shared_occurrences",
}


def test_every_kernel_that_takes_rows_is_listed() -> None:
    functions = {name: kernel for name, kernel in vars(_kernels).items() if not isinstance(kernel, type)}
    takes_rows = {name for name, kernel in functions.items() if re.search(r"indptr|: \S*\bRows\b", kernel.__doc__ or "")}
    takes_rows |= {"Scored", "PublishedRecords", "MatchIndex"}
    as_they_come = {"canonical_rows", "renamed_rows"}
    beside_clusters = {"typical_term_sets"}
    words_of_texts = {"joined_texts"}
    assert takes_rows - as_they_come - beside_clusters - words_of_texts == set(KERNELS)


@pytest.mark.parametrize("kernel", KERNELS)
def test_good_rows_are_taken(kernel: str) -> None:
    with_rows(GOOD)[kernel]()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_rows_are_refused(kernel: str, name: str) -> None:
    with pytest.raises(ValueError, match="kernel input: expected"):
        with_rows(BAD_ROWS[name])[kernel]()


@pytest.mark.parametrize("kernel", sorted(set(KERNELS) - COMPARE_ONLY))
def test_ids_beyond_the_nodes_are_refused(kernel: str) -> None:
    with pytest.raises(ValueError, match="below the number of nodes"):
        with_rows(([0, 2, 3], [0, 3, 1], [1, 1, 2]))[kernel]()


@pytest.mark.parametrize(
    ("parent", "end"),
    [
        ([0, 0, 0], [3, 2, 3]),
        ([-1, 0, 3], [3, 2, 3]),
        ([-1, 0, -1], [3, 2, 3]),
        ([-1, 2, 0], [3, 2, 3]),
        ([-1, 0, 0], [3, 2, 9]),
        ([-1, 0, 0], [3, 1, 3]),
        ([-1, 0, 0], [2, 2, 3]),
        ([-1, 0], [3, 2, 3]),
    ],
)
def test_trees_that_are_none_are_refused(parent: list[int], end: list[int]) -> None:
    with pytest.raises(ValueError, match="kernel input: expected"):
        measure(parent, end)
    with pytest.raises(ValueError, match="kernel input: expected"):
        tree(parent, end)


@pytest.mark.parametrize("level", [[2, 3, 3], [1, 1, 2], [1, 2, 5], [1, 0, 2], [1, 2], [1, 2**21, -5]])
def test_levels_that_do_not_fit_the_tree_are_refused(level: list[int]) -> None:
    with pytest.raises(ValueError, match="kernel input: expected"):
        measure(level=level)


def test_a_far_node_has_nothing_below_it() -> None:
    """What a node for unknown terms with grandchildren once led to: levels that fall on the way down."""
    far = _kernels.FAR
    measure([-1, 0, 1], [3, 3, 3], [1, 2, 2 + far])
    with pytest.raises(ValueError, match="levels that fit the tree"):
        measure([-1, 0, 1], [3, 3, 3], [1, 1 + far, 3])


@pytest.mark.parametrize(("having", "lacking"), [([0, -1], [-2, -3]), ([1, 0], [-1, -2]), ([1, -1], [2, -3]), ([1], [-1, -2])])
def test_cuts_that_come_again_or_are_not_there_are_refused(having: list[int], lacking: list[int]) -> None:
    with pytest.raises(ValueError, match="kernel input: expected"):
        _kernels.CutTree(narrow([0, 1]), narrow([3, 2]), wide([1, 1]), narrow(having), narrow(lacking))


def test_orders_name_each_record_once() -> None:
    people = wide([0, 1])
    for order in ([0, 0], [0, 2], [0], [0, -1]):
        with pytest.raises(ValueError, match="kernel input: expected"):
            kernels.run(_kernels.cluster_term_sets, measure(), rows(), wide(order), people, 2, 20)
        with pytest.raises(ValueError, match="kernel input: expected"):
            kernels.run(_kernels.clump, scored(), wide(order), CLUMP)


def test_published_rows_that_are_not_there_are_refused() -> None:
    row = wide([0, 2])
    for call in (
        lambda: kernels.run(_kernels.covering_nodes, rows(), rows(), row, tree(), 1),
        lambda: kernels.run(_kernels.generalizes, rows(), rows(), row, tree(), 1),
        lambda: kernels.run(_kernels.shared_occurrences, rows(), rows(), row, 1),
        lambda: kernels.run(_kernels.represent, measure(), rows(), rows(), row),
    ):
        with pytest.raises(ValueError, match="kernel input: expected"):
            call()


def test_clusters_are_published_on_their_own_tree_only() -> None:
    order = wide([0, 1])
    clusters = kernels.run(_kernels.cluster_term_sets, measure(), rows(), order, order, 2, 20)
    smaller = measure([-1], [1], [1])
    empty = rows(([0, 0, 0], [], []))
    options = _kernels.TypicalOptions(typical=0, min_owners=1, generalize_rare=True)
    with pytest.raises(ValueError, match="on the same tree"):
        kernels.run(_kernels.typical_term_sets, smaller, clusters, empty, order, options, np.ones(1, np.uint8))


def test_lists_of_items_rise() -> None:
    with pytest.raises(ValueError, match="rise within a list"):
        kernels.run(_kernels.eliminate_moles, wide([0, 2]), narrow([1, 1]), wide([1, 1]), "mm")
    with pytest.raises(ValueError, match="not negative"):
        kernels.run(_kernels.eliminate_moles, wide([0, 1]), narrow([1]), wide([1, -1]), "mm")
    with pytest.raises(ValueError, match="roles that are known"):
        kernels.run(_kernels.minimal_moles, rows(), np.array([1, 1, 3], np.uint8), wide([]), MOLES, 1)


OPTIONS = {"grow": {"candidates": 1}, "refine": {"neighbours": 1, "depth": 1, "together": 2, "worst": 0, "worth": 0}}


@pytest.mark.parametrize(
    ("starts", "members"),
    [
        ([], []),
        ([0, 1], [0, 1]),
        ([1, 2], [0, 1]),
        ([0, 2], [0, 2]),
        ([0, 2], [0, -1]),
        ([0, 3], [0, 1]),
        ([0, 2, 1, 2], [0, 1]),
        ([0, 0, 2], [0, 1]),
    ],
)
def test_groups_that_are_none_are_refused(starts: list[int], members: list[int]) -> None:
    options = _kernels.RefineOptions(**OPTIONS["refine"])
    with pytest.raises(ValueError, match="kernel input: expected"):
        kernels.run(_kernels.meet_counts, scored(), wide(starts), wide(members))
    with pytest.raises(ValueError, match="kernel input: expected"):
        kernels.run(_kernels.refine_block, scored(), wide(starts), wide(members), options, 0, -1.0)


def test_blocks_and_kinds_of_other_records_are_refused() -> None:
    near = kernels.run(_kernels.coordinates, rows(), wide([2, 2]), wide([0, 1, 1]), 1, 1)
    for call in (
        lambda: kernels.run(_kernels.grow_block, scored(), wide([0, 2]), _kernels.GrowOptions(**OPTIONS["grow"])),
        lambda: kernels.run(_kernels.identical_groups, scored(), wide([0, 1]), wide([1])),
        lambda: kernels.run(_kernels.identical_groups, scored(), wide([0]), wide([1])),
        lambda: kernels.run(_kernels.join_leftovers, scored(), rows(), wide([1, 1]), wide([2])),
        lambda: kernels.run(_kernels.join_leftovers, scored(), rows(), wide([1]), wide([1])),
        lambda: kernels.run(_kernels.split_blocks, near, wide([0, 2]), 1, 0, 1),
        lambda: kernels.run(_kernels.split_blocks, near, wide([1, 0]), 1, 0, 1),
        lambda: kernels.run(_kernels.split_blocks, near, wide([0, 1]), 0, 0, 1),
        lambda: scored(k=0),
    ):
        with pytest.raises(ValueError, match="kernel input: expected"):
            call()


@pytest.mark.parametrize(
    ("options", "name", "value"),
    [
        ("grow", "candidates", 0),
        *(
            ("refine", name, value)
            for name, value in [("neighbours", 0), ("depth", 0), ("together", 0), ("worst", 101), ("worth", -1), ("worth", 1001)]
        ),
    ],
)
def test_options_out_of_range_are_refused(options: str, name: str, value: int) -> None:
    make = _kernels.GrowOptions if options == "grow" else _kernels.RefineOptions
    make(**OPTIONS[options])
    with pytest.raises(ValueError, match="kernel input: expected"):
        make(**OPTIONS[options] | {name: value})


def test_rare_sets_and_places_that_are_not_there_are_refused() -> None:
    published = _kernels.PublishedRecords(rows(), wide([]), 3, 2, 1)
    no_sets, one_set = (wide([0]), narrow([])), (wide([0, 1]), narrow([1]))
    places, nothing, everywhere = (wide([0, 1]), narrow([1]), np.ones(1, np.uint8)), narrow([]), wide([0, 1, 0])

    def given(*rare: Any) -> Any:
        return kernels.run(_kernels.give_up, *places, _kernels.RareSets(*rare), everywhere)

    assert given(*one_set, narrow([0]), narrow([0])).tolist() == [1]
    assert given(*no_sets, nothing, nothing).tolist() == [0]
    for call in (
        lambda: published.publish(wide([9]), narrow([1])),
        lambda: published.publish(wide([1, 0]), narrow([1, 1])),
        lambda: published.publish(wide([0]), narrow([3])),
        lambda: kernels.run(published.rare_sets, narrow([3])),
        lambda: _kernels.RareSets(*one_set, narrow([0]), narrow([1])),
        lambda: _kernels.RareSets(*one_set, narrow([-1]), narrow([0])),
        lambda: given(*one_set, narrow([1]), narrow([0])),
        lambda: given(wide([0, 1]), narrow([3]), narrow([0]), narrow([0])),
    ):
        with pytest.raises(ValueError, match="kernel input: expected"):
            call()
    with pytest.raises(ValueError, match="without a fresh node"):
        given(wide([0, 1]), narrow([2]), narrow([0]), narrow([0]))


LISTS = {"items": ([0, 1], [1]), "absent": ([0, 1], [2]), "mine": ([0, 1], [1]), "possible": ([0, 1], [0])}


def matched(lists: dict[str, tuple[list[int], list[int]]], counts: list[int], own: list[int]) -> Any:
    given = {name: _kernels.NumberLists(wide(starts), narrow(values)) for name, (starts, values) in lists.items()}
    known = _kernels.Knowledge(**given, counts=narrow(counts), own=wide(own), limited=True)
    return kernels.run(_kernels.best_matches, match_index(), known, True, 1)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("wrong", [([0, 1], [3]), ([0, 1], [-1]), ([0, 2], [0]), ([1, 0], [0]), ([], [0]), ([0, 1, 1], [0])], ids=str)
def test_knowledge_of_nodes_and_rows_that_are_not_there_is_refused(name: str, wrong: tuple[list[int], list[int]]) -> None:
    matched(LISTS, [0], [0])
    with pytest.raises(ValueError, match="kernel input: expected"):
        matched(LISTS | {name: wrong}, [0], [0])


@pytest.mark.parametrize(("counts", "own"), [([], [0]), ([0], [0, 0])])
def test_counts_of_other_items_than_the_known_ones_are_refused(counts: list[int], own: list[int]) -> None:
    with pytest.raises(ValueError, match="kernel input: expected"):
        matched(LISTS, counts, own)

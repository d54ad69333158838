"""Example records: published ones alone, the same in whatever order they stand, and groups counted as the terminal counts them."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pytest

from helpers.cli import FOOD, ITEMS, Shell
from helpers.data import names_of
from helpers.report import example
from shoal.data.bags import Bags
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.kinds import facts_of, render_report
from shoal.report.facts import MEDIAN, MOST_DETAILED, MOST_EXAMPLES, MOST_ITEMS, examples_of


def test_examples_are_published_records_with_the_number_of_those_alike() -> None:
    _, release, original = example()
    published = Counter(name for name, n in zip(names_of(release.published), release.copies, strict=True) for _ in range(n))
    found = examples_of(release.published, release.copies, original.tree)
    assert [one.why for one in found] == [MOST_DETAILED] * MOST_EXAMPLES + [MEDIAN] * MOST_EXAMPLES
    for one in found:
        shown = Counter(dict(one.items))
        whole = [names for names, n in published.items() if n == one.records and len(names) == shown.total() + one.more]
        assert any(shown <= Counter(names) for names in whole)
        assert len(one.items) <= MOST_ITEMS


def test_the_choice_does_not_depend_on_the_order_of_rows() -> None:
    """As an audit reads them: every copy a row of its own, in any order."""
    _, release, original = example()
    rows = np.random.default_rng(3).permutation(np.repeat(np.arange(len(release.published)), release.copies))
    single = release.published.select(rows)
    again = examples_of(single, np.ones(len(rows), np.int64), original.tree)
    assert again == examples_of(release.published, release.copies, original.tree)


def test_records_with_the_most_detail_come_first() -> None:
    tree = Taxonomy.from_parents({"Food": None, "Fruit": "Food", "Apple": "Fruit", "Pear": "Fruit", "Meat": "Food", "Beef": "Meat"})
    records = [["Food"], ["Fruit"], ["Apple"], ["Apple", "Food"], ["Apple", "Beef"], []]
    bags = Bags.from_lists(records)
    shown = bags.relabelled(tree.names.codes(bags.vocabulary.names), tree.names)
    found = examples_of(shown, np.array([5, 6, 7, 8, 9, 4]), tree)
    assert [one.items for one in found[:3]] == [(("Apple", 1), ("Beef", 1)), (("Apple", 1),), (("Apple", 1), ("Food", 1))]  # 4, 2, 2
    assert {one.items for one in found[3:]} == {(("Food", 1),), (("Fruit", 1),)}  # the empty record is none
    assert found[0].records == 9


def test_long_records_are_cut_and_say_by_how_much() -> None:
    names = [f"item {n:02}" for n in range(20)]
    tree = Taxonomy.from_parents({"goods": None, **dict.fromkeys(names, "goods")})
    bags = Bags.from_lists([names])
    found = examples_of(bags.relabelled(tree.names.codes(bags.vocabulary.names), tree.names), np.array([5]), tree)
    assert (len(found[0].items), found[0].more) == (MOST_ITEMS, 20 - MOST_ITEMS)


def test_what_is_counted_block_by_block_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    manifest, release, original = example()
    whole = facts_of(manifest, release, original)
    monkeypatch.setattr("shoal.data.bags.AT_ONCE", 3)
    assert len(list(release.published.blocks())) > 3
    assert facts_of(manifest, release, original) == whole


def test_nothing_published_gives_no_example() -> None:
    _, release, original = example()
    assert examples_of(release.published.select([]), np.zeros(0, np.int64), original.tree) == ()


def test_one_meter_and_the_most_specific_terms() -> None:
    manifest, release, original = example()
    page = render_report(facts_of(manifest, release, original))
    assert page.count('class="gauge"') == 1
    assert re.search(r"Most detailed.*Most specific.*Most frequent.*Least specific", page, re.DOTALL)


def test_groups_that_are_published_alike_are_one_group() -> None:
    manifest, release, original = example()
    twice = Release.of_bags(
        release.published.select(np.repeat(np.arange(len(release.published)), 2)), np.repeat(release.copies, 2), claims=release.claims
    )
    assert facts_of(manifest, twice, original).sizes.groups == release.tables["records"].facts()["different"]


@pytest.mark.parametrize("method", ["shoal", "partition", "coherence"])
def test_terminal_report_and_manifest_count_the_same_groups(shell: Shell, method: str) -> None:
    shell.file("food.csv", FOOD)
    rng = np.random.default_rng(2)
    shell.file("baskets.txt", "".join(",".join(rng.choice(ITEMS, rng.integers(1, 4), replace=False)) + "\n" for _ in range(90)))
    place = shell.directory
    words = ("--format", "transactions", "--taxonomy", place / "food.csv", "--k", "3", "--method", method, "--out", place / "release")
    answer = shell("anonymize", place / "baskets.txt", *words)
    assert answer.code == 0, answer
    told = re.search(r"90 records in ([\d,]+) groups of identical records", answer.out)
    assert told
    assert f"<b>{told[1]} groups</b>" in (place / "release" / "report.html").read_text()
    assert json.loads((place / "release" / "manifest.json").read_text())["files"][0]["different"] == int(told[1])

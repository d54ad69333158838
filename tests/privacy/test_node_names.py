"""The judge of the names of topics, from the files alone: each word of a name must be published itself in enough records."""

from __future__ import annotations

import pytest

from shoal.data.bags import Bags
from shoal.data.release import Release
from shoal.privacy.node_names import BETWEEN, NodeNames


def standing(records: list[list[str]]) -> str:
    return NodeNames(people=3).check(Release.from_records(Bags.from_lists(records))).standing


@pytest.mark.parametrize(
    ("dogs", "cats", "expected"),
    [(3, 3, "verified"), (4, 3, "verified"), (3, 2, "not checkable"), (2, 3, "not checkable"), (0, 3, "not checkable")],
)
def test_words_of_a_name_are_counted_in_the_records(dogs: int, cats: int, expected: str) -> None:
    topic = BETWEEN.join(["cat", "dog", "horse"])
    assert standing([[topic], *[["dog"]] * dogs, *[["cat"]] * cats, *[["horse"]] * 3]) == expected


def test_records_without_a_name_of_a_topic_hold() -> None:
    assert standing([["dog"], ["cat"]]) == "verified"


@pytest.mark.parametrize("words", [["dog", "dog", "cat"], ["dog", "", "cat"]])
def test_names_that_no_topic_has_fail(words: list[str]) -> None:
    assert standing([[BETWEEN.join(words)], *[["dog", "cat"]] * 3]) == "fails"

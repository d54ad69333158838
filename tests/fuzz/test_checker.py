"""The checker itself: it must be able to object."""

from __future__ import annotations

from collections import Counter

import pytest

from helpers_checker import Case, Record, Tree, wrong_claims

TREE = Tree({"all": None, "fruit": "all", "apple": "fruit", "pear": "fruit", "flu": "all"})
RAW = [("ann", "apple"), ("bob", "pear"), ("cy", "apple"), ("di", "apple flu")]


def case(private: frozenset[str] = frozenset()) -> Case:
    bags = [Counter(items.split()) for _, items in RAW]
    return Case([Record(owner, tuple(items.split())) for owner, items in RAW], bags, TREE, private, frozenset({"flu"}), True)


def judged(claim: str, records: list[str], achieved: dict[str, int] | None = None, private: frozenset[str] = frozenset()) -> list[str]:
    manifest = {"claims": [{"model": claim, "holds": True, "achieved": achieved or {}}]}
    return wrong_claims(case(private), manifest, [Counter(record.split()) for record in records])


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        ("k-anonymity(k=2)", "fruit|fruit|apple|apple", "fruit|fruit|fruit|apple"),
        ("k-anonymity(k=2)", "fruit|fruit|apple|apple", "fruit|fruit|pear|pear"),
        ("vocabulary-k-anonymity(k=2)", "apple|apple|pear|pear", "apple|apple|apple|pear"),
        ("shared-terms(owners=2)", "apple|apple|fruit|fruit", "apple|pear|fruit|fruit"),
        ("coherence(h=1, k=3, p=2)", "apple||apple|apple", "apple|pear|apple|apple"),
        ("public-k-anonymity(k=4)", "|||", "apple||apple|apple"),
        ("sensitive-share(h=0.5)", "apple|apple|fruit|fruit", "apple|apple|fruit|flu"),
    ],
)
def test_each_claim_can_fail(claim: str, good: str, bad: str) -> None:
    smallest = {"records": 2} if "k-anonymity" in claim else {}
    assert not judged(claim, good.split("|"), smallest)
    assert judged(claim, bad.split("|"), smallest)


def test_a_private_item_that_is_given_away() -> None:
    flu = frozenset({"flu"})
    assert not judged("coherence(h=0.5, k=3, p=1)", ["apple", "", "apple", "apple flu"], private=flu)
    assert judged("coherence(h=0.3, k=3, p=1)", ["apple", "", "apple", "apple flu"], private=flu)


def test_lost_records_and_missing_claims() -> None:
    assert judged("vocabulary-k-anonymity(k=2)", ["apple", "apple"], {"records": 2})
    assert wrong_claims(case(), {"claims": []}, [Counter()] * 4)
    assert judged("vocabulary-k-anonymity(k=2)", ["apple"] * 4, {"records": 3})

"""The model rho-uncertainty: against every rule there is, and what it says of releases that are wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import on
from helpers.errors import refuses
from helpers.itemsets import bags_of
from helpers.rules import every_rule, greatest, sensitive_records
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release, Secret
from shoal.data.taxonomy import Taxonomy
from shoal.privacy.rho_uncertainty import RhoUncertainty

GOODS = {"goods": None, "food": "goods", "bread": "food", "milk": "food", "drugs": "goods", "insulin": "drugs", "aspirin": "drugs"}
TREE = Taxonomy.from_parents(GOODS, "lm")


def flat(n: int) -> Taxonomy:
    return Taxonomy.from_parents({"everything": None} | {f"i{i}": "everything" for i in range(n)}, "lm")


def released(before: Bags, after: Bags) -> Release:
    """A release in which every record is published in its own row."""
    rows = np.arange(len(before), dtype=np.int64)
    published = Bags(*after.rows, rows, after.vocabulary)
    return replace(Release.from_records(published), secret=Secret(rows))


def claim(rho: float, *sensitive: str, **more: Any) -> RhoUncertainty:
    return RhoUncertainty(rho=rho, sensitive=sensitive, **more)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=200)
@given(sensitive_records(), st.sampled_from([0, 0.25, 0.29, 0.5, 0.75]), st.one_of(st.none(), st.integers(0, 3)), st.booleans())
def test_verdict_and_greatest_certainty_are_those_of_all_rules(database: Any, rho: float, most: int | None, known: bool) -> None:
    rows, owners, sensitive, n = database
    bags = bags_of(rows, n, owners).relabelled(np.arange(1, n + 1, dtype=np.int32), flat(n).names)
    names = [f"i{i}" for i in sensitive]
    alone = list(range(len(rows)))
    rules = greatest(every_rule(rows, owners if known else alone, sensitive, most))
    verdict = claim(rho, *names, antecedent=most).check(released(bags, bags), Original.on(bags, flat(n)) if known else None)
    worst = max(rules.values(), default=Fraction(0))
    assert verdict.achieved == {"certainty": math.ceil(worst * 10**6) / 10**6}
    assert verdict.holds == (worst <= Fraction(str(rho)))
    assert len(verdict.rare) == min(5, sum(share > Fraction(str(rho)) for share in rules.values()))


def test_the_empty_set_is_a_set() -> None:
    """Three of four hold insulin, and nothing else is known."""
    bags = on(TREE, [["insulin"], ["insulin"], ["insulin"], ["bread"]])
    verdict = claim(0.7, "insulin").check(Release.from_records(bags))
    assert not verdict.holds
    assert verdict.achieved == {"certainty": 0.75}
    assert claim(0.75, "insulin").check(Release.from_records(bags)).holds


def test_a_sensitive_item_gives_another_away() -> None:
    """Aspirin is sensitive too, and whoever holds it holds insulin."""
    bags = on(TREE, [["insulin", "aspirin"], *[["bread"]] * 3])
    verdict = claim(0.5, "insulin", "aspirin").check(Release.from_records(bags))
    assert verdict.witnesses == ("2 sensitive items are revealed by known items with a confidence above 0.5",)
    assert "{aspirin} reveals 'insulin' with a confidence of 100%" in verdict.rare


def test_people_are_counted_where_they_are_known() -> None:
    """Of four records with bread one has insulin; three of the others are one person's, so it is one of two people."""
    bags = on(TREE, [["bread", "insulin"], ["bread"], ["bread"], ["bread"]], [0, 1, 1, 1])
    release = released(bags, bags)
    assert claim(0.4, "insulin").check(release).achieved == {"certainty": 0.25}
    verdict = claim(0.4, "insulin").check(release, Original.on(bags, TREE))
    assert not verdict.holds
    assert verdict.achieved == {"certainty": 0.5}


def test_records_count_too_where_people_own_several() -> None:
    """One of four people has insulin, but in three of six records with bread: whoever picks a record is right in half of the cases."""
    bags = on(TREE, [["bread", "insulin"]] * 3 + [["bread"]] * 3, [0, 0, 0, 1, 2, 3])
    verdict = claim(0.4, "insulin").check(released(bags, bags), Original.on(bags, TREE))
    assert verdict.achieved == {"certainty": 0.5}


def test_generalizing_may_raise_a_certainty() -> None:
    """Bread is bought by 1, 2 and 3, milk by 1, 2 and 4, insulin by 3 and 4; two others buy neither. Food tells more than either."""
    records = [["bread", "milk"], ["bread", "milk"], ["bread", "insulin"], ["milk", "insulin"], ["aspirin"], ["aspirin"]]
    bags = on(TREE, records)
    food = bags.relabelled(_generalized("food", "bread", "milk"), TREE.names, as_sets=True)
    assert claim(0.4, "insulin").check(Release.from_records(bags)).achieved == {"certainty": 0.333334}
    verdict = claim(0.4, "insulin").check(released(bags, food), Original.on(bags, TREE))
    assert not verdict.holds
    assert verdict.achieved == {"certainty": 0.5}


def _generalized(to: str, *items: str) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The code of all items, with some of them published as a node."""
    code = np.arange(len(TREE), dtype=np.int32)
    code[TREE.names.codes(list(items))] = TREE.names.codes([to])[0]
    return code


RECORDS = [["bread", "insulin"], ["bread"], ["milk", "aspirin"], ["milk"], ["bread"], ["milk"]]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (_generalized("food", "bread", "milk"), ""),
        (_generalized("drugs", "insulin"), "match nothing in their record"),
        (_generalized("drugs", "aspirin"), ""),
        (np.where(np.arange(len(TREE)) == TREE.names.codes(["insulin"])[0], -1, np.arange(len(TREE))).astype(np.int32), ""),
    ],
    ids=["others generalized", "a sensitive item generalized", "an item beside it generalized", "a sensitive item suppressed everywhere"],
)
def test_sensitive_items_are_never_generalized(code: Any, says: str) -> None:
    before = on(TREE, RECORDS)
    release = released(before, before.relabelled(code, TREE.names, as_sets=True))
    verdict = claim(0.6, "insulin").check(release, Original.on(before, TREE))
    assert verdict.holds == (not says), verdict
    assert says in "; ".join(verdict.witnesses)


def test_a_sensitive_item_is_not_suppressed_in_some_records_only() -> None:
    before = on(TREE, [*RECORDS, ["insulin"]])
    after = on(TREE, [*RECORDS, []])
    verdict = claim(0.6, "insulin").check(released(before, after), Original.on(before, TREE))
    assert verdict.witnesses == ("1 items that are private were changed",)


def test_repeated_items_are_knowledge() -> None:
    bags = on(TREE, [["bread", "bread", "insulin"], ["bread"], ["bread"]])
    verdict = claim(0.6, "insulin").check(Release.from_records(bags))
    assert verdict.witnesses == ("1 items are repeated in their record, but the number of repetitions is knowledge too",)


def test_a_claim_must_forbid_something() -> None:
    with refuses("out-of-range", value=1.0):
        claim(1, "insulin")
    with refuses("items-not-named"):
        RhoUncertainty(rho=0.5).check(Release.from_records(on(TREE, RECORDS)))

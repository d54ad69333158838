"""The kernels that search for rules, one of the judge and one of the methods, against every rule there is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.itemsets import bags_of
from helpers.rules import every_rule, greatest, sensitive_records
from shoal import _kernels, kernels
from shoal.data.bags import Bags
from shoal.errors import ParameterError
from shoal.itemsets import sensitive_rules
from shoal.itemsets.sensitive_rules import Certainty, breaching

Mask = np.ndarray[Any, np.dtype[np.bool_]]

limits = st.one_of(st.none(), st.integers(0, 4))


@settings(deadline=None, max_examples=400)
@given(sensitive_records(), limits, st.integers(1, 3))
def test_the_judge_finds_the_greatest_certainty_of_every_sensitive_item(database: Any, most: int | None, threads: int) -> None:
    rows, owners, sensitive, n = database
    order = np.argsort(owners, kind="stable")
    bags = bags_of([rows[i] for i in order], n)
    repeat = len(set(owners)) < len(owners)
    found = kernels.run(
        _kernels.greatest_certainty,
        bags.view,
        np.arange(len(rows)),
        np.array(owners, np.int64)[order] if repeat else np.zeros(0, np.int64),
        np.ones(n, np.uint8),
        np.isin(np.arange(n), list(sensitive)).astype(np.uint8),
        -1 if most is None else most,
        threads,
        label="judging",
    )
    rules = every_rule(rows, owners, sensitive, most)
    assert {hidden: Fraction(holders, cohort) for _, hidden, holders, cohort in found["rules"]} == greatest(rules)
    for known, hidden, holders, cohort in found["rules"]:
        assert rules[frozenset(known.tolist()), hidden] == Fraction(holders, cohort)


def found_rules(
    bags: Bags, hidden: Mask, first: Mask | None, limit: Fraction, size: int, most: int = 10**9, largest: int = 0
) -> dict[str, Any]:
    """What the methods' kernel finds; records come sorted by owner."""
    question = _kernels.RuleQuestion(
        size=size, largest=max(size, largest), numerator=limit.numerator, denominator=limit.denominator, most=most, work=10**9
    )
    owners = bags.owners if bags.owners_repeat else np.zeros(0, np.int64)
    marks = np.zeros(0, np.uint8) if first is None else first.astype(np.uint8)
    found: dict[str, Any] = kernels.run(_kernels.breaching_rules, bags.view, owners, hidden.astype(np.uint8), marks, question, 2, label="")
    pairs = zip(np.split(found["items"], found["start"][1:-1]), found["hidden"].tolist(), strict=False)
    return found | {"rules": [(frozenset(together.tolist()) - {item}, item) for together, item in pairs]}


@settings(deadline=None, max_examples=400)
@given(sensitive_records(), st.sampled_from(["0", "0.2", "0.5", "2/3", "1"]), st.integers(0, 4), st.booleans())
def test_the_methods_find_every_rule_of_a_size_that_breaches_the_limit(database: Any, text: str, size: int, some: bool) -> None:
    rows, owners, sensitive, n = database
    order = np.argsort(owners, kind="stable")
    bags = bags_of([rows[i] for i in order], n, np.array(owners, np.int64)[order])
    limit, hidden = Fraction(text), np.isin(np.arange(n), list(sensitive))
    first = np.arange(n) % 2 == 0 if some else None
    rules = {
        rule: share
        for rule, share in every_rule(rows, owners, sensitive).items()
        if share > limit and (first is None or any(first[item] for item in rule[0]))
    }
    found = found_rules(bags, hidden, first, limit, size)
    wanted = {rule for rule in rules if len(rule[0]) == size}
    assert found["complete"]
    assert len(found["rules"]) == len(set(found["rules"]))
    if size == 0 and some:
        return
    assert set(found["rules"]) == wanted
    assert found["size"] == size
    if not wanted and any(len(known) > size for known, _ in rules):
        assert found["may_be_longer"]
    first_with_rules(bags, hidden, first, limit, size, rules)


def first_with_rules(bags: Bags, hidden: Mask, first: Mask | None, limit: Fraction, size: int, rules: dict[Any, Any]) -> None:
    """In one call the kernel goes on to the smallest size from here on that has a rule."""
    sizes = [len(rule[0]) for rule in rules if len(rule[0]) >= size]
    found = found_rules(bags, hidden, first, limit, size, largest=100)
    assert set(found["rules"]) == {rule for rule in rules if len(rule[0]) == min(sizes, default=-1)}
    assert not sizes or found["size"] == min(sizes)


def test_a_search_that_would_look_at_too_many_sets_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bags = bags_of([{0, 1, 2, 3, 4}, {0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}], 5)
    hidden = np.array([False, False, False, False, True])
    assert breaching(bags, hidden, Certainty(0.9), 1, or_longer=True).size == 4
    monkeypatch.setattr(sensitive_rules, "MOST_WORK", 10)
    with pytest.raises(ParameterError) as refused:
        breaching(bags, hidden, Certainty(0.9), 1, or_longer=True)
    assert refused.value.code == "too-many-itemsets"


def test_rules_are_left_out_where_too_many_are_found() -> None:
    bags = bags_of([{0, 1, 2, 3, 4}], 5)
    hidden = np.array([False, False, False, True, True])
    found = found_rules(bags, hidden, None, Fraction(1, 2), 1, most=1)
    assert not found["complete"]
    assert len(found["rules"]) == 5

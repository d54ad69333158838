"""Items of different identifying weight: an attacker with a budget, judged by brute force, and broken releases that must be noticed."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.cli import Shell, failed
from helpers.errors import refuses
from helpers.itemsets import Sets, bags_of, databases, is_mole
from shoal.data.bags import Bags
from shoal.data.item_costs import ItemCosts
from shoal.data.release import Release
from shoal.errors import Infeasible
from shoal.itemsets.itemset_support import PRIVATE, PUBLIC, Power
from shoal.methods import Cohesion, coherence
from shoal.privacy import MODELS, Coherence
from shoal.privacy.evidence.affordable_sets import count_affordable_sets
from shoal.privacy.evidence.claimed_item_roles import Roles
from shoal.privacy.evidence.known_sets import AttackerKnowledge, Holders
from shoal.taxonomy.place_terms import as_typed

COSTS = ["0.5", "0.75", "1", "1", "1.5", "2", "9"]
costs_of_items = st.lists(st.sampled_from(COSTS), min_size=8, max_size=8)


def unsafe_sets(rows: Sets, owners: list[int], parts: list[int], power: Power, costs: list[Fraction]) -> list[tuple[int, ...]]:
    """All sets within the budget that tell too much, by the definition."""
    public = [item for item, part in enumerate(parts) if part == PUBLIC]
    private = [item for item, part in enumerate(parts) if part == PRIVATE]
    known = (chosen for size in range(len(public) + 1) for chosen in combinations(public, size))
    return [one for one in known if sum(costs[i] for i in one) <= power.p and is_mole(rows, owners, one, private, power)]


@settings(deadline=None, max_examples=200)
@given(databases(most_items=6, most_records=14), st.integers(2, 4), st.integers(1, 3), st.sampled_from([0.2, 0.5, 1.0]), costs_of_items)
def test_the_judge_finds_what_brute_force_finds(database: Any, k: int, p: int, h: float, typed: list[str]) -> None:
    rows, owners, parts = database
    assume(rows)
    costs = [Fraction(cost) for cost in typed[: len(parts)]]
    public, private = (np.array([part == wanted for part in parts]) for wanted in (PUBLIC, PRIVATE))
    order = np.argsort(owners, kind="stable")
    repeated = len(set(owners)) < len(owners)
    holders = Holders(
        bags_of([sorted(row) for row in rows], len(parts)), order, np.array(owners)[order] if repeated else np.zeros(0, np.int64)
    )
    counted = count_affordable_sets(holders, Roles(public, private), AttackerKnowledge(k, p, Fraction(str(h))), costs)
    expected = unsafe_sets(rows, owners, parts, Power(h, k, p), costs)
    assert (counted.unsafe > 0) == bool(expected)
    if expected:
        smallest = min(map(len, expected))
        assert (counted.size, counted.unsafe) == (smallest, sum(len(one) == smallest for one in expected))


@settings(deadline=None, max_examples=100)
@given(databases(most_items=6, most_records=14), st.integers(2, 3), st.integers(1, 2), st.sampled_from([0.5, 1.0]), costs_of_items)
def test_the_method_leaves_no_unsafe_set_and_suppresses_nothing_needlessly(
    database: Any, k: int, p: int, h: float, typed: list[str]
) -> None:
    rows, owners, parts = database
    parts = [PUBLIC if part != PRIVATE else part for part in parts]
    names = [f"i{n}" for n in range(len(parts))]
    held = [(row, owner) for row, owner in zip(rows, owners, strict=True) if row]
    assume(len({owner for _, owner in held}) >= k)
    lists = [[names[item] for item in sorted(row)] for row, _ in held]
    occurring = sorted({name for row in lists for name in row})
    private = {name for name, part in zip(names, parts, strict=True) if part == PRIVATE and name in occurring} or None
    costs = {name: cost for name, cost in zip(names, typed, strict=False) if name in occurring}
    original = as_typed(Bags.from_lists(lists, [owner for _, owner in held]), as_sets=True)
    try:
        release = Cohesion(h=h, k=k, p=p, private=private, costs=costs).apply(original)
    except Infeasible:
        return
    assert all(claim.check(release, original).holds for claim in release.claims)
    assert release.secret is not None
    shown = [frozenset(names.index(name) for name in release.published.record(row)) for row in release.secret.rows().tolist()]
    exact = [Fraction(cost) for cost in typed[: len(parts)]]
    assert not unsafe_sets(shown, [owner for _, owner in held], parts, Power(h, k, p), exact)
    gone = {names.index(name) for name in occurring} - set().union(*shown)
    for item in gone:  # put back alone, each of them makes a set unsafe
        again = [row | ({item} & before) for row, (before, _) in zip(shown, held, strict=True)]
        assert unsafe_sets(again, [owner for _, owner in held], parts, Power(h, k, p), exact)


def test_costs_of_one_are_the_plain_model() -> None:
    rows = bags_of([[0, 1], [0, 1], [0, 2], [1, 2]], 3)
    release = Release.of_bags(rows, np.ones(4, np.int64))
    for k in (2, 3):
        plain, priced = Coherence(h=1.0, k=k, p=2), Coherence(h=1.0, k=k, p=2, costs={})
        assert plain.check(release).holds == priced.check(release).holds
        assert plain.check(release).achieved == priced.check(release).achieved


def test_a_claim_is_read_back_with_its_costs() -> None:
    claim = Coherence(h=0.4, k=5, p=3, costs={"a|b=c": 2, "d": "0.25"})
    assert MODELS.make(str(claim)) == claim
    assert claim.costs is not None
    assert claim.costs.exact == {"a|b=c": Fraction(2), "d": Fraction(1, 4)}
    for wrong in ({"a": 0}, {"a": -1}, {"a": "much"}):
        with refuses("out-of-range") as raised:
            ItemCosts.made_of(wrong)
        assert "the cost of an item must be a positive number" in str(raised.value)
    with refuses("wrong-type"):
        ItemCosts.made_of(["a"])


BASKETS = "".join(
    f"{a},{b},{c}\n" if n % 3 else f"{a},{b}\n" for n, (a, b, c) in enumerate((f"i{n % 3}", f"j{n % 4}", f"k{n % 5}") for n in range(60))
)


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.file("baskets.txt", BASKETS)
    shell.file("costs.tsv", "".join(f"j{n}\t5\n" for n in range(4)) + "k0\t0.5\n")
    return shell


def released(shop: Shell, *words: str) -> dict[str, Any]:
    shared = ("--format", "transactions", "--method", "coherence", "--h", "1", "--k", "9", "--to", "csv", "--out", "release", "--force")
    done = shop("anonymize", "baskets.txt", *shared, *words)
    assert done.code == 0, done.err
    return json.loads((shop.directory / "release" / "manifest.json").read_text())  # type: ignore[no-any-return]


def test_a_dear_item_needs_less_protection(shop: Shell) -> None:
    plain = released(shop, "--p", "2")["accounting"]["occurrences"]
    priced = released(shop, "--p", "2", "--costs", "costs.tsv")
    assert priced["accounting"]["occurrences"]["kept"] > plain.get("kept", 0)
    assert "costs:" in priced["claims"][0]["model"]
    assert shop("audit", "release", "--original", "baskets.txt").code == 0
    assert shop("audit", "release").code == 0


@pytest.mark.parametrize("lie", ["i0,i1,i2", "i0,k1", "j0,k1,k2"])
def test_a_changed_release_is_noticed(shop: Shell, lie: str) -> None:
    released(shop, "--p", "2", "--costs", "costs.tsv")
    table = shop.directory / "release" / "records.csv"
    lines = table.read_text().splitlines()
    lines[1] = f"{lines[1].split(',')[0]},{lie.replace(',', ';')}"
    table.write_text("\n".join(lines) + "\n")
    assert shop("audit", "release", "--original", "baskets.txt").code != 0


def test_lower_costs_break_the_claim(shop: Shell) -> None:
    released(shop, "--p", "2", "--costs", "costs.tsv")
    claim = "coherence(h=1, k=9, p=2)"
    assert shop("audit", "release/records.csv", "--claim", claim).code == 3
    dear = "coherence(h=1, k=9, p=2, costs=costs.tsv)"
    assert shop("audit", "release/records.csv", "--claim", dear).code == 0


def test_what_is_refused(shop: Shell) -> None:
    words = ("anonymize", "baskets.txt", "--format", "transactions", "--method", "coherence", "--out", "release")
    shop.file("strange.tsv", "nothing\t2\n")
    failed(shop(*words, "--costs", "strange.tsv"), "items-not-in-data")
    failed(shop(*words, "--costs", "costs.tsv", "--generalize", "--taxonomy", "generated"), "options-conflict")


def only_single_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coherence, "within_budget", lambda costs, budget: 1)


def everything_costs_twice_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    true = coherence.costs_by_item
    monkeypatch.setattr(coherence, "costs_by_item", lambda costs, names: [2 * cost for cost in true(costs, names)])


def cheap_items_cost_one(monkeypatch: pytest.MonkeyPatch) -> None:
    true = coherence.costs_by_item
    monkeypatch.setattr(coherence, "costs_by_item", lambda costs, names: [max(cost, Fraction(1)) for cost in true(costs, names)])


@pytest.mark.parametrize("breaks", [only_single_items, everything_costs_twice_as_much, cheap_items_cost_one])
def test_a_broken_method_writes_nothing(shop: Shell, monkeypatch: pytest.MonkeyPatch, breaks: Any) -> None:
    shop.file("costs.tsv", "".join(f"{item}\t0.5\n" for item in ("i0", "i1", "i2", "j0", "j1", "k0", "k1")))
    shared = ("--format", "transactions", "--method", "coherence", "--h", "1", "--k", "4", "--p", "1", "--costs", "costs.tsv")
    assert shop("anonymize", "baskets.txt", *shared, "--out", "honest").code == 0
    breaks(monkeypatch)
    done = shop("anonymize", "baskets.txt", *shared, "--out", "broken")
    assert done.code == 3
    assert not (shop.directory / "broken").exists()

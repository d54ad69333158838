"""What SuppressControl and TDControl owe on random records: the claim by every rule there is, and how they compare."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.data import numbered, numbers_of, on, trees, under_floor
from helpers.data import tree as tree_of
from helpers.errors import refuses
from helpers.rules import every_rule, greatest
from shoal.data.bags import Bags
from shoal.data.claims import Model
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.data.taxonomy import Taxonomy
from shoal.errors import Infeasible
from shoal.itemsets.sensitive_rules import Certainty, breaching, suppressed, sweep, without
from shoal.itemsets.top_down_cut import specialized
from shoal.methods.bases.rho_uncertainty import InferenceMethod
from shoal.methods.suppress_control import SuppressControl
from shoal.methods.td_control import TDControl

Problem = tuple[Bags, Taxonomy, list[int]]


@st.composite
def problems(draw: Any) -> Problem:
    """Records over the nodes of a random tree, and which of these are sensitive."""
    tree = tree_of(draw(trees(10)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size, density = draw(st.integers(1, 24)), draw(st.sampled_from([0.15, 0.3, 0.6]))
    records = [np.flatnonzero(rng.random(len(tree)) < density).tolist() for _ in range(size)]
    owners = rng.integers(0, max(1, size // 2), size).tolist() if draw(st.booleans()) else None
    bags = numbered(tree, records, owners)
    held = np.unique(bags.items).tolist()
    assume(held)
    return bags, tree, draw(st.lists(st.sampled_from(held), min_size=1, max_size=3, unique=True))


methods = st.builds(
    lambda kind, rho, most, weight: (kind, {"rho": rho, "antecedent": most, "weight": weight}),
    st.sampled_from([SuppressControl, TDControl]),
    st.sampled_from([0.0, 0.2, 0.29, 0.5, 0.6, 0.8]),
    st.sampled_from([None, None, 1, 2]),
    st.sampled_from([1, 5, 100]),
)


def released(method: InferenceMethod, bags: Bags, tree: Taxonomy) -> Release | None:
    try:
        return method.apply(Original.on(bags, tree))
    except Infeasible as error:
        assert "nothing is left to publish" in error.message
        return None


def mask(tree: Taxonomy, items: list[int]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.isin(np.arange(len(tree)), items)


@settings(deadline=None, max_examples=250)
@given(problems(), methods, st.sampled_from([1, 1, 2, 3]))
def test_no_rule_of_a_release_is_too_certain(problem: Problem, asked: Any, level: int) -> None:
    bags, plain, sensitive = problem
    kind, values = asked
    tree = under_floor(plain, level)
    release = released(kind(sensitive=[tree.names[i] for i in sensitive], **values), bags, tree)
    if release is None:
        return
    (claim,) = release.claims
    assert isinstance(claim, Model)
    verdict = claim.check(release, Original.on(bags, tree))
    assert verdict.holds, verdict
    assert claim.check(Release.from_records(release.published.select(release.shuffled_rows()))).holds
    assert tree.barred is None or not tree.barred[release.published.items].any()
    assert release.secret is not None
    rows = release.secret.rows()
    shown = np.flatnonzero(rows >= 0)
    after = [frozenset(record) for record in numbers_of(release.published.select(rows[shown]))]
    worst = greatest(every_rule(after, bags.owners[shown].tolist(), sensitive, values["antecedent"]))
    assert all(share <= Fraction(str(values["rho"])) for share in worst.values())
    before = [set(record) for record in numbers_of(bags.select(shown))]
    for old, new in zip(before, after, strict=True):  # what is published is there, or stands for an item below it that is not sensitive
        assert all(node in old or any(node < item < tree.end[node] and item not in sensitive for item in old) for node in new)


@settings(deadline=None, max_examples=150)
@given(problems(), st.sampled_from([0.2, 0.5, 0.7]), st.booleans())
def test_one_upward_sweep_suffices_and_suppression_creates_no_rule(problem: Problem, rho: float, plain: bool) -> None:
    bags, tree, sensitive = problem
    loss = np.bincount(bags.items, minlength=len(tree)).astype(np.int64)
    nothing, hidden = np.zeros(len(tree), bool), mask(tree, sensitive)
    state = sweep(bags, hidden, loss, Certainty(rho), nothing, plain=plain)
    after = [frozenset(record) for record in numbers_of(without(bags, state.removed))]
    owners = bags.owners.tolist()
    before = every_rule([frozenset(record) for record in numbers_of(bags)], owners, sensitive)
    for rule, share in every_rule(after, owners, sensitive).items():
        assert share <= Fraction(str(rho))
        assert share == before[rule]


@settings(deadline=None, max_examples=150)
@given(problems(), st.sampled_from([0.2, 0.5, 0.7]), st.sampled_from([1, 7]))
def test_the_best_is_never_worse_than_the_printed_the_trivial_and_suppression_alone(problem: Problem, rho: float, weight: int) -> None:
    bags, tree, sensitive = problem
    hidden = mask(tree, sensitive)
    worth = np.where(hidden, weight, 1).astype(np.int64)
    loss = np.bincount(bags.items, minlength=len(tree)) * worth
    gone = suppressed(bags, hidden, loss, Certainty(rho))
    assert loss[gone].sum() <= loss[hidden].sum()
    printed = sweep(bags, hidden, loss, Certainty(rho), np.zeros(len(tree), bool), plain=True).removed
    assert loss[gone].sum() <= loss[printed].sum()
    cut = specialized(bags, tree, hidden, worth, Certainty(rho))
    alone = (loss * (tree.units - tree.unit_losses))[gone].sum()
    assert cut.loss <= alone


GOODS = {"goods": None, "food": "goods", "bread": "food", "milk": "food", "other": "goods", "soap": "other", "insulin": "other"}


def test_an_item_above_the_base_rate_goes_and_is_counted() -> None:
    tree = Taxonomy.from_parents(GOODS, "lm")
    bags = on(tree, [["bread", "insulin"], ["milk", "insulin"], ["milk", "insulin"], ["bread"]])
    for kind in (SuppressControl, TDControl):
        release = kind(rho=0.6, sensitive=["insulin"], weight=1000).apply(Original.on(bags, tree))  # type: ignore[arg-type]
        assert release.accounting is not None
        assert release.accounting.occurrences["suppressed"] == 3
        assert not release.notes
        assert release.private_notes[0].startswith("1 of 1 sensitive items were suppressed")
        assert "insulin" not in str(release.claims)


def test_the_cut_goes_past_a_node_that_tells_more_than_its_children() -> None:
    """Bread is bought by 1, 2 and 3, milk by 1, 2 and 4, insulin by 3 and 4, soap by 5 and 6: food gives insulin away with 1/2, the
    root and the items with 1/3 each. At rho 0.4 all is published as it is, and a search that stops at food would lose some of it."""
    tree = Taxonomy.from_parents(GOODS, "lm")
    bags = on(tree, [["bread", "milk"], ["bread", "milk"], ["bread", "insulin"], ["milk", "insulin"], ["soap"], ["soap"]])
    hidden = mask(tree, tree.names.codes(["insulin"]).tolist())
    code = np.arange(len(tree), dtype=np.int32)
    code[tree.names.codes(["bread", "milk"])] = tree.names.codes(["food"])[0]
    general = bags.relabelled(code, tree.names, as_sets=True)
    assert len(breaching(general, hidden, Certainty(0.4), 1).rules) == 1
    assert not any(len(breaching(bags, hidden, Certainty(0.4), size).rules) for size in range(3))
    release = TDControl(rho=0.4, sensitive=["insulin"]).apply(Original.on(bags, tree))  # type: ignore[arg-type]
    assert release.accounting is not None
    assert release.accounting.occurrences["kept"] == bags.occurrences


def test_generalizing_keeps_what_suppression_would_lose() -> None:
    """Rye gives insulin away with 1/2, bread with 1/11: at rho 0.4 suppression loses rye, and generalizing three of 103 for each bread."""
    parents = {"goods": None, "bread": "goods", "insulin": "goods"} | dict.fromkeys(["rye", "spelt", "oat", "corn"], "bread")
    tree = Taxonomy.from_parents(parents | {f"x{i}": "goods" for i in range(99)}, "lm")
    bags = on(tree, [["rye", "insulin"], ["rye"], *([kind] for kind in ("spelt", "oat", "corn") for _ in range(3))])
    original = Original.on(bags, tree)
    alone = SuppressControl(rho=0.4, sensitive=["insulin"], weight=100).apply(original)  # type: ignore[arg-type]
    assert alone.published.occurrences == 10
    release = TDControl(rho=0.4, sensitive=["insulin"], weight=100).apply(original)  # type: ignore[arg-type]
    assert release.accounting is not None
    assert release.accounting.occurrences["kept"] == 1
    assert release.accounting.occurrences["generalized"] == 11


def test_what_cannot_be_is_explained() -> None:
    tree = Taxonomy.from_parents(GOODS, "lm")
    original = Original.on(on(tree, [["insulin"], ["soap"], []]), tree)
    for kind in (SuppressControl, TDControl):
        with refuses("nothing-to-publish"):
            kind(rho=0, sensitive=["insulin", "soap"]).apply(original)  # type: ignore[arg-type]
        with refuses("items-not-named"):
            kind().apply(original)
        with refuses("out-of-range", value=1.0):
            kind(rho=1)
        with refuses("items-not-in-data", items=["rum"]):
            kind(sensitive=["rum"]).apply(original)  # type: ignore[arg-type]

"""The model of sensitive shares: its own eyes, compared with the method's, and what it says where it cannot count."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.data import food, on, on_nodes
from helpers.errors import refuses
from shoal.data.release import Release
from shoal.itemsets import sensitive_nodes as player
from shoal.privacy import MODELS
from shoal.privacy import sensitive_share as judge
from shoal.privacy.sensitive_share import SensitiveShare

WORDS = [
    "beer",
    "Beers",
    "BEER",
    "be er",
    "b\u00e8er",
    "b-e.e_r",
    "mice",
    "mouse",
    "berry",
    "berries",
    "stra\u00dfe",
    "STRASSE",
    "\ufb01sh",
]


def judges_keys(name: str) -> set[str]:
    return set(judge._keys(pl.Series([name], dtype=pl.String))["key"].to_list())


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.sampled_from(WORDS), st.text(st.characters(blacklist_categories=("Cs", "Cn")), max_size=8)))
def test_judge_and_method_compare_names_alike(name: str) -> None:
    nouns = {key for key in judges_keys(name) if key.startswith("noun ")}
    assert judges_keys(name) - nouns == player.spellings(name)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Zyprexol", "zyprexol", True),
        ("bottled  Beers", "bottled_beer", True),
        ("caf\u00e9", "CAFE", True),
        ("mice", "mouse", True),
        ("zyprexol (unlisted)", "Zyprexol", True),
        ("beer", "beer (group)", False),
        ("gas", "ga", False),
        ("bank", "bank#4", False),
    ],
)
def test_which_spellings_are_one_name(one: str, other: str, same: bool) -> None:
    assert bool(judges_keys(one) & judges_keys(other)) == same


def test_without_groups_a_claim_is_not_said_to_hold() -> None:
    bags = on(food(), [["Apple"], ["Milk"]])
    release = Release.from_records(bags)
    for original in (None, on_nodes(bags, food())):
        verdict = SensitiveShare(items={"apples"}).check(release, original)
        assert not verdict.holds and verdict.achieved["named"] == 1
    for original, names in ((None, {"Beef"}), (on_nodes(on(food(), [["Beef"], ["Milk"]]), food()), {"Beef"})):
        verdict = SensitiveShare(items=names).check(release, original)
        assert verdict.unchecked and verdict.as_dict()["holds"] is None and verdict.achieved["named"] == 0


def test_a_claim_without_names_is_not_said_to_hold() -> None:
    sealed = MODELS.make(str(SensitiveShare(h=0.4, items={"Milk", "Beef"})))
    assert sealed.items.unnamed and str(sealed) == "sensitive-share(h=0.4, items=unnamed)"
    verdict = sealed.check(Release.from_records(on(food(), [["Milk"]])))
    assert verdict.as_dict()["holds"] is None and verdict.achieved == {}


def test_names_that_are_not_in_the_original_are_refused() -> None:
    bags = on(food(), [["Apple"], ["Milk"]])
    with refuses("items-not-in-data"):
        SensitiveShare(items={"Apple", "Zyprexol"}).check(Release.from_records(bags), on_nodes(bags, food()))


@pytest.mark.parametrize(
    "node", ["plain", "with blanks", "a, b", "a (b)", 'say "x"', "back\\slash", " edge ", "k=5", "items:a|b", "50%25", ")", '"']
)
def test_every_nodes_name_survives_the_text_of_a_claim(node: str) -> None:
    model = SensitiveShare(h=0.25, items=f"under:{node}")
    assert MODELS.make(str(model)) == model


def test_with_the_original_a_class_that_must_hold_the_item_fails() -> None:
    """Three records say Dairy and Apple; of the records that fit only one has no Milk, so two of the three hold it."""
    original = on(food(), [["Milk", "Apple"], ["Milk", "Apple"], ["Milk", "Apple"], ["Cheese", "Apple"], ["Beef"], ["Beef"], ["Beef"]])
    release = Release.from_records(on(food(), [["Dairy", "Apple"]] * 3 + [["Beef"]] * 3))
    model = SensitiveShare(h=0.5, items={"Milk"})
    verdict = model.check(release, on_nodes(original, food()))
    assert not verdict.holds and verdict.achieved == {"h_at_least": 0.666666, "named": 0}
    looser = SensitiveShare(h=0.7, items={"Milk"}).check(release, on_nodes(original, food()))
    assert looser.holds and looser.unchecked
    wider = Release.from_records(on(food(), [["Apple"]] * 2 + [["Beef"]] * 3))
    assert model.check(wider, on_nodes(original, food())).unchecked


def test_a_release_may_not_name_other_items_than_its_method() -> None:
    assert not SensitiveShare(h=0.5, items={"Milk"}).keeps(SensitiveShare(h=0.5, items={"Beef"}))
    assert SensitiveShare(h=0.5, items={"Milk"}).keeps(SensitiveShare(h=0.5, items={"Milk"}))

"""The form in which words are published: spellings, the root and unlisted terms; and that the shares of every release add up to one."""

from __future__ import annotations

import json

import numpy as np
import pytest

from helpers.cli import Shell
from shoal.data.bags import Bags
from shoal.data.occurrence_forms import Forms, forms_of
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.taxonomy.place_terms import place_terms
from shoal.taxonomy.wordnet import wordnet

FOOD = {"Food": None, "Fruit": "Food", "Apple": "Fruit", "Pear": "Fruit", "Meat": "Food", "Red meat": "Meat", "Beef": "Red meat"}
SHARES = ("kept", "one_level", "categories", "at_root", "replaced", "suppressed")


def found(records: list[list[str]], published: list[list[str]], original: Original | None = None) -> Forms:
    given = original or place_terms(Bags.from_lists(records), Taxonomy.from_parents(FOOD), scope="whole")
    names = given.tree.names
    shown = Bags.from_lists(published)
    return forms_of(given, shown.relabelled(names.codes(shown.vocabulary.names), names), np.arange(len(records)))


def test_each_occurrence_has_one_form() -> None:
    forms = found([["Apple", "Pear", "Beef", "Beef", "Beef"]], [["Apple", "Fruit", "Meat", "Food"]])
    assert forms == Forms(typed=1, renamed=0, parent=1, category=1, top=1)
    assert forms.published == 4


def test_the_most_specific_assignment_is_taken() -> None:
    """Fruit could stand for either; the apple is published as typed, so it stands for the pear."""
    assert found([["Apple", "Pear"]], [["Apple", "Fruit"]]) == Forms(typed=1, renamed=0, parent=1, category=0, top=0)


def test_the_root_is_no_parent() -> None:
    """Fruit is a child of the root, and still nothing is told of it."""
    assert found([["Fruit"]], [["Food"]]) == Forms(typed=0, renamed=0, parent=0, category=0, top=1)


def test_unlisted_terms_have_no_parent() -> None:
    original = place_terms(Bags.from_lists([["traclind", "gobrana"]]), Taxonomy.from_parents(FOOD), scope="whole")
    assert original.tree.unlisted is not None
    unlisted = original.tree.names[original.tree.unlisted]
    assert found([[]], [["traclind", unlisted]], original) == Forms(typed=1, renamed=0, parent=0, category=0, top=1)


def test_another_spelling_is_not_as_typed() -> None:
    original = place_terms(Bags.from_lists([["automobile", "cars", "car", "dog"]]), wordnet())
    assert found([[]], [["car", "car", "car", "dog"]], original) == Forms(typed=2, renamed=2, parent=0, category=0, top=0)
    assert found([[]], [["car", "dog"]], original) == Forms(typed=2, renamed=0, parent=0, category=0, top=0)


ITEMS = ("Apple", "Pear", "Beef", "Fruit", "Traclind")


@pytest.fixture
def baskets(shell: Shell) -> Shell:
    rng = np.random.default_rng(5)
    shell.file("tree.tsv", "".join(f"{child}\t{parent}\n" for child, parent in FOOD.items() if parent))
    lines = (",".join(rng.choice(ITEMS, rng.integers(1, 4), replace=False)) for _ in range(60))
    shell.file("baskets.txt", "\n".join(lines) + "\n")
    return shell


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "shoal"],
        ["--method", "clump", "--bag"],
        ["--method", "partition"],
        ["--method", "partition", "--publish-as", "set"],
        ["--method", "partition", "--publish-as", "lcg", "--unknown", "drop"],
        ["--method", "coherence"],
        ["--method", "coherence", "--generalize"],
        ["--method", "tds"],
        ["--method", "ssc"],
        ["--method", "ssc", "--typical", "members"],
    ],
    ids=" ".join,
)
def test_the_shares_of_every_method_add_up(baskets: Shell, options: list[str]) -> None:
    place = baskets.directory
    words = ("anonymize", place / "baskets.txt", "--format", "transactions", "--taxonomy", place / "tree.tsv", "--k", "3", "--json")
    answer = baskets(*words, *options, "--out", place / "release")
    assert answer.code == 0, answer
    manifest = json.loads(answer.out)
    account, metrics = manifest["accounting"]["occurrences"], manifest["metrics"]
    dropped = sum(n for part, n in account.items() if part.startswith("dropped"))
    replaced = account.get("replaced", 0) / (account["in"] - dropped)
    assert sum(metrics.get(name, 0) for name in SHARES) + replaced == pytest.approx(1, abs=1e-12)
    assert next(iter(metrics)) == "kept"  # what is left of the words comes first, losses after it
    assert list(metrics).index("suppressed") < list(metrics).index("loss")

"""Contracts of methods and models are held against them: what they must say, what they take, what they publish."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from helpers.data import food, on
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.claims import Model, Verdict
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.errors import GuaranteeNotMet
from shoal.methods import Method
from shoal.methods.clump import Clump
from shoal.methods.coherence import Cohesion
from shoal.methods.shoal import Shoal
from shoal.methods.tds import TopDownSpecialization
from shoal.pipeline.contract import made_by
from shoal.taxonomy.place_terms import as_typed, place_terms
from shoal.taxonomy.wordnet import wordnet

BASKETS = [["Apple", "Beef"]] * 4


def test_an_empty_method_cannot_be_made() -> None:
    @dataclass(frozen=True)
    class Empty(Method):
        """Nothing."""

        name = "empty"
        paper = "none"

    with pytest.raises(TypeError, match="abstract"):
        Empty()  # type: ignore[abstract]


@pytest.mark.parametrize("missing", ["name", "paper"])
def test_a_method_says_what_it_is(missing: str) -> None:
    members = {"name": "some", "paper": "some", "claims": lambda self: (), "apply": lambda self, original: None}
    del members[missing]
    kind = dataclass(frozen=True)(type("Some", (Method,), members))
    with pytest.raises(TypeError, match=f"Some must define {missing}"):
        kind()


@pytest.mark.parametrize("missing", ["name", "protects", "does_not_protect", "limits", "judge"])
def test_a_model_says_what_it_is(missing: str) -> None:
    def judge(self: Model, release: Release, original: Original | None) -> Verdict:
        return Verdict("some", "verified", {})

    members = {"name": "some", "protects": "a", "does_not_protect": "b", "limits": "c", "judge": judge}
    del members[missing]
    kind = dataclass(frozen=True)(type("Some", (Model,), members))
    with pytest.raises(TypeError, match=missing):
        kind()


@dataclass(frozen=True)
class Silent(Clump):
    """Claims nothing."""

    name = "silent"

    def claims(self) -> tuple[Model, ...]:
        return ()


@dataclass(frozen=True)
class Frank(Silent):
    """Claims nothing and says so."""

    name = "frank"
    guarantees_nothing = True
    does_not_protect = "anybody"


def test_a_method_that_claims_nothing_is_refused_unless_it_says_so() -> None:
    original = Original.on(on(food(), BASKETS), food())
    with pytest.raises(GuaranteeNotMet, match="the method silent claims nothing"):
        made_by(Silent(k=2), original)
    assert made_by(Frank(k=2), original).claims == ()


def test_a_method_that_guarantees_nothing_says_what_it_does_not_protect_and_claims_nothing() -> None:
    @dataclass(frozen=True)
    class Vague(Frank):
        """Does not say what it leaves open."""

        does_not_protect = ""

    @dataclass(frozen=True)
    class Boasting(Clump):
        """Guarantees nothing, and claims something."""

        guarantees_nothing = True
        does_not_protect = "anybody"

    original = Original.on(on(food(), BASKETS), food())
    for method in (Vague(k=2), Boasting(k=2)):
        with pytest.raises(GuaranteeNotMet, match="must make no claim and declare what it does not protect"):
            made_by(method, original)


@pytest.mark.parametrize("method", [Cohesion(k=2), TopDownSpecialization(k=2)], ids=lambda method: method.name)
def test_a_method_of_sets_refuses_bags(method: Method) -> None:
    bags = as_typed(Bags.from_lists([["a", "a"]] * 3))
    with refuses("repeated-items"):
        made_by(method, bags)
    assert made_by(method, as_typed(Bags.from_lists([["a", "a"]] * 3), as_sets=True)).n_records == 3


def test_a_method_that_needs_a_taxonomy_refuses_records_without_one() -> None:
    original = as_typed(Bags.from_lists(BASKETS))
    for method in (Clump(k=2), Shoal(k=2), Cohesion(k=2, generalize=True)):
        with refuses("needs-taxonomy"):
            made_by(method, original)


def test_a_method_that_publishes_typed_names_refuses_renamed_records() -> None:
    original = place_terms(Bags.from_lists([["automobile"]] * 3), wordnet(), as_sets=True)
    with refuses("names-changed"):
        made_by(Cohesion(k=2), original)


def test_a_method_of_sets_that_publishes_bags_is_caught() -> None:
    @dataclass(frozen=True)
    class Doubling(Cohesion):
        """Publishes everything twice."""

        name = "coherence"

        def apply(self, original: Original) -> Release:
            release = Cohesion.apply(self, original)
            rows = release.published
            twice = Bags(rows.indptr.copy(), rows.items.copy(), rows.counts * 2, rows.owners.copy(), rows.vocabulary)
            return release.republished(twice)

    with pytest.raises(GuaranteeNotMet, match="several times in a record"):
        made_by(Doubling(k=2), as_typed(Bags.from_lists(BASKETS)))


def test_what_depends_on_the_machine_says_so() -> None:
    original = Original.on(on(food(), BASKETS), food())
    assert Shoal.varies in made_by(Shoal(k=2, seconds=0.01), original).notes
    assert Shoal.varies not in made_by(Shoal(k=2), original).notes

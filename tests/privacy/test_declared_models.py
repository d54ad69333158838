"""What models declare: defaults and ranges of parameters, guarantees that follow from a claim, and what a verification leaves open."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.data.claims import Model
from shoal.data.items import Items
from shoal.data.tables.rows import RowTable
from shoal.errors import ParameterError
from shoal.privacy import (
    MODELS,
    AccessKAnonymity,
    ClassLimits,
    Coherence,
    ConfidenceBounding,
    DeltaPresence,
    DisassociatedKmAnonymity,
    KAnonymity,
    KKmAnonymity,
    KmAnonymity,
    LDiversity,
    MicrodataKAnonymity,
    Rho1Rho2Privacy,
    RhoUncertainty,
    SensitiveShare,
    Support,
    TCloseness,
    UserKAnonymity,
    VocabularyKAnonymity,
    WeightedKAnonymity,
    WordSupport,
    XYAnonymity,
)

X = Items(names=frozenset("X"))
# Parameters with a default or a range: default, minimum, maximum. A known set has at most 10,000 items, one of terms of chunks at most 8.
PARAMETERS: dict[str, dict[str, tuple[Any, float | None, float | None]]] = {
    "access-k-anonymity": {"k": (5, 2, None), "per": ("owner", None, None), "min_owners": (2, 1, None)},
    "alpha-k-anonymity": {"alpha": (0.5, 0, 1), "k": (3, 1, None)},
    "class-limits": {"most": (None, 2, None), "apart": (False, None, None)},
    "coherence": {"h": (0.4, 0, 1), "k": (5, 2, None), "p": (2, 1, 10_000)},
    "confidence-bounding": {},
    "delta-presence": {"delta_min": (0.0, 0, 1), "delta_max": (0.5, 0, 1)},
    "differential-privacy": {"epsilon": (1.0, 0.001, 20), "delta": (1e-6, 0, 0.01)},
    "disassociated-km-anonymity": {"k": (5, 2, None), "m": (2, 1, 8), "support": (None, 2, None)},
    "k-anonymity": {"k": (5, 2, None)},
    "k-delta-anonymity": {"k": (5, 2, None), "delta": (0.5, 0, 0.95)},
    "kkm-anonymity": {"k": (5, 2, None), "m": (2, 1, 10_000)},
    "km-anonymity": {"k": (5, 2, None), "m": (2, 1, 10_000)},
    "l-diversity": {"l": (2, 2, None), "kind": ("distinct", None, None), "c": (None, 0, None)},
    "microdata-k-anonymity": {"k": (3, 2, None)},
    "node-names": {"people": (10, 2, None)},
    "privacy-degree": {"p": (10, 2, None)},
    "public-k-anonymity": {"k": (5, 2, None)},
    "query-affinity": {"k": (5, 2, None), "theta": (0.5, 0.1, 1), "longest": (3, 1, 10), "word_people": (None, 2, None)},
    "rho-uncertainty": {"rho": (0.5, 0, 1), "antecedent": (None, 0, 10_000)},
    "rho1-rho2-privacy": {"rho1": (0.1, 0, 1), "rho2": (0.5, 0, 1)},
    "sensitive-share": {"h": (0.5, 0, 1)},
    "shared-terms": {"owners": (2, 1, None)},
    "support": {"k": (5, 2, None), "words": (None, 1, None), "group": (None, 2, None)},
    "t-closeness": {"t": (0.2, 0, 1), "distance": ("equal", None, None)},
    "user-k-anonymity": {"k": (5, 2, None), "min_owners": (2, 1, None)},
    "vocabulary-k-anonymity": {"k": (5, 2, None), "people": (False, None, None)},
    "weighted-k-anonymity": {"k": (3, 2, None)},
    "word-support": {"k": (5, 2, None)},
    "xy-anonymity": {"k": (2, 2, None)},
}


@pytest.mark.parametrize("name", MODELS)
def test_defaults_and_ranges(name: str) -> None:
    declared = {one.name: (one.default, one.minimum, one.maximum) for one in MODELS[name].parameters()}
    assert {one: facts for one, facts in declared.items() if facts != (None, None, None) and one != "gap"} == PARAMETERS[name]


def test_which_models_hold_of_unions_add_items_and_read_items() -> None:
    def where(attribute: str, value: Any) -> set[str]:
        return {name for name in MODELS if getattr(MODELS[name], attribute) == value}

    assert where("holds_of_unions", True) == {"k-anonymity", "km-anonymity"}
    assert where("adds_items", True) == {"k-delta-anonymity"}
    assert where("reads_names", True) == {"node-names"}
    assert where("reads_items_widely", False) == {"coherence", "rho-uncertainty"}
    assert where("safe_numbers", frozenset()) == {"differential-privacy"}
    assert where("safe_numbers", frozenset({"people"})) == {"rho-uncertainty"}


FIND = ("linking", "singling out")
TESTS = (*FIND, "inference", "sensitive inference", "sensitive record")
ANY = None  # number of known items that a guarantee does not limit
# Of each claim: the attacks that it bounds, up to how many known items, and the bound.
CEILINGS: list[tuple[Model, tuple[str, ...], int | None, float]] = [
    (KAnonymity(k=4), FIND, ANY, 0.25),
    (VocabularyKAnonymity(k=4), FIND, ANY, 0.25),
    (MicrodataKAnonymity(k=4), FIND, ANY, 0.25),
    (UserKAnonymity(k=4), FIND, ANY, 0.25),
    (KmAnonymity(k=4, m=2), FIND, 2, 0.25),
    (Coherence(k=4, p=2, h=0.3), FIND, 2, 0.25),
    (Coherence(k=4, p=2, h=0.3, private=X), ("sensitive inference",), 2, 0.3),
    (Coherence(k=4, p=2, h=0.3, public=X), (), ANY, 0),
    (Coherence(k=4, p=2, h=0.3, private=X, public=Items(names=frozenset("Y"))), (), ANY, 0),
    (Coherence(k=4, p=2, h=0.3, costs={"a": 2}), (), ANY, 0),
    (Coherence(k=4, p=2, h=0.3, private=X, costs={"a": 2}), (), ANY, 0),
    (RhoUncertainty(rho=0.3, sensitive=X), ("sensitive inference",), ANY, 0.3),
    (RhoUncertainty(rho=0.3, sensitive=X, antecedent=2), ("sensitive inference",), 2, 0.3),
    (SensitiveShare(h=0.3, items=X), ("sensitive record",), ANY, 0.3),
    (WordSupport(k=4), (), ANY, 0),
]


@pytest.mark.parametrize(("claim", "tests", "most", "bound"), CEILINGS, ids=[str(claim) for claim, *_ in CEILINGS])
def test_ceilings_of_attacks(claim: Model, tests: tuple[str, ...], most: int | None, bound: float) -> None:
    for test in TESTS:
        for known in (0, 1, 2, 3, None):
            within = test in tests and (most is None or (known is not None and known <= most))
            assert claim.ceiling(test, known) == (bound if within else None), (test, known)


def test_the_ceiling_of_attributes_and_items() -> None:
    """An attacker who knows attributes alone (no number of items) is bounded too."""
    claim = KKmAnonymity(k=4, m=2)
    assert [claim.ceiling("linking", known) for known in (None, 0, 2, 3)] == [0.25, 0.25, 0.25, None]
    assert claim.ceiling("singling out", 2) == 0.25 and claim.ceiling("inference", 2) is None
    assert claim.keeps(claim) and not claim.keeps(KmAnonymity(k=4, m=2))
    named = KKmAnonymity(k=4, m=2, columns=["age"], item_sets=["basket"])
    assert named.keeps(claim) and not claim.keeps(named)
    for other in ({"k": 5, "m": 2}, {"k": 4, "m": 3}, {"k": 4, "m": 2, "columns": ["town"]}, {"k": 4, "m": 2, "item_sets": ["other"]}):
        assert not named.keeps(KKmAnonymity(**other)), other
    assert (claim.columns_named, named.columns_named) == (None, ("age", "basket"))
    assert KKmAnonymity(columns=["age"]).columns_named == ("age",)


def test_sizes_that_follow_from_a_claim() -> None:
    for claim in (KAnonymity(k=4), WeightedKAnonymity(k=4)):
        assert (claim.group_size, claim.generalized_groups) == (4, 4)
    for claim in (VocabularyKAnonymity(k=4), MicrodataKAnonymity(k=4), UserKAnonymity(k=4), AccessKAnonymity(k=4), KKmAnonymity(k=4)):
        assert claim.group_size == 4
    for claim in (KAnonymity(k=4), KmAnonymity(k=4), Coherence(k=4), WordSupport(k=4)):
        assert claim.item_holders == 4
    for words in ({"private": X}, {"public": X}, {"costs": {"a": 2}}):
        assert Coherence(k=4, **words).item_holders is None
        assert Coherence(k=4, **words).sets_to_count is None
    assert Coherence(k=4, private=X).sensitive_items == X
    assert SensitiveShare(items=X).sensitive_items == X
    assert RhoUncertainty(sensitive=X).sensitive_items == X
    assert LDiversity(items=X).sensitive_items == X


def test_guarantees_of_support() -> None:
    assert (Support(k=4).group_size, Support(k=4).people_per_query) == (4, 4)
    words = Support(k=4, unit="term")
    assert (words.group_size, words.people_per_query) == (None, None)
    clicks = Support(k=4, unit="query+url")
    assert (clicks.group_size, clicks.people_per_query) == (4, None)
    urls = Support(k=4, unit="url")
    assert (urls.group_size, urls.people_per_query) == (None, None)
    daily = Support(k=4, window="day", times="day")
    assert (daily.group_size, daily.people_per_query) == (4, None)


@pytest.mark.parametrize(
    "words",
    [
        {"unit": "term", "window": "day"},
        {"unit": "term", "window": "day", "times": "hour"},
        {"unit": "term", "window": "day", "times": "day", "group": 5},
        {"unit": "query+time"},
        {"unit": "url", "words": 2},
        {"rare": "omit"},
    ],
    ids=str,
)
def test_contradictions_of_support(words: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        Support(k=4, **words)
    assert caught.value.code == "options-conflict"


@pytest.mark.parametrize(
    "words",
    [
        {"unit": "term", "window": "day", "times": "day"},
        {"unit": "term", "window": "day", "times": "day", "group": 4},
        {"unit": "query+time", "times": "day"},
        {"words": 2},
        {"unit": "query+url", "words": 2},
        {"unit": "url", "columns": "query=exact", "words": 2},
        {"unit": "term", "rare": "omit"},
        {"window": "day"},
        {"window": "day", "times": "hour", "group": 5},
    ],
    ids=str,
)
def test_combinations_of_support(words: dict[str, Any]) -> None:
    Support(k=4, **words)


# -- columns: which a claim covers, and what remains open

MIXED = RowTable(pl.DataFrame({"query": ["a"], "url": ["u"], "time": ["t"], "who": [1], "more": ["m"]}), "who")
PEOPLE = RowTable(pl.DataFrame({"age": [1], "town": ["a"], "ill": ["flu"], "note": ["n"]}))
VALUES = "whether they are values of the original"


def open_parts(claim: Model, table: Any) -> tuple[dict[str, str], dict[str, str]]:
    """What remains open without and with the original."""
    return dict(claim.not_checked(table, with_original=False)), dict(claim.not_checked(table, with_original=True))


def test_columns_of_support() -> None:
    for words, judged in (
        ({}, {"query"}),
        ({"unit": "url"}, {"url"}),
        ({"unit": "query+url", "times": "day"}, {"query", "url", "time"}),
        ({"unit": "term"}, {"query"}),
        ({"columns": "more=exact"}, {"query", "more"}),
        ({"pseudonyms": "parts"}, {"query", "who"}),
        ({"pseudonyms": "people"}, {"query", "who"}),
    ):
        assert Support(k=2, **words).judged_columns(MIXED) == judged, words
        linked = {"who": "which rows have one pseudonym"} if words == {"pseudonyms": "parts"} else {}
        left = {name: "whose rows they link" if name == "who" else "" for name in judged}
        assert open_parts(Support(k=2, **words), MIXED) == (left, linked)
    alone = RowTable(MIXED.frame.drop("who"))
    assert Support(k=2, pseudonyms="parts").judged_columns(alone) == {"query"}
    assert open_parts(Support(k=2, pseudonyms="parts"), alone) == ({"query": ""}, {})


def test_columns_of_microdata() -> None:
    named = MicrodataKAnonymity(k=2, columns=["age", "town"])
    assert named.judged_columns(PEOPLE) == {"age", "town"} == set(named.columns_named or ())
    means, totals = "whether they are means of the original's values", "only their totals, or that they occur in the original"
    assert open_parts(named, PEOPLE) == (
        {"ill": "kept as they are", "note": "kept as they are", "age": means, "town": means},
        {"ill": "which row they belong to", "note": "which row they belong to", "age": totals, "town": totals},
    )
    assert MicrodataKAnonymity(k=2).judged_columns(PEOPLE) == {"age", "town", "ill", "note"}
    assert MicrodataKAnonymity(k=2).columns_named is None


def test_columns_of_tables_with_item_sets() -> None:
    table = RowTable(pl.DataFrame({"age": ["1"], "basket": ["a|b"], "note": ["n"]}))
    claim = KKmAnonymity(k=2, columns=["age"], item_sets=["basket"])
    judged = claim.judged_columns(table)
    assert judged == {"age", "basket"}
    alone, beside = open_parts(claim, table)
    assert set(alone) == set(beside) == {"age", "basket", "note"}
    assert (alone["note"], beside["note"]) == ("kept as they are", "which row they belong to")
    assert alone["age"] == alone["basket"] != alone["note"]
    assert beside["age"] == beside["basket"] != beside["note"]


SENSITIVE_COLUMNS: list[tuple[Model, set[str]]] = [
    (LDiversity(sensitive=["ill"]), {"age", "town", "ill", "note"}),
    (LDiversity(sensitive=["ill"], columns=["age"]), {"age", "ill"}),
    (TCloseness(sensitive=["ill"], columns=["age", "town"]), {"age", "town", "ill"}),
    (ConfidenceBounding(templates="age>ill=flu:0.3;town>note:0.5"), {"age", "town", "ill", "note"}),
    (ConfidenceBounding(templates="age>ill=flu:0.3"), {"age", "ill"}),
    (XYAnonymity(x=["age"], y=["town", "ill"]), {"age", "town", "ill"}),
    (ClassLimits(most=3, columns=["age"]), {"age"}),
    (ClassLimits(most=3), {"age", "town", "ill", "note"}),
    (DeltaPresence(public={"age": ["1"]}), {"age", "town", "ill", "note"}),
]


@pytest.mark.parametrize(("claim", "judged"), SENSITIVE_COLUMNS, ids=lambda value: str(value) if isinstance(value, Model) else "")
def test_columns_of_claims_about_classes(claim: Model, judged: set[str]) -> None:
    assert claim.judged_columns(PEOPLE) == judged
    everything = dict.fromkeys(PEOPLE.columns, VALUES)
    assert open_parts(claim, PEOPLE) == (everything, everything)


def test_what_other_tables_leave_open() -> None:
    assert DisassociatedKmAnonymity().not_checked(None, with_original=True).keys() == {"cluster"}
    assert DisassociatedKmAnonymity().not_checked(None, with_original=False).keys() == {"cluster", "item"}
    assert WeightedKAnonymity().not_checked(None, with_original=True).keys() == {"weights"}
    assert WeightedKAnonymity().not_checked(None, with_original=False).keys() == {"weights", "items"}


# -- claims and promises


def test_a_promise_without_columns_is_kept_by_a_claim_that_names_them() -> None:
    def kept(claim: Any, promise: Any) -> bool:
        return bool(claim.keeps(promise))

    for model, words in ((MicrodataKAnonymity, {"k": 3}), (ClassLimits, {"most": 3}), (ClassLimits, {"apart": True})):
        claim = model(**words, columns=["age"])
        assert kept(claim, model(**words))
        assert kept(claim, claim)
        assert not kept(claim, model(**words, columns=["town"]))
        assert not kept(model(**words), claim)
        assert not kept(claim, KAnonymity(k=3))
    assert not kept(MicrodataKAnonymity(k=3, columns=["age"]), MicrodataKAnonymity(k=4))
    assert not kept(ClassLimits(most=3, columns=["age"]), ClassLimits(most=4))
    assert not kept(ClassLimits(most=3, columns=["age"]), ClassLimits(apart=True))
    named = LDiversity(l=3, sensitive=["ill"], columns=["age"])
    assert kept(named, LDiversity(l=3, sensitive=["ill"]))
    assert kept(named, named)
    assert not kept(named, LDiversity(l=2, sensitive=["ill"]))
    assert not kept(named, TCloseness(sensitive=["ill"]))
    assert not kept(LDiversity(l=3, sensitive=["ill"]), named)


def test_a_promise_about_items_is_kept_by_a_claim_that_withholds_them() -> None:
    withheld = Items()
    for model, name in ((LDiversity, "items"), (SensitiveShare, "items"), (RhoUncertainty, "sensitive"), (Coherence, "private")):
        assert model(**{name: withheld}).keeps(model(**{name: X})), model
        assert not model().keeps(model(**{name: X})), model
    assert SensitiveShare(items=X).keeps(SensitiveShare(items=X))
    assert not SensitiveShare(items=X).keeps(SensitiveShare(items=Items(names=frozenset("Y"))))
    assert not SensitiveShare(h=0.4, items=withheld).keeps(SensitiveShare(items=X))


def test_published_claims_withhold_names() -> None:
    for claim in (LDiversity(items=X), SensitiveShare(items=X)):
        assert "X" not in str(claim).split("(")[1], claim
        assert "unnamed" in str(claim)
    assert str(ClassLimits(most=3)) == "class-limits(most=3)"
    assert str(ClassLimits(apart=True)) == "class-limits(apart=yes)"
    assert "public=unnamed" in str(DeltaPresence(public={"age": ["1"]}))
    assert "public" not in str(DeltaPresence())
    for words in ({}, {"most": 3, "apart": True}):
        with pytest.raises(ParameterError):
            ClassLimits(**words)


def test_limits_of_models_exclude_each_other() -> None:
    DeltaPresence(delta_min=0.5, delta_max=0.5)
    Rho1Rho2Privacy(rho1=0.4, rho2=0.5)
    with pytest.raises(ParameterError):
        Rho1Rho2Privacy(rho1=0.5, rho2=0.5)

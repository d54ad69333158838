"""Families of methods by attacker knowledge: which models belong together, in the order of the lists.

A method belongs to the family of its first claim. The catalogue records it, so that lists load no method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from shoal.parameters import Declared

if TYPE_CHECKING:
    from shoal.methods import Method

OTHER, NONE = "other-guarantees", "no-guarantee"
REQUIRED: Mapping[str, Mapping[str, Any]] = {"cahd": {"sensitive": "anything"}}  # parameters without which a method makes no claim


@dataclass(frozen=True)
class Family:
    """Models that protect against similar attackers.

    Attributes:
        name: Its name, also of its page.
        title: Its heading.
        knows: What an attacker may know, in a few words.
        text: What is protected.
        models: The names of the models.
    """

    name: str
    title: str
    knows: str
    text: str
    models: tuple[str, ...] = ()


FAMILIES = (
    Family(
        "whole-records",
        "Whole records",
        "all items of a person",
        "An attacker may know everything that a record contains, but at least k people match this knowledge.",
        ("k-anonymity", "vocabulary-k-anonymity", "public-k-anonymity"),
    ),
    Family(
        "known-items",
        "A few known items",
        "a few items of a person",
        "An attacker may know a few items of a person, but at least k people match them. This keeps more than protecting whole records.",
        ("km-anonymity", "coherence", "disassociated-km-anonymity", "kkm-anonymity"),
    ),
    Family(
        "sensitive-items",
        "Sensitive items",
        "all but the sensitive items",
        "An attacker may know which record belongs to a person, but cannot infer a sensitive item of it with high confidence.",
        ("rho-uncertainty", "privacy-degree"),
    ),
    Family(
        "queries-and-words",
        "Single queries and words",
        "one query or word",
        "Rows of a log are published if at least k people share them. Whole histories are not protected.",
        ("support",),
    ),
    Family(
        "histories-and-visits",
        "Histories and sessions",
        "a whole history or session",
        "At least k people share every published history or session.",
        ("user-k-anonymity", "access-k-anonymity"),
    ),
    Family(
        "tables-and-documents",
        "Tables and documents",
        "a whole row or document",
        "At least k people or documents share every published row of numbers or vector of terms.",
        ("microdata-k-anonymity", "weighted-k-anonymity"),
    ),
    Family(
        "noise",
        "Counts with noise",
        "everything about others",
        "One person hardly changes any published number.",
        ("differential-privacy",),
    ),
    Family(
        "similar-records",
        "Similar records and queries",
        "risk not bounded",
        "Every record or query is close to at least k-1 others. It may still be unique: the number of re-identified people is not bounded.",
        ("k-delta-anonymity", "query-affinity"),
    ),
    Family(OTHER, "Other guarantees", "see the model", "Models of other kinds."),
    Family(
        NONE,
        "Without a guarantee",
        "no guarantee at all",
        "These methods make no claim. They are included for comparison; each describes what it does not protect.",
    ),
)


def first_model(method: type[Declared]) -> str:
    """Return the name of the first model that a method claims; empty if it claims none."""
    claims = cast("Method", method(**REQUIRED.get(method.name, {}))).claims()
    return claims[0].name if claims else ""


def family_of(method: type[Declared]) -> str:
    """Return the name of the family of a method, by its first claim."""
    model = first_model(method)
    known = {one: family.name for family in FAMILIES for one in family.models}
    return known.get(model, OTHER) if model else NONE

"""Pages that list the methods by what they guarantee, made from the claims that the methods declare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markup import toctree
from shoal.methods import METHODS
from shoal.privacy import MODELS
from sources import write

FOLDER = "methods"
NO_GUARANTEE = "No guarantee"
REQUIRED: dict[str, dict[str, Any]] = {"cahd": {"sensitive": "anything"}}  # parameters without a default


@dataclass(frozen=True)
class Family:
    """Models that protect against similar attackers: the name of the page, its title, a text, and the names of the models."""

    page: str
    title: str
    text: str
    models: tuple[str, ...] = ()


FAMILIES = (
    Family(
        "whole-records",
        "Whole records",
        "An attacker may know everything that a record contains and still finds at least k people.",
        ("k-anonymity", "vocabulary-k-anonymity", "public-k-anonymity", "k-delta-anonymity"),
    ),
    Family(
        "known-items",
        "A few known items",
        "An attacker may know a few items of a person and finds at least k people. This keeps more than guarantees on whole records.",
        ("km-anonymity", "coherence", "disassociated-km-anonymity"),
    ),
    Family(
        "sensitive-items",
        "Sensitive items",
        "An attacker may know which record belongs to a person, but cannot infer a sensitive item of it with confidence.",
        ("rho-uncertainty", "privacy-degree"),
    ),
    Family(
        "queries-and-words",
        "Single queries and words",
        "Rows of a log are published if at least k people share them. Whole histories are not.",
        ("support",),
    ),
    Family(
        "histories-and-visits",
        "Histories and visits",
        "Every published history or visit stands for at least k people.",
        ("user-k-anonymity", "access-k-anonymity"),
    ),
    Family(
        "tables-and-documents",
        "Tables and documents",
        "Every published row of numbers, or vector of terms, stands for at least k people or documents.",
        ("microdata-k-anonymity", "weighted-k-anonymity"),
    ),
    Family("noise", "Counts with noise", "One person hardly changes any published number.", ("differential-privacy",)),
    Family("other-guarantees", "Other guarantees", "Models that no other page is about."),
    Family("no-guarantee", NO_GUARANTEE, "These methods make no claim. They are there for comparison, and each says what it leaves open."),
)


def methods_by_model() -> dict[str, list[str]]:
    """The methods below the first model that each claims; those without a claim below an empty name."""
    found: dict[str, list[str]] = {}
    for name in METHODS:
        claims = METHODS[name](**REQUIRED.get(name, {})).claims()
        found.setdefault(claims[0].name if claims else "", []).append(name)
    return found


def write_guarantees(target: Path) -> list[str]:
    """Write a page for each family that has a method, and return the names of the pages."""
    left = methods_by_model()
    pages = []
    for family in FAMILIES:
        models = {"no-guarantee": ("",), "other-guarantees": tuple(name for name in left if name)}.get(family.page, family.models)
        methods = {model: left.pop(model) for model in models if model in left}
        if methods:
            write(target / FOLDER / f"{family.page}.md", "\n".join(_page(family, methods)))
            pages.append(f"{FOLDER}/{family.page}")
    return pages


def _page(family: Family, methods: dict[str, list[str]]) -> Iterator[str]:
    yield f"# {family.title}\n\n{family.text}\n"
    for model, names in methods.items():
        yield from [f"## {model}\n", *_model(model)] if model else []
        yield from (f"- [{name}](../docs/methods/{name}.md): {METHODS[name].summary()}" for name in names)
        yield ""
    yield toctree([f"../docs/methods/{name}" for names in methods.values() for name in names])


def _model(name: str) -> Iterator[str]:
    model = MODELS[name]
    yield f"{model.summary()} [The model {name}](../docs/models.md#{name}) describes what it protects and what not.\n"

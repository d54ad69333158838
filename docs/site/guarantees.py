"""Pages that list the methods by what they guarantee, made from the claims that the methods declare."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from markup import toctree
from shoal.methods import METHODS
from shoal.methods.bases.families import FAMILIES, NONE, OTHER, Family, first_model
from shoal.privacy import MODELS
from sources import write

FOLDER = "methods"


def methods_by_model() -> dict[str, list[str]]:
    """The methods below the first model that each claims; those without a claim below an empty name."""
    found: dict[str, list[str]] = {}
    for name in METHODS:
        found.setdefault(first_model(METHODS[name]), []).append(name)
    return found


def write_guarantees(target: Path) -> list[str]:
    """Write a page for each family that has a method, and return the names of the pages."""
    left = methods_by_model()
    pages = []
    for family in FAMILIES:
        models = {NONE: ("",), OTHER: tuple(name for name in left if name)}.get(family.name, family.models)
        methods = {model: left.pop(model) for model in models if model in left}
        if methods:
            write(target / FOLDER / f"{family.name}.md", "\n".join(_page(family, methods)))
            pages.append(f"{FOLDER}/{family.name}")
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

"""shoal: publish query logs, baskets and click streams without exposing the people in them.

The public names are loaded when they are first used, so that importing shoal costs next to nothing. Every method and every model of the
tables is one of them, by the name of its class.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PLACES = {
    "Bags": "shoal.data.bags",
    "Log": "shoal.data.log",
    "Release": "shoal.data.release",
    "ShoalError": "shoal.errors",
    "Taxonomy": "shoal.taxonomy.tree",
    "Verdict": "shoal.privacy",
    "anonymize": "shoal.app.api",
    "audit": "shoal.app.api",
    "generated": "shoal.taxonomy.generated",
    "read": "shoal.app.api",
    "read_taxonomy": "shoal.io.read.taxonomies",
    "wordnet": "shoal.taxonomy.wordnet",
    "write": "shoal.app.api",
}
# By name and not by import: every room imports this one, and imports point down.
_PLACES |= import_module("shoal.methods").METHODS.classes
_PLACES |= import_module("shoal.privacy").MODELS.classes

__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 - the names are the keys above


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("shoal")
    if name not in _PLACES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

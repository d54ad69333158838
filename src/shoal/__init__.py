"""shoal: publish query logs, baskets and click streams without exposing the people in them.

The public names below are loaded when they are first used, so that importing shoal costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _installed_version
from typing import Any

__version__ = _installed_version("shoal")

_PLACES = {
    "Bags": "shoal.data.bags",
    "Clump": "shoal.methods.clump",
    "KAnonymity": "shoal.privacy.k_anonymity",
    "Log": "shoal.data.log",
    "Partition": "shoal.methods.partition",
    "Release": "shoal.data.release",
    "ShoalError": "shoal.errors",
    "Taxonomy": "shoal.taxonomy.tree",
    "Verdict": "shoal.privacy",
    "VocabularyKAnonymity": "shoal.privacy.vocabulary",
    "anonymize": "shoal.app.api",
    "audit": "shoal.app.api",
    "generated": "shoal.taxonomy.generated",
    "read": "shoal.app.api",
    "read_taxonomy": "shoal.taxonomy.files",
    "wordnet": "shoal.taxonomy.wordnet",
    "write": "shoal.app.api",
}

__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 - the names are the keys above


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

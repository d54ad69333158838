"""shoal: publish query logs, baskets and click streams without exposing the people in them.

The public names are loaded when they are first used, so that importing shoal costs next to nothing. Every method and every model of the
tables is one of them, by the name of its class.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what a type checker sees of the names in _PLACES
    from shoal.app.api import anonymize as anonymize
    from shoal.app.api import attack as attack
    from shoal.app.api import audit as audit
    from shoal.app.api import bound as bound
    from shoal.app.api import decode as decode
    from shoal.app.api import generate as generate
    from shoal.app.api import look as look
    from shoal.app.api import measure as measure
    from shoal.app.api import read as read
    from shoal.app.attack import Attacked as Attacked
    from shoal.app.audit import Audit as Audit
    from shoal.app.look import Look as Look
    from shoal.app.reproduce import reproduce as reproduce
    from shoal.app.result import Result as Result
    from shoal.data.bags import Bags as Bags
    from shoal.data.log import Log as Log
    from shoal.data.release import Release as Release
    from shoal.errors import GuaranteeNotMet as GuaranteeNotMet
    from shoal.errors import Infeasible as Infeasible
    from shoal.errors import InputError as InputError
    from shoal.errors import OutputError as OutputError
    from shoal.errors import ParameterError as ParameterError
    from shoal.errors import ShoalError as ShoalError
    from shoal.errors import TaxonomyError as TaxonomyError
    from shoal.io.read.taxonomies import read_taxonomy as read_taxonomy
    from shoal.privacy import Verdict as Verdict
    from shoal.taxonomy.generated import generated as generated
    from shoal.taxonomy.tree import Taxonomy as Taxonomy
    from shoal.taxonomy.wordnet import wordnet as wordnet

    __version__: str

_PLACES = {
    "Attacked": "shoal.app.attack",
    "Audit": "shoal.app.audit",
    "Bags": "shoal.data.bags",
    "GuaranteeNotMet": "shoal.errors",
    "Infeasible": "shoal.errors",
    "InputError": "shoal.errors",
    "Log": "shoal.data.log",
    "Look": "shoal.app.look",
    "OutputError": "shoal.errors",
    "ParameterError": "shoal.errors",
    "Release": "shoal.data.release",
    "Result": "shoal.app.result",
    "ShoalError": "shoal.errors",
    "Taxonomy": "shoal.taxonomy.tree",
    "TaxonomyError": "shoal.errors",
    "Verdict": "shoal.privacy",
    "anonymize": "shoal.app.api",
    "attack": "shoal.app.api",
    "audit": "shoal.app.api",
    "bound": "shoal.app.api",
    "decode": "shoal.app.api",
    "generate": "shoal.app.api",
    "generated": "shoal.taxonomy.generated",
    "look": "shoal.app.api",
    "measure": "shoal.app.api",
    "read": "shoal.app.api",
    "read_taxonomy": "shoal.io.read.taxonomies",
    "reproduce": "shoal.app.reproduce",
    "wordnet": "shoal.taxonomy.wordnet",
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

"""shoal: publish query logs, baskets and click streams without exposing the people in them.

The public names are loaded when they are first used, so that importing shoal costs next to nothing. Every method and every model of the
tables is one of them, by the name of its class.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what a type checker sees of the names in _PLACES
    from shoal.auditing.audit import Audit as Audit
    from shoal.data.bags import Bags as Bags
    from shoal.data.log import Log as Log
    from shoal.data.release import Release as Release
    from shoal.data.taxonomy import Taxonomy as Taxonomy
    from shoal.errors import GuaranteeNotMet as GuaranteeNotMet
    from shoal.errors import Infeasible as Infeasible
    from shoal.errors import InputError as InputError
    from shoal.errors import OutputError as OutputError
    from shoal.errors import ParameterError as ParameterError
    from shoal.errors import ShoalError as ShoalError
    from shoal.errors import TaxonomyError as TaxonomyError
    from shoal.evaluate.attack import Attacked as Attacked
    from shoal.evaluate.reproduce import reproduce as reproduce
    from shoal.io.read.taxonomies import read_taxonomy as read_taxonomy
    from shoal.pipeline.api import anonymize as anonymize
    from shoal.pipeline.api import attack as attack
    from shoal.pipeline.api import audit as audit
    from shoal.pipeline.api import bound as bound
    from shoal.pipeline.api import decode as decode
    from shoal.pipeline.api import generate as generate
    from shoal.pipeline.api import look as look
    from shoal.pipeline.api import measure as measure
    from shoal.pipeline.api import read as read
    from shoal.pipeline.look import Look as Look
    from shoal.pipeline.result import Result as Result
    from shoal.privacy import Verdict as Verdict
    from shoal.taxonomy.generated import generated as generated
    from shoal.taxonomy.wordnet import wordnet as wordnet

    __version__: str

_PLACES = {
    "Attacked": "shoal.evaluate.attack",
    "Audit": "shoal.auditing.audit",
    "Bags": "shoal.data.bags",
    "GuaranteeNotMet": "shoal.errors",
    "Infeasible": "shoal.errors",
    "InputError": "shoal.errors",
    "Log": "shoal.data.log",
    "Look": "shoal.pipeline.look",
    "OutputError": "shoal.errors",
    "ParameterError": "shoal.errors",
    "Release": "shoal.data.release",
    "Result": "shoal.pipeline.result",
    "ShoalError": "shoal.errors",
    "Taxonomy": "shoal.data.taxonomy",
    "TaxonomyError": "shoal.errors",
    "Verdict": "shoal.privacy",
    "anonymize": "shoal.pipeline.api",
    "attack": "shoal.pipeline.api",
    "audit": "shoal.pipeline.api",
    "bound": "shoal.pipeline.api",
    "decode": "shoal.pipeline.api",
    "generate": "shoal.pipeline.api",
    "generated": "shoal.taxonomy.generated",
    "look": "shoal.pipeline.api",
    "measure": "shoal.pipeline.api",
    "read": "shoal.pipeline.api",
    "read_taxonomy": "shoal.io.read.taxonomies",
    "reproduce": "shoal.evaluate.reproduce",
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

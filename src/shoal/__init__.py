"""shoal: publish query logs, baskets and click streams without exposing the people in them.

The names that most programs need are here; they are loaded when they are first used, so that importing shoal costs next to nothing.
Methods are in `shoal.methods` (`from shoal.methods import Clump`), privacy models in `shoal.privacy`
(`from shoal.privacy import KAnonymity`), and further errors in `shoal.errors`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what a type checker sees of the names in _PLACES
    from shoal.api.catalogue import list_methods as list_methods
    from shoal.api.catalogue import list_metrics as list_metrics
    from shoal.api.catalogue import list_models as list_models
    from shoal.api.catalogue import models as models
    from shoal.api.evaluation import advise as advise
    from shoal.api.evaluation import compare as compare
    from shoal.api.evaluation import reconstruct as reconstruct
    from shoal.api.functions import anonymize as anonymize
    from shoal.api.functions import attack as attack
    from shoal.api.functions import audit as audit
    from shoal.api.functions import bound as bound
    from shoal.api.functions import decode as decode
    from shoal.api.functions import generate as generate
    from shoal.api.functions import measure as measure
    from shoal.api.functions import read as read
    from shoal.api.functions import reproduce as reproduce
    from shoal.api.learn_taxonomy import learn_taxonomy as learn_taxonomy
    from shoal.api.masking import mask as mask
    from shoal.api.preview import look as look
    from shoal.api.result import Result as Result
    from shoal.auditing.audit import Audit as Audit
    from shoal.data.taxonomy import Taxonomy as Taxonomy
    from shoal.errors import Cancelled as Cancelled
    from shoal.errors import GuaranteeNotMet as GuaranteeNotMet
    from shoal.errors import Infeasible as Infeasible
    from shoal.errors import InputError as InputError
    from shoal.errors import OutputError as OutputError
    from shoal.errors import ParameterError as ParameterError
    from shoal.errors import ShoalError as ShoalError
    from shoal.errors import TaxonomyError as TaxonomyError
    from shoal.evaluate.attack import Attacked as Attacked
    from shoal.io.read.sql import from_sql as from_sql
    from shoal.io.read.taxonomies import read_taxonomy as read_taxonomy
    from shoal.pipeline.events import Cancel as Cancel
    from shoal.pipeline.events import Events as Events
    from shoal.pipeline.look import Look as Look
    from shoal.taxonomy.wordnet import wordnet as wordnet

    __version__: str

_PLACES = {
    "Attacked": "shoal.evaluate.attack",
    "Audit": "shoal.auditing.audit",
    "Cancel": "shoal.pipeline.events",
    "Cancelled": "shoal.errors",
    "Events": "shoal.pipeline.events",
    "GuaranteeNotMet": "shoal.errors",
    "Infeasible": "shoal.errors",
    "InputError": "shoal.errors",
    "Look": "shoal.pipeline.look",
    "OutputError": "shoal.errors",
    "ParameterError": "shoal.errors",
    "Result": "shoal.api.result",
    "ShoalError": "shoal.errors",
    "Taxonomy": "shoal.data.taxonomy",
    "TaxonomyError": "shoal.errors",
    "advise": "shoal.api.evaluation",
    "anonymize": "shoal.api.functions",
    "attack": "shoal.api.functions",
    "audit": "shoal.api.functions",
    "bound": "shoal.api.functions",
    "compare": "shoal.api.evaluation",
    "decode": "shoal.api.functions",
    "from_sql": "shoal.io.read.sql",
    "generate": "shoal.api.functions",
    "learn_taxonomy": "shoal.api.learn_taxonomy",
    "list_methods": "shoal.api.catalogue",
    "list_metrics": "shoal.api.catalogue",
    "list_models": "shoal.api.catalogue",
    "look": "shoal.api.preview",
    "mask": "shoal.api.masking",
    "measure": "shoal.api.functions",
    "models": "shoal.api.catalogue",
    "read": "shoal.api.functions",
    "read_taxonomy": "shoal.io.read.taxonomies",
    "reconstruct": "shoal.api.evaluation",
    "reproduce": "shoal.api.functions",
    "wordnet": "shoal.taxonomy.wordnet",
}
# Modules with public names, available without a further import.
_MODULES = ("errors", "methods", "privacy")
# Names that used to be at the top level, except methods and models.
_MOVED = {
    "Bags": "shoal.data.bags",
    "Log": "shoal.data.log",
    "Release": "shoal.data.release",
    "Verdict": "shoal.data.claims",
    "generated": "shoal.taxonomy.generated",
}

__all__ = ["__version__", *_PLACES]  # noqa: PLE0604 - the names are the keys above


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("shoal-privacy")
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    if name in _MODULES:
        return import_module(f"shoal.{name}")
    raise AttributeError(f"module 'shoal' has no attribute {name!r}{_hint(name)}", name=name)


def _hint(name: str) -> str:
    """Return where a class is that is not at the top level; empty if the name is unknown."""
    if not name[:1].isupper() and name not in _MOVED:  # importing the tables of methods and models takes time
        return ""
    # By name and not by import: every package imports this one, and imports point down.
    places = dict.fromkeys(import_module("shoal.methods").METHODS.classes, "shoal.methods")
    places |= dict.fromkeys(import_module("shoal.privacy").MODELS.classes, "shoal.privacy")
    place = (_MOVED | places).get(name)
    return "" if place is None else f"; write: from {place} import {name}"


def __dir__() -> list[str]:
    return sorted((*__all__, *_MODULES))

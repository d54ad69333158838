"""Whether a manifest claims what its method promises for the parameters it names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.data.items import UNDER, Items, ItemWeights
from shoal.errors import ParameterError
from shoal.methods import METHODS, Method
from shoal.parameters import Declared, Param
from shoal.pipeline.consent import OPTION, stated_lack
from shoal.privacy import MODELS, Model, Verdict, verified_if
from shoal.report.lacking import LACKING, lack_of


def claims_of(manifest: Mapping[str, Any]) -> list[Model]:
    """The claims of a manifest as models, with nothing read that they may name."""
    return [MODELS.make(claim["model"]) for claim in manifest["claims"]]


def as_promised(manifest: Mapping[str, Any]) -> Verdict:
    """That the claims of a manifest are at least what its method promises, and that it says itself that all of them hold."""
    broken = [f"the manifest itself says that {claim['model']} does not hold" for claim in manifest["claims"] if not claim["holds"]]
    try:
        method = method_of(manifest)
        promises = method.claims()
    except ParameterError as error:
        return Verdict("claims as promised", "fails", {}, (*broken, f"the method and its parameters cannot be: {error.message}"))
    made = claims_of(manifest)
    for promise in promises:
        if not any(claim.keeps(promise) for claim in made):
            broken.append(f"the method {manifest['method']} with these parameters promises {_told(promise)}, and that is not claimed")
    broken += _lack_misstated(manifest, method)
    return Verdict("claims as promised", verified_if(not broken), {"claims": len(made)}, tuple(broken))


def some_guarantee(manifest: Mapping[str, Any]) -> list[Verdict]:
    """That the release makes a claim at all: no verdict where it does, a failure where it says that nothing is guaranteed."""
    lack = lack_of(manifest)
    return [Verdict("some guarantee", "fails", {}, (lack,), (f"{OPTION} says that this is known",))] if lack else []


def _lack_misstated(manifest: Mapping[str, Any], method: Method) -> list[str]:
    """A release of a method that guarantees nothing must say so in the method's own words, and make no claim; no other may say it."""
    if method.guarantees_nothing and manifest["claims"]:
        return [f"the method {method.name} guarantees nothing, and the manifest makes a claim"]
    if lack_of(manifest) != stated_lack(method).get(LACKING, ""):
        return [f"{LACKING} is not what the method {method.name} with these parameters leaves unprotected"]
    return []


def method_of(manifest: Mapping[str, Any]) -> Method:
    """The method that a manifest names, with its parameters; which items and weights were given is not known, only that some were."""
    kind, given = METHODS[manifest["method"]], manifest["parameters"]
    known = {declared.name: declared for declared in kind.parameters()}
    for name in known.keys() ^ given.keys():
        raise ParameterError(f"the method {kind.name} {'is listed without' if name in known else 'takes no'} parameter {name!r}")
    return kind(**{name: _value(known[name], value) for name, value in given.items()})


def _value(declared: Param, described: Any) -> Any:
    if described is None or declared.type not in {Items, ItemWeights}:
        return described
    if not isinstance(described, str):
        raise ParameterError(f"{declared.name} is described in words, not by {described!r}")
    if declared.type is Items and described.startswith(UNDER):
        return Items.parse(described)
    return declared.type(label=described)


def _told(promise: Declared) -> str:
    """A promise without the items it names."""
    values = {name: value for name, value in promise.values().items() if value is not None and not isinstance(value, Items)}
    return f"{promise.name}({', '.join(f'{name}={value}' for name, value in values.items())})"

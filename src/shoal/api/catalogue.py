"""Lists of the methods, privacy models and metrics as dictionaries. The command line prints the same data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.api.messages import spoken_in_python
from shoal.methods import METHODS, presets_of
from shoal.metrics import METRICS, Metric
from shoal.parameters import Declared
from shoal.privacy import MODELS

__all__ = ["list_methods", "list_metrics", "list_models", "models"]


def list_methods(name: str | None = None) -> dict[str, Any]:
    """List the methods and their parameters, or describe one method.

    Args:
        name: The name of a method. Default: all methods.

    Returns:
        For each method, or for the named one, a dictionary with `summary`, `paper`, `parameters` and, if the method has them, `presets`.
        A method with the entry `guarantee` guarantees nothing.

    Raises:
        ParameterError: There is no method of that name.

    Example:
        >>> "clump" in shoal.list_methods()
        True
        >>> shoal.list_methods("clump")["parameters"]["k"]["default"]
        5
    """
    with spoken_in_python():
        return described(METHODS, name)


def list_models(name: str | None = None) -> dict[str, Any]:
    """List the privacy models, or describe one model. `shoal.models` is the same function.

    Args:
        name: The name of a model. Default: all models.

    Returns:
        For each model, or for the named one, a dictionary with `summary`, `protects`, `does_not_protect`, `limits` and `parameters`.

    Raises:
        ParameterError: There is no model of that name.

    Example:
        >>> list(shoal.models())[:2]
        ['k-anonymity', 'sensitive-share']
        >>> list(shoal.models("km-anonymity")["parameters"])
        ['k', 'm']
    """
    with spoken_in_python():
        return described(MODELS, name)


models = list_models


def list_metrics(name: str | None = None) -> dict[str, Any]:
    """List the metrics, or describe one metric.

    Args:
        name: The name of a metric. Default: all metrics.

    Returns:
        For each metric, or for the named one, a dictionary with `summary`, `better` ("lower", "higher" or "neither"), `range`, and
        `routine`: whether every release records it.

    Raises:
        ParameterError: There is no metric of that name.

    Example:
        >>> shoal.list_metrics("kept")["better"]
        'higher'
    """
    with spoken_in_python():
        return facts_of_metric(METRICS[name]) if name is not None else {one: facts_of_metric(METRICS[one]) for one in METRICS}


def described(table: Mapping[str, type[Declared]], name: str | None = None) -> dict[str, Any]:
    """Describe the named class of a table, or all of them by name."""
    return facts_of(table[name]) if name is not None else {one: facts_of(kind) for one, kind in table.items()}


def facts_of(kind: type[Declared]) -> dict[str, Any]:
    """Describe a method or a model by the declarations of its class."""
    facts = {key: getattr(kind, key) for key in ("paper", "protects", "does_not_protect", "limits") if getattr(kind, key, "")}
    facts |= {"guarantee": "none"} if getattr(kind, "guarantees_nothing", False) else {}
    parameters = {p.name: {"help": p.help, "default": _in_json(p.default), "values": p.range} for p in kind.parameters()}
    presets = {one.name: {"for": one.use, "not": one.does_not_protect, "values": one.values} for one in presets_of(kind.name).values()}
    return {"summary": kind.summary(), **facts, "parameters": parameters, **({"presets": presets} if presets else {})}


def facts_of_metric(metric: Metric) -> dict[str, Any]:
    """Describe a metric."""
    return {"summary": metric.summary, "better": metric.better, "range": metric.range, "routine": metric.routine}


def _in_json(default: Any) -> Any:
    """Convert a default to JSON: numbers, Booleans and null as they are, anything else as a user types it."""
    return default if default is None or isinstance(default, (bool, int, float, str)) else str(default)

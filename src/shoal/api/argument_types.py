"""Checks of the argument types of public functions. A wrong type is rejected at once, naming the argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from shoal.data.claims import Model
from shoal.data.items import Items
from shoal.errors import ParameterError
from shoal.parameters import insist_on_path, insist_on_text
from shoal.pipeline.events import Cancel, Events

P = ParamSpec("P")
R = TypeVar("R")

Check = Callable[[str, Any], None]


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Reject arguments of a wrong type with a `ParameterError` before the function runs.

    Args:
        function: A public function. Its arguments are checked by their names.

    Returns:
        The function with these checks.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        arguments = signature.bind(*args, **kwargs).arguments
        for name, value in (arguments | arguments.pop("options", {})).items():
            check = CHECKS.get(f"{function.__name__}.{name}") or CHECKS.get(name)
            if check is not None:
                check(name, value)
        return function(*args, **kwargs)

    return call


def _optional(check: Check) -> Check:
    def optional(name: str, value: Any) -> None:
        if value is not None:
            check(name, value)

    return optional


def _each(check: Check, what: str, *single: type) -> Check:
    """Check one value of these types, or several that each pass the check."""

    def each(name: str, value: Any) -> None:
        if isinstance(value, single):
            check(name, value)
            return
        if isinstance(value, bytes) or not isinstance(value, Iterable):
            raise ParameterError(f"{name} is {what}, not a value of type {type(value).__name__}", code="wrong-type", argument=name)
        for one in value:
            check(name, one)

    return each


def _claim(name: str, value: Any) -> None:
    if not isinstance(value, Model):
        insist_on_text(name, value)


def _attacks(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        _names(name, value)


def _items(name: str, value: Any) -> None:
    if not isinstance(value, Items):
        _each(insist_on_text, "a file or names of items", str, PathLike)(name, str(value) if isinstance(value, PathLike) else value)


def _input(name: str, value: Any) -> None:
    """Check the input data: any readable type, but not an empty path."""
    if isinstance(value, str | PathLike):
        insist_on_path(name, value)


def _required_input(name: str, value: Any) -> None:
    if value is None:
        raise ParameterError(f"{name} is missing", code="missing-argument", hint="give a path, a frame or lists of items", argument=name)
    _input(name, value)


def _items_or_file(name: str, value: Any) -> None:
    if not isinstance(value, Items):
        insist_on_path(name, value)


def _of_type(kind: type) -> Check:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, kind):
            what = f"{name} must be a {kind.__name__}, not a value of type {type(value).__name__}"
            raise ParameterError(what, code="wrong-type", argument=name)

    return check


_names = _each(insist_on_text, "a name or several names", str)
_paths = _each(insist_on_path, "a path or several paths", str, PathLike)

# By name of the argument, or of the function and the argument.
CHECKS: dict[str, Check] = {
    "release": insist_on_path,
    "path": insist_on_path,
    "rules": _optional(insist_on_path),
    "reference": _optional(insist_on_path),
    "reproduce.data": _optional(insist_on_path),
    "data": _required_input,
    "original": _optional(_input),
    "attack.original": _required_input,
    "previous": _paths,
    "other_releases": _paths,
    "claim": _each(_claim, "a claim or several claims", str, Model),
    "claims": _each(_claim, "a claim or several claims", str, Model),
    "attack": _optional(_attacks),
    "attacks": _names,
    "metrics": _names,
    "allow_column": _names,
    "sensitive": _optional(_items_or_file),
    "attack.sensitive": _optional(_items),
    "goal": _optional(insist_on_text),
    "format": _optional(insist_on_text),
    "owners": _optional(insist_on_text),
    "site_links": _optional(insist_on_path),
    "node_loss": _optional(insist_on_text),
    "sep": _optional(insist_on_text),
    "encoding": _optional(insist_on_text),
    "gap": _optional(insist_on_text),
    "release_format": _optional(insist_on_text),
    "release_sep": _optional(insist_on_text),
    "release_user": _optional(insist_on_text),
    "paper": insist_on_text,
    "events": _optional(_of_type(Events)),
    "cancel": _optional(_of_type(Cancel)),
}

"""What would help where hardly a word is left, in the words of Python: the keywords to change, and what is protected then."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from shoal.app.advice import Change, changes
from shoal.app.data_options import prepared_as
from shoal.app.job import Preparation
from shoal.app.prepare import Prepared
from shoal.app.request import wanted_method
from shoal.errors import ShoalError
from shoal.methods import METHODS, Method


def advised(prepared: Prepared, method: Method, said: Mapping[str, Any]) -> Iterator[str]:
    """A line for each change that this input and these keywords allow, the smallest first."""
    for change in changes(prepared, method):
        other = _method(change, method)
        if other is not None and _allowed(change, other, said):
            yield f"{_call(change)}: {change.why}"


def _method(change: Change, method: Method) -> Method | None:
    """The method of the release with this change; None where it would be refused."""
    name = change.options.get("method", method.name)
    own = {declared.name for declared in METHODS[name].parameters()}
    kept = {name: value for name, value in method.values().items() if name in own and name in {"k", "seed"}}
    try:
        return method if name == method.name else wanted_method(name, {**kept, **change.settings})
    except ShoalError:
        return None


def _allowed(change: Change, method: Method, said: Mapping[str, Any]) -> bool:
    """Whether the keywords go together. No data is read."""
    wanted = {name: value for name, value in said.items() if name not in change.without}
    wanted |= {name: value for name, value in change.options.items() if name != "method"}
    try:
        prepared_as(wanted, Preparation.default_for(method))
    except ShoalError:
        return False
    return True


def _call(change: Change) -> str:
    """The keywords as they are typed."""
    given = {**change.options, **change.settings}
    return ", ".join(f"{name}={value if value.replace('.', '', 1).isdigit() else json.dumps(value)}" for name, value in given.items())

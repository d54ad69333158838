"""Advice for Python users if hardly any words are kept: the keywords to change, and what is then protected."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.api.data_options import prepared_as
from shoal.data.claims import Model
from shoal.errors import ShoalError
from shoal.evaluate.advise.changes import Change, advice_on, changes
from shoal.evaluate.advise.goals import seconds_after
from shoal.evaluate.advise.trial import Route
from shoal.methods import METHODS, Method
from shoal.pipeline.claims import claims_for
from shoal.pipeline.job import Done
from shoal.pipeline.options import Preparation
from shoal.pipeline.request import method_from


@dataclass(frozen=True)
class Advised:
    """A line for each proposed change, starting with its keywords; and notes on how it was measured and what is not proposed."""

    calls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


NO_ADVICE = Advised()


def advised(data: Any, done: Done, method: Method, keywords: Mapping[str, Any], further: tuple[Model, ...] = ()) -> Advised:
    """Return changes that keep more words and let an attacker find at most 1 in k people, as measured on a sample.

    `further` are the claims requested in addition to those of the method; `done` is the present release.
    """
    seconds, prepared = seconds_after(done.seconds), done.prepared
    if not seconds:
        return Advised(notes=("shoal.advise measures alternatives that keep more, and their risk",))
    taxonomy = prepared_as(dict(keywords), Preparation.default_for(method))[1].tree
    options = []
    for change in changes(prepared, method):
        other = _method(change, method)
        route = None if other is None else _route(change, other, keywords, further)
        if route is not None:
            options.append((change, _call(change, keywords), route))
    present = Route(method, prepared.preparation, taxonomy, further, done.judged)
    advice = advice_on(data, prepared.original.n_owners, present, options, seconds)
    calls = tuple(f"{one.text}: {one.change.why}; {one.worth}" for one in advice.proposed)
    return Advised(calls, (*([advice.measured_on] if calls else []), *advice.notes))


def _method(change: Change, method: Method) -> Method | None:
    """Return the method of the release with this change; None if it would be rejected."""
    name = change.options.get("method", method.name)
    own = {declared.name for declared in METHODS[name].parameters()}
    kept = {name: value for name, value in method.values().items() if name in own and name in {"k", "seed"}}
    try:
        return method if name == method.name else method_from(name, {**kept, **change.settings})
    except ShoalError:
        return None


def _route(change: Change, method: Method, options: Mapping[str, Any], further: tuple[Model, ...]) -> Route | None:
    """Return the route for the keywords with this change; None if they contradict each other. No data is read."""
    wanted = {name: value for name, value in options.items() if name not in change.without}
    wanted |= {name: value for name, value in change.options.items() if name != "method"}
    try:
        preparation, taxonomy = prepared_as(wanted, Preparation.default_for(method))
        claims_for(method, further)
    except ShoalError:
        return None
    return Route(method, preparation, taxonomy.tree, further)


def _call(change: Change, options: Mapping[str, Any]) -> str:
    """Format the keywords as they are typed, with None for those that must be removed."""
    unwanted = [f"{name}=None" for name in change.without if options.get(name) is not None]
    changed = {**change.options, **change.settings}
    typed = [f"{name}={value if value.replace('.', '', 1).isdigit() else json.dumps(value)}" for name, value in changed.items()]
    return ", ".join([*typed, *unwanted])

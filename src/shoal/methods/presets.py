"""Presets: parameters of a method under a name. They stand in `presets.toml`, each with what it does not protect."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from shoal.errors import ParameterError
from shoal.util.wording import there_are

PRESET = "preset"  # what names one, on the command line, in Python and in files of options


@dataclass(frozen=True)
class Preset:
    """A name for some parameters of a method, what they are for, and what they do not protect."""

    name: str
    use: str
    does_not_protect: str
    values: Mapping[str, Any]

    @property
    def written(self) -> str:
        """The parameters in one line."""
        return ", ".join(f"{name} = {value}" for name, value in self.values.items())


def presets_of(method: str) -> Mapping[str, Preset]:
    """The presets of a method by their names; most methods have none."""
    told = _tables().get(method, {})
    return {name: Preset(name, preset["for"], preset["not"], preset["values"]) for name, preset in told.items()}


def with_preset(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters in which a preset is named, with those of the preset that are not given themselves."""
    rest = {name: value for name, value in given.items() if name != PRESET}
    wanted = given.get(PRESET)
    if wanted is None:
        return rest
    known = presets_of(method)
    if not known:
        raise ParameterError(f"the method {method} has no presets", code="unknown-preset", value=wanted)
    if wanted not in known:
        raise ParameterError(
            f"no preset of {method} is called {wanted!r}", code="unknown-preset", hint=there_are(str(wanted), known), value=wanted
        )
    return {**known[wanted].values, **rest}


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files("shoal.methods").joinpath("presets.toml").read_text("utf-8"))

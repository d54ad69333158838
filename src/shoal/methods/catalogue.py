"""The summary, the family and the parameters of every method, for the help of the command line, without loading any method.

A method declares its parameters in its class (`shoal.parameters.param`). `python scripts/method_catalogue.py` writes `catalogue.json` from
these declarations; a test compares the two. Loading all methods to show their help would take seconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Self

from shoal.methods import METHODS
from shoal.methods.bases.families import FAMILIES, Family, family_of
from shoal.parameters import Declared, Param

FILE = "catalogue.json"


@dataclass(frozen=True)
class ListedParameter:
    """What the help says about a parameter.

    Attributes:
        name: Its name in Python.
        help: What it is for.
        default: Its default as a user types it, or None if it has none.
        range: The allowed values.
        is_number: Whether a value is a number with a lower bound.
        is_flag: Whether it is either on or off.
    """

    name: str
    help: str
    default: str | None
    range: str
    is_number: bool
    is_flag: bool

    @classmethod
    def of(cls, declared: Param) -> Self:
        """List a declared parameter."""
        default = declared.default
        shown = None if default is None else {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default)
        return cls(declared.name, declared.help, shown, declared.range, declared.is_number, declared.type is bool)


@dataclass(frozen=True)
class ListedMethod:
    """The catalogue entry of a method: summary, family, and parameters in the order of their declaration."""

    summary: str
    family: str
    parameters: tuple[ListedParameter, ...]

    @classmethod
    def of(cls, method: type[Declared]) -> Self:
        """Make the entry from the declarations of a class."""
        return cls(method.summary(), family_of(method), tuple(map(ListedParameter.of, method.parameters())))


@cache
def listed_methods() -> Mapping[str, ListedMethod]:
    """Read the entries of all methods, by name."""
    content: dict[str, Any] = json.loads(files("shoal.methods").joinpath(FILE).read_text("utf-8"))
    return {
        name: ListedMethod(method["summary"], method["family"], tuple(ListedParameter(**one) for one in method["parameters"]))
        for name, method in content.items()
    }


def listed_method(name: str) -> ListedMethod:
    """Return the entry of a method, from the catalogue or, for a new method that is not in it, from its class."""
    return listed_methods().get(name) or ListedMethod.of(METHODS[name])


def methods_by_family() -> dict[Family, list[str]]:
    """Return the names of the methods of each non-empty family, in the order of the families."""
    found: dict[str, list[str]] = {}
    for name in METHODS:
        found.setdefault(listed_method(name).family, []).append(name)
    return {family: found[family.name] for family in FAMILIES if family.name in found}


def catalogue_text() -> str:
    """Return the content of the catalogue, from the declarations of all methods."""
    listed = {name: asdict(ListedMethod.of(method)) for name, method in METHODS.items()}
    return json.dumps(listed, indent=1, ensure_ascii=False) + "\n"

"""The grid: every method at every setting that was asked for, or a default one that is worth running."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from shoal.data.shape import one
from shoal.errors import ParameterError
from shoal.methods import METHODS, Method
from shoal.parameters import Param

DEFAULT_K = (2, 5, 10, 25)
DEFAULT_KNOWN = (1, 2, 3)


@dataclass(frozen=True)
class Asked:
    """What is compared; where nothing is named, what is worth comparing."""

    methods: tuple[str, ...] = ()
    k: tuple[int, ...] = DEFAULT_K
    known: tuple[int, ...] = DEFAULT_KNOWN
    per: tuple[str, ...] = ("user",)


@dataclass(frozen=True)
class Cell:
    """One method at one setting, on records of one kind."""

    method: str
    settings: tuple[tuple[str, int], ...]
    per: str

    def made(self) -> Method:
        """The method at this setting."""
        return METHODS[self.method](**dict(self.settings))

    @property
    def label(self) -> str:
        """The method and its setting in a few words."""
        return " ".join([self.method, *(f"{name}={value}" for name, value in self.settings)])

    def key(self, data: str) -> str:
        """A name for what comes out of this cell for some data."""
        told = json.dumps([self.method, self.settings, self.per, data], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:24]


@dataclass(frozen=True)
class Left:
    """A method that is not compared, and why."""

    method: str
    why: str


def grid(asked: Asked) -> tuple[list[Cell], list[Left]]:
    """All cells, and the methods that were named but cannot be compared here."""
    cells: list[Cell] = []
    left: list[Left] = []
    for name in asked.methods or [name for name, method in METHODS.items() if method.worth_comparing]:
        why = _unfit(METHODS[name])
        if why:
            left.append(Left(name, why))
        else:
            cells += [Cell(name, settings, per) for per in asked.per for settings in _settings(METHODS[name], asked)]
    if not cells:
        raise ParameterError(f"nothing is left to compare: {left[0].method} {left[0].why}" if left else "no method was named")
    return cells, left


def _unfit(method: type[Method]) -> str:
    """Why a method cannot stand in a comparison of records; nothing where it can."""
    if not method.takes & {"sets", "bags"}:
        return f"takes {one(min(method.takes))}, and records are compared"
    if method.guarantees_nothing:
        return "promises nothing"
    return ""


def _settings(method: type[Method], asked: Asked) -> Iterator[tuple[tuple[str, int], ...]]:
    """Every combination of what the method takes of k and of the number of known items, within the method's own limits."""
    declared = {parameter.name: parameter for parameter in method.parameters()}
    axes = [_within(declared, "k", asked.k), _within(declared, method.known_items, asked.known)]
    yield from (tuple(choice) for choice in product(*(axis for axis in axes if axis)))


def _within(declared: dict[str, Param], name: str | None, values: Sequence[int]) -> list[tuple[str, int]]:
    if name is None or name not in declared:
        return []
    highest: Any = declared[name].maximum
    return [(name, value) for value in values if highest is None or value <= highest]

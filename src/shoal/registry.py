"""A table of named objects, each loaded on first use, so that listing them imports nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

from shoal.errors import ParameterError
from shoal.parameters import unquoted
from shoal.util.wording import there_are

Part = TypeVar("Part")

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_CALL = re.compile(rf'\s*([\w^-]+)\s*(?:\(((?:[^()"]|{_QUOTED})*)\))?\s*', re.DOTALL)
_PIECE = re.compile(rf'(?:[^,"]|{_QUOTED})+', re.DOTALL)


UNKNOWN = {  # codes of the error, by what the table is of
    "attack": "unknown-attack",
    "kind of table": "unknown-kind-of-table",
    "method": "unknown-method",
    "metric": "unknown-metric",
    "model": "unknown-model",
    "paper": "unknown-paper",
}


class LazyTable(Mapping[str, Part], Generic[Part]):
    """A mapping from names to objects at `module:attribute`, which are loaded on first use."""

    def __init__(self, kind: str, places: dict[str, str]) -> None:
        self.kind = kind
        self._places = places

    def __getitem__(self, name: str) -> Part:
        self.refuse_unknown(name)
        module, _, attribute = self._places[name].partition(":")
        return cast(Part, getattr(sys.modules.get(module) or import_module(module), attribute))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def refuse_unknown(self, name: str) -> None:
        """Raise unless an entry has this name. Loads nothing."""
        if name not in self._places:
            raise ParameterError(
                f"no {self.kind} is called {name!r}",
                code=UNKNOWN.get(self.kind, "unknown-name"),
                hint=there_are(name, self._places),
                value=name,
            )

    @property
    def classes(self) -> dict[str, str]:
        """Return the class name and module of each entry."""
        return {attribute: module for module, attribute in (place.split(":") for place in self._places.values())}

    def class_called(self, name: str, module: str) -> Any:
        """Load the class of an entry by the name of the class.

        Args:
            name: The name of the class, such as `Clump`.
            module: The module in which the caller looked for it.

        Returns:
            The class.

        Raises:
            AttributeError: No part has a class of that name.
        """
        places = self.classes
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        return getattr(import_module(places[name]), name)

    def read(self, text: str) -> tuple[str, dict[str, str]]:
        """Parse text such as `k-anonymity(k=5)` into a name and values; a value with commas or parentheses is in double quotes."""
        found = _CALL.fullmatch(text)
        if not found:
            raise ParameterError(
                f"cannot read {text!r} as a {self.kind}", code="unreadable-value", hint="write it as name(parameter=value, ...)"
            )
        name, inside = found.groups()
        values: dict[str, str] = {}
        for piece in filter(None, (p.strip() for p in _PIECE.findall(inside or ""))):
            key, equals, value = piece.partition("=")
            if not equals:
                raise ParameterError(
                    f"cannot read {piece!r} in {text!r}", code="unreadable-value", hint="write it as name(parameter=value, ...)"
                )
            if key.strip() in values:
                raise ParameterError(f"{key.strip()} is given twice in {text!r}", code="duplicate-key")
            values[key.strip()] = unquoted(value.strip())
        return name, values

    def make(self, text: str) -> Any:
        """Make an instance from text such as `k-anonymity(k=5)`."""
        name, values = self.read(text)
        part: Any = self[name]
        return part.parse(values)

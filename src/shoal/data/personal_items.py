"""Items that are private for some people only: pairs of a person and an item, as the value of a declared parameter.

Which items a person keeps private is itself a secret: neither a claim nor a manifest nor a message contains the pairs or their number. A
file is only named here; `shoal.io.read.parameter_files` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from shoal.data.items import A_FILE, A_LIST
from shoal.errors import ParameterError
from shoal.parameters import WrittenAsFile


@dataclass(frozen=True)
class PersonalItems(WrittenAsFile):
    """Pairs of a person and an item that is private for this person; or the file with them, a person, a tab and an item per line; or
    neither, in a claim from a manifest.
    """

    pairs: frozenset[tuple[str, str]] | None = field(default=None, repr=False)
    label: str = field(default="", compare=False)

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """Make pairs from a mapping of people to their items."""
        lists = isinstance(value, Mapping) and all(isinstance(some, Iterable) and not isinstance(some, str) for some in value.values())
        if not lists:
            raise ParameterError("give a file, or a mapping of people to lists of items", code="wrong-type", value=type(value).__name__)
        return cls(frozenset((str(person), str(item)) for person, items in value.items() for item in items))

    @property
    def described(self) -> str:
        """Describe the pairs for the parameters in the manifest."""
        return self.label or (A_FILE if self.file else A_LIST)

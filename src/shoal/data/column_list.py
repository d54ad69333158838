"""Column names as a parameter: separated by commas; a comma or a backslash in a name is escaped by a backslash."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from shoal.errors import ParameterError

_NAME = re.compile(r"((?:[^,\\]|\\.)*)(,|$)", re.DOTALL)


@dataclass(frozen=True)
class ColumnNames:
    """Distinct columns in any order."""

    forms: ClassVar[str] = "COLUMN,..."

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.names or len(set(self.names)) < len(self.names):
            raise ParameterError("name at least one column, and each only once", code="duplicate-column")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the names written by `str`."""
        names, at = [], 0
        while True:
            found = _NAME.match(text, at)
            if found is None:
                raise ParameterError(
                    f"cannot read {text!r} as names of columns", code="unreadable-value", hint="separate them with commas", value=text
                )
            names.append(re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL))
            at = found.end()
            if not found[2]:
                return cls(tuple(names))

    @classmethod
    def of(cls, value: Any) -> Self:
        """Make column names from an object of this class, a sequence of texts, or what `str` writes."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
            return cls(tuple(value))
        raise ParameterError("give a list of names of columns", code="wrong-type")

    @property
    def described(self) -> str:
        """The names as a manifest has them."""
        return str(self)

    def __str__(self) -> str:
        return ",".join(re.sub(r"([,\\])", r"\\\1", name) for name in self.names)

"""A public table as a parameter: what an attacker has about more people than the release contains.

A file is only named here; `shoal.io.read.parameter_files` reads it. A published claim does not contain the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from shoal.errors import ParameterError
from shoal.parameters import WrittenAsFile


@dataclass(frozen=True)
class PublicTable(WrittenAsFile):
    """The rows of a table as text, by column; or the file with them; or neither, in a claim that was read from a manifest."""

    columns: tuple[tuple[str, tuple[str, ...]], ...] | None = None

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """Make a table from a mapping of columns to values, such as a dictionary or a frame's `to_dict(as_series=False)`."""
        if (
            isinstance(value, Mapping)
            and value
            and all(isinstance(some, Sequence) and not isinstance(some, str) for some in value.values())
        ):
            found = tuple((str(name), tuple("" if cell is None else str(cell) for cell in some)) for name, some in value.items())
            if len({len(some) for _, some in found}) == 1:
                return cls(found)
        raise ParameterError("a public table is a file, or a mapping of columns to equally many values", code="wrong-type")

    def column(self, name: str) -> tuple[str, ...] | None:
        """Return the values of a column, if the table has it."""
        return dict(self.columns or ()).get(name)

    def __len__(self) -> int:
        return len(self.columns[0][1]) if self.columns else 0

    def __bool__(self) -> bool:
        return True

"""Profiles: rows of a log for people in groups, each person under a separate pseudonym."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.accounting import Accounting
from shoal.data.tables.rows import PAYLOAD, RowTable
from shoal.errors import ShoalError


@dataclass(frozen=True, eq=False)
class ProfileTable(RowTable):
    """Rows of a log, of which those with one pseudonym form a profile. They are made for a group, and are not rows of the input."""

    kind = "profiles"
    names = ("log",)
    numbered = False
    amounts = ("rows", "profiles")
    shapes = {"": ((("user",), ("time", ""), tuple(PAYLOAD.values()), ("rank", ""), ("url", "")),)}  # noqa: RUF012 (never changed)
    types = {"time": ("time",), "rank": ("integer",), "url": ("text",)}  # noqa: RUF012 (never changed)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pseudonyms is None:
            raise ShoalError("profiles have a column of pseudonyms", code="invalid-table")

    @property
    def of_whom(self) -> str:
        """The pseudonym column."""
        assert self.pseudonyms is not None
        return self.pseudonyms

    def agrees_with(self, account: Accounting) -> bool:
        """Whether the accounting agrees on there being rows at all; their number is not that of the input's rows."""
        return (account["rows"].of_fate("kept", "changed") > 0) == (self.n_rows > 0)

    def facts(self) -> dict[str, int]:
        """Return the numbers of rows and profiles."""
        return {"rows": self.n_rows, "profiles": self.frame[self.of_whom].n_unique()}

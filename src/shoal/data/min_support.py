"""The least support of an item: a number of people, or a share of all people, below which an item is left out in preparation.

Xu, Wang, Fu and Yu (KDD 2008) leave out items below a support of 0.1%. Support is counted in people, since one person may own several
records.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from re import ASCII, fullmatch

from shoal.errors import ParameterError, option

MOST_PEOPLE = 2**31 - 1
_SHARE = r"(\d{1,3}(?:\.\d{1,9})?)%"


@dataclass(frozen=True)
class MinSupport:
    """A least support as the user gave it: `people`, or else a `share` of all people."""

    people: int | None = None
    share: Fraction | None = None
    text: str = ""

    @classmethod
    def parse(cls, value: str | int | MinSupport) -> MinSupport:
        """Return the least support for a number of people (5) or a share of them (0.1%). Raise for anything else."""
        if isinstance(value, MinSupport):
            return value
        text = "" if isinstance(value, bool) else str(value).strip()
        if found := fullmatch(_SHARE, text, ASCII):
            share = Fraction(found[1]) / 100
            if 0 < share <= 1:
                return cls(share=share, text=text)
        elif fullmatch(r"\d{1,10}", text, ASCII) and 1 <= int(text) <= MOST_PEOPLE:
            return cls(people=int(text), text=str(int(text)))
        raise ParameterError(
            f"{option('min-support')} is a number of people such as 5, or a share of all people such as 0.1%, not {value!r}",
            code="out-of-range",
            value=value,
        )

    def of_sample(self, total: int) -> MinSupport:
        """Return the least support for a sample of `total` people: the same share of the sample."""
        return self if self.people is None else MinSupport(share=Fraction(min(self.people, total), max(1, total)), text=self.text)

    def fewest(self, people: int) -> int:
        """Return the number of people who must have an item, among this many people."""
        return self.people if self.share is None else ceil(self.share * people)  # type: ignore[return-value]

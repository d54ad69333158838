"""Templates of confidence bounding as a parameter: `age,zip>illness=flu:0.3;town>illness:0.5`.

Each names the columns that an attacker may know, a sensitive column with one of its values, or with all of them if none is named, and the
largest confidence of the rule from the one to the other. A separator or a backslash in a name is escaped by a backslash.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from shoal.errors import ParameterError
from shoal.parameters import Written

_NAME = r"((?:[^\\,>=:;]|\\.)+)"
_LIST = rf"{_NAME.replace('(', '(?:', 1)}(?:,{_NAME.replace('(', '(?:', 1)})*"
_TEMPLATE = re.compile(rf"({_LIST})>{_NAME}(?:={_NAME})?:([0-9.]+)(;|$)", re.DOTALL)
_NEXT = re.compile(rf"{_NAME}(,|$)", re.DOTALL)


@dataclass(frozen=True)
class Template:
    """Columns that are known, the sensitive column, its value (None: each of its values), and the largest confidence."""

    known: tuple[str, ...]
    sensitive: str
    value: str | None
    h: float

    def __post_init__(self) -> None:
        if not self.known or self.sensitive in self.known or len(set(self.known)) < len(self.known):
            raise ParameterError("a column has two roles in a template", code="column-role-conflict")
        if not 0 <= self.h <= 1:
            raise ParameterError("a confidence is between 0 and 1", code="out-of-range", value=self.h, limit=1)

    @property
    def limit(self) -> Fraction:
        """The largest confidence as it is written."""
        return Fraction(repr(float(self.h)))

    def __str__(self) -> str:
        value = "" if self.value is None else f"={_escaped(self.value)}"
        return f"{','.join(map(_escaped, self.known))}>{_escaped(self.sensitive)}{value}:{self.h:g}"


@dataclass(frozen=True)
class Templates(Written):
    """One template or more."""

    forms: ClassVar[str] = "COLUMN,...>COLUMN=VALUE:H;..."

    each: tuple[Template, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse what `str` writes."""
        found, at = [], 0
        while True:
            one = _TEMPLATE.match(text, at)
            if one is None:
                raise ParameterError(f"cannot read {text!r} as templates", code="unreadable-value", hint=f"write {cls.forms}", value=text)
            known, sensitive, value, h, more = one.groups()
            names = tuple(_plain(name[1]) for name in _NEXT.finditer(known))
            found.append(Template(names, _plain(sensitive), None if value is None else _plain(value), _number(h)))
            at = one.end()
            if not more:
                return cls(tuple(found))

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """Make templates from a list of them or of texts."""
        if isinstance(value, str):
            return cls.parse(value)
        if isinstance(value, (list, tuple)) and value:
            return cls(tuple(one for each in value for one in ((each,) if isinstance(each, Template) else cls.parse(str(each)).each)))
        return super().made_of(value)

    def __str__(self) -> str:
        return ";".join(map(str, self.each))


def _escaped(name: str) -> str:
    return re.sub(r"([\\,>=:;])", r"\\\1", name)


def _plain(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name, flags=re.DOTALL)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"a confidence is a number, not {text!r}", code="unreadable-value", value=text) from None

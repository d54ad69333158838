"""Parameters declared once: type, default, range and help are used for validation, the command line, the config file and the docs.

A method or a model is a frozen dataclass deriving from `Declared` whose fields are made with `param`:

    @dataclass(frozen=True)
    class Clump(Declared):
        k: int = param(5, minimum=2, help="minimum number of people per published record")

A parameter's type is a plain one, or a class that defines how a value is parsed (`parse`), which other values it accepts (`of`) and how its
values are described (`forms`).
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import types
import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from numbers import Integral
from typing import Any, ClassVar, Self

from shoal.errors import ParameterError
from shoal.util.wording import did_you_mean

LARGEST_WHOLE = 2**63 - 1  # what kernels can take


@dataclass(frozen=True)
class Param:
    """The declaration of one parameter."""

    name: str
    type: Any
    default: Any
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: Sequence[str] | None = None
    optional: bool = False

    def parse(self, text: str) -> Any:
        """Parse a value from text, as on a command line or in `k-anonymity(k=5)`."""
        if self.optional and text.lower() in {"none", ""}:
            return None
        if self.type is bool:
            return self._parse_flag(text)
        if hasattr(self.type, "parse"):
            return self.type.parse(text)
        try:
            return self.type(text)
        except ValueError:
            raise ParameterError(f"{self.name} must be {_a(self.type)}, not {text!r}", code="unreadable-value", value=text) from None

    def _parse_flag(self, text: str) -> bool:
        flags = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() not in flags:
            raise ParameterError(f"{self.name} must be yes or no, not {text!r}", code="unreadable-value", value=text)
        return flags[text.lower()]

    def check(self, value: Any) -> Any:
        """Return the value in its declared type. Raise if it is out of range."""
        if value is None and self.optional:
            return None
        if hasattr(self.type, "of"):
            try:
                return self.type.of(value)
            except ParameterError as error:
                raise ParameterError(
                    f"{self.name}: {error.marked_message}", hint=error.marked_hint, rare=error.rare, code=error.code, **error.facts
                ) from None
        if isinstance(value, bool) != (self.type is bool):
            raise ParameterError(f"{self.name} must be {_a(self.type)}, not {value!r}", code="wrong-type", value=value)
        if self.type is float and isinstance(value, int):
            value = float(value) if abs(value) <= LARGEST_WHOLE else math.inf
        if self.type is int and isinstance(value, Integral):
            value = int(value)
        if not isinstance(value, self.type) or value != value:  # noqa: PLR0124 - only NaN differs from itself
            raise ParameterError(f"{self.name} must be {_a(self.type)}, not {value!r}", code="wrong-type", value=value)
        if isinstance(value, float) and not math.isfinite(value):  # no range would catch it
            raise ParameterError(f"{self.name} must be a finite number, not {value}", code="not-finite", value=value)
        if self.choices is not None and value not in self.choices:
            what = f"{self.name} must be one of {', '.join(self.choices)}, not {value!r}"
            raise ParameterError(what, code="unknown-choice", hint=did_you_mean(str(value), self.choices), value=value)
        return self._within(value)

    def _within(self, value: Any) -> Any:
        if self.minimum is not None and value < self.minimum:
            raise ParameterError(
                f"{self.name} must be at least {self.minimum:g}, not {_short(value)}", code="out-of-range", value=value, limit=self.minimum
            )
        if self.maximum is not None and value > self.maximum:
            raise ParameterError(
                f"{self.name} must be at most {self.maximum:g}, not {_short(value)}", code="out-of-range", value=value, limit=self.maximum
            )
        if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
            raise ParameterError(
                f"{self.name} must be at most {LARGEST_WHOLE}, not {_short(value)}", code="out-of-range", value=value, limit=LARGEST_WHOLE
            )
        return value

    @property
    def is_number(self) -> bool:
        """Whether a value is a number with a lower bound."""
        return self.choices is None and self.minimum is not None

    @property
    def range(self) -> str:
        """The allowed values, for listings."""
        if self.choices is not None:
            return " | ".join(self.choices)
        if self.minimum is not None and self.maximum is not None:
            return f"{self.minimum:g} to {self.maximum:g}"
        if self.minimum is not None:
            return f"{self.minimum:g} or more"
        return "yes | no" if self.type is bool else getattr(self.type, "forms", self.type.__name__)


def param(
    default: Any,
    *,
    help: str,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[str] | None = None,
) -> Any:
    """Return a dataclass field that is a declared parameter. Without a range it takes any value of its annotated type."""
    facts = {"help": help, "minimum": minimum, "maximum": maximum, "choices": choices}
    return dataclasses.field(default=default, metadata={"param": facts})


class Written:
    """Base class for types of parameters: how a value is written (`forms`, `parse`), and which other values are accepted (`made_of`)."""

    forms: ClassVar[str]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a value."""
        raise NotImplementedError

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """Convert another value; None unless a subclass supports it."""
        raise ParameterError(f"give {cls.forms}", code="wrong-type", value=type(value).__name__)

    @classmethod
    def of(cls, value: Any) -> Self:
        """Make a value from one of this class, a text as on the command line, or another supported value."""
        if isinstance(value, cls):
            return value
        return cls.parse(value) if isinstance(value, str) else cls.made_of(value)


UNNAMED = "unnamed"  # what a claim has in place of what must not be published


@dataclass(frozen=True)
class WrittenAsFile(Written):
    """A value that is written as the path of its file; without a file it is unnamed, as in a claim that was read from a manifest."""

    file: str | None = field(default=None, kw_only=True)

    forms: ClassVar[str] = "FILE"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the path of a file, or the word that stands for a value that is not there."""
        return cls() if text == UNNAMED else cls(file=text.removeprefix("@"))

    def __str__(self) -> str:
        return UNNAMED if self.file is None else self.file


@dataclass(frozen=True)
class Typed(Written):
    """A value that is kept as typed, and validated on construction."""

    text: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the typed text."""
        return cls(text)

    @property
    def described(self) -> str:
        """Return the manifest entry."""
        return self.text

    def __str__(self) -> str:
        return self.text


class Declared:
    """A frozen dataclass whose fields are declared parameters, which are validated on construction."""

    name: ClassVar[str]
    required_texts: ClassVar[tuple[str, ...]] = ("name",)

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """Raise if a class lacks a declaration that its kind requires."""
        silent = [attribute for attribute in cls.required_texts if not isinstance(getattr(cls, attribute, None), str)]
        if silent:
            raise TypeError(f"{cls.__name__} must define {', '.join(silent)}")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for declared in self.parameters():
            object.__setattr__(self, declared.name, declared.check(getattr(self, declared.name)))

    @classmethod
    def parameters(cls) -> list[Param]:
        """Return the declared parameters in field order."""
        return list(_declared_by(typing.cast(type, cls)))

    @classmethod
    def summary(cls) -> str:
        """Return the first line of the class's docstring."""
        return (cls.__doc__ or "").strip().split("\n", 1)[0]

    @classmethod
    def parse(cls, values: dict[str, str]) -> Self:
        """Make an instance from values written as text. Raise for unknown names."""
        known = {p.name: p for p in cls.parameters()}
        cls.refuse_unknown(values)
        return cls(**{name: known[name].parse(text) for name, text in values.items()})

    @classmethod
    def refuse_unknown(cls, names: Iterable[str]) -> None:
        """Raise if one of these names is not a parameter."""
        known = [p.name for p in cls.parameters()]
        for name in names:
            if name not in known:
                hint = did_you_mean(name, known, f"it takes {', '.join(known) or 'none'}")
                raise ParameterError(f"{cls.name} has no parameter {name!r}", code="unknown-option", hint=hint)

    def values(self) -> dict[str, Any]:
        """Return the parameter values by name."""
        return {p.name: getattr(self, p.name) for p in self.parameters()}

    @property
    def names_files(self) -> bool:
        """Whether a parameter names a file with its values, which is not read yet."""
        return any(getattr(value, "file", None) is not None for value in self.values().values())

    def disclosable_values(self) -> dict[str, Any]:
        """Return the parameter values as text by name; what must not be disclosed is sealed."""
        return self.values()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{n}={quoted(_plain(v))}' for n, v in self.disclosable_values().items() if v is not None)})"


def quoted(text: str) -> str:
    """Format a value for `name(parameter=value)`: in double quotes if it would otherwise be ambiguous."""
    plain = text == text.strip() and not set(text) & set('",()\\')
    return text if plain else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquoted(text: str) -> str:
    """Parse a value written by `quoted`."""
    inside = text.startswith('"') and len(text) > 1
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL) if inside else text


@cache
def _declared_by(kind: type[Any]) -> tuple[Param, ...]:
    """Computed once per class, because reading annotations is slow."""
    hints = typing.get_type_hints(kind)
    fields = dataclasses.fields(kind)
    return tuple(
        Param(name=f.name, default=f.default, **_typed(hints[f.name]), **f.metadata["param"]) for f in fields if "param" in f.metadata
    )


def _typed(hint: Any) -> dict[str, Any]:
    """Return the plain type of an annotation such as `int`, `str | None` or `Literal['a', 'b']`."""
    if typing.get_origin(hint) in {types.UnionType, typing.Union}:
        inner = next(a for a in typing.get_args(hint) if a is not type(None))
        return {"type": inner, "optional": True}
    return {"type": hint, "optional": False}


def _short(value: float) -> str:
    """Format a number for a message; one with hundreds of digits by their number."""
    if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        return f"a number of {len(str(abs(value)))} digits"
    return f"{value:g}"


def _a(kind: type) -> str:
    return {int: "a whole number", float: "a number", str: "a word", bool: "yes or no"}.get(kind, kind.__name__)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return str(value)


def insist_on_text(name: str, value: object) -> None:
    """Raise unless the value of an argument is text. The message contains its type only, because the value may be data."""
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be a text, not a value of type {type(value).__name__}", code="wrong-type", argument=name)


def insist_on_flag(name: str, value: object) -> None:
    """Raise unless the value of an argument is True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be True or False, not a value of type {type(value).__name__}", code="wrong-type", argument=name)


def insist_on_path(name: str, value: object) -> None:
    """Raise unless the value of an argument is a non-empty path."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise ParameterError(f"{name} must be a path, not a value of type {type(value).__name__}", code="wrong-type", argument=name)
    if not os.fspath(value):
        raise ParameterError(f"{name} is an empty path", code="empty-path", argument=name)

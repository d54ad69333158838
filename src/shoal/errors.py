"""Every error a user can meet, in one tree.

    ShoalError                     one clear line, an optional hint, and the facts behind them
    ├── ParameterError             a parameter's value is wrong (exit 1)
    ├── InputError                 a user's file cannot be used (exit 1)
    │   └── TaxonomyError          ... and it is the hierarchy
    ├── OutputError                the release cannot be written (exit 1)
    ├── Infeasible                 no release with this guarantee exists for this data (exit 1)
    ├── GuaranteeNotMet            a claim does not hold; nothing was written (exit 3)
    ├── OutOfPatience              a claim takes too long to verify, so it is not verified (exit 3)
    └── Cancelled                  the run was cancelled; nothing was left behind (exit 1)

No message ever contains a user ID, a raw query or a record. Names of items that few people have are in `rare`, apart from the message.

A message refers to an option with `option(...)`, which marks its name and value instead of spelling them. Each front end spells the marks:
those of the command line are in `shoal.cli.screen`, Python's are here: `per="session"`. docs/errors.md lists all codes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

MOST_NAMED = 5
KEYWORDS = {"other-release": "other_releases", "sql": "query", "from": "source"}  # options that Python calls otherwise
OPPOSITES = {"bag": "set"}  # flags whose opposite has a name of its own

# Marks are noncharacters of Unicode, which are for use inside a program: files and data do not contain them.
_OPEN, _VALUE, _CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
_MARKED = re.compile(f"{_OPEN}([a-z0-9-]+)(?:{_VALUE}([a-z]+):([^{_OPEN}{_VALUE}{_CLOSE}]*))?{_CLOSE}( (?={_OPEN}))?")
_ESCAPED = str.maketrans({mark: f"\\u{ord(mark):04x}" for mark in (_OPEN, _VALUE, _CLOSE)})

Value = str | int | float | bool
Speller = Callable[[str, Value | None, bool], str]


def option(name: str, value: Value | None = None, *, placeholder: str = "") -> str:
    """Refer to an option in a message, for the front end to spell.

    Options that are separated by one space belong together: Python separates them by a comma.

    Args:
        name: The option's name with hyphens, such as `keep-column`.
        value: The value to show with it. True and False are for flags: `option("header", False)` is `header=False` in Python.
        placeholder: Instead of a value, a word that represents any value, such as `FILE`.

    Returns:
        A text with marks, to be put into a message, hint, note or warning.
    """
    name = name.replace("_", "-")
    if placeholder:
        return f"{_OPEN}{name}{_VALUE}any:{placeholder.translate(_ESCAPED)}{_CLOSE}"
    return (
        f"{_OPEN}{name}{_CLOSE}"
        if value is None
        else f"{_OPEN}{name}{_VALUE}{type(value).__name__}:{str(value).translate(_ESCAPED)}{_CLOSE}"
    )


def spell(text: str, speller: Speller, between: str) -> str:
    """Spell the marked options of a text.

    Args:
        text: A text that may contain marks.
        speller: Spells one option from its name, its value, and whether the value is a placeholder.
        between: The separator of options that belong together.
    """
    if _OPEN not in text:
        return text

    def replace(found: re.Match[str]) -> str:
        name, kind, value, together = found.groups()
        spelled = speller(name, _parsed(kind, value), kind == "any")
        return spelled if together is None else spelled + (between if kind else " ")

    return _MARKED.sub(replace, text)


def options_of(text: str) -> tuple[str, ...]:
    """Return the distinct names of the marked options in a text."""
    return tuple(dict.fromkeys(found[1] for found in _MARKED.finditer(text)))


def in_python(text: str) -> str:
    """Spell the marked options of a text as keywords of Python, such as `per="session"`."""
    return spell(text, _keyword, ", ")


def _parsed(kind: str | None, value: str) -> Value | None:
    if kind is None:
        return None
    return {"bool": lambda: value == "True", "int": lambda: int(value), "float": lambda: float(value)}.get(kind, lambda: value)()


def _keyword(name: str, value: Value | None, placeholder: bool) -> str:
    keyword = KEYWORDS.get(name, name.replace("-", "_"))
    if value is None:
        return keyword
    quoted = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if isinstance(value, str) and not placeholder else str(value)
    return f"{keyword}={quoted}"


class ShoalError(Exception):
    """Base of all errors: a message for people, a hint on what to do, and a code and facts for programs.

    Attributes:
        message: What is wrong, with options spelled as keywords of Python.
        hint: What to do about it, spelled in the same way; may be empty.
        code: A name for the problem, such as `unknown-method`. It stays the same when the wording changes.
        facts: Values that belong to the problem, by name.
        options: The names of the options that the message and the hint refer to.
        rare: Names from the data that few people may hold: to be shown to nobody but who asks for them.
        marked_message: The message with marked options, for front ends and for errors that quote this one.
        marked_hint: The hint with marked options.
        exit_code: What the command line exits with.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", code: str = "unspecified", rare: Sequence[str] = (), **facts: object) -> None:
        super().__init__(message)
        self.marked_message = message
        self.marked_hint = hint
        self.code = code
        self.rare = tuple(rare)
        self.facts = facts

    @property
    def message(self) -> str:
        """What is wrong, with options spelled as keywords of Python."""
        return in_python(self.marked_message)

    @property
    def hint(self) -> str:
        """What to do about it, with options spelled as keywords of Python."""
        return in_python(self.marked_hint)

    @property
    def options(self) -> tuple[str, ...]:
        """The names of the options that the message and the hint refer to."""
        return options_of(self.marked_message + self.marked_hint)

    @property
    def marked(self) -> str:
        """Message and hint in one line, with marked options."""
        return f"{self.marked_message} ({self.marked_hint})" if self.marked_hint else self.marked_message

    def naming(self, show: bool, names_them: str) -> None:
        """Put the rare names into the message, as far as they fit, or put into the hint where they are shown.

        Args:
            show: Whether the rare names may be shown.
            names_them: What shows them otherwise, such as an option.
        """
        if self.rare and show:
            more = len(self.rare) - MOST_NAMED
            self.marked_message += f": {', '.join(self.rare[:MOST_NAMED])}" + (f" and {more:,} more" if more > 0 else "")
        elif self.rare:
            hint = f"{names_them} names them"
            if not self.marked_hint.endswith(hint):
                self.marked_hint = f"{self.marked_hint}; {hint}" if self.marked_hint else hint

    def __str__(self) -> str:
        return in_python(self.marked)


class ParameterError(ShoalError):
    """A parameter is out of its range, of the wrong type, or in conflict with another."""


class InputError(ShoalError):
    """A file of the user cannot be read in the given format."""


class TaxonomyError(InputError):
    """A hierarchy is not a tree: a cycle, two parents, two roots."""


class OutputError(ShoalError):
    """The release cannot be written where it should go."""


class Infeasible(ShoalError):
    """No release of this data can give the guarantee that was requested."""


class GuaranteeNotMet(ShoalError):
    """A release fails one of its claims. Nothing is written."""

    exit_code = 3


class OutOfPatience(ShoalError):
    """Verifying takes more work or memory than is allowed. What was not verified does not count as verified."""

    exit_code = 3


class Cancelled(ShoalError):
    """The run was cancelled by whoever started it. Nothing is left behind."""


class ReleaseWarning(str):
    """A sentence about a release that is dangerous, or of little use, although its claims hold; `code` is its name for programs."""

    __slots__ = ("code",)

    code: str

    def __new__(cls, code: str, text: str) -> ReleaseWarning:
        """Make a warning from a code and a sentence."""
        made = super().__new__(cls, text)
        made.code = code
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return ReleaseWarning, (self.code, str(self))

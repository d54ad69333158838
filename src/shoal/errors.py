"""Every error a user can meet, in one tree.

    ShoalError                     one clear line, an optional hint, and the facts behind them
    ├── ParameterError             a parameter's value is wrong (exit 1)
    ├── InputError                 a user's file cannot be used (exit 1)
    │   └── TaxonomyError          ... and it is the hierarchy
    ├── OutputError                the release cannot be written (exit 1)
    ├── Infeasible                 no release with this guarantee exists for this data (exit 1)
    ├── MissingExtra               an optional part is not installed (exit 1)
    ├── Interrupted                the user stopped the work (exit 1)
    └── GuaranteeNotMet            a claim does not hold; nothing was written (exit 3)

No message ever carries an owner id, a raw query or a record.
"""

from __future__ import annotations


class ShoalError(Exception):
    """Base of all: a message for people, a hint on what to do, facts for programs, and the exit code."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.facts = facts

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ParameterError(ShoalError):
    """A parameter is out of its range, of the wrong type, or in conflict with another."""


class InputError(ShoalError):
    """A file the user named cannot be read as what it was said to be."""


class TaxonomyError(InputError):
    """A hierarchy is not a tree: a cycle, two parents, two roots."""


class OutputError(ShoalError):
    """The release cannot be written where it should go."""


class Infeasible(ShoalError):
    """No release of this data can give the guarantee that was asked for."""


class MissingExtra(ShoalError):
    """An optional dependency is missing; the hint holds the line that installs it."""


class Interrupted(ShoalError):
    """The user stopped the work; nothing was written."""


class GuaranteeNotMet(ShoalError):
    """A release fails one of its claims. Nothing is written."""

    exit_code = 3

"""Every error a user can meet, in one tree.

    ShoalError                     one clear line, an optional hint, and the facts behind them
    ├── ParameterError             a parameter's value is wrong (exit 1)
    ├── InputError                 a user's file cannot be used (exit 1)
    │   └── TaxonomyError          ... and it is the hierarchy
    ├── OutputError                the release cannot be written (exit 1)
    ├── Infeasible                 no release with this guarantee exists for this data (exit 1)
    ├── GuaranteeNotMet            a claim does not hold; nothing was written (exit 3)
    └── OutOfPatience              a claim takes too long to verify, so it is not verified (exit 3)

No message ever carries an owner id, a raw query or a record. Names of items that few people hold are in `rare`, apart from the message.
"""

from __future__ import annotations

from collections.abc import Sequence

MOST_NAMED = 5


class ShoalError(Exception):
    """Base of all: a message for people, a hint on what to do, facts for programs, and the exit code.

    `rare` are names from the data that few people may hold: to be shown to nobody but who asks for them.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "", rare: Sequence[str] = (), **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.rare = tuple(rare)
        self.facts = facts

    def naming(self, show: bool, option: str) -> None:
        """Put the rare names into the message, as far as they fit, or say with which option they are shown."""
        if self.rare and show:
            more = len(self.rare) - MOST_NAMED
            self.message += f": {', '.join(self.rare[:MOST_NAMED])}" + (f" and {more:,} more" if more > 0 else "")
        elif self.rare:
            self.hint = f"{self.hint}; {option} names them" if self.hint else f"{option} names them"

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


class GuaranteeNotMet(ShoalError):
    """A release fails one of its claims. Nothing is written."""

    exit_code = 3


class OutOfPatience(ShoalError):
    """Verifying takes more work or memory than is allowed. What was not verified does not count as verified."""

    exit_code = 3

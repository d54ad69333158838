"""Findings: what a file contains beyond its content, its name, and whether it can carry free text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LONGEST_NAME = 60


@dataclass(frozen=True)
class Finding:
    """One thing in a file that is not content.

    Attributes:
        name: The name under which a user can allow it, such as `metadata:pandas`.
        words: What it is, for a message that begins with the name of the file.
        style: Whether it is only a way of writing, such as other line ends. In a file that another tool wrote, style is named and
            everything else fails; in a release directory both fail.
    """

    name: str
    words: str
    style: bool = False


def carries(name: str, words: str) -> Finding:
    """Return a finding that can carry free text."""
    return Finding(name, words)


def styled(words: str) -> Finding:
    """Return a finding that is only a style of writing."""
    return Finding(words, words, style=True)


def short(name: str) -> str:
    """Return a name from a file, truncated for a message."""
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "..."


def different(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the distinct findings."""
    return tuple(dict.fromkeys(findings))

"""Mutants that no test can notice, each with the reason, as listed in `equivalent.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mutants.change import Mutant

LIST = Path(__file__).with_name("equivalent.toml")
EVERY = "*"  # in place of a change: all mutants of a constant


class Equivalents:
    """The listed mutants. An entry names a file, the function or constant, and the change, so it survives edits elsewhere in the file.

    `number` selects one of several equal changes in one function; without it, an entry is about all of them.
    """

    def __init__(self, path: Path = LIST) -> None:
        listed: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])
        self._reasons: dict[tuple[str, str, str, int], str] = {}
        for entry in listed:
            changes = entry["change"] if isinstance(entry["change"], list) else [entry["change"]]
            for change in changes:
                self._reasons[entry["file"], entry["where"], change, entry.get("number", 0)] = entry["reason"]

    def reason(self, file: str, mutant: Mutant) -> str | None:
        """Why a mutant of a file makes no difference, if that is known."""
        keys = _keys(file, mutant)
        return next((self._reasons[key] for key in keys if key in self._reasons), None)

    def unmatched(self, every: Iterable[tuple[str, Mutant]]) -> list[str]:
        """The entries that are about no mutant of these, which must be all."""
        met = {key for file, mutant in every for key in _keys(file, mutant)}
        return [" | ".join(map(str, key)) for key in self._reasons if key not in met or (key[2] == EVERY and not _constant(key[1]))]


def _keys(file: str, mutant: Mutant) -> list[tuple[str, str, str, int]]:
    return [(file, mutant.where, change, number) for change in (mutant.change, EVERY) for number in (0, mutant.number)]


def _constant(where: str) -> bool:
    return where.rpartition(".")[2].isupper()

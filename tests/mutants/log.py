"""The log of a run: what became of each mutant, one line of JSON each; a later line replaces an earlier one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mutants.change import Mutant
from mutants.equivalent import Equivalents

KILLED, LATE, PASSED, EQUIVALENT = "killed", "too slow", "survived", "equivalent"
Key = tuple[str, str, str, int]
Named = tuple[str, Mutant]  # a mutant with the name of its file


class Log:
    """What is known of mutants, by file, place, change and number."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []
        self._known: dict[Key, dict[str, Any]] = {}
        for line in map(json.loads, lines):
            self._known[line["file"], line["where"], line["change"], line["number"]] = line

    def end(self, name: str, mutant: Mutant, *, current: bool = False) -> str | None:
        """What became of a mutant; None if it was not tried, or (`current`) if its function has changed since."""
        line = self._known.get(_key(name, mutant))
        return None if line is None or (current and line["state"] != mutant.state) else str(line["end"])

    def add(self, name: str, mutant: Mutant, end: str, seconds: float) -> None:
        """Record what became of a mutant."""
        file, where, change, number = key = _key(name, mutant)
        line = {"file": file, "where": where, "change": change, "number": number, "line": mutant.line, "end": end, "seconds": seconds}
        self._known[key] = line | {"state": mutant.state}
        if self._path:
            with self._path.open("a", encoding="utf-8") as file_of_log:
                file_of_log.write(json.dumps(self._known[key]) + "\n")


def _key(name: str, mutant: Mutant) -> Key:
    return name, mutant.where, mutant.change, mutant.number


def ends_of(log: Log, every: Iterable[Named], listed: Equivalents) -> list[tuple[str, Mutant, str]]:
    """The end of each mutant that was tried or is listed as equivalent."""
    found = []
    for name, mutant in every:
        end = EQUIVALENT if listed.reason(name, mutant) else log.end(name, mutant)
        if end:
            found.append((name, mutant, end))
    return found


def summary(found: Iterable[tuple[str, Mutant, str]]) -> str:
    """The numbers of mutants by file and end, as a table of the documentation, and the share of killed ones."""
    counts: dict[str, Counter[str]] = {}
    for name, _, end in found:
        counts.setdefault(name, Counter())[KILLED if end == LATE else end] += 1
    counts = dict(sorted(counts.items()))
    counts["all"] = sum(counts.values(), Counter[str]())
    ends = [KILLED, *sorted(set(counts["all"]) - {KILLED, EQUIVALENT}), EQUIVALENT]
    rows = [["file", "mutants", *ends], ["---", *["---:"] * (len(ends) + 1)]]
    rows += [[f"`{name}`", str(of.total()), *(str(of[end]) for end in ends)] for name, of in counts.items()]
    differing = counts["all"].total() - counts["all"][EQUIVALENT]
    share = f"{counts['all'][KILLED]} of {differing} mutants that may make a difference were killed"
    return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", share])


def survivors(found: Iterable[tuple[str, Mutant, str]]) -> str:
    """The mutants that were not killed, in the order of files and lines."""
    left = [
        (name, mutant.line, f"[{end}] {mutant.where}: {mutant.change}")
        for name, mutant, end in found
        if end not in {KILLED, LATE, EQUIVALENT}
    ]
    return "\n".join(f"{name}:{line} {what}" for name, line, what in sorted(left))

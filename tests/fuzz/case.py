"""A random command: what was drawn for it, and what the checker must know of it. Imports nothing of shoal."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

Value = str | bool | list[str]
Drawn = TypeVar("Drawn")


@dataclass
class Case:
    """One command on files of its own.

    `said` holds the options as typed, `form` says how the input is written, and `owners` are the names of people, which no file of a
    release may hold. `chosen` are the items that an option selects, by the option's name. `then` is what is typed after a release.
    """

    number: int
    method: str
    form: str
    inputs: list[str]
    said: dict[str, Value] = field(default_factory=dict)
    owners: list[str] = field(default_factory=list)
    chosen: dict[str, list[str]] = field(default_factory=dict)
    then: list[str] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """The command as typed, without the name of the release."""
        typed = ["anonymize", *self.inputs]
        if "rules" not in self.said:
            typed += ["--method", self.method]
        for name, value in self.said.items():
            if isinstance(value, bool):
                typed.append(f"--{name}" if value else f"--no-{name}")
            else:
                typed += [part for one in ([value] if isinstance(value, str) else value) for part in (f"--{name}", one)]
        return typed

    def text(self, name: str, default: str) -> str:
        """The value of an option, or its default."""
        value = self.said.get(name, default)
        assert isinstance(value, str), name
        return value

    def number_of(self, name: str, default: int) -> int:
        """The value of an option that is a whole number."""
        return int(self.text(name, str(default)))

    def flag(self, name: str) -> bool:
        """Whether an option without a value was typed."""
        return self.said.get(name) is True


class Draw:
    """Random choices for one case, and the directory that its files are written to."""

    def __init__(self, number: int, method: str, directory: Path) -> None:
        self.rng = random.Random(f"shoal {number}")
        self.number, self.method, self.directory = number, method, directory

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return self.rng.random() < share

    def one(self, choices: Sequence[Drawn]) -> Drawn:
        """One of these."""
        return self.rng.choice(choices)

    def some(self, choices: Sequence[Drawn], most: int) -> list[Drawn]:
        """At least one and at most so many of these."""
        return self.rng.sample(list(choices), self.rng.randint(1, max(1, min(most, len(choices)))))

    def file(self, name: str, text: str) -> str:
        """Write a file and return its name."""
        (self.directory / name).write_text(text, encoding="utf-8")
        return name

    def people(self, n: int) -> list[str]:
        """Names of people that stand nowhere else: a search through all files finds them if they are published."""
        return [f"zq{self.rng.randrange(36**7):07x}w{i}" for i in range(n)]

    def listed(self, case: Case, option: str, names: Sequence[str]) -> None:
        """Give an option that selects items, as a file or as a list."""
        case.chosen[option] = sorted(names)
        if self.chance(0.5):
            case.said[option] = self.file(f"{option}.txt", "".join(f"{name}\n" for name in sorted(names)))
        else:
            case.said[option] = "items:" + "|".join(quote(name, safe="") for name in sorted(names))

    def options(self, case: Case, table: dict[str, list[str | bool]], share: float = 0.4) -> None:
        """Type each of these options with a chance, with one of its values."""
        for name, choices in table.items():
            if self.chance(share):
                case.said[name] = self.one(choices)

    def output(self, case: Case, formats: Sequence[str], *, layouts: bool = False) -> None:
        """How the release is written, and where the work is done."""
        case.said["to"] = form = self.one(formats)
        if layouts and form != "transactions" and self.chance(0.2):
            case.said["layout"] = "long"
        if form == "transactions" and self.chance(0.5):
            case.said["to-sep"] = self.one([",", ";", "|", " "])
        if self.chance(0.15):
            case.said["threads"] = self.one(["1", "2", "3"])
        if self.chance(0.75):  # the table on the screen takes a tenth of the time of a small run
            case.said["json"] = True


FRAMES = ("jsonl", "jsonl", "parquet", "csv", "xlsx")
EVERY = (*FRAMES, "transactions")

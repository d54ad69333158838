"""A random command: what was drawn for it, and what the checker must know of it. Imports nothing of shoal."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

Value = str | bool | list[str]
Drawn = TypeVar("Drawn")


@dataclass
class Case:
    """One command on files of its own.

    `said` holds the options as typed, `form` says how the input is written, and `owners` are the names of people, which no file of a
    release may hold. `chosen` are the items that an option selects, by the option's name. `then` is what is typed after a release,
    `twist` in which way the input is unusual.
    """

    number: int
    method: str
    form: str
    inputs: list[str]
    said: dict[str, Value] = field(default_factory=dict)
    owners: list[str] = field(default_factory=list)
    chosen: dict[str, list[str]] = field(default_factory=dict)
    then: list[str] = field(default_factory=list)
    twist: str = ""

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
        aside = random.Random(f"twist {number}")
        self.twist = aside.choice(TWISTS) if aside.random() < TWISTED else ""

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
        return [f"{self.script(i)}zq{self.rng.randrange(36**7):07x}w{i}" for i in range(n)]

    def script(self, number: int) -> str:
        """The first letters of a name; in one of many scripts where this was drawn, and none otherwise."""
        return SCRIPTS[number % len(SCRIPTS)] if self.twist == "scripts" else ""

    def begin(self, usual: datetime) -> datetime:
        """The time at which the data begin."""
        return EARLY[self.number % len(EARLY)] if self.twist == "early" else usual

    def twisted(self, records: list[list[list[str]]]) -> list[list[list[str]]]:
        """Records of people, made unusual where this was drawn; by the person, then by the record."""
        everything = [record for person in records for record in person]
        if self.twist == "one owner":
            return [[*records[0], *(list(record) for record in everything[: len(everything) // 2])], *records[1:]]
        if self.twist == "identical":
            return [[list(everything[0]) for _ in person] for person in records]
        if self.twist == "everywhere":
            return [[[*record, everything[0][0]] for record in person] for person in records]
        return records

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


TWISTED = 0.2  # share of cases with unusual input
# One person owns a third of the records, all records are alike, one item is in all of them, times before 1970 or at a leap, names of people
# and items in other scripts.
TWISTS = ("one owner", "identical", "everywhere", "early", "scripts")
EARLY = [datetime(1969, 12, 31, 23, 59, 50), datetime(1901, 12, 14), datetime(2016, 12, 31, 23, 59, 58), datetime(2000, 2, 29)]
SCRIPTS = ["Борис", "Ωμέγα", "山田", "あい", "مريم", "שלום", "प्रिया", "ชัย", "한글", "𐍈", "é", "e\u0301", "🦀"]
FRAMES = ("jsonl", "jsonl", "parquet", "csv", "xlsx")
EVERY = (*FRAMES, "transactions")

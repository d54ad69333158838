"""Typing commands: in this process where that will do, in one of their own where signals, streams or imports matter."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shoal.cli import main
from shoal.cli.main import run
from shoal.errors import ShoalError, option

FOOD = """child,parent
Fruit,Food
Meat,Food
Dairy,Food
Apple,Fruit
Orange,Fruit
Banana,Fruit
Beef,Meat
Chicken,Meat
Milk,Dairy
Cheese,Dairy
Butter,Dairy
"""
MARKS = set(option("x", "y")) - set("xystr:")  # of options in messages, for front ends to spell
ITEMS = ("Apple", "Orange", "Banana", "Beef", "Chicken", "Milk", "Cheese", "Butter")


@dataclass(frozen=True)
class Answer:
    """What a command left behind on the two streams, its exit code, and its error where it ran in this process."""

    code: int
    out: str
    err: str
    error: ShoalError | None = None

    @property
    def everything(self) -> str:
        return self.out + self.err


class Shell:
    """A directory in which commands are typed."""

    def __init__(self, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.directory = directory
        self._capsys = capsys

    def __call__(self, *words: str | Path) -> Answer:
        """A command of shoal in this process."""
        self._capsys.readouterr()
        with raised_errors() as raised:
            code = run([str(word) for word in words])
        streams = self._capsys.readouterr()
        assert not MARKS.intersection(streams.out + streams.err), "an option was printed without being spelled"
        return Answer(code, streams.out, streams.err, raised[0] if raised else None)

    def file(self, name: str, content: str | bytes) -> Path:
        place = self.directory / name
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return place

    def names(self) -> set[str]:
        """All that is in the directory, hidden or not."""
        return {entry.name for entry in self.directory.iterdir()}


@contextmanager
def raised_errors() -> Iterator[list[ShoalError]]:
    """Collects the error of a command that runs in this process, before it becomes a line."""
    raised: list[ShoalError] = []
    invoke = main._invoke

    def recording(arguments: list[str]) -> Any:
        try:
            return invoke(arguments)
        except ShoalError as error:
            raised.append(error)
            raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "_invoke", recording)
        yield raised


def typed(*words: str | Path, env: dict[str, str] | None = None, stdout: int = subprocess.PIPE) -> Answer:
    """A command of shoal in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "shoal", *map(str, words)],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**clean_environment(), **(env or {})},
        timeout=120,
        check=False,
    )
    return Answer(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


def clean_environment() -> dict[str, str]:
    """The environment without what would change how the command shows things."""
    return {name: value for name, value in os.environ.items() if name not in {"SHOAL_DEBUG", "COLUMNS", "FORCE_COLOR"}}


def one_line(answer: Answer, code: int = 1) -> str:
    """The one clear line of a command that failed; before it there may be notes on how the input was understood."""
    assert answer.code == code, answer
    assert answer.out == "", answer
    assert "Traceback" not in answer.err
    line = last_line(answer.err)
    assert "unexpected error" not in line
    return line


def failed(answer: Answer, code: str, /, exit_code: int = 1, **facts: object) -> str:
    """Assert that a command failed with one clear line and this error code, whose facts include these. Returns the line."""
    line = one_line(answer, exit_code)
    assert answer.error is not None, line
    assert answer.error.code == code, (answer.error.code, line)
    assert facts.items() <= answer.error.facts.items(), answer.error.facts
    return line


def last_line(err: str) -> str:
    """The last line of an error stream, which is the only one that says what failed."""
    *notes, line = err.splitlines()
    assert line.startswith("shoal: "), err
    assert not any(note.startswith("shoal: ") for note in notes), err
    return line


def baskets(n: int = 40, seed: int = 1) -> str:
    """Transaction lines of one to four foods."""
    rng = random.Random(seed)
    return "".join(",".join(sorted(rng.sample(ITEMS, rng.randint(1, 4)))) + "\n" for _ in range(n))


def query_log(users: int = 30, queries: int = 3, seed: int = 2) -> str:
    """A small query log with AOL's columns, of words that WordNet knows."""
    rng = random.Random(seed)
    words = ["dog", "cat", "house", "tree", "car", "river", "music", "bread", "cheese", "guitar", "piano", "tennis"]
    rows = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user in range(users):
        for query in range(queries):
            rows.append(f"{user + 1000}\t{' '.join(rng.sample(words, 2))}\t2006-03-0{query + 1} 10:{user % 60:02}:00\t\t")
    return "\n".join(rows) + "\n"

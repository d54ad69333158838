"""The documentation's examples: found in the pages, run as a reader would type them, and compared with what the page shows.

Fenced blocks, page by page and in their order, in one directory:

* a block whose first line names a file (three backticks, `json food.json`) is that file;
* `console`: a line `$ command` is typed, the lines below it are what it prints. A line `...` stands for any lines;
* `pycon`: a Python dialogue, as doctest reads it; it goes on where the one before ended.

All other blocks are only shown.

A comment on the line above a `console` block states what its commands must print, whatever the page shows below them:

    <!-- expect: exit 3, "DOES NOT HOLD", not "all claims hold" -->

`exit 3` wants the line `exit code 3`, a quoted text must occur in the output, and one after `not` must not. Line breaks do not count.
Refreshing the pages does not change what is expected, so an example that no longer shows what the text says of it fails.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(.*)$")
EXPECTED = re.compile(r"^<!-- expect: (.+) -->$")
EXPECTED_PART = re.compile(r'exit (?P<code>\d+)|(?P<no>not )?"(?P<text>[^"]*)"')
TAMPERS = re.compile(r'echo "exit code \$\?"|sed -i|write_parquet\(')  # commands of examples that show a failure, or bring one about
ANY_LINES = "..."
NOTEBOOK = ".ipynb"

# A command of shoal without anything that only a shell can do, but for telling the exit code.
ALONE = re.compile(r"""(shoal [^|;<>&$`*?]*)(; echo "exit code \$\?")?""")


@dataclass(frozen=True)
class Expectation:
    """What the commands of a block must print, and what not; `code` is the exit code that they tell."""

    code: int | None
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Expectation:
        """From a comment such as `exit 3, "DOES NOT HOLD"`; an error where it is written in another way."""
        parts = list(EXPECTED_PART.finditer(text))
        assert parts and EXPECTED_PART.sub("", text).replace(",", "").strip() == "", f"an expectation that cannot be read: {text}"
        codes = [int(part["code"]) for part in parts if part["code"]]
        assert len(codes) <= 1, f"several exit codes are expected: {text}"
        texts = [(part["text"], bool(part["no"])) for part in parts if part["text"] is not None]
        return cls(codes[0] if codes else None, tuple(text for text, no in texts if not no), tuple(text for text, no in texts if no))

    def unmet(self, printed: list[str]) -> list[str]:
        """What of it the output does not fulfil."""
        flat = " ".join(" ".join(printed).split())
        wrong = [] if self.code is None or f"exit code {self.code}" in printed else [f"exit code {self.code} is expected"]
        wrong += [f"{text!r} is expected" for text in self.wanted if text not in flat]
        return wrong + [f"{text!r} must not be there" for text in self.unwanted if text in flat]


@dataclass(frozen=True)
class Block:
    """A fenced block: its kind, the file it is (if it is one), its lines, where they stand in the page (from 0), and what is expected."""

    kind: str
    file: str
    lines: list[str]
    start: int
    expected: Expectation | None = None


def pages() -> list[Path]:
    """All pages of the documentation."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def notebooks() -> list[Path]:
    """All notebooks of the documentation."""
    return sorted((ROOT / "docs").rglob(f"*{NOTEBOOK}"))


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    lines = text.split("\n")
    opened: int | None = None
    for at, line in enumerate(lines):
        fence = FENCE.match(line)
        if fence and opened is None:
            opened = at
        elif fence and opened is not None:
            kind, _, file = lines[opened].removeprefix("```").partition(" ")
            above = EXPECTED.match(lines[opened - 1]) if opened else None
            assert above is None or kind == "console", f"line {opened}: something is expected of a block that is not run"
            yield Block(kind, file.strip(), lines[opened + 1 : at], opened + 1, Expectation.read(above[1]) if above else None)
            opened = None
    assert opened is None, f"a block that begins in line {opened} is never closed"


@dataclass
class Typed:
    """A command of a console block and what the page shows below it."""

    command: str
    shown: list[str]
    start: int  # the line below the command, within the block


def typed(block: Block) -> list[Typed]:
    """The commands of a console block."""
    found: list[Typed] = []
    for at, line in enumerate(block.lines):
        if line.startswith("$ "):
            found.append(Typed(line.removeprefix("$ "), [], at + 1))
        else:
            assert found, f"line {block.start + at + 1} is the output of no command"
            found[-1].shown.append(line)
    return found


class Reader:
    """Somebody who follows a page to the letter in a directory of their own."""

    def __init__(self, directory: Path) -> None:
        self.home = directory / "home"
        self.tools = directory / "tools"
        self.names: dict[str, object] = {}  # what Python dialogues of the page have defined so far
        for made in (self.home, self.tools):
            made.mkdir()
        for name, line in {"shoal": "-m shoal", "python": ""}.items():
            tool = self.tools / name
            tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" {line} "$@"\n')
            tool.chmod(0o755)

    def save(self, block: Block) -> None:
        """Save a block under its name."""
        (self.home / block.file).write_text("\n".join(block.lines) + "\n", encoding="utf-8")

    def type(self, command: str) -> list[str]:
        """What a command prints, on both streams. It must succeed."""
        plain = ALONE.fullmatch(command)
        text, code = self._run_here(plain[1], bool(plain[2])) if plain else self._run_in_shell(command)
        assert code == 0, f"$ {command}\nleft with {code} and printed\n{text}"
        return [line.rstrip() for line in text.rstrip("\n").split("\n")] if text.strip() else []

    def _run_here(self, command: str, tell_code: bool) -> tuple[str, int]:
        """Run shoal in this process, which has its imports behind it."""
        from shoal.cli import main, screen

        screen.out.width = screen.WIDTH_IN_A_PIPE
        printed = io.StringIO()
        with contextlib.chdir(self.home), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = main.run(shlex.split(command)[1:])
            if tell_code:
                print(f"exit code {code}")
        return printed.getvalue(), 0 if tell_code else code

    def _run_in_shell(self, command: str) -> tuple[str, int]:
        plain = {"PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "PATH": f"{self.tools}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.home,
            env={**os.environ, **plain},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=120,
        )
        return done.stdout, done.returncode

    def talk(self, block: Block, page: str) -> list[str]:
        """What went wrong in a Python dialogue."""
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        dialogue = doctest.DocTestParser().get_doctest("\n".join(block.lines) + "\n", {}, page, page, block.start)
        dialogue.globs = self.names
        wrong: list[str] = []
        with contextlib.chdir(self.home):
            doctest.DocTestRunner(optionflags=flags, verbose=False).run(dialogue, out=wrong.append, clear_globs=False)
        return wrong


def agrees(shown: list[str], printed: list[str]) -> bool:
    """Whether what is shown is what was printed, line by line; `...` stands for any lines."""
    wanted = [line.rstrip() for line in shown]
    while wanted and not wanted[-1]:
        wanted.pop()
    pattern = "".join("(?:.*\n)*?" if line == ANY_LINES else re.escape(line) + "\n" for line in wanted)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None

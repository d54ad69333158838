"""The commands beside `anonymize`, on the files and the release of a random command: signals at random moments.

What they write must be complete or not exist. Their inputs must stay as they are.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from faults.children import Ended, command, load_all
from faults.trials import RELEASE, Befallen, Trial, removed
from fuzz.case import Case

READING = ("format", "sep", "per", "gap", "record", "count", "bag", "malformed", "strict")
LOGS = ("querylog", "table", "lines")
USUAL = (0, 3)  # of a whole run: 3 is a claim that does not hold, or an attack that succeeds


@dataclass(frozen=True)
class Work:
    """What is typed, the file or directory that it writes, and how an older one is replaced; `resumes` continues a run that was stopped."""

    words: tuple[str, ...]
    output: str = ""
    forced: tuple[str, ...] = ()
    resumes: bool = False

    @property
    def name(self) -> str:
        """The command."""
        return " ".join(word for word in self.words[:2] if word.isalpha() and word in {self.words[0], "learn"})


def works(case: Case) -> Iterator[Work]:
    """All commands that may fit; those that are refused are left out later."""
    source, reading = case.inputs[0], _reading(case)
    force = ("--force",)
    yield Work(("look", source, *reading))
    yield Work(("audit", RELEASE, *_originals(case)))
    yield Work(("measure", RELEASE, *_originals(case)))
    yield Work(("bound", source, *reading, "--k", "3", "--effort", "fast"))
    yield Work(("attack", source, RELEASE, *reading, "--targets", "20", "--remakes", "2"))
    yield Work(("advise", source, *reading, "--seconds", "2"))
    yield Work(
        ("compare", source, *reading, "--methods", "clump,km", "--k", "2,3", "--targets", "5", "--out", "page"), "page", resumes=True
    )
    yield Work(("taxonomy", "learn", source, *reading, "--people", "2", "--out", "topics.csv"), "topics.csv", force)
    yield Work(("generate", "made.tsv", "--users", "50"), "made.tsv", force)
    yield Work(("doctor",))
    if case.form == "accesslog":
        yield Work(("mask", source, "--out", "masked.log"), "masked.log", force)
    if case.method == "secret-sharing":
        yield Work(("decode", RELEASE))
    if case.method == "disassociation":
        yield Work(("reconstruct", RELEASE, "--out", "drawn"), "drawn")


def _reading(case: Case) -> tuple[str, ...]:
    return tuple(
        Case(
            0,
            "",
            "",
            [],
            said={name: case.said[name] for name in READING if name in case.said},
        ).words[3:]
    )


def _originals(case: Case) -> tuple[str, ...]:
    return tuple(word for name in case.inputs for word in ("--original", name))


class Beside(Befallen):
    """Another command, after the release of `made` has been made."""

    def __init__(self, made: Befallen, work: Work) -> None:
        self.number, self.case, self.rng = made.number, made.case, made.rng
        self.place, self.directory, self.aside = made.place, made.directory, made.aside
        self.work, self.name, self.output, self.forced = work, work.name, work.output, work.forced
        self.words = list(work.words)
        self.inputs = self._names()
        self.content = self._content()

    def reference(self) -> bool:
        """Run it without a fault; false if it is refused."""
        load_all(self.words, self.directory, self.aside)
        self._clear()
        ended = command(self.words, self.directory, self.aside).end()
        if ended.code not in USUAL:
            self._clear()
            return False
        self.seconds, self.usual = ended.seconds, ended.code
        if self.output:
            (self.directory / self.output).rename(self.aside / self.output)
        self._clear()
        return True

    def _left(self, trial: Trial, ended: Ended) -> list[str]:
        if self.work.resumes:  # its directory stays, for the next run
            kept = self.directory / self.output
            (kept.rename(self.place / "kept") if kept.exists() else (self.place / "kept").mkdir())
            wrong = super()._left(trial, ended)
            (self.place / "kept").rename(kept)
        else:
            wrong = super()._left(trial, ended)
        return wrong + ([] if self._content() == self.content else ["an input was changed"])

    def _checked(self) -> list[str]:
        return [] if self._same() else ["the output is not that of a whole run"]

    def _same(self) -> bool:
        if not self.output:
            return True
        one, other = self.aside / self.output, self.directory / self.output
        if self.work.resumes:  # its files have running times
            return {path.name for path in one.iterdir()} == {path.name for path in other.iterdir()}
        return _bytes(one) == _bytes(other)

    def _content(self) -> dict[str, str]:
        files = (path for name in self.inputs for path in (self.directory / name, *(self.directory / name).rglob("*")))
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.is_file()}

    def finish(self) -> None:
        """Remove the reference."""
        if self.output and (self.aside / self.output).exists():
            removed(self.aside / self.output)


def _bytes(output: Path) -> dict[str, bytes]:
    """The content of a file, or of the files of a directory."""
    files = [output] if output.is_file() else sorted(output.iterdir())
    return {path.name: path.read_bytes() for path in files}


def commands_beside(made: Befallen, count: int) -> Iterator[Beside]:
    """Some of the commands that may fit, after a release whose reference was made."""
    shutil.copytree(made.aside / RELEASE, made.directory / RELEASE)
    every = list(works(made.case))
    for work in made.rng.sample(every, min(count, len(every))):
        one = Beside(made, work)
        if one.reference():
            yield one
            one.finish()

"""One random command and the faults that befall it: what each may leave behind, and that the next run works."""

from __future__ import annotations

import errno
import json
import random
import shutil
import signal
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from faults.children import TEMPORARY, WHOLE, Child, Ended, answer, command, load_all
from faults.interposed import Calls, Failing
from fuzz.after import alike
from fuzz.case import Case
from fuzz.check.release import wrong_release
from fuzz.make.every import made
from helpers.checker import Release
from shoal.io.partial_outputs import is_named_like_one

RELEASE = "release"
SIGNALS = {"kill": signal.SIGKILL, "interrupt": signal.SIGINT, "terminate": signal.SIGTERM}
# By name: the calls that fail, with which error, and whether all later ones fail too.
CALLS = {
    "disk full": (Calls.WRITE, errno.ENOSPC, True),
    "write error": (Calls.WRITE, errno.EIO, False),
    "read error": (Calls.READ, errno.EIO, True),
    "read-only": (Calls.CHANGE, errno.EROFS, True),
    "no memory": (Calls.MEMORY, errno.ENOMEM, False),
    "clock": (Calls.CLOCK, 0, True),
}
TWO = "two runs"
FAULTS = ("kill", "kill", "interrupt", "terminate", *CALLS, TWO)
ONLY_SIGNALS = ("kill",) * 6 + ("interrupt",) * 3 + ("terminate",) * 3
JUMPS = (-86_400.0 * 365, -3_600.0, 7_200.0, 86_400.0 * 3_650)  # seconds
NO_TIDYING = {"kill", "read-only"}  # faults after which a run cannot remove what it has begun
DRAWS_ANEW = {"diffpart", "dp-ngrams", "dp-queries", "perturbation", "secret-sharing"}  # each run makes another release


def copied(path: Path, to: Path) -> None:
    """Copy a file or a directory."""
    (shutil.copytree if path.is_dir() else shutil.copyfile)(path, to)


def removed(path: Path) -> None:
    """Remove a file or a directory."""
    shutil.rmtree(path) if path.is_dir() else path.unlink()


@dataclass
class Trial:
    """A fault, where it came, how the run ended, and what is wrong. `hit` is false if the run had ended before."""

    number: int
    method: str
    fault: str
    place: str
    replacing: bool
    command: str = "anonymize"
    code: int = 0
    hit: bool = True
    message: str = ""
    wrong: list[str] = field(default_factory=list)


class Befallen:
    """A random command on its files, and a reference: its release without a fault, the time and the calls that it takes.

    `output` is what the command writes, `forced` what is typed to replace it.
    """

    name, output, forced = "anonymize", RELEASE, ("--force",)

    def __init__(self, number: int, place: Path) -> None:
        self.number, self.place = number, place
        self.directory, self.aside = place / "here", place.with_name(place.name + "-aside")
        for path in (self.directory, self.aside):
            path.mkdir(parents=True)
        self.case = Case(**answer(lambda: asdict(made(number, self.directory)), self.directory, self.aside))
        self.inputs = self._names()
        self.words = [*self.case.words, "--out", RELEASE]
        self.rng = random.Random(f"faults {number}")

    def reference(self) -> bool:
        """Make the release without a fault; false if the command is refused."""
        load_all([*self.case.words, "--out", "loaded"], self.directory, self.aside)
        shutil.rmtree(self.directory / "loaded", ignore_errors=True)
        ended = command(self.words, self.directory, self.aside).end()
        if ended.code:
            return False
        self.seconds, self.usual = ended.seconds, ended.code
        self.calls: dict[str, int] = json.loads((self.aside / WHOLE).read_text(encoding="utf-8"))
        (self.directory / RELEASE).rename(self.aside / RELEASE)
        return True

    def trials(self, faults: Sequence[str] = FAULTS) -> Iterator[Trial]:
        """One trial of each fault, in random order."""
        for fault in self.rng.sample(faults, len(faults)):
            replacing = bool(self.output and self.forced) and self.rng.random() < 0.4 and fault != TWO
            if replacing:
                copied(self.aside / self.output, self.directory / self.output)
            trial = Trial(self.number, self.case.method, fault, "", replacing, self.name)
            try:
                ended = self._befall(trial)
                trial.code, trial.message = ended.code, (ended.err.splitlines() or [""])[-1]
                trial.wrong = self._wrong_end(trial, ended) + self._left(trial, ended) + self._next(trial)
            except (TimeoutError, RuntimeError) as error:
                trial.wrong.append(str(error))
            yield trial
            self._clear()

    def _start(self, trial: Trial, failing: Failing | None = None, aside: str = "") -> Child:
        words = [*self.words, *self.forced] if trial.replacing else self.words
        place = self.aside / aside
        place.mkdir(exist_ok=True)
        return command(words, self.directory, place, failing)

    def _befall(self, trial: Trial) -> Ended:
        """Run the command and let the fault come."""
        if trial.fault in SIGNALS:
            return self._signalled(trial)
        if trial.fault == TWO:
            return self._two(trial)
        calls, error, lasting = CALLS[trial.fault]
        after = self.rng.randrange(max(1, self.calls[calls.name]))
        jump = self.rng.choice(JUMPS)
        trial.place = f"jump of {jump:.0f} s" if calls is Calls.CLOCK else f"call {after} of {self.calls[calls.name]}"
        return self._start(trial, Failing(calls, after, error, lasting, jump)).end()

    def _signalled(self, trial: Trial) -> Ended:
        """A signal at a random moment; half of them in the second half, where files are written."""
        late = self.rng.random() < 0.5
        moment = self.seconds * self.rng.uniform(0.5 if late else 0.0, 1.0)
        trial.place = f"after {moment:.3f} of {self.seconds:.3f} s"
        child = self._start(trial)
        trial.hit = child.signal_after(moment, SIGNALS[trial.fault])
        return child.end()

    def _two(self, trial: Trial) -> Ended:
        """The same command twice at the same time: one makes the release, the other is refused."""
        children = [self._start(trial, aside=name) for name in ("one", "other")]
        ended = sorted((child.end() for child in children), key=lambda one: one.code)
        codes = [one.code for one in ended]
        if codes != [0, 1]:
            trial.wrong.append(f"two runs into one directory ended with {codes}")
        return ended[1] if codes == [0, 1] else ended[0]

    def _wrong_end(self, trial: Trial, ended: Ended) -> list[str]:
        """What is wrong with the exit code and the message."""
        if ended.died:
            return [] if trial.fault in {"kill", "no memory"} else [f"ended by signal {-ended.code}"]
        wrong = list(trial.wrong)
        if ended.code not in {self.usual, 1}:
            wrong.append(f"exit code {ended.code}: {trial.message}")
        if ended.code == self.usual and self.output and self.output not in self._names():
            wrong.append(f"exit code {ended.code} without its output")
        unclear = "unexpected error" in trial.message and trial.fault != "no memory"  # which surfaces as any kind of error
        if ended.code == 1 and (not trial.message.startswith("shoal: ") or unclear):
            wrong.append(f"no clear line: {ended.err[-600:]}")
        if "Traceback" in ended.err:
            wrong.append(f"a traceback: {ended.err[-600:]}")
        return wrong

    def _left(self, trial: Trial, ended: Ended) -> list[str]:
        """What is wrong with the files: half a release, or anything left of the work."""
        left = self._names() - self.inputs
        wrong = self._checked() if self.output in left else []
        if self.output not in left and trial.replacing and not (ended.died or trial.fault in NO_TIDYING):
            wrong.append("the older release is gone")
        others = [self.directory / name for name in left - {self.output}] + list((self.place / TEMPORARY).iterdir())
        if others and not (ended.died or trial.fault in NO_TIDYING):
            wrong.append(f"left behind: {sorted(path.name for path in others)}")
        wrong += [f"{path.name} is left, and not marked as unfinished" for path in others if not is_named_like_one(path)]
        wrong += [f"others may read {path.name}" for path in others if path.stat().st_mode & 0o077]
        return wrong

    def _next(self, trial: Trial) -> list[str]:
        """What is wrong after the same command again, without a fault: it makes the release, and tidies up."""
        again = command([*self.words, *self.forced], self.directory, self.aside).end()
        if again.code != self.usual:
            return [f"the next run ended with {again.code}: {again.err[-300:]}"]
        wrong = [f"still left: {sorted(left)}"] if (left := self._names() - self.inputs - {self.output}) else []
        if not self._same():
            wrong.append("the next output differs")
        return wrong + self._checked()

    def _checked(self) -> list[str]:
        """What the independent checker finds in the release."""

        def check() -> Any:
            return wrong_release(self.case, self.directory, self.directory / RELEASE, "")

        return [f"release: {line}" for line in answer(check, self.directory, self.aside)]

    def _same(self) -> bool:
        """Whether the tables have the rows of the reference, in any order."""
        if self.case.method in DRAWS_ANEW:
            return True

        def compare() -> bool:
            return alike(*(Release.read(place / RELEASE) for place in (self.aside, self.directory)))

        return bool(answer(compare, self.directory, self.aside))

    def _names(self) -> set[str]:
        return {path.name for path in self.directory.iterdir()}

    def _clear(self) -> None:
        for name in self._names() - self.inputs:
            removed(self.directory / name)
        shutil.rmtree(self.place / TEMPORARY)

    def remove(self) -> None:
        """Remove all files of this command."""
        for path in (self.place, self.aside):
            shutil.rmtree(path, ignore_errors=True)

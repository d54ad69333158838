"""One run: the command of a number is typed in this process, and what it leaves behind is checked."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.after import AFTER
from fuzz.audits import RELEASE, typed
from fuzz.case import Case
from fuzz.check.refusals import unjustified
from fuzz.check.release import wrong_refusal, wrong_release
from fuzz.make.every import METHODS, made
from shoal.pipeline import run as publishing


@dataclass
class Outcome:
    """How a run ended: its exit code, the claims that were made, and what is wrong; and for statistics, what kind of case it was.

    `then` are the further properties of the release that were checked, `people` is the size of the input, `twist` what is unusual in it.
    """

    number: int
    method: str
    command: str
    code: int
    claims: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0  # of computing
    refusal: str = ""
    then: list[str] = field(default_factory=list)
    form: str = ""
    to: str = ""
    people: int = 0
    twist: str = ""


def run_number(number: int, directory: Path) -> Outcome:
    """Make, type and check the command of a number, in an empty directory."""
    return run_case(made(number, directory), directory)


def run_case(case: Case, directory: Path) -> Outcome:
    """Type and check a command whose files are in the directory."""
    outcome = Outcome(case.number, case.method, "shoal " + " ".join([*case.words, "--out", RELEASE]), -1)
    outcome.then, outcome.form, outcome.to = list(case.then), case.form, case.text("to", "")
    outcome.twist = case.twist
    outcome.people = len(case.owners) or _lines_in(directory / case.inputs[0])
    began = time.process_time()
    with chdir(directory), nullcontext() if has_report(case) else _without_report():
        before = {entry.name for entry in directory.iterdir()}
        answer = typed([*case.words, "--out", RELEASE])
        outcome.code = answer.code
        if answer.code:
            outcome.wrong = wrong_refusal(case, directory, answer.code, answer.err, before)
            outcome.refusal = answer.err.splitlines()[-1] if answer.err else ""
            outcome.wrong += unjustified(case, directory, outcome.refusal)
        else:
            outcome.wrong = wrong_release(case, directory, directory / RELEASE, answer.out + answer.err)
            outcome.claims = _claims(directory)
            for step in case.then:
                outcome.wrong += [f"{step}: {line}" for line in AFTER[step](case, directory)]
    outcome.seconds = time.process_time() - began
    return outcome


def _lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.is_file() else 0


def has_report(case: Case) -> bool:
    """Whether the page of the release is rendered: in every fourth case, and where a step after the release compares it."""
    return case.number // len(METHODS) % 4 == 0 or bool(case.then)


@contextmanager
def _without_report() -> Iterator[None]:
    """Write a short page instead of the report, whose rendering takes a tenth of the time of a small run."""
    render = publishing.render_report
    publishing.render_report = lambda facts: "<!doctype html><title>left out</title>"
    try:
        yield
    finally:
        publishing.render_report = render


def _claims(directory: Path) -> list[str]:
    manifest = json.loads((directory / RELEASE / "manifest.json").read_text(encoding="utf-8"))
    return [claim["model"].split("(")[0] for claim in manifest["claims"]]


@contextmanager
def fresh(directory: Path) -> Iterator[Path]:
    """An empty directory that is removed afterwards."""
    directory.mkdir(parents=True)
    try:
        yield directory
    finally:
        shutil.rmtree(directory)

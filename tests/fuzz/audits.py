"""Audits after a release: it holds with the original, for weaker claims too, and not once a file was changed."""

from __future__ import annotations

import io
import random
import re
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from fuzz.case import Case
from helpers.checker import Release
from helpers.cli import Answer
from shoal.cli.main import run

RELEASE, TAMPERED = "release", "tampered"
HOLDS, FAILS = 0, (1, 3)  # exit codes: also a file that cannot be read any more is noticed


def typed(words: list[str]) -> Answer:
    """A command of shoal in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(words)
    return Answer(code, out.getvalue(), err.getvalue())


def of_original(case: Case, directory: Path) -> list[str]:
    """The options for the original, and for the files that a manifest does not name."""
    options = [word for name in case.inputs for word in ("--original", name)]
    if (directory / case.text("taxonomy", "wordnet")).is_file():
        options += ["--taxonomy", case.text("taxonomy", "")]
    for option in ("hierarchy", "item-sets"):
        options += [f"--{option}", case.text(option, "")] if option in case.said else []
    return options


def _audited(case: Case, directory: Path, release: str, *further: str) -> Answer:
    """An audit with the original."""
    options = [*of_original(case, directory), *(["--no-guarantee"] if case.flag("no-guarantee") else [])]
    if case.method == "shoal" and "sensitive" in case.chosen and not further:  # further claims name their items themselves
        (directory / "listed.txt").write_text("\n".join(case.chosen["sensitive"]) + "\n", encoding="utf-8")
        options += ["--sensitive", "listed.txt"]
    return typed(["audit", release, *options, *further])


def _must_hold(answer: Answer) -> list[str]:
    lines = (answer.err or answer.out).splitlines()
    return [] if answer.code == HOLDS else [f"exit code {answer.code}: {lines[-1:]}; {answer.out[:600]}"]


def _audit(case: Case, directory: Path) -> list[str]:
    """All claims hold."""
    return _must_hold(_audited(case, directory, RELEASE))


def _weaker(case: Case, directory: Path) -> list[str]:
    """A release for k is one for k - 1, except of linked rows: for k - 1 the pseudonyms would have more rows."""
    claims = [claim["model"] for claim in Release.read(directory / RELEASE).manifest["claims"] if "pseudonyms=" not in claim["model"]]
    weaker = [re.sub(r"\bk=(\d+)", lambda k: f"k={int(k[1]) - 1}", claim) for claim in claims if re.search(r"\bk=([3-9]|\d\d)", claim)]
    if not weaker:
        return []
    return _must_hold(_audited(case, directory, RELEASE, *(word for claim in weaker for word in ("--claim", claim))))


def _tampered(case: Case, directory: Path) -> list[str]:
    """An audit notices a change of one table: a line left out, repeated or changed, or one bit of a packed file."""
    rng = random.Random(f"tampered {case.number}")
    names = [fact["name"] for fact in Release.read(directory / RELEASE).manifest["files"] if "table" in fact]
    filled = [name for name in names if (directory / RELEASE / name).stat().st_size]
    if not filled:
        return []
    shutil.copytree(directory / RELEASE, directory / TAMPERED)
    place = directory / TAMPERED / rng.choice(filled)
    place.write_bytes(_changed(rng, place.read_bytes(), packed=place.suffix in {".parquet", ".xlsx"}))
    answer = _audited(case, directory, TAMPERED)
    shutil.rmtree(directory / TAMPERED)
    return [] if answer.code in FAILS else [f"a changed {place.suffix} file passes with exit code {answer.code}"]


def _changed(rng: random.Random, data: bytes, *, packed: bool) -> bytes:
    lines = data.splitlines(keepends=True)
    way = rng.choice(["bit"] if packed else ["drop", "repeat", "bit"])
    at = rng.randrange(len(lines))
    if way == "drop":
        return b"".join(lines[:at] + lines[at + 1 :])
    if way == "repeat":
        return b"".join([*lines, lines[at]])
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


AUDITS = {"audit": _audit, "weaker": _weaker, "tampered": _tampered}

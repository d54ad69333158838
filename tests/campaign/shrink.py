"""Reduce a failing case to few rows and options, and keep it as a test in `tests/fuzz/kept`."""

from __future__ import annotations

import base64
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fuzz.case import Case
from fuzz.make.every import made
from fuzz.running import Outcome, fresh, run_case

KEPT = Path(__file__).resolve().parents[1] / "fuzz" / "kept"
HEADED = {".csv", ".tsv"}


@dataclass(frozen=True)
class Example:
    """A case with the content of its files."""

    case: Case
    files: dict[str, bytes]

    @classmethod
    def of_number(cls, number: int) -> Example:
        """The case of a number."""
        with tempfile.TemporaryDirectory() as place:
            case = made(number, Path(place))
            found = {str(file.relative_to(place)): file.read_bytes() for file in sorted(Path(place).rglob("*")) if file.is_file()}
        return cls(case, found)

    @classmethod
    def read(cls, path: Path) -> Example:
        """A kept case."""
        content = json.loads(path.read_text(encoding="utf-8"))
        return cls(Case(**content["case"]), {name: _bytes(text) for name, text in content["files"].items()})

    def write(self, path: Path, wrong: list[str]) -> None:
        """Keep the case; `wrong` records what failed when it was found."""
        content = {"found": wrong, "case": asdict(self.case), "files": {name: _text(data) for name, data in self.files.items()}}
        path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def run(self) -> Outcome:
        """Run and check the case."""
        with tempfile.TemporaryDirectory() as place, fresh(Path(place) / "case") as directory:
            for name, data in self.files.items():
                (directory / name).parent.mkdir(parents=True, exist_ok=True)
                (directory / name).write_bytes(data)
            return run_case(self.case, directory)


def keep(number: int) -> str:
    """Shrink the case of a number, keep it as a test, and return what was done."""
    example = Example.of_number(number)
    outcome = example.run()
    if not outcome.wrong:
        return f"run {number} does not fail"
    small = shrunk(example, outcome)
    KEPT.mkdir(exist_ok=True)
    place = KEPT / f"{small.case.method}-{number}.json"
    small.write(place, small.run().wrong)
    before, after = (sum(map(len, one.files.values())) for one in (example, small))
    return f"{before} bytes of input became {after}, {len(example.case.said)} options became {len(small.case.said)}: {place}"


def shrunk(example: Example, outcome: Outcome, run: Callable[[Example], Outcome] = Example.run) -> Example:
    """Leave out options, steps and rows while the case fails in the same way."""
    kind = _kind(outcome.wrong)

    def fails(candidate: Example) -> bool:
        try:
            return _kind(run(candidate).wrong) == kind
        except Exception:  # the checker may not understand what is left of a file
            return False

    while True:
        before = example
        for name in list(example.case.said):
            said = {key: value for key, value in example.case.said.items() if key != name}
            chosen = {key: value for key, value in example.case.chosen.items() if key != name}
            example = _first(fails, Example(replace(example.case, said=said, chosen=chosen), example.files), example)
        for step in list(example.case.then):
            rest = [one for one in example.case.then if one != step]
            example = _first(fails, Example(replace(example.case, then=rest), example.files), example)
        for name in example.case.inputs:
            example = _fewer_lines(example, name, fails)
        if example == before:
            return example


def _first(fails: Callable[[Example], bool], candidate: Example, example: Example) -> Example:
    return candidate if fails(candidate) else example


def _fewer_lines(example: Example, name: str, fails: Callable[[Example], bool]) -> Example:
    """Leave out runs of lines of a text file, long ones first."""
    if name not in example.files or name.endswith(".parquet"):
        return example
    lines = example.files[name].splitlines(keepends=True)
    head = 1 if Path(name).suffix in HEADED or lines[0].startswith(b"AnonID\t") else 0
    length = max(1, (len(lines) - head) // 2)
    while True:
        at = head
        while at < len(lines):
            fewer = lines[:at] + lines[at + length :]
            candidate = replace(example, files={**example.files, name: b"".join(fewer)})
            if len(fewer) > head and fails(candidate):
                lines, example = fewer, candidate
            else:
                at += length
        if length == 1:
            return example
        length //= 2


def _kind(wrong: list[str]) -> set[str]:
    """What is wrong, without numbers, names and other facts of the case."""
    return {re.sub(r"\d+|[\[{'\"].*", "", line)[:60] for line in wrong}


def _text(data: bytes) -> Any:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _bytes(text: Any) -> bytes:
    return base64.b64decode(text["base64"]) if isinstance(text, dict) else text.encode("utf-8")

"""What is typed after a release, and what it must give: the same command again, other orders, rules, decoding, other readers."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fuzz.audits import AUDITS, RELEASE, typed
from fuzz.case import Case
from fuzz.check import logs
from fuzz.check.readers import misread
from fuzz.check.release import wrong_refusal, wrong_release
from fuzz.make.records import PARAMETERS
from fuzz.utility import UTILITY
from helpers.checker import Release, read_table
from shoal.io.read import json_lines, parquet, source


def _previous(case: Case, directory: Path) -> list[str]:
    """The same people again, compared with their release before: a release whose claims hold, or a refusal."""
    before = {entry.name for entry in directory.iterdir()}
    said = {name: value for name, value in case.said.items() if name != "private-report"}
    answer = typed([*replace(case, said=said).words, "--previous", RELEASE, "--out", "second"])
    if answer.code:
        return wrong_refusal(case, directory, answer.code, answer.err, before, (1, 3))
    return wrong_release(case, directory, directory / "second", answer.out + answer.err)


def _twice(case: Case, directory: Path) -> list[str]:
    """The same command again is refused, and the release stays as it is."""
    files = {place.name: place.read_bytes() for place in (directory / RELEASE).iterdir()}
    before = {entry.name for entry in directory.iterdir()}
    answer = typed([*case.words, "--out", RELEASE])
    wrong = wrong_refusal(case, directory, answer.code, answer.err, before)
    if files != {place.name: place.read_bytes() for place in (directory / RELEASE).iterdir()}:
        wrong.append("the release was changed")
    return wrong


def _shuffled(case: Case, directory: Path) -> list[str]:
    """The same rows in another order, of people with other names, with other numbers of threads and within or without a
    limit of memory, give the same tables.
    """
    path = directory / case.inputs[0]
    if len(case.inputs) > 1 or case.form in {"accesslog", "prompts"}:
        return []
    rng = random.Random(case.number)
    if case.form == "lines" or path.suffix == ".txt":
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        lines, first = ([head, *lines], []) if case.form == "lines" else (lines, [head])
        rng.shuffle(lines)
        text = "\n".join([*first, *lines]) + "\n"
        for number, owner in enumerate(case.owners):
            text = text.replace(owner, f"other{(number * 7) % 1000:04}y")
        (directory / f"shuffled{path.suffix}").write_text(text, encoding="utf-8")
        name = f"shuffled{path.suffix}"
    else:
        rows, column = read_table(path), case.text("user", "user")
        rng.shuffle(rows)
        if "owners" not in case.said:
            fresh = {owner: f"other{(number * 7) % 1000:04}y" for number, owner in enumerate(case.owners)}
            rows = [{**row, column: fresh.get(row[column], row[column])} if column in row else row for row in rows]
        name = _written(directory, rows, "shuffled.csv" if case.form == "microdata" else "shuffled.jsonl")
    said = {**case.said, "threads": "3" if case.said.get("threads") != "3" else "1"}
    said.pop("private-report", None)
    if "private-of" in said:
        names = (directory / case.text("private-of", "")).read_text(encoding="utf-8")
        for number, owner in enumerate(case.owners):
            names = names.replace(owner, f"other{(number * 7) % 1000:04}y")
        (directory / "others.tsv").write_text(names, encoding="utf-8")
        said["private-of"] = "others.tsv"
    may_spill = case.form != "lines" and "attack" not in said and "collocations" not in case.text("terms", "")
    if case.method in PARAMETERS and may_spill and said.pop("memory", None) is None:
        said["memory"] = "1G"
    answer = typed([*replace(case, inputs=[name], said=said).words, "--out", "again"])
    if answer.code:
        return [f"exit code {answer.code}: {answer.err.splitlines()[-1:]}"]
    one, other = Release.read(directory / RELEASE), Release.read(directory / "again")
    return [] if alike(one, other) else ["another release"]


def _written(directory: Path, rows: list[dict[str, Any]], name: str) -> str:
    with (directory / name).open("w", encoding="utf-8", newline="") as file:
        if name.endswith(".csv"):
            writer = csv.DictWriter(file, list(rows[0]) if rows else [])
            writer.writeheader()
            writer.writerows(rows)
        else:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return name


def alike(one: Release, other: Release) -> bool:
    """Whether two releases have the same tables, but for fresh numbers."""
    return all(_content(one, stem) == _content(other, stem) for stem in {*one.tables, *other.tables})


def _content(release: Release, stem: str) -> Counter[Any]:
    if stem == "records":
        return Counter(frozenset(bag.items()) for bag in release.bags)
    if stem == "access":  # addresses are fresh, but the same lines have the same one
        visitors: dict[str, list[str]] = {}
        for row in release.tables[stem]:
            address, _, rest = row["line"].partition(" ")
            visitors.setdefault(address, []).append(rest)
        return Counter(tuple(sorted(lines)) for lines in visitors.values())
    numbers = {"user", "record", "cluster", "joint", "chunk", "subrecord", "group"}
    rows = [{name: value for name, value in row.items() if name not in numbers} for row in release.tables[stem]]
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


def _rules(case: Case, directory: Path) -> list[str]:
    """The rules of a release, applied to the same input, give the same records; to part of it a release whose claims hold, or a refusal."""
    if not (directory / RELEASE / "rules.json").exists():
        return [] if case.flag("generalize") else ["it has no rules"]
    given = {name: value for name, value in case.said.items() if name in READING}
    again = replace(case, said={**given, "rules": RELEASE, "to": "jsonl"})
    answer = typed([*again.words, "--out", "again"])
    if answer.code:
        return [f"exit code {answer.code}: {answer.err.splitlines()[-1:]}"]
    wrong = wrong_release(case, directory, directory / "again", answer.out + answer.err)
    if not alike(Release.read(directory / RELEASE), Release.read(directory / "again")):
        wrong.append("another release under its own rules")
    return wrong + _rules_on_others(case, again, directory)


READING = {
    *("format", "sep", "per", "gap", "record", "count", "bag", "malformed", "strict", "owners"),
    *("taxonomy", "terms", "unknown", "tree", "node-loss", "floor", "min-support", "private", "private-of", "public", "weights", "costs"),
}


def _rules_on_others(case: Case, again: Case, directory: Path) -> list[str]:
    """Half of the input under the rules."""
    path = directory / again.inputs[0]
    if path.suffix == ".parquet" or len(again.inputs) > 1:
        return []
    lines = path.read_bytes().splitlines(keepends=True)
    first = [] if again.form == "lines" or path.suffix in {".jsonl", ".log"} else lines[:1]
    rest = lines[len(first) :]
    (directory / f"part{path.suffix}").write_bytes(b"".join([*first, *rest[: len(rest) // 2 + 1]]))
    inputs = [f"part{path.suffix}"]
    before = {entry.name for entry in directory.iterdir()}
    answer = typed([*replace(again, inputs=inputs).words, "--out", "others"])
    if answer.code:
        return wrong_refusal(case, directory, answer.code, answer.err, before, (1, 3))
    return wrong_release(replace(case, inputs=inputs), directory, directory / "others", answer.out + answer.err)


def _decode(case: Case, directory: Path) -> list[str]:
    """What the shares open is what k people asked, with its people and rows, and nothing else."""
    answer = typed(["decode", RELEASE, "--json"])
    if answer.code:
        return [f"exit code {answer.code}: {answer.err.splitlines()[-1:]}"]
    opened = Counter((row["query"], row["people"], row["rows"]) for row in json.loads(answer.out)["queries"])
    expected = Counter(logs.readable(logs.read_log(case, directory), case.number_of("k", 5)))
    lost, surplus = (expected - opened).total(), (opened - expected).total()
    return [f"{lost} of {expected.total()} queries were not opened as expected, and {surplus} others were"] if lost or surplus else []


def _readers(case: Case, directory: Path) -> list[str]:
    """Other programs read the same rows from the tables."""
    return misread(Release.read(directory / RELEASE))


def _pieces(case: Case, directory: Path) -> list[str]:
    """The same command reads its input in small pieces, as it reads large files, and gives a release whose claims hold."""
    said = {name: value for name, value in case.said.items() if name != "private-report"}
    largest = max((directory / name).stat().st_size for name in case.inputs)
    with in_small_pieces(random.Random(f"pieces {case.number}"), largest):
        answer = typed([*replace(case, said=said).words, "--out", "pieces"])
    if answer.code:
        return [f"exit code {answer.code}: {answer.err.splitlines()[-1:]}"]
    return wrong_release(case, directory, directory / "pieces", answer.out + answer.err)


@contextmanager
def in_small_pieces(rng: random.Random, largest: int) -> Iterator[None]:
    """Read few bytes of a file of this size, rows or lists at once; and JSON lines many at once, which are otherwise read one by one if
    they are few. A piece takes a hundredth of a second, so only small files are cut into pieces of a few bytes.
    """
    at_once = max(rng.choice([1, 7, 64]), largest // rng.choice([2, 5, 15]) + rng.randrange(3))
    sizes = [(source, "CHUNK", at_once), (json_lines, "FEWEST_LINES", 1)]
    sizes += [(parquet, name, rng.choice([1, 3, 10])) for name in ("ROWS_AT_ONCE", "LISTS_AT_ONCE")]
    before = [getattr(module, name) for module, name, _ in sizes]
    try:
        for module, name, size in sizes:
            setattr(module, name, size)
        yield
    finally:
        for (module, name, _), size in zip(sizes, before, strict=True):
            setattr(module, name, size)


AFTER = {
    **AUDITS,
    **UTILITY,
    "previous": _previous,
    "twice": _twice,
    "shuffled": _shuffled,
    "rules": _rules,
    "decode": _decode,
    "readers": _readers,
    "pieces": _pieces,
}

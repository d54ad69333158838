"""Random small data through the whole program, all methods with random parameters; every claim recounted from the written files.

`--fuzz-runs N` makes N runs instead of the default; each is known by its number, which a failure tells.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from helpers_checker import Case, Record, read_events, read_lines, read_release, read_tree, wrong_claims
from helpers_cli import Answer, Shell

PARTS = 20
CHANCE = {
    "shoal": {"effort": ["fast", "balanced", "thorough"], "seed": ["0", "7"]},
    "clump": {
        "r": ["1", "3", "10", "1000"],
        "criterion": ["increase", "total"],
        "order": ["descending", "ascending", "random"],
        "ties": ["content", "given"],
        "distinct": [True, False],
    },
    "partition": {"publish_as": ["words", "set", "bag", "lcg"], "tries": ["1", "3", "20"], "leftover": ["split", "keep"]},
    "coherence": {
        "p": ["1", "2", "3"],
        "score": ["best", "mm/il", "mm", "1/il", "rmall"],
        "il": ["support", "1"],
        "h": ["0.3", "0.5", "0.8", "1"],
    },
    "tds": {},
    "ssc": {
        "distance": ["path", "wu-palmer"],
        "eps": ["0", "0.5", "1", "4", "9"],
        "omega": ["0.3", "2", "50"],
        "typical": ["vote", "members", "generalize"],
        "min-owners": ["1", "2"],
        "rare": ["generalize", "withhold"],
    },
}
SETS_ONLY = {"coherence", "tds"}


@dataclass
class Run:
    """One command: its files, its words, and what the checker must know of them."""

    method: str
    k: int
    per: str
    words: list[str] = field(default_factory=list)
    bags: bool = False
    drop: bool = False
    tree: bool = True
    private: frozenset[str] = frozenset()
    sensitive: frozenset[str] = frozenset()
    suppresses: bool = True


def odd_tree(rng: random.Random) -> tuple[Any, list[str]]:
    """A small hierarchy with chains, inner nodes of one child, and names that mean something elsewhere; and all its names."""
    names = [f"n{i}" for i in range(rng.randint(2, 14))]
    if rng.random() < 0.2:
        names[rng.randrange(1, len(names))] = "(unlisted)"
    children: dict[str, list[str]] = {name: [] for name in names}
    for number in range(1, len(names)):
        above = number - 1 if rng.random() < 0.3 else rng.randrange(number)
        children[names[above]].append(names[number])

    def drawn(name: str) -> Any:
        below = children[name]
        return {name: {k: v for child in below for k, v in drawn(child).items()}} if below else {name: {}}

    return drawn(names[0]), names


def data_of(rng: random.Random, names: list[str]) -> list[list[list[str]]]:
    """People, their records, and the items of these: repeated, unknown, inner nodes; some records and people are empty."""
    strange = [f"u{i}" for i in range(rng.randint(0, 4))] + (["(unlisted)"] if rng.random() < 0.1 else [])
    pool = rng.sample(names, rng.randint(1, len(names))) + strange
    people = rng.choice([1, 3, 5, 12, 12, 25, 25])
    longest = rng.choice([1, 2, 4, 8])
    alike = rng.random() < 0.4
    usual = [rng.choice(pool) for _ in range(longest)]

    def record() -> list[str]:
        return list(usual) if alike and rng.random() < 0.6 else [rng.choice(pool) for _ in range(rng.randint(1, longest))]

    return [[record() for _ in range(rng.choice([1, 1, 1, 2, 3]))] for _ in range(people)]


def written(rng: random.Random, people: list[list[list[str]]], directory: Path) -> tuple[str, list[str]]:
    """The people in a file, what becomes a record of it, and the words that say so."""
    if rng.random() < 0.5:
        lines = [",".join(record) for records in people for record in records]
        (directory / "input.txt").write_text("\n".join(lines) + "\n")
        return "line", ["input.txt", "--format", "transactions", "--sep", ","]
    rows = ["user,item,time"]
    for owner, records in enumerate(people):
        for number, record in enumerate(records):
            start = datetime(2020, 1, 1 + number, 9)
            rows += [f"p{owner},{item},{start + timedelta(seconds=i)}" for i, item in enumerate(record)]
    (directory / "input.csv").write_text("\n".join(rows) + "\n")
    per = rng.choice(["user", "session", "event"])
    return per, ["input.csv", "--format", "table", "--per", per]


def chosen_parameters(rng: random.Random, method: str) -> list[str]:
    words: list[str] = []
    for name, choices in CHANCE[method].items():
        if rng.random() < 0.5:
            value = rng.choice(choices)
            words += [f"--{name}" if value else f"--no-{name}"] if isinstance(value, bool) else [f"--{name}", value]
    return words


def made_up(rng: random.Random, directory: Path) -> Run:
    drawing, names = odd_tree(rng)
    (directory / "tree.json").write_text(json.dumps(drawing))
    people = data_of(rng, names)
    per, words = written(rng, people, directory)
    method = rng.choice(list(CHANCE))
    k = rng.choice([2, 2, 2, 2, 3, 3, 3, 5, 12, 25, 1000])
    run = Run(method, k, per, [*words, "--method", method, "--k", str(k), *chosen_parameters(rng, method)])
    occurring = sorted({item for records in people for record in records for item in record})
    run.tree = method not in SETS_ONLY or rng.random() < 0.5
    if run.tree:
        run.words += ["--taxonomy", "tree.json"]
        run.drop = rng.random() < 0.2
        run.words += ["--unknown", "drop"] if run.drop else []
        run.words += ["--tree", "whole"] if rng.random() < 0.3 else []
    run.bags = method not in SETS_ONLY and rng.random() < 0.4
    run.words += ["--bag"] if run.bags else []
    if method in SETS_ONLY and rng.random() < 0.5:
        run.private = frozenset(rng.sample(occurring, 1))
        (directory / "private.txt").write_text("\n".join(run.private) + "\n")
        run.words += ["--private", "private.txt"]
    if method == "coherence" and run.tree and "--score" not in run.words and rng.random() < 0.3:
        run.words += ["--generalize"]
        run.suppresses = False
    if method == "shoal" and rng.random() < 0.3:
        run.sensitive = frozenset(rng.sample(occurring, 1))
        (directory / "sensitive.txt").write_text("\n".join(run.sensitive) + "\n")
        run.words += ["--sensitive", "sensitive.txt"]
    return run


def case_of(run: Run, directory: Path) -> Case:
    """The raw input as the checker reads it."""
    raw = read_lines(directory / "input.txt") if run.per == "line" else read_events(directory / "input.csv", run.per)
    terms = {item for record in raw for item in record.items}
    tree = read_tree(directory / "tree.json", set() if run.drop else terms)
    if not run.tree:
        tree.parent = dict.fromkeys(terms)
    named = [[item for item in r.items if item in tree.parent] for r in raw]
    held = [(Record(r.owner, tuple(items)), items) for r, items in zip(raw, named, strict=True) if items]
    bags = [Counter(items) if run.bags else Counter(set(items)) for _, items in held]
    return Case([record for record, _ in held], bags, tree, run.private, run.sensitive, run.suppresses)


def complaint(run: Run, answer: Answer, directory: Path) -> list[str]:
    """What is wrong with how a run ended."""
    release = directory / "release"
    if answer.code == 0:
        return wrong_claims(case_of(run, directory), *read_release(release))
    wrong = [] if answer.code == 1 else [f"exit code {answer.code}"]
    last = (answer.err.splitlines() or [""])[-1]
    if not last.startswith("shoal: ") or "unexpected error" in last or "Traceback" in answer.err:
        wrong.append("no clear line")
    if release.exists() or any(entry.name.startswith(".") for entry in directory.iterdir()):
        wrong.append("something was left behind")
    return wrong


def runs_of(config: pytest.Config, part: int) -> range:
    return range(part, int(config.getoption("--fuzz-runs")), PARTS)


@pytest.mark.parametrize("part", range(PARTS))
def test_claims_hold_in_the_written_files(part: int, shell: Shell, pytestconfig: pytest.Config) -> None:
    done = Counter[int]()
    for number in runs_of(pytestconfig, part):
        directory = shell.directory / str(number)
        directory.mkdir()
        run = made_up(random.Random(number), directory)
        with pytest.MonkeyPatch.context() as there:
            there.chdir(directory)
            answer = shell("anonymize", *run.words, "--to", "jsonl", "--out", "release")
        done[answer.code] += 1
        wrong = complaint(run, answer, directory)
        assert not wrong, f"run {number}: {' '.join(run.words)}: {wrong}\n{answer.err}"
    assert done[0] or done.total() < 10, "no run ends with a release"


def test_too_few_people_are_always_refused(shell: Shell) -> None:
    """With k beyond the people of the data no method may publish anything."""
    for method in CHANCE:
        shell.file("input.txt", "a,b\na\n")
        words = ["input.txt", "--format", "transactions", "--sep", ",", "--taxonomy", "generated", "--method", method, "--k", "3"]
        answer = shell("anonymize", *words, "--out", "release")
        assert answer.code == 1, answer
        assert not (shell.directory / "release").exists()

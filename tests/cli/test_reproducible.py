"""The same data and parameters publish the same records; their order and numbers are new every time."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest

from helpers.cli import Shell, query_log
from shoal.data.tables import PublishedTable
from shoal.kinds import read_tables, rows_differing
from shoal.kinds.bags.read import read_records
from shoal.methods import METHODS
from shoal.pipeline.manifest import Published

Records = list[tuple[str, ...]]


def released(shell: Shell, log: str, out: str, *words: str) -> Records:
    shell.file(f"{out}.tsv", log)
    made = shell("anonymize", f"{out}.tsv", "--k", "3", "--to", "jsonl", "--out", out, *words)
    assert made.code == 0, made.err
    return [tuple(sorted(record)) for record in read_records(shell.directory / out / "records.jsonl")[0].to_polars().to_list()]


def shuffled(log: str, seed: int) -> str:
    header, *rows = log.splitlines()
    random.Random(seed).shuffle(rows)
    return "\n".join([header, *rows]) + "\n"


# What a method needs beside k, or instead of it.
SENSITIVE = ("--sensitive", "items:dog|guitar")
OWN = {
    "optimal": ("--k", "3", "--taxonomy", "generated"),  # it searches all cuts of the taxonomy
    "suppress-control": ("--rho", "0.5", *SENSITIVE),
    "td-control": ("--rho", "0.5", *SENSITIVE),
    "cahd": ("--p", "2", "--per", "event", *SENSITIVE),
}


def tables(shell: Shell, log: str, out: str, *words: str) -> dict[str, PublishedTable]:
    shell.file(f"{out}.tsv", log)
    made = shell("anonymize", f"{out}.tsv", "--out", out, *words)
    assert made.code == 0, made.err
    return read_tables(shell.directory / out, Published.at(shell.directory / out).tables)


@pytest.mark.parametrize("method", [name for name, kind in METHODS.items() if "sets" in kind.takes])
def test_threads_and_the_order_of_rows_change_nothing(shell: Shell, method: str):
    log = query_log(users=60, queries=4)
    words = ["--method", method, *OWN.get(method, ("--k", "3"))]
    once = tables(shell, log, "one", *words, "--threads", "1")
    assert sum(table.n_rows for table in once.values())
    assert rows_differing(once, tables(shell, log, "two", *words, "--threads", "2")) == 0
    for seed in (1, 2):
        assert rows_differing(once, tables(shell, shuffled(log, seed), f"shuffled{seed}", *words)) == 0


def test_sessions_are_the_same_in_any_order_too(shell: Shell):
    log = query_log(users=20, queries=4)
    once = released(shell, log, "one", "--per", "session", "--bag")
    assert Counter(once) == Counter(released(shell, shuffled(log, 3), "two", "--per", "session", "--bag"))


def test_the_order_of_published_records_is_new_every_time(shell: Shell):
    log = query_log(users=60)
    runs = [released(shell, log, f"run{i}") for i in range(3)]
    assert Counter(runs[0]) == Counter(runs[1]) == Counter(runs[2])
    assert len({tuple(run) for run in runs}) == 3


def test_the_order_of_published_records_is_not_that_of_the_people(shell: Shell):
    """Were records written in the order of arrival, the first half of the people would be the first half of the file."""
    first = "".join(f"{n},dog\n" for n in range(40))
    second = "".join(f"{n + 100},guitar\n" for n in range(40))
    shell.file("log.csv", "user,query\n" + first + second)
    assert shell("anonymize", "log.csv", "--k", "40", "--to", "transactions", "--out", "out").code == 0
    lines = (shell.directory / "out" / "records.txt").read_text().splitlines()
    changes = sum(a != b for a, b in pairwise(lines))
    assert Counter(Counter(lines).values()) == {40: 2}
    assert changes > 10

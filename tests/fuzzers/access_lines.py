"""Mutate lines of access logs and compare how they are split with a parser that goes character by character.

`python -m fuzzers.access_lines --seconds 600 --found DIRECTORY`. The lines are split by regular expressions of Polars, so coverage of our
own code would say nothing: lines that are accepted are mutated further instead.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from fuzzers.seeds import LINES
from shoal.io.read.access_logs.access_log_lines import cut

AT_ONCE = 2000
PIECES = [
    *'" \\[]-:/.*?+09azA',
    "\t",
    "é",
    "\u00a0",
    "\u2028",
    '\\"',
    "200",
    "GET ",
    " HTTP/1.1",
    '"-"',
    "\x00",
    "\x85",
    "٣",
    "999999999999999999",
]
FIELDS = ("address", "ident", "auth", "request", "status", "size", "referrer", "agent")
Fields = tuple[str | int | None, ...] | None


def mutated(rng: random.Random, line: str, other: str) -> str:
    """A line with a few pieces put in, left out, repeated or taken from another."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at, length = rng.randrange(len(line) + 1), rng.choice([0, 1, 1, 2, 8])
        piece = rng.choice([rng.choice(PIECES), "", line[at : at + length] * 2, other[at : at + 2 * length]])
        line = line[:at] + piece + line[at + length :]
    return line.replace("\n", " ")


def split_by_hand(line: str) -> Fields:
    """The fields of a line, by the definition in words; None if it is not a line of an access log."""
    address, _, rest = line.partition(" ")
    ident, _, rest = rest.partition(" ")
    if not address or not ident or any(map(str.isspace, address + ident)):
        return None
    auth, opened, rest = rest.partition(" [")
    stamp, closed, rest = rest.partition("] ")
    if not (opened and closed and auth and stamp) or "]" in stamp or '"' in auth or "[" in auth:
        return None
    request, rest = _quoted(rest)
    if request is None or not rest.startswith(" "):
        return None
    status, _, rest = rest[1:].partition(" ")
    size, behind, rest = rest.partition(" ")
    if not (len(status) == 3 and _digits(status) and status[0] != "0" and (size == "-" or (_digits(size) and len(size) <= 18))):
        return None
    referrer = agent = None
    if behind:
        referrer, rest = _quoted(rest)
        if referrer is None or not rest.startswith(" "):
            return None
        agent, rest = _quoted(rest[1:])
        if agent is None or rest:
            return None
    return address, ident, auth, request, int(status), None if size == "-" else int(size), referrer, agent


def _digits(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _quoted(text: str) -> tuple[str | None, str]:
    """What stands in quotes at the beginning, and the rest."""
    if not text.startswith('"'):
        return None, text
    at = 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return (text[1:at], text[at + 1 :]) if at < len(text) else (None, text)


def batches(rng: random.Random) -> Iterator[list[str]]:
    """Lines without end: mutants of the seeds, and of mutants that are still lines."""
    pool = list(LINES)
    while True:
        lines = [mutated(rng, rng.choice(pool), rng.choice(LINES)) for _ in range(AT_ONCE)]
        yield lines
        pool = (LINES + [line for line in lines if len(line) < 400 and split_by_hand(line)])[:500]


def differences(lines: list[str]) -> list[str]:
    """The lines that the two parsers split differently."""
    ours: list[Fields] = [None if row[0] is None else row for row in cut(pl.Series(lines)).select(FIELDS).rows()]
    return [line for line, found in zip(lines, ours, strict=True) if found != split_by_hand(line)]


def main() -> int:
    """Run for some seconds, keep differences, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--found", type=Path)
    options = parser.parse_args()
    end, count, accepted, found = time.monotonic() + options.seconds, 0, 0, 0
    for lines in batches(random.Random(options.seed)):
        for line in differences(lines):
            found += 1
            print(f"split differently: {line!r}", flush=True)
            if options.found:
                (options.found / str(found)).write_text(line, encoding="utf-8")
        count += len(lines)
        accepted += sum(split_by_hand(line) is not None for line in lines)
        if time.monotonic() > end or found > 20:
            break
    print(f"access_lines: {count} lines, {accepted} of them accepted, {found} differences")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())

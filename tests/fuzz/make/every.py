"""The case of a number: each method in turn, everything else drawn by the number alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from fuzz.case import Case, Draw
from fuzz.make import logs, records, samples, tables
from fuzz.make.oddities import made_odd

FAMILIES: dict[str, Callable[[Draw], Case]] = {
    **dict.fromkeys(records.PARAMETERS, records.made),
    **dict.fromkeys(logs.OPTIONS, logs.made),
    **dict.fromkeys(("mdav", "microaggregation", "perturbation"), tables.made_microdata),
    "kkm": tables.made_item_table,
    "accesslog-mdav": tables.made_access,
    "document-vectors": tables.made_documents,
}
METHODS = (*sorted(FAMILIES), "shoal", "shoal", "threshold")  # in turn; some have more options than one place can cover

# Shares of cases in which these properties of a release are checked too, and of which methods, where not of all.
FURTHER = {
    "tampered": 0.06,
    "weaker": 0.06,
    "readers": 0.08,
    "effort": 0.2,
    "copied": 0.1,
    "doubled": 0.15,
    "measured": 0.05,
    "page": 0.07,
    "pieces": 0.07,
}
FURTHER_OF = {
    "effort": {"shoal"},
    "copied": {"shoal", "partition", "km", "apriori", "direct", "optimal"},
    "doubled": {"optimal", "infrequent", "threshold"},
}


def method_of(number: int) -> str:
    """The method of a run, which depends on its number alone."""
    return METHODS[number % len(METHODS)]


def made(number: int, directory: Path) -> Case:
    """The command of this number; its files are written to the directory."""
    draw = Draw(number, method_of(number), directory)
    if samples.takes_sample(number, draw.method):
        return samples.made(draw)
    case = FAMILIES[draw.method](draw)
    case.twist = draw.twist
    further = random.Random(f"further {number}")
    drawn = [name for name, share in FURTHER.items() if further.random() < share]
    case.then += [name for name in drawn if case.method in FURTHER_OF.get(name, {case.method})]
    case.then += ["page"] if "private-report" in case.said and "page" not in case.then else []
    case.twist = made_odd(case, directory) or case.twist
    return case


def numbers_from(first: int, runs: int, methods: Sequence[str] = ()) -> Iterator[int]:
    """So many numbers from the first on, of these methods only; of all where none is named.

    Raises:
        ValueError: There is no method of one of these names.
    """
    if unknown := set(methods) - set(METHODS):
        raise ValueError(f"there are no methods called {', '.join(sorted(unknown))}")
    return _numbers_from(first, runs, methods)


def _numbers_from(first: int, runs: int, methods: Sequence[str]) -> Iterator[int]:
    number = first
    while runs > 0:
        if not methods or method_of(number) in methods:
            yield number
            runs -= 1
        number += 1

"""Kinds of data that a comparison can be about: which methods take part, and what a record is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.io.read.formats import guess
from shoal.io.read.options import ACCESSLOG, MICRODATA
from shoal.pipeline.options import PATHS

FORMAT, TAXONOMY = "format", "taxonomy"
DECIDING = ("sep", "header", "time", "item", "text", "record", "count")  # options that are never about an access log
USER, SESSION = "user", "session"


@dataclass(frozen=True)
class ComparedData:
    """A kind of data.

    Attributes:
        takes: The shapes of input of the methods that can be compared on it.
        words: What the data is, for the reason why other methods are left out.
        per: What makes up a record, unless something else is requested.
        taxonomy: The taxonomy of its records, unless something else is requested; empty for that of the method.
        known: Whether an attacker may know a number of items, which is then varied.
    """

    takes: frozenset[str]
    words: str
    per: str = USER
    taxonomy: str = ""
    known: bool = True


RECORDS = ComparedData(frozenset({"sets", "bags", "log"}), "records or rows of a log")
VISITS = ComparedData(frozenset({"sets", "bags", "log", "access log"}), "an access log", SESSION, PATHS)
PEOPLE = ComparedData(frozenset({"table"}), "a table with one row per person", known=False)
PEOPLE_WITH_ITEMS = ComparedData(frozenset({"table with items"}), "a table of people with item sets")


def data_of(options: Mapping[str, Any]) -> ComparedData:
    """Return the kind of data that these options describe."""
    if options.get(FORMAT) == MICRODATA:
        return PEOPLE_WITH_ITEMS if options.get("item_sets") else PEOPLE
    return VISITS if options.get(FORMAT) == ACCESSLOG else RECORDS


def with_format(inputs: Sequence[Path], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with the format, if it follows from the options or if the first lines are those of an access log."""
    if options.get(FORMAT) is not None:
        return dict(options)
    if any(options.get(name) is not None for name in ("quasi", "item_sets")):
        return {**options, FORMAT: MICRODATA}
    if any(options.get(name) is not None for name in DECIDING):
        return dict(options)
    try:
        found = {guess(path)[0] for path in inputs}
    except (ShoalError, OSError):  # reading it will say why
        return dict(options)
    return {**options, FORMAT: ACCESSLOG} if found == {ACCESSLOG} else dict(options)

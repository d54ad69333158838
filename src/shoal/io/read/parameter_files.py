"""Files of items, of items with weights, of people with items, and public tables; and loading of files into declared parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from shoal.data.item_costs import ItemCosts
from shoal.data.items import A_FILE, Items, ItemWeights, positive_decimal
from shoal.data.personal_items import PersonalItems
from shoal.data.public_table import PublicTable
from shoal.errors import InputError, ParameterError, option
from shoal.io.read.delimited import text_lines
from shoal.io.read.result import Tally
from shoal.io.read.source import Source, open_regular
from shoal.keyed.keys import LONGEST, SecretKey
from shoal.parameters import Declared

# Files with a secret key.


def read_key(path: str | Path) -> SecretKey:
    """Read the key in a file: all of its bytes. Its content is in no message."""
    place = Path(path)
    if not place.exists():
        raise InputError(f"no key file at {path}", code="file-not-found")
    with open_regular(place) as stream:
        content = stream.read(LONGEST + 1)
    try:
        return SecretKey.of_bytes(content)
    except ParameterError as error:
        raise InputError(f"{path}: {error.marked_message}", code=error.code, hint=error.marked_hint) from None


Declaring = TypeVar("Declaring", bound=Declared)


def with_files_read(declared: Declaring) -> Declaring:
    """Return the method or model with the files that its parameters name loaded."""
    readers: dict[type, Callable[[str], Any]] = {
        Items: read_items,
        ItemWeights: read_weights,
        ItemCosts: read_costs,
        PersonalItems: read_personal_items,
        SecretKey: read_key,
        PublicTable: read_public_table,
    }
    read = {
        name: readers[type(value)](value.file)
        for name, value in declared.values().items()
        if type(value) in readers and value.file is not None
    }
    return replace(declared, **read) if read else declared  # type: ignore[type-var]


def without_files(declared: Declaring) -> Declaring:
    """Return a model of a manifest, which anybody may have written: it must not cause local files to be opened."""
    if declared.names_files:
        raise InputError(
            f"the manifest's claim of {declared.name} names a file, which is not opened",
            code="file-not-opened",
            hint=f"give the claim with {option('claim')}, if you trust it",
        )
    return declared


def wants_items(declared: Declared) -> bool:
    """Whether a model is about items that its claim does not name."""
    return bool(_unnamed(declared))


def with_items(declared: Declaring, items: Items | None) -> Declaring:
    """Return the model with the given items in place of those that its claim does not name.

    Claims of earlier versions have a digest of the items, which must be that of the given ones.
    """
    unnamed = _unnamed(declared)
    if items is None or not unnamed:
        return declared
    if not all(value.may_be(items) for value in unnamed.values()):
        raise ParameterError(
            f"the named items are not those of the claim {declared.name}: their SHA-256 differs from the claim's", code="claim-mismatch"
        )
    return replace(declared, **dict.fromkeys(unnamed, items))  # type: ignore[type-var]


def read_items(path: str | Path) -> Items:
    """Read the items in a file, one per line; blank lines are skipped, repeated names count once."""
    names = frozenset(line for _, line in _lines(path))
    if not names:
        raise InputError(f"{path} names no items", code="items-not-named")
    return Items(names=names, label=A_FILE)


def _unnamed(declared: Declared) -> dict[str, Items]:
    values = {name: value for name, value in declared.values().items() if isinstance(value, Items)}
    return {name: value for name, value in values.items() if value.unnamed or value.digest is not None}


def read_weights(path: str | Path) -> ItemWeights:
    """Read the weights in a file: an item, a tab, and a positive number per line."""
    weights = {}
    for number, line in _lines(path):
        name, tab, weight = line.rpartition("\t")
        if not tab or not name.strip():
            raise InputError(f"{path}, line {number:,}, is not an item, a tab and a number", code="unreadable-line")
        if name in weights:
            raise InputError(f"{path}, line {number:,}, gives an item a second weight", code="duplicate-item")
        try:
            weights[name] = positive_decimal(name, weight.strip())
        except ParameterError as error:
            raise InputError(f"{path}, line {number:,}: {error.marked_message}", code=error.code) from None
    if not weights:
        raise InputError(f"{path} contains no weights", code="items-not-named")
    return ItemWeights(weights=tuple(weights.items()), label=A_FILE)


def read_costs(path: str | Path) -> ItemCosts:
    """Read the costs in a file: an item, a tab, and a positive number per line."""
    return replace(ItemCosts.made_of(dict(read_weights(path).weights or ())), label=A_FILE)


def read_personal_items(path: str | Path) -> PersonalItems:
    """Read the items in a file that are private for some people: a person, a tab and an item per line."""
    pairs = set()
    for number, line in _lines(path):
        person, tab, item = line.partition("\t")
        if not tab or not person.strip() or not item.strip():
            raise InputError(f"{path}, line {number:,}, is not a person, a tab and an item", code="unreadable-line")
        pairs.add((person.strip(), item.strip()))
    if not pairs:
        raise InputError(f"{path} names no items", code="items-not-named")
    return PersonalItems(frozenset(pairs), label=A_FILE)


def read_public_table(path: str | Path) -> PublicTable:
    """Read a public table: a CSV file in UTF-8 with a header. All values stay as they are written."""
    place = Path(path)
    if not place.exists():
        raise InputError(f"no table at {path}", code="file-not-found")
    with open_regular(place) as stream:
        content = stream.read()
    try:
        frame = pl.read_csv(content, infer_schema=False)
    except pl.exceptions.PolarsError:
        raise InputError(f"{path} is not a CSV file with a header", code="unreadable-line") from None
    if not len(frame):
        raise InputError(f"{path} has no rows", code="items-not-named")
    return PublicTable.made_of(frame.to_dict(as_series=False))


def _lines(path: str | Path) -> list[tuple[int, str]]:
    """Return the non-empty lines without surrounding blanks, with their numbers from 1."""
    source = Source.of(path)
    tally = Tally(source, strict=True, hint="correct these lines; a file of items is used whole or not at all")
    found = [(line + 1, text) for texts, lines in text_lines(source, tally) for text, line in zip(texts, lines.tolist(), strict=True)]
    tally.check()
    return found

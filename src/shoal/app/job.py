"""What a user asks for: how data is read and grounded, by which method it is released, and where to."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import get_args

import numpy as np

from shoal.data.bags import Bags
from shoal.data.log import Per
from shoal.errors import InputError, ParameterError
from shoal.io.formats import ReadOptions, one_byte
from shoal.io.records import RECORD_FORMATS
from shoal.taxonomy.ground import Scope, Unknown
from shoal.taxonomy.losses import LOSSES
from shoal.taxonomy.tree import Taxonomy

_GAP = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|d)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST_GAP = timedelta(days=365_000)


@dataclass(frozen=True)
class Preparation:
    """How a file becomes records on a taxonomy.

    `named_from` is how many people must have an item before a generated taxonomy may name a group after it; None: one is enough.
    """

    read: ReadOptions = field(default_factory=ReadOptions)
    per: Per = "user"
    gap: str = "30m"
    taxonomy: str = "wordnet"
    loss: str = "lm"
    unknown: Unknown = "keep"
    scope: Scope = "used"
    as_sets: bool = True
    named_from: int | None = None

    def __post_init__(self) -> None:
        _one_of("per", self.per, get_args(Per))
        _one_of("unknown", self.unknown, get_args(Unknown))
        _one_of("scope", self.scope, get_args(Scope))
        _one_of("loss", self.loss, list(LOSSES))
        parse_gap(self.gap)
        if self.generated:
            _fanout(self.taxonomy)

    @property
    def pause(self) -> timedelta:
        """The gap that ends a session."""
        return parse_gap(self.gap)

    @property
    def generated(self) -> bool:
        """Whether the taxonomy is made from the data."""
        return is_generated(self.taxonomy)

    def described(self) -> dict[str, object]:
        """For the manifest."""
        told: dict[str, object] = {"per": self.per}
        if self.per == "session":
            told["gap"] = self.gap
        told |= {"records_as": "sets" if self.as_sets else "bags", "taxonomy": taxonomy_label(self.taxonomy)}
        if self.generated and self.named_from is not None:
            told["named_from"] = self.named_from
        return told | {"node_loss": self.loss, "unknown": self.unknown, "scope": self.scope}


@dataclass(frozen=True)
class Target:
    """Where a release goes and in which form."""

    directory: Path
    format: str = "parquet"
    sep: str = "\t"
    force: bool = False

    def __post_init__(self) -> None:
        _one_of("format", self.format, list(RECORD_FORMATS))
        one_byte(self.sep)


def parse_gap(text: str) -> timedelta:
    """A duration such as 90s, 30m, 2h or 1d."""
    found = _GAP.fullmatch(str(text).strip())
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not 0 < seconds <= _LONGEST_GAP.total_seconds():
        raise ParameterError(f"gap must be a duration such as 90s, 30m, 2h or 1d, not {text!r}", value=text)
    return timedelta(seconds=seconds)


def taxonomy_label(spec: str) -> str:
    """A taxonomy's name for the manifest: a file is named without its directories."""
    if spec in {"wordnet", "given"} or is_generated(spec):
        return spec
    return os.fsencode(Path(spec).name).decode("utf-8", "replace")


def is_generated(spec: str) -> bool:
    """Whether this asks for a taxonomy made from the data."""
    return spec.split(":", 1)[0] == "generated"


def is_file(spec: str) -> bool:
    """Whether this names a taxonomy's file."""
    return spec != "wordnet" and not is_generated(spec)


def load_taxonomy(spec: str, loss: str, bags: Bags | None = None, named_from: int | None = None) -> tuple[Taxonomy, tuple[str, ...]]:
    """The taxonomy behind `wordnet`, `generated[:fan-out]` or a file, and what is worth knowing about how it was read."""
    if spec == "wordnet":
        from shoal.taxonomy.wordnet import wordnet

        return wordnet(loss), ()
    if is_generated(spec):
        from shoal.taxonomy.generated import generated

        if bags is None:
            raise ParameterError("a generated taxonomy is made from data, and none is given here")
        shown = None if named_from is None else widespread(bags, named_from)
        return generated(bags.vocabulary, _fanout(spec), loss, shown), (f"taxonomy generated with a fan-out of {_fanout(spec)}",)
    from shoal.taxonomy.files import read_taxonomy

    if not Path(spec).exists():
        raise InputError(f"no taxonomy file at {spec}", hint="give wordnet, generated, generated:FANOUT or a file")
    found = read_taxonomy(spec, loss=loss)
    return found.taxonomy, (f"taxonomy read as {found.form}", *found.notes)


def widespread(bags: Bags, people: int) -> set[str]:
    """The items that at least so many people have."""
    owners = np.unique(bags.owners, return_inverse=True)[1].astype(np.int64)
    mine = np.repeat(owners, np.diff(bags.indptr))
    distinct = np.unique(bags.items * np.int64(len(bags)) + mine)
    having = np.bincount(distinct // max(1, len(bags)), minlength=len(bags.vocabulary))
    return set(bags.vocabulary.names.gather(np.flatnonzero(having >= people)))


def _fanout(spec: str) -> int:
    _, colon, number = spec.partition(":")
    if not colon:
        return 5
    if not number.isascii() or not number.isdigit() or not 2 <= int(number) < 2**31:
        raise ParameterError(f"a fan-out is a whole number of at least 2, not {number!r}", value=number)
    return int(number)


def _one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ParameterError(f"{name} must be one of {', '.join(allowed)}, not {value!r}", value=value)

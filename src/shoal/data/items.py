"""Choosing items: by name, by a file of names, or as everything under a node of the taxonomy; and a number for each item.

Both are values of declared parameters. A file is only named here; `shoal.io.read.parameter_files` reads it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar, Self
from urllib.parse import quote, unquote

from shoal.errors import ParameterError
from shoal.parameters import Written
from shoal.util.wording import counted

UNDER, LISTED, SEALED = "under:", "items:", "sha256:"
UNNAMED = "unnamed"  # what a claim has in place of names that must not be published
A_FILE, A_LIST = "a file", "a list"  # what a manifest says of where items came from; neither names nor their number nor the file's name
_LIST = re.compile(LISTED + r"[^,()\s]*")


@dataclass(frozen=True)
class Items(Written):
    """Some of the items: a set of names, a file that holds them, a node they lie under, or the digest of a set of names.

    Without any of these they are not named: a claim or a manifest says that there are such items, and not which.
    """

    names: frozenset[str] | None = None
    file: str | None = None
    under: str | None = None
    digest: str | None = None
    label: str = ""

    forms: ClassVar[str] = "FILE | under:NODE"

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `under:NODE`, `items:a|b`, `unnamed` or `sha256:...` of a claim, or the path of a file with an item a line."""
        if text == UNNAMED:
            return cls()
        if text.startswith(UNDER):
            return cls(under=text.removeprefix(UNDER))
        if text.startswith(LISTED):
            return cls(names=frozenset(unquote(n) for n in text.removeprefix(LISTED).split("|") if n))
        if text.startswith(SEALED):
            return cls(digest=text.removeprefix(SEALED))
        return cls(file=text.removeprefix("@"))

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """From names."""
        if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
            return cls(names=frozenset(str(name) for name in value))
        raise ParameterError("items must be names, a file or under:NODE", code="wrong-type", value=type(value).__name__)

    @property
    def known(self) -> bool:
        """Whether names or a node are at hand, not only a file's name or a digest."""
        return self.names is not None or self.under is not None

    @property
    def unnamed(self) -> bool:
        """Whether nothing is known about the items but that there are some: no names, no node, no file, no digest."""
        return self.names is None and self.file is None and self.under is None and self.digest is None

    @property
    def withheld(self) -> Items:
        """The same items as a published claim has them where their names may reveal something: without names, number or digest."""
        return self if self.names is None else Items()

    @property
    def sealed(self) -> str:
        """The digest of the sorted names, and how many there are; only to compare with claims of earlier versions, and never written."""
        if self.names is None:
            return str(self)
        text = "\n".join(sorted(self.names)).encode("utf-8", "surrogatepass")
        return f"{SEALED}{hashlib.sha256(text).hexdigest()}:{len(self.names)}"

    def may_be(self, given: Items) -> bool:
        """Whether these can be the `given` items, as far as is known."""
        return self.unnamed or self.sealed == given.sealed

    def listed(self, what: str) -> frozenset[str]:
        """The names, where they are at hand; `what` names them in the error where they are not."""
        if self.digest is not None:
            raise ParameterError(f"a digest does not name the items that are {what}", code="items-not-named", hint="name them in a file")
        if self.unnamed:
            raise ParameterError(f"the items that are {what} are not named", code="items-not-named", hint="name them in a file")
        if self.names is None:
            raise ParameterError(
                f"the file of {what} items was not read",
                code="file-not-read",
                hint="shoal.io.read.parameter_files.with_files_read reads it",
            )
        return self.names

    @property
    def described(self) -> str:
        """What was chosen, without names and without the name of a file: for the manifest's parameters."""
        if self.under is not None:
            return UNDER + self.under
        if self.digest is not None:
            size = self.digest.partition(":")[2]
            return f"the digest of {counted(int(size), 'item') if size.isdigit() else 'some items'}"
        return self.label or (A_FILE if self.file else A_LIST)

    def __str__(self) -> str:
        if self.unnamed:
            return UNNAMED
        if self.digest is not None:
            return SEALED + self.digest
        if self.names is None:
            return UNDER + self.under if self.under is not None else str(self.file)
        return LISTED + "|".join(quote(name, safe="") for name in sorted(self.names))


@dataclass(frozen=True)
class ItemWeights(Written):
    """A positive number for each item, kept as a decimal, so that sums and comparisons are exact."""

    weights: tuple[tuple[str, Decimal], ...] | None = None
    file: str | None = None
    label: str = ""

    forms: ClassVar[str] = "FILE"

    @classmethod
    def parse(cls, text: str) -> Self:
        """From the path of a file with an item and its weight a line."""
        return cls(file=text.removeprefix("@"))

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """From a mapping of items to numbers."""
        if not isinstance(value, Mapping):
            raise ParameterError("weights must be a mapping of items to numbers, or a file", code="wrong-type", value=type(value).__name__)
        return cls(weights=tuple((str(name), positive_decimal(str(name), weight)) for name, weight in value.items()))

    @property
    def described(self) -> str:
        """For the manifest's parameters."""
        return self.label or (A_FILE if self.file else A_LIST)

    def __str__(self) -> str:
        return self.described


def positive_decimal(name: str, weight: object) -> Decimal:
    """An item's weight as an exact number; raises where it is not a positive one."""
    try:
        number = Decimal(str(weight))
    except InvalidOperation:
        number = Decimal(0)
    if not number.is_finite() or number <= 0:
        raise ParameterError("the weight of an item must be a positive number", code="out-of-range", rare=[repr(name)])
    return number


def without_names(claim: str) -> str:
    """The text of a claim with the items that it lists counted instead of named, for the screen and for messages."""
    return _LIST.sub(lambda found: counted(found[0].count("|") + 1 if found[0] != LISTED else 0, "item"), claim)


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameter values as a manifest holds them: choices of items are described, not listed."""
    return {name: getattr(value, "described", value) for name, value in values.items()}

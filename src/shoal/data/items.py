"""Selections of items by name, by a file of names, or as everything below a taxonomy node; and weights of items.

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
from shoal.parameters import UNNAMED, Written
from shoal.util.wording import counted

UNDER, LISTED, SEALED = "under:", "items:", "sha256:"
COSTS = "costs:"  # of items, see item_costs.py
A_FILE, A_LIST = "a file", "a list"  # what a manifest says of where items came from; neither names nor their number nor the file's name
_LIST = re.compile(rf"(?:{LISTED}|{COSTS})[^,()\s]*")


@dataclass(frozen=True)
class Items(Written):
    """A selection of items: a set of names, a file of names, a node above them, or the digest of a set of names.

    Without any of these the items are unnamed: a claim or a manifest states that there are such items, but not which.
    """

    names: frozenset[str] | None = None
    file: str | None = None
    under: str | None = None
    digest: str | None = None
    label: str = ""

    forms: ClassVar[str] = "FILE | under:NODE"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `under:NODE`, `items:a|b`, `unnamed` or `sha256:...` of a claim, or the path of a file with one item per line."""
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
        """Make a selection from names."""
        if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes):
            return cls(names=frozenset(str(name) for name in value))
        raise ParameterError("items must be names, a file or under:NODE", code="wrong-type", value=type(value).__name__)

    @property
    def known(self) -> bool:
        """Whether names or a node are available, not only a file name or a digest."""
        return self.names is not None or self.under is not None

    @property
    def unnamed(self) -> bool:
        """Whether nothing is known about the items: no names, node, file or digest."""
        return self.names is None and self.file is None and self.under is None and self.digest is None

    @property
    def withheld(self) -> Items:
        """Return the selection for a published claim if names may disclose something: without names, number or digest."""
        return self if self.names is None else Items()

    @property
    def sealed(self) -> str:
        """Return the digest of the sorted names and their number; only to compare with claims of earlier versions, never written."""
        if self.names is None:
            return str(self)
        text = "\n".join(sorted(self.names)).encode("utf-8", "surrogatepass")
        return f"{SEALED}{hashlib.sha256(text).hexdigest()}:{len(self.names)}"

    def may_be(self, other: Items) -> bool:
        """Whether this selection can be the `other` one, as far as is known."""
        return self.unnamed or self.sealed == other.sealed

    def listed(self, what: str) -> frozenset[str]:
        """Return the names. If they are not available, raise an error that calls them `what`."""
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
        """Describe the selection without names and file name, for the parameters in the manifest."""
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
    """A positive weight for each item, stored as a decimal, so that sums and comparisons are exact."""

    weights: tuple[tuple[str, Decimal], ...] | None = None
    file: str | None = None
    label: str = ""

    forms: ClassVar[str] = "FILE"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the path of a file with an item and its weight per line."""
        return cls(file=text.removeprefix("@"))

    @classmethod
    def made_of(cls, value: Any) -> Self:
        """Make weights from a mapping of items to numbers."""
        if not isinstance(value, Mapping):
            raise ParameterError("weights must be a mapping of items to numbers, or a file", code="wrong-type", value=type(value).__name__)
        return cls(weights=tuple((str(name), positive_decimal(str(name), weight)) for name, weight in value.items()))

    @property
    def described(self) -> str:
        """Describe the weights for the parameters in the manifest."""
        return self.label or (A_FILE if self.file else A_LIST)

    def __str__(self) -> str:
        return self.described


def positive_decimal(name: str, value: object, what: str = "weight") -> Decimal:
    """Return an item's weight, or what else it is, as an exact number. Raise if it is not positive."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        number = Decimal(0)
    if not number.is_finite() or number <= 0:
        raise ParameterError(f"the {what} of an item must be a positive number", code="out-of-range", rare=[repr(name)])
    return number


def without_names(claim: str) -> str:
    """Return the text of a claim with the number of items instead of their names, for the terminal and for messages."""
    return _LIST.sub(lambda found: counted(found[0].count("|") + 1 if found[0] not in {LISTED, COSTS} else 0, "item"), claim)


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameter values as in a manifest: selections of items are described, not listed."""
    return {name: getattr(value, "described", value) for name, value in values.items()}

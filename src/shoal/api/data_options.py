"""Keywords for making records on a taxonomy from data. They have the names of the command line's options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from shoal.api.taxonomy_argument import GivenTaxonomy, TaxonomyArgument, hierarchy_of
from shoal.data.log import Per
from shoal.errors import ParameterError
from shoal.io.read.options import ROLES, ItemsFrame
from shoal.pipeline.options import Preparation
from shoal.pipeline.request import parse_preparation
from shoal.taxonomy.place_terms import Scope, Unknown
from shoal.util.wording import did_you_mean

Column = str | int
Columns = str | Iterable[str]
GivenItemsTable = str | Path | Any
"""A product table: a path, or a frame."""


class FileOptions(TypedDict, total=False):
    """How to read and prepare files; what is None or missing is detected. `shoal.anonymize` describes each."""

    format: str | None
    user: Column | None
    time: Column | None
    text: Column | None
    item: Column | None
    record: Column | None
    count: Column | None
    rank: Column | None
    url: Column | None
    quasi: Columns | None
    keep_column: Columns | None
    drop_column: Columns | None
    nominal: Columns | None
    ordinal: Columns | None
    hierarchy: Columns | None
    item_sets: Columns | None
    sep: str | None
    encoding: str | None
    header: bool | None
    strict: bool | None
    malformed: float | None
    owners: Literal["exact", "folded"] | None
    site_links: str | Path | None
    gap: str | None
    bag: bool | None
    taxonomy: GivenTaxonomy | None
    node_loss: str | None
    unknown: Unknown | None
    terms: int | str | None
    tree: Scope | None
    floor: int | str | Sequence[str] | None
    min_support: int | str | None
    items_table: GivenItemsTable | None
    item_level: str | None
    items_key: str | None
    items_name: str | None
    items_levels: Iterable[str] | None


class DataOptions(FileOptions, total=False):
    """How to read and prepare data; what is None or missing is detected. `shoal.anonymize` describes each."""

    per: Per | None
    levels: Iterable[str] | None


DATA_OPTIONS = tuple(DataOptions.__annotations__)
LISTED = ("quasi", "keep_column", "drop_column", "nominal", "ordinal", "hierarchy", "item_sets", "levels", "items_levels")
READ_AS_LISTS = {
    "keep": "keep_column",
    "drop": "drop_column",
    "quasi": "quasi",
    "nominal": "nominal",
    "ordinal": "ordinal",
    "hierarchy": "hierarchy",
    "item_sets": "item_sets",
}
FLAGS = ("header", "strict", "bag")


def complete_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all of these options, with None for those not given. Raise for an unknown one."""
    for name in options:
        if name not in DATA_OPTIONS:
            raise ParameterError(f"there is no option {name!r}", code="unknown-option", hint=did_you_mean(name, DATA_OPTIONS), value=name)
    values = {name: _checked(name, value) for name, value in options.items() if value is not None}
    return dict.fromkeys(DATA_OPTIONS) | values


def reading_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given fields of `ReadOptions`, each in its type. Fields that are None keep their default."""
    values = {name: _checked(READ_AS_LISTS.get(name, name), value) for name, value in options.items() if value is not None}
    return {
        name: tuple(value.split(",") if isinstance(value, str) else value) if name in READ_AS_LISTS else value
        for name, value in values.items()
    }


def _checked(name: str, value: Any) -> Any:
    """Return the value of an option as the command line would give it. Raise if it has another type."""
    if name in ROLES:
        return _column(name, value)
    if name in LISTED and not isinstance(value, str):
        return _columns(name, value)
    if name in ("item_level", "items_key", "items_name"):
        return _column(name, value)
    if name == "site_links" and isinstance(value, Path):
        return str(value)
    if name == "items_table":
        return str(value) if isinstance(value, str | Path) else ItemsFrame(value)
    if name in FLAGS and not isinstance(value, bool):
        raise ParameterError(f"{name} is True or False, not {value!r}", code="wrong-type", value=value)
    if name == "terms" and (isinstance(value, bool) or not isinstance(value, int | str)):
        raise ParameterError(f"terms must be a whole number or a list of rules, not {value!r}", code="wrong-type", value=value)
    if name == "malformed" and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise ParameterError(f"malformed must be a share from 0 to 1, not {value!r}", code="out-of-range", value=value)
    return value


def _column(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ParameterError(f"{name} is the name of a column, or its number from 1, not {value!r}", code="wrong-type", value=value)
    return str(value)


def _columns(name: str, value: Any) -> list[str]:
    if not isinstance(value, Iterable):
        raise ParameterError(f"{name} is a list of columns, not {value!r}", code="wrong-type", value=value)
    return [_column(name, one) for one in value]


def options_and_taxonomy(keywords: Mapping[str, Any]) -> tuple[dict[str, Any], TaxonomyArgument]:
    """Return all options as on the command line and, separately, the taxonomy, which may be a tree."""
    options = complete_options(keywords)
    hierarchy = hierarchy_of(options["taxonomy"], options.pop("levels"), options["node_loss"])
    return options | {"taxonomy": hierarchy.name}, hierarchy


def prepared_as(keywords: Mapping[str, Any], base: Preparation | None = None) -> tuple[Preparation, TaxonomyArgument]:
    """Return the preparation for these options on top of a base, and the given taxonomy."""
    options, hierarchy = options_and_taxonomy(keywords)
    return hierarchy.settled(parse_preparation(options, base)), hierarchy

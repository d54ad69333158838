"""Requests by option name, from the command line or Python: reading, preparation and method."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.data.column_list import ColumnNames
from shoal.data.input_shapes import one
from shoal.data.items import A_FILE
from shoal.errors import ParameterError, option
from shoal.io.read.options import OF_MICRODATA, ROLES, ItemsFrame, ItemsTable, ReadOptions
from shoal.io.read.parameter_files import with_files_read
from shoal.methods import METHODS, PRESET, Method, presets_of, with_preset
from shoal.pipeline.options import FORMAT_OF, FROM_ITEMS, NO_TAXONOMY, WORD_RULES, Preparation, is_topics
from shoal.util.wording import did_you_mean

OF_TABLES = {keyword.replace("-", "_"): name for keyword, name in OF_MICRODATA.items()}
WITH_FILES = ("hierarchy", "item_sets")  # columns that come with a file
COLUMNS = ("format", *ROLES, *OF_TABLES)
_OF_DOCUMENTS: Mapping[str, tuple[str, ...]] = defaultdict(tuple, documents=("terms", "unknown", "taxonomy"))  # further options of a shape
# Options for a product table, and their names as its fields.
OF_ITEMS_TABLES = {"items_key": "key", "items_name": "name", "items_levels": "levels", "item_level": "level"}
READING = (*COLUMNS, "sep", "encoding", "header", "strict", "malformed", "owners", "site_links")


def parse_preparation(options: dict[str, Any], base: Preparation | None = None) -> Preparation:
    """Apply options to a base preparation. The options used are removed from `options`."""
    start = base or Preparation.of_format(options["format"])
    reading = {name: options.pop(name, None) for name in READING}
    known = _columns_known(start.read, reading)
    known = replace(known, format=FORMAT_OF.get(start.shape, known.format))
    for keyword, name in OF_TABLES.items():
        columns = reading.pop(keyword)
        reading[name] = None if columns is None else tuple(columns.split(",") if isinstance(columns, str) else columns)
    read = replace(known, **{n: v for n, v in reading.items() if v is not None})
    items = _items_table(options, read.items)
    read = replace(read, items=items)
    bag = options.pop("bag")
    named = {"per": options.pop("per"), "gap": options.pop("gap"), "taxonomy": options.pop("taxonomy"), "loss": options.pop("node_loss")}
    named |= {"unknown": options.pop("unknown"), "scope": options.pop("tree"), "floor": options.pop("floor")}
    named["min_support"] = options.pop("min_support", None)
    if items is not None:
        named["taxonomy"] = _taxonomy_of_items(start, named["taxonomy"])
    named["as_sets"] = None if bag is None else not bag
    named |= _terms(options.pop("terms", None), start.shape)
    if start.shape != "records":
        others = {*_OF_DOCUMENTS[start.shape], *({"taxonomy"} if start.taxonomy != NO_TAXONOMY else ())}
        _refuse_of_records(start.shape, {name: value for name, value in named.items() if name not in others})
    _settle_records(start, read, named)
    chosen = {name: value for name, value in named.items() if value is not None}
    base = start if read.record is None else start.choosing(per=start.per)
    chosen_preparation = base.choosing(read=read, **chosen)
    of_taxonomies = [name for name in ("unknown", "scope", "floor", "loss") if named[name] is not None]
    if chosen_preparation.typed_names and of_taxonomies and start.shape != "documents":
        raise ParameterError(
            f"{option(_typed_as(of_taxonomies[0]))} is for records on a taxonomy, but here names stay as they are",
            code="option-not-applicable",
            hint="leave it out",
        )
    if named["gap"] is not None and chosen_preparation.per != "session" and not is_topics(chosen_preparation.taxonomy):
        raise ParameterError(
            f"{option('gap')} is for sessions, but one record is made per {chosen_preparation.per}",
            code="option-not-applicable",
            hint=f"add {option('per', 'session')}",
        )
    return chosen_preparation


def _terms(terms: int | str | None, shape: str) -> dict[str, Any]:
    """Return the number of terms of a document's vector, or the rules for words of texts."""
    if terms is None:
        return {}
    number = int(terms) if re.fullmatch(r"-?\d{1,9}", str(terms), re.ASCII) else None
    if shape == "documents":
        if number is None:
            raise ParameterError(f"terms must be a whole number, not {terms!r}", code="out-of-range", value=terms)
        return {"terms": number}
    if number is not None:
        raise ParameterError(
            f"{option('terms', number)} is for document vectors",
            code="option-not-applicable",
            hint="choose a method that takes documents: see `shoal methods`",
        )
    return {WORD_RULES: terms}


def _items_table(options: dict[str, Any], known: ItemsTable | None) -> ItemsTable | None:
    """Return the product table with the named or known columns; its options are removed from `options`."""
    source = options.pop("items_table", None)
    columns = {name: options.pop(keyword, None) for keyword, name in OF_ITEMS_TABLES.items()}
    named = {name: value for name, value in columns.items() if value is not None}
    if isinstance(named.get("levels"), str):
        named["levels"] = ColumnNames.parse(named["levels"]).names
    named |= {"levels": tuple(named["levels"])} if "levels" in named else {}
    if source is not None:
        named["source"] = source if isinstance(source, ItemsFrame) else str(source)
    if known is None and named and source is None:
        keyword = next(keyword for keyword, name in OF_ITEMS_TABLES.items() if name in named)
        raise ParameterError(
            f"{option(keyword)} is about an items table, but none is given",
            code="option-not-applicable",
            hint=f"add {option('items-table', placeholder='FILE')}",
        )
    if not named:
        return known
    return ItemsTable(**named) if known is None else replace(known, **named)


def _taxonomy_of_items(start: Preparation, typed: str | None) -> str | None:
    """Return the taxonomy of data with a product table: that of the table, or none. Raise for any other."""
    if typed not in (None, NO_TAXONOMY, FROM_ITEMS):
        raise ParameterError(
            f"{option('items-table')} gives a taxonomy, and so does {option('taxonomy', typed)}",
            code="options-conflict",
            hint="leave one of them out",
        )
    return FROM_ITEMS if typed is None and start.taxonomy != NO_TAXONOMY else typed


def _columns_known(read: ReadOptions, typed: Mapping[str, Any]) -> ReadOptions:
    """Return the columns known before the typed options: none if any column is typed.

    Only the files of hierarchies may be typed alone, because a manifest knows all other columns, but no files.
    """
    named = [name for name in COLUMNS if typed[name]]
    unnamed = [word for word in (*read.hierarchy, *read.item_sets) if word.endswith(f"={A_FILE}")]
    only_files = bool(named) and set(named) <= set(WITH_FILES) and bool(unnamed)
    return read if only_files or not named else read.without_columns()


def _settle_records(start: Preparation, read: ReadOptions, named: dict[str, Any]) -> None:
    """A record ID column determines the unit of a record unless another is requested; counts are kept unless sets are requested."""
    if read.record is not None and named["per"] is not None:
        raise ParameterError(
            f"{option('record')} defines a record, and so does {option('per', named['per'])}",
            code="options-conflict",
            hint="leave one of them out",
        )
    if read.record is None and start.per == "record" and named["per"] is None:
        named["per"] = "user"
    if read.count is not None and named["as_sets"] is None:
        named["as_sets"] = False


def _refuse_of_records(shape: str, named: dict[str, Any]) -> None:
    """Raise for options about making records if the method takes rows."""
    for name, value in named.items():
        if value is not None:
            what = f"{option(_typed_as(name))} applies to records, but this method publishes the rows of {one(shape)}"
            raise ParameterError(what, code="option-not-applicable", hint="leave it out")


def _typed_as(name: str) -> str:
    return {"scope": "tree", "loss": "node-loss", "as_sets": "bag", "min_support": "min-support", WORD_RULES: "terms"}.get(name, name)


def original_options(options: dict[str, Any], original: object, manifest: dict[str, Any] | None) -> Preparation | None:
    """Return how to read an original: the manifest's settings, overridden by options. Raise for such options without an original."""
    present = [name for name, value in options.items() if value is not None]
    if original is not None:
        from shoal.pipeline.manifest import preparation_of  # the schema of manifests takes time to load, and reading data needs none

        return parse_preparation(options, base=preparation_of(manifest) if manifest else None)
    if present:
        raise ParameterError(
            f"{option(present[0])} describes the original, but no {option('original')} is given", code="option-not-applicable"
        )
    return None


def chosen_method(name: str, parameters: dict[str, Any]) -> Method:
    """Return the named method with the given parameters (those that are not None) or those of a preset. Files are read."""
    settings = with_preset(name, {parameter: value for parameter, value in parameters.items() if value is not None})
    kind = METHODS[name]
    known = {p.name: p for p in kind.parameters()}
    method = kind(**{n: known[n].parse(v) if isinstance(v, str) else v for n, v in settings.items()})
    return with_files_read(method) if method.names_files else method


def method_from(method: Method | str | None, parameters: Mapping[str, Any], others: Collection[str] = ()) -> Method:
    """Return the method meant by an object, by `name(parameter=value)`, or by a name and parameters (those that are not None).

    `others` are names that are no parameters of a method, but may have been meant.
    """
    settings = {name: str(value) if isinstance(value, Path) else value for name, value in parameters.items() if value is not None}
    if isinstance(method, str) and "(" in method:
        method = METHODS.make(method)
    if isinstance(method, Method):
        for name in settings:
            raise ParameterError(
                f"{name} is given next to a method that already has its parameters",
                code="options-conflict",
                hint=f"write {type(method).__name__}({name}=...)",
            )
        return with_files_read(method)
    if method is not None and not isinstance(method, str):
        raise ParameterError("a method is a name, or a value such as Shoal(k=5)", code="wrong-type", value=type(method).__name__)
    name = next(iter(METHODS)) if method is None else method
    _refuse_unknown(name, settings, others)
    return chosen_method(name, settings)


def own_parameters(method: Method | str | None, options: dict[str, Any]) -> dict[str, Any]:
    """Return the values for parameters that the method declares under the name of a data option; they are removed from `options`."""
    named = method if isinstance(method, str) and method in METHODS else None
    declared = {parameter.name for parameter in METHODS[named].parameters()} if named else set()
    return {name: options.pop(name) for name in list(options) if name in declared and options[name] is not None}


def _refuse_unknown(method: str, names: Collection[str], others: Collection[str]) -> None:
    """Raise if a parameter does not belong to this method. The error suggests similar names and the methods that have it."""
    own = [declared.name for declared in METHODS[method].parameters()] + ([PRESET] if presets_of(method) else [])
    for name in names:
        if name not in own:
            takers = [other for other, kind in METHODS.items() if name in {declared.name for declared in kind.parameters()}]
            text = f"its parameters are {', '.join(own)}"
            hint = f"{text}; {name} belongs to {', '.join(takers)}" if takers else did_you_mean(name, [*own, *others], text)
            raise ParameterError(f"the method {method} has no parameter {name}", code="unknown-option", hint=hint, value=name)

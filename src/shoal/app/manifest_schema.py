"""What a manifest may hold: its keys, their types and their ranges; and a digest over all of it.

Anyone may have edited a manifest, so it is read by the letter: a key that is missing, unknown or given twice, a count below zero, a number
that is none are refused. The digest finds accidents and careless edits only, because whoever edits a manifest can compute it anew; what
can be recomputed from the files is therefore recomputed by an audit.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, get_args

from shoal.app.job import AS_TYPED, FLOOR, LARGEST_VECTOR, ROWS
from shoal.data.duration import parse_gap
from shoal.data.log import Per
from shoal.data.noisy_steps import COUNTS, EQUAL, GAUSSIAN, GUIDE, LAPLACE, POLICY, SELECTION, WHOLE, NoisyStep
from shoal.data.original_rows import KEPT, QUASI
from shoal.data.tables import KINDS
from shoal.data.tables.columns import ALL_TYPES
from shoal.errors import ParameterError
from shoal.io.directory import NOTICE, REPORT
from shoal.io.read.microdata_columns import DROPPED, OWNER
from shoal.io.read.microdata_kinds import HIERARCHIES, NOMINAL, ORDINAL
from shoal.io.read.options import FORMATS, OWNERS, ROLES
from shoal.io.rules import RULES
from shoal.io.write.files import LAYOUTS, LISTED, OUTPUT_FORMATS
from shoal.metrics import METRICS, routine
from shoal.privacy import MODELS, Standing
from shoal.report.lacking import LACKING
from shoal.taxonomy.losses import LOSSES
from shoal.taxonomy.placing import Scope, Unknown

LARGEST_COUNT = 2**63 - 1
FINEST_GRID = 60
DIGEST = "sha256"

Rule = Callable[[str, Any], Iterator[str]]


def faults(manifest: Any) -> Iterator[str]:
    """What is not as it must be, each with the key it was found under."""
    found = list(_MANIFEST("", manifest))
    yield from found
    if found:
        return
    yield from _expected(manifest)


def digest_of(manifest: Mapping[str, Any]) -> str:
    """The SHA-256 of a manifest without its own digest, written in one way only: keys in order, no blanks."""
    told = {key: value for key, value in manifest.items() if key != DIGEST}
    written = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(written.encode()).hexdigest()


def _expected(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Ledgers and metrics that must be there for such tables and such input, and those that cannot be."""
    if "counts" in manifest:
        yield from (f"{part} is there, and counts are withheld" for part in ("accounting", "metrics") if manifest[part])
        yield from (
            f"input.{name} is there, and counts are withheld" for name, fact in manifest["input"].items() if not _countless(name, fact)
        )
        return
    given, kinds = manifest["input"], {file["kind"] for file in manifest["files"] if "kind" in file}
    shape = given.get("read_as", given.get("records_as"))
    ledgers = ("records", "occurrences") if "records_as" in given else _LEDGERS.get(shape, ("rows",))
    yield from (f"accounting.{name} is missing" for name in ledgers if name not in manifest["accounting"])
    on_taxonomy = "taxonomy_nodes" in given
    adds_items = any(_adds_items(claim["model"]) for claim in manifest["claims"])
    needed = {metric.name for metric in routine(kinds, shape, on_taxonomy=on_taxonomy, adds_items=adds_items)}
    yield from (f"metrics.{name} is missing" for name in sorted(needed - manifest["metrics"].keys()))
    for name in manifest["metrics"]:
        if METRICS[name].needs_taxonomy and not on_taxonomy:
            yield f"metrics.{name} is there without a taxonomy"
        elif not METRICS[name].applies(kinds, shape) or not METRICS[name].fits(adds_items):
            yield f"metrics.{name} is not one for such a release"


def _adds_items(claim: str) -> bool:
    """Whether a claim allows that records hold items which their people never had."""
    name = claim.partition("(")[0]
    return name in MODELS and MODELS[name].adds_items


_LEDGERS = {"documents": ("records", "terms", "words")}


# -- rules


def _must(test: Callable[[Any], bool], what: str) -> Rule:
    def rule(key: str, value: Any) -> Iterator[str]:
        if not test(value):
            yield f"{key or 'it'} must be {what}"

    return rule


def _one_of(allowed: tuple[str, ...]) -> Rule:
    return _must(lambda value: isinstance(value, str) and value in allowed, f"one of {', '.join(allowed)}")


def _entries(rule: Rule, *, required: tuple[str, ...] = ()) -> Rule:
    """An object with entries of any name, all under one rule."""

    def check(key: str, value: Any) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{key or 'it'} must be an object"
            return
        yield from (f"{_under(key, name)} is missing" for name in required if name not in value)
        for name, entry in value.items():
            yield from _text(f"a name in {key or 'it'}", name)
            yield from rule(_under(key, name), entry)

    return check


def _object(required: Mapping[str, Rule], optional: Mapping[str, Rule] | None = None) -> Rule:
    """An object with these keys and no others."""
    rules = {**required, **(optional or {})}

    def check(key: str, value: Any) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{key or 'it'} must be an object"
            return
        yield from (f"{_under(key, name)} is missing" for name in required if name not in value)
        yield from (f"{_under(key, repr(name))} is not a key of a manifest" for name in value if name not in rules)
        for name, rule in rules.items():
            if name in value:
                yield from rule(_under(key, name), value[name])

    return check


def _several(rule: Rule) -> Rule:
    def check(key: str, value: Any) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{key} must be a list"
            return
        for i, entry in enumerate(value):
            yield from rule(f"{key}[{i}]", entry)

    return check


def _under(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _is_text(value: Any) -> bool:
    """Whether this is text that every file can hold; JSON may carry halves of characters."""
    return isinstance(value, str) and not re.search("[\ud800-\udfff]", value)


def _is_plain(value: Any) -> bool:
    return _is_text(value) and not {"/", "\\", "\0"} & set(value)


def _is_number(value: Any) -> bool:
    return type(value) in {int, float} and math.isfinite(value) and abs(value) <= LARGEST_COUNT


def _is_gap(value: Any) -> bool:
    try:
        parse_gap(value)
    except ParameterError:
        return False
    return isinstance(value, str)


def _is_floor(value: Any) -> bool:
    names = isinstance(value, list) and bool(value) and all(map(_is_text, value)) and len(set(value)) == len(value)
    return names or (type(value) is int and 1 <= value <= LARGEST_COUNT)


_text = _must(_is_text, "text")
_flag = _must(lambda value: type(value) is bool, "true or false")
_count = _must(lambda value: type(value) is int and 0 <= value <= LARGEST_COUNT, "a whole number of 0 or more")
_number = _must(_is_number, "a finite number")
_level = _must(lambda value: _is_number(value) and value >= 0, "a finite number of 0 or more")
_setting = _must(lambda value: value is None or type(value) is bool or _is_text(value) or _is_number(value), "one value")
_sha256 = _must(lambda value: isinstance(value, str) and bool(re.fullmatch("[0-9a-f]{64}", value)), "a SHA-256 in hexadecimal digits")


# -- the parts of a manifest


def _ledger(key: str, value: Any) -> Iterator[str]:
    """A total, `in`, and the parts it fell into."""
    found = list(_entries(_count, required=("in",))(key, value))
    yield from found
    if not found and 2 * value["in"] != sum(value.values()):
        yield f"{key} does not add up: its parts are not all that went in"


def _metrics(key: str, value: Any) -> Iterator[str]:
    """Known metrics within their bounds."""
    found = list(_entries(_number)(key, value))
    yield from found
    for name, said in {} if found else value.items():
        if name not in METRICS:
            yield f"{key}.{name!r} is not a metric"
            continue
        metric = METRICS[name]
        if (metric.lowest is not None and said < metric.lowest) or (metric.highest is not None and said > metric.highest):
            yield f"{key}.{name} must be {metric.range}"


def _files(key: str, value: Any) -> Iterator[str]:
    """The files of the tables, perhaps the rules of a recoding or the notice that nothing is guaranteed, and the report at the end."""
    if not isinstance(value, list) or len(value) < 2:
        yield f"{key} must be the tables and {REPORT}, and nothing else"
        return
    tables, pages = _told_apart(value)
    found = [fault for i, file in enumerate(tables) for fault in _TABLE_FILE(f"{key}[{i}]", file)]
    for i, (file, rule) in enumerate(zip(pages, (_NOTED_FILE, _REPORT_FILE)[-len(pages) :], strict=True), len(tables)):
        found += rule(f"{key}[{i}]", file)
    yield from found
    if not found and len({file["name"] for file in value}) < len(value):
        yield f"{key} has a file twice"
    for i, file in enumerate([] if found else tables):
        part = f"_{file['part']}" if "part" in file else ""
        first = file["table"] not in {before["table"] for before in value[:i]}
        yield from (f"{key}[{i}].{amount} is missing" for amount in KINDS[file["kind"]].amounts if first and amount not in file)
        if file["name"] != f"{file['table']}{part}{OUTPUT_FORMATS[file['format']]}":
            yield f"{key}[{i}].format is not that of {file['name']}"
        if "layout" in file and (file["format"] == "transactions" or file["kind"] not in LISTED):
            yield f"{key}[{i}].layout is not one for such a file"


_TABLE_FILE = _object(
    {"name": _must(_is_plain, "a name without a path"), "table": _text, "kind": _one_of(tuple(KINDS)), "rows": _count, DIGEST: _sha256,
     "format": _one_of(tuple(OUTPUT_FORMATS))},
    {"separator": _text, "part": _text, "layout": _one_of(LAYOUTS), "columns": _entries(_one_of(tuple(ALL_TYPES))), "pseudonyms": _text,
     "occurrences": _count, "items": _count, "different": _count, "groups": _count, "profiles": _count,
     "records": _count, "clusters": _count, "subrecords": _count},
)  # fmt: skip
_REPORT_FILE = _object({"name": _one_of((REPORT,)), DIGEST: _sha256})
_NOTED_FILE = _object({"name": _one_of((NOTICE, RULES)), DIGEST: _sha256})


def _told_apart(files: list[Any]) -> tuple[list[Any], list[Any]]:
    """The files of tables, and those after them: the report, and before it rules or the notice, if there are any."""
    noted = len(files) > 2 and isinstance(files[-2], dict) and files[-2].get("name") in {NOTICE, RULES}
    pages = 2 if noted else 1
    return files[:-pages], files[-pages:]


_CLAIM = _object(
    {
        "model": _text,
        "verdict": _one_of(get_args(Standing)),
        "holds": _flag,
        "achieved": _entries(_level),
        "achieved_from_file": _entries(_level),
    },
    {"notes": _several(_text)},
)

_ANY_INPUT = {
    "records": _count,
    "owners": _count,
    "items": _count,
    "occurrences": _count,
    "per": _one_of(get_args(Per)),
    "records_as": _one_of(("sets", "bags")),
    "taxonomy": _must(_is_plain, "a name without a path"),
}
_READING = _object(
    {},
    {
        "columns": _object({}, dict.fromkeys(ROLES, _text)),
        "separator": _text,
        "header": _flag,
        "owners": _one_of(OWNERS),
        "strict": _flag,
        "malformed": _must(lambda value: _is_number(value) and 0 <= value <= 1, "a share from 0 to 1"),
    },
)
_FROM_A_FILE = {"format": _one_of(tuple(FORMATS)), "files": _count, "reading": _READING}
_PERHAPS = {**_FROM_A_FILE, "protects": _text, "rows": _count, "gap": _must(_is_gap, "a duration such as 30m")}
_TYPED_INPUT = _object({**_ANY_INPUT, "names": _one_of((AS_TYPED,))}, _PERHAPS)
_KINDS = dict.fromkeys((NOMINAL, ORDINAL, HIERARCHIES), _several(_text))
_ROWS_INPUT = _object(
    {"rows": _count, "owners": _count, "read_as": _one_of(ROWS)},
    {
        **_FROM_A_FILE,
        QUASI: _several(_text),
        KEPT: _several(_text),
        DROPPED: _several(_text),
        OWNER: _text,
        **_KINDS,
        "clicks": _one_of(("read",)),
        "times": _one_of(("read",)),
        "taxonomy": _must(_is_plain, "a name without a path"),
    },
)
_DOCUMENTS_INPUT = _object(
    {
        "records": _count,
        "owners": _count,
        "items": _count,
        "read_as": _one_of(("documents",)),
        "terms": _must(lambda value: type(value) is int and 1 <= value <= LARGEST_VECTOR, f"a whole number from 1 to {LARGEST_VECTOR:,}"),
        "unknown": _one_of(get_args(Unknown)),
    },
    {**_FROM_A_FILE, "rows": _count, "protects": _text},
)
_INPUT_ON_TAXONOMY = _object(
    {
        **_ANY_INPUT,
        "unknown_items": _count,
        "unknown_occurrences": _count,
        "node_loss": _one_of(tuple(LOSSES)),
        "unknown": _one_of(get_args(Unknown)),
        "scope": _one_of(get_args(Scope)),
        FLOOR: _must(_is_floor, "a level from 1 on, or names of nodes"),
        "taxonomy_nodes": _count,
        "taxonomy_leaves": _count,
        "taxonomy_height": _count,
    },
    _PERHAPS,
)


def _countless(name: str, fact: Any) -> bool:
    """Whether a fact of the input holds no number of what is in it: words, and what the user said of how it is to be read."""
    return name == "reading" or type(fact) is str


def _words_of_input(key: str, value: Any) -> Iterator[str]:
    for name, fact in value.items():
        yield from _text(f"a name in {key}", name)
        yield from (_READING if name == "reading" else _text)(_under(key, name), fact)


def _input(key: str, value: Any) -> Iterator[str]:
    """Records on a taxonomy, or of names as they were typed; or rows as they were read."""
    told = value if isinstance(value, dict) else {}
    if told and not any(name in told for name in ("rows", "records")):  # counts are withheld
        yield from _words_of_input(key, value)
        return
    rule = (
        _DOCUMENTS_INPUT
        if told.get("read_as") == "documents"
        else _ROWS_INPUT
        if "read_as" in told
        else _TYPED_INPUT
        if "names" in told
        else _INPUT_ON_TAXONOMY
    )
    yield from rule(key, value)


_STEP = _object(
    {
        "purpose": _one_of((GUIDE, SELECTION, COUNTS)),
        "table": _text,
        "noise": _one_of((GAUSSIAN, LAPLACE)),
        "weights": _one_of((POLICY, EQUAL, WHOLE)),
        "scale": _level,
        "grid": _must(lambda value: type(value) is int and abs(value) <= FINEST_GRID, "a whole number"),
    },
    {one.name: _number for one in fields(NoisyStep) if one.default is None} | {"cap": _count},
)

_MANIFEST = _object(
    {
        "shoal": _text,
        "method": _text,
        "parameters": _entries(_setting),
        "input": _input,
        "claims": _several(_CLAIM),
        "accounting": _entries(_ledger),
        "notes": _several(_text),
        "metrics": _metrics,
        "files": _files,
        DIGEST: _sha256,
    },
    {"counts": _one_of(("withheld",)), LACKING: _text, "mechanism": _several(_STEP)},
)

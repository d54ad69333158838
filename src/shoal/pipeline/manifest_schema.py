"""Schema of a manifest: its keys, their types and ranges, and its digest.

Anyone may have edited a manifest, so it is read strictly: missing, unknown or repeated keys, negative counts and NaN are rejected. The
digest detects accidents and careless edits only, because whoever edits a manifest can recompute it. An audit therefore recomputes
everything that the files allow.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, get_args

from shoal.attacks import ORIGINAL, RELEASE, Test
from shoal.attacks.outcome import Standing as Placed
from shoal.data.claims import Standing
from shoal.data.durations import parse_gap
from shoal.data.input_shapes import ITEM_SETS
from shoal.data.items import A_FILE
from shoal.data.log import Per
from shoal.data.min_support import MinSupport
from shoal.data.node_loss import LOSSES
from shoal.data.noise_record import COUNTS, DIVISIONS, EQUAL, GAUSSIAN, GUIDE, LAPLACE, POLICY, SELECTION, WHOLE, NoisyStep
from shoal.data.original import KEPT, QUASI
from shoal.data.tables import KINDS
from shoal.data.tables.column_types import ALL_TYPES, ITEMS
from shoal.engines import ENGINES
from shoal.errors import ParameterError
from shoal.io.joined_cells import JOINED
from shoal.io.read.delimited import one_byte
from shoal.io.read.encodings import is_encoding
from shoal.io.read.microdata import DROPPED, HIERARCHIES, NOMINAL, ORDINAL, OWNER
from shoal.io.read.options import FORMATS, ITEMS_TABLE, OWNERS, REFERRERS, ROLES, SITE_LINKS
from shoal.io.read.sql import SQL
from shoal.io.release_directory import NOTICE, REPORT
from shoal.io.rules_file import RULES
from shoal.io.write.output_format import LAYOUTS, LONG, OUTPUT_FORMATS
from shoal.kinds import shape_of_input
from shoal.metrics import METRICS, routine
from shoal.pipeline.disclosure import COUNTS as LEFT_OUT
from shoal.pipeline.disclosure import PARTLY, WITHHELD
from shoal.pipeline.options import AS_TYPED, FLOOR, LARGEST_VECTOR, MIN_SUPPORT, RARE_ITEMS, ROWS, WORD_RULES
from shoal.pipeline.prepare import LEARNED_FROM, RECORDS, SESSIONS, TREE_DIGEST
from shoal.privacy import MODELS
from shoal.report.attacks import ATTACKS, FEW, SKIPPED
from shoal.report.verdict_text import LACKING, REACHED
from shoal.taxonomy.place_terms import Scope, Unknown
from shoal.text.word_rules import is_word_rules

# -- rules: each checks the value of a key and yields its faults


LARGEST_COUNT = 2**63 - 1
VERSION = re.compile(r"(0|[1-9]\d{0,3})(\.(0|[1-9]\d{0,3})){1,3}((a|b|rc)\d{1,3})?(\.post\d{1,3})?(\.dev\d{1,4})?", re.ASCII)

Rule = Callable[[str, Any], Iterator[str]]


def must(test: Callable[[Any], bool], what: str) -> Rule:
    """Rule: the value passes a test; `what` describes it."""

    def rule(key: str, value: Any) -> Iterator[str]:
        if not test(value):
            yield f"{key or 'it'} must be {what}"

    return rule


def one_of(allowed: tuple[str, ...]) -> Rule:
    """Rule: the value is one of these texts."""
    return must(lambda value: isinstance(value, str) and value in allowed, f"one of {', '.join(allowed)}")


def either(one: Rule, other: Rule) -> Rule:
    """Rule: the value conforms to one of two rules; the faults are those of the first."""

    def check(key: str, value: Any) -> Iterator[str]:
        if list(other(key, value)):
            yield from one(key, value)

    return check


def entries(rule: Rule, *, required: tuple[str, ...] = ()) -> Rule:
    """Rule: an object with entries of any name that all conform to one rule."""

    def check(key: str, value: Any) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{key or 'it'} must be an object"
            return
        yield from (f"{under(key, name)} is missing" for name in required if name not in value)
        for name, entry in value.items():
            yield from text(f"a name in {key or 'it'}", name)
            yield from rule(under(key, name), entry)

    return check


def object_of(required: Mapping[str, Rule], optional: Mapping[str, Rule] | None = None) -> Rule:
    """Rule: an object with these keys and no others."""
    rules = {**required, **(optional or {})}

    def check(key: str, value: Any) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{key or 'it'} must be an object"
            return
        yield from (f"{under(key, name)} is missing" for name in required if name not in value)
        yield from (f"{under(key, repr(name))} is not a key of a manifest" for name in value if name not in rules)
        for name, rule in rules.items():
            if name in value:
                yield from rule(under(key, name), value[name])

    return check


def several(rule: Rule) -> Rule:
    """Rule: a list whose entries conform to one rule."""

    def check(key: str, value: Any) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{key} must be a list"
            return
        for i, entry in enumerate(value):
            yield from rule(f"{key}[{i}]", entry)

    return check


def under(key: str, name: str) -> str:
    """Return the full key of a name below a key."""
    return f"{key}.{name}" if key else name


def is_text(value: Any) -> bool:
    """Whether this is text without unpaired surrogates, which JSON may contain."""
    return isinstance(value, str) and not re.search("[\ud800-\udfff]", value)


def is_plain(value: Any) -> bool:
    """Whether this is a file name without a directory."""
    return is_text(value) and not {"/", "\\", "\0"} & set(value)


def is_number(value: Any) -> bool:
    """Whether this is a finite number."""
    return type(value) in {int, float} and math.isfinite(value) and abs(value) <= LARGEST_COUNT


def is_version(value: Any) -> bool:
    """Whether this is a version number and no other text."""
    return isinstance(value, str) and VERSION.fullmatch(value) is not None


def is_separator(value: Any) -> bool:
    """Whether this is a separator as in the options: one character, or the name of one."""
    try:
        return isinstance(value, str) and one_byte(value) is not None
    except ParameterError:
        return False


def is_gap(value: Any) -> bool:
    """Whether this is a duration such as 30m."""
    try:
        parse_gap(value)
    except ParameterError:
        return False
    return isinstance(value, str)


def is_support(value: Any) -> bool:
    """Whether this is a least support of items, as preparation records it."""
    try:
        return type(value) is str and MinSupport.parse(value).text == value
    except ParameterError:
        return False


def is_floor(value: Any) -> bool:
    """Whether this is a level of a taxonomy, or a list of distinct node names."""
    names = isinstance(value, list) and bool(value) and all(map(is_text, value)) and len(set(value)) == len(value)
    return names or (type(value) is int and 1 <= value <= LARGEST_COUNT)


text = must(is_text, "text")
separator = must(is_separator, "one ASCII character")
flag = must(lambda value: type(value) is bool, "true or false")
count = must(lambda value: type(value) is int and 0 <= value <= LARGEST_COUNT, "a whole number of 0 or more")
number = must(is_number, "a finite number")
level = must(lambda value: is_number(value) and value >= 0, "a finite number of 0 or more")
share = must(lambda value: is_number(value) and 0 <= value <= 1, "a share from 0 to 1")
setting = must(lambda value: value is None or type(value) is bool or is_text(value) or is_number(value), "one value")
sha256 = must(lambda value: isinstance(value, str) and bool(re.fullmatch("[0-9a-f]{64}", value)), "a SHA-256 in hexadecimal digits")


# -- the schema


FINEST_GRID = 60
DIGEST = "sha256"
ENGINE = "engine"  # present if a release was not made on one machine


def faults(manifest: Any) -> Iterator[str]:
    """Return the faults of a manifest, each with its key."""
    structural = list(_MANIFEST("", manifest))
    yield from structural
    if structural:
        return
    yield from _expected(manifest)


def digest_of(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a manifest without its own digest, in canonical form: sorted keys, no blanks."""
    content = {key: value for key, value in manifest.items() if key != DIGEST}
    written = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(written.encode()).hexdigest()


def manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """Serialize a manifest in its canonical form, so that spacing and escapes carry no information."""
    return json.dumps(manifest, indent=2, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass") + b"\n"


def _expected(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Return the ledgers and metrics that are required for such tables and input, and those that cannot occur."""
    if manifest.get(LEFT_OUT) == WITHHELD:
        yield from (f"{part} is present although counts are withheld" for part in ("accounting", "metrics", ATTACKS) if manifest.get(part))
        yield from (
            f"input.{name} is present although counts are withheld"
            for name, fact in manifest["input"].items()
            if not _countless(name, fact)
        )
        return
    if LEFT_OUT in manifest:  # which of them the claims allow is found by an audit
        return
    yield from (f"input.{name} is missing" for name in _needed_words(manifest["input"]) if name not in manifest["input"])
    facts, kinds = manifest["input"], {file["kind"] for file in manifest["files"] if "kind" in file}
    shape = shape_of_input(facts)
    ledgers = ("records", "occurrences") if "records_as" in facts else _LEDGERS.get(shape, ("rows",))
    yield from (f"accounting.{name} is missing" for name in ledgers if name not in manifest["accounting"])
    on_taxonomy = "node_loss" in facts
    adds_items = any(_adds_items(claim["model"]) for claim in manifest["claims"])
    needed = {metric.name for metric in routine(kinds, shape, on_taxonomy=on_taxonomy, adds_items=adds_items)}
    yield from (f"metrics.{name} is missing" for name in sorted(needed - manifest["metrics"].keys()))
    for name in manifest["metrics"]:
        if METRICS[name].needs_taxonomy and not on_taxonomy:
            yield f"metrics.{name} is present without a taxonomy"
        elif not METRICS[name].applies(kinds, shape) or not METRICS[name].fits(adds_items):
            yield f"metrics.{name} does not apply to such a release"


def _adds_items(claim: str) -> bool:
    """Whether a claim allows records to contain items that their people never had."""
    name = claim.partition("(")[0]
    return name in MODELS and MODELS[name].adds_items


_LEDGERS = {"documents": ("records", "terms", "words"), "table with items": ("rows", "occurrences")}


# -- the parts of a manifest


def _ledger(key: str, value: Any) -> Iterator[str]:
    """Rule: a total, `in`, and its parts."""
    found = list(entries(count, required=("in",))(key, value))
    yield from found
    if not found and 2 * value["in"] != sum(value.values()):
        yield f"{key} does not add up: its parts do not sum to the input"


def _metrics(key: str, value: Any) -> Iterator[str]:
    """Rule: known metrics within their bounds."""
    found = list(entries(number)(key, value))
    yield from found
    for name, measured in {} if found else value.items():
        if name not in METRICS:
            yield f"{key}.{name!r} is not a metric"
            continue
        metric = METRICS[name]
        if (metric.lowest is not None and measured < metric.lowest) or (metric.highest is not None and measured > metric.highest):
            yield f"{key}.{name} must be {metric.range}"


def _files(key: str, value: Any) -> Iterator[str]:
    """Rule: the table files, optionally recoding rules or the notice of a missing guarantee, and finally the report."""
    if not isinstance(value, list) or len(value) < 2:
        yield f"{key} must list the tables and {REPORT}, and nothing else"
        return
    tables, pages = _tables_and_pages(value)
    found = [fault for i, file in enumerate(tables) for fault in _TABLE_FILE(f"{key}[{i}]", file)]
    for i, (file, rule) in enumerate(zip(pages, (_NOTED_FILE, _REPORT_FILE)[-len(pages) :], strict=True), len(tables)):
        found += rule(f"{key}[{i}]", file)
    yield from found
    if not found and len({file["name"] for file in value}) < len(value):
        yield f"{key} lists a file twice"
    for i, file in enumerate([] if found else tables):
        part = f"_{file['part']}" if "part" in file else ""
        first = file["table"] not in {before["table"] for before in value[:i]}
        yield from (f"{key}[{i}].{amount} is missing" for amount in KINDS[file["kind"]].amounts if first and amount not in file)
        if file["name"] != f"{file['table']}{part}{OUTPUT_FORMATS[file['format']]}":
            yield f"{key}[{i}].format is not that of {file['name']}"
        if any(before["table"] == file["table"] and before["kind"] != file["kind"] for before in tables[:i]):
            yield f"{key} has tables of two kinds under one name"
        yield from _odd_names(f"{key}[{i}]", file, [before["table"] for before in tables[:i]].count(file["table"]))
        if "separator" not in file and _joins_lists(file):
            yield f"{key}[{i}].separator is missing"
        if "layout" in file and (file["format"] == "transactions" or not KINDS[file["kind"]].has_layouts):
            yield f"{key}[{i}].layout does not apply to such a file"


def _joins_lists(file: Mapping[str, Any]) -> bool:
    """Whether a file contains lists whose entries are joined into one text."""
    lists = ITEMS in file.get("columns", {}).values() or (KINDS[file["kind"]].joins_lists and file.get("layout") != LONG)
    return file["format"] in JOINED and lists


def _odd_names(key: str, file: Mapping[str, Any], before: int) -> Iterator[str]:
    """Return tables or parts of tables whose names do not fit their kind; `before` is the number of preceding files of the table."""
    kind = file["kind"]
    table = KINDS[kind]
    if file["table"] not in table.names:
        yield f"{key}.table must be {' or '.join(table.names)}"
    parts = table.part_names or ((f"{before + 1:05}",) if table.numbered else ())
    if "part" in file and file["part"] not in parts:
        yield f"{key}.part is not a part of a table of {kind}"


_SIGN = must(lambda value: is_separator(value) and len(value) == 1, "one ASCII character")
_TABLE_FILE = object_of(
    {"name": must(is_plain, "a name without a path"), "table": text, "kind": one_of(tuple(KINDS)), "rows": count, DIGEST: sha256,
     "format": one_of(tuple(OUTPUT_FORMATS))},
    {"separator": _SIGN, "part": text, "layout": one_of(LAYOUTS), "columns": entries(one_of(tuple(ALL_TYPES))), "pseudonyms": text,
     **{amount: count for table in KINDS.values() for amount in table.amounts if amount != "rows"}},
)  # fmt: skip
_REPORT_FILE = object_of({"name": one_of((REPORT,)), DIGEST: sha256})
_NOTED_FILE = object_of({"name": one_of((NOTICE, RULES)), DIGEST: sha256})


def _tables_and_pages(files: list[Any]) -> tuple[list[Any], list[Any]]:
    """Split the files into those of tables and those after them: the report, preceded by rules or a notice if there are any."""
    noted = len(files) > 2 and isinstance(files[-2], dict) and files[-2].get("name") in {NOTICE, RULES}
    pages = 2 if noted else 1
    return files[:-pages], files[-pages:]


_CLAIM = object_of(
    {
        "model": text,
        "verdict": one_of(get_args(Standing)),
        "holds": flag,
        "achieved": entries(level),
        "achieved_from_file": entries(level),
    },
    {REACHED: text, "notes": several(text)},
)

_WORDS = {"items": count, "occurrences": count}  # needed, unless they are withheld
_SUPPORT = {MIN_SUPPORT: must(is_support, "a number of people or a share of them")}
_RARE = {RARE_ITEMS: count}  # of records with a least support
_UNKNOWN = {"unknown_items": count, "unknown_occurrences": count}  # the same on a taxonomy
_ANY_INPUT = {
    "records": count,
    "owners": count,
    "per": one_of(get_args(Per)),
    "records_as": one_of(("sets", "bags")),
    "taxonomy": must(is_plain, "a name without a path"),
}
_READING = object_of(
    {},
    {
        "columns": object_of({}, dict.fromkeys(ROLES, text)),
        "separator": separator,
        "encoding": must(is_encoding, "the name of an encoding"),
        "header": flag,
        "owners": one_of(OWNERS),
        "strict": flag,
        "malformed": share,
        SITE_LINKS: one_of((REFERRERS, A_FILE)),
        ITEMS_TABLE: object_of({}, {"key": text, "name": text, "levels": several(text), "level": text}),
    },
)
_FROM_A_FILE = {"format": one_of(tuple(FORMATS)), "origin": one_of((SQL,)), "files": count, "reading": _READING}
_PERHAPS = {**_FROM_A_FILE, "protects": text, "rows": count, "gap": must(is_gap, "a duration such as 30m"), **_SUPPORT}
_PERHAPS |= {WORD_RULES: must(is_word_rules, "a list of word rules")}
_TYPED_INPUT = object_of({**_ANY_INPUT, "names": one_of((AS_TYPED,))}, {**_PERHAPS, **_WORDS, **_RARE})
_KINDS = dict.fromkeys((NOMINAL, ORDINAL, HIERARCHIES, ITEM_SETS), several(text))
_ROWS_INPUT = object_of(
    {"rows": count, "owners": count, "read_as": one_of(ROWS)},
    {
        **_FROM_A_FILE,
        QUASI: several(text),
        KEPT: several(text),
        DROPPED: either(count, several(text)),  # names in manifests of earlier versions
        OWNER: text,
        **_KINDS,
        "occurrences": count,  # of items, in a table with item sets
        "clicks": one_of(("read",)),
        "times": one_of(("read",)),
        "taxonomy": must(is_plain, "a name without a path"),
    },
)
_DOCUMENTS_INPUT = object_of(
    {
        "records": count,
        "owners": count,
        "items": count,
        "read_as": one_of(("documents",)),
        "terms": must(lambda value: type(value) is int and 1 <= value <= LARGEST_VECTOR, f"a whole number from 1 to {LARGEST_VECTOR:,}"),
        "unknown": one_of(get_args(Unknown)),
    },
    {**_FROM_A_FILE, "rows": count, "protects": text, "taxonomy": must(is_plain, "a name without a path")},
)
_OF_TOPICS = {LEARNED_FROM: one_of((SESSIONS, RECORDS)), TREE_DIGEST: sha256}
_OF_EARLIER_VERSIONS = dict.fromkeys(("taxonomy_nodes", "taxonomy_leaves", "taxonomy_height"), count)  # sizes of a tree of all words
_INPUT_ON_TAXONOMY = object_of(
    {
        **_ANY_INPUT,
        "node_loss": one_of(tuple(LOSSES)),
        "unknown": one_of(get_args(Unknown)),
        "scope": one_of(get_args(Scope)),
        FLOOR: must(is_floor, "a level of 1 or more, or names of nodes"),
    },
    {**_PERHAPS, **_WORDS, **_RARE, **_UNKNOWN, **_OF_TOPICS, **_OF_EARLIER_VERSIONS},
)


def _needed_words(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the numbers of words that the input of records must have if none is withheld."""
    if "records_as" not in facts:
        return ()
    return (*_WORDS, *(() if "names" in facts else _UNKNOWN))


def _countless(name: str, fact: Any) -> bool:
    """Whether a fact about the input contains no count of its content."""
    return name == "reading" or type(fact) is str


def _words_of_input(key: str, value: Any) -> Iterator[str]:
    for name, fact in value.items():
        yield from text(f"a name in {key}", name)
        yield from (_READING if name == "reading" else text)(under(key, name), fact)


def _input(key: str, value: Any) -> Iterator[str]:
    """Rule: facts about records on a taxonomy, records of names as typed, or rows as read."""
    fields = value if isinstance(value, dict) else {}
    if fields and not any(name in fields for name in ("rows", "records")):  # counts are withheld
        yield from _words_of_input(key, value)
        return
    rule = (
        _DOCUMENTS_INPUT
        if fields.get("read_as") == "documents"
        else _ROWS_INPUT
        if "read_as" in fields
        else _TYPED_INPUT
        if "names" in fields
        else _INPUT_ON_TAXONOMY
    )
    yield from rule(key, value)


_STEP = object_of(
    {
        "purpose": one_of((GUIDE, SELECTION, COUNTS, DIVISIONS)),
        "table": text,
        "noise": one_of((GAUSSIAN, LAPLACE)),
        "weights": one_of((POLICY, EQUAL, WHOLE)),
        "scale": level,
        "grid": must(lambda value: type(value) is int and abs(value) <= FINEST_GRID, "a whole number"),
    },
    {one.name: number for one in fields(NoisyStep) if one.default is None} | {"cap": count},
)

_OUTCOME = object_of(
    {
        "subject": one_of((ORIGINAL, RELEASE)),
        "attack": text,
        "test": one_of(get_args(Test)),
        "knowledge": text,
        "targets": count,
        **dict.fromkeys(("success", "low", "high", "baseline"), share),
        "verdict": one_of(get_args(Placed)),
    },
    {
        **dict.fromkeys(("worst_hit", "control", "ceiling"), share),
        "controls": count,
        "everybody": must(lambda value: value is True, "true, or left out"),
    },
)
_ATTACKS = object_of(
    {"targets": count, "control": share, "seed": count, "outcomes": several(_OUTCOME)},
    dict.fromkeys((SKIPPED, FEW), several(text)),
)

_MANIFEST = object_of(
    {
        "shoal": must(is_version, "the number of a version"),
        "method": text,
        "parameters": entries(setting),
        "input": _input,
        "claims": several(_CLAIM),
        "accounting": entries(_ledger),
        "notes": several(text),
        "metrics": _metrics,
        "files": _files,
        DIGEST: sha256,
    },
    {
        LEFT_OUT: one_of((WITHHELD, PARTLY)),
        LACKING: text,
        "mechanism": several(_STEP),
        ATTACKS: _ATTACKS,
        ENGINE: one_of(ENGINES),
    },
)

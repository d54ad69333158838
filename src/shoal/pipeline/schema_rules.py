"""Rules of which the schema of manifests is made: each looks at one value under its key and gives what is not as it must be."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from shoal.data.durations import parse_gap
from shoal.errors import ParameterError
from shoal.io.read.delimited import one_byte

LARGEST_COUNT = 2**63 - 1
VERSION = re.compile(r"(0|[1-9]\d{0,3})(\.(0|[1-9]\d{0,3})){1,3}((a|b|rc)\d{1,3})?(\.post\d{1,3})?(\.dev\d{1,4})?", re.ASCII)

Rule = Callable[[str, Any], Iterator[str]]


def must(test: Callable[[Any], bool], what: str) -> Rule:
    """A value that passes a test, in words: what it must be."""

    def rule(key: str, value: Any) -> Iterator[str]:
        if not test(value):
            yield f"{key or 'it'} must be {what}"

    return rule


def one_of(allowed: tuple[str, ...]) -> Rule:
    """One of these texts."""
    return must(lambda value: isinstance(value, str) and value in allowed, f"one of {', '.join(allowed)}")


def either(one: Rule, other: Rule) -> Rule:
    """A value that follows one of two rules; the faults are those of the first."""

    def check(key: str, value: Any) -> Iterator[str]:
        if list(other(key, value)):
            yield from one(key, value)

    return check


def entries(rule: Rule, *, required: tuple[str, ...] = ()) -> Rule:
    """An object with entries of any name, all under one rule."""

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
    """An object with these keys and no others."""
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
    """A list whose entries are all under one rule."""

    def check(key: str, value: Any) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{key} must be a list"
            return
        for i, entry in enumerate(value):
            yield from rule(f"{key}[{i}]", entry)

    return check


def under(key: str, name: str) -> str:
    """The full key of a name under a key."""
    return f"{key}.{name}" if key else name


def is_text(value: Any) -> bool:
    """Whether this is text that every file can hold; JSON may carry halves of characters."""
    return isinstance(value, str) and not re.search("[\ud800-\udfff]", value)


def is_plain(value: Any) -> bool:
    """Whether this is the name of a file without a directory."""
    return is_text(value) and not {"/", "\\", "\0"} & set(value)


def is_number(value: Any) -> bool:
    """Whether this is a finite number that a count could be compared with."""
    return type(value) in {int, float} and math.isfinite(value) and abs(value) <= LARGEST_COUNT


def is_version(value: Any) -> bool:
    """Whether this is the number of a version, which holds no other text."""
    return isinstance(value, str) and VERSION.fullmatch(value) is not None


def is_separator(value: Any) -> bool:
    """Whether this is a separator as users write it: one character, or a word for one."""
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


def is_floor(value: Any) -> bool:
    """Whether this is a level of a taxonomy, or different names of nodes."""
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

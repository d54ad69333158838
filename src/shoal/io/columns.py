"""Which column is the user, which the time, and which the text or item: as was said, else by known names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from shoal.errors import InputError, ParameterError
from shoal.io.options import ROLES, ReadOptions
from shoal.io.source import Source

# Names under which a column is recognised, in small letters and without blanks, dashes and underscores.
KNOWN = {
    "user": "user anonid userid uid owner ownerid customer customerid client clientid member memberid",
    "time": "time querytime timestamp datetime date when ts",
    "text": "query text querytext searchterm searchterms keywords q",
    "item": "item itemid itemname tag product productid sku movieid term word article",
}
KNOWN_NAMES = {role: frozenset(names.split()) for role, names in KNOWN.items()}

_NAME = re.compile(r"[^\W\d][\w .:/()-]{0,40}")

Roles = Mapping[str, int]


def plain(name: str) -> str:
    """A column name in small letters, without blanks, dashes and underscores."""
    return re.sub(r"[\s_-]", "", name).lower()


def find_roles(names: Sequence[str], options: ReadOptions) -> dict[str, int]:
    """The columns of the user, of the text or item and perhaps of the time; none where one is missing."""
    found = {role: _candidates(names, role, options) for role in ROLES}
    payload = {"querylog": "text", "table": "item"}.get(options.wanted_format or "")
    payload = payload or ("text" if found["text"] else "item")
    needed = {"user", payload} | ({"time"} if options.time is not None else set())
    if not all(found[role] for role in needed):
        return {}
    roles = {role: _only(names, role, found[role], options) for role in ("user", "time", payload) if found[role]}
    if len(set(roles.values())) < len(roles):
        raise ParameterError(f"one column cannot play two parts: {listed_roles(roles, names)}")
    return roles


def _candidates(names: Sequence[str], role: str, options: ReadOptions) -> list[int]:
    said = options.named.get(role)
    if said is None:
        return [at for at, name in enumerate(names) if plain(name) in KNOWN_NAMES[role]]
    named = [at for at, name in enumerate(names) if name == said]
    if not named and said.isdigit() and 1 <= int(said) <= len(names):
        return [int(said) - 1]
    return named


def _only(names: Sequence[str], role: str, places: Sequence[int], options: ReadOptions) -> int:
    if len(places) == 1:
        return places[0]
    said = options.named.get(role)
    if said is not None:
        raise InputError(f"{len(places)} columns are called {said!r}", hint="rename all but one", value=said)
    listed = ", ".join(repr(names[at]) for at in places)
    raise InputError(f"several columns could be the {role}: {listed}", hint=f"name one with --{role}")


def numbered_roles(width: int, options: ReadOptions) -> dict[str, int]:
    """The fields that the user numbered, if all columns were given so and they are enough to read a file."""
    named = options.named
    if "user" not in named or not {"text", "item"} & set(named) or not all(n.isdigit() for n in named.values()):
        return {}
    for role, number in named.items():
        if not 1 <= int(number) <= width:
            raise InputError(f"there is no field {number} for the {role}: the first line has {width} fields")
    return {role: int(number) - 1 for role, number in named.items()}


def knows_any(names: Sequence[str]) -> bool:
    """Whether one of these is a known name of a column."""
    return any(plain(name) in known for name in names for known in KNOWN_NAMES.values())


def looks_like_header(sample: Sequence[Sequence[str]]) -> bool:
    """Whether the first line names columns: words, none of which comes again as a value of its column."""
    if not sample or not all(_NAME.fullmatch(name) for name in sample[0]):
        return False
    return not any(value == name for record in sample[1:] for name, value in zip(sample[0], record, strict=False))


def missing_columns(source: Source, options: ReadOptions, names: Sequence[str], *, surely_names: bool) -> InputError:
    """The error that says which columns were wanted and which there are, where those surely are names and not data."""
    absent = [f"no column {name!r}" for name in options.named.values() if name not in names]
    what = " and ".join(absent) or "no columns known to be the user and the text or item"
    hint = "name them with --user, --time and --text or --item"
    if not surely_names:
        hint += "; if its first line holds names and not data, --header shows them"
        return InputError(f"{source.path} has {what}", hint=hint)
    there = ", ".join(repr(name) for name in names)
    return InputError(f"{source.path} has {what}; it has {there}", hint=hint, columns=list(names))


def no_header(source: Source, sample: Sequence[Sequence[str]]) -> InputError:
    """The error for a file that starts with data; it says nothing of that data."""
    first = f"holds data ({len(sample[0])} fields)" if sample else "cannot be read"
    return InputError(
        f"{source.path} has no header with the needed columns: its first line {first}",
        hint="number the fields from 1, as in --user 1 --text 3",
    )


def listed_roles(roles: Roles, names: Sequence[str]) -> str:
    """The roles and their columns, or the numbers of their fields where there are no names."""
    return ", ".join(f"{role} = {repr(names[at]) if names else f'field {at + 1}'}" for role, at in roles.items())

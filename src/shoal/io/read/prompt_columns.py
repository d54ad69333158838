"""Which columns of a file hold conversations, and whose and when they were: as was said, else by their form and known names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from shoal.errors import InputError, ParameterError
from shoal.io.read.columns import candidates, find_roles, known_as_header, listed_roles, only, plain
from shoal.io.read.conversations import FORMS, KNOWN_TURNS, TURN_TIMES, are_turns, turn_time
from shoal.io.read.options import PROMPTS, ReadOptions
from shoal.io.read.source import Source
from shoal.names import did_you_mean

# Names of the columns in which exports number conversations; a person may have many.
NUMBERED = frozenset({"id", "conversationid", "conversationhash", "chatid", "threadid", "sessionid"})

Columns = Mapping[str, str]  # of conversations, with the key of the time of a turn, empty where there is none


def json_conversations(objects: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The keys whose values are conversations, in most of these objects: a few may be malformed."""
    found = {}
    for name in dict.fromkeys(key for held in objects for key in held):
        values = [held[name] for held in objects if held.get(name) is not None]
        if values and sum(map(are_turns, values)) * 5 >= len(values) * 4:
            found[name] = next((key for value in values if (key := turn_time(value))), "")
    return found


def nested_conversations(schema: Mapping[str, pl.DataType]) -> dict[str, str]:
    """The columns of lists of turns."""
    found = {}
    for name, kind in schema.items():
        if isinstance(kind, pl.List) and isinstance(kind.inner, pl.Struct):
            keys = {field.name for field in kind.inner.fields}
            if any({speaker, text} <= keys for speaker, text in FORMS):
                found[name] = next((key for key in TURN_TIMES if key in keys), "")
    return found


def holds_prompts(source: Source, names: Sequence[str], found: Columns, options: ReadOptions) -> bool:
    """Whether a file is read as conversations: that was said, or a column of a known name holds them and nothing else can be meant."""
    if options.format is not None or options.text is not None:
        return options.format == PROMPTS or (options.format is None and options.text in found)
    if options.item is not None or options.count is not None or not KNOWN_TURNS.intersection(found):
        return False
    if find_roles(names, options):
        hint = f"say --format {PROMPTS} to read the turns of conversations, or name the column of texts or items with --text or --item"
        raise InputError(f"{source.path} has a column of conversations and one of texts or items", hint=hint)
    return True


def prompt_roles(source: Source, names: Sequence[str], found: Columns, options: ReadOptions) -> dict[str, int]:
    """The columns of the owner, of the conversations and perhaps of the time and the record."""
    turns = _column_of_turns(source, names, found, options)
    places = {role: candidates(names, role, options) for role in ("user", "time", "record")}
    absent = [(role, name) for role, name in options.named.items() if role in places and not places[role]]
    if absent:
        role, name = absent[0]
        there = did_you_mean(name, names) if _are_names(turns, names, options) else ""
        raise InputError(f"{source.path} has no column {name!r} for the {role}", hint=there, value=name)
    if not places["user"]:
        raise _nobodys(source, turns, names, options)
    roles = {role: only(names, role, at, options) for role, at in places.items() if at}
    roles["text"] = names.index(turns)
    if len(set(roles.values())) < len(roles):
        raise ParameterError(f"one column cannot play two parts: {listed_roles(roles, names)}")
    return roles


def _column_of_turns(source: Source, names: Sequence[str], found: Columns, options: ReadOptions) -> str:
    known = [name for name in found if name in KNOWN_TURNS] or list(found)
    if options.text is not None:
        known = [names[at] for at in candidates(names, "text", options) if names[at] in found]
    if len(known) == 1:
        return known[0]
    hint = "a conversation is a list of turns with role and content, or from and value; --text names its column"
    if not known:
        what = "no column of conversations" if options.text is None else f"no conversations in the column {options.text!r}"
        raise InputError(f"{source.path} has {what} in a form that is known", hint=hint)
    raise InputError(f"{len(known)} columns of {source.path} hold conversations", hint="name one with --text")


def _are_names(turns: str, names: Sequence[str], options: ReadOptions) -> bool:
    """Whether the keys are surely names and not data, so that they may be quoted."""
    return turns in KNOWN_TURNS or known_as_header(names, options)


def _nobodys(source: Source, turns: str, names: Sequence[str], options: ReadOptions) -> InputError:
    """The error for conversations without an owner: taken for a person each, someone with many would be many people."""
    hint = "name the column of accounts or addresses with --user"
    if _are_names(turns, names, options):
        numbered = [name for name in names if plain(name) in NUMBERED]
        each = f"; --user {numbered[0]} takes each conversation for one person's: right only if nobody has two" if numbered else ""
        there = ", ".join(repr(name) for name in names)
        return InputError(f"{source.path} does not say whose its conversations are; it has {there}", hint=hint + each, columns=list(names))
    return InputError(f"{source.path} does not say whose its conversations are", hint=hint)

"""Conversations with a language model in common export formats, and the prompts in them: the turns typed by people.

A turn is an object with a speaker and a text: `role` and `content`, or `from` and `value`. Turns are a list, or the tree of OpenAI's
exports, an object of nodes each of which may have a message; there every message is a turn, including those of abandoned branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from shoal.errors import InputError, ParameterError, option
from shoal.io.read.columns import candidates, find_roles, known_as_header, listed_roles, only, plain
from shoal.io.read.json_lines import DefectiveLine
from shoal.io.read.options import PROMPTS, ReadOptions
from shoal.io.read.source import Source
from shoal.util.wording import did_you_mean

FORMS = (("role", "content"), ("from", "value"))  # the keys of the speaker and of the text
PEOPLE = frozenset({"user", "human", "prompter"})
MODELS = frozenset({"assistant", "system", "developer", "tool", "function", "model", "bot", "chatbot", "ai"})
MODELS |= {"gpt", "chatgpt", "bing", "bard", "claude"}
TURN_TIMES = ("timestamp", "create_time", "created_at", "time")
KNOWN_TURNS = frozenset({"conversation", "conversations", "messages", "turns", "mapping"})  # what a column of turns is called


class Prompts(NamedTuple):
    """The prompts of one conversation: the texts that people typed, with times as written, and the numbers of other turns.

    `models` counts turns of models and their instructions, `strangers` those of unknown speakers, `unreadable` those without a readable
    text, `parts` content of prompts other than text, such as images.
    """

    texts: list[str]
    times: list[Any]
    models: int
    strangers: int
    unreadable: int
    parts: int


def prompts_of(value: Any, time: str) -> Prompts:
    """Return the prompts of a conversation; `time` is the key of a turn's time, empty if it has none. Raise if there are no turns."""
    texts: list[str] = []
    times: list[Any] = []
    models = strangers = unreadable = parts = 0
    for turn in turns_of(value):
        speaker = speaker_of(turn)
        if speaker in MODELS:
            models += 1
        elif speaker not in PEOPLE:
            strangers += 1
        else:
            text, others = _text_of(turn)
            if text is None:
                unreadable += 1
            else:
                texts.append(text)
                times.append(turn.get(time) if time else None)
                parts += others
    return Prompts(texts, times, models, strangers, unreadable, parts)


def turns_of(value: Any) -> list[dict[str, Any]]:
    """Return the turns in a value of a conversation column."""
    turns = list(_messages(value)) if isinstance(value, Mapping) else value
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise DefectiveLine("no list of turns")
    if not turns:
        raise DefectiveLine("no turns")
    return turns


def _messages(tree: Mapping[str, Any]) -> Iterator[Any]:
    """Return the messages of the nodes of a tree; a node without a message, such as the root, is not a turn."""
    for node in tree.values():
        if not isinstance(node, dict) or "message" not in node:
            raise DefectiveLine("no list of turns")
        if node["message"] is not None:
            yield node["message"]


def speaker_of(turn: Mapping[str, Any]) -> str:
    """Return the speaker in lower case; empty if missing."""
    author = turn.get("author")
    speaker = author.get("role") if isinstance(author, dict) else next((turn[key] for key, _ in FORMS if key in turn), None)
    return speaker.strip().lower() if isinstance(speaker, str) else ""


def _text_of(turn: Mapping[str, Any]) -> tuple[str | None, int]:
    """Return the typed text (None if unreadable) and the number of parts that are not text."""
    content = next((turn[key] for _, key in FORMS if key in turn), None)
    pieces = content.get("parts", content.get("text", content)) if isinstance(content, dict) else content
    if pieces is None or isinstance(pieces, str):
        return (pieces or "").strip(), 0
    if not isinstance(pieces, list):
        return None, 0
    texts = [text for piece in pieces if (text := _text_of_piece(piece)) is not None]
    return "\n".join(texts).strip(), len(pieces) - len(texts)


def _text_of_piece(piece: Any) -> str | None:
    text = piece.get("text") if isinstance(piece, dict) else piece
    return text if isinstance(text, str) else None


# -- detection of conversation columns


def are_turns(value: Any) -> bool:
    """Whether a value is a conversation in a known format, with a person or a model as the speaker of every turn."""
    try:
        turns = turns_of(value)
    except DefectiveLine:
        return False
    return all(speaker_of(turn) in PEOPLE | MODELS and any(key in turn for _, key in FORMS) for turn in turns)


def turn_time(value: Any) -> str:
    """Return the key of the time of this conversation's prompts; empty if they have none."""
    try:
        typed = [turn for turn in turns_of(value) if speaker_of(turn) in PEOPLE]
    except DefectiveLine:
        return ""
    return next((key for key in TURN_TIMES if any(turn.get(key) is not None for turn in typed)), "")


# Columns of conversations, users and times: as the options state, else by format and known names.


# Names of the columns in which exports number conversations; a person may have many.
NUMBERED = frozenset({"id", "conversationid", "conversationhash", "chatid", "threadid", "sessionid"})

Columns = Mapping[str, str]  # of conversations, with the key of the time of a turn, empty where there is none


def json_conversations(objects: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the keys whose values are conversations in most of these objects; a few may be malformed."""
    found = {}
    for name in dict.fromkeys(key for held in objects for key in held):
        values = [held[name] for held in objects if held.get(name) is not None]
        if values and sum(map(are_turns, values)) * 5 >= len(values) * 4:
            found[name] = next((key for value in values if (key := turn_time(value))), "")
    return found


def nested_conversations(schema: Mapping[str, pl.DataType]) -> dict[str, str]:
    """Return the columns that are lists of turns."""
    found = {}
    for name, kind in schema.items():
        if isinstance(kind, pl.List) and isinstance(kind.inner, pl.Struct):
            keys = {field.name for field in kind.inner.fields}
            if any({speaker, text} <= keys for speaker, text in FORMS):
                found[name] = next((key for key in TURN_TIMES if key in keys), "")
    return found


def holds_prompts(source: Source, names: Sequence[str], columns: Columns, options: ReadOptions) -> bool:
    """Whether a file is read as conversations: the user stated it, or a known column contains them and there is no alternative."""
    if options.format is not None or options.text is not None:
        return options.format == PROMPTS or (options.format is None and options.text in columns)
    if options.item is not None or options.count is not None or not KNOWN_TURNS.intersection(columns):
        return False
    if find_roles(names, options):
        column = f"name the column of texts or items with {option('text')} or {option('item')}"
        hint = f"use {option('format', PROMPTS)} to read the turns of conversations, or {column}"
        raise InputError(f"{source.path} has a column of conversations and one of texts or items", code="ambiguous-column", hint=hint)
    return True


def prompt_roles(source: Source, names: Sequence[str], columns: Columns, options: ReadOptions) -> dict[str, int]:
    """Return the columns of the user, of the conversations, and optionally of the time and the record."""
    turns = _column_of_turns(source, names, columns, options)
    places = {role: candidates(names, role, options) for role in ("user", "time", "record")}
    absent = [(role, name) for role, name in options.named.items() if role in places and not places[role]]
    if absent:
        role, name = absent[0]
        there = did_you_mean(name, names) if _are_names(turns, names, options) else ""
        raise InputError(f"{source.path} has no column {name!r} for the {role}", code="missing-column", hint=there, value=name)
    if not places["user"]:
        raise _nobodys(source, turns, names, options)
    roles = {role: only(names, role, at, options) for role, at in places.items() if at}
    roles["text"] = names.index(turns)
    if len(set(roles.values())) < len(roles):
        raise ParameterError(f"a column cannot have two roles: {listed_roles(roles, names)}", code="column-role-conflict")
    return roles


def _column_of_turns(source: Source, names: Sequence[str], columns: Columns, options: ReadOptions) -> str:
    known = [name for name in columns if name in KNOWN_TURNS] or list(columns)
    if options.text is not None:
        known = [names[at] for at in candidates(names, "text", options) if names[at] in columns]
    if len(known) == 1:
        return known[0]
    hint = f"a conversation is a list of turns with role and content, or from and value; {option('text')} names its column"
    if not known:
        what = "no column of conversations" if options.text is None else f"no conversations in the column {options.text!r}"
        raise InputError(f"{source.path} has {what} in a form that is known", code="missing-column", hint=hint, value=options.text)
    raise InputError(
        f"{len(known)} columns of {source.path} contain conversations", code="ambiguous-column", hint=f"name one with {option('text')}"
    )


def _are_names(turns: str, names: Sequence[str], options: ReadOptions) -> bool:
    """Whether the keys certainly are names and not data, so that they may be quoted."""
    return turns in KNOWN_TURNS or known_as_header(names, options)


def _nobodys(source: Source, turns: str, names: Sequence[str], options: ReadOptions) -> InputError:
    """Return the error for conversations without a user column: as one person each, somebody with many would be many people."""
    hint = f"name the column of accounts or addresses with {option('user')}"
    if _are_names(turns, names, options):
        numbered = [name for name in names if plain(name) in NUMBERED]
        each = f"; {option('user', numbered[0])} takes each conversation for one person's: right only if nobody has two" if numbered else ""
        there = ", ".join(repr(name) for name in names)
        return InputError(
            f"{source.path} has no user IDs for its conversations; it has {there}",
            code="missing-user-column",
            hint=hint + each,
            columns=list(names),
        )
    return InputError(f"{source.path} has no user IDs for its conversations", code="missing-user-column", hint=hint)

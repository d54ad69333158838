"""Conversations with a model, in the forms that chat exports have, and the prompts in them: the turns that people typed.

A turn is an object with a speaker and a text: `role` and `content`, or `from` and `value`. Turns are a list, or the tree of OpenAI's
exports, an object of nodes of which each may hold a message; there every message is a turn, those of abandoned branches too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from shoal.io.read.json_lines import DefectiveLine

FORMS = (("role", "content"), ("from", "value"))  # the keys of the speaker and of the text
PEOPLE = frozenset({"user", "human", "prompter"})
MODELS = frozenset({"assistant", "system", "developer", "tool", "function", "model", "bot", "chatbot", "ai"})
MODELS |= {"gpt", "chatgpt", "bing", "bard", "claude"}
TURN_TIMES = ("timestamp", "create_time", "created_at", "time")
KNOWN_TURNS = frozenset({"conversation", "conversations", "messages", "turns", "mapping"})  # what a column of turns is called


class Prompts(NamedTuple):
    """What the turns of one conversation give: the texts that people typed, with times as they are written, and how many turns do not.

    `models` counts turns of models and their instructions, `strangers` those of speakers who are not known, `unreadable` those without a
    text that can be read, `parts` what prompts hold beside text, such as images.
    """

    texts: list[str]
    times: list[Any]
    models: int
    strangers: int
    unreadable: int
    parts: int


def prompts_of(held: Any, time: str) -> Prompts:
    """The prompts of a conversation; `time` is the key of a turn's time, empty where it has none. Raises where there are no turns."""
    texts: list[str] = []
    times: list[Any] = []
    models = strangers = unreadable = parts = 0
    for turn in turns_of(held):
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


def turns_of(held: Any) -> list[dict[str, Any]]:
    """The turns in what a column of conversations holds."""
    turns = list(_messages(held)) if isinstance(held, Mapping) else held
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise DefectiveLine("no list of turns")
    if not turns:
        raise DefectiveLine("no turns")
    return turns


def _messages(tree: Mapping[str, Any]) -> Iterator[Any]:
    """The messages of the nodes of a tree; one without a message, as the root, is no turn."""
    for node in tree.values():
        if not isinstance(node, dict) or "message" not in node:
            raise DefectiveLine("no list of turns")
        if node["message"] is not None:
            yield node["message"]


def speaker_of(turn: Mapping[str, Any]) -> str:
    """Who speaks, in small letters; empty where that is not said."""
    author = turn.get("author")
    speaker = author.get("role") if isinstance(author, dict) else next((turn[key] for key, _ in FORMS if key in turn), None)
    return speaker.strip().lower() if isinstance(speaker, str) else ""


def _text_of(turn: Mapping[str, Any]) -> tuple[str | None, int]:
    """What was typed, None where that cannot be read, and the number of parts that are no text."""
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


# -- whether a column holds conversations


def are_turns(held: Any) -> bool:
    """Whether a value is a conversation in a known form, with a person or a model for the speaker of every turn."""
    try:
        turns = turns_of(held)
    except DefectiveLine:
        return False
    return all(speaker_of(turn) in PEOPLE | MODELS and any(key in turn for _, key in FORMS) for turn in turns)


def turn_time(held: Any) -> str:
    """The key under which prompts of this conversation have a time; empty where they have none."""
    try:
        typed = [turn for turn in turns_of(held) if speaker_of(turn) in PEOPLE]
    except DefectiveLine:
        return ""
    return next((key for key in TURN_TIMES if any(turn.get(key) is not None for turn in typed)), "")

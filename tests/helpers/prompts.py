"""Small exports of conversations, in the forms that tools write."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

Said = Iterable[tuple[str, Any]]


def wildchat(owner: Any, said: Said, *, key: str = "c1", time: Any = "2023-04-09T00:02:53Z") -> dict[str, Any]:
    """A conversation of WildChat: roles and contents, a hashed address."""
    turns = [{"role": role, "content": content, "toxic": False} for role, content in said]
    beside = {"openai_moderation": [{"flagged": False}], "turn": 1, "language": "English"}
    return {"conversation_hash": key, "timestamp": time, "conversation": turns, **beside, "hashed_ip": owner}


def sharegpt(said: Said, **beside: Any) -> dict[str, Any]:
    """A conversation of ShareGPT: from and value."""
    return {"id": "a1", "conversations": [{"from": speaker, "value": value} for speaker, value in said], **beside}


def openai(said: Said, **beside: Any) -> dict[str, Any]:
    """A conversation of OpenAI's export: a tree of nodes with messages."""
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
    for at, (role, text) in enumerate(said):
        content = {"content_type": "text", "parts": [text]}
        message = {"author": {"role": role}, "content": content, "create_time": 1690000000.5 + at}
        nodes[f"n{at}"] = {"id": f"n{at}", "message": message, "parent": "root", "children": []}
    return {"title": "t", "mapping": nodes, **beside}


def lines(*conversations: dict[str, Any]) -> str:
    """The conversations, a line each."""
    return "".join(json.dumps(conversation) + "\n" for conversation in conversations)


TEA = [
    wildchat("aa", [("user", "green tea please"), ("assistant", "Sencha secretanswer.")], key="c1"),
    wildchat("aa", [("user", "black tea"), ("assistant", "Assam.")], key="c2", time="2023-04-09T02:00:00Z"),
    wildchat("bb", [("system", "be kind"), ("user", "green tea"), ("assistant", "x"), ("user", "green tea")], key="c3"),
    wildchat("cc", [("user", "green tea"), ("assistant", "y"), ("user", "black tea")], key="c4"),
]

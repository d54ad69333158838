"""Doubts about how a file is read, as questions with answers to click. An answer is an option; nothing is guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.studio.column_roles import ENCODINGS, FORMATS, MICRODATA, OF_EVENTS, OWNERS
from shoal.studio.request_bodies import Refused

OF_ROLE = {
    "user": "Which column has the user ID?",
    "item": "Which column has the item?",
    "text": "Which column has the query text?",
    "time": "Which column has the time?",
    "record": "Which column has the basket or session ID?",
    "count": "Which column has the quantity?",
}
SPELLING = {"folded": "The same person: ann and Ann are one", "exact": "Different people: ann and Ann are two"}
HEADER = {"yes": "Names of the columns", "no": "Data, like the other lines"}
COLUMNS = ("user", "item", "text", "time", "record", "count")
NOT_GUESSED = "Nothing is guessed."
PEOPLE = f"A release protects people, so it must be known which rows belong to the same person. {NOT_GUESSED}"
USER = f"It names the person of a row, such as a customer, an account or a card. {PEOPLE}"


@dataclass(frozen=True)
class Question:
    """What is not clear about a file.

    Attributes:
        title: The question.
        text: Why it is asked.
        option: The option that an answer sets.
        answers: The values of this option with their labels; empty if the menus of the page have to be used.
    """

    title: str
    text: str
    option: str
    answers: Mapping[str, str]


def question_about(problem: Mapping[str, Any], columns: Sequence[str], options: Mapping[str, Any]) -> Question | None:
    """Return the question behind a problem with a file; None if an answer does not help."""
    code, format = problem["code"], str(options.get("format", ""))
    if code == "unrecognized-input" or (code == "missing-column" and not format):
        return Question("What does the file contain?", f"The column names do not show it. {PEOPLE}", "format", FORMATS)
    if code in ("missing-column", "ambiguous-column") and format != MICRODATA and columns:
        return _about_column(str(problem.get("role", "")), columns, options)
    if code == "header-unclear":
        return Question("What is the first line?", "It may be a header or data.", "header", HEADER)
    if code == "user-spelling-unclear":
        text = f"{str(problem['message']).partition(': ')[2]}. If one person counts as two, the guarantee is weaker than it says."
        return Question("Are these the same person?", text[:1].upper() + text[1:], "owners", SPELLING)
    if code in ("wrong-encoding", "not-utf8"):
        others = {name: label for name, label in ENCODINGS.items() if name != "utf-8"}
        return Question("How is the text encoded?", "It is not UTF-8, which most files are.", "encoding", others)
    return None


def _about_column(role: str, columns: Sequence[str], options: Mapping[str, Any]) -> Question | None:
    """Ask for the column of a role, of the user first; columns with another role are no answers."""
    payload = "text" if options.get("format") == "querylog" else "item"
    wanted = role if role in OF_ROLE else next((one for one in ("user", payload) if one not in options), "")
    free = {
        name: f"column {name}" if name.isdigit() else name
        for name in columns
        if name not in {options[one] for one in OF_EVENTS if one in options}
    }
    if not wanted or not free:
        return None
    why = "Several columns could have it." if role else "The column names do not show it."
    return Question(OF_ROLE[wanted], f"{why} {USER if wanted == 'user' else NOT_GUESSED}", wanted, free)


def option_of_answer(name: str, value: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return the option that an answer sets.

    Raises:
        Refused: There is no such answer.
    """
    known = {"format": FORMATS, "owners": OWNERS, "header": HEADER, "encoding": ENCODINGS}.get(name)
    if not (value in known if known is not None else name in COLUMNS and value in columns):
        raise Refused(400, "there is no such answer")
    return {name: value == "yes" if name == "header" else value}

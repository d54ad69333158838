"""The mutants of a kernel: its source text with every place marked at which one of them differs.

All mutants of all kernels are compiled at once: each place calls a function of `mutation.hpp` with the number of its mutant, and does
something else if that one is active. Places are found line by line, in the form that clang-format gives the text: a comparison, an
operator or a number is changed, a condition negated, the right side of a conjunction or a disjunction left out, a statement skipped.

Not changed: constants, what is charged to the limit of work, and what reserves memory.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from mutants.change import Mutant

OPERATORS = {  # as written: the marker, and what is done instead
    "<": ("Less", "<="),
    "<=": ("LessEqual", "<"),
    ">": ("Greater", ">="),
    ">=": ("GreaterEqual", ">"),
    "==": ("Equal", "!="),
    "!=": ("Unequal", "=="),
    "+": ("Plus", "-"),
    "-": ("Minus", "+"),
    "*": ("Times", "+"),
    "/": ("Over", "*"),
    "%": ("Rest", "*"),
    "&": ("BothBits", "|"),
    "<<": ("ShiftLeft", ">>"),
}
UNTOUCHED = re.compile(  # constants, declarations of types and templates, the limit of work, memory
    r"constexpr|static_assert|typedef|template|^\s*(#|//|using |struct |class )"
    r"|work_?\.|task\.|parallel_blocks|reserve\(|SHOAL_|hold\(|held_"
)
UNTOUCHED_FUNCTIONS = {"steps_of_common", "hold"}  # which only count work and memory
TOKEN = re.compile(
    r"(?P<text>\"[^\"]*\")|(?P<comment>//.*)"
    r"|(?P<operator>(?<= )(?:<=|>=|==|!=|<<|<|>|\+|-|\*|/|%|&)(?= ))"
    r"|(?P<both> && )|(?P<either> \|\| )"
    r"|(?P<extreme>std::(?:min|max)(?:<[^<>]*>)?\()"
    r"|(?P<number>(?<![\w.{])\d+(?![\w.}]))"
)
FUNCTION = re.compile(
    r"^(?P<indent> *)(?!for\b|if\b|while\b|else\b|return\b|struct\b|class\b|public|private)[\w:<>&*, ]*?\b(?P<name>\w+)\("
)
STATEMENT = re.compile(
    r"(?:(?P<skip>continue;|break;|return;)"
    r"|(?P<truth>return (?P<value>true|false);)"
    r"|(?P<other>(?:\+\+|--)[^;]+;|[A-Za-z_][\w.]*(?:\[[^=]*\])? (?:[-+*|&^]?=) [^;]+;|[A-Za-z_][\w.:\[\]]*\([^;]*\);))(?: *//.*)?$"
)


@dataclass(frozen=True)
class Edit:
    """Some text at a place of a line, instead of what stands between two columns."""

    start: int
    end: int
    text: str


def marked(source: str, first: int) -> tuple[str, list[Mutant]]:
    """The text with its places marked by numbers from `first` on, and the mutants; the number of each is its `node`."""
    lines = source.splitlines()
    places = _functions(lines)
    states = {name: _digest(lines, places, name) for name in set(places)}
    found: list[Mutant] = []
    same: Counter[tuple[str, str]] = Counter()
    for at, line in enumerate(lines):
        where = places[at]
        if not where or where in UNTOUCHED_FUNCTIONS or UNTOUCHED.search(line):
            continue
        edits = []
        for change, made in _changes(line):
            number = first + len(found)
            edits += [Edit(edit.start, edit.end, edit.text.replace("@", str(number))) for edit in made]
            same[where, change] += 1
            found.append(Mutant(at + 1, at + 1, where, change, same[where, change], states[where], number, 0, False))
        lines[at] = _edited(line, edits)
    return '#include "mutation.hpp"\n#line 1\n' + "\n".join(lines) + "\n", found


def _functions(lines: list[str]) -> list[str]:
    """The name of the function that each line is in; empty outside of functions."""
    names, name, depth = [], "", 0
    for line in lines:
        if re.match(r"(class|struct) .*\{$", line):
            depth = 4
        elif line.startswith("};"):
            depth, name = 0, ""
        elif line.startswith("}"):
            names.append(name)
            name = ""
            continue
        start = FUNCTION.match(line)
        if start and len(start["indent"]) == depth and not line.rstrip().endswith(";"):
            name = start["name"]
        names.append(name)
    return names


def _digest(lines: list[str], places: list[str], name: str) -> str:
    text = "\n".join(line for line, place in zip(lines, places, strict=True) if place == name)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _changes(line: str) -> Iterator[tuple[str, list[Edit]]]:
    """The changes of a line, in words, each with its edits; `@` stands for the number of the mutant."""
    text = line.strip()
    for token in TOKEN.finditer(line):
        start, end, was = token.start(), token.end(), token.group().strip()
        match token.lastgroup:
            case "operator":
                marker, instead = OPERATORS[was]
                yield f"{text}: {was} -> {instead}", [Edit(end, end, f" mutation::{marker}{{@}} {was}")]
            case "both":
                yield f"{text}: left side of && only", [Edit(end, end, "mutation::is(@) | ")]
            case "either":
                yield f"{text}: left side of || only", [Edit(end, end, "mutation::keep(@) && ")]
            case "extreme":
                call = "mutation::least(@, " if "min" in was else "mutation::greatest(@, "
                if "<" not in was:
                    yield f"{text}: {was}", [Edit(start, end, call)]
                else:
                    yield f"{text}: {was}", [Edit(start, end, call.replace("(", was[was.index("<") : -1] + "("))]
            case "number":
                yield f"{text}: {was} -> {int(was) + 1}", [Edit(start, end, f"mutation::number(@, {was})")]
    yield from _conditions(line)
    yield from _statements(line)


def _conditions(line: str) -> Iterator[tuple[str, list[Edit]]]:
    for found in re.finditer(r"\bif \(", line):
        end = _closing(line, found.end() - 1)
        if end and ";" not in line[found.end() : end]:
            edits = [Edit(found.end(), found.end(), "mutation::flip(@, static_cast<bool>("), Edit(end, end, "))")]
            yield f"{line.strip()}: condition negated", edits


def _statements(line: str) -> Iterator[tuple[str, list[Edit]]]:
    """The statement at the end of a line, behind what it depends on."""
    start = len(line) - len(line.lstrip())
    while head := re.compile(r"(?:for|if|while) \(|else |do ").match(line, start):
        behind = _closing(line, head.end() - 1) if head.group().endswith("(") else head.end() - 1
        if not behind:
            return
        start = behind + 1 + (line[behind + 1 : behind + 2] == " ") if head.group().endswith("(") else head.end()
    found = STATEMENT.match(line[start:])
    if not found or "[&]" in line[start:] or line.count("(", start) != line.count(")", start):  # the rest of a longer statement
        return
    if found["truth"]:
        value = found["value"]
        at = start + len("return ")
        edits = [Edit(at, at + len(value), f"mutation::flip(@, {value})")]
        yield f"{line.strip()}: the opposite", edits
    else:
        end = line.rindex(";") + 1
        yield f"{line.strip()}: skipped", [Edit(start, start, "{ if (mutation::keep(@)) "), Edit(end, end, " }")]


def _closing(line: str, opening: int) -> int | None:
    depth = 0
    for at in range(opening, len(line)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if not depth:
            return at
    return None


def _edited(line: str, edits: list[Edit]) -> str:
    """The line with its edits; of those at one place, the later ones are around the earlier ones."""
    order = sorted(range(len(edits)), key=lambda n: (edits[n].start, edits[n].end, n))
    for n in reversed(order):
        edit = edits[n]
        line = line[: edit.start] + edit.text + line[edit.end :]
    return line

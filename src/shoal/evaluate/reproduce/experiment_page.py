"""Experiments of papers, repeated: their numbers, what a paper says and whether it was seen here, as one page of Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]

VERDICTS = {True: "agrees", False: "differs", None: "not comparable"}


@dataclass(frozen=True)
class Lines:
    """How rows are drawn: `y` against `x`, a line for each value of `line`, a panel for each value of `panel`, perhaps on its own scale."""

    x: str
    y: str
    line: str
    panel: str = ""
    own_scale: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper, with the numbers that were measured here in its place; without `lines` it is a table alone."""

    name: str
    title: str
    rows: tuple[Row, ...]
    lines: Lines | None = None


@dataclass(frozen=True)
class PaperFinding:
    """What a paper says at some place, what was seen here, and whether that agrees; None where the paper speaks of other data."""

    place: str
    says: str
    seen: str
    agrees: bool | None

    @property
    def verdict(self) -> str:
        """In a word or two."""
        return VERDICTS[self.agrees]


@dataclass(frozen=True)
class Experiment:
    """The evaluation of a paper on data at hand: what the data is, its figures, and what they say of the paper's statements."""

    paper: str
    title: str
    citation: str
    data: str
    figures: tuple[Figure, ...]
    findings: tuple[PaperFinding, ...]
    notes: tuple[str, ...] = ()

    @property
    def agreeing(self) -> int:
        """How many statements of the paper agree."""
        return sum(finding.agrees is True for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "paper": self.paper,
            "citation": self.citation,
            "data": self.data,
            "findings": [
                {"place": one.place, "says": one.says, "seen": one.seen, "verdict": one.verdict, "agrees": one.agrees}
                for one in self.findings
            ],
            "figures": {figure.name: [dict(row) for row in figure.rows] for figure in self.figures},
            "notes": list(self.notes),
        }


def markdown(experiment: Experiment, command: str = "", folder: str = "") -> str:
    """The page of an experiment; pictures are looked for in `folder`, which ends in a slash where it is not this one."""
    lines = [f"## {experiment.title}", "", f"*{experiment.citation}*", "", f"Data: {experiment.data}.", ""]
    lines += [f"Command: `{command}`", ""] if command else []
    lines += [f"- {note}" for note in experiment.notes] + ([""] if experiment.notes else [])
    told = [{"where": one.place, "the paper": one.says, "here": one.seen, "": f"**{one.verdict}**"} for one in experiment.findings]
    lines += [*_table(told), ""]
    for figure in experiment.figures:
        lines += [f"### {figure.title}", ""]
        lines += [f"![{figure.title}]({folder}{figure.name}.svg)", ""] if figure.lines else []
        lines += [*_table(_across(figure)), ""]
    return "\n".join(lines)


def _across(figure: Figure) -> Sequence[Row]:
    """The rows with a column for each line of the picture, where they hold nothing else; otherwise as they are."""
    lines = figure.lines
    if lines is None or any(set(row) - {lines.x, lines.y, lines.line, lines.panel} for row in figure.rows):
        return figure.rows
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in figure.rows:
        place = {name: row[name] for name in (lines.panel, lines.x) if name}
        found.setdefault(tuple(place.values()), place)[str(row[lines.line])] = row[lines.y]
    return list(found.values())


def _table(rows: Sequence[Row]) -> list[str]:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    head = [_line(columns), _line(["---"] * len(columns))]
    return [*head, *(_line([_cell(row.get(name)) for name in columns]) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value).replace("|", "\\|")
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"

"""Repeated experiments as a Markdown page: numbers, the statements of a paper, and whether the results agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]

VERDICTS = {True: "agrees", False: "differs", None: "not comparable"}


@dataclass(frozen=True)
class Lines:
    """How rows are drawn: `y` against `x`, a line for each value of `line`, a panel for each value of `panel`, optionally on its own
    scale.
    """

    x: str
    y: str
    line: str
    panel: str = ""
    own_scale: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper with measured numbers; without `lines` it is only a table."""

    name: str
    title: str
    rows: tuple[Row, ...]
    lines: Lines | None = None


@dataclass(frozen=True)
class PaperFinding:
    """A statement of a paper, the result, and whether they agree; None if the paper is about other data."""

    place: str
    statement: str
    measured: str
    agrees: bool | None

    @property
    def verdict(self) -> str:
        """The verdict in a word or two."""
        return VERDICTS[self.agrees]


@dataclass(frozen=True)
class Experiment:
    """The evaluation of a paper: its data, its figures, and the findings about the paper's statements."""

    paper: str
    title: str
    citation: str
    data: str
    figures: tuple[Figure, ...]
    findings: tuple[PaperFinding, ...]
    notes: tuple[str, ...] = ()

    @property
    def agreeing(self) -> int:
        """The number of statements that agree."""
        return sum(finding.agrees is True for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return the content as JSON values."""
        return {
            "paper": self.paper,
            "citation": self.citation,
            "data": self.data,
            "findings": [
                {"place": one.place, "says": one.statement, "seen": one.measured, "verdict": one.verdict, "agrees": one.agrees}
                for one in self.findings
            ],
            "figures": {figure.name: [dict(row) for row in figure.rows] for figure in self.figures},
            "notes": list(self.notes),
        }


def markdown(experiment: Experiment, command: str = "", folder: str = "") -> str:
    """Return the page of an experiment; pictures are in `folder`, which ends in a slash unless it is the current one."""
    lines = [f"## {experiment.title}", "", f"*{experiment.citation}*", "", f"Data: {experiment.data}.", ""]
    lines += [f"Command: `{command}`", ""] if command else []
    lines += [f"- {note}" for note in experiment.notes] + ([""] if experiment.notes else [])
    findings = [
        {"where": one.place, "the paper": one.statement, "here": one.measured, "": f"**{one.verdict}**"} for one in experiment.findings
    ]
    lines += [*_table(findings), ""]
    for figure in experiment.figures:
        lines += [f"### {figure.title}", ""]
        lines += [f"![{figure.title}]({folder}{figure.name}.svg)", ""] if figure.lines else []
        lines += [*_table(_across(figure)), ""]
    return "\n".join(lines)


def _across(figure: Figure) -> Sequence[Row]:
    """Return the rows with a column for each line of the chart, if they have no other columns; otherwise unchanged."""
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

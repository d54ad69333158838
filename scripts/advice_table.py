"""Write the table of decisions of docs/advise.md from the candidates that `shoal advise` tries.

Usage: python scripts/advice_table.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from shoal.evaluate.advise.goals import GOALS
from shoal.evaluate.advise.routes import CANDIDATES, Candidate

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "advise.md"
START = "<!-- decisions: written by scripts/advice_table.py -->"
END = "<!-- end of decisions -->"


def table() -> str:
    """A section for each goal with candidates: the wish, and a row for each candidate in the order of the table of decisions."""
    return "\n".join(line for goal in GOALS for line in _section(goal))


def page(text: str) -> str:
    """The text of the page with the table as it is now."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n\n{table()}\n{END}{after}"


def _section(goal: str) -> Iterator[str]:
    candidates = [one for one in CANDIDATES if one.goal == goal]
    if candidates:
        yield from (f"### {goal}", "", f"To {GOALS[goal].wish}.", "")
        yield from ("| tried | for | why | protects | limits |", "| --- | --- | --- | --- | --- |")
        yield from (_row(one) for one in candidates)
        yield ""


def _row(one: Candidate) -> str:
    options = [f"--{name} {value}" for name, value in (*one.options.items(), *one.settings.items())]
    command = f"[{one.method}](methods/{one.method}.md)" + "".join(f" `{option}`" for option in options)
    limits = one.open.replace("2k people", "2 × k people")
    return f"| {command} | {', '.join(one.needs) or 'any data'} | {one.why} | {one.protects} | {limits} |"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")

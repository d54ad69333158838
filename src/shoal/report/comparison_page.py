"""The page of a comparison: every method at every setting, as charts and as tables. It loads nothing.

The numbers of each chart stand below it as a table, for whoever does not see it. The only script shows the command of the release that is
selected. What differs between pages is data in them, which no browser runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from shoal.report.alarms import IN_FACT, alarms_of_compared
from shoal.report.comparison_charts import Numbers, pictures
from shoal.report.formatting import json_block, own_markup, own_script, policy
from shoal.report.page import source, template


@dataclass(frozen=True)
class ComparisonRow:
    """A row of the comparison: method, label, what a record is, its numbers or why there are none, and how to make its release."""

    method: str
    label: str
    per: str
    found: Numbers
    command: str
    config: str


def render_comparison(title: str, rows: Sequence[ComparisonRow], notes: Sequence[str]) -> str:
    """The whole comparison as one page."""
    names = _names(rows)
    done = [(name, row) for name, row in zip(names, rows, strict=True) if "refused" not in row.found]
    flat = [{**_plain(row.found), "method": row.method, "per": row.per, "cell": name, "number": n} for n, (name, row) in enumerate(done)]
    drawn = pictures(flat)
    return template("comparison.html").render(
        title=title,
        pictures=drawn,
        cells=[name for name, _ in done],
        claims=[(name, "; ".join(row.found.get("claims", ())), *_in_fact(row.found)) for name, row in done],
        refused=[(name, row.found["refused"]) for name, row in zip(names, rows, strict=True) if "refused" in row.found],
        unattacked=_by_reason([(name, row.found["not_attacked"]) for name, row in done if "not_attacked" in row.found]),
        notes=notes,
        commands=json_block({name: {"command": row.command, "config": row.config} for name, row in done}),
        **_own_parts(),
    )


@cache
def _own_parts() -> dict[str, Any]:
    """Style and script of the page, which are the same on every page, and the policy that allows them alone."""
    style, program = source("style.css") + source("comparison.css"), own_script(source("comparison.js"))
    return {"style": own_markup(style), "program": program, "policy": policy([style], [program])}


def _in_fact(found: Numbers) -> tuple[str, str]:
    """What an attacker can do in fact, and what is to be warned of in red."""
    return str(found.get(IN_FACT, "not attacked")), ". ".join(alarms_of_compared(found))


def _names(rows: Sequence[ComparisonRow]) -> list[str]:
    """What each row is called: the method and its setting, and what a record is where there are several kinds."""
    several = len({row.per for row in rows if "refused" not in row.found}) > 1
    return [f"{row.label}, per {row.per}" if several else row.label for row in rows]


def _by_reason(told: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each reason once, with all that it holds for."""
    reasons = dict.fromkeys(why for _, why in told)
    return [(", ".join(name for name, other in told if other == why), why) for why in reasons]


def _plain(found: Numbers) -> dict[str, Any]:
    return {name: value for name, value in found.items() if isinstance(value, (int, float, str))}

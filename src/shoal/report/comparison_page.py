"""The page of a comparison: every method with every setting, as charts and tables. It loads nothing.

The numbers of each chart are below it as a table. The only script shows the command of the selected release. Everything else that differs
between pages is data, which browsers do not execute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from shoal.report.alarms import IN_FACT, alarms_of_compared
from shoal.report.charts import topic_picture
from shoal.report.comparison_charts import Numbers, pictures
from shoal.report.formatting import json_block, own_markup, own_script, policy
from shoal.report.page import source, template
from shoal.report.topic_cells import TOPIC_CELLS, TopicCell

RELOAD = 10  # seconds after which a page with waiting runs loads itself again


@dataclass(frozen=True)
class ComparisonRow:
    """A row of the comparison: method, label, unit of a record, its numbers or the reason for their absence, and the command for its
    release.
    """

    method: str
    label: str
    per: str
    found: Numbers
    command: str
    config: str


def render_comparison(title: str, rows: Sequence[ComparisonRow], notes: Sequence[str], waiting: Sequence[str] = ()) -> str:
    """Render the comparison as one page; `waiting` are the labels of runs without a result, for which the page loads itself again."""
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
        topics=[(name, _icicle(row.found[TOPIC_CELLS])) for name, row in done if TOPIC_CELLS in row.found],
        notes=notes,
        waiting=waiting,
        reload=RELOAD,
        commands=json_block({name: {"command": row.command, "config": row.config} for name, row in done}),
        **_own_parts(),
    )


def _icicle(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return the picture of published topics and its numbers."""
    drawn = topic_picture(tuple(TopicCell(*cell) for cell in numbers["cells"]), numbers["records"])
    return {"svg": own_markup(drawn.svg), "head": drawn.head, "rows": drawn.rows}


@cache
def _own_parts() -> dict[str, Any]:
    """Return style and script, which are the same on every page, and the policy that allows only these."""
    style, program = source("style.css") + source("comparison.css"), own_script(source("comparison.js"))
    return {"style": own_markup(style), "program": program, "policy": policy([style], [program])}


def _in_fact(numbers: Numbers) -> tuple[str, str]:
    """Return what an attacker can actually do, and the warnings."""
    return str(numbers.get(IN_FACT, "not attacked")), ". ".join(alarms_of_compared(numbers))


def _names(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return the name of each row: the method with its setting, and the unit of a record if there are several."""
    several = len({row.per for row in rows if "refused" not in row.found}) > 1
    return [f"{row.label}, per {row.per}" if several else row.label for row in rows]


def _by_reason(entries: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Group entries by reason."""
    reasons = dict.fromkeys(why for _, why in entries)
    return [(", ".join(name for name, other in entries if other == why), why) for why in reasons]


def _plain(numbers: Numbers) -> dict[str, Any]:
    return {name: value for name, value in numbers.items() if isinstance(value, (int, float, str))}

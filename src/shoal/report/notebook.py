"""Results in a notebook: a release as a small table and a chart, others as tables, without scripts, style sheets or external resources.

Colours are inline styles, because notebook viewers remove style sheets. Text from users is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.data.items import without_names
from shoal.methods import fate_of
from shoal.report.alarms import alarms
from shoal.report.formatting import count, escaped, number
from shoal.report.summary import PROTECTS, Summary, SummaryShare
from shoal.report.verdict_text import lack_of, reached
from shoal.util.wording import percent

WIDTH, HEIGHT = 640, 18
LEAST = 2.0  # pixels: what is not nothing is seen
COLOURS = {"same": "#1b7f5c", "near": "#62b394", "changed": "#2f6db5", "vague0": "#d9a441", "gone0": "#b3b3b3"}
TONES = {"kept": "same", "changed": "changed", "gone": "gone0"}
DRAWN = ("records", "rows")  # the accounting shown if there are no words

Row = tuple[str, str]


def small_page(manifest: Mapping[str, Any], summary: Summary, advice: Sequence[str] = ()) -> str:
    """Return the table and the chart as HTML, from a manifest as published; `advice` has alternatives that keep more words."""
    warned = [("warning", summary.warning)] if summary.warning else []
    covered = [("protected", str(manifest["input"][PROTECTS]))] if PROTECTS in manifest["input"] else []
    rows = [*_claims(manifest), *covered, *summary.lines, ("method", _method_text(manifest)), *warned]
    rows += [("try", line) for line in advice]
    warned_in_red = "".join(map(_warned, (lack_of(manifest), *(f"Warning: {text}." for text in alarms(manifest)))))
    return f"<div>{warned_in_red}{_chart(summary.shares or _account(manifest))}{_pairs(rows)}</div>"


def facts_page(
    title: str, rows: Sequence[Row], warnings: Sequence[str] = (), columns: Sequence[str] = (), table: Sequence[Sequence[str]] = ()
) -> str:
    """Return a result as HTML: a title, warnings in red, names and texts, and an optional table."""
    warned = "".join(_warned(f"Warning: {text}.") for text in warnings)
    return f"<div><p><b>{escaped(title)}</b></p>{warned}{_pairs(rows)}{_table(columns, table)}</div>"


LEFT = 'style="text-align:left"'
HEADING = 'style="text-align:left;vertical-align:top;white-space:nowrap"'


def _pairs(rows: Sequence[Row]) -> str:
    cells = "".join(f"<tr><th {HEADING}>{escaped(name)}</th><td {LEFT}>{escaped(text)}</td></tr>" for name, text in rows)
    return f"<table>{cells}</table>" if rows else ""


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th {HEADING}>{escaped(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td {LEFT}>{escaped(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _warned(lack: str) -> str:
    """Return the first lines, in red: that nothing is guaranteed, or warnings."""
    return f'<p style="color:#a3301f;font-weight:bold">{escaped(lack)}</p>' if lack else ""


def _claims(manifest: Mapping[str, Any]) -> list[Row]:
    rows = []
    for claim in manifest["claims"]:
        level = reached(claim["model"], claim["achieved"], holds=bool(claim["holds"]))
        rows.append((without_names(claim["model"]), f"{claim['verdict']}: {level}" if level else str(claim["verdict"])))
    return rows or [("guarantee", f"NONE. {lack_of(manifest) or 'Nothing is guaranteed.'}")]


def _method_text(manifest: Mapping[str, Any]) -> str:
    parameters = ", ".join(f"{name}={number(value)}" for name, value in manifest["parameters"].items() if value is not None)
    return f"{manifest['method']}({parameters})"


def _account(manifest: Mapping[str, Any]) -> tuple[SummaryShare, ...]:
    """Return the outcome of all records or rows; empty if it may not be shown."""
    ledger = next((manifest["accounting"][name] for name in DRAWN if name in manifest["accounting"]), {"in": 0})
    parts = {part: n for part, n in ledger.items() if part != "in"}
    return tuple(SummaryShare(part, n, ledger["in"], TONES[fate_of(part, str(manifest["method"]))]) for part, n in parts.items())


def _chart(shares: Sequence[SummaryShare]) -> str:
    """Draw shares of a total as a bar with a legend; empty if there are none."""
    shown = [share for share in shares if share.n]
    if not shown:
        return ""
    return f'<div style="margin-bottom:6px">{_bar(shown)}<div>{" ".join(map(_legend, shown))}</div></div>'


def _legend(share: SummaryShare) -> str:
    mark = f'<span style="color:{_colour(share)}">&#9632;</span>'
    return f'<span style="white-space:nowrap">{mark} {escaped(share.name)} {share.text}</span>'


def _colour(share: SummaryShare) -> str:
    return COLOURS.get(share.tone, COLOURS["gone0"])


def _bar(shares: Sequence[SummaryShare]) -> str:
    widths = [max(LEAST, WIDTH * share.value) for share in shares]
    scale, x, drawn = WIDTH / sum(widths), 0.0, []
    for share, width in zip(shares, (w * scale for w in widths), strict=True):
        hint = f"<title>{escaped(f'{share.name}: {count(share.n)}')}</title>"
        drawn.append(f'<rect x="{x:.1f}" y="0" width="{width:.1f}" height="{HEIGHT}" fill="{_colour(share)}">{hint}</rect>')
        x += width
    text = ", ".join(f"{share.name} {percent(share.value)}" for share in shares)
    frame = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" height="{HEIGHT}" style="max-width:{WIDTH}px" preserveAspectRatio="none"'
    return f'<svg {frame} role="img" aria-label="{escaped(text)}">{"".join(drawn)}</svg>'

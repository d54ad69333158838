"""The picture of docs/topics.md: bits per record and bits gained per hidden word, by data set and taxonomy, from the table on that page.

Run `python benchmarks/topic_picture.py`; it needs the extra `bench`. It draws the rows of method `shoal` at k = 5.
"""

from __future__ import annotations

import re
from typing import Any

import altair as alt
import vl_convert as vlc

from common import ROOT

GAINED = "bits gained per hidden word"
PAGE, PICTURE = ROOT / "docs" / "topics.md", ROOT / "docs" / "images" / "topics-bits.svg"
METHOD, K = "shoal", "5"
GIVEN, LEARNED, BOTH, RANDOM = "#8a8a8a", "#1b6ca8", "#63a8d8", "#d9b48f"
COLOURS = {"WordNet": GIVEN, "its own": GIVEN, "paths": GIVEN, "topics": LEARNED, "topics+wordnet": BOTH, "random parts": RANDOM}
GAIN = re.compile(r"(?P<gain>-?[\d.]+) \((?P<low>-?[\d.]+) to (?P<high>-?[\d.]+)\)")


def table(text: str) -> list[dict[str, Any]]:
    """The drawn rows of the table of measurements: data, taxonomy, bits, and the gain with its interval."""
    lines = iter(text.splitlines())
    next(line for line in lines if line.startswith("| data | k |"))
    next(lines)
    data = k = method = ""
    rows = list[dict[str, Any]]()
    for line in lines:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        data, k, method = cells[0].split(",")[0] or data, cells[1] or k, cells[2] or method
        gain = GAIN.fullmatch(cells[6])
        if (k, method) == (K, METHOD) and gain:
            size = {"data": cells[0] or rows[-1]["data"], "taxonomy": cells[3], "bits": float(cells[4])}
            rows.append({**size, **{name: float(value) for name, value in gain.groupdict().items()}})
    return rows


def draw(rows: list[dict[str, Any]]) -> None:
    """Write the picture."""
    parts = []
    for data in dict.fromkeys(row["data"] for row in rows):
        base = alt.Chart(alt.Data(values=[row for row in rows if row["data"] == data]))
        bits = base.mark_bar(height=13).encode(x=_axis("bits", "bits per record"), y=_taxonomies(labels=True), color=_colour())
        point = base.mark_point(filled=True, size=60).encode(x=_axis("gain", GAINED), y=_taxonomies(), color=_colour())
        interval = base.mark_rule(strokeWidth=2).encode(x=_axis("low", GAINED), x2="high:Q", y=_taxonomies(), color=_colour())
        title = alt.TitleParams(data, anchor="start", fontSize=13)
        parts.append((bits.properties(width=250, title=title) | (interval + point).properties(width=250)).resolve_scale(y="shared"))
    chart = alt.vconcat(*parts, spacing=12).configure_axis(labelFontSize=12, titleFontSize=12).configure_view(stroke=None)
    PICTURE.write_text(vlc.vegalite_to_svg(chart.to_json()))
    print(f"drawn: {PICTURE.relative_to(ROOT)}")


def _axis(field: str, title: str) -> alt.X:
    return alt.X(f"{field}:Q", title=title, axis=alt.Axis(tickCount=4))


def _taxonomies(*, labels: bool = False) -> alt.Y:
    return alt.Y("taxonomy:N", title=None, sort=list(COLOURS), axis=alt.Axis(labels=labels, ticks=False, minExtent=100 if labels else 0))


def _colour() -> alt.Color:
    return alt.Color("taxonomy:N", legend=None, scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())))


if __name__ == "__main__":
    draw(table(PAGE.read_text("utf-8")))

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.report.charts import BarPart, HistogramBar, Mark, bar, histogram, meter, nice_ticks, stacked

NASTY = "<script>alert(1)</script> \"quoted\" & 'so' שלום"


def rects(svg: str, kind: str) -> list[ET.Element]:
    return [r for r in ET.fromstring(svg).iter("rect") if kind in r.get("class", "").split()]


def size(rect: ET.Element, of: str) -> float:
    return float(rect.get(of, "").rstrip("%"))


@given(st.integers(0, 10**15))
@settings(deadline=None)
def test_ticks_are_few_even_and_reach_the_largest(largest: int) -> None:
    ticks = nice_ticks(largest)
    assert ticks[0] == 0
    assert ticks[-1] >= largest
    assert ticks[-2] < max(1, largest)
    assert 2 <= len(ticks) <= 5
    steps = {b - a for a, b in pairwise(ticks)}
    assert len(steps) == 1
    assert re.fullmatch("[125]0*", str(steps.pop()))


def test_columns_are_as_high_as_their_values() -> None:
    svg = histogram("t", "d", [HistogramBar("1", 100), HistogramBar("2", 50), HistogramBar("3", 0)], "axis")
    heights = [size(r, "height") for r in rects(svg, "after")]
    assert heights[1] == pytest.approx(heights[0] / 2)
    assert heights[2] == 0


def test_a_small_column_is_still_seen() -> None:
    svg = histogram("t", "d", [HistogramBar("1", 10**9), HistogramBar("2", 1)], "axis")
    assert size(rects(svg, "after")[1], "height") >= 1


def test_before_stands_behind_after() -> None:
    svg = histogram("t", "d", [HistogramBar("1", 10, before=20)], "axis")
    (behind,), (front,) = rects(svg, "before"), rects(svg, "after")
    assert size(behind, "width") > size(front, "width")
    assert size(behind, "height") == pytest.approx(2 * size(front, "height"))
    assert svg.index('class="before"') < svg.index('class="after"')


@pytest.mark.parametrize("columns", [[], [HistogramBar("1", 0)], [HistogramBar("1", 0, before=0)]])
def test_an_empty_histogram_says_so(columns: list[HistogramBar]) -> None:
    svg = histogram("t", "d", columns, "axis", Mark(0, "promised"))
    assert "nothing to count" in svg
    assert not rects(svg, "after")


def test_many_columns_do_not_crowd_their_labels() -> None:
    svg = histogram("t", "d", [HistogramBar(str(i), i) for i in range(1, 60)], "axis")
    texts = [t for t in ET.fromstring(svg).iter("text") if t.get("text-anchor") == "middle"]
    assert 4 <= len(texts) <= 13
    kept = [t for t in texts if "spare" not in t.get("class", "").split()]
    assert 2 <= len(kept) <= 6


def test_pieces_fill_the_bar_and_none_is_invisible() -> None:
    svg = stacked("t", "d", [BarPart("most", 10**12, "same"), BarPart("one", 1, "gone0"), BarPart("none", 0, "gone1")])
    found = rects(svg, "part")
    assert len(found) == 2
    assert sum(size(r, "width") for r in found) == pytest.approx(100, abs=0.01)
    assert size(found[1], "width") >= 0.5
    assert size(found[1], "x") == pytest.approx(size(found[0], "width"))


def test_pieces_are_in_proportion() -> None:
    svg = stacked("t", "d", [BarPart("a", 300, "same"), BarPart("b", 100, "changed")])
    assert [size(r, "width") for r in rects(svg, "part")] == pytest.approx([75, 25], abs=0.01)


def test_a_whole_of_nothing_is_an_empty_track() -> None:
    assert len(rects(stacked("t", "d", []), "track")) == 1


def test_a_meter_shows_value_and_floor() -> None:
    svg = meter("loss", "d", 0.4, bound=0.1)
    assert size(rects(svg, "lost")[0], "width") == 40
    (line,) = ET.fromstring(svg).iter("line")
    assert line.get("x1") == "10.000%"
    assert not list(ET.fromstring(meter("loss", "d", 0.4)).iter("line"))


def test_a_meter_stays_on_its_scale() -> None:
    assert size(rects(meter("loss", "d", 1.7), "lost")[0], "width") == 100
    assert size(rects(meter("loss", "d", -0.2), "lost")[0], "width") == 0


def test_charts_are_told_to_those_who_do_not_see_them() -> None:
    for svg in (histogram("T", "D", [HistogramBar("1", 1)], "axis"), stacked("T", "D", []), meter("T", "D", 0.5)):
        root = ET.fromstring(svg)
        assert root.get("role") == "img"
        assert root.get("aria-label") == "T. D"
        assert [root.findtext("title"), root.findtext("desc")] == ["T", "D"]
    assert ET.fromstring(bar(0.5)).get("aria-hidden") == "true"


def test_words_in_charts_are_escaped() -> None:
    column = HistogramBar(NASTY, 1, hint=NASTY)
    for svg in (
        histogram(NASTY, NASTY, [column], NASTY, Mark(0, NASTY)),
        stacked(NASTY, NASTY, [BarPart(NASTY, 1, "same")]),
    ):
        assert "<script" not in svg
        assert any(NASTY in (e.text or "") for e in ET.fromstring(svg).iter("title"))

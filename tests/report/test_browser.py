"""The report of every kind of release in a real browser: drawn, readable in light and dark, on a desk, a phone and paper, and silent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.browser import ABSENT, CHROMIUM, Browser
from helpers.kinds import KINDS
from shoal.data.tables import KINDS as TABLES

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)

SCREENS = [(1280, False), (1280, True), (390, False), (390, True)]
OF_TABLES = {"microdata": "rows", "no guarantee": "rows"}  # kinds of pages that are no kinds of tables

# Charts without a mark that is seen, beside the track below it.
EMPTY = """[...document.querySelectorAll('svg[role=img]')].filter(svg => ![...svg.querySelectorAll('rect:not(.track), path, circle')]
  .some(mark => { const box = mark.getBoundingClientRect(); return box.width > 0 && box.height > 0; })).map(svg => svg.ariaLabel)"""
# Charts that a screen reader would not name, and histograms without the table of their numbers.
UNTOLD = """[...document.querySelectorAll('svg:not([aria-hidden])')].filter(svg => !svg.getAttribute('aria-label')).length
  + [...document.querySelectorAll('svg.chart')].filter(svg => !svg.closest('.figure').querySelector('details table tr td')).length
  + [...document.querySelectorAll('.attack')].filter(one => !one.querySelector('details table tr td')).length"""
# Labels of one axis that lie over one another.
CRAMPED = """[...document.querySelectorAll('svg.chart')].flatMap(svg => {
  const ticks = [...svg.querySelectorAll('text.tick[text-anchor=middle]')].filter(one => getComputedStyle(one).display !== 'none');
  const boxes = ticks.map(one => one.getBoundingClientRect());
  return boxes.slice(1).flatMap((box, i) => box.left < boxes[i].right + 2 ? [ticks[i + 1].textContent] : []);
})"""
# Words in a colour that hardly differs from what is behind them: below 4.5 of WCAG 2.
FAINT = """(() => {
  const channels = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = rgb => { const [r, g, b] = rgb.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = one => { for (; one; one = one.parentElement) { const found = channels(getComputedStyle(one).backgroundColor);
    if (found.length === 3 || found[3] > 0) return found.slice(0, 3); } return [255, 255, 255]; };
  const worded = [...document.querySelectorAll('body *')].filter(one => one.checkVisibility()
    && [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())
    && !['title', 'desc'].includes(one.tagName));
  return [...new Set(worded.flatMap(one => {
    const style = getComputedStyle(one), own = channels(one instanceof SVGElement ? style.fill : style.color).slice(0, 3);
    const [a, b] = [light(own), light(behind(one))].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    return ratio < 4.5 ? [`${one.tagName} ${one.getAttribute('class') || ''} ${ratio.toFixed(2)}`] : [];
  }))];
})()"""


# The sum of red, green and blue behind everything.
PAPER = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((sum, value) => sum + Number(value), 0)"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("browser") / "profile")
    yield opened
    opened.close()


@pytest.fixture(scope="module", params=KINDS)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("release")
    KINDS[request.param](at).report(at / "report.html")
    return at / "report.html"


def test_every_kind_of_table_is_tried() -> None:
    assert {OF_TABLES.get(name, name) for name in KINDS} == set(TABLES)


def test_the_page_is_drawn_readable_and_silent(report: Path, browser: Browser) -> None:
    with browser.open(report) as page:
        for width, dark in SCREENS:
            page.show(width, dark=dark)
            where = f"at {width} pixels, {'dark' if dark else 'light'}"
            assert page.evaluate("document.documentElement.scrollWidth") <= width, where
            assert page.evaluate(EMPTY) == [], where
            assert page.evaluate(UNTOLD) == 0, where
            assert page.evaluate(CRAMPED) == [], where
            assert page.evaluate(FAINT) == [], where
            assert (page.evaluate(PAPER) < 150) is dark, where
        page.show(1280, dark=True, media="print")
        assert page.evaluate(PAPER) == 3 * 255
        assert page.evaluate("[...document.querySelectorAll('.short dd')].every(one => one.checkVisibility())")
        printed = page.printed()
        assert printed.startswith(b"%PDF-")
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 20
        assert page.complaints == []
        assert page.requests == [report.as_uri()]


def test_a_browser_would_tell_what_is_wrong(tmp_path: Path, browser: Browser) -> None:
    """The checks above can fail: a page that complains, asks for more, is too wide, faint, and draws nothing."""
    place = tmp_path / "bad.html"
    place.write_text(
        "<body style='background:white'><p style='width:2000px;color:#ccc'>faint</p><script>console.error('no')</script>"
        "<img src='missing.png'><div class='figure'><svg role='img' class='chart' width='90'>"
        "<text class='tick' text-anchor='middle' x='9'>1,000</text>"
        "<text class='tick' text-anchor='middle' x='11'>2,000</text></svg></div></body>"
    )
    with browser.open(place, 390) as page:
        assert page.evaluate("document.documentElement.scrollWidth") > 390
        assert page.evaluate(EMPTY) == [None]
        assert page.evaluate(UNTOLD) == 2
        assert page.evaluate(CRAMPED) == ["2,000"]
        assert page.evaluate(FAINT)
        assert page.complaints
        assert len(page.requests) == 2

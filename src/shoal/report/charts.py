"""Charts of a report: SVG without scripts, libraries or fixed width, each with a table of its numbers.

Horizontal positions are percentages and vertical ones pixels, so that a chart fills its column and its text keeps its size. Colours come
from the page's style by class, for light and dark mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shoal.report.facts import Facts, QueryFacts
from shoal.report.formatting import count, escaped, plural, share_of, short
from shoal.report.histograms import Histogram
from shoal.report.topic_cells import TopicCell
from shoal.report.verdict_text import promised_group
from shoal.util.wording import percent

HEIGHT = 236
TOP, BOTTOM = 22, 40
LEFT, RIGHT = 11.0, 0.5
TICKS = 4
LEAST_HEIGHT = 1.5
LEAST_WIDTH = 0.5
WIDEST = 9.0
MOST_LABELS, FEW_LABELS = 13, 6
NOTHING = '<text class="none" x="50%" y="40" text-anchor="middle">nothing to count</text>'


@dataclass(frozen=True)
class HistogramBar:
    """One bar of a histogram; `before` is the bar behind it, `tone` an additional class."""

    label: str
    value: int
    before: int | None = None
    hint: str = ""
    tone: str = ""


@dataclass(frozen=True)
class BarPart:
    """One part of a stacked bar; `tone` is its class."""

    label: str
    value: int
    tone: str


@dataclass(frozen=True)
class Mark:
    """A vertical line at the left edge of a column, with its label."""

    at: int
    label: str


def histogram(title: str, desc: str, columns: Sequence[HistogramBar], axis: str, mark: Mark | None = None) -> str:
    """Draw columns over labelled bins; a `before` value is drawn behind them, wider and paler."""
    if not any(c.value or c.before for c in columns):
        return svg("chart", title, desc, 72, NOTHING)
    ticks = nice_ticks(max(max(c.value, c.before or 0) for c in columns))
    pieces = [*_grid(ticks), *_columns(columns, ticks[-1]), *_labels(columns, axis)]
    if mark is not None:
        pieces += _mark(mark, len(columns))
    return svg("chart", title, desc, HEIGHT, "".join(pieces))


def stacked(title: str, desc: str, parts: Sequence[BarPart]) -> str:
    """Draw a total and its parts from left to right; a non-zero part is never invisible."""
    total = sum(p.value for p in parts)
    shown = [p for p in parts if p.value > 0]
    widths = _visible([100 * p.value / total for p in shown])
    pieces, x = [], 0.0
    for part, width in zip(shown, widths, strict=True):
        hint = f"{part.label}: {part.value:,} ({percent(part.value / total)})"
        pieces.append(_rect((x, width), (0, 26), f"part {part.tone}", hint))
        x += width
    empty = '<rect class="track" x="0" y="0" width="100%" height="26"/>'
    return svg("stack", title, desc, 26, "".join(pieces) or empty)


def meter(title: str, desc: str, value: float, bound: float | None = None) -> str:
    """Draw a share on a scale from 0 to 1, with the lower bound marked if it is known."""
    pieces = [
        '<rect class="track" x="0" y="6" width="100%" height="10" rx="1"/>',
        f'<rect class="lost" x="0" y="6" width="{_within(value):.3f}%" height="10" rx="1"/>',
    ]
    if bound is not None:
        at = _within(bound)
        pieces.append(f'<line class="bound" x1="{at:.3f}%" x2="{at:.3f}%" y1="0" y2="22"/>')
    return svg("meter", title, desc, 22, "".join(pieces))


def lane(title: str, desc: str, before: float | None, after: tuple[float, float, float], ceiling: float | None) -> str:
    """Draw a rate before and after on a scale from 0 to 1: pale bar before, dark bar after with its interval, dashed line for a limit."""
    low, rate, high = (_within(value) for value in after)
    pieces = ['<rect class="track" x="0" y="1" width="100%" height="16"/>']
    if before is not None:
        pieces.append(f'<rect class="before" x="0" y="1" width="{_within(before):.3f}%" height="16"/>')
    pieces.append(f'<rect class="after" x="0" y="5" width="{rate:.3f}%" height="8"/>')
    pieces.append(f'<line class="reach" x1="{low:.3f}%" x2="{high:.3f}%" y1="9" y2="9"/>')
    if ceiling is not None:
        at = _within(ceiling)
        pieces.append(f'<line class="mark" x1="{at:.3f}%" x2="{at:.3f}%" y1="0" y2="18"/>')
    return svg("lane", title, desc, 18, "".join(pieces))


def bar(share: float) -> str:
    """Draw a thin bar next to a number; hidden from screen readers."""
    width = max(LEAST_WIDTH, _within(share)) if share > 0 else 0.0
    inside = f'<rect x="0" y="0" width="{width:.2f}%" height="5"/>'
    return f'<svg class="bar" width="100%" height="5" aria-hidden="true">{inside}</svg>'


def nice_ticks(largest: int) -> list[int]:
    """Return integers from 0 to at least the largest, in even steps of 1, 2 or 5 times a power of ten."""
    step, power = 1, 1
    while step * TICKS < largest:
        for factor in (2, 5, 10):
            step = factor * power
            if step * TICKS >= largest:
                break
        else:
            power *= 10
    reach = -(-max(1, largest) // step)
    return [i * step for i in range(reach + 1)]


def svg(kind: str, title: str, desc: str, height: int, inside: str) -> str:
    """Return a picture of this height as wide as its column, with its title and description for those who do not see it."""
    text = f"<title>{escaped(title)}</title><desc>{escaped(desc)}</desc>"
    label = escaped(f"{title}. {desc}")
    frame = f'class="{kind}" role="img" aria-label="{label}" width="100%" height="{height}"'
    return f"<svg {frame}>{text}{inside}</svg>"


def _rect(across: tuple[float, float], down: tuple[float, float], kind: str, hint: str) -> str:
    """Draw a rectangle by left edge and width, in percent, and top and height, in pixels."""
    (x, width), (y, height) = across, down
    place = f'x="{x:.3f}%" y="{y:.1f}" width="{width:.3f}%" height="{height:.1f}"'
    return f'<rect class="{kind}" {place}><title>{escaped(hint)}</title></rect>'


def _base() -> int:
    return HEIGHT - BOTTOM


def _upright(value: float, top: float) -> tuple[float, float]:
    """Return the top and height of a column; a non-zero value is always visible."""
    tall = 0.0 if value <= 0 else max(LEAST_HEIGHT, (_base() - TOP) * value / top)
    return _base() - tall, tall


def _grid(ticks: Sequence[int]) -> Iterable[str]:
    for tick in ticks:
        y = _base() - (_base() - TOP) * tick / ticks[-1]
        yield f'<line class="{"rule" if tick else "base"}" x1="{LEFT}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="tick" x="{LEFT - 1.5}%" y="{y + 4:.1f}" text-anchor="end">{short(tick)}</text>'


def _step(n: int) -> float:
    return (100 - LEFT - RIGHT) / n


def _columns(columns: Sequence[HistogramBar], top: int) -> Iterable[str]:
    paired = any(c.before is not None for c in columns)
    step = _step(len(columns))
    wide = min(WIDEST, 0.86 * step)
    for i, c in enumerate(columns):
        middle = LEFT + (i + 0.5) * step
        if c.before is not None:
            yield _rect((middle - wide / 2, wide), _upright(c.before, top), "before", c.hint)
        slim = 0.58 * wide if paired else wide
        yield _rect((middle - slim / 2, slim), _upright(c.value, top), f"after {c.tone}".strip(), c.hint)


def _labels(columns: Sequence[HistogramBar], axis: str) -> Iterable[str]:
    """Draw labels under as many columns as there is room for; `spare` ones are hidden on narrow pages."""
    n, step = len(columns), _step(len(columns))
    width = max(len(c.label) for c in columns)
    room = MOST_LABELS if width <= 5 else MOST_LABELS - 4
    every = -(-n // room)
    sparse = every * -(-n // (every * FEW_LABELS))
    for i in range(0, n, every):
        kind = "tick spare" if i % sparse else "tick"
        x = LEFT + (i + 0.5) * step
        place = f'x="{x:.3f}%" y="{_base() + 16}" text-anchor="middle"'
        yield f'<text class="{kind}" {place}>{escaped(columns[i].label)}</text>'
    yield f'<text class="axis" x="{LEFT}%" y="{HEIGHT - 4}">{escaped(axis)}</text>'


def _mark(mark: Mark, n: int) -> Iterable[str]:
    x = LEFT + min(mark.at, n) * _step(n)
    side, shift = ("start", 6) if x < 60 else ("end", -6)
    yield f'<line class="mark" x1="{x:.3f}%" x2="{x:.3f}%" y1="4" y2="{_base()}"/>'
    place = f'x="{x:.3f}%" dx="{shift}" y="13" text-anchor="{side}"'
    yield f'<text class="marked" {place}>{escaped(mark.label)}</text>'


def _visible(widths: Sequence[float]) -> list[float]:
    """Adjust widths that sum to 100 such that none is below the minimum; the large ones compensate."""
    raised = [max(LEAST_WIDTH, w) for w in widths]
    spare = sum(w - LEAST_WIDTH for w in raised)
    if spare <= 0:
        return [100 / len(widths) for _ in widths]
    shrink = (100 - LEAST_WIDTH * len(raised)) / spare
    return [LEAST_WIDTH + (w - LEAST_WIDTH) * shrink for w in raised]


def _within(share: float) -> float:
    return 100 * min(1.0, max(0.0, share))


# -- charts with a table of their numbers, for screen readers and exact values


@dataclass(frozen=True)
class Picture:
    """A chart as SVG, and its numbers: column names and rows."""

    svg: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def group_picture(facts: Facts) -> Picture:
    """Draw the number of groups of each size, with the guaranteed size marked."""
    k = promised_group(facts.manifest.get("claims", []))
    spread, sizes = facts.group_sizes, facts.sizes
    columns = [
        HistogramBar(b.tick, n, None, f"{plural(n, 'group')} of {b.label} records", "short" if k and b.low < k else "")
        for b, n in zip(spread.bins, spread.counts, strict=True)
    ]
    mark = Mark(spread.bin_of(k), f"guaranteed: {count(k)}") if k else None
    desc = f"{plural(sizes.groups, 'group')} of {count(sizes.smallest)} to {count(sizes.largest)} records"
    drawn = histogram("Groups by size", desc, columns, "records in the group", mark)
    return Picture(drawn, ("Records in the group", "Groups"), _rows(spread))


def query_picture(facts: QueryFacts) -> Picture:
    """Draw the number of queries by number of rows, before and after."""
    text = f"{plural(facts.after, 'published query', 'published queries')}, {count(facts.before)} in the original"
    return _before_after("Queries by rows", facts.sizes, "query", "rows of the query", description=text, many="queries")


def length_picture(facts: Facts) -> Picture:
    """Draw record lengths before and after."""
    return _before_after("Records by length", facts.lengths, "record", "items in the record")


def level_picture(facts: Facts) -> Picture:
    """Draw levels of items before and after."""
    axis = "level in the taxonomy: 1 is the root"
    return _before_after("Item occurrences by level", facts.levels, "occurrence", axis)


def _before_after(title: str, spread: Histogram, noun: str, axis: str, *, description: str = "", many: str = "") -> Picture:
    columns = [
        HistogramBar(b.tick, n, was, f"{b.label}: {plural(was, noun, many)} before, {count(n)} after")
        for b, n, was in zip(spread.bins, spread.counts, spread.before or (), strict=True)
    ]
    name = f"{axis[0].upper()}{axis[1:].partition(':')[0]}"
    drawn = histogram(title, description or f"{plural(len(columns), 'column')}, each before and after", columns, axis)
    return Picture(drawn, (name, "Before", "After"), _rows(spread))


def _rows(histogram: Histogram) -> tuple[tuple[str, ...], ...]:
    sides: Sequence[Sequence[int]] = [histogram.counts] if histogram.before is None else [histogram.before, histogram.counts]
    return tuple((b.label, *(count(side[i]) for side in sides)) for i, b in enumerate(histogram.bins))


# -- published topics: a column for each level, topics on the left, what is published below them to the right

TOPIC_GAP = 1.5  # between cells, in pixels
TOPIC_LINE = 15  # of a name, in pixels


def topic_picture(cells: tuple[TopicCell, ...], records: int) -> Picture:
    """Return the picture of the cells, of this many published records, and its numbers.

    Cells are nested pictures, which cut off a name that is too long; the whole name is in a tooltip and in the table of numbers.
    """
    levels = 1 + max((cell.level for cell in cells), default=0)
    height = max((cell.top + cell.height for cell in cells), default=0.0)
    inside = "".join(_topic_cell(cell, levels, records) for cell in cells)
    first = sum(cell.level == 0 for cell in cells)
    drawn = svg("icicle", "Published topics", f"{first} topics and what is published below them", int(height) + 1, inside)
    rows = tuple(
        ("\u2003" * cell.level + cell.name, count(cell.records), share_of(cell.records, records), count(cell.below)) for cell in cells
    )
    return Picture(drawn, ("Published as", "Records", "Share", "Published below"), rows)


def _topic_cell(cell: TopicCell, levels: int, records: int) -> str:
    wide = 100 / levels
    share = share_of(cell.records, records)
    place = f'x="{cell.level * wide:.3f}%" y="{cell.top:.1f}" width="{wide:.3f}%" height="{cell.height:.1f}"'
    box = f'<rect class="topic{cell.level}" x="0" y="0" width="100%" height="{max(1.0, cell.height - TOPIC_GAP):.1f}"/>'
    text = f"<title>{escaped(f'{cell.name}: {share} of the published records')}</title>"
    name = f'<text x="7" y="{TOPIC_LINE}">{escaped(cell.name)}</text>'
    below = f'<text class="share" x="7" y="{2 * TOPIC_LINE}">{escaped(share)}</text>' if cell.height >= 2 * TOPIC_LINE + 6 else ""
    return f'<svg class="cell" {place}>{text}{box}{name}{below}</svg>'

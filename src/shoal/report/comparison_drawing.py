"""The charts of a comparison as SVG: lanes, one per release; a scatter plot of releases; and a heat map by level.

As in the charts of a report, horizontal positions are percentages and vertical ones pixels, so that a chart fills its column at any width,
and colours come from the page's style by class, for light and dark mode. A series has its own colour and shape.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.report.formatting import escaped, own_markup, short

if TYPE_CHECKING:
    from markupsafe import Markup

COLOURS = 10  # in the style sheet: classes c0 to c9
# Around (0, 0): a circle, a square, a diamond, a triangle, a triangle on its tip, a cross. With ten colours, 30 series differ.
SHAPES = (
    "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z",
    "M-4,-4h8v8h-8z",
    "M0,-5.5L5.5,0L0,5.5L-5.5,0z",
    "M0,-5L5,4H-5z",
    "M0,5L5,-4H-5z",
    "M-5,-1.7h3.3v-3.3h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3z",
)
LANE, AXIS_HEIGHT, EDGE = 22, 20, 2.5  # pixels, pixels, percent on either side of a scale
PLANE, TOP, BOTTOM, LEFT = 340, 26, 40, 11.0
TICKS = 5
PALEST = 0.06  # of a field with the value 0


@dataclass(frozen=True)
class Scale:
    """The even ticks of an axis, and whether its values are shares."""

    ticks: tuple[float, ...]
    shares: bool = True

    @classmethod
    def of(cls, values: Sequence[float], *, shares: bool = True, zero: bool = True) -> Scale:
        """Return a scale for these values, including 0 if requested."""
        low, high = min(values), max(values)
        low, high = (min(low, 0.0), max(high, 0.0)) if zero else (low, high)
        step = _step((high - low) or abs(high) or 1.0)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        return cls(tuple(round(n * step, 12) for n in range(first, max(last, first + 1) + 1)), shares)

    def along(self, value: float) -> float:
        """Return the position of a value between the first tick and the last, from 0 to 1."""
        return (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0])

    def at(self, value: float) -> float:
        """Return the position of a value on a lane, in percent of its width."""
        return EDGE + (100 - 2 * EDGE) * self.along(value)

    def label(self, tick: float) -> str:
        """Format a tick."""
        return f"{100 * tick:g}%" if self.shares else short(tick)


def _step(span: float) -> float:
    """Return the distance of ticks: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(span / TICKS))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power * TICKS >= span * (1 - 1e-9))


@dataclass(frozen=True)
class Point:
    """A point: its position on the scale, the number of its series, and its tooltip."""

    value: float
    series: int
    hint: str


@dataclass(frozen=True)
class ReleaseLane:
    """A release in a chart: its name and its points, or a bar up to a value; `line` is a marked value."""

    name: str
    points: tuple[Point, ...] = ()
    bar: Point | None = None
    line: float | None = None


@dataclass(frozen=True)
class PlanePoint:
    """A release in a scatter plot: x, y, the start of a vertical line to it, its series, and its tooltip.

    `release` is its number in the list of releases, which selects its command; `outline` points are not filled.
    """

    across: float
    up: float
    series: int
    hint: str
    release: int | None = None
    since: float | None = None
    outline: bool = False


def lanes(rows: Sequence[ReleaseLane], series: Sequence[str], axis: str) -> Markup:
    """Draw a lane for each release, with its points on one scale."""
    values = [value for row in rows for value in _values(row)]
    if not values:
        return own_markup("")
    scale = Scale.of(values)
    drawn = [_row(row.name, LANE, "".join([*_grid(scale, LANE), *_in_lane(row, scale)])) for row in rows]
    return own_markup("".join([*drawn, _row("", AXIS_HEIGHT, "".join(_tick_labels(scale))), _axis(axis), legend(series)]))


def plane(
    points: Sequence[PlanePoint], series: Sequence[str], across: Scale, up: Scale, axes: tuple[str, str], limit: float | None
) -> Markup:
    """Draw points by two numbers; `limit` is a height marked by a dashed line."""
    pieces = [*_plane_grid(across, up, axes)]
    if limit is not None:
        y = _height(up.along(limit))
        pieces.append(f'<line class="mark" x1="{LEFT}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>')
    pieces += [piece for point in points for piece in _on_plane(point, across, up)]
    return own_markup(f'<svg width="100%" height="{PLANE}">{"".join(pieces)}</svg>{legend(series)}')


def fields(rows: Sequence[tuple[str, Sequence[float | None]]], columns: Sequence[str], axis: str) -> Markup:
    """Draw a cell for each release and column; larger values are darker."""
    most = max((value for _, values in rows for value in values if value is not None), default=0.0)
    if not rows or not columns:
        return own_markup("")
    width = 100 / len(columns)
    drawn = [_row(name, LANE, "".join(_fields(values, columns, name, most or 1.0))) for name, values in rows]
    labels = "".join(_text((n + 0.5) * width, 14, column.removeprefix("level "), "middle") for n, column in enumerate(columns))
    text = f'<p class="axis-name">{escaped(axis)}; pale is 0, dark is {100 * most:.3g}%</p>'
    return own_markup("".join([*drawn, _row("", AXIS_HEIGHT, labels), text]))


def legend(series: Sequence[str]) -> Markup:
    """Draw the legend of colours and shapes."""
    entries = [
        f'<li><svg width="14" height="12" aria-hidden="true">{_shape("50%", 6, n)}</svg>{escaped(name)}</li>'
        for n, name in enumerate(series)
    ]
    return own_markup(f'<ul class="series">{"".join(entries)}</ul>' if entries else "")


def _values(row: ReleaseLane) -> Iterable[float]:
    yield from (point.value for point in row.points)
    yield from () if row.bar is None else (row.bar.value,)
    yield from () if row.line is None else (row.line,)


def _row(name: str, height: int, inside: str) -> str:
    """Draw a line of a chart: the name of a release, and its lane."""
    return f'<div class="row"><span>{escaped(name)}</span><svg width="100%" height="{height}">{inside}</svg></div>'


def _grid(scale: Scale, height: int) -> Iterable[str]:
    middle = height / 2
    yield f'<line class="rule" x1="{EDGE}%" x2="{100 - EDGE}%" y1="{middle}" y2="{middle}"/>'
    for tick in scale.ticks:
        x = scale.at(tick)
        yield f'<line class="{"rule" if tick else "base"}" x1="{x:.2f}%" x2="{x:.2f}%" y1="0" y2="{height}"/>'


def _in_lane(row: ReleaseLane, scale: Scale) -> Iterable[str]:
    if row.bar is not None:
        start, end = sorted((scale.at(0.0), scale.at(row.bar.value)))
        colour = row.bar.series % COLOURS
        place = f'x="{start:.2f}%" y="4" width="{max(end - start, 0.3):.2f}%" height="{LANE - 8}"'
        yield f'<rect class="bar-of c{colour}" {place}><title>{escaped(row.bar.hint)}</title></rect>'
    if row.line is not None:
        x = scale.at(row.line)
        yield f'<line class="bound" x1="{x:.2f}%" x2="{x:.2f}%" y1="1" y2="{LANE - 1}"/>'
    for point in row.points:
        yield _shape(f"{scale.at(point.value):.2f}%", LANE / 2, point.series, point.hint)


def _tick_labels(scale: Scale) -> Iterable[str]:
    """Draw the numbers below the lanes; every second one is hidden on narrow pages."""
    for n, tick in enumerate(scale.ticks):
        yield _text(scale.at(tick), 14, scale.label(tick), "middle", spare=bool(n % 2))


def _axis(name: str) -> str:
    return f'<p class="axis-name">{escaped(name)}</p>'


def _text(x: float, y: float, text: str, anchor: str, *, spare: bool = False) -> str:
    kind = "tick spare" if spare else "tick"
    return f'<text class="{kind}" x="{x:.2f}%" y="{y:.1f}" text-anchor="{anchor}">{escaped(text)}</text>'


def _shape(x: str, y: float, series: int, hint: str = "", *, outline: bool = False) -> str:
    """Draw a mark in the colour and shape of its series."""
    text = f"<title>{escaped(hint)}</title>" if hint else ""
    kind = f"dot c{series % COLOURS}{' outline' if outline else ''}"
    return f'<svg x="{x}" y="{y:.1f}"><path class="{kind}" d="{SHAPES[series % len(SHAPES)]}">{text}</path></svg>'


def _plane_x(along: float) -> float:
    return LEFT + (100 - LEFT - EDGE) * along


def _height(along: float) -> float:
    return PLANE - BOTTOM - (PLANE - BOTTOM - TOP) * along


def _plane_grid(across: Scale, up: Scale, axes: tuple[str, str]) -> Iterable[str]:
    for tick in up.ticks:
        y = _height(up.along(tick))
        yield f'<line class="{"rule" if tick else "base"}" x1="{LEFT}%" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _text(LEFT - 1.5, y + 4, up.label(tick), "end")
    for n, tick in enumerate(across.ticks):
        x = _plane_x(across.along(tick))
        yield f'<line class="rule" x1="{x:.2f}%" x2="{x:.2f}%" y1="{TOP}" y2="{PLANE - BOTTOM}"/>'
        yield _text(x, PLANE - BOTTOM + 16, across.label(tick), "middle", spare=bool(n % 2))
    yield f'<text class="axis" x="0" y="12">{escaped(axes[1])}</text>'
    yield f'<text class="axis" x="100%" y="{PLANE - 4}" text-anchor="end">{escaped(axes[0])}</text>'


def _on_plane(point: PlanePoint, across: Scale, up: Scale) -> Iterable[str]:
    x, y = f"{_plane_x(across.along(point.across)):.2f}%", _height(up.along(point.up))
    if point.since is not None:
        below = _height(up.along(point.since))
        yield f'<line class="stem c{point.series % COLOURS}" x1="{x}" x2="{x}" y1="{below:.1f}" y2="{y:.1f}"/>'
    mark = _shape(x, y, point.series, point.hint, outline=point.outline)
    if point.release is None:
        yield mark
    else:
        yield f'<g class="pick" data-release="{point.release}" tabindex="0" role="button" aria-label="{escaped(point.hint)}">{mark}</g>'


def _fields(values: Sequence[float | None], columns: Sequence[str], name: str, most: float) -> Iterable[str]:
    width = 100 / len(columns)
    for n, (value, column) in enumerate(zip(values, columns, strict=True)):
        if value is not None:
            dark = PALEST + (1 - PALEST) * min(1.0, max(0.0, value / most))
            place = f'x="{n * width + 0.2:.2f}%" y="1" width="{width - 0.4:.2f}%" height="{LANE - 2}"'
            title = escaped(f"{name}, {column}: {100 * value:.1f}%")
            yield f'<rect class="field" {place} fill-opacity="{dark:.3f}"><title>{title}</title></rect>'

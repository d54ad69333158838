"""The icicle of published topics: a column for each level, topics on the left, what is published below them to the right.

Cells are nested pictures, which cut off a name that is too long; the whole name is shown by pointing at it, and in the table of numbers.
"""

from __future__ import annotations

from shoal.report.charts import Picture, svg
from shoal.report.formatting import count, escaped, share_of
from shoal.report.topic_cells import TopicCell

GAP = 1.5  # between cells, in pixels
LINE = 15  # of a name, in pixels


def topic_picture(cells: tuple[TopicCell, ...], records: int) -> Picture:
    """Return the picture of the cells, of this many published records, and its numbers."""
    levels = 1 + max((cell.level for cell in cells), default=0)
    height = max((cell.top + cell.height for cell in cells), default=0.0)
    inside = "".join(_drawn(cell, levels, records) for cell in cells)
    first = sum(cell.level == 0 for cell in cells)
    drawn = svg("icicle", "Published topics", f"{first} topics and what is published below them", int(height) + 1, inside)
    rows = tuple(
        ("\u2003" * cell.level + cell.name, count(cell.records), share_of(cell.records, records), count(cell.below)) for cell in cells
    )
    return Picture(drawn, ("Published as", "Records", "Share", "Published below"), rows)


def _drawn(cell: TopicCell, levels: int, records: int) -> str:
    wide = 100 / levels
    share = share_of(cell.records, records)
    place = f'x="{cell.level * wide:.3f}%" y="{cell.top:.1f}" width="{wide:.3f}%" height="{cell.height:.1f}"'
    box = f'<rect class="topic{cell.level}" x="0" y="0" width="100%" height="{max(1.0, cell.height - GAP):.1f}"/>'
    text = f"<title>{escaped(f'{cell.name}: {share} of the published records')}</title>"
    name = f'<text x="7" y="{LINE}">{escaped(cell.name)}</text>'
    below = f'<text class="share" x="7" y="{2 * LINE}">{escaped(share)}</text>' if cell.height >= 2 * LINE + 6 else ""
    return f'<svg class="cell" {place}>{text}{box}{name}{below}</svg>'

"""Site structure: separates visitors who share an address and a user agent by the links between pages (Cooley, Mobasher and Srivastava,
Knowledge and Information Systems 1, 1999; ARES report, section 3.1.1).

A page that no page of a visit links to, and that the visit has not seen before, begins the visit of another person. This separates visits
only. The user of a line stays the same, because a wrong guess must not turn one person into several: guarantees count users.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from shoal import _kernels
from shoal.data.bags import Ints
from shoal.data.log import HALF_AN_HOUR
from shoal.data.tables.access_log import VISITOR
from shoal.errors import InputError
from shoal.io.read.access_logs.access_log_lines import BROKEN
from shoal.io.read.options import REFERRERS
from shoal.io.read.result import BROKEN_LINES
from shoal.io.read.source import read_text
from shoal.util.wording import counted

FEWEST_PEOPLE = 5  # with referrers of a host that is named
_HEADER = ("from", "to")
_SEPARATORS = ("\t", ";", ",")
_ADDRESS = r"^[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)([^?#]*)"
_PAUSE = HALF_AN_HOUR.total_seconds() * 1_000_000  # microseconds after which a visit is over


@dataclass(frozen=True)
class SiteLinks:
    """The pages that link to each page, and all pages of the structure. Pages have no query string."""

    incoming: dict[str, set[str]]
    pages: frozenset[str]

    @classmethod
    def of(cls, links: Iterable[tuple[str, str]]) -> SiteLinks:
        """Make a structure from links, each from one page to another."""
        incoming: dict[str, set[str]] = {}
        for start, end in links:
            incoming.setdefault(end, set()).add(start)
        return cls(incoming, frozenset(incoming).union(*incoming.values()))

    def __len__(self) -> int:
        return sum(map(len, self.incoming.values()))


def plain_pages(pages: pl.Series) -> pl.Series:
    """Return pages as the structure has them: the path alone, without host, query string and fragment; `/` if it is empty."""
    path = pages.str.extract(_ADDRESS, 2).fill_null(pages).str.replace(r"[?#].*$", "")
    return pl.select(pl.when(path == "").then(pl.lit("/")).otherwise(path)).to_series()


def links_of_file(path: Path) -> SiteLinks:
    """Read a table of two columns, the page with the link and the page that it leads to; a header is recognized by its words."""
    text = read_text(path, InputError)
    first = text.lstrip("\n").split("\n", 1)[0]
    separator = next((one for one in _SEPARATORS if one in first), ",")
    rows = []
    for defect, cells, line, _ in _kernels.first_records(text.encode(), _kernels.Dialect(separator, True), True, len(text)):
        fields = [cell.strip() for cell in cells]
        if defect or (any(fields) and (len(fields) != len(_HEADER) or not all(fields))):
            what = BROKEN_LINES[defect] if defect else "it does not have two pages, from and to"
            raise InputError(f"{path.name}, line {line}, cannot be read: {what}", code="links-line-invalid", line=line)
        rows += [fields] if any(fields) else []
    if rows and tuple(cell.lower() for cell in rows[0]) == _HEADER:
        rows = rows[1:]
    if not rows:
        raise InputError(f"{path.name} has no links", code="empty-input")
    start, end = (plain_pages(pl.Series([row[at] for row in rows], dtype=pl.String)) for at in (0, 1))
    return SiteLinks.of(zip(start, end, strict=True))


def links_of_referrers(frame: pl.DataFrame) -> tuple[SiteLinks, str]:
    """Return the links that referrers of the site itself show, and what to call the site: the host that most referrers have.

    It is not named if few people have it, since it may then be the secret of one of them.
    """
    referrer = frame["referrer"].fill_null("-")
    host = referrer.str.extract(_ADDRESS, 1).str.to_lowercase().str.strip_prefix("www.")
    often = Counter(name for name in host.drop_nulls().to_list() if name)
    if not often:
        raise InputError(
            "no line of the access log has a referrer, so links between pages are not known",
            code="no-referrers",
            hint="name a file of links, with the columns from and to",
        )
    site = min(often, key=lambda name: (-often[name], name))
    own = (host == site).fill_null(False) & (frame["page"] != BROKEN)
    pairs = zip(plain_pages(referrer.filter(own)), plain_pages(frame["page"].filter(own)), strict=True)
    people = frame["owner"].filter(own).n_unique()
    return SiteLinks.of(pairs), repr(site) if people >= FEWEST_PEOPLE else "the most frequent host"


@dataclass
class _Visit:
    """An open visit: its number among those of one address and user agent, the time of its last request, and its pages."""

    number: int
    last: int
    pages: set[str] = field(default_factory=set)


def separated(frame: pl.DataFrame, links: SiteLinks) -> Ints:
    """Return the number of the visitor of each line among those with its address and user agent, 0 for the first.

    The page of a line belongs to the visit with the latest request that has it or a link to it. If there is none, it begins another visit.
    A page outside the structure belongs to the visit with the latest request. A visit is over after half an hour without a request.
    """
    pages = plain_pages(frame["page"]).to_list()
    times, visitor = frame["time"].to_physical().to_numpy(), frame[VISITOR].to_numpy()
    number = np.zeros(len(frame), np.int64)
    visits: list[_Visit] = []  # the one with the latest request is the last
    before, begun = None, 0
    for line in np.lexsort((np.arange(len(frame)), times, visitor)).tolist():
        page, time = pages[line], int(times[line])
        visits = [one for one in visits if visitor[line] == before and time - one.last <= _PAUSE]
        begun = begun if visitor[line] == before else 0
        before = visitor[line]
        linking = links.incoming.get(page, set())
        fitting = [one for one in visits if page not in links.pages or page in one.pages or not linking.isdisjoint(one.pages)]
        if fitting:
            chosen = fitting[-1]
            visits.remove(chosen)
        else:
            begun = begun + 1 if visits else max(begun, 1)
            chosen = _Visit(begun - 1 if visits else 0, time)
        chosen.last = time
        chosen.pages.add(page)
        visits.append(chosen)
        number[line] = chosen.number
    return number


def with_separated_visitors(frame: pl.DataFrame, structure: str) -> tuple[pl.DataFrame, list[str]]:
    """Number the visitors of lines anew, by a file of links or by the referrers of the log. Also return notes."""
    if structure == REFERRERS:
        links, site = links_of_referrers(frame)
        source = f"referrers of {site}"
    else:
        links, source = links_of_file(Path(structure)), "a file"
    parts = frame.with_columns(part=separated(frame, links))
    visitor = parts.select(pl.struct(VISITOR, "part").rank("dense").cast(pl.Int64) - 1).to_series()
    more = visitor.n_unique() - frame[VISITOR].n_unique()
    line = f"site structure from {source}: {counted(len(links), 'link')} between {counted(len(links.pages), 'page')}"
    return frame.with_columns(visitor.alias(VISITOR)), [f"{line}; {counted(more, 'further visitor')} behind the same addresses and agents"]

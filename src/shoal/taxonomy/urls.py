"""A taxonomy of URLs and file paths, made from the data: every page lies below the folders of its path.

`/blog/2009/rain.html` lies below `/blog/2009/*`, that below `/blog/*`, and that below `/*`. A page with a query string lies next to the
same page without one, below `/search?*`. URLs of other hosts lie below `http://host/*`. The star marks a folder, which represents any page
below it, from the page that a server shows for the folder's own address. It depends on the set of names alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import polars as pl

from shoal.data.bags import Vocabulary
from shoal.data.node_loss import DEFAULT_LOSS
from shoal.data.taxonomy import Taxonomy
from shoal.errors import TaxonomyError

ROOT = "(any page)"
ANY = "*"
NOTHING = "-"

URL_SHARE = 0.5  # smallest share of items that look like paths or addresses for the rule to apply
_URL = r"^([a-z][a-z0-9+.-]*://|/[^/ ]|/$|[a-z0-9-]+(\.[a-z0-9-]+)+/)"

_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")


def are_urls(names: pl.Series) -> bool:
    """Whether most of these items look like paths or addresses. All are examined, so that their order does not matter."""
    return len(names) > 0 and int(names.cast(pl.String).str.contains(_URL).sum()) >= URL_SHARE * len(names)


def has_paths(names: Vocabulary | Iterable[str]) -> bool:
    """Whether any of these items is a path."""
    return any("/" in name for name in (names.names if isinstance(names, Vocabulary) else names))


def url_taxonomy(vocabulary: Vocabulary | Iterable[str], loss: str = DEFAULT_LOSS) -> Taxonomy:
    """Return the folders above all items; items that hold no slash lie directly below the root."""
    names = sorted(set(vocabulary.names if isinstance(vocabulary, Vocabulary) else vocabulary))
    if not has_paths(names):
        raise TaxonomyError("no item is a path: none contains a slash", code="no-paths", hint="paths is for URLs and paths of files")
    root = ROOT
    while root in names:
        root = f"({root})"
    queried = {name.partition("?")[0] for name in names if "?" in name}
    parents: dict[str, str | None] = {root: None}
    for name in names:
        _place(name, root, queried, parents)
    return Taxonomy.from_parents(parents, loss)


def folders(path: str) -> Iterator[str]:
    """Yield the folders above a page, the nearest first: what a page is generalized to. Ends with that of the whole host."""
    bare = path.partition("?")[0].partition("#")[0]
    found = _HOST.match(bare)
    least = found.end() if found else 0
    end = len(bare)
    while (cut := bare.rfind("/", least, end)) >= 0:
        yield bare[: cut + 1] + ANY
        end = cut
    if found and "/" not in bare[least:]:
        yield f"{bare}/{ANY}"


def page_levels(page: str) -> tuple[str, ...]:
    """Return the levels a page is generalized to if its folders are published instead, itself first; the last, `-`, reveals nothing."""
    if "/" not in page:
        return (NOTHING,)
    return (page, f"{page.partition('?')[0]}?{ANY}", *folders(page), NOTHING)


def page_nodes(page: str) -> tuple[str, ...]:
    """Return the levels on which two pages may differ: folders, the page without its query string, and, where it has one, with it."""
    levels = page_levels(page)[1:-1]
    return (page, *levels) if "?" in page else levels or (page,)


def _place(name: str, root: str, queried: set[str], parents: dict[str, str | None]) -> None:
    """Put an item and all that lies above it into the tree."""
    page = name.partition("?")[0]
    above = [f"{page}?{ANY}"] if page in queried else []
    chain = [name, *(node for node in (*above, *folders(name)) if node != name), root]
    for lower, upper in pairwise(chain):
        if lower in parents:  # what lies above it is known
            break
        parents[lower] = upper

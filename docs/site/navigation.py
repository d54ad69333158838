"""The first page of the site, and which page belongs to which part of the navigation."""

from __future__ import annotations

from pathlib import Path

from markup import toctree
from shoal.evaluate.advise.goals import GOALS
from sources import repository_pages, write

GUIDES = "Guides"
FIRST_STEPS = "README"
PARTS: dict[str, list[str]] = {
    "Start": [
        *(FIRST_STEPS, "docs/install", "docs/tutorial-retail", "docs/tutorial-product-table", "docs/tutorial-search-log"),
        *("docs/tutorial-web-log", "docs/tutorial"),
    ],
    "Goals": ["docs/goals", "docs/studio", "docs/advise", "docs/which-method"],
    GUIDES: [
        *(
            "docs/reading",
            "docs/inputs",
            "docs/taxonomies",
            "docs/topics",
            "docs/auditing",
            "docs/attacking",
            "docs/comparing",
            "docs/report",
        ),
        *("docs/series", "docs/rules", "docs/scale", "docs/python", "docs/dial"),
    ],
    "Methods by guarantee": [],  # the pages of guarantees.py
    "Models and metrics": ["docs/models", "docs/metrics"],
    "Reference": ["reference/commands/index", "reference/python/index", "docs/errors"],
    "Papers": ["docs/papers", "docs/errata"],
    "Internals": [
        *("docs/architecture", "docs/adding-a-method", "docs/adding-a-kind", "docs/lattice", "docs/bound"),
        *("docs/reliability", "docs/releasing", "CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT", "CHANGELOG", "docs/README"),
    ],
}
IN_METHODS = "docs/methods/"  # pages of methods are below those of their guarantees
FIRST = """# shoal

Publish query logs, shopping baskets, click streams and tables without exposing the people in them. shoal anonymizes a file, verifies the
guarantee on the written files, and reports how much of the data is left and what an attacker would find.

```sh
shoal advise FILE
shoal anonymize FILE --out release
shoal audit release --original FILE
```

The first command [proposes how to publish a file](docs/advise.md), the second writes the records, a manifest and a
[report](docs/report.md), and the third [verifies](docs/auditing.md) the release again from its files.
[Install it and see an example](README.md), or take a [tutorial](docs/tutorial-retail.md).

## What do you want to publish?

"""
LAST = """
## Find your way

- [Choose a method](docs/which-method.md), or see all methods by guarantee: {families}.
- [Models](docs/models.md) and [metrics](docs/metrics.md): what a release guarantees, and what it is still good for.
- Look up a [command](reference/commands/index.rst), a [Python name](reference/python/index.rst) or an [error code](docs/errors.md). The
  {{ref}}`index <genindex>` has all of them.
- [Papers](docs/papers.md) behind the methods, reproduced, and their [errata](docs/errata.md).
- [Architecture](docs/architecture.md), and how to [add a method](docs/adding-a-method.md) or a [kind of table](docs/adding-a-kind.md).

"""


def write_index(target: Path, families: list[str]) -> None:
    """Write the first page, whose navigation leads to every page. A page that no part names is a guide."""
    parts = {**PARTS, "Methods by guarantee": families}
    known = {page for pages in parts.values() for page in pages}
    pages = [str(page.with_suffix("")) for page in repository_pages()]
    others = [page for page in pages if page not in known and not page.startswith(IN_METHODS)]
    parts[GUIDES] = [*parts[GUIDES], *others]
    goals = [f"- [{goal.name}](docs/goals.md#{goal.name}): {goal.wish}" for goal in GOALS.values()]
    last = LAST.format(families=", ".join(f"[{_words(page)}]({page}.md)" for page in families))
    trees = [toctree(_existing(target, pages), caption) for caption, pages in parts.items()]
    write(target / "index.md", "\n".join([FIRST + "\n".join(goals), last, *trees]))


def _words(page: str) -> str:
    return page.rpartition("/")[2].replace("-", " ")


def _existing(target: Path, pages: list[str]) -> list[str]:
    """The pages that are there: one that was renamed is found again among the guides."""
    found = [page for page in pages if any((target / f"{page}{suffix}").is_file() for suffix in (".md", ".rst"))]
    return [f"First steps <{page}>" if page == FIRST_STEPS else page for page in found]
